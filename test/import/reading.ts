import { type NativeContext, type NativeRead, settle, textOf } from "@assent/import/import";

export const CONTEXT: NativeContext = { scope: "user", home: "/home/you", project: "/home/you/project" };

/** What becomes of a native file: `allow Bash(git status:*)`, `deny execute: rm -rf /*`, `lost 3: why`. */
export function readingOf(read: NativeRead): readonly string[] {
  if ("problem" in read) return [`broken ${read.line}:${read.column}: ${read.problem}`];
  const lines: string[] = [];
  for (const one of read.rules) {
    const { rule, loss } = settle(one);
    if (rule !== undefined) {
      const where = rule.into.list === "permissions" ? "" : `${rule.into.list}: `;
      lines.push(`${rule.effect} ${where}${textOf(rule)}${rule.reason === undefined ? "" : ` // ${rule.reason}`}`);
    }
    if (loss !== undefined) lines.push(`lost ${one.line}: ${loss.why}`);
  }
  return [...lines, ...read.lost.map(({ line, why }) => `lost ${line}: ${why}`)];
}
