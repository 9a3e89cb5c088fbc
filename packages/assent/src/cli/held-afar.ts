import type { ChildProcess } from "node:child_process";
import type { Outcome } from "@assent/guard/engine";
import { offeredSentence, questionAfar } from "@assent/library/sdk/queue";
import type { Machine } from "@assent/guard/state";
import { isTeamReached, type PutToTeam, putToTeam } from "@assent/team/team/afar";
import { membershipMark } from "@assent/team/team";
import { CONNECT_MS, startCarrier } from "./carrier.ts";

declare const __dirname: string;

/** The question as the team has it; undefined: the policy does not let it be answered from afar, or nobody carries it there. */
export function teamQuestion(outcome: Outcome, machine: Machine): PutToTeam | undefined {
  const once = questionAfar(outcome);
  if (once === undefined) return undefined;
  const afar = { ...once, sentence: offeredSentence(outcome, machine) };
  const { agent, session, cwd } = outcome.request;
  const { reason, rule } = outcome.verdict;
  return putToTeam({ machine, point: "hook", agent, session }, { afar, reason, cwd, ...(rule === undefined ? {} : { rule }) });
}

/** Where nobody carries questions to the team, as in CI: a process of our own does, as long as this one waits. */
export function carryFor(outcome: Outcome, machine: Machine): ChildProcess | undefined {
  if (questionAfar(outcome) === undefined || isTeamReached(machine) || membershipMark(machine) === "") return undefined;
  const child = startCarrier(__dirname);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + CONNECT_MS; !isTeamReached(machine) && performance.now() < until;) Atomics.wait(pause, 0, 0, 50);
  return child;
}
