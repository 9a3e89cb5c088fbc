import type { ChildProcess } from "node:child_process";
import { isMainThread } from "node:worker_threads";
import { withoutAdvice } from "@assent/core/action";
import { agentNamed } from "@assent/hosts/agents";
import { type Answer, checkAnswerRule, isSaid, noteOf, ofTeam, printable, QuestionQueue } from "@assent/guard/approve";
import { folderClient, isSomebodyThere } from "@assent/guard/approve/queue";
import type { Outcome } from "@assent/guard/engine";
import { offeredSentence, questionRemote, rememberReply, requestQuestion, whatIsAsked } from "@assent/library/sdk/queue";
import type { Machine } from "@assent/guard/state";
import { membershipMark } from "@assent/team/team";
import { isTeamReached, type PutToTeam, putToTeam, readWait, teamClient } from "@assent/team/team/remote";
import { CONNECT_MS, startCarrier } from "./carrier.ts";
import { writeStderr } from "./stdio.ts";

declare const __dirname: string;

/** Of the time that a host surely waits: a late hook is none, and many hosts let the tool run then. */
const PART = 2 / 3;
/** Whoever is asked gives up by himself; whatever goes wrong, it is over by so much later. Milliseconds. */
const LATE_MS = 500;

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
  const own = { machine, point: "hook", agent: who, session, patience } as const;
  // Whoever asks again is told at once that it still waits.
  const longest = !isThere && team?.isNew === false && typeof waits !== "string" ? 0 : patience;
  const clients = [
    ...(team === undefined ? [] : [teamClient({ ...own, longest })]),
    ...(isThere ? [folderClient({ ...own, checkRule: checkAnswerRule })] : []),
  ];
  const queue = new QuestionQueue({ checkRule: checkAnswerRule }, clients);
  const answer = queue.askStill(question, performance.now() + patience + LATE_MS);
  if (!isSaid(answer)) return team === undefined ? outcome : waiting(outcome);
  return settled(outcome, rememberReply(asked, question, answer));
}

function settled(outcome: Outcome, reply: Answer): Outcome {
  const { verdict, answer } = outcome;
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

/** The question as the team has it; undefined: the policy does not let it be answered remotely, or nobody carries it there. */
function teamQuestion(outcome: Outcome, machine: Machine): PutToTeam | undefined {
  const once = questionRemote(outcome);
  if (once === undefined) return undefined;
  const afar = { ...once, sentence: offeredSentence(outcome, machine) };
  const { agent, session, cwd } = outcome.request;
  const { reason, rule } = outcome.verdict;
  return putToTeam({ machine, point: "hook", agent, session }, { afar, reason, cwd, ...(rule === undefined ? {} : { rule }) });
}

/** Where nobody carries questions to the team, as in CI: a process of our own does, as long as this one waits. */
function carryFor(outcome: Outcome, machine: Machine): ChildProcess | undefined {
  if (questionRemote(outcome) === undefined || isTeamReached(machine) || membershipMark(machine) === "") return undefined;
  const child = startCarrier(__dirname);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + CONNECT_MS; !isTeamReached(machine) && performance.now() < until;) Atomics.wait(pause, 0, 0, 50);
  return child;
}
