import { isMainThread } from "node:worker_threads";
import { brief } from "../action/index.ts";
import { agentNamed } from "../agents/index.ts";
import type { Answer } from "../approve/index.ts";
import { dropQuestion, endQuestion, noteUnanswered, notify, putQuestion, readEnd } from "../approve/queue/index.ts";
import type { Outcome } from "../engine/index.ts";
import { checkAnswerRule, type QueueReply, rememberReply, requestQuestion } from "../sdk/queue/index.ts";
import type { Machine } from "../state/index.ts";

// Entry of dist/held-question.cjs, loaded where a hook waits for somebody who is there.

/** Of the time that a host surely waits: a late hook is none, and many hosts let the tool run then. */
const PART = 2 / 3;
/** A hook does one thing after the other: it looks this often. Milliseconds. */
const LOOK_MS = 15;

/** The answer of whoever is there, before the host gives up. */
export function askMeanwhile(outcome: Outcome, machine: Machine): Outcome {
  const { request, verdict } = outcome;
  const seconds = agentNamed(request.agent)?.setup?.waits;
  // A thread is watched, and given up after a few seconds.
  if (seconds === undefined || !isMainThread) return outcome;
  const patience = Math.floor(1000 * seconds * PART);
  const { agent: who, session, cwd } = request;
  const asked = { machine, point: "hook", who, session, cwd, what: whatOf(request), verdict, outcome, patience } as const;
  const question = requestQuestion(asked);
  const now = Date.now();
  const queued = putQuestion(machine, {
    asked: now,
    until: now + patience,
    point: "hook",
    agent: who,
    ...(session === undefined ? {} : { session }),
    question,
    alike: 1,
    others: [],
  });
  notify(machine, 1);
  const answer = waitFor(machine, queued.id, performance.now() + patience);
  dropQuestion(machine, queued.id);
  if (answer === undefined) return outcome;
  const wrong = answer.answer !== "quit" && answer.scope === "always" ? checkAnswerRule(answer.rule) : undefined;
  return settled(outcome, wrong === undefined ? rememberReply(asked, question, answer) : { is: "no" });
}

function waitFor(machine: Machine, id: string, until: number): Answer | undefined {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const found = readEnd(machine, id)?.end;
    if (found?.is === "answered") return { ...found.answer, by: found.by };
    if (found !== undefined) return undefined;
    if (performance.now() >= until) break;
    Atomics.wait(pause, 0, 0, LOOK_MS);
  }
  noteUnanswered(machine);
  const before = endQuestion(machine, id, { is: "expired", at: Date.now() });
  return before?.is === "answered" ? { ...before.answer, by: before.by } : undefined;
}

function settled(outcome: Outcome, reply: QueueReply): Outcome {
  const { verdict, answer } = outcome;
  if (reply.is === "nobody") return outcome;
  if (reply.is === "yes") {
    const reason = "you allowed it when it was asked";
    return {
      ...outcome,
      verdict: { ...verdict, decision: "allow", basis: "grant" },
      answer: { ...answer, decision: "allow", reason, modelReason: "the user allowed it" },
    };
  }
  const said = reply.note === undefined ? "the user refused: " : `the user refused, and says: ${reply.note}: `;
  return {
    ...outcome,
    answer: { ...answer, reason: `${said}${verdict.reason}`, modelReason: `${said}${withoutPrefix(answer.modelReason)}` },
  };
}

const withoutPrefix = (text: string): string => text.replace(/^approval required: /, "");

function whatOf({ tool, facts, input }: Outcome["request"]): string {
  const field = facts?.does === "shell" ? input[facts.field] : undefined;
  return typeof field === "string" ? `run ${field}` : brief(`call ${tool} with ${JSON.stringify(input)}`, 2000);
}
