import { printAction } from "@assent/core/action";
import { isConfined, type RequestVerdict } from "@assent/core/policy";
import { isoTime } from "./time.ts";
import { redact, REDACTED, redactString, type Redacted } from "./redact-text.ts";

/** One decision, as the log keeps it. `docs/json.md` describes the form. */
export interface Decided {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly point: string;
  readonly agent: string;
  readonly event?: string | undefined;
  readonly session?: string | undefined;
  readonly subagent?: string | undefined;
  readonly mode?: string | undefined;
  /** For whom, where one program serves several. */
  readonly principal?:
    | { readonly user?: string | undefined; readonly tenant?: string | undefined; readonly role?: string | readonly string[] | undefined }
    | undefined;
  readonly cwd: string;
  readonly tool: string;
  readonly input: unknown;
  readonly verdict: RequestVerdict;
  /** It would have been confined. */
  readonly shadow?: boolean | undefined;
  /** What the host was told, when it differs from the verdict. */
  readonly answer: string;
  /** What skipped questions, where something did. */
  readonly bypass?: string | undefined;
  /** `givenFields`: what a person answered. */
  readonly person?: Readonly<Record<string, Redacted>> | undefined;
  /** The program that acted, under supervision, and who started it, nearest first. */
  readonly process?: { readonly pid: number; readonly program: string; readonly parents: readonly string[] } | undefined;
  /** So many decisions alike, where they are told together. */
  readonly count?: number | undefined;
  readonly milliseconds: number;
}

const MAX_ACTIONS = 50;
/** What is shorter may be any word. */
const SHORTEST_SECRET = 5;
const MAX_LINE = 65_536;

/** The log line of a decision: redacted, escaped, without a line break. */
export function auditLine(decided: Decided): string {
  const { verdict } = decided;
  // What was piped into a command is an argument of another one in what it was lowered to.
  const found = new Set<string>();
  const input = redact(decided.input, found);
  const secrets = [...found].filter((secret) => secret.length >= SHORTEST_SECRET);
  const clean = (text: string): string => redactString(secrets.reduce((left, secret) => left.replaceAll(secret, REDACTED), text));
  const fields: Record<string, Redacted | undefined> = {
    v: 1,
    time: isoTime(decided.time),
    point: decided.point,
    agent: decided.agent,
    event: text(decided.event),
    session: text(decided.session),
    subagent: text(decided.subagent),
    mode: text(decided.mode),
    principal: decided.principal && redact(decided.principal, new Set()),
    cwd: redactString(decided.cwd),
    tool: redactString(decided.tool),
    input,
    verdict: verdict.decision,
    basis: verdict.basis,
    confined: isConfined(verdict) ? true : decided.shadow === true ? "would" : undefined,
    answer: decided.answer,
    bypass: text(decided.bypass),
    ...decided.person,
    process: decided.process && {
      pid: decided.process.pid,
      program: redactString(decided.process.program),
      parents: decided.process.parents.map((parent) => redactString(parent)),
    },
    count: decided.count,
    reason: clean(verdict.reason),
    rule: verdict.rule && { text: redactString(verdict.rule.text), file: redactString(verdict.rule.file), line: verdict.rule.line },
    builtin: text(verdict.builtin),
    grant: grantFields(verdict),
    actions: verdict.actions.slice(0, MAX_ACTIONS).map((judged) => ({
      action: clean(printAction(judged.action)),
      verdict: judged.verdict.decision,
      basis: judged.verdict.basis,
      ...(judged.verdict.builtin === undefined ? {} : { builtin: judged.verdict.builtin }),
      ...(judged.verdict.rule === undefined ? {} : { rule: `${redactString(judged.verdict.rule.file)}:${judged.verdict.rule.line}` }),
      ...(judged.verdict.grant === undefined ? {} : { grant: judged.verdict.grant.id }),
    })),
    unknowns: verdict.unknowns.slice(0, MAX_ACTIONS).map((judged) => clean(judged.unknown.reason)),
    ms: Math.round(decided.milliseconds * 1000) / 1000,
  };
  const line = JSON.stringify(fields);
  return line.length <= MAX_LINE ? line : JSON.stringify({ ...fields, input: "…", actions: [], unknowns: [], cut: true });
}

/**
 * What a person answered, and how long it holds (`allow (session)`), by which way (`terminal`, `page`), and what they had to say
 * about it to the model.
 */
export function givenFields(given: {
  readonly answered: string | undefined;
  readonly answeredBy?: string | undefined;
  readonly note?: string | undefined;
}): Readonly<Record<string, Redacted>> {
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, redactString(value)]])));
}

const grantFields = ({ grant }: RequestVerdict): Redacted | undefined =>
  grant && { id: grant.id, rule: redactString(grant.rule), ...(grant.left === undefined ? {} : { left: grant.left }) };

const text = (value: string | undefined): string | undefined => (value === undefined ? undefined : redactString(value));
