import { lstatSync } from "node:fs";
import { ANY, compileRegex, literalRegex, parseRegex, type LinearMatcher, type Regex } from "../../pattern/index.ts";
import { readHeld, textOf } from "./content.ts";
import { bare, splitLines } from "./lines.ts";
import type { Pinned } from "./pin.ts";
import type { Place } from "./place.ts";
import { failure, systemFailure, type Failure } from "./result.ts";
import { filesWith, textIn, type Wanted } from "./ripgrep.ts";
import { entriesOf, globBelow, SKIPPED, walkFiles, type Entry } from "./walk.ts";

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
        (path) => !this.#place.denies("glob", "list", path),
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
      const refused = await this.#place.check("grep", ["list"], requested, found);
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
      (path) => isShown(path) && !this.#place.denies("grep", "list", path),
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
    return this.#place.denies(operation, "list", path) || this.#place.denies("read", "read", path);
  }

  #unreadable(path: string): boolean {
    return this.#place.denies("grep", "list", path) || this.#place.keepsBack(path);
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
      if (!this.#place.asksByDefault(operation, "list", found)) {
        const refused = await this.#place.check(operation, ["list"], requested, found);
        if (refused !== undefined) return refused;
      }
      if (found.is === "missing") return failure("not-found", `'${requested}' does not exist`);
      if (!found.object.stats.isDirectory()) return failure("wrong-kind", `'${requested}' is no folder`);
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
  readonly contains: Wanted | undefined;
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
