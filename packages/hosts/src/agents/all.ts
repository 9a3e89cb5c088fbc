import { AGENT_IDS as LISTED } from "@assent/core/policy";
import type { Agent } from "./host/agent.ts";
import { amp } from "./amp.ts";
import { claude } from "./claude/index.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex/index.ts";
import { commandCode } from "./commandcode.ts";
import { copilot } from "./copilot/index.ts";
import { cursor } from "./cursor/index.ts";
import { droid } from "./droid/index.ts";
import { gemini } from "./gemini/index.ts";
import { generic } from "./generic.ts";
import { kilo } from "./kilo.ts";
import { kimi } from "./kimi.ts";
import { kiro } from "./kiro.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";
import { qwen } from "./qwen/index.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";

/** Every agent. A line here and `npm run generate` make one known. */
export const AGENTS = [
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
  commandCode,
  kimi,
  generic,
] as const;

export type AgentId = (typeof AGENTS)[number]["id"];

/** `--agent`. The hook knows only these, and loads the part of the one that calls. */
export const AGENT_IDS: readonly AgentId[] = LISTED;

export function isAgentId(text: string): text is AgentId {
  return LISTED.some((id) => id === text);
}

/** The agent whose names of tools rules use, in whose words Assent shows what it does. */
export const REFERENCE: Agent = claude;

export function agentNamed(id: string): Agent | undefined {
  return AGENTS.find((agent) => agent.id === id);
}
