export { AGENT_IDS, agentNamed, AGENTS, isAgentId, REFERENCE, type AgentId } from "./all.ts";
export type { Agent, HostCommands, HostFacts, InstallPlace, KeyOfFile, Registration, Setup, SettingValue } from "./host/agent.ts";
export { recognise } from "./auto.ts";
export { OTHERS } from "./others.ts";
export type { HookCall, Envelope, Protocol, Reading, Reply, Wrapping } from "./host/protocol.ts";
