import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { isRunning } from "@assent/supervisor/supervise/undo";
import { Suite, type User, USERS } from "../programs/place.ts";
import { until } from "./start.ts";

/** A run ends with its main program; what it leaves behind keeps the sandbox, is named, and is part of the run. */
const suite = new Suite();
afterAll(() => suite.remove());

interface Case {
  readonly name: string;
  readonly run: string;
  readonly status: number | string;
  readonly stdout: string;
  readonly names?: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "a job that was disowned",
    run: "sleep 20 >/dev/null 2>&1 & disown; echo done",
    status: 0,
    stdout: "done\n",
    names: /still running.*(?:sleep|bash) \(\d+\)/,
  },
  { name: "the status is the program's", run: "sleep 20 >/dev/null 2>&1 & exit 7", status: 7, stdout: "", names: /sleep|setsid|bash/ },
  { name: "the program is killed", run: "sleep 20 >/dev/null 2>&1 & kill -9 $$", status: 137, stdout: "", names: /sleep|setsid|bash/ },
  {
    name: "a session of its own",
    run: "setsid sleep 20 >/dev/null 2>&1 < /dev/null & echo done",
    status: 0,
    stdout: "done\n",
    names: /sleep|setsid|bash/,
  },
  {
    name: "a daemon that forks twice",
    run: "( (exec sleep 20) & ) >/dev/null 2>&1 </dev/null; echo done",
    status: 0,
    stdout: "done\n",
    names: /sleep|setsid|bash/,
  },
  {
    name: "a process that is no child of the program, but the supervisor's (clone(2), CLONE_PARENT)",
    run: `python3 -c 'import ctypes, os, platform, time
if ctypes.CDLL(None).syscall(56 if platform.machine() == "x86_64" else 220, 0x8011, 0, 0, 0, 0) == 0: os.close(1); os.close(2); time.sleep(20); os._exit(0)
print("done")'`,
    status: 0,
    stdout: "done\n",
    names: /python3/,
  },
  { name: "nothing left", run: "sleep 0.1 & wait; echo done", status: 0, stdout: "done\n" },
  { name: "what ends at once", run: "true & echo done", status: 0, stdout: "done\n" },
];

describe.each(USERS)("what a run leaves behind, as %s", { concurrent: true }, (user: User) => {
  for (const { name, run, status, stdout, names } of CASES)
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      const argv = place.supervised(["bash", "-c", run]);
      const before = Date.now();
      // Through a pipe: it ends when nobody holds it any more.
      const ran = await place.run({ user, argv, seconds: 15 });
      expect(ran).toMatchObject({ status, stdout });
      expect(Date.now() - before).toBeLessThan(15_000);
      if (names === undefined) expect(ran.stderr).not.toContain("still running");
      else expect(ran.stderr).toMatch(names);
      const pids = /kill ([\d ]+)/.exec(ran.stderr)?.[1]?.trim().split(" ").map(Number) ?? [];
      for (const pid of pids) process.kill(pid, "SIGKILL");
    });

  it("it keeps the sandbox, its changes are the run's, and undo waits for it", async () => {
    const place = suite.place();
    place.fresh(user, { f: "O\n" });
    const run =
      "(until [ -e go ]; do sleep 0.1; done; echo changed > f; echo x > ../outside; echo ended > end) >/dev/null 2>&1 & echo first > now";
    const ran = await place.run({ user, argv: place.supervised(["bash", "-c", run]), seconds: 15 });
    expect(ran).toMatchObject({ status: 0 });
    const assent = place.supervised([]).slice(0, 2);
    const early = await place.run({ user, argv: [...assent, "undo", "--yes"] });
    expect(early).toMatchObject({ status: 1 });
    expect(early.stderr).toMatch(/left bash \(\d+\).* running, which may still change things/);
    // Another run beside it.
    const second = await place.run({ user, argv: place.supervised(["sh", "-c", "cat f now; echo go > go"]) });
    expect(second).toMatchObject({ status: 0, stdout: "O\nfirst\n" });
    await until("it has ended", () => existsSync(`${place.cwd}/end`));
    expect(existsSync(`${place.folder}/outside`)).toBe(false);
    expect(readFileSync(`${place.cwd}/f`, "utf8")).toBe("changed\n");
    const id = /assent receipt (\S+),/.exec(ran.stderr)?.[1] ?? "";
    await until("its records are closed", () => !isRunning(`${place.state}/assent/runs/${id}`));
    const undone = await place.run({ user, argv: [...assent, "undo", id, "--yes"] });
    expect(undone).toMatchObject({ status: 0 });
    expect(readFileSync(`${place.cwd}/f`, "utf8")).toBe("O\n");
    expect(existsSync(`${place.cwd}/now`)).toBe(false);
  });

  it("two signals to the run end it, whatever the program ignores", async () => {
    const place = suite.place();
    place.fresh(user);
    writeFileSync(`${place.cwd}/p.sh`, "trap '' TERM INT; echo on; while :; do sleep 0.2; done");
    let signals = 0;
    const ran = await place.run({
      user,
      argv: place.supervised(["bash", "p.sh"]),
      seconds: 30,
      onOutput: (text, pid) => {
        if (!text.includes("on")) return;
        const timer = setInterval(() => {
          signals += 1;
          try {
            process.kill(pid, "SIGTERM");
          } catch {
            clearInterval(timer);
          }
        }, 300);
      },
    });
    expect(ran.status).toBe(137);
    expect(signals).toBeGreaterThan(1);
  });
});
