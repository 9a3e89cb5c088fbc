import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SpareSocket } from "@assent/assent/daemon";
import { daemonFolder } from "@assent/guard/state";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { type Handed, type Handing, handOver, SPARE_CLIENT, startHanding, startSpare } from "./spare.ts";

const LONG = { timeout: 60_000 };
const UNASKED = ["-P", "--"] as const;
const has = (program: string, ...words: readonly string[]): boolean => spawnSync(program, words, { stdio: "ignore" }).status === 0;

/** Codex's own program: ASSENT_TEST_CODEX names it, or the real clients were driven here (npm run test:clients). */
const CODEX = [process.env["ASSENT_TEST_CODEX"] ?? [], codexIn(resolve("node_modules/.cache/clients/packages"))].flat()[0];

function codexIn(packages: string): readonly string[] {
  const found = existsSync(packages) ? readdirSync(packages).filter((name) => name.startsWith("@openai+codex@")) : [];
  return found.map((name) => join(packages, name, "node_modules/.bin/codex")).filter((file) => existsSync(file));
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "gone";
  }
}

/** What differs from run to run. */
const plain = ({ status, signal, stdout, stderr }: Handed): Handed => ({
  status,
  signal,
  stdout,
  stderr: stderr.replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/g, "RUN").replaceAll(/\(\d+\)|kill \d+/g, "PID"),
});

describe("a command that is handed over ends as one that is not", () => {
  /** [what, command of sh, more] */
  const COMMANDS: readonly (readonly [what: string, command: string, more?: Partial<Handing>])[] = [
    ["a status", "exit 7"],
    ["a signal", "kill -TERM $$"],
    ["a signal that leaves a core file", "ulimit -c 0; kill -SEGV $$"],
    ["output, errors, input", "cat; echo to stderr >&2", { input: "read\n" }],
    ["a refusal", "cat ~/.ssh/key; echo x > ~/.bashrc"],
    ["what it changes", "echo new > made; rm -f old; mkdir folder"],
    ["its folder", "pwd", { cwd: "/usr" }],
    ["its environment", "echo $A; env | sort", { env: { A: "a b\n\tc", EMPTY: "", É: "ü" } }],
    ["its mask of new files", "umask; : > made; stat -c %a made", { through: ["sh", "-c", 'umask 027; exec "$@"', "sh"] }],
    ["its words", 'echo "$0"'],
    ["a program that is not there", "nowhere"],
    ["its descriptors", "ls /proc/self/fd"],
    ["its limit of open files", "ulimit -n; ulimit -u"],
    ["its signals", "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status"],
    ["its rights", "grep -E '^(Cap|NoNewPrivs|Seccomp|Groups|Uid)' /proc/self/status"],
  ];
  it.each(COMMANDS.map(([what, command, more = {}]) => ({ what, command, more })))("$what", LONG, async ({ command, more }) => {
    const outcomes: Handed[] = [];
    const changed: (readonly string[])[] = [];
    for (const cold of [true, false]) {
      const place = scratch();
      place.write("~/.ssh/key", "secret");
      place.write("old", "old\n");
      const spare = cold ? undefined : await startSpare(place);
      const outcome = plain(await handOver(place, { words: [...UNASKED, "sh", "-c", command], ...more, cold }));
      const at = (text: string): string => text.replaceAll(place.root, "/root-of-test").replaceAll(/\d+ -> |\b1[0-9]{3,}\b/g, "N");
      outcomes.push({ ...outcome, stdout: at(outcome.stdout), stderr: at(outcome.stderr) });
      changed.push(readdirSync(place.project).toSorted());
      if (spare !== undefined) expect(spare.isTaken()).toBe(true);
    }
    const [cold, handed] = outcomes;
    expect(handed).toEqual(cold);
    expect(changed[1]).toEqual(changed[0]);
  });
});

