import { describe, expect, it } from "vitest";
import { decide, type Host, type ToolFacts } from "@assent/guard/engine";
import { engine } from "../scratch.ts";
import { place } from "./place.ts";

// Several commands in one call: a rule for one of them says nothing of what another does.

const here = place();
const HOST: Host = { shell: "any", decides: true, asks: false, bypassed: false, planning: false };
const LIST: ToolFacts = { does: "shell", field: "commands", list: true };

function verdict(commands: readonly string[]): string {
  here.user({ permissions: { allow: ["Bash(git status)", "Bash(ls)", "Bash(touch:*)"] } });
  const request = { tool: "run_commands", facts: LIST, input: { commands }, cwd: here.project, host: HOST, point: "test", agent: "cline" };
  return decide(request, { machine: here.machine, ...engine, audit: false }).verdict.decision;
}

describe("as each of them alone", () => {
  it.each([
    [["git status", "rm a.txt"], "ask"],
    [["ls", "cp a.txt b.txt"], "ask"],
    [["ls", "git status", "curl https://x.example"], "ask"],
    [["touch a", "mv a.txt b.txt", "ls"], "ask"],
    [["touch a", "npx frob"], "none"],
    [["ls", "env frob", "python3 -m pip install x"], "ask"],
    [["git status", "ls"], "allow"],
    [["ls", "touch a"], "allow"],
    [["rm a.txt", "ls"], "ask"],
  ])("%j: %s", (commands, expected) => expect(verdict(commands)).toBe(expected));
});
