import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ExecuteDisabledError, LocalBackend, presets, type LocalBackendOptions, type Ruleset } from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** Commands. */

const ANYTHING: Ruleset = { preset: "permissive" };

const backendIn = (place: Scratch, options: Partial<LocalBackendOptions> = {}): LocalBackend =>
  new LocalBackend({
    root: place.project,
    permissions: ANYTHING,
    machine: place.machine,
    audit: false,
    env: { ...place.machine.env },
    ...options,
  });
const backend = (options: Partial<LocalBackendOptions> = {}): LocalBackend => backendIn(scratch(), options);

/** The process is gone, or only waits to be reaped. */
function isGone(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && !isGone(pid); tries += 1) await wait(20);
  return isGone(pid);
}

describe("Y13: running", () => {
  it("in the root, by sh, with both streams", async () => {
    const place = scratch();
    expect(await backendIn(place).execute("pwd; echo err >&2; exit 3")).toEqual({
      exitCode: 3,
      output: `${place.project}\nerr\n`,
      truncated: false,
      ended: "itself",
      supervised: false,
    });
  });
  it("ends after the timeout, with all it has started", async () => {
    const run = await backend({ timeout: 300 }).execute("sleep 60 & echo $!; sleep 60");
    expect(run).toMatchObject({ exitCode: 124, ended: "timeout" });
    expect(await gone(Number(run.output))).toBe(true);
  });
  it("ends what does not want to", async () => {
    const run = await backend().execute("trap '' TERM; echo ready; while :; do sleep 1; done", { timeout: 300 });
    expect(run).toMatchObject({ exitCode: 124, output: "ready\n" });
  });
  it("keeps so much output and no more", async () => {
    expect(await backend({ maxOutput: 10 }).execute("seq 100000")).toMatchObject({
      exitCode: 0,
      output: "1\n2\n3\n4\n5\n",
      truncated: true,
    });
  });
  it("does not wait for those who hold the output open", async () => {
    const start = performance.now();
    const run = await backend().execute("sleep 30 & echo $!");
    expect(run).toMatchObject({ exitCode: 0, ended: "itself" });
    expect(performance.now() - start).toBeLessThan(10_000);
    process.kill(Number(run.output), "SIGKILL");
  });
  it("says how a signal ended it", async () =>
    expect(await backend({ onAsk: () => true }).execute("kill -9 $$")).toMatchObject({ exitCode: 137 }));
});

describe("Y15: cancelling", () => {
  it("ends the whole group", async () => {
    const controller = new AbortController();
    const place = scratch();
    const running = backendIn(place).execute("sleep 60 & echo $! > pid; wait", { signal: controller.signal });
    while (!existsSync(join(place.project, "pid")) || readFileSync(join(place.project, "pid"), "utf8") === "") await wait(10);
    controller.abort();
    expect(await running).toMatchObject({ exitCode: 130, ended: "cancelled" });
    expect(await gone(Number(readFileSync(join(place.project, "pid"), "utf8")))).toBe(true);
  });
  it("before it has begun", async () => {
    expect(await backend().execute("echo x", { signal: AbortSignal.abort() })).toMatchObject({ exitCode: 130, output: "" });
  });
});

describe("Y15: in the background", () => {
  it("tells what is new, how it ended, and ends when told to", async () => {
    const own = backend();
    const first = await own.start("echo a; sleep 0.3; echo b; exit 4");
    const second = await own.start("sleep 60 & echo $!; wait");
    expect([first, second]).toMatchObject([
      { id: "bg_1", running: true },
      { id: "bg_2", running: true },
    ]);
    const until = async (id: string, text: RegExp): Promise<string> => {
      for (let output = "", tries = 0; ; tries += 1) {
        output += own.output(id)?.output ?? "";
        if (text.test(output) || tries > 300) return output;
        await wait(10);
      }
    };
    expect(await until("bg_1", /a\n/)).toBe("a\n");
    expect(await until("bg_1", /b\n/)).toBe("b\n");
    while (own.output("bg_1")?.running === true) await wait(10);
    expect(own.output("bg_1")).toMatchObject({ output: "", exitCode: 4, running: false });
    const pid = Number(await until("bg_2", /\n/));
    expect(own.background()).toMatchObject([
      { id: "bg_1", command: "echo a; sleep 0.3; echo b; exit 4" },
      { id: "bg_2", running: true },
    ]);
    expect(await own.kill("bg_2")).toBe(true);
    expect(await gone(pid)).toBe(true);
    expect(await own.kill("bg_9")).toBe(false);
    expect(own.output("bg_9")).toBeUndefined();
    await own.start("sleep 60");
    await own.killAll();
    expect(own.background().every(({ running }) => !running)).toBe(true);
  });
  it("passes the same gate (YW7)", async () => {
    expect(await backend({ permissions: presets.readonly }).start("sleep 60")).toMatchObject({
      error: expect.stringMatching(/^Error: Permission denied for execute/) as unknown,
    });
    expect(await backend({ permissions: presets.default }).start("weird")).toMatchObject({
      error: expect.stringMatching(/approval required/) as unknown,
    });
  });
});

describe("Y12: refusals", () => {
  it("exit code 1 and why", async () => {
    const place = scratch();
    place.write("canary", "x");
    expect(await backendIn(place).execute("rm -rf ~")).toMatchObject({
      exitCode: 1,
      ended: "refused",
      output: expect.stringMatching(/^Error: Permission denied for execute on 'rm -rf ~': /) as unknown,
    });
    expect(existsSync(join(place.project, "canary"))).toBe(true);
    expect(await backend({ permissions: presets.default }).execute("weird")).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/\(approval required\)/) as unknown,
    });
  });
  it("YW6: the callback is asked, with the agent's reason", async () => {
    const reasons: string[] = [];
    const own = backend({ permissions: presets.default, onAsk: ({ reason }) => reasons.push(reason) > 1 });
    expect(await own.execute("touch a", { reason: "first" })).toMatchObject({ exitCode: 1 });
    expect(await own.execute("touch a && echo done", { reason: "second" })).toMatchObject({ exitCode: 0, output: "done\n" });
    expect(reasons).toEqual(["first", "second"]);
  });
  it("without execute there is none", async () => {
    const own = backend({ execute: false });
    await expect(own.execute("ls")).rejects.toBeInstanceOf(ExecuteDisabledError);
    await expect(own.start("ls")).rejects.toBeInstanceOf(ExecuteDisabledError);
  });
});

describe("Y14, YW9: what a command reads is judged", () => {
  const rules: Ruleset = { preset: "permissive", read: { default: "allow", rules: [{ pattern: "**/restricted/**", action: "deny" }] } };
  it.each([
    "cat restricted/s.txt",
    "sort --files0-from=restricted/s.txt",
    "cat 'restricted/s.txt'",
    "cat<restricted/s.txt",
    "cat restricted/s.txt|head",
    "cat restricted/s.t*",
    "cat restr*/s.txt",
    "cd restricted && cat s.txt",
    "cat $(echo restricted/s.txt)",
    "x=restricted/s.txt; cat $x",
    "cat link/s.txt",
    "cat .env",
    "cat .en*",
  ])("%s", async (command) => {
    const place = scratch();
    place.write("restricted/s.txt", "SECRET");
    place.write(".env", "SECRET");
    symlinkSync("restricted", join(place.project, "link"));
    const run = await backendIn(place, { permissions: rules }).execute(command);
    expect(run).toMatchObject({ exitCode: 1, ended: "refused" });
    expect(run.output).not.toContain("SECRET");
  });
});
