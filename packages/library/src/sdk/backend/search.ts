import { type Dirent, lstatSync, readdirSync } from "node:fs";
import {
  ANY,
  bindPattern,
  type BoundPattern,
  compileRegex,
  type LinearMatcher,
  literalRegex,
  matchesSegments,
  parseRegex,
  pathPattern,
  type Regex,
} from "@assent/core/pattern";
import { readHeld, textOf } from "./content.ts";
import { bare, splitLines } from "./lines.ts";
import type { Pinned, Pinning } from "./pin.ts";
import type { Place } from "./place.ts";
import { failure, type Failure, systemFailure } from "./result.ts";
import { filesWith, textIn, type SearchWanted } from "./ripgrep.ts";

/** What is in a folder, by name. */
export interface Listing {
  readonly ok: true;
  readonly path: string;
  readonly entries: readonly Entry[];
}

/** Files that match a pattern. */
export interface GlobResult {
  readonly ok: true;
  /** Newest first. */
  readonly files: readonly string[];
  /** Not everything was looked at, or there are more. */
  readonly truncated: boolean;
}

/** Where and how lines are searched. */
export interface GrepOptions {
  /** Folder or file to search; by default the root. */
  readonly path?: string;
  /** Only files whose name or path matches. */
  readonly glob?: string;
  readonly ignoreCase?: boolean;
  /** The pattern is a text, not a regular expression. */
  readonly literal?: boolean;
  /**
   * Also files and folders whose names begin with a dot; false unless said otherwise. What `path` or `glob` names so
   * (`.github`) is searched in any case.
   */
  readonly hidden?: boolean;
  readonly maxMatches?: number;
}

/** Lines that match, each with its file and its number from 1. */
export interface GrepResult {
  readonly ok: true;
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly truncated: boolean;
}

const MOST_FILES = 1000;
const MOST_MATCHES = 1000;
const MOST_BYTES = 8 << 20;
const LONGEST_LINE = 2000;

/** Finding files and texts. What may not be listed or read is not there. */
export class Search {
  readonly #place: Place;
  readonly #ripgrep: string | undefined;

  /** `ripgrep`: where it is, if it may be used. */
  constructor(place: Place, ripgrep: string | undefined) {
    this.#place = place;
    this.#ripgrep = ripgrep;
  }

