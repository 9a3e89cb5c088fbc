import { agentName, type Automation, type RequestVerdict, type Verdict, verdictOf } from "../policy/index.ts";
import type { Request } from "./request.ts";
import { identityOf } from "./who.ts";

/** What is known of who may go ahead without a person, besides the policy. */
export interface Automated {
  /** How far things may go ahead by themselves. */
  readonly level: Automation["when"];
  /** What somebody has agreed to, besides the policy. */
  readonly consent: { readonly modes?: string | undefined; readonly trusted: readonly string[]; readonly restricted: readonly string[] };
  /** Requests of this session that were refused in a row. */
  readonly refusedInARow: () => number;
}

/** Why an allow is not given after all; undefined: it is. */
export function whyDowngraded(
  request: Request,
  verdict: RequestVerdict,
  automation: Automation,
  { level, consent, refusedInARow }: Automated,
): Verdict | undefined {
  const { agent, subagent } = identityOf(request);
  const named = (list: readonly string[], name: string | undefined): boolean =>
    name !== undefined && list.some((listed) => agentName(listed) === name);
  const restricted = [...automation.agents.restricted, ...consent.restricted];
  const who = subagent ?? agent;
  if (named(restricted, who) || named(restricted, agent))
    return verdictOf("ask", "automation.restricted", { reason: `the agent ${who} is restricted: you are asked about everything it wants` });
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
  const row = refusedInARow();
  if (row >= automation.breaker.denials)
    return verdictOf("ask", "automation.breaker", {
      reason: `the circuit breaker stopped this session: ${row} requests in a row were refused`,
    });
  return undefined;
}
