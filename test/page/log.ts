import { appendAll, auditLine, KEEP } from "@assent/guard/audit";
import type { Scratch } from "../scratch.ts";

/** What a decision of a test is about. */
export interface LoggedDecision {
  readonly time?: number;
  readonly verdict?: "allow" | "ask" | "deny" | "none";
  readonly answer?: string;
  readonly confined?: true;
  readonly agent?: string;
  readonly session?: string;
  readonly point?: string;
  readonly command?: string;
  readonly reason?: string;
  readonly cwd?: string;
  readonly milliseconds?: number;
  readonly rule?: { readonly text: string; readonly file: string; readonly line: number };
}

/** Decisions in the log of a scratch home, as hooks write them. */
export function log(place: Scratch, decisions: readonly LoggedDecision[]): void {
  const lines = decisions.map((one) => {
    const decision = one.verdict ?? "allow";
    const line = auditLine({
      time: one.time ?? Date.now(),
      point: one.point ?? "hook",
      agent: one.agent ?? "claude",
      session: one.session ?? "s1",
      cwd: one.cwd ?? place.project,
      tool: "Bash",
      input: { command: one.command ?? "git status" },
      verdict: {
        decision,
        basis: one.rule === undefined ? "default" : "rule",
        reason: one.reason ?? "nothing was said about it",
        ...(one.rule === undefined ? {} : { rule: { ...one.rule, column: 1 } }),
        actions: [],
        unknowns: [],
      },
      answer: one.answer ?? decision,
      milliseconds: one.milliseconds ?? 1,
    });
    return one.confined === true ? line.replace('"basis"', '"confined":true,"basis"') : line;
  });
  const problem = appendAll(place.machine, lines, KEEP);
  if (problem !== undefined) throw new Error(problem);
}

/** Texts that try to be something else where they are shown. */
export const HOSTILE: readonly string[] = [
  "<img src=x onerror=alert(1)><script>alert(2)</script>",
  "\u001b[2J\u001b[31mred\u0007",
  "\u202etxt.exe\u2066\u200b",
  `${"a".repeat(3000)}`,
  "javascript:alert(1)//\"'`${7*7}",
  `é${"\u0301".repeat(500)}`,
];
