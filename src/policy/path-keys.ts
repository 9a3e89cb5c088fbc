import { foldCase } from "../path/index.ts";
import { bindPattern, DEEP, pathPattern, type PatternBase, type Segment } from "./glob.ts";
import { mistake, ok, type Result } from "./result.ts";

/** What every path that a pattern matches has in common: the folders it starts with, and how its last name ends. */
export interface PathKey {
  /** From `/`. */
  readonly folders: readonly string[];
  /** Its last name. */
  readonly name?: string;
  /** What follows the last dot of its last name. */
  readonly ending?: string;
}

/**
 * The keys of a pattern, one for each of its alternatives: what matches has one of them.
 * Most patterns are read by their looks, so that ten thousand rules need not be compiled to be told apart.
 */
export function keysOf(pattern: string, base: PatternBase): Result<readonly PathKey[]> {
  if (isPlain(pattern)) return ok([plainKey(pattern, base)]);
  const read = pathPattern(pattern);
  if (!read.ok) return mistake(read.message);
  return ok(bindPattern(read.value, base).alternatives.map(keyOf));
}

/** Only names, `*`, `**` and a leading `~/`; nothing that is spelled in more than one way. */
function isPlain(pattern: string): boolean {
  return pattern !== "" && pattern.length < 1000 && !/[\\{}[\]?$\0]|(?:^|\/)\.{0,2}(?:\/|$)|^~[^/]/.test(pattern.replace(/^~?\//, ""));
}

function plainKey(pattern: string, { project, home, fold }: PatternBase): PathKey {
  const atHome = pattern.startsWith("~/");
  const anchor = atHome ? home : pattern.startsWith("/") || pattern.startsWith("**") ? "" : project;
  const names = (fold ? foldCase(pattern) : pattern).split("/");
  if (atHome || pattern.startsWith("/")) names.shift();
  const wild = names.findIndex((name) => name.includes("*"));
  const folders = [...namesOf(fold ? foldCase(anchor) : anchor), ...(wild === -1 ? names : names.slice(0, wild))];
  const last = names.at(-1) ?? "";
  if (wild === -1) return { folders };
  return last.includes("*") ? { folders, ...endingOf(last.slice(last.lastIndexOf("*") + 1)) } : { folders, name: last };
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}

function keyOf(segments: readonly Segment[]): PathKey {
  const wild = segments.findIndex((segment) => segment === DEEP || segment.literal === undefined);
  const folders: string[] = [];
  for (const segment of wild === -1 ? segments : segments.slice(0, wild))
    if (segment !== DEEP && segment.literal !== undefined) folders.push(segment.literal);
  const last = segments.at(-1);
  if (wild === -1 || last === undefined || last === DEEP) return { folders };
  if (last.literal !== undefined) return { folders, name: last.literal };
  // With a set, the text of the pattern matches as well, and there a quoted character looks otherwise.
  return last.hasSet && last.raw.includes("\\") ? { folders } : { folders, ...endingOf(last.end) };
}

function endingOf(end: string): { readonly ending?: string } {
  const ending = lastEnding(end);
  return ending === undefined ? {} : { ending };
}

/** What follows the last dot; undefined without one. */
export function lastEnding(name: string): string | undefined {
  const dot = name.lastIndexOf(".");
  return dot === -1 ? undefined : name.slice(dot + 1);
}
