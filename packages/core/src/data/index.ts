export { canonicalJson } from "./canonical.ts";
export { POINT_NAMES, pointOf, POINTS, type QueuePoint } from "./question-points.ts";
export { sha256 } from "./sha256.ts";

/** Whether a value that nobody checked yet is an object with fields: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
/** A JSON object; undefined: it is something else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
export { SELF_TEST, SELF_TEST_COMMANDS } from "./self-test.ts";
export { shellQuoted, shellWord } from "./shell-word.ts";