  async ls(requested: string): Promise<Listing | Failure> {
    return await this.#inFolder("ls", requested, (folder, real) => ({
      ok: true,
      path: real,
      entries: entriesOf(folder, this.#place.pinning).filter(({ path }) => !this.#hidden("ls", path)),
    }));
  }

  async glob(pattern: string, requested: string): Promise<GlobResult | Failure> {
    return await this.#inFolder("glob", requested, (folder, real) => {
      const matches = globBelow(pattern, real);
      if ("why" in matches) return failure("pattern", `'${pattern}': ${matches.why}`);
      const found: { readonly path: string; readonly time: number }[] = [];
      const { pinning } = this.#place;
      const { complete } = walkFiles(
        folder,
        pinning,
        (path) => !this.#place.denies("glob", path),
        (file, holder) => {
          if (!matches(file.path) || this.#hidden("glob", file.path)) return "go on";
          found.push({ path: file.path, time: lstatSync(pinning.at(holder, file.name), { throwIfNoEntry: false })?.mtimeMs ?? 0 });
          return "go on";
        },
      );
      const files = found.toSorted((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
      return { ok: true, files: files.slice(0, MOST_FILES), truncated: !complete || files.length > MOST_FILES };
    });
  }

  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult | Failure> {
    const matcher = matcherFor(pattern, options);
    if ("ok" in matcher) return matcher;
    const requested = options.path ?? ".";
    const found = this.#place.locate(requested);
    if ("ok" in found) return found;
    const held = found.is === "object" ? found.object : found.folder;
    try {
      const refused = await this.#place.check("grep", requested, found);
      if (refused !== undefined) return refused;
      if (found.is === "missing") return failure("not-found", `'${requested}' does not exist`);
      return await this.#grepIn(found.object, requested, matcher, options);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "permission-ask") throw error;
      return systemFailure(error, requested);
    } finally {
      held.close();
    }
  }

  async #grepIn(top: Pinned, requested: string, { matcher, contains }: Matching, options: GrepOptions): Promise<GrepResult | Failure> {
    const { pinning } = this.#place;
    const most = Math.min(options.maxMatches ?? MOST_MATCHES, MOST_MATCHES);
    const matches: { path: string; line: number; text: string }[] = [];
    const look = (object: Pinned): "go on" | "enough" => {
      const bytes = object.stats.isFile() ? readHeld(object, MOST_BYTES, pinning) : undefined;
      const text = bytes === undefined ? undefined : textOf(bytes);
      for (const [at, line] of splitLines(text ?? "").entries()) {
        if (!matcher.test(bare(line))) continue;
        matches.push({ path: object.path, line: at + 1, text: bare(line).slice(0, LONGEST_LINE) });
        if (matches.length >= most) return "enough";
      }
      return "go on";
    };
    if (top.stats.isFile()) {
      if (this.#unreadable(top.path)) return failure("denied", `Permission denied for grep on '${requested}'`);
      return { ok: true, truncated: look(top) === "enough", matches };
    }
    const wanted = options.glob === undefined ? () => true : globBelow(options.glob, top.path);
    if ("why" in wanted) return failure("pattern", `'${options.glob ?? ""}': ${wanted.why}`);
    const program = this.#ripgrep;
    const among = program === undefined || contains === undefined ? undefined : await filesWith(program, contains, top.path, SKIPPED);
    const dots = options.hidden ?? /(?:^|\/)\./.test(options.glob ?? "");
    const isShown = (path: string): boolean => dots || !path.startsWith(".", path.lastIndexOf("/") + 1);
    const isWanted = (path: string): boolean => isShown(path) && among?.has(path) !== false && wanted(path) && !this.#unreadable(path);
    const { complete } = walkFiles(
      top,
      pinning,
      (path) => isShown(path) && !this.#place.denies("grep", path),
      (file, holder) => (isWanted(file.path) ? this.#open(file, holder, look) : "go on"),
    );
    return { ok: true, matches, truncated: !complete };
  }

  #open(file: Entry, holder: Pinned, look: (object: Pinned) => "go on" | "enough"): "go on" | "enough" {
    const { pinning } = this.#place;
    let object: Pinned;
    try {
      object = pinning.pin(pinning.at(holder, file.name));
    } catch {
      return "go on";
    }
    try {
      // What was judged is this path: a link that came into its place leads elsewhere.
      return object.path === file.path ? look(object) : "go on";
    } catch {
      return "go on";
    } finally {
      object.close();
    }
  }

  /** What is denied is not there; what would be asked is. */
  #hidden(operation: "ls" | "glob", path: string): boolean {
    return this.#place.denies(operation, path) || this.#place.denies("read", path);
  }

  #unreadable(path: string): boolean {
    return this.#place.denies("grep", path) || this.#place.keepsBack(path);
  }

  async #inFolder<T extends { readonly ok: true }>(
    operation: "ls" | "glob",
    requested: string,
    work: (folder: Pinned, real: string) => T | Failure,
  ): Promise<T | Failure> {
    const found = this.#place.locate(requested);
    if ("ok" in found) return found;
    const held = found.is === "object" ? found.object : found.folder;
    try {
      // What is asked about only by default is shown; a rule's question is put, and its refusal holds.
      if (!this.#place.asksByDefault(operation, found)) {
        const refused = await this.#place.check(operation, requested, found);
        if (refused !== undefined) return refused;
      }
      if (found.is === "missing") return failure("not-found", `'${requested}' does not exist`);
      if (!found.object.stats.isDirectory()) return failure("wrong-kind", `'${requested}' is not a folder`);
      return work(found.object, found.real);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "permission-ask") throw error;
      return systemFailure(error, requested);
    } finally {
      held.close();
    }
  }
}

interface Matching {
  readonly matcher: LinearMatcher;
  /** What every match contains. */
  readonly contains: SearchWanted | undefined;
}

