import type { Ruleset } from "./ruleset.ts";

/**
 * Ready rulesets. In all of them secrets are neither read nor changed, and what cannot be predicted is never allowed
 * just so.
 *
 * | | default | permissive | readonly | strict |
 * |---|---|---|---|---|
 * | read, glob, grep, ls | allow | allow | allow | ask |
 * | write, edit | ask | allow | deny | ask |
 * | commands known to be harmless | allow | allow | deny | ask |
 * | other commands | ask | allow | deny | ask |
 * | system files, danger classes | deny or ask | deny or ask | deny | deny or ask |
 */
export const presets = {
  default: { preset: "default" },
  permissive: { preset: "permissive" },
  readonly: { preset: "readonly" },
  strict: { preset: "strict" },
} as const satisfies Readonly<Record<string, Ruleset>>;
