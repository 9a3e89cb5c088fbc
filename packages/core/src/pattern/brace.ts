import { mistake, ok, type Result } from "./result.ts";

/** A pattern that would expand to more than this is refused when it is read. */
const MOST_ALTERNATIVES = 256;
const MOST_CHARACTERS = 32_768;
const DEEPEST = 8;

type Part = string | readonly (readonly Part[])[];

/**
 * `{a,b}` expanded: every alternative as a pattern of its own, escapes kept.
 * Braces without a comma are literal, as in the shell; `\{` is a literal brace.
 */
export function expandBraces(text: string): Result<readonly string[]> {
  if (!text.includes("{")) return ok([text]);
  const reader: Reader = { text, at: 0 };
  const parts = readParts(reader, 0);
  if (parts === "deep") return mistake("braces nested too deep", `at most ${DEEPEST} levels`);
  if (parts === "open") return mistake("`{` without `}`", "close it, or write `\\{` for a literal brace");
  const texts = product(parts);
  if (texts === undefined)
    return mistake(`the braces stand for more than ${MOST_ALTERNATIVES} patterns`, "write several rules, or use `*`");
  return ok(texts);
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Reads up to the end, or to the `,` or `}` that ends this alternative when inside braces. */
function readParts(reader: Reader, depth: number): readonly Part[] | "deep" | "open" {
  const parts: Part[] = [];
  let plain = "";
  while (reader.at < reader.text.length) {
    const char = reader.text.charAt(reader.at);
    if (depth > 0 && (char === "," || char === "}")) break;
    if (char !== "{") {
      const width = char === "\\" ? 2 : 1;
      plain += reader.text.slice(reader.at, reader.at + width);
      reader.at += width;
      continue;
    }
    if (depth === DEEPEST) return "deep";
    reader.at++;
    const group = readGroup(reader, depth + 1);
    if (group === "deep" || group === "open") return group;
    parts.push(plain);
    plain = "";
    const [only] = group;
    if (group.length === 1 && only !== undefined) parts.push("{", ...only, "}");
    else parts.push(group);
  }
  parts.push(plain);
  return parts;
}

function readGroup(reader: Reader, depth: number): readonly (readonly Part[])[] | "deep" | "open" {
  const group: (readonly Part[])[] = [];
  for (;;) {
    const alternative = readParts(reader, depth);
    if (alternative === "deep" || alternative === "open") return alternative;
    group.push(alternative);
    const end = reader.text.charAt(reader.at);
    reader.at++;
    if (end === "}") return group;
    if (end !== ",") return "open";
  }
}

/** Undefined when there would be too many or too long alternatives; gives up before building them. */
function product(parts: readonly Part[]): readonly string[] | undefined {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    const endings: string[] = [];
    if (typeof part === "string") endings.push(part);
    else
      for (const alternative of part) {
        const expanded = product(alternative);
        if (expanded === undefined) return undefined;
        endings.push(...expanded);
      }
    if (texts.length * endings.length > MOST_ALTERNATIVES) return undefined;
    const joined = texts.flatMap((text) => endings.map((ending) => text + ending));
    if (joined.reduce((sum, text) => sum + text.length, 0) > MOST_CHARACTERS) return undefined;
    texts = joined;
  }
  return texts;
}
