import { isObject } from "@assent/core/data";

/** What stands where a file's content stood. */
export const NOT_SENT = "[not sent]";

/** By the last word of a field's name: what a file has or is to have. */
const CONTENT = new Set(
  (
    "base64 blob block body bytes cell chunk code content contents " +
    "data diff edit edits insert insertion line lines new old patch replace replacement snippet source str string strings text value"
  ).split(" "),
);
/** By any word of it: which file is meant. */
const PLACE = new Set("directory dir file filename filepath folder notebook path paths uri".split(" "));
/** What was looked for, or run. */
const ASKED = new Set("cmd command glob pattern query regex url".split(" "));
/** What is longer beside the name of a file is no option of a tool. */
const LONGEST_OPTION = 100;
/** As Codex writes them, also inside a command. Every line of a file begins with a sign there, so that none looks like these. */
const MARKED_PATCH = /\*\*\* Begin Patch[^]*?(?:\*\*\* End Patch|$)/g;
const MARKED_HEADER = /^\*\*\* (?:Begin Patch|End Patch|(?:Add|Update|Delete) File: |Move to: )/;
const DIFF = /^\s*(?:diff --git |--- \S|Index: )/;
const DIFF_HEADER = /^(?:diff --git |--- \S|\+\+\+ \S|Index: |rename |new file mode|deleted file mode)/;
/** So many lines of the old and the new file follow. */
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const DEEPEST = 50;

/** `newString`, `new_string` and `New-String` are one name. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

const isContent = (words: readonly string[]): boolean => CONTENT.has(words.at(-1) ?? "");
const isPlace = (words: readonly string[]): boolean => !isContent(words) && words.some((word) => PLACE.has(word));

/**
 * The input of a tool without what files have or are to have: of whatever names a file, and of patches. Names of files stay,
 * and what was looked for or is run. The same value where nothing of that is in it.
 */
export function withoutContents(input: unknown): unknown {
  return stripped(input, [], false, 0);
}

function stripped(value: unknown, words: readonly string[], besideFile: boolean, depth: number): unknown {
  if (typeof value === "string") return strippedText(value, words, besideFile);
  if (value === null || typeof value !== "object") return value;
  if (depth > DEEPEST) return NOT_SENT;
  if (Array.isArray(value)) {
    const each = value.map((one: unknown) => stripped(one, words, besideFile, depth + 1));
    return each.every((one, at) => one === value[at]) ? value : each;
  }
  if (!isObject(value)) return NOT_SENT;
  const fields = Object.entries(value).map(([name, one]) => ({ name, one, words: wordsOf(name) }));
  const meant = besideFile || fields.some(({ words: own, one }) => isPlace(own) && (typeof one === "string" || Array.isArray(one)));
  // A field of a content's field is content, however it is called.
  const left = fields.map(({ name, one, words: own }) => [name, stripped(one, isContent(words) ? words : own, meant, depth + 1)] as const);
  return left.every(([, one], at) => one === fields[at]?.one) ? value : Object.fromEntries(left);
}

function strippedText(text: string, words: readonly string[], besideFile: boolean): string {
  const isAsked = isPlace(words) || (!isContent(words) && (words.some((word) => ASKED.has(word)) || text.length <= LONGEST_OPTION));
  // The file is named already: what looks like a patch may be all it has.
  if (besideFile && !isAsked) return NOT_SENT;
  if (DIFF.test(text)) return leftOf(text, headersOfDiff);
  return text.replace(MARKED_PATCH, (patch) => leftOf(patch, (lines) => lines.filter((line) => MARKED_HEADER.test(line))));
}

/** Of a patch some lines. In the log a line break is the two characters `\n`. */
function leftOf(patch: string, keep: (lines: readonly string[]) => readonly string[]): string {
  const lines = patch.split(/\r?\n|\\n/);
  const kept = keep(lines);
  return kept.length === lines.length ? patch : `${kept.join("\n")}\n${NOT_SENT}`;
}

/** INVARIANT: a line of a file is none of these, however it looks: `-- x` of SQL, deleted, is `--- x`. */
function headersOfDiff(lines: readonly string[]): readonly string[] {
  let before = 0;
  let after = 0;
  return lines.filter((line) => {
    if (before > 0 || after > 0) {
      if (!line.startsWith("+") && !line.startsWith("\\")) before -= 1;
      if (!line.startsWith("-") && !line.startsWith("\\")) after -= 1;
      return false;
    }
    const hunk = HUNK.exec(line);
    if (hunk === null) return DIFF_HEADER.test(line);
    before = Number(hunk[1] ?? 1);
    after = Number(hunk[2] ?? 1);
    return false;
  });
}
