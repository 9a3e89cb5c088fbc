import { malformed, MAX_PATCH, type PatchChange, type PatchReading, wrongName } from "./change.ts";

/**
 * The apply_patch format of codex. Its readers differ in how much they forgive, so only what all of them read alike is
 * read here; anything else is malformed.
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
export function readApplyPatch(text: string): PatchReading {
  if (text.length > MAX_PATCH) return malformed(1, "the patch is too large to be read", "make several smaller ones");
  const lines = text.replace(/^\n+/, "").replace(/\s+$/, "").split("\n");
  const plain = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (plain[0] !== BEGIN) return malformed(1, `the patch does not begin with \`${BEGIN}\``, HELP);
  if (plain.at(-1) !== END || plain.length < 2) return malformed(lines.length, `the patch does not end with \`${END}\``, HELP);
  return new Reader(plain).read();
}

class Reader {
  readonly #lines: readonly string[];
  readonly #changes: PatchChange[] = [];
  #at = 1;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
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
    const header = HEADER.exec(this.#lines[this.#at] ?? "");
    if (header === null) return malformed(line, "a line that belongs to no file", HELP);
    const [, kind = "", rest = ""] = header;
    const name = nameIn(rest);
    if (typeof name !== "string") return malformed(line, name.wrong, HELP);
    this.#at += 1;
    if (kind === "Move to") return malformed(line, "a `Move to` that belongs to no file", HELP);
    if (kind === "Delete File") {
      this.#changes.push({ does: "delete", path: name, line });
      return undefined;
    }
    if (kind === "Add File") {
      this.#changes.push({ does: "add", path: name, line });
      return this.#body(end, (text) => text.startsWith("+"));
    }
    return this.#update(name, line, end);
  }

  #update(path: string, line: number, end: number): (PatchReading & { readonly ok: false }) | undefined {
    const move = HEADER.exec(this.#lines[this.#at] ?? "");
    if (move?.[1] === "Move to") {
      const to = nameIn(move[2] ?? "");
      if (typeof to !== "string") return malformed(this.#at + 1, to.wrong, HELP);
      this.#at += 1;
      this.#changes.push({ does: "move", path, to, line });
    } else this.#changes.push({ does: "update", path, line });
    return this.#body(end, (text) => text === "" || text === END_OF_FILE || text.startsWith("@@") || /^[ +-]/.test(text));
  }

  /** The lines that belong to a file: up to the next header. */
  #body(end: number, belongs: (line: string) => boolean): (PatchReading & { readonly ok: false }) | undefined {
    for (; this.#at < end; this.#at += 1) {
      const text = this.#lines[this.#at] ?? "";
      if (HEADER.test(text)) return undefined;
      if (!belongs(text)) return malformed(this.#at + 1, "a line that is neither a header nor part of a file", HELP);
      // Some readers trim a line before they look at it.
      if (text !== END_OF_FILE && LOOKS_LIKE_HEADER.test(text))
        return malformed(this.#at + 1, "a line of content that some readers take for a header", "make this change with another tool");
    }
    return undefined;
  }
}

/** Readers differ in whether blanks belong to a name. */
function nameIn(rest: string): string | { readonly wrong: string } {
  const name = rest.startsWith(" ") ? rest.slice(1) : rest;
  const wrong = wrongName(name) ?? (name.trim() === name ? undefined : "the name of the file begins or ends with a blank");
  return wrong === undefined ? name : { wrong };
}
