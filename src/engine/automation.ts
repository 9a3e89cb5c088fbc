import {
  agentName,
  type Automation,
  lowerAutomation,
  type Policy,
  type RequestVerdict,
  unconfined,
  type Verdict,
  verdictOf,
  type Who,
} from "../policy/index.ts";
import { type AutomationLevel, type Consent, countDenial, denialsInARow, halveRow, type Machine, readConsent } from "../state/index.ts";
import type { Request } from "./request.ts";

/** Who asks, as the host tells it: the environment of a process says nothing about who it is. */
interface AgentIdentity {
  /** The host agent. */
  readonly agent: string;
  /** Type of the sub-agent; undefined: the main agent. */
  readonly subagent: string | undefined;
}

/** `reviewer:a81f` is the sub-agent `reviewer`; a type may hold colons itself, an id does not. */
export function identityOf({ agent, subagent }: Request): AgentIdentity {
  if (subagent === undefined) return { agent: agentName(agent), subagent: undefined };
  const colon = subagent.lastIndexOf(":");
  const type = agentName(colon > 0 ? subagent.slice(0, colon) : subagent);
  // A sub-agent without a name is one that nobody has trusted.
  return { agent: agentName(agent), subagent: type };
}

/** As rules are held against who asks. */
export function whoOf(request: Request, { user: account }: Pick<Machine, "user">): Who {
  const { agent, subagent } = identityOf(request);
  const { principal: { user = account, tenant, role } = {}, session } = request;
  const roles = role === undefined ? undefined : typeof role === "string" ? [role] : role;
  return { user, tenant, roles, session, agents: subagent === undefined ? [agent] : [subagent, agent] };
}

/** Names whom something is remembered of; empty where one asks for itself. */
export function holderOf({ principal }: Pick<Request, "principal">): string {
  if (principal === undefined) return "";
  const { user = "", tenant = "", role = [] } = principal;
  return JSON.stringify([tenant, user, ...(typeof role === "string" ? [role] : role.toSorted())]);
}

/** Values of `MCP_AUTO_APPROVE` and `ASSENT_AUTO`. Anything else says nothing. */
const SAID: ReadonlyMap<string, AutomationLevel> = new Map([
  ...["true", "1", "yes", "on", "enable", "everywhere"].map((word) => [word, "everywhere"] as const),
  ...["subagent_only", "subagents-only", "subagents"].map((word) => [word, "subagents"] as const),
  ...["false", "0", "no", "off", "disable", "disabled"].map((word) => [word, "off"] as const),
]);

/** How far things may go ahead by themselves. INVARIANT: a variable and a file can only lower it. */
export function automationLevel(automation: Automation, consent: Consent, env: Machine["env"]): AutomationLevel {
  const told = ["ASSENT_AUTO", "MCP_AUTO_APPROVE"].flatMap((name) => SAID.get(env[name]?.trim().toLowerCase() ?? "") ?? []);
  return told.reduce(lowerAutomation, lowerAutomation(automation.when, consent.when));
}

/** Why an allow is not given after all; undefined: it is. */
function withheld(request: Request, verdict: RequestVerdict, automation: Automation, machine: Machine): Verdict | undefined {
  const consent = readConsent(machine);
  const { agent, subagent } = identityOf(request);
  const named = (list: readonly string[], name: string | undefined): boolean =>
    name !== undefined && list.some((listed) => agentName(listed) === name);
  const restricted = [...automation.agents.restricted, ...consent.restricted];
  const who = subagent ?? agent;
  if (named(restricted, who) || named(restricted, agent))
    return verdictOf("ask", "automation.restricted", { reason: `the agent ${who} is restricted: you are asked about everything it wants` });
  const level = automationLevel(automation, consent, machine.env);
  if (level === "off") return verdictOf("ask", "automation.off");
  const trusted = [...automation.agents.trusted, ...consent.trusted];
  if (level === "subagents" && subagent === undefined) return verdictOf("ask", "automation.subagents");
  // Once somebody is named as trusted, the others are not.
  if (subagent !== undefined && (level === "subagents" || trusted.length > 0) && !named(trusted, subagent))
    return verdictOf("ask", "automation.untrusted", {
      reason: `the sub-agent ${subagent === "" ? "without a name" : subagent} is not trusted: you are asked about everything it wants`,
      ...(subagent === ""
        ? { help: "the agent's host gives it no name, so it cannot be trusted" }
        : {
            help: {
              person: `to trust it: \`assent agents trust ${subagent}\``,
              model: `ask the user to trust it with \`assent agents trust ${subagent}\``,
            },
          }),
    });
  if (
    consent.modes === undefined &&
    verdict.actions.some((judged) => judged.verdict.decision === "allow" && judged.verdict.basis === "mode")
  )
    return verdictOf("ask", "automation.consent");
  const row = denialsInARow(machine, breakerKey(request), automation.breaker.minutes);
  if (row >= automation.breaker.denials)
    return verdictOf("ask", "automation.breaker", {
      reason: `the circuit breaker stopped this session: ${row} requests in a row were refused`,
    });
  return undefined;
}

/** After judging: who asks, whether a person has agreed, and how often it was refused may turn an allow into a question. */
export function holdBack(request: Request, verdict: RequestVerdict, policy: Policy, machine: Machine): RequestVerdict {
  if (verdict.decision !== "allow") return verdict;
  // Who writes `"unknown": "confine"` into their own policy has agreed to it; a mode needs somebody's word on this machine.
  const byMode = verdict.confined !== undefined && policy.settings.unknown !== "confine";
  if (byMode && readConsent(machine).modes === undefined) return holdBack(request, unconfined(verdict), policy, machine);
  const why = withheld(request, verdict, policy.settings.automation, machine);
  if (why === undefined) return verdict;
  const { rule: _rule, confined: _confined, ...rest } = verdict;
  return { ...rest, ...why };
}

/** One session, one agent of it. */
function breakerKey(request: Request): string {
  const { agent, subagent } = identityOf(request);
  const holder = holderOf(request);
  const place = `${request.session ?? "no session"} ${subagent === undefined ? agent : `${agent}/${subagent}`}`;
  return holder === "" ? place : `${place} of ${holder}`;
}

/** Counts a refusal, or halves the row of them. Says what went wrong, and when the breaker trips. */
export function countRefusals(request: Request, verdict: RequestVerdict, policy: Policy | undefined, machine: Machine): string | undefined {
  const breaker = policy?.settings.automation.breaker;
  if (breaker === undefined) return undefined;
  const key = breakerKey(request);
  if (verdict.decision === "allow") halveRow(machine, key, breaker.denials);
  if (verdict.decision !== "deny") return undefined;
  const problem = countDenial(machine, key, breaker.minutes);
  if (problem !== undefined) return problem;
  return denialsInARow(machine, key, breaker.minutes) === breaker.denials
    ? `the circuit breaker stopped this session: ${breaker.denials} requests in a row were refused; you are asked about what would be allowed`
    : undefined;
}
