import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

const HOSTS = ["claude", "codex", "gemini", "opencode"] as const;
/** What a person had there before. */
const BEFORE: Readonly<Record<string, string>> = {
  "~/.claude/settings.json":
    '{\n  // mine\n  "model": "opus",\n  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }] }\n}\n',
  "~/.gemini/settings.json": '{ "theme": "x" }\n',
};

/** A machine with these agents, registered. */
function registered(hosts: readonly string[] = HOSTS): Scratch {
  const place = scratch();
  for (const [file, text] of Object.entries(BEFORE)) place.write(file, text);
  for (const folder of [".claude", ".codex", ".gemini", ".config/opencode"]) mkdirSync(join(place.home, folder), { recursive: true });
  const done = assent(place, ["install", "--yes", ...hosts.flatMap((host) => ["--agent", host])]);
  expect(done).toMatchObject({ status: 0 });
  return place;
}

/** Every file below home that names a hook of ours. */
function withEntries({ home }: Scratch, folder = home): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly string[] => {
    const path = join(folder, entry.name);
    if (/\.local$|\.cache$|^project$/.test(entry.name)) return [];
    if (entry.isDirectory()) return withEntries({ home } as Scratch, path);
    return /check.{1,6}--agent|Written by `assent install`/.test(readFileSync(path, "utf8")) ? [path] : [];
  });
}

/** Runs the script at a terminal: of programs it finds cat and mv, and neither Node nor Assent. */
function rescueBy(place: Scratch, shell: string, env: Readonly<Record<string, string>> = {}, answer = "yes"): string {
  const bin = join(place.root, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of ["cat", "mv"]) if (!existsSync(join(bin, name))) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  const start = `exec env -i ${Object.entries({ PATH: bin, HOME: place.home, ...env })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")} /usr/bin/${shell} '${place.home}/.local/share/assent/rescue'`;
  const { stdout } = spawnSync("script", ["-qec", start, "/dev/null"], {
    input: `${answer}\n`,
    encoding: "utf8",
    cwd: place.project,
    env: { PATH: "/usr/bin:/bin", HOME: place.home, SHELL: "/bin/sh", TERM: "xterm" },
    timeout: 20_000,
  });
  return stdout;
}

describe("the door on the bad day", () => {
  it.each(["dash", "busybox sh", "bash"])(
    "takes our entries out of every agent, byte for byte, without Node and without Assent: %s",
    (shell) => {
      const place = registered();
      expect(withEntries(place).length).toBeGreaterThanOrEqual(HOSTS.length);
      const done = rescueBy(place, shell);
      expect(done).toContain("Done.");
      expect(withEntries(place)).toEqual([]);
      for (const [file, text] of Object.entries(BEFORE)) expect(readFileSync(file.replace("~", place.home), "utf8")).toBe(text);
      // A copy of each stays, and once more changes nothing.
      expect(readdirSync(join(place.home, ".local/share/assent/rescue.d")).length).toBeGreaterThanOrEqual(HOSTS.length);
      expect(rescueBy(place, shell)).toContain("nothing of Assent is in it");
    },
  );

  it("leaves what a person wrote since", () => {
    const place = registered(["claude", "gemini"]);
    const claude = join(place.home, ".claude/settings.json");
    writeFileSync(claude, readFileSync(claude, "utf8").replace('"model": "opus"', '"model": "sonnet"'));
    const gemini = join(place.home, ".gemini/settings.json");
    writeFileSync(gemini, `${readFileSync(gemini, "utf8")}\n`);
    rescueBy(place, "dash");
    expect(withEntries(place)).toEqual([]);
    expect(readFileSync(claude, "utf8")).toBe(BEFORE["~/.claude/settings.json"]?.replace("opus", "sonnet"));
    expect(readFileSync(gemini, "utf8")).toBe(`${BEFORE["~/.gemini/settings.json"] ?? ""}\n`);
  });

  it.each([
    ["without a terminal", {}, false],
    ["in the shell of an agent", { CLAUDECODE: "1" }, true],
    ["in the shell of another", { GEMINI_CLI: "1" }, true],
  ])("is refused %s", (_name, env, terminal) => {
    const place = registered(["claude"]);
    const script = join(place.home, ".local/share/assent/rescue");
    const said = terminal
      ? rescueBy(place, "dash", env)
      : spawnSync("dash", [script], { input: "yes\n", encoding: "utf8", env: { PATH: "/usr/bin:/bin", HOME: place.home } }).stderr;
    expect(said).toContain("for a person, in a terminal of their own");
    expect(withEntries(place)).not.toEqual([]);
  });

  it("anything but yes changes nothing", () => {
    const place = registered(["claude"]);
    expect(rescueBy(place, "dash", {}, "ye")).toContain("Nothing was changed");
    expect(withEntries(place)).not.toEqual([]);
  });

  it("goes with the last registration", () => {
    const place = registered(["claude"]);
    expect(assent(place, ["uninstall", "--yes", "--agent", "claude"])).toMatchObject({ status: 0 });
    // Sessions that still run start the copy; `assent uninstall --all` takes it away.
    expect(readdirSync(join(place.home, ".local/share/assent"))).toEqual(["app"]);
  });

  it.each([
    "sh ~/.local/share/assent/rescue",
    "~/.local/share/assent/rescue",
    ". ~/.local/share/assent/rescue",
    "cd ~/.local/share/assent && ./rescue",
    "cd ~/.local/share/assent && sh rescue",
    "bash -c '. ~/.local/share/assent/rescue'",
    "script -qc 'sh ~/.local/share/assent/rescue' /dev/null",
    "env -i PATH=/bin dash $HOME/.local/share/assent/rescue",
    "busybox sh ~/.local/share/assent/rescue",
    "setsid -w sh ~/.local/share/assent/./rescue",
    "sh ~/.local/share/assent/rescu?",
  ])("an agent may not: %s", (line) => {
    const place = registered(["claude"]);
    expect(JSON.parse(assent(place, ["explain", "--json", line]).stdout)).toMatchObject({ verdict: "deny", basis: "floor" });
  });
});

