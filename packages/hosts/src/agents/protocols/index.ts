import { type AgentId, agentNamed } from "../all.ts";
import type { Protocol } from "../host/protocol.ts";

export { recognise } from "../auto.ts";

/** How an agent speaks. In hooks and runs the build puts in its place what evaluates the file of the agent that is asked for, and no other. */
export function protocolOf(id: AgentId): Protocol {
  const agent = agentNamed(id);
  if (agent === undefined) throw new Error(`the agent ${id} is missing`);
  return agent.protocol;
}