/** Somewhere in a line. Linear in its length, whatever the expression: a model writes it. */
function matcherFor(pattern: string, { literal = false, ignoreCase = false }: GrepOptions): Matching | Failure {
  if (pattern === "") return failure("pattern", "the pattern is empty");
  const atStart = !literal && pattern.startsWith("^");
  const atEnd = !literal && /(?:^|[^\\])(?:\\\\)*\$$/.test(pattern);
  const flag = ignoreCase ? "(?i)" : "";
  const read =
    literal && !ignoreCase
      ? ({ ok: true, value: literalRegex(pattern) } as const)
      : parseRegex(`${flag}${literal ? quoted(pattern) : pattern}`);
  if (!read.ok)
    return failure(
      "pattern",
      `'${pattern}': ${read.message}${read.help === undefined ? "" : ` (${read.help})`}; \`literal\` takes it as a text`,
    );
  const anything: Regex = { is: "repeat", part: ANY, min: 0, max: Number.POSITIVE_INFINITY };
  const compiled = compileRegex({ is: "all", parts: [...(atStart ? [] : [anything]), read.value, ...(atEnd ? [] : [anything])] });
  return compiled.ok ? { matcher: compiled.value, contains: textIn(read.value) } : failure("pattern", `'${pattern}': ${compiled.message}`);
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Entries looked at in one search. */
const MOST_ENTRIES = 200_000;
const DEEPEST = 64;
/** Not searched unless they are asked for: what tools keep there is nobody's work. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "__pycache__", ".venv"]);

/** Something in a folder. */
export interface Entry {
  readonly name: string;
  /** Absolute, as the folders that are held say. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

const kindOf = (entry: Dirent): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";

function entriesOf(folder: Pinned, pinning: Pinning): readonly Entry[] {
  const base = folder.path === "/" ? "" : folder.path;
  return readdirSync(pinning.at(folder, "."), { withFileTypes: true })
    .map((entry) => ({ name: entry.name, path: `${base}/${entry.name}`, kind: kindOf(entry) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Files below a folder, each with the folder that holds it. Links are not followed. The walker may skip folders and end
 * the walk; `complete` is false when it was ended, or was too much.
 */
function walkFiles(
  top: Pinned,
  pinning: Pinning,
  enter: (folder: string) => boolean,
  visit: (file: Entry, folder: Pinned) => "go on" | "enough",
): { readonly complete: boolean } {
  let left = MOST_ENTRIES;
  let complete = true;
  const walk = (folder: Pinned, depth: number): boolean => {
    let entries: readonly Entry[];
    try {
      entries = entriesOf(folder, pinning);
    } catch {
      // Not to be listed by this user, or gone.
      complete = false;
      return true;
    }
    for (const entry of entries) {
      left -= 1;
      if (left < 0) {
        complete = false;
        return false;
      }
      if (entry.kind === "file" && visit(entry, folder) === "enough") {
        complete = false;
        return false;
      }
      if (entry.kind !== "folder" || SKIPPED.has(entry.name)) continue;
      if (depth >= DEEPEST) {
        complete = false;
        continue;
      }
      if (!enter(entry.path)) continue;
      if (!inside(folder, entry, (next) => walk(next, depth + 1))) return false;
    }
    return true;
  };
  const inside = (folder: Pinned, entry: Entry, go: (next: Pinned) => boolean): boolean => {
    let next: Pinned;
    try {
      next = pinning.pin(pinning.at(folder, entry.name), true);
    } catch {
      return true;
    }
    try {
      // A link has come into its place, or it was moved away.
      return next.path === entry.path ? go(next) : true;
    } finally {
      next.close();
    }
  };
  walk(top, 0);
  return { complete };
}

/** A glob below a folder: the rules' own language; a pattern without a slash is looked for at every depth. */
function globBelow(pattern: string, folder: string): ((path: string) => boolean) | { readonly why: string } {
  if (pattern.startsWith("/") || pattern.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/.test(pattern))
    return { why: "a pattern stays below its folder: it begins neither with / nor ~ and has no .." };
  const read = pathPattern(pattern.includes("/") ? `./${pattern}` : `./**/${pattern}`);
  if (!read.ok) return { why: read.message };
  const bound: BoundPattern = bindPattern(read.value, { project: folder, home: folder, fold: false });
  return (path) =>
    matchesSegments(
      bound,
      path.split("/").filter((name) => name !== ""),
    );
}
