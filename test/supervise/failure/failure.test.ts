import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { has, type Place, Suite } from "../programs/place.ts";
import { LONG } from "../programs/twice.ts";
import { descriptors, memory, open, respond, sleep, until } from "./start.ts";

const suite = new Suite();
afterAll(() => suite.remove());

/** A folder that nothing opens by default, beside the working folder. */
function place(): Place & { readonly outside: string; readonly questions: string } {
  const made = suite.place();
  made.fresh("self");
  const [outside, questions] = [join(made.folder, "outside"), join(made.folder, "questions")];
  mkdirSync(outside);
  mkdirSync(questions, { mode: 0o700 });
  return Object.assign(made, { outside, questions });
}

const python = (at: Place, text: string): readonly string[] => {
  writeFileSync(join(at.cwd, "p.py"), text);
  return ["/usr/bin/python3", "p.py"];
};
const count = (folder: string): number => readdirSync(folder).length;
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

/** A supervised program that goes on beside the test. */
function start(at: Place, argv: readonly string[], options: readonly string[] = ["-P"]) {
  const [program = "", ...args] = at.supervised(argv, options);
  const child = spawn(program, args, { cwd: at.cwd, env: at.env(), stdio: ["ignore", "pipe", "pipe"], detached: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | string>((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal ?? "?")));
  return { pid: child.pid ?? 0, ended, said: () => text };
}

const WRITER = `
import os, time
i = 0
while True:
    i += 1
    try:
        os.close(os.open(f"made-{i}", os.O_CREAT | os.O_WRONLY)); os.mkdir(f"folder-{i}"); os.rename(f"made-{i}", f"moved-{i}")
    except OSError: time.sleep(0.01)
`;

describe("the supervisor fails", { concurrent: true }, () => {
  it("killed: its tree makes, changes and removes nothing any more", async () => {
    const at = place();
    const { pid, ended } = start(at, ["sh", "-c", "python3 p.py & python3 p.py & wait", ...python(at, WRITER).slice(2)]);
    await until("it writes", () => count(at.cwd) > 20);
    const tree = await children(pid);
    process.kill(pid, "SIGKILL");
    await ended;
    const before = readdirSync(at.cwd);
    await sleep(400);
    expect(readdirSync(at.cwd)).toEqual(before);
    for (const one of tree) if (existsSync(`/proc/${one}`)) process.kill(one, "SIGKILL");
  });

  it("stopped: its tree waits, and goes on with it", async () => {
    const at = place();
    const { pid, ended } = start(at, python(at, WRITER));
    await until("it writes", () => count(at.cwd) > 20);
    process.kill(pid, "SIGSTOP");
    await sleep(100);
    const before = count(at.cwd);
    await sleep(300);
    expect(count(at.cwd)).toBe(before);
    process.kill(pid, "SIGCONT");
    await until("it writes again", () => count(at.cwd) > before);
    process.kill(pid, "SIGTERM");
    expect(await ended).toBe(143);
  });

  it.each([
    ["the state folder cannot be made", { XDG_STATE_HOME: "/proc/none" }],
    ["the state folder is a file", { XDG_STATE_HOME: "/etc/hostname" }],
  ])("%s: nothing is started, and it is said why", async (_what, env) => {
    const at = place();
    const { status, stdout, stderr } = await at.run({ user: "self", argv: at.supervised(["sh", "-c", "echo started; echo > made"]), env });
    expect([status, stdout, stderr.includes(env.XDG_STATE_HOME), count(at.cwd)]).toEqual([125, "", true, 0]);
  });

  it("there is no home: a run works or is refused with a reason, and leaves nothing in the working folder", async () => {
    const at = place();
    const { status, stdout, stderr } = await at.run({
      user: "self",
      argv: ["env", "-u", "HOME", "-u", "XDG_STATE_HOME", ...at.supervised(["sh", "-c", "echo ran"], ["-P", "--no-undo"])],
    });
    expect(status === 0 ? stdout : `${status} ${stderr}`).toMatch(/^ran\n$|^125 .*(?:HOME|home|state)/);
    expect(readdirSync(at.cwd)).toEqual([]);
  });

  it.runIf(mayMount)("the disk of the state folder is full: nothing is lost that could not be kept, and nothing hangs", async () => {
    const at = place();
    for (let i = 0; i < 20; i++) writeFileSync(join(at.cwd, `big-${i}`), Buffer.alloc(200_000, i));
    const argv = python(
      at,
      `
import os
for i in range(20):
    for what in (lambda: os.truncate(f"big-{i}", 10), lambda: os.unlink(f"big-{i}"), lambda: os.close(os.open(f"new-{i}", os.O_CREAT | os.O_WRONLY))):
        try: what(); print("done", end=" ")
        except PermissionError: print("refused", end=" ")
`,
    );
    const script = `mount -t tmpfs -o size=1m none "$0" && "$@"; s=$?; df "$0" | tail -1; find "$0" -type f -size +100k | wc -l >&2; exit $s`;
    const { status, stdout, stderr } = await at.run({
      user: "self",
      argv: ["unshare", "-m", "sh", "-c", script, at.state, ...at.supervised(argv)],
      seconds: 60,
    });
    expect([status, stdout.includes("refused"), stdout.includes("done")], stderr).toEqual([0, true, true]);
    // Each of them is there as it was, or was kept whole.
    const whole = readdirSync(at.cwd).filter((name) => name.startsWith("big-") && readFileSync(join(at.cwd, name)).length === 200_000);
    const kept = Number(/^(\d+)$/m.exec(stderr.trim().split("\n").at(-1) ?? "")?.[1]);
    expect(whole.length + kept).toBeGreaterThanOrEqual(20);
  });

  it.runIf(mayMount)("the disk of the working folder is full: the program is told so, as without", async () => {
    const at = place();
    const text = `
import os, errno
def t(name, f):
    try: f(); print(name, "ok")
    except OSError as e: print(name, errno.errorcode[e.errno])
os.chdir("../full")
f = open("first", "wb", 0)
try:
    while f.write(b"x" * 65536): pass
except OSError as e: print(errno.errorcode[e.errno])
for i in range(3): t("mkdir", lambda: os.mkdir(f"d{i}")); t("open", lambda: os.close(os.open(f"n{i}", os.O_CREAT | os.O_WRONLY))); t("symlink", lambda: os.symlink("x", f"s{i}")); t("link", lambda: os.link("first", f"l{i}")); t("rename", lambda: os.rename(f"l{i}", f"m{i}")); t("unlink", lambda: os.unlink(f"m{i}"))
print(sorted(os.listdir(".")))
`;
    const argv = python(at, text);
    const full = join(at.folder, "full");
    mkdirSync(full);
    const script = `mount -t tmpfs -o size=256k,nr_inodes=6 none "$0" && exec "$@"`;
    const policy = join(at.folder, "full.jsonc");
    writeFileSync(policy, JSON.stringify({ version: 1, permissions: { allow: [`Write(${full}/**)`, `Delete(${full}/**)`] } }));
    const [bare, supervised] = [argv, at.supervised(argv, ["-P", "--policy", policy])].map((each) => [
      "unshare",
      "-m",
      "sh",
      "-c",
      script,
      full,
      ...each,
    ]);
    const expected = await at.run({ user: "self", argv: bare ?? [] });
    expect(expected.stdout).toContain("ENOSPC");
    expect((await at.run({ user: "self", argv: supervised ?? [] })).stdout).toBe(expected.stdout);
  });
});

describe("much at once", { concurrent: true }, () => {
  it("1000 calls wait for an answer; others are served meanwhile; one answer lets all go on", async () => {
    const at = place();
    const argv = python(
      at,
      `
import os, threading, sys
threading.stack_size(65536)
def ask(i): os.close(os.open(f"../outside/{i}", os.O_CREAT | os.O_WRONLY))
threads = [threading.Thread(target=ask, args=(i,)) for i in range(1000)]
for one in threads: one.start()
for i in range(200): open(f"meanwhile-{i}", "w").close()
open("served", "w").close()
for one in threads: one.join()
print("joined")
`,
    );
    const { pid, ended, said } = start(at, argv, ["--background-dir", at.questions]);
    await until("all wait", () => open(at.questions).length === 1000);
    await until("others are served", () => existsSync(join(at.cwd, "served")));
    expect(count(at.outside)).toBe(0);
    const used = memory(pid);
    await respond(at.questions, open(at.questions)[0] ?? 0, "trust");
    expect([await ended, count(at.outside)], said()).toEqual([0, 1000]);
    expect(said()).toContain("joined");
    expect(used).toBeLessThan(400_000);
  });

  it("200 questions are answered one by one", async () => {
    const at = place();
    const argv = python(
      at,
      `
import os, threading
done = []
def ask(i):
    try: os.close(os.open(f"../outside/{i}", os.O_CREAT | os.O_WRONLY)); done.append(i)
    except PermissionError: pass
threads = [threading.Thread(target=ask, args=(i,)) for i in range(200)]
for one in threads: one.start()
for one in threads: one.join()
print(len(done))
`,
    );
    const { ended, said } = start(at, argv, ["--background-dir", at.questions]);
    await until("all wait", () => open(at.questions).length === 200);
    for (const seq of open(at.questions)) await respond(at.questions, seq, seq % 2 === 0 ? "approve" : "deny");
    expect([await ended, count(at.outside)], said()).toEqual([0, 100]);
    expect(said()).toContain("100\n");
  });

  it("the program is killed while a question is open: the question goes, the run ends with it", async () => {
    const at = place();
    const { ended } = start(at, python(at, `open("../outside/x", "w")`), ["--background-dir", at.questions]);
    await until("it is asked", () => open(at.questions).length === 1);
    const question = JSON.parse(readFileSync(join(at.questions, "pending/1.json"), "utf8")) as { pid: number };
    process.kill(question.pid, "SIGKILL");
    expect(await ended).toBe(137);
    expect([open(at.questions), existsSync(join(at.questions, "done.json")), count(at.outside)]).toEqual([[], true, 0]);
  });

  const paths = LONG ? 100_000 : 15_000;
  it(`${paths} distinct paths: memory stays bounded, no descriptor is left open`, async () => {
    const at = place();
    const argv = python(
      at,
      `
import os, sys, time
def mark(name): print(name, flush=True); time.sleep(0.4)
def some(n, start):
    for i in range(start, start + n):
        os.close(os.open(f"f{i}", os.O_CREAT | os.O_WRONLY)); os.unlink(f"f{i}")
some(2500, 0); mark("first"); some(${paths - 2500}, 2500)
for i in range(50): os.mkdir("d"); os.symlink("d", "l"); os.rename("d", "e"); os.chmod("e", 0o700); os.link("p.py", "h"); os.utime("h"); os.stat("h"); os.listdir("e"); os.rmdir("e"); os.unlink("l"); os.unlink("h")
for call in (lambda: open("none/x"), lambda: open("/etc/shadow-none"), lambda: open("../outside/x", "w"), lambda: os.unlink("none"), lambda: os.mkdir("."), lambda: os.rename("a", "b"), lambda: os.rename(".", "b"), lambda: os.link("/etc/hostname", "z"), lambda: os.chmod("none", 0), lambda: os.open("p.py/", os.O_CREAT), lambda: os.mkdir("/"), lambda: os.execv("none", ["none"]), lambda: os.execv("p.py", ["p.py"]), lambda: os.truncate(".", 0)):
    for i in range(60):
        try: call()
        except OSError: pass
mark("last")
`,
    );
    const seen: { descriptors: number; memory: number }[] = [];
    const { status, stderr } = await at.run({
      user: "self",
      argv: at.supervised(argv, ["-P", "--no-undo"]),
      onOutput: (text, pid) => {
        if (/^(?:first|last)$/m.test(text)) seen.push({ descriptors: descriptors(pid), memory: memory(pid) });
      },
    });
    expect([status, seen.length], stderr).toEqual([0, 2]);
    const [first, last] = seen;
    expect((last?.descriptors ?? 0) - (first?.descriptors ?? 0)).toBeLessThan(4);
    expect((last?.memory ?? 0) - (first?.memory ?? 0)).toBeLessThan(120_000);
  });

  const processes = LONG ? 10_000 : 800;
  it(`${processes} short processes leave neither descriptors nor zombies`, async () => {
    const at = place();
    const seen: { descriptors: number; zombies: number }[] = [];
    const script = `mark() { echo "$1"; sleep 0.4; }; i=0; while [ $i -lt ${processes} ]; do /bin/true; [ $i = 400 ] && mark first; i=$((i + 1)); done; for i in $(seq 40); do (setsid sh -c 'sleep 0.1' & ) ; done; sleep 0.5; /bin/true; mark last`;
    const { status, stderr } = await at.run({
      user: "self",
      argv: at.supervised(["bash", "-c", script]),
      onOutput: (text, pid) => {
        if (/^(?:first|last)$/m.test(text)) seen.push({ descriptors: descriptors(pid), zombies: zombies(pid) });
      },
    });
    expect([status, seen.length], stderr).toEqual([0, 2]);
    // The last few hundred tasks are remembered, two descriptors each.
    expect((seen[1]?.descriptors ?? 0) - (seen[0]?.descriptors ?? 0)).toBeLessThan(300);
    expect(seen[1]?.descriptors).toBeLessThan(600);
    expect(seen[1]?.zombies).toBeLessThan(40);
  });

  it.runIf(process.getuid?.() === 0 && has("prlimit"))("a fork storm under a limit: the run ends as the program does", async () => {
    const at = suite.place();
    at.fresh("nobody", {
      "p.py": `
import os, time
made = 0
while made < 2000:
    try: pid = os.fork()
    except BlockingIOError: break
    if pid == 0:
        try: os.close(os.open(f"f{os.getpid()}", os.O_CREAT | os.O_WRONLY))
        except OSError: pass
        time.sleep(0.3); os._exit(0)
    made += 1
print("limit" if made < 2000 else "none", made > 20)
`,
    });
    // Its own namespace of processes, so that nothing of it can be left.
    const argv = [
      "unshare",
      "-p",
      "--fork",
      "--kill-child",
      "--mount-proc",
      "setpriv",
      "--reuid=65533",
      "--regid=65534",
      "--clear-groups",
      "prlimit",
      "--nproc=150",
      ...at.supervised(["/usr/bin/python3", "p.py"]),
    ];
    spawnSync("chown", ["-R", "65533", at.folder]);
    const { status, stdout, stderr } = await at.run({ user: "self", argv, seconds: 60 });
    expect([status, stdout], stderr).toEqual([0, "limit True\n"]);
  });

  it("a tree of 150 generations", async () => {
    const at = place();
    const argv = python(
      at,
      `
import os, sys
def go(n):
    if n == 0: open("bottom", "w").close(); return 7
    pid = os.fork()
    if pid == 0: os._exit(go(n - 1))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(go(150))
`,
    );
    expect([(await at.run({ user: "self", argv: at.supervised(argv) })).status, existsSync(join(at.cwd, "bottom"))]).toEqual([7, true]);
  });
});

function zombies(supervisor: number): number {
  return readdirSync("/proc").filter((name) => {
    try {
      const [state, parent] = (/\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? []).slice(1);
      return state === "Z" && Number(parent) === supervisor;
    } catch {
      return false;
    }
  }).length;
}

async function children(pid: number): Promise<readonly number[]> {
  await Promise.resolve();
  const direct = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [...direct, ...(await Promise.all(direct.map(children))).flat()];
}
