import { attempt } from "../data/index.ts";
import { malformed, MAX_PATCH, wrongName, type PatchChange, type PatchReading } from "./change.ts";

/**
 * Unified diffs, those of git with its extended headers included. Lines are counted as hunks say, so that no text inside
 * a hunk is taken for a header and no header is hidden in one. Between files only text is passed over in which no reader
 * of patches sees anything; patch(1) would also take context diffs, normal diffs and ed scripts, which run commands.
 */
const HELP = "write the patch anew, as `git diff` prints it";
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** A context diff, a normal diff, an ed script. */
const OTHER_FORMATS = /^(?:\*{3,}|\s*\d+(?:,\d+)?[acdis](?:\d+(?:,\d+)?)?\s*$|\s*[<>] )/;

/** What is known of the file at hand. */
interface FileHeader {
  readonly line: number;
  /** Every name it has been given, `/dev/null` left out. */
  readonly names: Set<string>;
  old: NamedFile | undefined;
  new: NamedFile | undefined;
  moved: { from?: string; to?: string; readonly does: "move" | "copy" } | undefined;
  /** By the extended headers. */
  created: boolean;
  deleted: boolean;
  mode: boolean;
  link: boolean;
  module: boolean;
  /** Lines of content, or a binary change. */
  content: boolean;
  git: boolean;
}

const header = (line: number, git: boolean): FileHeader => ({
  line,
  names: new Set(),
  old: undefined,
  new: undefined,
  moved: undefined,
  created: false,
  deleted: false,
  mode: false,
  link: false,
  module: false,
  content: false,
  git,
});

type RefusedPatch = PatchReading & { readonly ok: false };

/** Reads a unified diff. Never throws. */
export function readUnifiedDiff(text: string): PatchReading {
  if (text.length > MAX_PATCH) return malformed(1, "the patch is too large to be read", "make several smaller ones");
  return new UnifiedReader(text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))).read();
}

class UnifiedReader {
  readonly #lines: readonly string[];
  readonly #changes: PatchChange[] = [];
  #at = 0;
  #open: FileHeader | undefined;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  read(): PatchReading {
    while (this.#at < this.#lines.length) {
      const wrong = this.#line(this.#lines[this.#at] ?? "");
      if (wrong !== undefined) return wrong;
    }
    const wrong = this.#close();
    if (wrong !== undefined) return wrong;
    if (this.#changes.length === 0) return malformed(1, "the patch changes no file", HELP);
    return { ok: true, format: "unified", changes: this.#changes };
  }

  #line(text: string): RefusedPatch | undefined {
    const open = this.#open;
    if (text.startsWith("diff --git ")) return this.#begin(text);
    if (text.startsWith("--- ") && (this.#lines[this.#at + 1] ?? "").startsWith("+++ ")) return this.#sides(text);
    if (HUNK.test(text)) return open?.new === undefined ? this.#wrong("a hunk that belongs to no file") : this.#hunk(text);
    if (open?.git === true && !open.content) {
      const extended = this.#extended(text, open);
      if (extended !== undefined) return extended === "taken" ? undefined : extended;
    }
    if (/^(?:GIT binary patch|Binary files? .* differ)/.test(text)) return this.#binary(text);
    if (text.startsWith("Index: ")) return this.#named(text.slice("Index: ".length));
    return this.#between(text);
  }

  /** Text that belongs to no file: a message in front, the signature of a mail. */
  #between(text: string): RefusedPatch | undefined {
    if (OTHER_FORMATS.test(text)) return this.#wrong("a line of another patch format");
    if (/^(?:---|\+\+\+|@@|rename |copy |GIT binary)/.test(text) && text !== "---") return this.#wrong("a header that stands alone");
    if (this.#open !== undefined && /^[ +\\]/.test(text)) return this.#wrong("a line of content outside any hunk");
    this.#at += 1;
    return undefined;
  }

  #begin(text: string): RefusedPatch | undefined {
    const wrong = this.#close();
    if (wrong !== undefined) return wrong;
    this.#open = header(this.#at + 1, true);
    for (const name of gitNames(text.slice("diff --git ".length))) {
      const bad = wrongName(name);
      if (bad !== undefined) return this.#wrong(bad);
      this.#open.names.add(name);
    }
    this.#at += 1;
    return undefined;
  }

  #sides(text: string): RefusedPatch | undefined {
    if (this.#open === undefined || !this.#open.git || this.#open.new !== undefined) {
      const wrong = this.#close(true);
      if (wrong !== undefined) return wrong;
      this.#open ??= header(this.#at + 1, false);
    }
    const open = this.#open;
    const plus = this.#lines[this.#at + 1] ?? "";
    const both = [nameOn(text.slice(4), plus.slice(4)), nameOn(plus.slice(4), text.slice(4))] as const;
    for (const side of both) {
      if (side === undefined) return this.#wrong("a name whose quotes are wrong");
      if (side.is === "file") {
        const bad = wrongName(side.name);
        if (bad !== undefined) return this.#wrong(bad);
        open.names.add(side.name);
      }
    }
    [open.old, open.new] = both;
    if (open.old?.is === "nothing" && open.new?.is === "nothing") return this.#wrong("a change from nothing to nothing");
    this.#at += 2;
    return undefined;
  }

