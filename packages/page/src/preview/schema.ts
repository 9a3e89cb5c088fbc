import { statSync } from "node:fs";
import { resolvePath } from "@assent/core/path";
import type { PolicyPlace } from "@assent/guard/policy-edit";
import { engine } from "./engine.ts";

/** The schema of policy files, as it was installed. Undefined: it is not there. */
export function schemaFile(): string | undefined {
  const installed = resolvePath("/", `${engine.own[0] ?? ""}/../schema/policy.schema.json`);
  return statSync(installed, { throwIfNoEntry: false })?.isFile() === true ? installed : undefined;
}

/** How a new file names its schema. A project's file names no place of this machine. */
export function schemaFor({ layer }: PolicyPlace): string | undefined {
  return layer === "project" ? "./node_modules/assent/schema/policy.schema.json" : schemaFile();
}
