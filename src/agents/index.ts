import type { Agent } from "./agent.ts";
import { amp } from "./amp.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { generic } from "./generic.ts";
import { kilo } from "./kilo.ts";
import { kiro } from "./kiro.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";

export type { Agent, InstallPlace, Registration, Setup, Value } from "./agent.ts";
export { recognise } from "./auto.ts";
export { AGENT_IDS, type AgentId, isAgentId } from "./ids.ts";
export type { Call, Envelope, Protocol, Reading, Reply } from "./protocol.ts";

/** In the order of `AGENT_IDS`. */
export const AGENTS: readonly Agent[] = [
  claude,
  codex,
  opencode,
  gemini,
  qwen,
  copilot,
  cursor,
  cline,
  droid,
  pi,
  kilo,
  amp,
  windsurf,
  kiro,
  vscode,
  generic,
];

export function agentNamed(id: string): Agent | undefined {
  return AGENTS.find((agent) => agent.id === id);
}
