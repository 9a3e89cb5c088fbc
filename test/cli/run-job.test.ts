import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { scratch } from "../scratch.ts";

const DRIVER = fileURLToPath(new URL("../approve/pty_driver.py", import.meta.url));
const ASSENT = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

type Step = { readonly until: string } | { readonly send: string } | { readonly sleep: number };

/** An interactive shell on a terminal of its own, in an empty project. */
function shell(steps: readonly Step[]): string {
  const { home, project, write } = scratch();
  // The scratch folder is a temporary one, where writing needs no question.
  write("~/.agent-permissions.jsonc", '{ "permissions": { "ask": ["Edit(~/outside)"] } }');
  const start = `cd '${project}' && exec env PS1='READY ' bash --norc -i </dev/tty >/dev/tty 2>&1`;
  const { stdout } = spawnSync("python3", [DRIVER, JSON.stringify([...steps, { send: "exit\r" }]), "--", "bash", "-c", start], {
    encoding: "utf8",
    timeout: 50_000,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm", A: `${process.execPath} ${ASSENT}` },
  });
  const { output, problem } = JSON.parse(stdout) as { output: string; problem?: string };
  expect(problem, output).toBeUndefined();
  return output;
}

describe("a supervised program on a terminal", () => {
  it("reads the keys until a question is asked, and again after", () => {
    const output = shell([
      { until: "READY" },
      { send: "$A run -q -- sh -c 'read a; echo got-$a; touch ../outside; read b; echo then-$b'\r" },
      { sleep: 3 },
      { send: "one\r" },
      { until: "end the run" },
      { sleep: 1 },
      { send: "y" },
      { sleep: 1 },
      { send: "two\r" },
      { until: "then-two" },
      { send: "ls ..\r" },
      { until: "outside  project" },
    ]);
    expect(output).toContain("got-one");
  });

  it("stops with Ctrl-Z, continues with fg, ends with Ctrl-C", () => {
    const output = shell([
      { until: "READY" },
      { send: "$A run -q -- sleep 40\r" },
      { sleep: 3 },
      { send: "\u001A" },
      { until: "Stopped" },
      { send: "fg\r" },
      { sleep: 1 },
      { send: "\u0003" },
      { until: "READY" },
      { send: "echo status-$?\r" },
      { until: "status-130" },
    ]);
    expect(output).toContain("Stopped");
  });
});
