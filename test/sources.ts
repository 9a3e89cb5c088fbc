import { readdirSync } from "node:fs";
import { join } from "node:path";
// @ts-expect-error -- a plain script
import * as packages from "../scripts/packages.mjs";

const ROOT = join(import.meta.dirname, "..");

/** The folders of the packages, by their names. */
export const { foldersOf } = packages as { readonly foldersOf: (root: string) => ReadonlyMap<string, string> };

/** Every file of the source: `policy/judge.ts`, and where it lies. */
export const sourceFiles = (): readonly { readonly name: string; readonly path: string }[] =>
  [...foldersOf(ROOT)].flatMap(([folder, at]) =>
    readdirSync(at, { recursive: true, encoding: "utf8" }).map((file) => ({ name: `${folder}/${file}`, path: join(at, file) })),
  );
