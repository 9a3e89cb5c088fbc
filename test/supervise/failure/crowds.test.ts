import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { has, LONG, Suite } from "../programs/place.ts";
import { count, descriptors, memory, open, place, python, respond, start, until, zombies } from "./start.ts";

const suite = new Suite();
afterAll(() => suite.remove());

describe("much at once", { concurrent: true }, () => {
  it("1000 calls wait for an answer; others are served meanwhile; one answer lets all go on", async () => {
    const at = place(suite);
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
    const at = place(suite);
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
    const at = place(suite);
    const { ended } = start(at, python(at, `open("../outside/x", "w")`), ["--background-dir", at.questions]);
    await until("it is asked", () => open(at.questions).length === 1);
    const question = JSON.parse(readFileSync(join(at.questions, "pending/1.json"), "utf8")) as { pid: number };
    process.kill(question.pid, "SIGKILL");
    expect(await ended).toBe(137);
    expect([open(at.questions), existsSync(join(at.questions, "done.json")), count(at.outside)]).toEqual([[], true, 0]);
  });

  const paths = LONG ? 100_000 : 8_000;
  it(`${paths} distinct paths: memory stays bounded, no descriptor is left open`, async () => {
    const at = place(suite);
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
    expect((last?.memory ?? 0) - (first?.memory ?? 0)).toBeLessThan(60_000);
  });

  const processes = LONG ? 10_000 : 800;
  it(`${processes} short processes leave neither descriptors nor zombies`, async () => {
    const at = place(suite);
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
    const at = place(suite);
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
