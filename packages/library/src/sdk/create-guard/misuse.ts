import { isObject } from "@assent/core/data";
import type { ToolSpec } from "./tool.ts";
import { GuardOptionError } from "../common/options.ts";

// What a compiler finds in TypeScript, for plain JavaScript: told where the mistake is, not where it is first felt.

/** Throws for a tool without a name, without a function, or with something else in the place of its schema. */
export function checkTool<I>(spec: ToolSpec<I>, run: unknown): void {
  if (!isObject(spec)) throw new GuardOptionError("options", "tool takes an object of options");
  const { name, input }: Readonly<Record<string, unknown>> = spec;
  if (typeof name !== "string" || name === "") throw new GuardOptionError("name", "tool: the option `name` must be the name of the tool");
  if (input !== undefined && !isSchema(input))
    throw new GuardOptionError(
      "input",
      "tool: the option `input` must be a schema that follows standardschema.dev (zod, valibot, arktype)",
    );
  if (typeof run !== "function") throw new GuardOptionError("run", "tool: its second parameter must be the tool's function");
}

/** arktype's schemas are functions. */
function isSchema(given: unknown): boolean {
  if ((typeof given !== "object" && typeof given !== "function") || given === null) return false;
  const standard: unknown = Reflect.get(given, "~standard");
  return isObject(standard) && typeof standard["validate"] === "function";
}

/** Throws for what is no object of tools, or of what they do. */
export function checkObjects(of: string, given: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(given).find((name) => !isObject(given[name]));
  if (wrong !== undefined) throw new GuardOptionError(wrong, `${of}: \`${wrong}\` must be an object, by the names of the tools`);
}
