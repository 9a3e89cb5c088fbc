import { spawn } from "node:child_process";
import { chmodSync, closeSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { assent, scratch } from "../scratch.ts";
import { hooked } from "./confined-start.ts";

/** What a script says, with its output in a file of the host's that lies outside the project; `other` is another one beside it. */
async function said(
  script: string,
): Promise<{ readonly log: string; readonly other: string; readonly given: string; readonly receipt: string }> {
  // What lies in a temporary folder may be written by anybody.
  vi.stubEnv("TMPDIR", homedir());
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine" }');
  const log = place.write("~/host/output", "begun\n");
  const other = place.write("~/host/other", "as it was\n");
  const given = place.write("~/host/input", "from the host\n");
  chmodSync(place.write("tool.sh", `#!/bin/bash\n${script}\n`), 0o755);
  const files = [openSync(given, "r"), openSync(log, "a"), openSync(log, "a")] as const;
  const child = spawn("bash", ["-c", hooked(place, "./tool.sh") ?? "exit 99"], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, LOG: log, OTHER: other, INPUT: given },
    stdio: [...files],
  });
  for (const fd of files) closeSync(fd);
  await new Promise((resolve) => child.once("exit", resolve));
  const { stdout: receipt } = assent(place, ["receipt"]);
  return { log: readFileSync(log, "utf8"), other: readFileSync(other, "utf8"), given: readFileSync(given, "utf8"), receipt };
}

describe("a host that sends a command's output to a file of its own", () => {
  it.each([
    ["echo hi >> /dev/stderr", "begun\nhi\n"],
    ["echo hi | tee -a /dev/stderr > /dev/null", "begun\nhi\n"],
    ["echo hi >> /dev/fd/1", "begun\nhi\n"],
    ["echo hi >> /proc/self/fd/2", "begun\nhi\n"],
    ["bash -c 'exec >> /dev/stdout; echo hi'", "begun\nhi\n"],
    ['python3 -c \'open("/dev/stdout", "a").write("hi\\n")\'', "begun\nhi\n"],
    [`node -e 'require("fs").appendFileSync("/dev/stderr", "hi\\n")'`, "begun\nhi\n"],
    ["exec 5>&1 > /dev/null; echo hi >> /proc/self/fd/5", "begun\nhi\n"],
    // As without Assent: opened anew, it is emptied.
    ["echo hi > /dev/stdout", "hi\n"],
    ["cat /dev/stdin", "begun\nfrom the host\n"],
  ])("lets %s write to it", async (script, log) => {
    const found = await said(script);
    expect(found.log).toBe(log);
    expect(found.other).toBe("as it was\n");
  });

  it("takes nothing back of what was printed, and what was there before it was", async () => {
    expect((await said("echo hi >> /dev/stdout; echo a > file")).receipt).not.toContain("host/output");
    expect((await said("echo hi > /dev/stdout; echo a > file")).receipt).toContain("host/output");
  });

  it.each([
    'echo bad >> "$OTHER"',
    'exec 1> /dev/null; echo bad >> "$(dirname "$LOG")/other"',
    'mv "$LOG" "$OTHER"',
    'ln -f "$LOG" "$OTHER"',
    // Given to be read, and not to be written.
    'echo bad >> "$INPUT"',
    "echo bad >> /dev/stdin",
    "echo bad > /proc/self/fd/0",
  ])("and keeps everything else outside the project as it was: %s", async (script) => {
    const { other, given } = await said(script);
    expect([other, given]).toEqual(["as it was\n", "from the host\n"]);
  });
});
