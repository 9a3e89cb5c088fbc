import { describe, expect, it } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, scratch } from "../scratch.ts";

const answerTo = (tool_name: string, tool_input: object, policy = "{}"): string => {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", policy);
  const protocol = agentNamed("commandcode")?.protocol;
  const payload = { hook_event_name: "PreToolUse", session_id: "s", cwd: place.project, tool_name, tool_display_name: "X", tool_input };
  const reading = protocol?.read({ payload, event: "PreToolUse", env: { HOME: place.home }, folder: place.project });
  if (protocol === undefined || reading === undefined) throw new Error("Command Code is missing");
  if (reading.is !== "request") return `${reading.is}: ${reading.why}`;
  const { envelope } = protocol.write(decide(reading.request, { machine: place.machine, ...engine, audit: false }));
  return JSON.stringify(envelope);
};

/** Command Code 1.64.0 changes a call after its hooks have heard it. */
describe("Command Code's calls are judged as they are carried out", () => {
  it.each([
    ["words beside the command", "shell_command", { command: "rm", args: ["-rf", "/"] }, /deny/],
    ["words that the shell would read once more", "shell_command", { command: "ls", args: ["; rm -rf ~"] }, /deny/],
    ["harmless words beside the command", "shell_command", { command: "ls", args: ["-la"] }, /^\{\}$/],
    ["words as a text", "shell_command", { command: "ls", args: '["-la"]' }, /problem: `args` is not a list/],
    ["a command by another name", "shell_command", { command: "", cmd: "rm -rf ~" }, /problem: the tool has no field `cmd`/],
    ["a file by another name", "read_file", { path: "~/.ssh/id_rsa" }, /problem: the tool has no field `path`/],
    ["a link of Markdown", "read_file", { file_path: "[a](~/.ssh/id_rsa)" }, /problem: .*a link of Markdown/],
    ["several files from a folder", "read_file", { paths: ["id_rsa"], target_directory: "~/.ssh" }, /deny/],
    ["several files", "read_file", { paths: ["a.ts", "b.ts"] }, /^\{\}$/],
    ["a command typed for the user", "run_command", { command: "/mode bypass" }, /deny/],
    ["a sub-agent, whose calls reach no hook", "agent", { description: "x", prompt: "y" }, /approval required/],
  ])("%s", (_title, tool, input, expected) => {
    expect(answerTo(tool, input)).toMatch(expected);
  });

  it("a rule lets sub-agents start", () => {
    expect(answerTo("agent", { prompt: "y" }, '{ "permissions": { "allow": ["agent"] } }')).toBe("{}");
  });
});
