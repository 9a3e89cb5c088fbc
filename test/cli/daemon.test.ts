import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sparePlace } from "@assent/assent/daemon";
import { daemonFolder } from "@assent/guard/state";
import { envelope, HAS_CLIENT, isThere, callHook } from "../daemon/judge.ts";
import { startSpare } from "../daemon/spare.ts";
import { assent, DIST, scratch } from "../scratch.ts";

/** Whether a process takes no processor time for a while: proc_pid_stat(5), utime and stime. */
async function isAtRest(pid: number): Promise<boolean> {
  const used = (): string =>
    readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /, "")
      .split(" ")
      .slice(11, 13)
      .join();
  const before = used();
  await new Promise((resolve) => setTimeout(resolve, 400));
  return used() === before;
}

describe.skipIf(!HAS_CLIENT)("assent daemon", () => {
  const place = scratch({ keep: true });
  const said = (...words: readonly string[]): string => assent(place, ["daemon", ...words]).stdout;

  it("is on when a person says so, runs, tells of itself, ends, and is off", async () => {
    onTestFinished(() => void said("off"));
    expect(said()).toMatch(/^no judge stays between calls: each hook call starts its own\n {2}assent daemon on /);
    expect(JSON.parse(said("status", "--json"))).toEqual({ v: 1, on: false, possible: true, running: null });
    expect(said("stop")).toBe("no judge runs\n");
    expect(said("on")).toMatch(/^a judge stays between calls now/);
    expect(statSync(daemonFolder(place.machine)).mode & 0o777).toBe(0o700);
    await isThere(place);
    callHook(place, envelope(place, "ls"));
    await expect
      .poll(() => said())
      .toMatch(/^a judge runs since .* UTC \(process \d+\)\n {2}\d+ calls? answered, 0 left to a fresh process\n$/);
    expect(JSON.parse(said("status", "--json"))).toMatchObject({ on: true, running: { answers: true, supervisor: "unused" } });
    expect(said("stop")).toMatch(/^the judge \(process \d+\) has ended\n$/);
    expect(said()).toMatch(/^a judge may stay between calls; none runs now/);
    expect(said("off")).toMatch(/^no judge stays between calls any more/);
    expect(existsSync(daemonFolder(place.machine))).toBe(false);
    expect(existsSync(join(daemonFolder(place.machine), "..", "resident-off"))).toBe(true);
  });

  it("says whether a supervisor waits for a confined command", async () => {
    onTestFinished(() => void said("off"));
    const supervisor = (): unknown => JSON.parse(said("status", "--json"));
    said("on");
    await isThere(place);
    // A judge that gets warm looks once, and would start one by itself.
    const { running } = supervisor() as { readonly running: { readonly pid: number } };
    await expect.poll(() => isAtRest(running.pid), { timeout: 20_000 }).toBe(true);
    place.write("~/.local/share/assent/confine", "");
    expect(supervisor()).toMatchObject({ running: { supervisor: "none" } });
    expect(said()).toContain("\n  no supervisor waits: the next sandboxed command starts its own\n");
    // Of one that was killed.
    const socket = sparePlace(daemonFolder(place.machine));
    spawnSync("python3", ["-c", `import socket; socket.socket(socket.AF_UNIX).bind(${JSON.stringify(socket)})`]);
    expect([existsSync(socket), supervisor()]).toMatchObject([true, { running: { supervisor: "none" } }]);
    await startSpare(place);
    await expect.poll(supervisor).toMatchObject({ running: { supervisor: "waits" } });
    expect(said()).toContain("\n  a supervisor waits for the next sandboxed command\n");
  });

  it("goes with the last hook: assent uninstall", async () => {
    said("on");
    await isThere(place);
    expect(assent(place, ["uninstall", "--agent", "claude", "--yes"]).status).toBe(0);
    expect(existsSync(daemonFolder(place.machine))).toBe(true);
    expect(assent(place, ["uninstall", "--yes"]).status).toBe(0);
    expect(existsSync(daemonFolder(place.machine))).toBe(false);
    expect(said()).toMatch(/^no judge stays between calls/);
  });

  it("is off for good, though it and a supervisor were only getting ready", async () => {
    place.write("~/.local/share/assent/confine", "");
    for (const after of [0, 60, 150, 250, 350, 500, 700]) {
      said("on");
      await isThere(place);
      await new Promise((resolve) => setTimeout(resolve, after));
      expect(said("off")).toMatch(/^no judge stays between calls any more/);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([after, existsSync(daemonFolder(place.machine))]).toEqual([after, false]);
    }
  });

  it("takes no other words", () => {
    const { status, stderr } = assent(place, ["daemon", "begin"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/unknown command 'begin': `assent daemon` has on, off, stop, status/)]);
  });
});

/** [what is said, how it ends] */
it.each([
  ["daemon", "", 0],
  ["daemon on", "assent daemon: ", 1],
  ["daemon stop", undefined, 0],
  ["daemon off", undefined, 0],
])(
  "on macOS, where an earlier Assent was told to keep one, `assent %s` says that none is possible, or takes that back",
  (words, front, status) => {
    const place = scratch();
    place.write("macos.cjs", 'Object.defineProperty(process, "platform", { value: "darwin" });');
    place.write("~/.local/state/assent/resident/port", "assent-1 1\n");
    const run = spawnSync(process.execPath, ["--require", join(place.project, "macos.cjs"), join(DIST, "bin.cjs"), ...words.split(" ")], {
      cwd: place.project,
      env: { HOME: place.home, PATH: process.env["PATH"] },
      encoding: "utf8",
    });
    expect(run.status).toBe(status);
    const said = `${front}no judge ${front === "" ? "stays" : "can stay"} between calls here: that needs Linux on x86-64 or arm64\n`;
    if (front !== undefined) expect(`${run.stderr}${run.stdout}`).toBe(said);
    expect(existsSync(join(place.home, ".local/state/assent/resident"))).toBe(words !== "daemon off");
  },
);