  #hunk(text: string): RefusedPatch | undefined {
    const [, before = "1", after = "1"] = HUNK.exec(text) ?? [];
    let old = Number(before);
    let now = Number(after);
    this.#at += 1;
    for (; old > 0 || now > 0; this.#at += 1) {
      const line = this.#lines[this.#at];
      if (line === undefined) return this.#wrong("a hunk that ends too early");
      if (line.startsWith("\\")) continue;
      if (line.startsWith("-")) old -= 1;
      else if (line.startsWith("+")) now -= 1;
      else if (line === "" || line.startsWith(" ") || line.startsWith("\t")) {
        old -= 1;
        now -= 1;
      } else return this.#wrong("a hunk that ends too early");
      if (old < 0 || now < 0) return this.#wrong("a hunk with more lines than it says");
    }
    if (this.#lines[this.#at]?.startsWith("\\") === true) this.#at += 1;
    if (this.#open !== undefined) this.#open.content = true;
    return undefined;
  }

  /** Headers between `diff --git` and the content (git-diff(1)). */
  #extended(text: string, open: FileHeader): RefusedPatch | "taken" | undefined {
    const mode = /^(old mode|new mode|new file mode|deleted file mode) (\d{6})$/.exec(text);
    const moved = /^(rename|copy) (from|to) (.+)$/.exec(text);
    if (mode !== null) {
      const [, what, bits = ""] = mode;
      open.mode ||= what === "new mode" || what === "old mode";
      open.created ||= what === "new file mode";
      open.deleted ||= what === "deleted file mode";
      open.link ||= bits.startsWith("12") && what !== "deleted file mode" && what !== "old mode";
      open.module ||= bits.startsWith("16");
    } else if (moved !== null) {
      const [, how, side, written = ""] = moved;
      const name = nameOn(written, undefined, false);
      if (name?.is !== "file") return this.#wrong("a name whose quotes are wrong");
      const bad = wrongName(name.name);
      if (bad !== undefined) return this.#wrong(bad);
      open.moved ??= { does: how === "rename" ? "move" : "copy" };
      open.moved[side === "from" ? "from" : "to"] = name.name;
    } else if (/^index [0-9a-f]+\.\.[0-9a-f]+(?: (\d{6}))?$/.test(text)) {
      open.link ||= / 12\d{4}$/.test(text) && !open.deleted;
      open.module ||= / 16\d{4}$/.test(text);
    } else if (!/^(?:dis)?similarity index \d+%$/.test(text)) return undefined;
    this.#at += 1;
    return "taken";
  }

