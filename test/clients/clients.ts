import type { Client } from "./client.ts";
import { claude } from "./hosts/claude.ts";
import { cline } from "./hosts/cline.ts";
import { codex } from "./hosts/codex.ts";
import { commandCode } from "./hosts/commandcode.ts";
import { copilot } from "./hosts/copilot.ts";
import { droid } from "./hosts/droid.ts";
import { gemini } from "./hosts/gemini.ts";
import { kilo } from "./hosts/kilo.ts";
import { kimi } from "./hosts/kimi.ts";
import { opencode } from "./hosts/opencode.ts";
import { pi } from "./hosts/pi.ts";
import { qwen } from "./hosts/qwen.ts";

export const CLIENTS: readonly Client[] = [claude, codex, opencode, kilo, gemini, qwen, pi, copilot, droid, cline, commandCode, kimi];

export const clientNamed = (id: string): Client | undefined => CLIENTS.find((client) => client.id === id);
