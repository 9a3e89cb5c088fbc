import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AGENT_IDS } from "@assent/hosts/agents";
import { printAnswerFrame } from "../../packages/assent/src/daemon/wire.ts";
import { daemonFolder, stateFolder } from "@assent/guard/state";
import { type Asked, HOSTS } from "../agents/envelopes.ts";
import { assent, DIST, type Run, scratch, type Scratch } from "../scratch.ts";
import {
  callHook,
  CLAUDE,
  CLIENT,
  ended,
  envelope,
  freshMarker,
  HAS_CLIENT,
  hookWords,
  isThere,
  LAUNCHER,
  socketOf,
  startJudge,
} from "./judge.ts";

const FRESH = { status: 0, stdout: "FRESH\n", stderr: "" };
const isRoot = process.getuid?.() === 0;

const decisionOf = (stdout: string): unknown =>
  stdout === ""
    ? "silence"
    : ((JSON.parse(stdout) as { hookSpecificOutput?: { permissionDecision: unknown } }).hookSpecificOutput?.permissionDecision ??
      "silence");

/** What the judge that stays says: on a busy machine it may be late, and is asked again. */
function askJudge(...given: Parameters<typeof callHook>): ReturnType<typeof callHook> {
  for (let tries = 1; ; tries += 1) {
    const said = callHook(...given);
    if (said.stdout !== FRESH.stdout || tries === 20) return said;
  }
}

/** A judge for one test. */
async function judged(
  env: Record<string, string> = {},
): Promise<{ readonly place: Scratch; readonly judge: ChildProcess; readonly marker: string }> {
  const place = scratch();
  const judge = await startJudge(place, env);
  onTestFinished(async () => {
    judge.kill("SIGKILL");
    await ended(judge);
  });
  return { place, judge, marker: freshMarker(place) };
}

