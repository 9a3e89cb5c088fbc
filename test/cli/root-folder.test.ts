import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DIST, scratch } from "../scratch.ts";

const CAN_MOUNT = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;
const CALL = { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf ~" } };

describe.runIf(CAN_MOUNT)("where root's folder is none that can be looked into", () => {
  /** In a namespace of its own, whose /etc/assent is a file: each look below it fails, and not as where nothing is. */
  function assent(words: readonly string[]) {
    const own = scratch();
    const etc = join(own.root, "etc");
    mkdirSync(etc);
    writeFileSync(join(etc, "assent"), "");
    const script = 'cp -a /etc/passwd /etc/group "$1" && mount --bind "$1" /etc && shift && exec "$@"';
    return spawnSync("unshare", ["-m", "sh", "-c", script, "sh", etc, process.execPath, join(DIST, "bin.cjs"), ...words], {
      cwd: own.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: own.home },
      input: JSON.stringify({ ...CALL, cwd: own.project }),
      encoding: "utf8",
    });
  }

  it("a hook gives its one answer", () => {
    const { status, stdout, stderr } = assent(["check", "--agent", "claude", "--event", "PreToolUse"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });

  it.each([["run", "-P", "--", "true"], ["team", "status"], ["doctor"]])("assent %s says nothing of an error", (...words) => {
    const { status, stdout, stderr } = assent(words);
    // doctor ends with 1 where something of the machine is off.
    expect(words[0] === "doctor" ? [0, 1] : [0]).toContain(status);
    expect(stdout + stderr).not.toMatch(/ENOTDIR|EACCES|damaged/);
  });
});
