import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AGENT_IDS } from "@assent/hosts/agents";
import { askingWay, bashHere } from "@assent/hosts/agents/install";
import { isAlive, ownLife } from "@assent/guard/approve";
import { TOLD_VARIABLES } from "@assent/core/policy";
import { isJudge } from "../../packages/assent/src/resident/life.ts";
import { standsAlikeWithoutProc } from "../../packages/assent/src/resident/loopback.ts";
import { residentFolder, stateFolder } from "@assent/guard/state";
import { type Asked, HOSTS } from "../agents/envelopes.ts";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import {
  callLine,
  callWarm,
  endJudgeOf,
  lineOf,
  listens,
  markedDist,
  placeOf,
  portOf,
  squat,
  startBashJudge,
  startLine,
} from "./bash-judge.ts";
import { ended, envelope } from "./judge.ts";

const FRESH = { status: 0, stdout: "FRESH\n", stderr: "" };
const SAYS_ALLOW = '0 64\n{"hookSpecificOutput":{"permissionDecision":"allow"}}\n\0';

const decisionOf = (stdout: string): unknown =>
  stdout === ""
    ? "silence"
    : ((JSON.parse(stdout) as { hookSpecificOutput?: { permissionDecision: unknown } }).hookSpecificOutput?.permissionDecision ??
      "silence");
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const records = (place: Scratch): number => {
  const file = join(stateFolder(place.machine), "audit.jsonl");
  return existsSync(file) ? (readFileSync(file, "utf8").match(/"tool":"Bash"/g)?.length ?? 0) : 0;
};

