import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT_IDS, agentNamed } from "@assent/hosts/agents";
import { installPlace } from "@assent/hosts/agents/install";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

const INSTALLABLE = AGENT_IDS.filter((id) => id !== "generic");
const ALL = ["--agent", INSTALLABLE.join(",")];

const CLAUDE = `{
    // mine
    "model": "opus", "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "echo hi" } ] } // another's
        ],
    },
}
`;
const CODEX = 'model = "x" # c\n[features]\ncodex_hooks = true\nother = 1\n';
const AMP = '{ "amp.permissions": [ { "tool": "Bash", "action": "allow" } ] }';

/** Settings of people who use some of the agents already. */
function settled(): Scratch {
  const place = scratch();
  place.write("~/.claude/settings.json", CLAUDE);
  place.write("~/.codex/config.toml", CODEX);
  place.write("~/.config/amp/settings.json", AMP);
  place.write("~/.cursor/hooks.json", '{"version":1,"hooks":{"stop":[{"command":"x"}]}}');
  return place;
}

function treeOf(place: Scratch): Record<string, string> {
  const files: Record<string, string> = {};
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (
        path.endsWith(".local/state") ||
        path.endsWith(".local/share/assent/app") ||
        /share\/assent\/rescue/.test(path) ||
        entry.name === ".git"
      )
        continue;
      if (entry.isDirectory()) look(path);
      else files[path.slice(place.home.length)] = readFileSync(path, "utf8");
    }
  };
  look(place.home);
  return files;
}

