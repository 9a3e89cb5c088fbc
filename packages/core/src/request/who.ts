import { agentName, type Principal, type Who } from "../policy/index.ts";
import type { Request } from "./request.ts";

/** Who asks, as the host tells it: the environment of a process says nothing about who it is. */
interface AgentIdentity {
  /** The host agent. */
  readonly agent: string;
  /** Type of the sub-agent; undefined: the main agent. */
  readonly subagent: string | undefined;
}

/** `reviewer:a81f` is the sub-agent `reviewer`; a type may hold colons itself, an id does not. */
export function identityOf({ agent, subagent }: Pick<Request, "agent" | "subagent">): AgentIdentity {
  if (subagent === undefined) return { agent: agentName(agent), subagent: undefined };
  const colon = subagent.lastIndexOf(":");
  const type = agentName(colon > 0 ? subagent.slice(0, colon) : subagent);
  // A sub-agent without a name is one that nobody has trusted.
  return { agent: agentName(agent), subagent: type };
}

/** As rules are held against who asks. */
export function whoOf(
  request: Pick<Request, "agent" | "subagent" | "session" | "principal">,
  { user: account }: Pick<Principal, "user">,
): Who {
  const { agent, subagent } = identityOf(request);
  const { principal: { user = account, tenant, role } = {}, session } = request;
  const roles = role === undefined ? undefined : typeof role === "string" ? [role] : role;
  return { user, tenant, roles, session, agents: subagent === undefined ? [agent] : [subagent, agent] };
}

/** Names whom something was granted: what one agent of somebody may is no yes to another. Empty where one asks for itself. */
export function granteeOf({ principal, agent }: Pick<Request, "principal" | "agent">): string {
  return principal === undefined ? "" : JSON.stringify([holderOf({ principal }), agentName(agent)]);
}

/** Names whom something is remembered of; empty where one asks for itself. */
export function holderOf({ principal }: Pick<Request, "principal">): string {
  if (principal === undefined) return "";
  const { user = "", tenant = "", role = [] } = principal;
  return JSON.stringify([tenant, user, ...(typeof role === "string" ? [role] : role.toSorted())]);
}
