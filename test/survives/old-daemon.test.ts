import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { hooked } from "../cli/confined-start.ts";
import { callHook, ended, startJudge } from "../daemon/judge.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

/** The judge of the first install that stays, still running after the clone was pulled and built anew. */

const ROOT = join(import.meta.dirname, "../..");
const FIRST = "d59c0dc5";
const isThere = spawnSync("git", ["cat-file", "-e", `${FIRST}^{commit}`], { cwd: ROOT }).status === 0;
let old = "";

beforeAll(() => {
  if (!isThere) return;
  const { root } = scratch({ keep: true });
  old = join(root, "clone");
  mkdirSync(old);
  execFileSync("sh", ["-c", `git archive ${FIRST} | tar -x -C "$0"`, old], { cwd: ROOT });
  symlinkSync(join(ROOT, "node_modules"), join(old, "node_modules"));
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: old, stdio: "ignore" });
}, 300_000);

const call = (command: string, place: Scratch): string =>
  JSON.stringify({
    session_id: "s",
    cwd: place.project,
    hook_event_name: "PreToolUse",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
  });
const denies = (stdout: string): boolean => stdout.includes('"deny"');

/** `git pull && npm run build` in that clone: its `dist` is today's. */
function pulled(): void {
  execFileSync("sh", ["-c", 'rm -rf "$1/dist" && cp -a "$0" "$1/dist"', DIST, old]);
}

const SUPERVISED = spawnSync(process.execPath, [join(DIST, "bin.cjs"), "run", "-q", "--", "true"], { cwd: "/" }).status === 0;

describe.runIf(isThere && process.platform === "linux")("the daemon of the first install, still running", { timeout: 120_000 }, () => {
  const judged = (place: Scratch, dist?: string): readonly unknown[] =>
    ["rm -rf ~", "ls -la"].map((command) => {
      const { status, stdout } = callHook(place, call(command, place), dist === undefined ? {} : { dist });
      return [status, denies(stdout)];
    });
  const RIGHT = [
    [0, true],
    [0, false],
  ];

  it("leaves the calls of today's build to it, is named by `daemon status`, and ended by `daemon stop`", async () => {
    const place = scratch();
    const judge = await startJudge(place, {}, join(old, "dist"));
    for (let tries = 0; tries < 3; tries += 1) expect(judged(place)).toEqual(RIGHT);
    const { running } = JSON.parse(assent(place, ["daemon", "status", "--json"]).stdout) as { readonly running: object };
    expect(running).toMatchObject({ pid: judge.pid, answered: 0 });
    expect(assent(place, ["daemon", "stop"]).status).toBe(0);
    await ended(judge);
  });

  it("does not answer by old rules once its own clone is built anew, and what it let go ahead sandboxed still does", async () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine" }');
    chmodSync(place.write("tool.sh", "#!/bin/sh\necho it ran > out.txt\n"), 0o755);
    const judge = await startJudge(place, {}, join(old, "dist"));
    try {
      const line = hooked(place, "./tool.sh", join(old, "dist")) ?? "";
      pulled();
      for (let tries = 0; tries < 3; tries += 1) expect(judged(place, join(old, "dist"))).toEqual(RIGHT);
      if (!SUPERVISED) return;
      const env = { HOME: place.home, PATH: "/usr/local/bin:/usr/bin:/bin" };
      expect(line).toMatch(/assent\/confine [0-9a-f]+ /);
      expect(spawnSync("sh", ["-c", line], { cwd: place.project, env, timeout: 60_000 }).status).toBe(0);
      expect(readFileSync(join(place.project, "out.txt"), "utf8")).toBe("it ran\n");
    } finally {
      judge.kill();
      await ended(judge);
    }
  });
});