interface Played {
  readonly status: number | null;
  readonly said: string;
}

/** Where each of four hosts has its registration, and a call of its tool for commands. */
const PLAYED: Readonly<Record<string, { readonly file: string; readonly call: (cwd: string) => object }>> = {
  claude: { file: ".claude/settings.json", call: (cwd) => pre("Bash", cwd) },
  codex: { file: ".codex/hooks.json", call: (cwd) => pre("Bash", cwd) },
  qwen: { file: ".qwen/settings.json", call: (cwd) => pre("run_shell_command", cwd) },
  gemini: { file: ".gemini/settings.json", call: (cwd) => ({ ...pre("run_shell_command", cwd), hook_event_name: "BeforeTool" }) },
};
const pre = (tool: string, cwd: string): object => ({
  hook_event_name: "PreToolUse",
  session_id: "s",
  cwd,
  tool_name: tool,
  tool_input: { command: "ls" },
});

/** What the host starts before a command, with what is broken in the place of what is there. */
function play(
  place: Scratch,
  host: string,
  broken: Readonly<Record<string, string>> = {},
  start: readonly string[] = ["sh", "-c"],
): Played {
  const { file, call } = PLAYED[host] ?? { file: "", call: () => ({}) };
  const text = readFileSync(join(place.home, file), "utf8");
  const hooks = (JSON.parse(text) as { readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly Hook[] }[]>> }).hooks;
  const [hook] = (hooks["PreToolUse"] ?? hooks["BeforeTool"] ?? []).flatMap((group) => group.hooks);
  const words = hook?.args === undefined ? hook?.command : [hook.command, ...hook.args].map((word) => `'${word}'`).join(" ");
  const line = Object.entries(broken).reduce((so, [there, instead]) => so.replaceAll(there, instead), words ?? "");
  const run = spawnSync(start[0] ?? "sh", [...start.slice(1), line], {
    input: JSON.stringify(call(place.project)),
    encoding: "utf8",
    cwd: place.project,
    env: { PATH: "/usr/bin:/bin", HOME: place.home },
  });
  return { status: run.status, said: `${run.stdout}${run.stderr}` };
}
interface Hook {
  readonly command: string;
  readonly args?: readonly string[];
}

/** What hooks start. */
const appOf = (place: Scratch): string => join(place.home, ".local/share/assent/app/dist");

