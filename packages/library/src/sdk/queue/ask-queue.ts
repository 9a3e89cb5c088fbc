import { adviceForPerson, brief, printAction } from "@assent/core/action";
import {
  type Answer,
  answererText,
  checkAnswerRule,
  type Client,
  DENY,
  isConsentText,
  grantAnswer,
  isSaid,
  NOBODY,
  type OfferedSentence,
  type Question,
  QuestionQueue,
  type TeamPart,
  scopeText,
} from "@assent/guard/approve";
import { queueApprover, type QueuePoint } from "@assent/guard/approve/queue";
import { appendAudit, auditLine, givenFields, redact, redactString, withoutContents } from "@assent/guard/audit";
import { isObject } from "@assent/core/data";
import { offerConsent, type Outcome, rememberAnswer } from "@assent/guard/engine";
import {
  addConsent,
  addRule,
  consentText,
  declineConsent,
  editPolicy,
  isDeclined,
  policyPlace,
  ruleEntries,
  starterPolicy,
} from "@assent/guard/policy-edit";
import { answerableRemote, parseRule, type RequestVerdict, same } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { teamClient } from "@assent/team/team/remote";
import { grantedIn, ruleFor } from "../common/granted-in.ts";

/** A request that is asked about before anything of it is done: a tool's call, a command of a host. */
export interface QueuedRequest {
  readonly machine: Machine;
  readonly point: QueuePoint;
  /** Who asks, as people know it: the agent, the server. */
  readonly who: string;
  readonly session?: string | undefined;
  readonly cwd: string;
  /** `run npm publish`, `call mcp__files__write with {…}`. */
  readonly what: string;
  readonly verdict: RequestVerdict;
  /** What was judged; undefined where it was judged elsewhere: nothing is remembered then. */
  readonly outcome: Outcome | undefined;
  /** Milliseconds. */
  readonly patience: number | undefined;
}

const LONGEST_WHAT = 4000;
/** So long people of the team are waited for where nobody says how long. Milliseconds. */
export const TEAM_PATIENCE_MS = 120_000;

/** Asks whoever is there; `NOBODY`: nobody answers. May throw. What it means for later is the caller's to keep. */
export async function answerInQueue(
  asked: QueuedRequest,
  question: Question,
  signal: AbortSignal,
  clients: readonly Client[] = [],
): Promise<Answer> {
  const { machine, point, session, patience } = asked;
  const own = { machine, point, agent: asked.who, session };
  const team = teamClient({ ...own, patience: patience ?? TEAM_PATIENCE_MS, longest: patience });
  const queue = queueApprover({ ...own, patience, checkRule: checkAnswerRule }, team, ...clients);
  const answer = await queue.ask(question, signal);
  await queue.close(0);
  return signal.aborted ? NOBODY : answer;
}

/**
 * Asks whoever is there and these clients, and remembers what they say; what a host's person says is the host's to remember. Never throws; what
 * goes wrong is nobody's answer. `signal`: it needs no answer any more.
 */
export async function askQueue(asked: QueuedRequest, signal: AbortSignal, clients: readonly Client[] = []): Promise<Answer> {
  try {
    const question = requestQuestion(asked);
    const answer = await answerInQueue(asked, question, signal, clients);
    return isSaid(answer) && answer.by !== "host" ? rememberReply(asked, question, answer) : answer;
  } catch {
    return NOBODY;
  }
}

/** Asks these clients, and nobody else. */
export async function askClients(
  asked: Pick<QueuedRequest, "who" | "what" | "verdict">,
  clients: readonly Client[],
  signal: AbortSignal,
): Promise<Answer> {
  return await new QuestionQueue({ checkRule: checkAnswerRule }, clients).ask(requestQuestion({ cwd: "", ...asked }), signal);
}

let count = 0;

export function requestQuestion({
  machine,
  who,
  cwd,
  what,
  verdict,
  outcome,
}: Pick<QueuedRequest, "who" | "cwd" | "what" | "verdict"> & Partial<Pick<QueuedRequest, "machine" | "outcome">>): Question {
  const { actions, rule, basis, help } = verdict;
  const asking = actions.find((one) => one.verdict.decision !== "allow") ?? actions[0];
  // Several rules together are no answer to one question.
  const only = outcome === undefined ? undefined : ruleFor(outcome);
  const offered = outcome === undefined || machine === undefined ? undefined : offeredSentence(outcome, machine);
  const afar = outcome === undefined ? undefined : questionRemote(outcome);
  count += 1;
  return {
    seq: count,
    run: "",
    profile: "",
    process: { pid: process.pid, name: who, argv: [] },
    ancestry: [],
    cwd,
    action: asking?.action ?? { kind: "tool", name: who, fields: [], origin: { by: "tool" } },
    what: brief(what, LONGEST_WHAT),
    reason: verdict.reason,
    ...(rule === undefined ? {} : { rule }),
    basis,
    ...(help === undefined ? {} : { help: adviceForPerson(help) }),
    proposals: [
      ...(offered === undefined ? [] : [{ rule: offered.rule, covers: `yes, for this repository: ${offered.text}` }]),
      ...(only === undefined ? [] : [{ rule: only, covers: asking === undefined ? "this" : printAction(asking.action) }]),
    ],
    group: `${who}\0${what}`,
    ...(afar === undefined ? {} : { afar: { ...afar, sentence: offered } }),
  };
}