describe("a command goes today's way", () => {
  const WITHOUT: Record<string, string> = { NODE_OPTIONS: "--no-warnings" };
  /** [who calls, how, what must be there] */
  const CALLERS: readonly (readonly [who: string, handing: Partial<Handing>, possible?: boolean])[] = [
    ["with no_new_privs", { through: ["setpriv", "--no-new-privs"] }, has("setpriv", "--version")],
    ["in another mount namespace", { through: ["unshare", "-m"] }, has("unshare", "-m", "true")],
    ["in another network namespace", { through: ["unshare", "-n"] }, has("unshare", "-n", "true")],
    ["in another PID namespace", { through: ["unshare", "-p", "-f", "--mount-proc"] }, has("unshare", "-p", "-f", "--mount-proc", "true")],
    ["in another IPC namespace", { through: ["unshare", "-i"] }, has("unshare", "-i", "true")],
    ["with a lower priority", { through: ["nice", "-n", "5"] }],
    ["with fewer processors", { through: ["taskset", "-c", "0"] }, has("taskset", "-c", "1", "true")],
    ["with a limit", { through: ["sh", "-c", 'ulimit -c 0; ulimit -s 4096; exec "$@"', "sh"] }],
    ["with fewer rights", { through: ["setpriv", "--bounding-set", "-net_raw"] }, has("setpriv", "--bounding-set", "-net_raw", "true")],
    ["with another personality", { through: ["setarch", "-R"] }, has("setarch", "-R", "true")],
    ["more likely to be killed", { through: ["sh", "-c", 'echo 500 > /proc/self/oom_score_adj; exec "$@"', "sh"] }],
    ["with a variable that steers Node", { env: WITHOUT }],
    ["with a variable that steers the loader", { env: { LD_BIND_NOW: "1" } }],
    ["without standard input", { through: ["sh", "-c", 'exec "$@" <&-', "sh"] }],
  ];
  const possible = CALLERS.filter(([, , is]) => is !== false).map(([who, handing]) => ({ who, handing }));
  it.each(possible)("$who", LONG, async ({ handing }) => {
    const place = scratch();
    const spare = await startSpare(place);
    const outcome = await handOver(place, { words: [...UNASKED, "sh", "-c", "echo started; exit 3"], ...handing });
    expect([outcome.status, outcome.stdout.replaceAll("\r", ""), spare.isTaken()]).toEqual([3, "started\n", false]);
    // The next one is taken all the same.
    expect((await handOver(place, { words: [...UNASKED, "sh", "-c", "exit 4"] })).status).toBe(4);
    expect(spare.isTaken()).toBe(true);
  });

  /** [what is wrong, how] */
  const SPARES: readonly (readonly [string, (place: Scratch) => Promise<void>])[] = [
    ["none waits", async () => undefined],
    [
      "it was killed",
      async (place) => {
        const { child, ended } = await startSpare(place);
        child.kill("SIGKILL");
        await ended;
      },
    ],
    [
      "it was stopped",
      async (place) => {
        const { child } = await startSpare(place);
        child.kill("SIGSTOP");
      },
    ],
    ["another command has it", async (place) => void (await handOver(place, await handedTo(place)))],
  ];
  it.each(SPARES)("%s", LONG, async (_what, prepare) => {
    const place = scratch();
    await prepare(place);
    const { status, stdout } = await handOver(place, { words: [...UNASKED, "sh", "-c", "echo started; exit 3"], hasty: true });
    expect([status, stdout]).toEqual([3, "started\n"]);
  });
});

const handedTo = async (place: Scratch): Promise<Handing> => {
  await startSpare(place);
  return { words: [...UNASKED, "true"] };
};

