import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it, type TestContext, vi } from "vitest";
import { DIST } from "../scratch.ts";
import { lasting } from "./run-place.ts";

const DRIVER = fileURLToPath(new URL("../approve/pty_driver.py", import.meta.url));
const PATH = "/usr/local/bin:/usr/bin:/bin";

type Step =
  | { readonly until: string }
  | { readonly send: string }
  | { readonly sleep: number }
  | { readonly size: readonly [number, number] }
  | { readonly hangup: true };

interface Played {
  readonly output: string;
  /** The text of a file at home; undefined: it is not there. */
  readonly text: (name: string) => string | undefined;
  /** The terminal's mode is as before. */
  readonly restored: boolean;
  /** Processes of the session that are there still. */
  readonly left: readonly string[];
}

// They wait, most of the time.
vi.setConfig({ maxConcurrency: 20 });

let sessions = 0;

/** `assent run SHELL` on a terminal of its own: `leader` of the session, or a `job` of an interactive bash. */
async function play({ onTestFinished }: TestContext, shell: string, as: "leader" | "job", steps: readonly Step[]): Promise<Played> {
  const project = mkdtempSync(join(tmpdir(), "terminal-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const home = mkdtempSync(join(lasting(), "terminal-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of [".config/fish", ".local/share/fish", ".cache/fish"]) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, ".bash_history"), "before\n");
  const tag = `${process.pid}-${++sessions}`;
  const command = `'${process.execPath}' '${join(DIST, "bin.cjs")}' run ${shell}`;
  const start = as === "leader" ? `exec ${command}` : "exec env PS1='OUTER ' bash --norc -i";
  const asJob: readonly Step[] = as === "leader" ? [] : [{ until: "OUTER" }, { send: `$A run ${shell}\r` }];
  const env = { PATH, HOME: home, TERM: "xterm", TAG: tag, PTY_SECONDS: "90", A: `${process.execPath} ${join(DIST, "bin.cjs")}` };
  const played = [DRIVER, JSON.stringify([...asJob, ...steps]), "--", "bash", "-c", `cd '${project}' && ${start} </dev/tty >/dev/tty 2>&1`];
  const { stdout, stderr } = await new Promise<{ readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile("python3", played, { encoding: "utf8", timeout: 110_000, env }, (_, out, err) => resolve({ stdout: out, stderr: err }));
  });
  expect(stdout, stderr).not.toBe("");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the driver prints
  const { output, problem, before, after } = JSON.parse(stdout) as {
    readonly output: string;
    readonly problem?: string;
    readonly before?: object;
    readonly after?: object;
  };
  const until = Date.now() + 10_000;
  let left = living(tag);
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    left = living(tag);
  }
  expect(problem, output).toBeUndefined();
  const text = (name: string): string | undefined => (existsSync(join(home, name)) ? readFileSync(join(home, name), "utf8") : undefined);
  return { output, text, left, restored: isDeepStrictEqual(before, after) };
}

/** Processes with the tag in their environment, ended ones left out. */
const living = (tag: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`TAG=${tag}\0`);
    } catch {
      return false;
    }
  });

const SHELLS: readonly (readonly [name: string, command: string])[] = [
  ["bash", "bash --norc -i"],
  ["zsh", "zsh -f -i"],
  ["dash", "dash -i"],
  ["fish", "fish --no-config -i"],
  ["busybox", "busybox ash -i"],
  ["mksh", "mksh -i"],
];
const has = (program: string): boolean => PATH.split(":").some((folder) => existsSync(join(folder, program)));

const CLOSED: readonly (readonly [why: string, line: string, waits: Step])[] = [
  ["while a question waits", "tee ~/one < /dev/null", { until: "end the run" }],
  ["on programs that do not hear of it", String.raw`sh -c 'trap "" HUP TERM; sleep 300 & sleep 300'`, { sleep: 2 }],
];

const CTRL_C = "\u0003";
const CTRL_Z = "\u001A";
const began: readonly Step[] = [{ until: "asks in this terminal" }, { sleep: 2 }];
const say = (line: string): Step => ({ send: `${line}\r` });
/** What the shell prints, and not what was typed. */
const lives = (word: string): readonly Step[] => [say(`printf '%s-%s\\n' ${word} lives`), { until: `${word}-lives` }];
const asked = (answer: string): readonly Step[] => [{ until: "end the run" }, { sleep: 1 }, { send: answer }, { sleep: 1 }];
const leave = (as: "leader" | "job"): readonly Step[] => [say("exit"), { sleep: 1 }, ...(as === "job" ? [say("exit")] : [])];