/** Neither the Node that installed it nor one of the system. */
function noNode(place: Scratch): void {
  const finder = join(appOf(place), "node");
  writeFileSync(
    finder,
    readFileSync(finder, "utf8")
      .replaceAll(process.execPath, "/gone/node")
      .replaceAll(/\/(?:usr|opt)\//g, "/gone/"),
  );
}

describe.each(Object.keys(PLAYED))("%s, with a piece gone, names the piece and what works then", (host) => {
  const made = (): Scratch => {
    const place = scratch();
    mkdirSync(join(place.home, ".qwen"), { recursive: true });
    expect(assent(place, ["install", "--yes", "--agent", host])).toMatchObject({ status: 0 });
    return place;
  };
  const refuses = ({ status, said }: Played): void => {
    expect(status === 2 || /"(?:deny|block|ask)"/.test(said)).toBe(true);
    expect(said).not.toMatch(/"allow"/);
  };
  const isWhole = ({ said }: Played): void => expect(said).not.toMatch(/deny|block|missing/);

  it("nothing is broken: it goes ahead", () => expect(play(made(), host).said).not.toMatch(/deny|block|missing/));

  it("another Node than the one that installed it, and no package any more: it goes ahead", () => {
    const place = scratch();
    mkdirSync(join(place.home, ".qwen"), { recursive: true });
    const old = join(place.root, "v20.1.0/lib/node_modules/assent/dist");
    cpSync(DIST, old, { recursive: true });
    const run = spawnSync(process.execPath, [join(old, "bin.cjs"), "install", "--yes", "--agent", host], {
      cwd: place.project,
      env: { PATH: "/usr/bin:/bin", HOME: place.home },
      encoding: "utf8",
    });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    rmSync(join(place.root, "v20.1.0"), { recursive: true });
    noNode(place);
    const other = join(place.home, ".nvm/versions/node/v22.1.0/bin/node");
    mkdirSync(dirname(other), { recursive: true });
    symlinkSync(process.execPath, other);
    expect(play(place, host)).toEqual({ status: 0, said: expect.not.stringMatching(/deny|block|missing/) as unknown });
    // A Node that is too old, or is none, is passed over.
    const oldNode = place.write("~/.nvm/versions/node/v18.0.0/bin/node", "#!/bin/sh\nexit 1\n");
    chmodSync(oldNode, 0o755);
    expect(play(place, host).said).not.toMatch(/deny|block|missing/);
  });

  it("Node is gone", () => {
    const place = made();
    noNode(place);
    const told = play(place, host);
    refuses(told);
    expect(told.status === 2 || told.said.includes("deny")).toBe(true);
    expect(told.said).toMatch(/Node is missing/);
    expect(told.said).toContain("sh ~/.local/share/assent/rescue");
    expect(rescueBy(place, "dash")).toContain("Done.");
    expect(withEntries(place)).toEqual([]);
  });

  it("the package is gone", () => {
    const place = made();
    const told = play(place, host, { [appOf(place)]: "/gone/dist" });
    // What is started without a shell says so by itself: the host names the file that is missing.
    if (told.status === 127) expect(told.said).toContain("/gone/dist");
    else {
      refuses(told);
      expect(told.said).toContain("sh ~/.local/share/assent/rescue");
    }
    expect(rescueBy(place, "dash")).toContain("Done.");
    expect(withEntries(place)).toEqual([]);
  });

  it("the package is damaged", () => {
    const place = made();
    const damaged = join(place.root, "damaged");
    mkdirSync(damaged);
    for (const name of readdirSync(appOf(place)).filter(
      (one) => one === "bin.cjs" || one === "node" || /^(?:ask|launch|front|when|spare)-/.test(one),
    ))
      copyFileSync(join(appOf(place), name), join(damaged, name));
    const told = play(place, host, { [appOf(place)]: damaged });
    refuses(told);
    expect(told.said).toContain("Assent is damaged: install it again; in a terminal of your own: sh ~/.local/share/assent/rescue");
  });

  it("Node may not be started", () => {
    const place = made();
    const told = play(place, host, { [`${appOf(place)}/node`]: place.write("node", "") });
    refuses(told);
    expect(told.said).toContain("sh ~/.local/share/assent/rescue");
  });

  it.each([
    ["is broken", (place: Scratch) => place.write("~/.agent-permissions.jsonc", '{ "permissions": {')],
    ["is a folder", (place: Scratch) => mkdirSync(join(place.home, ".agent-permissions.jsonc"))],
  ])("the policy %s", (_name, damage) => {
    const place = made();
    damage(place);
    const told = play(place, host);
    refuses(told);
    expect(told.said).toContain(".agent-permissions.jsonc");
    expect(told.said).toContain("policy file");
    expect(assent(place, ["lint"]).stdout).toContain(".agent-permissions.jsonc");
  });

  it("the folder of what Assent remembers is gone, or something else: it goes ahead, and says so", () => {
    const place = made();
    const state = join(place.home, ".local/state/assent");
    rmSync(state, { recursive: true });
    isWhole(play(place, host));
    rmSync(state, { recursive: true, force: true });
    place.write(state, "");
    const told = play(place, host);
    isWhole(told);
    expect(told.said).toContain(`is not a directory; move it away: mv ${state} ${state}.old`);
    expect(rescueBy(place, "dash")).toContain("Done.");
    expect(withEntries(place)).toEqual([]);
  });

  it("the disk is full: it goes ahead and says so, and the way out needs no room", (context) => {
    const place = made();
    const inside = "mount -t tmpfs -o size=64k none ~/.local/state && { cat /dev/zero > ~/.local/state/fill 2>/dev/null; :; }";
    if (spawnSync("unshare", ["-Urm", "true"]).status !== 0) return context.skip();
    const told = play(place, host, {}, ["unshare", "-Urm", "sh", "-c", `${inside}; eval "$1"`, "sh"]);
    isWhole(told);
    expect(told.said).toContain("the disk is full; make room: assent runs clean --all");
  });
});
