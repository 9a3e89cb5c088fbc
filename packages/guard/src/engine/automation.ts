import { type Automation, lowerAutomation, type Policy, type RequestVerdict, unconfined } from "@assent/core/policy";
import { holderOf, identityOf, type Request, whyDowngraded } from "@assent/core/request";
import { type AutomationLevel, type Consent, countDenial, denialsInARow, halveRow, type Machine, readConsent } from "../state/index.ts";

/** Values of `MCP_AUTO_APPROVE` and `ASSENT_AUTO`. Anything else says nothing. */
const SAID: ReadonlyMap<string, AutomationLevel> = new Map([
  ...["true", "1", "yes", "on", "enable", "everywhere"].map((word) => [word, "everywhere"] as const),
  ...["subagent_only", "subagents-only", "subagents"].map((word) => [word, "subagents"] as const),
  ...["false", "0", "no", "off", "disable", "disabled"].map((word) => [word, "off"] as const),
]);

/** How far things may go ahead by themselves. INVARIANT: a variable and a file can only lower it. */
export function automationLevel(automation: Automation, consent: Consent, env: Machine["env"]): AutomationLevel {
  let level = lowerAutomation(automation.when, consent.when);
  for (const said of [env["ASSENT_AUTO"], env["MCP_AUTO_APPROVE"]]) {
    const told = said === undefined ? undefined : SAID.get(said.trim().toLowerCase());
    if (told !== undefined) level = lowerAutomation(level, told);
  }
  return level;
}

/** After judging: who asks, whether a person has agreed, and how often it was refused may turn an allow into a question. */
export function holdBack(request: Request, verdict: RequestVerdict, policy: Policy, machine: Machine): RequestVerdict {
  if (verdict.decision !== "allow") return verdict;
  // Who writes `"unknown": "confine"` into their own policy has agreed to it; a mode needs somebody's word on this machine.
  const byMode = verdict.confined !== undefined && policy.settings.unknown !== "confine";
  if (byMode && readConsent(machine).modes === undefined) return holdBack(request, unconfined(verdict), policy, machine);
  const { automation } = policy.settings;
  const consent = readConsent(machine);
  const level = automationLevel(automation, consent, machine.env);
  const refusedInARow = (): number => denialsInARow(machine, breakerKey(request), automation.breaker.minutes);
  const why = whyDowngraded(request, verdict, automation, { level, consent, refusedInARow });
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