/** The sentence that may be offered here; undefined: none fits, or a person has said no to it. */
export function offeredSentence(outcome: Outcome, machine: Machine): OfferedSentence | undefined {
  const { offer } = offerConsent(outcome, machine);
  return offer === undefined || isDeclined(machine, offer.entry) ? undefined : { rule: consentText(offer.entry), text: offer.sentence };
}

/**
 * What of it goes to the team; undefined: the policy lets nobody answer it remotely. INVARIANT: the policy is the one of now, whenever
 * the question was asked.
 */
export function questionRemote({ request, verdict, basis }: Outcome): TeamPart | undefined {
  const answerable = basis === undefined ? undefined : answerableRemote(verdict, basis);
  if (answerable === undefined) return undefined;
  const { subagent, cwd, tool, input } = request;
  // What a file is to have is not sent, in no question either.
  const clean = withoutContents(redact(input));
  const parts = verdict.actions.map(({ action, verdict: { decision, reason } }) => [printAction(action), decision, reason]);
  const unknowns = verdict.unknowns.map(({ unknown, verdict: { decision, reason } }) => [unknown, decision, reason]);
  return {
    ...answerable,
    what: redactString(whatIsAsked({ ...request, input: isObject(clean) ? clean : {} })),
    parts: [subagent ?? "", cwd, tool, input, verdict.reason, parts, unknowns],
  };
}

/** What a request would do, in words. */
export function whatIsAsked({ tool, facts, input }: Outcome["request"]): string {
  const field = facts?.does === "shell" ? input[facts.field] : undefined;
  return typeof field === "string" ? `run ${field}` : brief(`call ${tool} with ${JSON.stringify(input)}`, 2000);
}

/**
 * The answer as it counts. INVARIANT: a rule or a grant that cannot be kept changes nothing of the answer to this one question; but whoever
 * of a team said yes to a sentence has not seen the request: the yes is for what is offered for it, now.
 */
export function rememberReply(asked: QueuedRequest, question: Question, given: Answer): Answer {
  const { machine, session, outcome } = asked;
  const offer = outcome === undefined ? undefined : offerConsent(outcome, machine).offer;
  const isSentence = given.answer === "allow" && given.scope === "always" && isConsentText(given.rule);
  const isOffered = isSentence && offer !== undefined && consentText(offer.entry) === given.rule;
  const answer: Answer = isSentence && !isOffered && given.by === "team" ? { ...DENY, by: given.by } : given;
  const allowed = answer.answer === "allow";
  const narrowest = question.proposals.find(({ rule }) => !isConsentText(rule));
  const kept = { by: "you, when it was asked", session, ...(narrowest === undefined ? {} : grantedIn(narrowest.rule, outcome)) };
  grantAnswer(machine, question, answer, kept);
  if (answer.answer !== "quit" && answer.scope === "always" && !isConsentText(answer.rule)) writeRule(asked, answer.answer, answer.rule);
  // INVARIANT: what is kept is what is offered for this very request, now. After a no it is not offered again.
  if (isOffered) addConsent(machine, { ...offer.entry, ...(given.person === undefined ? {} : { by: given.person }) });
  else if (offer !== undefined && given.answer === "deny" && given.by !== "team" && narrowest !== question.proposals[0])
    declineConsent(machine, offer.entry);
  if (outcome?.basis !== undefined)
    rememberAnswer(outcome.request, outcome.verdict, allowed ? "allowed" : "refused", { ...outcome.basis, machine });
  log(asked, answer);
  return answer;
}

/** Into the person's own policy file. */
function writeRule({ machine, cwd, who, what }: QueuedRequest, effect: "allow" | "deny", rule: string): void {
  const parsed = parseRule(rule);
  const place = policyPlace("global", machine, cwd);
  if (!parsed.ok || place === undefined) return;
  editPolicy(place, starterPolicy(place.layer, undefined), (text) => {
    const there = ruleEntries(text).find((one) => one.effect === effect && one.when === undefined && same(one.matcher, parsed.matcher));
    const reason = brief(`answered when ${who} wanted to ${what}`, 200);
    return there === undefined
      ? { edits: [addRule(text, effect, effect === "deny" ? { rule: parsed.text, reason } : parsed.text)] }
      : { stop: there };
  });
}

/** Beside the record of the question. */
function log({ machine, who, session, cwd, what }: QueuedRequest, answer: Answer): void {
  const decision = answer.answer === "allow" ? "allow" : "deny";
  const verdict = { decision, basis: "grant", reason: `${who} wanted to ${what}`, actions: [], unknowns: [] } as const;
  const line = auditLine({
    time: Date.now(),
    point: "command",
    agent: "user",
    session,
    cwd,
    tool: "assent approvals",
    input: {},
    verdict,
    answer: decision,
    person: givenFields({
      answered: answer.answer === "quit" ? "deny (once)" : `${answer.answer} (${scopeText(answer)})`,
      answeredBy: answererText(answer),
      note: answer.answer === "deny" ? answer.note : undefined,
    }),
    milliseconds: 0,
  });
  appendAudit(machine, line);
}
