import type { TreeFilter, World } from "../action/index.ts";
import { baseName, joinPath, normalise } from "../path/index.ts";
import { expandBraces } from "../pattern/index.ts";
import { Resolver } from "./canonical.ts";

/**
 * What hosts make of the text that a model gives as a path. They forgive much, and each something else (measured: Gemini
 * CLI 0.61.0 decodes `%2e` and strips `@`, pi 0.87.1 strips `@`, replaces the blanks of Unicode and tries other forms of
 * letters and quotes, Qwen Code 0.24.4 trims and takes away backslashes). So every file that one of them would open is
 * judged; for the paths that agents really give there is one.
 */
export function pathsOf(given: string, world: World, searched = false): readonly string[] | { readonly wrong: string } {
  const spellings = PLAIN.test(given) ? [given] : spellingsOf(given, world);
  if (!Array.isArray(spellings)) return spellings;
  const out = new Set<string>();
  for (const spelling of spellings) {
    const raw = absolute(spelling, world);
    out.add(normalise(raw));
    // Hosts differ in whether `link/..` is resolved by text or by the file system: judge both.
    const physical = new Resolver(world.cwd).physical(raw);
    if (physical !== undefined) out.add(physical);
    if (searched && !spelling.startsWith("/") && world.kind(normalise(raw)) === "missing")
      for (const found of filesEndingIn(spelling, world)) out.add(found);
  }
  return [...out];
}

/** More files of one name are told apart by nobody. */
const MOST_FOUND = 50;

/** The files below the folder that a host takes instead of one that is not there. */
function filesEndingIn(name: string, world: World): readonly string[] {
  const found: string[] = [];
  world.find(world.cwd, (path) => path.endsWith(name) && found.push(path) >= MOST_FOUND);
  return found;
}

/** Nothing in it that any host would change. */
const PLAIN = /^[\w~/.,=+-][\w/.,=+@-]*$/;
const MOST_SPELLINGS = 32;

const REWRITES: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  // Pi's blanks.
  (text) => text.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " "),
  (text) => (text.startsWith("@") ? text.slice(1) : text),
  (text) => (text.startsWith("@") ? text.slice(1).replace(/^[\\/]+/, "") : text),
  (text) => text.replace(/\\([ \t()[\]{};|*?$`'"#&<>!~])/g, "$1"),
  (text) => decoded(text) ?? text,
  (text) => (/^file:/i.test(text) ? (pathOfUrl(text) ?? text) : text),
];

/** These are tried where the file is not there. */
const OTHER_LETTERS: readonly ((text: string) => string)[] = [
  (text) => text.normalize("NFC"),
  (text) => text.normalize("NFD"),
  (text) => text.replaceAll("'", "\u2019"),
  (text) => text.normalize("NFD").replaceAll("'", "\u2019"),
  (text) => text.replace(/ (AM|PM)\./gi, "\u202F$1."),
];

function spellingsOf(given: string, world: World): string[] | { readonly wrong: string } {
  const all = new Set([given]);
  for (const text of all) {
    if (all.size > MOST_SPELLINGS) return { wrong: "can be read in too many ways" };
    for (const rewrite of REWRITES) all.add(rewrite(text));
  }
  all.delete("");
  for (const text of all) {
    if (/^file:/i.test(text) && pathOfUrl(text) === undefined) return { wrong: "is a `file:` address that cannot be read" };
    // One letter is a drive.
    if (/^[a-z][a-z0-9+.-]+:\//i.test(text) && !/^file:/i.test(text)) return { wrong: "is an address, and no file" };
    if (text.includes("\0")) return { wrong: "contains a NUL character" };
    for (const rewrite of OTHER_LETTERS) {
      const other = rewrite(text);
      if (other !== text && world.kind(normalise(absolute(other, world))) !== "missing") all.add(other);
    }
  }
  return [...all].filter((text) => !/^file:/i.test(text));
}

function decoded(text: string): string | undefined {
  if (!/%[0-9a-f]{2}/i.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `~` and relative paths made absolute. */
function absolute(given: string, world: World): string {
  if (given === "~" || given.startsWith("~/")) return `${world.home}${given.slice(1)}`;
  return given.startsWith("/") ? given : joinPath(world.cwd, given);
}

/** The path of a `file:` URL. */
export function pathOfUrl(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
}

/** Where the wildcards of a tool's pattern begin. */
const LITERAL = /^(?:[^*?[{(!+@]|[!+@](?!\())*/;

/** The folder that the literal start of a pattern leads to; relative to nothing but itself. */
function startOf(pattern: string): string {
  const literal = LITERAL.exec(pattern)?.[0] ?? "";
  if (literal.length === pattern.length) return pattern;
  return literal.endsWith("/") ? literal : literal.slice(0, literal.lastIndexOf("/") + 1) || ".";
}

/** A pattern without its braces; the folder of everything where they cannot be read. */
function alternatives(pattern: string): readonly string[] {
  const expanded = expandBraces(pattern);
  return expanded.ok ? expanded.value : ["/**"];
}

/** A glob that leaves its folder (`/etc/*`, `../x/**`) also acts where its literal start leads. */
export function patternRoots(pattern: unknown): readonly string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(patternRoots);
  if (typeof pattern !== "string") return [];
  return alternatives(pattern)
    .filter((each) => each.startsWith("/") || each.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/.test(each))
    .map(startOf);
}

/** What a pattern that a tool reads by stands for: a folder, and the names in it that it means. */
export function patternTrees(pattern: string): readonly { readonly path: string; readonly filter?: TreeFilter }[] {
  return alternatives(pattern.replace(/^!/, "")).map((each) => {
    const path = startOf(each);
    if (path === each) return { path };
    const last = baseName(each);
    // `**` means all that is below, as does what is not known.
    return last === "**" || last === "" || /[()|!]/.test(last) ? { path } : { path, filter: { only: [last] } };
  });
}
