export { canonicalJson } from "./canonical.ts";
export { sha256 } from "./sha256.ts";

/** Whether a value that nobody checked yet is an object with fields: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
export { SELF_TEST, SELF_TEST_COMMANDS } from "./self-test.ts";
export { shellQuoted, shellWord } from "./shell-word.ts";

/** Texts written several to a line. Called as `@__PURE__`: a bundle holds the lists that it reads. */
export const listed = (...lines: readonly string[]): readonly string[] => lines.join("; ").split("; ");
