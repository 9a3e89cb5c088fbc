import type { Input } from "../guard/index.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude.ts";

export type { Agent, Call, Envelope, Reading } from "./agent.ts";

export const AGENTS: readonly Agent[] = [claude];

export function agentNamed(id: string): Agent | undefined {
  return AGENTS.find((agent) => agent.id === id);
}

/** `--agent auto`: the first host that knows the payload as its own, Claude Code when none does (ledger A42). */
export function recognisedAgent(payload: Input, event: string | undefined): Agent {
  return AGENTS.find((agent) => agent.recognises(payload, event)) ?? claude;
}
