import { visible } from "@assent/core/action";
import { appendAudit, auditLine, KEEP_UNSENT } from "@assent/guard/audit";
import type { Machine } from "@assent/guard/state";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";

/** The log says what a person skipped or granted, beside the decisions that it touched. */
export function noteCommand(machine: Machine, tool: string, reason: string, input: Readonly<Record<string, string>> = {}): void {
  const verdict = { decision: "allow", basis: "grant", reason, actions: [], unknowns: [] } as const;
  const common = { time: Date.now(), point: "command", agent: "user", cwd: absolute("."), milliseconds: 0 };
  const problem = appendAudit(machine, auditLine({ ...common, tool, input, verdict, answer: "allow" }), KEEP_UNSENT);
  if (problem !== undefined) complain(tool.split(" ")[1] ?? tool, `not logged: ${visible(problem)}`);
}
