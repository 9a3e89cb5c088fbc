import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Suite } from "../programs/place.ts";
import { count, place, python, sleep, start, supervisorOf, until } from "./start.ts";

const suite = new Suite();
afterAll(() => suite.remove());
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

const WRITER = `
import os, time
i = 0
while True:
    i += 1
    try:
        os.close(os.open(f"made-{i}", os.O_CREAT | os.O_WRONLY)); os.mkdir(f"folder-{i}"); os.rename(f"made-{i}", f"moved-{i}")
    except OSError: time.sleep(0.01)
`;

const FLOOD = `
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("begun", "w").close()
while os.getppid() == int(sys.argv[1]):
    try: os.chmod("begun", 0o600)
    except OSError: pass
`;

/** How often a process has slept (proc_pid_status(5)). */
const switches = (pid: number): number =>
  Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(readFileSync(`/proc/${supervisorOf(pid)}/status`, "utf8"))?.[1]);

/** Not a process that nobody has waited for yet. */
const isRunningAt = (pid: number): boolean => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("the supervisor fails", { concurrent: true }, () => {
  it("killed: its tree makes, changes and removes nothing any more", async () => {
    const at = place(suite);
    const { pid, ended } = start(at, ["sh", "-c", "python3 p.py & python3 p.py & wait", ...python(at, WRITER).slice(2)]);
    await until("it writes", () => count(at.cwd) > 20);
    const tree = await children(pid);
    process.kill(supervisorOf(pid), "SIGKILL");
    await ended;
    const before = readdirSync(at.cwd);
    await sleep(400);
    expect(readdirSync(at.cwd)).toEqual(before);
    for (const one of tree) if (existsSync(`/proc/${one}`)) process.kill(one, "SIGKILL");
  });

  it("who waits for it is killed: the whole tree ends", async () => {
    const at = place(suite);
    const { pid, ended } = start(at, ["sh", "-c", "python3 p.py & setsid python3 p.py & wait", ...python(at, WRITER).slice(2)]);
    await until("it writes", () => count(at.cwd) > 20);
    const tree = await children(pid);
    expect(tree.length).toBeGreaterThan(2);
    process.kill(pid, "SIGKILL");
    await ended;
    await until("nothing of it is left", () => tree.every((one) => !isRunningAt(one)));
  });

  it("stopped: its tree waits, and goes on with it", async () => {
    const at = place(suite);
    const { pid, ended } = start(at, python(at, WRITER));
    await until("it writes", () => count(at.cwd) > 20);
    process.kill(supervisorOf(pid), "SIGSTOP");
    await sleep(100);
    const before = count(at.cwd);
    await sleep(300);
    expect(count(at.cwd)).toBe(before);
    process.kill(supervisorOf(pid), "SIGCONT");
    await until("it writes again", () => count(at.cwd) > before);
    process.kill(pid, "SIGTERM");
    expect(await ended).toBe(143);
  });

  it("idle: nothing wakes it", async () => {
    const at = place(suite);
    const { pid, ended } = start(at, ["sh", "-c", "echo > begun; exec sleep 30"]);
    await until("it has begun", () => count(at.cwd) > 0);
    // What has ended is looked for some times more.
    await sleep(1500);
    const before = switches(pid);
    await sleep(1000);
    expect(switches(pid) - before).toBeLessThanOrEqual(2);
    process.kill(pid, "SIGTERM");
    expect(await ended).toBe(143);
  });

  it("called without end: it hears signals all the same", async () => {
    const at = place(suite);
    const { pid, ended } = start(at, ["sh", "-c", "for i in 1 2 3 4; do python3 p.py $$ & done; wait", ...python(at, FLOOD).slice(2)]);
    await until("they call", () => count(at.cwd) > 1);
    const begun = Date.now();
    process.kill(pid, "SIGTERM");
    expect(await ended).toBe(143);
    expect(Date.now() - begun).toBeLessThan(5000);
  });

  it.each([
    ["the state folder cannot be made", { XDG_STATE_HOME: "/proc/none" }],
    ["the state folder is a file", { XDG_STATE_HOME: "/etc/hostname" }],
  ])("%s: nothing is started, and it is said why", async (_what, env) => {
    const at = place(suite);
    const { status, stdout, stderr } = await at.run({ user: "self", argv: at.supervised(["sh", "-c", "echo started; echo > made"]), env });
    expect([status, stdout, stderr.includes(env.XDG_STATE_HOME), count(at.cwd)]).toEqual([125, "", true, 0]);
  });

  it("there is no home: a run works or is refused with a reason, and leaves nothing in the working folder", async () => {
    const at = place(suite);
    const { status, stdout, stderr } = await at.run({
      user: "self",
      argv: ["env", "-u", "HOME", "-u", "XDG_STATE_HOME", ...at.supervised(["sh", "-c", "echo ran"], ["-P", "--no-undo"])],
    });
    expect(status === 0 ? stdout : `${status} ${stderr}`).toMatch(/^ran\n$|^125 .*(?:HOME|home|state)/);
    expect(readdirSync(at.cwd)).toEqual([]);
  });

  it.runIf(mayMount)("the disk of the state folder is full: nothing is lost that could not be kept, and nothing hangs", async () => {
    const at = place(suite);
    for (let i = 0; i < 20; i++) writeFileSync(join(at.cwd, `big-${i}`), Buffer.alloc(200_000, i));
    const argv = python(
      at,
      `
import os
for i in range(20):
    for what in (lambda: os.truncate(f"big-{i}", 10), lambda: os.unlink(f"big-{i}"), lambda: os.close(os.open(f"new-{i}", os.O_CREAT | os.O_WRONLY))):
        try: what(); print("done", end=" ")
        except OSError as e: print({28: "refused", 122: "refused"}.get(e.errno, e), end=" ")
`,
    );
    const script = `mount -t tmpfs -o size=1m none "$0" && "$@"; s=$?; df "$0" | tail -1; find "$0" -type f -size +100k | wc -l >&2; exit $s`;
    const { status, stdout, stderr } = await at.run({
      user: "self",
      argv: ["unshare", "-m", "sh", "-c", script, at.state, ...at.supervised(argv)],
      seconds: 60,
    });
    expect([status, stdout.includes("refused"), stdout.includes("done"), stdout.includes("Errno")], stderr).toEqual([0, true, true, false]);
    expect(stderr).toMatch(/refused to \w+ .*the disk that holds Assent's records is full/);
    // Each of them is there as it was, or was kept whole.
    const whole = readdirSync(at.cwd).filter((name) => name.startsWith("big-") && readFileSync(join(at.cwd, name)).length === 200_000);
    const kept = Number(/^(\d+)$/m.exec(stderr.trim().split("\n").at(-1) ?? "")?.[1]);
    expect(whole.length + kept).toBeGreaterThanOrEqual(20);
  });

  it.runIf(mayMount)("the disk of the working folder is full: the program is told so, as without", async () => {
    const at = place(suite);
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

async function children(pid: number): Promise<readonly number[]> {
  await Promise.resolve();
  const direct = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [...direct, ...(await Promise.all(direct.map(children))).flat()];
}
