import { type ChildProcess, spawn } from "node:child_process";
import { brief, printAction, visible } from "../action/index.ts";
import type { Answer } from "../approve/index.ts";
import { redact, redactString } from "../audit/index.ts";
import { isObject } from "../data/index.ts";
import type { Outcome } from "../engine/index.ts";
import { answerableFromAfar } from "../policy/index.ts";
import type { Machine } from "../state/index.ts";
import { askAfar, type AskedAfar, findAfar, hashRequest, isTeamReached, readAnswer, takeAfar } from "../team/afar/index.ts";

declare const __dirname: string;

/** So long a yes is worth something. Milliseconds. */
const LASTS_MS = 3_600_000;
const LONGEST_WHAT = 3900;
const LONGEST_TEXT = 900;

/** What the team was asked about exactly this request, now or before. */
export interface PutToTeam {
  readonly asked: AskedAfar;
  readonly isNew: boolean;
}

/**
 * The question as the team has it; undefined: the policy does not let it be answered from afar, or nobody carries it there.
 * INVARIANT: the policy is the one of now, whenever the question was asked.
 */
export function teamQuestion(outcome: Outcome, machine: Machine): PutToTeam | undefined {
  const { request, verdict, basis } = outcome;
  const answerable = basis === undefined ? undefined : answerableFromAfar(verdict, basis);
  if (answerable === undefined) return undefined;
  const now = Date.now();
  const hash = hashOf(outcome);
  const known = findAfar(machine, hash, now);
  // One who said yes where one was enough does not do where two are needed by now.
  if (known !== undefined && known.asked.people >= answerable.people) return { asked: known.asked, isNew: false };
  if (!isTeamReached(machine)) return undefined;
  const clean = redact(request.input);
  const what = redactString(whatOf({ ...request, input: isObject(clean) ? clean : {} }));
  const asked = askAfar(machine, {
    request: hash,
    asked: now,
    until: now + LASTS_MS,
    people: answerable.people,
    about: {
      point: "hook",
      agent: request.agent,
      what: brief(what, LONGEST_WHAT),
      reason: brief(redactString(verdict.reason), LONGEST_TEXT),
      folder: brief(shortFolder(request.cwd, machine.home), LONGEST_TEXT),
      ...(verdict.rule === undefined ? {} : { rule: brief(redactString(verdict.rule.text), LONGEST_TEXT) }),
    },
  });
  return { asked, isNew: true };
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Milliseconds of `90s`, `5m`, `1h`; what is no time is none. */
export function readWait(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  return count === undefined ? 0 : Math.min(LONGEST_WAIT_MS, Number(count) * (UNITS[unit] ?? 0));
}

const CONNECT_MS = 15_000;

/** Where nobody carries questions to the team, as in CI: a process of our own does, as long as this one waits. */
export function carryFor({ verdict, basis }: Outcome, machine: Machine): ChildProcess | undefined {
  if (basis === undefined || answerableFromAfar(verdict, basis) === undefined || isTeamReached(machine)) return undefined;
  const child = spawn(process.execPath, [`${__dirname}/bin.cjs`, "team", "send", "--follow"], { cwd: "/", stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + CONNECT_MS; !isTeamReached(machine) && performance.now() < until;) Atomics.wait(pause, 0, 0, 50);
  return child;
}

/** What people of the team have said. A yes is used up by this. */
export function teamAnswer(machine: Machine, { asked }: PutToTeam): Answer | undefined {
  const answer = readAnswer(machine, asked);
  if (answer === undefined) return undefined;
  const by = { by: "team", person: answer.by.join(" and ") } as const;
  // A no holds as long as the question would have: whoever asks again is told again.
  if (answer.answer === "deny")
    return { answer: "deny", scope: "once", ...by, ...(answer.note === undefined ? {} : { note: answer.note }) };
  return takeAfar(machine, asked.id) ? { answer: "allow", scope: "once", ...by } : undefined;
}

/** Of all that decides what happens: who asks, where, what, and what it would do. */
function hashOf({ request, verdict }: Outcome): string {
  const { agent, subagent, session, cwd, tool, input } = request;
  const parts = verdict.actions.map(({ action, verdict: { decision, reason } }) => [printAction(action), decision, reason]);
  const unknowns = verdict.unknowns.map(({ unknown, verdict: { decision, reason } }) => [unknown, decision, reason]);
  return hashRequest([agent, subagent ?? "", session ?? "", cwd, tool, input, verdict.reason, parts, unknowns]);
}

const shortFolder = (folder: string, home: string): string =>
  visible(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);

export function whatOf({ tool, facts, input }: Outcome["request"]): string {
  const field = facts?.does === "shell" ? input[facts.field] : undefined;
  return typeof field === "string" ? `run ${field}` : brief(`call ${tool} with ${JSON.stringify(input)}`, 2000);
}
