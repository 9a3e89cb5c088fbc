import { expect, it } from "vitest";
import { confinedCommand } from "@assent/core/action";
import { AGENT_IDS, agentNamed } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, scratch } from "../scratch.ts";
import { HOSTS } from "./envelopes.ts";

/** What every host is told where it can confine: `golden/confined.md` holds what goes in and what comes out. */
const POLICY = '{ "unknown": "confine", "permissions": { "deny": ["Bash(terraform:*)"], "ask": ["Bash(make:*)"] } }';

const COMMANDS = ["./build.sh 'it'\\''s'", "ls -la", "make all", "terraform apply"];

/** Hosts that are told to start another command, by the events on which they are. */
const CONFINING = [
  "claude PermissionRequest",
  "cline PreToolUse",
  "codex PreToolUse",
  "copilot preToolUse",
  "droid PreToolUse",
  "gemini BeforeTool",
  "kilo tool.execute.before",
  "opencode tool.execute.before",
  "pi tool_call",
  "qwen PermissionRequest",
] as const;

const TICKET = "0123456789abcdef";

it("golden/confined.md: a command that goes ahead sandboxed, in every host's own words", async () => {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", POLICY);
  const { machine, home, project } = place;
  const shown = (value: unknown): string => JSON.stringify(value).replaceAll(project, "/p").replaceAll(home, "~");
  const lines = ["# Confined", "", "What hosts send, and what they are told. Written by confined-envelopes.test.ts, read by people.", ""];
  const confining: string[] = [];
  for (const id of AGENT_IDS)
    for (const { event, envelope, env } of HOSTS[id].events) {
      const protocol = agentNamed(id)?.protocol;
      for (const command of COMMANDS) {
        const payload = envelope({ shell: command }, project);
        if (protocol === undefined || payload === undefined) continue;
        const folder = { ...machine.env, ...env?.({ shell: command }) };
        const reading = protocol.read({ payload, event: event.includes(",") ? undefined : event, env: folder, folder: project });
        if (reading.is !== "request") throw new Error(`${id} ${event}: ${reading.why}`);
        const outcome = decide(reading.request, {
          machine,
          ...engine,
          audit: false,
          confine: ({ facts }) => {
            const instead = confinedCommand(home, TICKET, command);
            return { command: facts?.does === "shell" && facts.list === true ? [instead] : instead };
          },
        });
        const said = protocol.write(outcome);
        const confined = JSON.stringify(said).includes(TICKET);
        // What is known, asked or denied is never started in another way.
        expect([id, event, command, confined && command !== COMMANDS[0]]).toEqual([id, event, command, false]);
        if (!confined && !confining.includes(`${id} ${event}`)) break;
        if (confined) {
          confining.push(`${id} ${event}`);
          lines.push(`## ${agentNamed(id)?.name ?? id}: ${event}`, "");
        }
        lines.push("```", `> ${shown(payload)}`, `< ${shown(said.envelope ?? {})}`, "```", "");
      }
    }
  expect(confining.sort()).toEqual([...CONFINING].sort());
  await expect(lines.join("\n")).toMatchFileSnapshot("golden/confined.md");
});
