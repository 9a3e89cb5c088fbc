import { visible } from "@assent/core/action";
import { thisMachine } from "@assent/guard/state";
import { changeMembership, readMembership, type SentLevel } from "@assent/team/team";
import { JSON_VERSION } from "./json.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";

/** What people read of each. */
export const LEVEL_TEXTS: Readonly<Record<SentLevel, string>> = {
  verdict: "of each decision, only when, by which agent and tool, and what was said is sent",
  command: "of each decision, the command, path or address and why is sent, and nothing else that a tool was given",
  full: "of each decision, all but the content of files is sent",
};

/** `assent team level`: 0 it is known or was changed, 1 not. */
export function teamLevel(level: SentLevel | undefined, { json }: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const membership = readMembership(machine);
  if (typeof membership === "string") {
    if (membership === "missing") complain("team level", "this machine belongs to no team", "assent team join https://…");
    else complain("team level", "what is known of the team is damaged", "assent team leave --offline, then join again");
    return 1;
  }
  if (level !== undefined) {
    const problem = changeMembership(machine, { ...membership, level });
    if (problem !== undefined) {
      complain("team level", visible(problem));
      return 1;
    }
  }
  const holds = level ?? membership.level ?? "full";
  writeStdout(json === true ? `${JSON.stringify({ v: JSON_VERSION, level: holds })}\n` : `${holds}: ${LEVEL_TEXTS[holds]}\n`);
  return 0;
}