describe.skipIf(!HAS_CLIENT)("the judge that stays", () => {
  const place = scratch({ keep: true });
  const marker = freshMarker(place);
  let judge: ChildProcess | undefined;
  beforeAll(async () => {
    place.write(
      "~/.agent-permissions.jsonc",
      `{ "permissions": {
        "ask": ["Bash(make:*)"],
        "deny": [{ "rule": "Bash(terraform:*)", "reason": "infrastructure is changed by CI" }, "mcp__lab__wipe"],
        "allow": ["Bash(cargo test:*)", "Edit(src/**)"] } }`,
    );
    judge = await startJudge(place);
    // What a fresh process compiles, all read.
    callHook(place, envelope(place, "ls"), { launcher: LAUNCHER });
  });
  afterAll(async () => {
    judge?.kill("SIGKILL");
    if (judge !== undefined) await ended(judge);
    rmSync(place.root, { recursive: true, force: true });
  });

  const WISHES: readonly Asked[] = [
    { shell: "ls -la" },
    { shell: "cargo test" },
    { shell: "./build.sh" },
    { shell: "make all" },
    { shell: "terraform apply" },
    { shell: "rm -rf ~" },
    { read: "src/a.ts" },
    { read: "/p/.env" },
    { write: "lib/a.ts" },
    { patch: "*** Begin Patch\n*** Update File: lib/a.ts\n@@\n-a\n+b\n*** End Patch\n" },
    { mcp: "wipe" },
  ];
  it.each(AGENT_IDS)("answers %s as a fresh hook does", (id) => {
    const answered: string[] = [];
    for (const { event, envelope: made, env } of HOSTS[id].events)
      for (const wish of WISHES) {
        const real = JSON.parse(JSON.stringify(wish).replaceAll('"/p/', `"${place.project}/`)) as Asked;
        const payload = made(real, place.project);
        if (payload === undefined) continue;
        const calling = { argv: ["--agent", id, ...(event.includes(",") ? [] : ["--event", event])], env: { ...env?.(real) } };
        const input = JSON.stringify(payload);
        const warm = askJudge(place, input, { ...calling, launcher: marker });
        answered.push(warm.stdout);
        const fresh = spawnSync(process.execPath, hookWords(place, calling.argv).slice(4), {
          cwd: place.project,
          input,
          env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...calling.env },
          encoding: "utf8",
        });
        expect({ wish, ...warm }).toEqual({ wish, status: fresh.status, stdout: fresh.stdout, stderr: fresh.stderr });
      }
    expect(answered).not.toContain("FRESH\n");
  });

  /** What reaches the hook, and is wrong. */
  const INPUTS: readonly (readonly [string, string | Uint8Array])[] = [
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", "[]"],
    ["another event", JSON.stringify({ hook_event_name: "Stop" })],
  ];
  it.each(INPUTS)("answers as a fresh hook does to %s", (_what, input) => {
    const warm = askJudge(place, input, { launcher: marker });
    const fresh = spawnSync(LAUNCHER, hookWords(place, CLAUDE).slice(2), {
      cwd: place.project,
      input,
      env: { HOME: place.home },
      encoding: "utf8",
    });
    expect(warm).toEqual({ status: fresh.status, stdout: fresh.stdout, stderr: fresh.stderr });
  });

  /** [what is left to a fresh process, how it is called] */
  const LEFT: readonly (readonly [string, Parameters<typeof callHook>[1], Parameters<typeof callHook>[2]])[] = [
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff]), {}],
    ["ten megabytes", JSON.stringify({ tool_input: "x".repeat(10 << 20) }), {}],
    ["wrong words", "{}", { argv: ["--nonsense"] }],
    ["another program's words", "{}", { dist: "/opt/assent/dist" }],
  ];
  it.each(LEFT)("leaves to a fresh process: %s", (_what, input, calling) => {
    expect(callHook(place, input, { ...calling, launcher: marker })).toEqual(FRESH);
  });

  /** [where the caller stands, what starts it there]; those that this machine lets us try. */
  const ELSEWHERE: readonly (readonly [string, readonly [string, ...string[]]])[] = [
    ["another mount namespace", ["unshare", "-m"]],
    ["another process namespace", ["unshare", "-p", "-f"]],
    ["another network", ["unshare", "-n"]],
    ["another user namespace", ["unshare", "-U"]],
    ["fewer rights", ["setpriv", "--bounding-set=-chown"]],
    ["no new rights", ["setpriv", "--no-new-privs"]],
    ["another group", ["setpriv", "--regid=12345", "--keep-groups"]],
    ["one group more", ["setpriv", "--groups=12345"]],
  ];
  const possible = ELSEWHERE.filter(([, [program, ...words]]) => spawnSync(program, [...words, "true"]).status === 0);
  it.each(possible)("leaves to a fresh process who stands elsewhere: %s", (_what, through) => {
    expect(callHook(place, envelope(place, "ls"), { through, launcher: marker })).toEqual(FRESH);
  });

  it("says how a host's command is to be started as a fresh process does", () => {
    const renamed = (name: string): string => String.fromCharCode(name.charCodeAt(0) ^ 0x40) + name.slice(1);
    const caller = { PATH: "/usr/bin:/bin", SHELL: "/usr/bin/zsh", CLAUDE_CODE_SESSION_ID: "s-1" };
    const handed = Object.fromEntries(Object.entries(caller).map(([name, value]) => [renamed(name), value]));
    const env = { HOME: place.home, ASSENT_CALLER: "renamed", ...handed };
    const said: unknown[] = [];
    const tool = `source ${place.home}/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && eval 'rm -rf ~' < /dev/null && pwd -P >| /tmp/claude-ab12-cwd`;
    for (const text of ["ls", "./build.sh", "rm -rf ~", "terraform apply", tool]) {
      const words = [process.execPath, join(DIST, "bin.cjs"), "shell", "claude", "--", text];
      const call = (program: string, args: readonly string[]): Run => {
        const { status, stdout, stderr } = spawnSync(program, args, { cwd: place.project, env, encoding: "utf8" });
        return { status, stdout, stderr };
      };
      let warm = FRESH as Run;
      for (let tries = 0; tries < 20 && warm.stdout === FRESH.stdout; tries += 1)
        warm = call(CLIENT, [`${daemonFolder(place.machine)}/`, marker, ...words]);
      expect({ text, ...warm }).toEqual({ text, ...call(process.execPath, words.slice(1)) });
      said.push(warm.status);
    }
    // What may be a server goes on to the run, which starts nothing and tells its client why; a command of a tool ends here.
    expect(said).toEqual([11, 10, 10, 10, 1]);
  });

  it("judges by the folder and the PATH of the caller", () => {
    place.write("bin/ls", "#!/bin/sh\n");
    chmodSync(join(place.project, "bin/ls"), 0o755);
    const usual = askJudge(place, envelope(place, "ls"), { launcher: marker });
    const own = askJudge(place, envelope(place, "ls"), { launcher: marker, env: { PATH: `${place.project}/bin:/usr/bin:/bin` } });
    expect([decisionOf(usual.stdout), decisionOf(own.stdout)]).toEqual(["allow", "silence"]);
  });

  it("remembers nothing that was found out for the call before", () => {
    const path = { PATH: `${place.home}/tools:/usr/bin:/bin` };
    const before = askJudge(place, envelope(place, "whoami"), { launcher: marker, env: path });
    mkdirSync(join(place.home, "tools"), { mode: 0o777 });
    chmodSync(join(place.home, "tools"), 0o777);
    place.write("~/tools/whoami", "#!/bin/sh\n");
    chmodSync(join(place.home, "tools/whoami"), 0o755);
    const after = askJudge(place, envelope(place, "whoami"), { launcher: marker, env: path });
    expect([decisionOf(before.stdout), decisionOf(after.stdout)]).toEqual(["allow", "silence"]);
  });

  it("hears of a policy that changed between two calls", () => {
    const file = join(place.home, ".agent-permissions.jsonc");
    const policy = readFileSync(file, "utf8");
    const said: unknown[] = [];
    // Alternating, and each as soon as the other was answered.
    for (const rule of ["deny", "allow", "deny", "allow", "ask"]) {
      writeFileSync(file, `{ "permissions": { "${rule}": ["Bash(tool-x:*)"] } }`);
      said.push(decisionOf(callHook(place, envelope(place, "tool-x a")).stdout));
    }
    writeFileSync(file, policy);
    expect(said).toEqual(["deny", "allow", "deny", "allow", "ask"]);
  });
});

