import { malformed, MAX_PATCH, type PatchChange, type PatchOptions, type PatchReading, wrongName } from "./change.ts";

/**
 * The apply_patch format of codex. Its readers differ in how much they forgive: what changes other files for one of them
 * than for another is malformed, or judged for each. Blanks around a header, and context without its blank, are forgiven.
 *
 * ```
 * *** Begin Patch
 * *** Add File: NAME        then lines with +
 * *** Delete File: NAME
 * *** Update File: NAME     then perhaps *** Move to: NAME, then chunks: @@, lines with blank, +, -, *** End of File
 * *** End Patch
 * ```
 */
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const HEADER = /^\*\*\* (Add File|Delete File|Update File|Move to):(.*)$/;
/** What some reader may take for a header: some trim lines, and for some a line ends where for others it does not. */
// oxlint-disable-next-line no-control-regex -- Python's str.splitlines
const LOOKS_LIKE_HEADER = /(?:^|[\r\v\f\x1c-\x1e\x85\u2028\u2029])\s*\*\*\*\s*(?:begin|end|add|delete|update|move)\b/i;
const HELP = "write the patch anew, in the plain apply_patch format";

export function isApplyPatch(text: string): boolean {
  return /^\s*\*\*\*\s*begin\s+patch/i.test(text);
}

/** Reads an apply_patch text. Never throws. */
export function readApplyPatch(text: string, { strict = false }: PatchOptions = {}): PatchReading {
  if (text.length > MAX_PATCH) return malformed(1, "the patch is too large to be read", "make several smaller ones");
  const loose = strict ? looseLine(text.replace(/\n$/, "").split("\n")) : undefined;
  if (loose !== undefined) return malformed(loose, "a line that is not in the plain form", HELP);
  const lines = text
    .replace(/^\s*\n/, "")
    .replace(/\s+$/, "")
    .split("\n");
  const plain = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  for (const at of [0, plain.length - 1]) plain[at] = bare(plain[at] ?? "");
  if (plain[0] !== BEGIN) return malformed(1, `the patch does not begin with \`${BEGIN}\``, HELP);
  if (plain.at(-1) !== END || plain.length < 2) return malformed(lines.length, `the patch does not end with \`${END}\``, HELP);
  return new ApplyPatchReader(plain, strict).read();
}

const STRICT_LINE = /^(?:[ +-]|@@(?: |$)|\*\*\* (?:Add File|Delete File|Update File|Move to): \S(?:.*\S)?$|\*\*\* End of File$)/;

/** The first line, from 1, with anything in it that is only forgiven. */
function looseLine(lines: readonly string[]): number | undefined {
  const at = lines.findIndex((line, index) =>
    index === 0 ? line !== BEGIN : index === lines.length - 1 ? line !== END : !STRICT_LINE.test(line) || line.endsWith("\r"),
  );
  return at === -1 ? undefined : at + 1;
}

class ApplyPatchReader {
  readonly #lines: readonly string[];
  readonly #changes: PatchChange[] = [];
  readonly #strict: boolean;
  #at = 1;

  constructor(lines: readonly string[], strict: boolean) {
    this.#lines = lines;
    this.#strict = strict;
  }

  read(): PatchReading {
    const end = this.#lines.length - 1;
    while (this.#at < end) {
      const wrong = this.#file(end);
      if (wrong !== undefined) return wrong;
    }
    if (this.#changes.length === 0) return malformed(1, "the patch changes no file", HELP);
    return { ok: true, format: "apply_patch", changes: this.#changes };
  }

  #file(end: number): (PatchReading & { readonly ok: false }) | undefined {
    const line = this.#at + 1;
    // Blanks in front of a header are only forgiven where nothing else can stand: in a change they are context.
    const text = this.#lines[this.#at] ?? "";
    const header = HEADER.exec(this.#strict ? text : text.replace(/^[ \t]+/, ""));
    if (header === null) return malformed(line, "a line that belongs to no file", HELP);
    const [, kind = "", rest = ""] = header;
    const names = namesIn(rest);
    if ("wrong" in names) return malformed(line, names.wrong, HELP);
    this.#at += 1;
    if (kind === "Move to") return malformed(line, "a `Move to` that belongs to no file", HELP);
    if (kind === "Delete File") {
      for (const path of names) this.#changes.push({ does: "delete", path, line });
      return undefined;
    }
    if (kind === "Add File") {
      for (const path of names) this.#changes.push({ does: "add", path, line });
      return this.#body(end, (text) => text.startsWith("+"), true);
    }
    return this.#update(names, line, end);
  }

  #update(paths: readonly string[], line: number, end: number): (PatchReading & { readonly ok: false }) | undefined {
    const move = HEADER.exec(this.#lines[this.#at] ?? "");
    if (move?.[1] === "Move to") {
      const targets = namesIn(move[2] ?? "");
      if ("wrong" in targets) return malformed(this.#at + 1, targets.wrong, HELP);
      this.#at += 1;
      for (const path of paths) for (const to of targets) this.#changes.push({ does: "move", path, to, line });
    } else for (const path of paths) this.#changes.push({ does: "update", path, line });
    // A line of context that has lost its blank is context to some, and a mistake to others, who then change nothing.
    return this.#body(end, (text) => bare(text) === END_OF_FILE || !/^\s*\*\*\*/.test(text));
  }

  /** The lines that belong to a file: up to the next header; `indented`: with blanks in front it is one, too. */
  #body(end: number, belongs: (line: string) => boolean, indented = false): (PatchReading & { readonly ok: false }) | undefined {
    for (; this.#at < end; this.#at += 1) {
      const text = this.#lines[this.#at] ?? "";
      if (HEADER.test(text) || (indented && HEADER.test(bare(text)))) return undefined;
      if (!belongs(text)) return malformed(this.#at + 1, "a line that is neither a header nor part of a file", HELP);
      // Some readers trim a line before they look at it.
      if (bare(text) !== END_OF_FILE && LOOKS_LIKE_HEADER.test(text))
        return malformed(this.#at + 1, "a line of content that some readers take for a header", "make this change with another tool");
    }
    return undefined;
  }
}

/** Without the blanks around it, as codex looks at markers. */
const bare = (line: string): string => line.replace(/^[ \t]+|[ \t]+$/g, "");

/** Readers differ in whether blanks at the ends belong to a name: each that it may be. */
function namesIn(rest: string): readonly string[] | { readonly wrong: string } {
  const name = rest.startsWith(" ") ? rest.slice(1) : rest;
  const names = [...new Set([bare(name), name.replace(/[ \t]+$/, ""), name])];
  for (const one of names) {
    const wrong = wrongName(one) ?? (bare(one) === one.trim() ? undefined : "the name of the file begins or ends with an odd blank");
    if (wrong !== undefined) return { wrong };
  }
  return names;
}
