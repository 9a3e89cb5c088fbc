import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type GuardAnswer, type GuardCall, type GuardOptions, probeSandbox } from "@assent/library/sdk";
import { hooks } from "@assent/library/sdk/claude-agent-sdk";
import { here } from "../../cli/run-place.ts";
import { scratch, type Scratch } from "../../scratch.ts";

/** Where an answer holds, what a host that only plans is told, and a home that is a link. */

describe("an answer that holds for longer, about files of the project", () => {
  it.each<readonly [string, GuardAnswer]>([
    ["for the session", { yes: "session" }],
    ["for a time", { yes: { for: "5m" } }],
    ["a rule", { yes: { rule: "Edit(src/**)" } }],
  ])("%s: in that project, and in no other", async (_, answer) => {
    const place = scratch();
    place.write("~/other/.git/HEAD", "");
    const call = { edit: "src/b.ts" };
    const guard = createGuard({ cwd: place.project, home: place.home, onAsk: () => answer });
    expect((await guard.check(call)).verdict).toBe("allow");
    const elsewhere = guard.with({ cwd: join(place.home, "other") });
    const verdicts = [guard, elsewhere].map((one) => one.decide(call));
    expect((await Promise.all(verdicts)).map(({ verdict }) => verdict)).toEqual(["allow", "ask"]);
    expect((await elsewhere.decide({ edit: join(place.project, "src/b.ts") })).verdict).toBe("ask");
  });
});

describe("a host that only plans", () => {
  const ask = async (place: Scratch, guard: Guard, mode: string, tool: string, input: object) => {
    const payload = { hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, session_id: "s", cwd: place.project };
    const said = await hooks(guard).PreToolUse[0]?.hooks[0]?.({ ...payload, tool_use_id: "1", permission_mode: mode });
    return said?.hookSpecificOutput?.permissionDecision;
  };
  it.each<readonly [tool: string, input: Record<string, string>, works: string, plans: string]>([
    ["Write", { file_path: "src/a.ts", content: "x" }, "allow", "ask"],
    ["Bash", { command: "npm test" }, "allow", "ask"],
    ["Bash", { command: "ls" }, "allow", "allow"],
    ["Read", { file_path: "README.md" }, "allow", "allow"],
    ["Bash", { command: "rm -rf ~" }, "deny", "deny"],
  ])("%s %j: %s while it works, %s while it plans", async (tool, input, works, plans) => {
    const place = scratch();
    const guard = createGuard({
      cwd: place.project,
      home: place.home,
      policy: { permissions: { allow: ["Edit(src/**)", "Bash(npm test:*)"] } },
    });
    expect([await ask(place, guard, "default", tool, input), await ask(place, guard, "plan", tool, input)]).toEqual([works, plans]);
  });

  it("has nothing started confined by whoever is asked next", async () => {
    if (!(await probeSandbox())) return;
    const place = scratch();
    place.write("x.sh", "echo x > made");
    const asked: string[] = [];
    const guard = createGuard({ cwd: place.project, home: place.home, confine: true, onAsk: ({ text }) => asked.push(text) < 0 });
    for (const [mode, behavior, questions] of [
      ["default", "allow", 0],
      ["plan", "deny", 1],
    ] as const) {
      expect(await ask(place, guard, mode, "Bash", { command: "sh x.sh" })).toBe("ask");
      const answer = await guard.canUseTool("Bash", { command: "sh x.sh" }, { signal: new AbortController().signal, toolUseID: "1" });
      expect([answer.behavior, asked.length]).toEqual([behavior, questions]);
    }
  });
});

describe("a home that is a link", () => {
  const CALLS = (home: string): readonly GuardCall[] => [
    { read: "~/.ssh/id_rsa" },
    { read: join(home, ".ssh/id_rsa") },
    { shell: "cat ~/.ssh/id_rsa" },
    { shell: 'cat "$HOME/.ssh/id_rsa"' },
    { shell: `cat ${home}/.ssh/id_rsa` },
    { edit: "~/.bashrc" },
    { shell: "rm -rf ~" },
    { shell: `rm -rf ${home}/` },
    { read: "~/notes.md" },
  ];
  it.each<readonly [string, GuardOptions]>([
    ["files: none", {}],
    ["files: user", { files: "user", audit: false }],
    ["confine", { confine: true }],
  ])("%s: each call gets the verdict that it gets by the real name", async (_, options) => {
    const place = scratch();
    place.write("~/.ssh/id_rsa", "SECRET");
    const link = join(place.root, "link");
    symlinkSync(place.home, link);
    const verdictsOf = async (home: string, names: string): Promise<readonly string[]> => {
      const env = { ...place.machine.env, HOME: home };
      const guard = (): Guard => createGuard({ cwd: place.project, home, env, ...options });
      return await Promise.all(CALLS(names).map(async (call) => (await guard().decide(call)).verdict));
    };
    const real = await verdictsOf(place.home, place.home);
    expect(real.slice(0, 8)).not.toContain("allow");
    for (const [home, names] of [
      [link, place.home],
      [link, link],
      [place.home, link],
    ] as const)
      expect(await verdictsOf(home, names)).toEqual(real);
  });

  it("what runs confined gets no secret by either name", async () => {
    if (!(await probeSandbox())) return;
    const place = here();
    place.write("~/.ssh/id_rsa", "SECRET");
    const link = join(place.root, "link");
    symlinkSync(place.home, link);
    place.write("x.sh", `cat ~/.ssh/id_rsa ${link}/.ssh/id_rsa ${place.home}/.ssh/id_rsa 2>&1; echo end`);
    const env = { ...place.machine.env, HOME: link };
    const outcome = await createGuard({ cwd: place.project, home: link, env, confine: true }).check({ shell: "sh x.sh" });
    const [program = "", ...words] = outcome.verdict === "allow" ? (outcome.start?.argv ?? []) : [];
    const { stdout } = spawnSync(program, words, { cwd: place.project, env, encoding: "utf8" });
    expect(stdout).toMatch(/end\n$/);
    expect(stdout).not.toContain("SECRET");
  });
});
