import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { query } from "@assent/guard/audit";
import { DIST, scratch, type Scratch } from "../scratch.ts";

const CALLS = 200;
/** Started as fast as they can be; this many are alive at a time at most. */
const AGENTS = ["claude", "codex", "gemini", "copilot"] as const;

interface Answer {
  readonly at: number;
  readonly out: string;
  readonly status: number | null;
}

const command = (at: number): string => (at % 2 === 0 ? `echo call-${at}` : `terraform apply call-${at}`);

function envelope(agent: (typeof AGENTS)[number], at: number, cwd: string): string {
  if (agent === "copilot") return JSON.stringify({ sessionId: `s${at}`, cwd, toolName: "bash", toolArgs: { command: command(at) } });
  const event = agent === "gemini" ? "BeforeTool" : "PreToolUse";
  const tool = agent === "gemini" ? "run_shell_command" : "Bash";
  return JSON.stringify({ session_id: `s${at}`, cwd, hook_event_name: event, tool_name: tool, tool_input: { command: command(at) } });
}

async function call(place: Scratch, at: number): Promise<Answer> {
  const agent = AGENTS[at % AGENTS.length] ?? "claude";
  const event = agent === "gemini" ? "BeforeTool" : agent === "copilot" ? "preToolUse" : "PreToolUse";
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "check", "--agent", agent, "--event", event], {
      env: { HOME: place.home, PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.on("error", reject);
    child.on("close", (status) => resolve({ at, out, status }));
    child.stdin.end(envelope(agent, at, place.project));
  });
}

describe("many hooks at once", () => {
  it(`${CALLS} processes: every answer right, every line in the log`, async () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(terraform:*)"] } }');
    const answers = await Promise.all(Array.from({ length: CALLS }, async (_, at) => await call(place, at)));
    for (const { at, out, status } of answers) {
      expect([at, status, /"(?:permissionDecision|decision)":"deny"/.test(out)]).toEqual([at, 0, at % 2 === 1]);
      expect(() => JSON.parse(out) as unknown).not.toThrow();
    }
    const logged = [...query(join(place.home, ".local/state/assent"), {})].map(({ line }) => /call-(\d+)/.exec(line)?.[1]);
    expect(logged.length).toBe(CALLS);
    expect(new Set(logged).size).toBe(CALLS);
  });
});