describe("nothing is taken", () => {
  /** As root it needs no no_new_privs, which would tell it apart: the secret alone does. */
  const LANDLOCKED = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
rules = ctypes.c_uint64(1 << 11)
fd = libc.syscall(444, ctypes.byref(rules), 8, 0)
assert fd >= 0 and libc.syscall(446, fd, 0) == 0
os.close(fd)
os.execvp(sys.argv[1], sys.argv[1:])`;
  const canLandlock = spawnSync("python3", ["-c", LANDLOCKED, "true"], { stdio: "ignore" }).status === 0;

  it.runIf(canLandlock)("of who stands in a sandbox of Landlock", LONG, async () => {
    const place = scratch();
    const spare = await startSpare(place);
    const through = ["python3", "-c", LANDLOCKED];
    const { status, stdout } = await handOver(place, { words: [...UNASKED, "sh", "-c", "echo started; exit 3"], through });
    expect([status, stdout, spare.isTaken()]).toEqual([3, "started\n", false]);
    // Nothing but the sandbox told it apart.
    const same = ["python3", "-c", LANDLOCKED.replace(/^assert .*$/m, "")];
    expect((await handOver(place, { words: [...UNASKED, "sh", "-c", "exit 4"], through: same })).status).toBe(4);
    expect(spare.isTaken()).toBe(true);
  });

  it.skipIf(CODEX === undefined)(
    "of who stands in the real sandbox of Codex: what lies outside its folders stays as it is",
    LONG,
    async () => {
      const place = scratch();
      place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Edit(~/outside)"] } }');
      const spare = await startSpare(place);
      const outside = join(place.home, "outside");
      const words = [...UNASKED, "sh", "-c", "echo written > ~/outside"];
      const rules = [
        'sandbox_mode="workspace-write"',
        ...["exclude_slash_tmp", "exclude_tmpdir_env_var"].map((name) => `sandbox_workspace_write.${name}=true`),
      ];
      const through = [CODEX ?? "", "sandbox", ...rules.flatMap((rule) => ["-c", rule]), "--"];
      // It makes its helper programs in no folder for temporary files.
      const env = { PATH: process.env["PATH"] ?? "", TMPDIR: "/var/tmp" };
      const [codex = "", ...sandbox] = through;
      // It is a sandbox, and one in which a program starts.
      const tried = spawnSync(codex, [...sandbox, "sh", "-c", "echo in > inside && echo out > ~/outside"], {
        cwd: place.project,
        env: { ...env, HOME: place.home },
      });
      expect(String(tried.stderr)).toContain("Read-only file system");
      expect([existsSync(join(place.project, "inside")), existsSync(outside)]).toEqual([true, false]);
      await handOver(place, { words, through, env });
      expect([existsSync(outside), spare.isTaken()]).toEqual([false, false]);
      // Nothing but the sandbox told it apart.
      await handOver(place, { words });
      expect([existsSync(outside), spare.isTaken()]).toEqual([true, true]);
    },
  );

  it("of a program inside a run", LONG, async () => {
    const place = scratch();
    const spare = await startSpare(place);
    const inner = [SPARE_CLIENT, `${daemonFolder(place.machine)}/`, process.execPath, join(DIST, "bin.cjs"), "run", ...UNASKED, "true"];
    await handOver(place, { words: [...UNASKED, ...inner], cold: true });
    expect(spare.isTaken()).toBe(false);
  });

  it("by a supervisor whose program was updated underneath", LONG, async () => {
    const place = scratch();
    const dist = join(place.root, "package/dist");
    cpSync(DIST, dist, { recursive: true });
    symlinkSync(join(DIST, "../node_modules"), join(place.root, "package/node_modules"));
    const spare = await startSpare(place, dist);
    appendFileSync(join(dist, "run.cjs"), " ");
    const { status, stdout } = await handOver(place, { words: [...UNASKED, "sh", "-c", "echo started; exit 3"], dist });
    expect([status, stdout, spare.isTaken()]).toEqual([3, "started\n", false]);
  });

  it("of words for another program", LONG, async () => {
    const place = scratch();
    const spare = await startSpare(place);
    const { status } = await handOver(place, { words: [...UNASKED, "true"], dist: "/nowhere/dist" });
    expect([status, spare.isTaken()]).toEqual([1, false]);
  });
});

it("a policy that is written after the supervisor was started holds", LONG, async () => {
  const place = scratch();
  const spare = await startSpare(place);
  place.write("letter", "dear\n");
  place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Read(letter)"] } }');
  const { stdout, stderr } = await handOver(place, { words: [...UNASKED, "sh", "-c", "cat letter"] });
  expect([stdout, spare.isTaken()]).toEqual(["", true]);
  expect(stderr).toContain("refused: read");
});

it("a place where nobody can wait, and one where nobody has come, leave the next one free", () => {
  const { root } = scratch();
  expect(() => new SpareSocket(join(root, "x".repeat(108)))).toThrow("too long");
  expect(() => new SpareSocket(join(root, "nowhere/socket"))).toThrow("bind");
  const socket = new SpareSocket(join(root, "socket"), 1);
  expect(() =>
    socket.take(
      () => false,
      () => false,
    ),
  ).toThrow("accept4");
  socket.close();
  new SpareSocket(join(root, "socket")).close();
  expect(readdirSync(root)).not.toContain("socket");
});

it("one that has rehearsed leaves nothing of it behind, and takes a command", LONG, async () => {
  const place = scratch();
  const spare = await startSpare(place, DIST, 1);
  const folder = daemonFolder(place.machine);
  expect(readdirSync(folder)).toEqual([basename(spare.socket)]);
  // Code caches, which are for the next ones, too.
  expect(readdirSync(dirname(folder)).filter((name) => !name.endsWith(".cache"))).toEqual([basename(folder)]);
  const { status, stdout } = await handOver(place, { words: [...UNASKED, "sh", "-c", "echo $XDG_STATE_HOME; pwd; exit 3"] });
  expect([status, stdout, spare.isTaken()]).toEqual([3, `\n${place.project}\n`, true]);
});

it("when a host hears that a command has ended, no supervisor holds its output any more, and all is written", LONG, async () => {
  const place = scratch();
  const words = [join(DIST, "bin.cjs"), "run", "--beside", "-q", ...UNASKED, "true"];
  const beside = spawn(process.execPath, words, {
    cwd: place.project,
    env: { HOME: place.home },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const told = new Promise<string>((resolve) => beside.stdio[3]?.once("data", (how: Buffer) => resolve(String(how))));
  expect(await told).toBe("0");
  for (const fd of [1, 2]) expect(["/dev/null", "gone"]).toContain(linkOf(`/proc/${beside.pid ?? 0}/fd/${fd}`));
  // Whoever tried a run may take its state away: nothing comes after that.
  expect(readdirSync(dirname(daemonFolder(place.machine))).filter((name) => /^run-.*\.cache$/.test(name))).toHaveLength(1);
});

it("of many at once one is taken, and the others go today's way", LONG, async () => {
  const place = scratch();
  const spare = await startSpare(place);
  const many = Array.from({ length: 8 }, async () => await handOver(place, { words: ["-q", ...UNASKED, "sh", "-c", "exit 3"] }));
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 3));
  expect(spare.isTaken()).toBe(true);
});

describe("who ends", () => {
  const until = async (is: () => boolean): Promise<void> => {
    for (let tries = 0; !is(); tries += 1) {
      if (tries > 1000) throw new Error("it did not happen");
      await pause(10);
    }
  };
  const pidIn = (file: string): number => Number(existsSync(file) ? readFileSync(file, "latin1") : 0);
  const isThere = (pid: number): boolean => statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined;
  const SLEEPS = "echo $$ > outer; sh -c 'echo $$ > inner; sleep 100; :'; :";

  it("the client is killed: so is the whole tree", LONG, async () => {
    const place = scratch();
    const spare = await startSpare(place);
    const client = startHanding(place, { words: [...UNASKED, "sh", "-c", SLEEPS] });
    const files = ["inner", "outer"].map((name) => join(place.project, name));
    await until(() => files.every((file) => pidIn(file) > 0));
    expect(spare.isTaken()).toBe(true);
    client.kill("SIGKILL");
    await until(() => files.every((file) => !isThere(pidIn(file))));
    await spare.ended;
  });

  /** A shell that gets SIGINT while it starts a program ends, and leaves that program behind, supervised or not. */
  const sleeps = (shell: number): boolean => {
    try {
      const [child = ""] = readFileSync(`/proc/${shell}/task/${shell}/children`, "latin1").split(" ");
      return child !== "" && readFileSync(`/proc/${child}/comm`, "latin1") === "sleep\n";
    } catch {
      return false;
    }
  };

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s to the client ends the command, and the client by it", LONG, async (name) => {
    const place = scratch();
    const spare = await startSpare(place);
    const files = ["inner", "outer"].map((file) => join(place.project, file));
    const { signal, status } = await handOver(place, { words: [...UNASKED, "sh", "-c", SLEEPS] }, async (client) => {
      await until(() => files.every((file) => pidIn(file) > 0) && sleeps(pidIn(files[0] ?? "")));
      expect(spare.isTaken()).toBe(true);
      client.kill(name);
    });
    expect([signal, status].includes(name) || status === 128 + { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 }[name]).toBe(true);
    await until(() => files.every((file) => !isThere(pidIn(file))));
  });

  it("the supervisor is killed: the client ends as one that was killed", LONG, async () => {
    const place = scratch();
    const spare = await startSpare(place);
    const files = ["inner", "outer"].map((file) => join(place.project, file));
    const client = startHanding(place, { words: [...UNASKED, "sh", "-c", SLEEPS] });
    const end = new Promise((resolve) => client.once("exit", resolve));
    await until(() => files.every((file) => pidIn(file) > 0));
    const pids = files.map(pidIn);
    spare.child.kill("SIGKILL");
    expect(await end).toBe(137);
    process.kill(-(pids[1] ?? 0), "SIGKILL");
  });

  it("whoever kept it ends: one that waits ends, too", LONG, async () => {
    const place = scratch();
    const spare = await startSpare(place);
    expect(readFileSync(`/proc/${spare.child.pid ?? 0}/status`, "latin1")).toMatch(/^PPid:\t\d+$/m);
    spare.child.kill("SIGTERM");
    await spare.ended;
  });
});
