/** A word of a POSIX shell that expands to exactly `text`. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same, without quotes where no shell reads it otherwise: zsh takes `=NAME` for a path. */
export const shellWord = (text: string): string => (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : shellQuoted(text));

/** The session of calls by which `assent doctor` tries hooks, and their commands: no agent's, though its hook is asked. */
export const SELF_TEST = "assent-doctor";
export const SELF_TEST_COMMANDS = { refused: "assent uninstall --yes", allowed: "pwd" } as const;

export { canonicalJson } from "./canonical.ts";
export { FROM_NOW_ON, POINT_NAMES, pointOf, POINTS, type QueuePoint } from "./question-points.ts";
export { sha256 } from "./sha256.ts";

/** Whether a value that nobody checked yet is an object with fields: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value that nobody checked yet is a list of texts. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

type WordOf<T extends string> = T extends `${infer First} ${infer Rest}` ? First | WordOf<Rest> : T;

/** The words of lines of text, by their types. */
export const words = <const T extends readonly string[]>(...lines: T): readonly WordOf<T[number]>[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what stands between blanks
  lines.flatMap((line) => line.split(" ")) as unknown as WordOf<T[number]>[];

/** What it gives, or `otherwise` where it throws. */
export function attempt<T, U>(give: () => T, otherwise: U): T | U {
  try {
    return give();
  } catch {
    return otherwise;
  }
}

/** What a text of JSON says; undefined for any other text. */
export const parseJson = (text: string): unknown => attempt(() => JSON.parse(text) as unknown, undefined);

/** A JSON object; undefined: it is something else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