describe.skipIf(bashHere("darwin") === undefined)("the judge that stays, without a native client", () => {
  const shared = scratch({ keep: true });
  let marked = "";
  beforeAll(() => {
    marked = markedDist(shared.root);
  });
  afterAll(() => rmSync(shared.root, { recursive: true, force: true }));

  async function judged() {
    const place = scratch();
    const judge = await startBashJudge(place, marked);
    return { place, judge };
  }

  describe("its answers", () => {
    const place = scratch({ keep: true });
    let stop: (() => void) | undefined;
    beforeAll(async () => {
      place.write(
        "~/.agent-permissions.jsonc",
        `{ "permissions": {
          "ask": ["Bash(make:*)"],
          "deny": [{ "rule": "Bash(terraform:*)", "reason": "infrastructure is changed by CI" }, "mcp__lab__wipe"],
          "allow": ["Edit(src/**)"] },
          "automation": { "breaker": { "denials": 1000 } } }`,
      );
      mkdirSync(residentFolder(place.machine), { recursive: true, mode: 0o700 });
      // By the line itself, as where somebody wants one.
      callLine(place, marked, envelope(place, "ls"));
      await listens(place);
      stop = () => endJudgeOf(place);
      callLine(place, DIST, envelope(place, "ls"), { fresh: true });
    });
    afterAll(() => {
      stop?.();
      rmSync(place.root, { recursive: true, force: true });
    });

    const WISHES: readonly Asked[] = [
      { shell: "ls -la" },
      { shell: "make all" },
      { shell: "terraform apply" },
      { read: "src/a.ts" },
      { read: "/p/.env" },
      { write: "lib/a.ts" },
      { patch: "*** Begin Patch\n*** Update File: lib/a.ts\n@@\n-a\n+b\n*** End Patch\n" },
      { mcp: "wipe" },
    ];
    const variables = Object.keys(TOLD_VARIABLES);
    it.each(AGENT_IDS)("are those of a fresh hook for %s", (id) => {
      for (const { event, envelope: made, env } of HOSTS[id].events)
        for (const wish of WISHES) {
          const real = JSON.parse(JSON.stringify(wish).replaceAll('"/p/', `"${place.project}/`)) as Asked;
          const payload = made(real, place.project);
          if (payload === undefined) continue;
          const calling = { agent: id, event: event.includes(",") ? "auto" : event, variables, env: { ...env?.(real) } };
          const input = JSON.stringify(payload);
          const warm = callWarm(place, marked, input, calling);
          const fresh = callLine(place, DIST, input, { ...calling, fresh: true });
          expect({ wish, ...warm, stdout: warm.stdout.replaceAll(marked, DIST) }).toEqual({ wish, ...fresh });
        }
    });

    it("hear of a policy that changed between two calls, of the PATH and of the folder of the caller", () => {
      const file = join(place.home, ".agent-permissions.jsonc");
      const policy = readFileSync(file, "utf8");
      const said = ["deny", "allow", "deny", "allow", "ask"].map((rule) => {
        writeFileSync(file, `{ "permissions": { "${rule}": ["Bash(tool-x:*)"] } }`);
        return decisionOf(callWarm(place, marked, envelope(place, "tool-x a")).stdout);
      });
      writeFileSync(file, policy);
      expect(said).toEqual(["deny", "allow", "deny", "allow", "ask"]);
      place.write("bin/ls", "#!/bin/sh\n");
      chmodSync(join(place.project, "bin/ls"), 0o755);
      const own = callWarm(place, marked, envelope(place, "ls"), { env: { PATH: `${place.project}/bin:/usr/bin:/bin` } });
      expect([decisionOf(callWarm(place, marked, envelope(place, "ls")).stdout), decisionOf(own.stdout)]).toEqual(["allow", "silence"]);
    });

    /** [what is left to a fresh process, the input, how it is called] */
    const LEFT: readonly (readonly [string, string | Uint8Array, Parameters<typeof callLine>[3]])[] = [
      ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), {}],
      ["a NUL", '{"a":"b\0c"}', {}],
      ["ten megabytes", JSON.stringify({ tool_input: "x".repeat(10 << 20) }), {}],
      ["a part of an envelope", '{"a":', {}],
      ["a variable that is no UTF-8", "{}", { through: ["/bin/sh", "-c", 'exec env "TERM=$(printf "\\377")" "$@"', "sh"] }],
      ["a folder that has gone", "{}", { through: ["/bin/sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; exec "$@"', "sh"] }],
    ];
    it.each(LEFT)("are left to a fresh process: %s", (_what, input, calling) => {
      expect(callLine(place, marked, input, calling)).toMatchObject({ status: 0, stdout: "FRESH\n" });
    });

    it("are for the program and the state folder of the judge alone", () => {
      const other = scratch();
      const { port } = placeOf(place) ?? { port: 0 };
      expect(port).toBeGreaterThan(0);
      const line = lineOf(place, marked);
      /** [what is another] */
      const lines = [
        line.replace(`env -i HOME=${place.home} `, `env -i HOME=${other.home} `),
        line.replace("env -i HOME=", "env -i -u X HOME="),
        line.replace("env -i HOME=", "env -i HOME=/nowhere HOME="),
        line.replace("bin.cjs check", "bin.cjs check --nonsense"),
      ];
      const asked = lines.filter((changed) => changed !== line);
      expect(asked).toHaveLength(lines.length);
      const before = records(place);
      for (const changed of asked)
        expect(spawnSync("/bin/sh", ["-c", changed], { cwd: place.project, input: envelope(place, "ls"), encoding: "utf8" }).stdout).toBe(
          "FRESH\n",
        );
      expect(records(place)).toBe(before);
    });

    /** [where the caller stands, what starts it there]; those that this machine lets us try. */
    const ELSEWHERE: readonly (readonly [string, readonly [string, ...string[]]])[] = [
      ["another mount namespace", ["unshare", "-m"]],
      ["another network", ["unshare", "-n"]],
      ["another user namespace", ["unshare", "-U"]],
      ["fewer rights", ["setpriv", "--bounding-set=-chown"]],
      ["no new rights", ["setpriv", "--no-new-privs"]],
      ["one group more", ["setpriv", "--groups=12345"]],
    ];
    const possible = ELSEWHERE.filter(([, [program, ...words]]) => spawnSync(program, [...words, "true"]).status === 0);
    it.each(possible)("are left to a fresh process for who stands elsewhere: %s", (_what, through) => {
      const own = placeOf(place)?.pid;
      expect(callLine(place, marked, envelope(place, "ls"), { through })).toEqual(FRESH);
      expect(placeOf(place)?.pid).toBe(own);
    });

    /** A client of our own that is slow, or was stopped, between two of its sentences. What it is not to be told is left out of the words. */
    const SLOW = `
      exec 3<> "/dev/tcp/127.0.0.1/$1"; printf 'assent?1 %s\\n' "$2" >&3; read -r -u 3 greeting; sleep "$3"; said=$4; shift 4
      printf '%s\\0' "$\{said/own/$$}" "$PPID" "$PWD" "$#" "$@" '${envelope(place, "ls")}' >&3; IFS= read -r -d '' -u 3 answer; printf %s "$answer"`;
    const talk = (late: number, pid: string): string => {
      const { port, first } = placeOf(place) ?? { port: 0, first: "" };
      const words = ["/usr/bin/env", "-i", `HOME=${place.home}`, "PATH=/usr/bin:/bin", process.execPath, join(marked, "bin.cjs"), "check"];
      const slow = place.write("~/slow.bash", SLOW);
      const args = ["-p", slow, String(port), first, String(late), pid, ...words, "--agent", "claude", "--event", "PreToolUse"];
      return spawnSync("/bin/bash", args, { cwd: place.project, encoding: "utf8" }).stdout;
    };
    it("are not given to who may have gone, or is not who it says, and nothing is left behind of it", () => {
      const before = records(place);
      let answer = "";
      for (let tries = 0; answer === "" && tries < 20; tries += 1) answer = talk(0, "own");
      expect([answer.startsWith("0 "), records(place)]).toEqual([true, before + 1]);
      expect([talk(0.2, "own"), talk(0, String(process.pid)), records(place)]).toEqual(["", "", before + 1]);
    });
  });

  describe("what happens to it", () => {
    it("killed: the next call judges by itself and starts another, which outlives the group of the host's processes", async () => {
      const { place, judge } = await judged();
      onTestFinished(() => endJudgeOf(place));
      judge.kill("SIGKILL");
      await ended(judge);
      const { child, said } = startLine(place, marked, envelope(place, "rm -rf ~"), true);
      expect(await said).toBe("FRESH\n");
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, "SIGKILL");
        } catch {
          // Nothing of it is left.
        }
      const next = await listens(place, judge.pid);
      expect(decisionOf(callWarm(place, marked, envelope(place, "rm -rf ~")).stdout)).toBe("deny");
      expect([placeOf(place)?.pid, statSync(portOf(place)).mode & 0o777]).toEqual([next, 0o600]);
    });

    it("killed, and a squatter on its port answers allow to everything: nobody believes it", async () => {
      const { place, judge } = await judged();
      const { port } = placeOf(place) ?? { port: 0 };
      const file = readFileSync(portOf(place), "utf8");
      judge.kill("SIGKILL");
      await ended(judge);
      const heard = await squat(port, SAYS_ALLOW);
      rmSync(residentFolder(place.machine), { recursive: true });
      mkdirSync(residentFolder(place.machine), { mode: 0o700 });
      // Where its number has been given to another process of this user, the squatter is asked, and told nothing but what it is to know.
      for (const line of [file, file.replace(/\d+ \.\n$/, `${process.pid} .\n`)]) {
        writeFileSync(portOf(place), line, { mode: 0o600 });
        mkdirSync(join(residentFolder(place.machine), "starting"), { recursive: true });
        const { said } = startLine(place, DIST, envelope(place, "rm -rf ~"));
        expect(decisionOf(await said)).toBe("deny");
        endJudgeOf(place);
      }
      expect(heard()).toMatch(/^(?:assent\?1 [0-9a-f]{64}\n)?$/);
    });

    it("stopped: the call judges by itself, and what nobody waited for is not judged", async () => {
      const { place, judge } = await judged();
      judge.kill("SIGSTOP");
      for (let call = 0; call < 3; call += 1) expect(callLine(place, marked, envelope(place, "ls"))).toEqual(FRESH);
      judge.kill("SIGCONT");
      await pause(300);
      expect([records(place), placeOf(place)?.pid]).toEqual([0, judge.pid]);
      expect(decisionOf(callWarm(place, marked, envelope(place, "ls")).stdout)).toBe("allow");
      expect(records(place)).toBe(1);
    });

    /** [what of the file is another; a judge is started in each case] */
    const STALE: readonly (readonly [string, (line: string) => string])[] = [
      ["of another boot", (line) => line.replace(/ \S+ (\d+) \.\n$/, " 01234567-0123-0123-0123-0123456789ab $1 .\n")],
      ["of another format", () => "assent-0\n"],
      ["of a process that has gone", (line) => line.replace(/\d+ \.\n$/, `${spawnSync("true").pid} .\n`)],
      ["with a port that is closed", (line) => line.replace(/^assent-1 \d+/, "assent-1 1")],
    ];
    it.each(STALE)("a file %s is replaced", async (_what, change) => {
      const place = scratch();
      const first = await startBashJudge(place, marked);
      onTestFinished(() => endJudgeOf(place));
      const line = readFileSync(portOf(place), "utf8");
      first.kill("SIGKILL");
      await ended(first);
      // A process of this user, and one that lives.
      writeFileSync(portOf(place), change(line.replace(/\d+ \.\n$/, `${process.pid} .\n`)), { mode: 0o600 });
      expect(callLine(place, marked, envelope(place, "ls"))).toEqual(FRESH);
      expect(await listens(place, process.pid)).not.toBe(first.pid);
      expect(decisionOf(callWarm(place, marked, envelope(place, "ls")).stdout)).toBe("allow");
    });

    it("its file or its folder is taken away: it ends, and none is started where nobody wants one", async () => {
      const { place, judge } = await judged();
      rmSync(portOf(place));
      await ended(judge);
      expect(judge.exitCode).toBe(0);
      rmSync(residentFolder(place.machine), { recursive: true });
      expect(callLine(place, marked, envelope(place, "ls"))).toEqual(FRESH);
      await pause(300);
      expect(existsSync(residentFolder(place.machine))).toBe(false);
    });

    it("one that cannot start is tried by the first call, and by each fiftieth after that", async () => {
      const place = scratch();
      const folder = residentFolder(place.machine);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const dist = join(place.root, "broken");
      mkdirSync(dist);
      cpSync(join(DIST, "ask.bash"), join(dist, "ask.bash"));
      const log = join(place.root, "tries");
      const broken = `require("fs").appendFileSync(${JSON.stringify(log)}, JSON.stringify([process.argv.slice(2), Object.keys(process.env)]) + "\\n")`;
      writeFileSync(join(dist, "bin.cjs"), `if (process.argv[2] === "daemon") ${broken}; else console.log("FRESH");\n`);
      const tries = (): number => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);
      const starting = join(folder, "starting");
      const call = async (): Promise<number> => {
        expect(callLine(place, dist, envelope(place, "ls"))).toEqual(FRESH);
        await pause(500);
        return tries();
      };
      expect([await call(), await call(), await call()]).toEqual([1, 1, 1]);
      writeFileSync(starting, `${spawnSync("true").pid} 48\n`);
      expect([await call(), await call(), await call()]).toEqual([1, 2, 2]);
      // Whoever happens to call first steers nothing for the others.
      expect(readFileSync(log, "utf8").split("\n")[0]).toBe('[["daemon","--serve","bash"],["HOME"]]');
    });

    it("two are started at once: one stays; one that comes later goes, and one that hangs is replaced", async () => {
      const place = scratch();
      const both = await Promise.all([startBashJudge(place, marked), startBashJudge(place, marked)]);
      const stays = both.find(({ pid }) => pid === placeOf(place)?.pid);
      for (const judge of both) if (judge !== stays) await ended(judge);
      const third = await startBashJudge(place, marked);
      await ended(third);
      expect([third.exitCode, stays?.exitCode, placeOf(place)?.pid]).toEqual([0, null, stays?.pid]);
      stays?.kill("SIGSTOP");
      const fourth = await startBashJudge(place, marked);
      await listens(place, stays?.pid);
      stays?.kill("SIGCONT");
      if (stays !== undefined) await ended(stays);
      expect([stays?.exitCode, fourth.exitCode, placeOf(place)?.pid]).toEqual([0, null, fourth.pid]);
    });

    it("updated underneath: it ends at the next call, which judges by itself", async () => {
      const place = scratch();
      const dist = markedDist(place.root);
      const judge = await startBashJudge(place, dist);
      expect(callWarm(place, dist, envelope(place, "ls"))).not.toEqual(FRESH);
      renameSync(join(dist, "shell.cjs"), join(dist, "shell.old"));
      cpSync(join(dist, "shell.old"), join(dist, "shell.cjs"));
      utimesSync(join(dist, "shell.cjs"), 1, 1);
      expect(callLine(place, dist, envelope(place, "ls"))).toEqual(FRESH);
      await ended(judge);
      expect([judge.exitCode, existsSync(portOf(place))]).toEqual([0, false]);
    });

    it("many call at once, before there is one and after: each has the right answer, and the log a whole chain", async () => {
      const place = scratch();
      mkdirSync(residentFolder(place.machine), { recursive: true, mode: 0o700 });
      onTestFinished(() => endJudgeOf(place));
      const lines = ["ls", "rm -rf ~", "cat .env", "git status"];
      const wanted = ["allow", "deny", "deny", "allow"];
      for (const round of [0, 1]) {
        const calls = Array.from({ length: 16 }, async (_, at) => {
          const input = envelope(place, lines[at % 4] ?? "", { session_id: `s${round}-${at}` });
          return decisionOf(await startLine(place, DIST, input).said);
        });
        expect(await Promise.all(calls)).toEqual(calls.map((_, at) => wanted[at % 4]));
        await listens(place);
      }
      expect(spawnSync(process.execPath, [join(DIST, "bin.cjs"), "log", "verify"], { env: { HOME: place.home } }).status).toBe(0);
      expect(records(place)).toBe(32);
    });
  });

  it("is what `assent daemon` speaks of on such a system", async () => {
    const place = scratch();
    onTestFinished(() => endJudgeOf(place));
    const mac = place.write("~/mac.cjs", 'Object.defineProperty(process, "platform", { value: "darwin" });\n');
    const daemon = (...words: readonly string[]) =>
      spawnSync(process.execPath, ["--require", mac, join(DIST, "bin.cjs"), "daemon", ...words], {
        env: { HOME: place.home, PATH: "/usr/bin:/bin", NO_COLOR: "1" },
        encoding: "utf8",
      }).stdout;
    expect(daemon()).toContain("assent daemon on");
    expect(daemon("on")).toMatch(/^a judge stays between calls now/);
    const pid = await listens(place);
    expect(decisionOf(callLine(place, DIST, envelope(place, "rm -rf ~")).stdout)).toBe("deny");
    expect(daemon()).toMatch(new RegExp(`^a judge runs since [-: \\d]+ UTC \\(process ${pid}\\)\n`));
    expect(JSON.parse(daemon("--json"))).toMatchObject({ on: true, possible: true, running: { pid, answers: true } });
    process.kill(pid, "SIGSTOP");
    expect(daemon()).toMatch(/does not answer/);
    process.kill(pid, "SIGCONT");
    expect(daemon("stop")).toBe(`the judge (process ${pid}) has ended\n`);
    expect([existsSync(portOf(place)), daemon("stop")]).toEqual([false, "no judge runs\n"]);
    expect(daemon("off")).toMatch(/^no judge stays/);
    expect(existsSync(residentFolder(place.machine))).toBe(false);
  });
});

describe("where little is known of processes", () => {
  it("a judge is told by what it was started with", async () => {
    const place = scratch();
    const judge = await startBashJudge(place, DIST);
    expect([isJudge(judge.pid ?? 0), isJudge(process.pid), isJudge(spawnSync("true").pid)]).toEqual([true, false, false]);
    expect(isAlive(ownLife())).toBe(true);
  });

  it("a caller is answered whose folder can be looked into, on systems that have no namespaces", () => {
    const { project, root } = scratch();
    const closed = join(root, "closed");
    expect(
      [
        [project, "darwin"],
        [project, "linux"],
        [closed, "darwin"],
        [join(project, "file"), "darwin"],
      ].map(([folder = "", platform = ""]) => standsAlikeWithoutProc({ folder }, platform)),
    ).toEqual([true, false, false, false]);
  });

  it("the native client comes first", () => {
    expect([askingWay("linux"), askingWay("win32"), askingWay("")]).toEqual([
      ["x64", "arm64"].includes(process.arch) ? "socket" : bashHere("linux") && "bash",
      undefined,
      undefined,
    ]);
    expect(askingWay("darwin")).toBe(bashHere("darwin") === undefined ? undefined : "bash");
  });
});
