import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decide } from "@assent/guard/engine";
import { TOOL_FOLDERS } from "../../packages/core/src/policy/tables/startup-paths.ts";
import { engine, scratch } from "../scratch.ts";

/** One list says where programs lie: what is trusted to hold them may not be written by an agent, whatever the policy allows. */
describe("folders of programs", () => {
  const decisionOn = (command: string, path: string): string => {
    const { home, project, machine, write } = scratch({ env: { PATH: path } });
    write("~/.agent-permissions.jsonc", '{ "preset": "permissive", "permissions": { "allow": ["Bash", "Write(**)", "Edit(~/**)"] } }');
    return decide(
      {
        tool: "Bash",
        facts: { does: "shell", field: "command" },
        input: { command: command.replaceAll("~", home) },
        cwd: project,
        host: { shell: "bash", decides: true, asks: true, bypassed: false, planning: false },
        point: "test",
        agent: "claude",
        session: "s1",
      },
      { machine: { ...machine, env: { ...machine.env, PATH: path.replaceAll("~", home) } }, ...engine, audit: false },
    ).verdict.decision;
  };
  const SYSTEM = "/usr/bin:/bin";

  it.each(TOOL_FOLDERS)("~/%s is written by no agent", (folder) => {
    expect(decisionOn(`cp evil ~/${folder}/x/git`, SYSTEM)).toBe("deny");
  });

  it.each<readonly [path: string, file: string, decision: string]>([
    ["~/tools:/usr/bin:/bin", "~/tools/git", "deny"],
    ["/usr/bin:/bin:~/.mine/run/", "~/.mine/run/git", "deny"],
    ["~/tools:/usr/bin:/bin", "~/notes/git", "allow"],
    ["~/tools:/usr/bin:/bin", "~/tools/share/git", "allow"],
    // Somebody's home on PATH closes no project in it.
    ["~:/usr/bin:/bin", "~/project/src/git", "allow"],
    ["~/project/node_modules/.bin:/usr/bin:/bin", "~/project/node_modules/.bin/git", "allow"],
    ["node_modules/.bin:/usr/bin:/bin", "~/notes/git", "allow"],
  ])("with PATH=%s a program may be put at %s: %s", (path, file, decision) => {
    expect(decisionOn(`cp evil ${join(file)}`, path)).toBe(decision);
  });
});