describe.concurrent.each(SHELLS)("in an interactive %s under a run", (name, command) => {
  describe.each(["job", "leader"] as const)("as %s", (as) => {
    it.skipIf(!has(name))(
      "its jobs ask, whatever was answered before, whatever the terminal's size, and after Ctrl-Z and fg",
      async (test) => {
        const { output, text, left, restored } = await play(test, command, as, [
          ...began,
          say("tee ~/one < /dev/null"),
          ...asked("y"),
          ...lives("first"),
          say("tee ~/two < /dev/null"),
          { until: "end the run" },
          { size: [20, 70] },
          ...asked("n"),
          say("sleep 30"),
          { sleep: 1 },
          { send: CTRL_Z },
          { sleep: 1 },
          ...lives("second"),
          say("fg"),
          { sleep: 1 },
          { send: CTRL_C },
          { sleep: 1 },
          say("tee ~/three < /dev/null"),
          ...asked("y"),
          ...lives("third"),
          ...leave(as),
        ]);
        expect([text("one"), text("two"), text("three"), left, restored], output).toEqual(["", undefined, "", [], true]);
      },
      120_000,
    );

    it.skipIf(!has(name))(
      "a job in the background asks while the shell waits for a line",
      async (test) => {
        const { output, text, left, restored } = await play(test, command, as, [
          ...began,
          say("sh -c 'sleep 1; touch ~/one' &"),
          ...asked("y"),
          ...lives("after"),
          ...leave(as),
        ]);
        expect([text("one"), left, restored], output).toEqual(["", [], true]);
      },
      120_000,
    );

    it.skipIf(!has(name))(
      "a job in the background asks while another one ends, and the shell takes the terminal",
      async (test) => {
        const { output, text, left, restored } = await play(test, command, as, [
          ...began,
          say("sh -c 'sleep 1; touch ~/one' & sleep 3"),
          { until: "end the run" },
          { sleep: 3 },
          { send: "y" },
          { sleep: 1 },
          ...lives("after"),
          ...leave(as),
        ]);
        expect([text("one"), left, restored], output).toEqual(["", [], true]);
      },
      120_000,
    );

    it.skipIf(!has(name))(
      "Ctrl-C at a question ends the run",
      async (test) => {
        const { output, text, left, restored } = await play(test, command, as, [
          ...began,
          say("tee ~/one < /dev/null"),
          { until: "end the run" },
          { sleep: 1 },
          { send: CTRL_C },
          { sleep: 2 },
          ...(as === "job" ? [say("exit")] : []),
        ]);
        expect([text("one"), left, restored], output).toEqual([undefined, [], true]);
      },
      120_000,
    );

    it.skipIf(!has(name)).for(CLOSED)(
      "a terminal that is closed %s leaves nothing",
      { timeout: 120_000 },
      async ([, line, waits], test) => {
        const { output, text, left } = await play(test, command, as, [...began, say(line), waits, { sleep: 1 }, { hangup: true }]);
        expect([text("one"), left], output).toEqual([undefined, []]);
      },
    );
  });
});

describe.concurrent("what else has to do with a terminal", () => {
  it("an interactive shell keeps its history, and says nothing of it", async (test) => {
    const { output, text } = await play(test, "bash --norc -i", "job", [...began, say("echo kept-in-mind"), { sleep: 1 }, ...leave("job")]);
    expect(text(".bash_history"), output).toMatch(/^before\necho kept-in-mind\nexit\n/);
    expect(output).not.toContain("refused");
  }, 120_000);

  it("a shell that is told what to do does not", async (test) => {
    const { output, text } = await play(test, "bash --norc -c 'echo 1 >> ~/.bash_history'", "job", [
      ...asked("n"),
      { until: "OUTER" },
      say("exit"),
    ]);
    expect(text(".bash_history"), output).not.toMatch(/^1$/m);
  }, 120_000);

  it("a run in the background is not stopped by its question: it waits for fg", async (test) => {
    const { output, text, left } = await play(test, "true", "job", [
      { sleep: 2 },
      say("$A run -q sh -c 'sleep 1; tee ~/one < /dev/null' &"),
      { until: "a question waits until this job is in the foreground" },
      { sleep: 1 },
      say("jobs"),
      { until: "Running" },
      say("fg"),
      ...asked("y"),
      ...lives("outer"),
      say("exit"),
    ]);
    expect([text("one"), left], output).toEqual(["", []]);
    expect(output).not.toContain("Stopped");
  }, 120_000);
});