describe("assent install", () => {
  it("A46: registers with every agent, once, and takes all of it out again byte for byte", () => {
    const place = settled();
    const before = treeOf(place);
    const first = assent(place, ["install", "--yes", ...ALL]);
    expect([first.status, first.stderr]).toEqual([0, ""]);
    const after = treeOf(place);
    for (const id of INSTALLABLE) {
      const here = installPlace(id, { node: process.execPath, folder: DIST }, place.machine, undefined);
      for (const { file } of agentNamed(id)
        ?.setup?.registrations(here)
        .filter((each) => each.is !== "file" || each.keeps === undefined) ?? [])
        expect([id, file, Object.hasOwn(after, file.slice(place.home.length))]).toEqual([id, file, true]);
    }
    const again = assent(place, ["install", "--yes", ...ALL]);
    // The hook that was there before is not ours, and may ask as well.
    const other =
      "asked before commands, too; if it asks or refuses, so that both do:\n  claude: another hook in ~/.claude/settings.json: `echo hi`\n";
    expect(again.stdout).toBe(`${INSTALLABLE.map((id) => `${id}: up to date\n`).join("")}${other}`);
    expect(treeOf(place)).toEqual(after);
    expect(assent(place, ["uninstall", "--yes"]).status).toBe(0);
    expect(treeOf(place)).toEqual(before);
    expect(assent(place, ["uninstall", "--yes"]).stdout).toMatch(/^nothing is registered\nwhat stays, until `assent uninstall --all`:\n/);
  });

  it("keeps what is others': hooks, comments, layout, order, modes, links", () => {
    const place = settled();
    const real = place.write("~/dotfiles/claude.json", CLAUDE);
    const link = join(place.home, ".claude/settings.json");
    chmodSync(real, 0o640);
    spawnSync("ln", ["-sf", real, link]);
    expect(assent(place, ["install", "--yes", "--agent", "claude,amp,codex"]).status).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    const text = readFileSync(real, "utf8");
    expect(text).toMatch(/^\{\n {4}\/\/ mine\n {4}"model": "opus", "hooks": \{\n/);
    expect(text).toContain('"command": "echo hi" } ] }, // another\'s');
    // First match wins there.
    expect(readFileSync(join(place.home, ".config/amp/settings.json"), "utf8")).toMatch(/delegate[\s\S]*"Bash"/);
    expect(readFileSync(join(place.home, ".codex/config.toml"), "utf8")).toBe('model = "x" # c\n[features]\nhooks = true\nother = 1\n');
    // Changed since: ours goes, the change stays.
    writeFileSync(real, text.replace("// mine", "// mine, changed"));
    expect(assent(place, ["uninstall", "--yes"]).status).toBe(0);
    expect(readFileSync(real, "utf8")).toBe(CLAUDE.replace("// mine", "// mine, changed"));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it("keeps a copy of what it changes, which nobody else may read", () => {
    const place = settled();
    const { stdout } = assent(place, ["install", "--yes", "--agent", "claude"]);
    const copy = /\(copy: ~(.*)\)/.exec(stdout)?.[1] ?? "";
    expect(readFileSync(join(place.home, copy), "utf8")).toBe(CLAUDE);
    expect(statSync(join(place.home, copy)).mode & 0o077).toBe(0);
  });

  it("replaces what another installation of itself wrote, and nothing else", () => {
    const place = scratch();
    const old = "/usr/bin/env -u X HOME=/h /old/node '/old place/assent/dist/bin.cjs' check --agent claude --event PreToolUse || exit 2";
    const group = (...commands: string[]): unknown => ({ matcher: "*", hooks: commands.map((command) => ({ type: "command", command })) });
    const file = place.write(
      "~/.claude/settings.json",
      JSON.stringify({
        hooks: { PreToolUse: [group(old, "keep"), group(old)], Stop: [group("assent check --agent claude --event Stop")] },
      }),
    );
    expect(assent(place, ["install", "--yes", "--agent", "claude"]).status).toBe(0);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain("/old");
    expect(text).toContain('"keep"');
    expect(text.match(/"check",\s*"--agent",\s*"claude"/g)).toHaveLength(4);
    const events = ["PreToolUse", "PermissionRequest", "PreSkillShellCommand", "SessionStart"];
    expect(Object.keys((JSON.parse(text) as { hooks: object }).hooks)).toEqual(events);
  });

  it("replaces what it wrote before there was a launcher, and takes that out as well", () => {
    const FORMS = [
      "/usr/bin/env -u NODE_OPTIONS -u NODE_PATH HOME=/h /n/node /a/dist/bin.cjs check --agent claude --event PreToolUse || { exit 2; }",
      "/usr/bin/env -i HOME=/h ${PATH+\"PATH=$PATH\"} '/n x/node' '/a b/dist/bin.cjs' check --agent claude --event PreToolUse || exit 2",
      "assent check --agent claude --event PreToolUse",
    ];
    const launched = {
      command: "/a b/dist/launch-x64",
      args: ["HOME=/h", "/n/node", "/a b/dist/bin.cjs", "check", "--agent", "claude", "--event", "PreToolUse"],
    };
    for (const form of [...FORMS.map((command) => ({ command })), launched]) {
      const place = scratch();
      const mine = { hooks: [{ type: "command", command: "/usr/bin/mine", args: ["check", "--agent", "x"] }] };
      const settings = { hooks: { PreToolUse: [mine, { matcher: "*", hooks: [{ type: "command", ...form }] }] } };
      const file = place.write("~/.claude/settings.json", JSON.stringify(settings));
      expect(assent(place, ["install", "--yes", "--agent", "claude"]).status).toBe(0);
      const text = readFileSync(file, "utf8");
      expect([text.includes("/h"), text.includes("/usr/bin/mine"), text.match(/"PreToolUse"/g)?.length]).toEqual([
        text.includes(`${place.home}`),
        true,
        2,
      ]);
      expect(text).not.toContain("/a b/");
      expect(assent(place, ["install", "--yes", "--agent", "claude"]).stdout).toContain("claude: up to date");
      place.write("~/.claude/settings.json", JSON.stringify(settings));
      expect(assent(place, ["uninstall", "--yes", "--agent", "claude"]).status).toBe(0);
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ hooks: { PreToolUse: [mine] } });
    }
  });

  /** [file, text, what is said] */
  const BROKEN: readonly (readonly [agent: string, file: string, text: string, said: RegExp])[] = [
    ["claude", "~/.claude/settings.json", '{\n  "hooks": {\n    oops\n', /claude: ~\/\.claude\/settings\.json:4:1: /],
    ["claude", "~/.claude/settings.json", "[1]", /settings\.json:1:1: is not an object/],
    ["claude", "~/.claude/settings.json", '{ "hooks": [] }', /hooks/],
    ["claude", "~/.claude/settings.json", '{ "hooks": { "PreToolUse": {} } }', /`hooks\.PreToolUse` is not a list/],
    ["codex", "~/.codex/config.toml", "a = 1\n[features\n", /codex: ~\/\.codex\/config\.toml:2:/],
    ["opencode", "~/.config/opencode/plugins/assent.js", "export const mine = 1;\n", /was not written by Assent/],
  ];
  it.each(BROKEN)("%s: refuses a file it cannot change safely: %s", (agent, file, text, said) => {
    const place = scratch();
    const path = place.write(file, text);
    const run = assent(place, ["install", "--yes", "--agent", `${agent},gemini`]);
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(said);
    expect(readFileSync(path, "utf8")).toBe(text);
    // The others are registered all the same; of this one, nothing is.
    expect(run.stdout).toContain("gemini: wrote");
    expect(run.stdout).not.toContain(`${agent}: wrote`);
    expect(assent(place, ["uninstall", "--yes", "--agent", "gemini"]).status).toBe(0);
  });

  it("--dry-run shows and writes nothing; without a terminal it does not write unasked", () => {
    const place = settled();
    const before = treeOf(place);
    const dry = assent(place, ["install", "--dry-run", "--agent", "claude,codex"]);
    expect(dry.status).toBe(0);
    expect(dry.stdout).toMatch(/^\+.*check --agent codex --event PreToolUse/m);
    expect(dry.stdout).toMatch(/^\+.*"claude"/m);
    expect(dry.stdout).toContain("claude: would write ~/.claude/settings.json");
    const blind = spawnSync("setsid", ["-w", process.execPath, join(DIST, "bin.cjs"), "install", "--agent", "claude"], {
      cwd: place.project,
      env: { PATH: process.env["PATH"], HOME: place.home },
      encoding: "utf8",
    });
    expect(blind.status).toBe(1);
    expect(blind.stderr).toMatch(/this is not a terminal/);
    expect(treeOf(place)).toEqual(before);
  });

  it("finds the agents by their programs and folders", () => {
    const place = settled();
    expect(assent(place, ["install", "--dry-run"]).stdout.match(/^\w+(?=: would)/gm)).toEqual([
      "claude",
      "codex",
      "codex",
      "cursor",
      "amp",
      "amp",
    ]);
    const empty = scratch();
    expect(assent(empty, ["install", "--yes"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("no agent was found") as unknown,
    });
    const bin = empty.write("~/bin/qwen", "#!/bin/sh\n");
    chmodSync(bin, 0o755);
    const run = assent(empty, ["install", "--yes"], "", { PATH: `${join(empty.home, "bin")}:/usr/bin:/bin` });
    expect(run.stdout).toContain("qwen: wrote ~/.qwen/settings.json");
  });

  it("A45: through rulesync where it is used, OpenCode directly", () => {
    const place = scratch();
    expect(assent(place, ["install", "--yes", "--mode", "rulesync", "--agent", "claude"]).status).toBe(2);
    place.write("~/.rulesync/hooks.json", '{\n  // mine\n  "hooks": { "sessionStart": [{ "command": "x" }] }\n}\n');
    const run = assent(place, ["install", "--yes", "--agent", "claude,codex,gemini,opencode"]);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^through rulesync/);
    const text = readFileSync(join(place.home, ".rulesync/hooks.json"), "utf8");
    expect(text).toContain("// mine");
    const hooks = JSON.parse(text.replace("// mine", "")) as Record<
      string,
      { hooks: Record<string, { matcher: string; timeout: number }[]> }
    >;
    expect(hooks["version"]).toBe(1);
    expect(hooks["claudecode"]?.hooks["preToolUse"]?.[0]).toMatchObject({ matcher: "*", timeout: 30 });
    expect(hooks["codexcli"]?.hooks["permissionRequest"]?.[0]).toMatchObject({ matcher: ".*", timeout: 30 });
    expect(hooks["geminicli"]?.hooks["preToolUse"]?.[0]).toMatchObject({ matcher: ".*", timeout: 30_000 });
    expect(existsSync(join(place.home, ".claude"))).toBe(false);
    expect(existsSync(join(place.home, ".config/opencode/plugins/assent.js"))).toBe(true);
    expect(assent(place, ["install", "--yes", "--agent", "claude,codex,gemini,opencode"]).stdout).toContain("gemini: up to date");
    expect(assent(place, ["uninstall", "--yes", "--agent", "codex"]).status).toBe(0);
    const rest = readFileSync(join(place.home, ".rulesync/hooks.json"), "utf8");
    expect([rest.includes("--agent codex"), rest.includes("--agent claude")]).toEqual([false, true]);
    expect(assent(place, ["uninstall", "--yes"]).status).toBe(0);
    expect(readFileSync(join(place.home, ".rulesync/hooks.json"), "utf8")).toBe(
      '{\n  // mine\n  "hooks": { "sessionStart": [{ "command": "x" }] }\n}\n',
    );
  });

  it("in a project with --local", () => {
    const place = scratch();
    expect(assent(place, ["install", "--yes", "--local", "--agent", "claude,kilo"]).status).toBe(0);
    expect(existsSync(join(place.project, ".claude/settings.json"))).toBe(true);
    expect(existsSync(join(place.project, ".kilo/plugin/assent.js"))).toBe(true);
    expect(existsSync(join(place.home, ".claude"))).toBe(false);
    expect(assent(place, ["uninstall", "--yes", "--local"]).status).toBe(0);
    expect(existsSync(join(place.project, ".claude"))).toBe(false);
  });

  it.each([["nobody"], ["generic"]])("--agent %s is wrong usage", (agent) => {
    expect(assent(scratch(), ["install", "--yes", "--agent", agent]).status).toBe(2);
  });
});

describe("the registered command", () => {
  const envelope = (place: Scratch): string =>
    JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "cat .env" }, cwd: place.project });
  const hook = (place: Scratch, node = process.execPath): string =>
    installPlace("codex", { node, folder: DIST }, place.machine, undefined).command("PreToolUse");
  const start = (place: Scratch, command: string, env: Record<string, string>) =>
    spawnSync("/bin/sh", ["-c", command], { cwd: place.project, input: envelope(place), env, encoding: "utf8" });

  it("answers without PATH, and whatever the environment says", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": [{ "rule": "Bash(cat:*)", "reason": "NO CATS" }] } }');
    const evil = place.write("~/evil/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Read(**/.env)", "Bash(cat:*)"] } }');
    const env = {
      HOME: join(place.home, "evil"),
      NODE_OPTIONS: "--require /no/such/file",
      NODE_PATH: "/x",
      ASSENT_POLICY: evil,
      XDG_STATE_HOME: "/no",
    };
    const run = start(place, hook(place), env);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("NO CATS");
  });

  it("works from a place with spaces and quotes", () => {
    const place = scratch();
    mkdirSync(join(place.home, "it's here"));
    symlinkSync(process.execPath, join(place.home, "it's here/node"));
    const run = start(place, hook(place, join(place.home, "it's here/node")), {});
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain('"deny"');
  });

  it("refuses by exit code 2 when node is gone or the program is damaged", () => {
    const place = scratch();
    const gone = start(place, hook(place, "/no/such/node"), {});
    expect([gone.status, gone.stdout]).toEqual([2, ""]);
    expect(gone.stderr).toMatch(/Node or Assent is missing.*refused.*sh ~\/.local\/share\/assent\/rescue/);
    const empty = installPlace("codex", { node: process.execPath, folder: place.home }, place.machine, undefined).command("PreToolUse");
    expect(start(place, empty, {}).status).toBe(2);
  });

  it("as a script of Cline it cancels when it cannot be started", () => {
    const place = scratch();
    const here = installPlace("cline", { node: "/no/such/node", folder: DIST }, place.machine, undefined);
    const script = agentNamed("cline")
      ?.setup?.registrations(here)
      .find((each) => each.is === "file" && each.keeps === undefined);
    if (script?.is !== "file") throw new Error("no script");
    for (const text of [script.text, script.earlier?.text ?? ""]) {
      const run = spawnSync("/bin/sh", ["-c", text], { input: "{}", encoding: "utf8" });
      expect(JSON.parse(run.stdout)).toMatchObject({ cancel: true });
    }
  });
});

describe("plugins", () => {
  it.each([["opencode"], ["pi"]] as const)("%s: refuses everything when the program is gone", async (id) => {
    const place = scratch();
    const here = installPlace(id, { node: process.execPath, folder: join(place.root, "gone") }, place.machine, undefined);
    const [own] = agentNamed(id)?.setup?.registrations(here) ?? [];
    if (own?.is !== "file") throw new Error("no file");
    const loaded = (await import(place.write("~/plugin.mjs", own.text))) as Record<string, (given: unknown) => unknown>;
    if (id === "pi") {
      const handlers: ((event: unknown, context: unknown) => Promise<unknown>)[] = [];
      loaded["default"]?.({ on: (_name: string, handler: (typeof handlers)[number]) => handlers.push(handler) });
      expect(await handlers[0]?.({}, {})).toMatchObject({ block: true });
    } else {
      const hooks = (await loaded["Assent"]?.({})) as Record<string, (a: unknown, b: unknown) => Promise<void>>;
      await expect(hooks["tool.execute.before"]?.({}, {})).rejects.toThrow(/install it again/);
    }
  });
});
