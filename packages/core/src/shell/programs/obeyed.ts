import { resolvePath } from "../../path/index.ts";
import { has } from "./given.ts";
import { addCode } from "./code.ts";
import type { Invocation } from "./invocation.ts";
import { readObeys, type ObeyedFiles } from "../knowledge/read-spec.ts";

/**
 * Programs that do what a file of the project says (`CommandSpec.obeys`). The files are looked at as they are now; where the same line
 * may change files, `settleSurroundings` makes code of it after all.
 */
export function applyObeyed(inv: Invocation, stopped: boolean): void {
  if (inv.obeys === undefined) return;
  const rows = readObeys(inv.obeys).filter((row) => (row.always || !stopped) && !has(inv, ...row.without));
  if (rows.length === 0) return;
  const file = obeyedFile(inv, rows);
  if (file === undefined) inv.cx.relying.set(inv, "project");
  else if (stopped || !runsProject(inv)) addCode(inv, "project", "project", file);
}

/** What runs code of the project may do anything that its settings say. */
const runsProject = (inv: Invocation): boolean => inv.grammar.effects.some((effect) => effect.is === "code");

/** A file that says more than is known of the program, or a folder that cannot be told. */
export const obeyedFile = (inv: Invocation, rows: readonly ObeyedFiles[]): string | undefined => first(rows, (row) => foundBy(inv, row));

function foundBy(inv: Invocation, row: ObeyedFiles): string | undefined {
  const { world } = inv.cx;
  return first(inv.places, (place) => {
    if (place.is !== "at") return "a folder that is not known";
    const start = world.canonical(place.path);
    const counts = (folder: string): boolean =>
      folder === start || row.beside.length === 0 || row.beside.some((name) => world.kind(resolvePath(folder, name)) !== "missing");
    for (let folder = start; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
      const named = folder === "" ? "/" : folder;
      // What lies in the home folder itself is the person's.
      const file = named !== world.home && counts(named) ? first(row.names, (name) => matters(inv, row, named, name)) : undefined;
      if (file !== undefined) return file;
      if (row.where === "here" || named === "/") break;
    }
    return row.where === "below" ? below(inv, row, start) : undefined;
  });
}

/** The name in this folder; with a star in one of its parts, within the project alone, whatever has such a name. */
function matters(inv: Invocation, row: ObeyedFiles, folder: string, name: string): string | undefined {
  const { world } = inv.cx;
  const [, start = "", begin, end = "", rest = ""] = /^([^*]*\/)?([^/*]*)\*([^/*]*)(\/.*)?$/.exec(name) ?? [];
  if (begin === undefined) return says(inv, row, resolvePath(folder, name)) ? name : undefined;
  if (!`${folder}/`.startsWith(`${world.canonical(world.projectRoot)}/`)) return undefined;
  const names = world.names(resolvePath(folder, `./${start}`));
  if (names === undefined) return name;
  return names
    .filter((one) => one.startsWith(begin) && one.endsWith(end))
    .map((one) => `${start}${one}${rest}`)
    .find((one) => says(inv, row, resolvePath(folder, one)));
}

function below(inv: Invocation, row: ObeyedFiles, folder: string): string | undefined {
  const isOne = (path: string): boolean =>
    !/\/node_modules\//.test(path) && row.names.some((name) => path.endsWith(`/${name}`)) && says(inv, row, path);
  const search = inv.cx.world.find(folder, isOne);
  return search.found ?? (search.complete ? undefined : `${row.names[0] ?? ""} in a folder below`);
}

/** In these a name may be written with escapes. */
const ESCAPES = /\\[uUx]/;
const ESCAPING = /\.(?:jsonc?|json5|ya?ml|toml)$|rc$|\/config$/;

function says({ cx: { world } }: Invocation, row: ObeyedFiles, path: string): boolean {
  const kind = world.kind(path);
  if (kind === "missing") return false;
  if (row.says === undefined) return true;
  if (kind === "directory") return false;
  const text = world.text?.(path);
  if (text === undefined) return true;
  return row.says(text) || (ESCAPING.test(path) && ESCAPES.test(text));
}

function first<T, U>(list: readonly T[], find: (one: T) => U | undefined): U | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