  #binary(text: string): RefusedPatch | undefined {
    const open = this.#open;
    if (open === undefined || !open.git) return this.#wrong("a binary change that belongs to no file");
    open.content = true;
    this.#at += 1;
    if (!text.startsWith("GIT")) return undefined;
    // `literal N` or `delta N`, lines in base 85 that begin with their length, an empty line; twice.
    while (/^(?:literal|delta) \d+$/.test(this.#lines[this.#at] ?? "")) {
      this.#at += 1;
      while (/^[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{5,65}$/.test(this.#lines[this.#at] ?? "")) this.#at += 1;
      if (this.#lines[this.#at] !== "") return this.#wrong("a binary change that cannot be read");
      this.#at += 1;
    }
    return undefined;
  }

  /** `Index: NAME`, which patch(1) may take instead of the names of the sides. */
  #named(written: string): RefusedPatch | undefined {
    const wrong = this.#close();
    if (wrong !== undefined) return wrong;
    const name = nameOn(written);
    if (name?.is !== "file" || wrongName(name.name) !== undefined) return this.#wrong("a name that cannot be read");
    this.#open = header(this.#at + 1, false);
    this.#open.names.add(name.name);
    this.#at += 1;
    if (/^={10,}$/.test(this.#lines[this.#at] ?? "")) this.#at += 1;
    return undefined;
  }

  /** `keepEmpty`: a header that has only a name so far goes on with the sides that follow. */
  #close(keepEmpty = false): RefusedPatch | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    if (keepEmpty && !open.git && open.new === undefined) return undefined;
    this.#open = undefined;
    if (open.module) return malformed(open.line, "a change of a submodule", "change the submodule with git");
    const wrong = wholeness(open);
    if (wrong !== undefined) return malformed(open.line, wrong, HELP);
    this.#changes.push(...changesOf(open));
    return undefined;
  }

  #wrong(message: string): RefusedPatch {
    return malformed(this.#at + 1, message, HELP);
  }
}

function wholeness(open: FileHeader): string | undefined {
  const { moved } = open;
  if (moved !== undefined && (moved.from === undefined || moved.to === undefined)) return "a rename or copy without both its names";
  if (moved === undefined && open.names.size === 0) return "a file whose name cannot be read";
  if (!open.content && !open.mode && moved === undefined && !open.created && !open.deleted) return "a file without any change";
  return undefined;
}

function changesOf(open: FileHeader): readonly PatchChange[] {
  const { line, moved } = open;
  const does = open.link ? "link" : open.created || open.old?.is === "nothing" ? "add" : undefined;
  const removes = open.deleted || open.new?.is === "nothing";
  const rest = moved === undefined ? [...open.names] : [...open.names].filter((name) => name !== moved.from && name !== moved.to);
  return [
    ...(moved?.from !== undefined && moved.to !== undefined ? [{ does: moved.does, path: moved.from, to: moved.to, line }] : []),
    ...rest.flatMap((path): readonly PatchChange[] => [
      ...(open.content || (!open.mode && !removes) || open.link
        ? [{ does: does ?? (removes ? "delete" : "update"), path, line } as const]
        : []),
      ...(open.mode ? [{ does: "mode", path, line } as const] : []),
      ...(removes && !open.content ? [{ does: "delete", path, line } as const] : []),
    ]),
    ...(open.link && moved?.to !== undefined ? [{ does: "link", path: moved.to, line } as const] : []),
    ...(open.mode && moved?.to !== undefined ? [{ does: "mode", path: moved.to, line } as const] : []),
  ];
}

/** The name on a `---` or `+++` line. */
export type NamedFile = { readonly is: "file"; readonly name: string } | { readonly is: "nothing" };

/**
 * The name that a line carries; undefined where its quotes are wrong. A tab ends it (a time follows). `a/` and `b/` are
 * git's and are taken away when both sides have them.
 */
function nameOn(written: string, other?: string, prefixed = true): NamedFile | undefined {
  const name = plain(written);
  if (name === undefined) return undefined;
  if (name === "/dev/null") return { is: "nothing" };
  const opposite = other === undefined ? undefined : plain(other);
  const both = prefixed && hasPrefix(name) && (opposite === "/dev/null" || (opposite !== undefined && hasPrefix(opposite)));
  return { is: "file", name: both ? name.slice(2) : name };
}

/** `a/`, `b/`, and those of `diff.mnemonicPrefix`. */
const hasPrefix = (name: string): boolean => /^[abciow]\//.test(name);

function plain(written: string): string | undefined {
  if (!written.startsWith('"')) return written.split("\t")[0]?.replace(/ +$/, "");
  const end = quotedEnd(written);
  if (end === undefined || !/^(?:\t.*|\s*)$/.test(written.slice(end))) return undefined;
  return unquote(written.slice(0, end));
}

/**
 * The names of a `diff --git` line, where they can be told: blanks are not quoted, so two plain names can be told apart
 * only when they are the same but for the prefix. Empty: other headers have to name the file.
 */
function gitNames(rest: string): readonly string[] {
  if (rest.startsWith('"')) {
    const end = quotedEnd(rest);
    const first = end === undefined ? undefined : unquote(rest.slice(0, end));
    const second = end === undefined ? undefined : rest.slice(end + 1);
    if (first === undefined || second === undefined) return [];
    const other = second.startsWith('"') ? unquote(second) : second;
    return other === undefined ? [] : strip(first, other);
  }
  const quote = rest.indexOf(' "');
  if (quote >= 0) {
    const other = unquote(rest.slice(quote + 1));
    return other === undefined ? [] : strip(rest.slice(0, quote), other);
  }
  const half = (rest.length - 1) / 2;
  if (!Number.isInteger(half) || rest[half] !== " ") return [];
  const [first, second] = [rest.slice(0, half), rest.slice(half + 1)];
  if (first !== second && !(hasPrefix(first) && hasPrefix(second) && first.slice(2) === second.slice(2))) return [];
  return strip(first, second);
}

function strip(first: string, second: string): readonly string[] {
  const both = hasPrefix(first) && hasPrefix(second);
  return [...new Set(both ? [first.slice(2), second.slice(2)] : [first, second])];
}

/** A name as git prints it in quotes: `"a\303\244\t"`. Undefined where the quoting is wrong. */
function unquote(text: string): string | undefined {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  const body = text.slice(1, -1);
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return undefined;
  for (let at = 0; at < body.length; at += 1) {
    const c = body[at] ?? "";
    if (c === '"') return undefined;
    if (c !== "\\") {
      const whole = String.fromCodePoint(body.codePointAt(at) ?? 0);
      bytes.push(...encoder.encode(whole));
      at += whole.length - 1;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(body.slice(at + 1, at + 4));
    if (octal !== null) {
      bytes.push(Number.parseInt(octal[0], 8));
      at += 3;
      continue;
    }
    const escaped = ESCAPES[body[at + 1] ?? ""];
    if (escaped === undefined) return undefined;
    bytes.push(escaped);
    at += 1;
  }
  return attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes)), undefined);
}

/** quote.c of git. */
const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Where a quoted name at the start of a text ends, the closing quote included; undefined where it does not. */
function quotedEnd(text: string): number | undefined {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}
