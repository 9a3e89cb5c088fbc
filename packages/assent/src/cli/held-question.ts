import { isMainThread } from "node:worker_threads";
import { withoutAdvice } from "@assent/core/action";
import { agentNamed } from "@assent/hosts/agents";
import { type Answer, DENY, isSaid, noteOf, ofTeam, printable, wrongRuleIn } from "@assent/guard/approve";
import { dropQuestion, endQuestion, isSomebodyThere, noteUnanswered, notify, putQuestion, readEnd } from "@assent/guard/approve/queue";
import type { Outcome } from "@assent/guard/engine";
import { rememberReply, requestQuestion, whatIsAsked } from "@assent/library/sdk/queue";
import type { Machine } from "@assent/guard/state";
import { dropPut, type PutToTeam, readWait, takeTeamAnswer } from "@assent/team/team/afar";
import { carryFor, teamQuestion } from "./held-afar.ts";
import { writeStderr } from "./stdio.ts";

/** Of the time that a host surely waits: a late hook is none, and many hosts let the tool run then. */
const PART = 2 / 3;
/** A hook does one thing after the other: it looks this often. Milliseconds. */
const LOOK_MS = 15;

/** The answer of whoever is there, before the host gives up; or of people of the team, who may have answered since. */
export function askMeanwhile(outcome: Outcome, machine: Machine, waits: boolean | string): Outcome {
  if (typeof waits === "string" && readWait(waits) === 0) {
    writeStderr(`assent check: --wait: \`${printable(waits, 40)}\` is not a time: write 90s, 5m or 1h. Nobody of the team is asked.\n`);
    return outcome;
  }
  const carrier = typeof waits === "string" && isMainThread ? carryFor(outcome, machine) : undefined;
  try {
    return askPeople(outcome, machine, waits);
  } finally {
    carrier?.kill("SIGTERM");
  }
}

/** A thread is watched, and given up after a few seconds. */
function patienceOf({ agent }: Outcome["request"], waits: boolean | string): number {
  if (waits === false || !isMainThread) return 0;
  if (typeof waits === "string") return readWait(waits);
  const seconds = agentNamed(agent)?.setup?.waits;
  return seconds === undefined ? 0 : Math.floor(1000 * seconds * PART);
}

function askPeople(outcome: Outcome, machine: Machine, waits: boolean | string): Outcome {
  const { request, verdict } = outcome;
  const patience = patienceOf(request, waits);
  const { agent: who, session, cwd } = request;
  const asked = { machine, point: "hook", who, session, cwd, what: whatIsAsked(request), verdict, outcome, patience } as const;
  const team = teamQuestion(outcome, machine);
  const isThere = patience > 0 && isSomebodyThere(machine);
  // A host that could ask does so where the team may not answer.
  if (team === undefined && (!isThere || request.host.asks)) return outcome;
  const question = requestQuestion(asked);
  const settle = (answer: Answer): Outcome => {
    if (wrongRuleIn(answer) !== undefined) return settled(outcome, { ...DENY, ...personIn(answer) });
    return settled(outcome, rememberReply(asked, question, answer));
  };
  const before = team === undefined ? undefined : takeTeamAnswer(machine, team);
  if (before !== undefined) return settle(before);
  // Whoever asks again is told at once that it still waits.
  if (!isThere && team?.isNew !== true && typeof waits !== "string") return waiting(outcome);
  const now = Date.now();
  const queued = isThere
    ? putQuestion(machine, {
        asked: now,
        until: now + patience,
        point: "hook",
        agent: who,
        ...(session === undefined ? {} : { session }),
        question,
        alike: 1,
        others: [],
      })
    : undefined;
  if (queued !== undefined) notify(machine, 1);
  // Whoever is here has as long as the host waits; the team alone, as long as the policy says, within that.
  const waited = isThere ? patience : Math.min(patience, team?.wait ?? patience);
  const answer = waitFor(machine, queued?.id, team, performance.now() + waited);
  if (queued !== undefined) dropQuestion(machine, queued.id);
  if (answer === undefined) return team === undefined ? outcome : waiting(outcome);
  // Whoever is there was faster: nobody else need answer it.
  if (team !== undefined && answer.by !== "team") dropPut(machine, team);
  return settle(answer);
}

function waitFor(machine: Machine, id: string | undefined, team: PutToTeam | undefined, until: number): Answer | undefined {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const found = id === undefined ? undefined : readEnd(machine, id)?.end;
    if (found?.is === "answered") return { ...found.answer, by: found.by };
    const afar = team === undefined ? undefined : takeTeamAnswer(machine, team);
    if (afar !== undefined) {
      if (id !== undefined) endQuestion(machine, id, { is: "answered", answer: afar, by: "team", at: Date.now() });
      return afar;
    }
    if (found !== undefined) return undefined;
    if (performance.now() >= until) break;
    Atomics.wait(pause, 0, 0, LOOK_MS);
  }
  if (id === undefined) return undefined;
  noteUnanswered(machine);
  const before = endQuestion(machine, id, { is: "expired", at: Date.now() });
  return before?.is === "answered" ? { ...before.answer, by: before.by } : undefined;
}

const personIn = ({ person }: Answer): Pick<Answer, "person"> => (person === undefined ? {} : { person });

function settled(outcome: Outcome, reply: Answer): Outcome {
  const { verdict, answer } = outcome;
  if (!isSaid(reply)) return outcome;
  const who = reply.person === undefined ? undefined : ofTeam(reply.person);
  if (reply.answer === "allow") {
    const often = reply.scope === "always" ? "for this repository" : "once";
    const reason = who === undefined ? "you allowed it when it was asked" : `${who} allowed it, ${often}`;
    return {
      ...outcome,
      verdict: { ...verdict, decision: "allow", basis: "grant" },
      answer: {
        ...answer,
        decision: "allow",
        reason,
        modelReason: who === undefined ? "the user allowed it" : `a person allowed it, ${often}`,
      },
    };
  }
  const name = who ?? "the user";
  const note = noteOf(reply);
  const said = note === undefined ? `${name} refused: ` : `${name} refused, and says: ${note}: `;
  return {
    ...outcome,
    answer: {
      ...answer,
      decision: "deny",
      reason: `${said}${verdict.reason}`,
      // A person's no is a no: how to lift it is nothing for the model.
      modelReason: `${said}${withoutAdvice(withoutPrefix(answer.modelReason), verdict.help)}`,
    },
  };
}

const WAITING =
  "asked, waiting: a person was asked and has not answered yet. Go on with something else, and try exactly the same again later: ";

/** It is refused now; a yes that comes later lets exactly this through, once. */
function waiting(outcome: Outcome): Outcome {
  const { answer, verdict } = outcome;
  return {
    ...outcome,
    answer: {
      ...answer,
      decision: "deny",
      reason: `asked, waiting for an answer of the team: ${verdict.reason}`,
      modelReason: `${WAITING}${withoutPrefix(answer.modelReason)}`,
    },
  };
}

const withoutPrefix = (text: string): string => text.replace(/^approval required: /, "");