describe.skipIf(!HAS_CLIENT)("what happens to the judge that stays", () => {
  it("killed: the next call judges by itself and starts another", async () => {
    const { place, judge, marker } = await judged();
    judge.kill("SIGKILL");
    await ended(judge);
    expect(existsSync(socketOf(place))).toBe(true);
    rmSync(socketOf(place));
    expect(decisionOf(callHook(place, envelope(place, "rm -rf ~")).stdout)).toBe("deny");
    await isThere(place);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(decisionOf(askJudge(place, envelope(place, "rm -rf ~"), { launcher: marker }).stdout)).toBe("deny");
    expect(assent(place, ["daemon", "stop"]).stdout).toMatch(/^the judge \(process \d+\) has ended\n$/);
  });

  it("stopped: the call judges by itself", async () => {
    const { place, judge } = await judged();
    judge.kill("SIGSTOP");
    expect(decisionOf(callHook(place, envelope(place, "rm -rf ~")).stdout)).toBe("deny");
    judge.kill("SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What nobody waited for any more was not judged twice.
    expect(readFileSync(join(stateFolder(place.machine), "audit.jsonl"), "utf8").match(/"tool":"Bash"/g)?.length).toBe(1);
  });

  it("its socket is taken away: it ends, for nobody could reach it", async () => {
    const { place, judge } = await judged();
    rmSync(socketOf(place));
    await ended(judge);
    expect(judge.exitCode).toBe(0);
  });

  it("its folder is taken away, which is how it is switched off", async () => {
    const { place, judge } = await judged();
    expect(assent(place, ["daemon", "off"]).stdout).toBe("no judge stays between calls any more: each hook call starts its own\n");
    await ended(judge);
    expect(decisionOf(callHook(place, envelope(place, "rm -rf ~")).stdout)).toBe("deny");
    expect(existsSync(daemonFolder(place.machine))).toBe(false);
  });

  it("two are started at once: one stays", async () => {
    const { place, judge } = await judged();
    const second = await startJudge(place);
    await ended(second);
    expect([second.exitCode, judge.exitCode]).toEqual([0, null]);
  });

  it("updated underneath: it ends at the next call, which judges by itself", async () => {
    const place = scratch();
    const dist = join(place.root, "dist");
    cpSync(DIST, dist, { recursive: true });
    symlinkSync(join(dirname(DIST), "node_modules"), join(place.root, "node_modules"));
    const judge = await startJudge(place, {}, dist);
    const marker = freshMarker(place);
    expect(askJudge(place, envelope(place, "ls"), { launcher: marker, dist })).not.toEqual(FRESH);
    renameSync(join(dist, "shell.cjs"), join(dist, "shell.old"));
    cpSync(join(dist, "shell.old"), join(dist, "shell.cjs"));
    utimesSync(join(dist, "shell.cjs"), 1, 1);
    expect(callHook(place, envelope(place, "ls"), { launcher: marker, dist })).toEqual(FRESH);
    await ended(judge);
    expect(judge.exitCode).toBe(0);
  });

  it("extensions of the user are asked by a fresh process", async () => {
    const { place, marker } = await judged();
    expect(askJudge(place, envelope(place, "ls"), { launcher: marker })).not.toEqual(FRESH);
    place.write("~/.config/assent/extensions/a.mjs", "export const decide = () => undefined;\n");
    expect(callHook(place, envelope(place, "ls"), { launcher: marker })).toEqual(FRESH);
  });

  it.skipIf(!isRoot)("a squatter of another user answers allow to everything: it is not believed", async () => {
    const place = scratch();
    mkdirSync(daemonFolder(place.machine), { recursive: true, mode: 0o777 });
    chmodSync(daemonFolder(place.machine), 0o777);
    for (const folder of [place.root, place.home]) chmodSync(folder, 0o755);
    const says = printAnswerFrame({ stdout: '{"hookSpecificOutput":{"permissionDecision":"allow"}}\n', stderr: "", status: 0 });
    const code = `require("net").createServer(s=>{s.on("error",()=>{});s.once("data",()=>s.end(Buffer.from("${says.toString("hex")}","hex")))}).listen(process.argv[1])`;
    for (let folder = stateFolder(place.machine); folder !== place.home; folder = dirname(folder)) chmodSync(folder, 0o755);
    const squatter = spawn("setpriv", ["--reuid=54321", "--regid=54321", "--clear-groups", process.execPath, "-e", code, socketOf(place)], {
      stdio: "ignore",
    });
    onTestFinished(() => void squatter.kill("SIGKILL"));
    await isThere(place);
    expect(decisionOf(callHook(place, envelope(place, "rm -rf ~")).stdout)).toBe("deny");
  });

  it("who takes its place as the same user and says nothing of use is not believed either", async () => {
    const place = scratch();
    mkdirSync(daemonFolder(place.machine), { recursive: true, mode: 0o700 });
    const halves = [Buffer.from("assent!1"), Buffer.from('{"permissionDecision":"allow"}'), Buffer.alloc(24, 0x20), Buffer.alloc(0)];
    for (const said of halves) {
      const server: Server = createServer((socket) =>
        socket
          .on("error", () => undefined)
          .resume()
          .end(said),
      );
      await new Promise<void>((resolve) => server.listen(socketOf(place), resolve));
      const hook = spawn(CLIENT, hookWords(place, CLAUDE), { cwd: place.project, env: { HOME: place.home, PATH: "/usr/bin:/bin" } });
      let stdout = "";
      hook.stdout.on("data", (chunk) => (stdout += String(chunk)));
      hook.stdin.end(envelope(place, "rm -rf ~"));
      await ended(hook);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      expect(decisionOf(stdout)).toBe("deny");
    }
  });

  it.skipIf(!isRoot)("the disk is full: it judges as a fresh hook does, which says that it cannot log", () => {
    const place = scratch();
    const state = join(place.home, ".local/state");
    mkdirSync(state, { recursive: true });
    const hook = hookWords(place, CLAUDE).map((word) => `'${word}'`);
    const call = `printf %s '${envelope(place, "rm -rf ~")}' |`;
    const lines = [
      `mount -t tmpfs -o size=256k,mode=700 none '${state}'`,
      `mkdir -p -m 700 '${state}/assent/resident'`,
      `chmod 700 '${state}/assent'`,
      `cd '${place.project}'`,
      `'${process.execPath}' '${join(DIST, "bin.cjs")}' daemon --serve & judge=$!`,
      `until ls '${state}/assent/resident' | grep -q ^mnt; do sleep 0.02; done`,
      `head -c 1000000 /dev/zero > '${state}/filler' 2> /dev/null`,
      `${call} '${CLIENT}' ${hook.join(" ")} > '${place.root}/warm' 2>&1`,
      `${call} ${hook.slice(1).join(" ")} > '${place.root}/fresh' 2>&1`,
      `grep -c . '${state}/assent/audit.jsonl'; kill $judge`,
    ];
    spawnSync("unshare", ["-m", "sh", "-c", lines.join("\n")], { env: { HOME: place.home, PATH: "/usr/local/bin:/usr/bin:/bin" } });
    const [warm, fresh] = ["warm", "fresh"].map((name) => readFileSync(join(place.root, name), "utf8"));
    expect(warm).toMatch(/"permissionDecision":"deny"/);
    expect(warm).toMatch(/not logged: .* the disk is full/);
    expect(warm).toBe(fresh);
  });

  it("two hundred call at once: each has the right answer, and the log a whole chain", async () => {
    const { place } = await judged();
    const lines = ["ls", "rm -rf ~", "cat .env", "git status"];
    const wanted = ["allow", "deny", "deny", "allow"];
    const calls = Array.from({ length: 200 }, async (_, at) => {
      const hook = spawn(CLIENT, hookWords(place, CLAUDE), { cwd: place.project, env: { HOME: place.home, PATH: "/usr/bin:/bin" } });
      let stdout = "";
      hook.stdout.on("data", (chunk) => (stdout += String(chunk)));
      hook.stdin.end(envelope(place, lines[at % 4] ?? "", { session_id: `s${at}` }));
      // At its exit not all that it said has been read.
      await new Promise((resolve) => hook.once("close", resolve));
      return decisionOf(stdout);
    });
    expect(await Promise.all(calls)).toEqual(calls.map((_, at) => wanted[at % 4]));
    expect(assent(place, ["log", "verify"]).status).toBe(0);
  });

  it("counts refusals with fresh hooks as one: the breaker, the memory and grants are theirs together", async () => {
    const { place } = await judged();
    place.write("~/.agent-permissions.jsonc", '{ "automation": { "breaker": { "denials": 4 } } }');
    const fresh = (command: string) =>
      spawnSync(LAUNCHER, hookWords(place, CLAUDE).slice(2), {
        cwd: place.project,
        input: envelope(place, command),
        env: { HOME: place.home, PATH: "/usr/bin:/bin" },
        encoding: "utf8",
      });
    expect(decisionOf(fresh("ls").stdout)).toBe("allow");
    for (const at of [1, 2, 3, 4]) (at % 2 === 0 ? fresh : (line: string) => callHook(place, envelope(place, line)))("rm -rf ~");
    expect([decisionOf(callHook(place, envelope(place, "ls")).stdout), decisionOf(fresh("ls").stdout)]).toEqual(["ask", "ask"]);
    expect(assent(place, ["log", "verify"]).status).toBe(0);
  });
});
