import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Answer, Question } from "@assent/guard/approve";
import {
  announceApprover,
  answerQuestion,
  isSomebodyThere,
  openQuestions,
  queueApprover,
  type QueuePoint,
} from "@assent/guard/approve/queue";
import { question } from "../approve/question.ts";
import { startTerminal, type Terminal } from "../approve/terminal.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { here } from "./run-place.ts";

/** `assent approvals`, on real terminals. */

const BIN = join(DIST, "bin.cjs");

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const approvals = (place: Scratch, width?: number, env?: Record<string, string>): Terminal =>
  startTerminal(place, `exec '${process.execPath}' '${BIN}' approvals`, width, env);

/** Somebody who asks, in this process. */
function asks(place: Scratch, about: Question, point: QueuePoint = "confined", more: object = {}): Promise<Answer> {
  const checkRule = (): undefined => undefined;
  const approver = queueApprover({ machine: place.machine, point, agent: "claude", session: "s1", checkRule, ...more });
  onTestFinished(() => approver.close(0));
  const signal = new AbortController().signal;
  return approver.ask(about, signal);
}

const KEYS: readonly (readonly [keys: readonly string[], answer: object])[] = [
  [["r"], { answer: "allow", scope: "session" }],
  [["m", "\r"], { answer: "allow", scope: "time", minutes: 30 }],
  [["m", "\u0015", "2h", "\r"], { answer: "allow", scope: "time", minutes: 120 }],
  [["m", "\u0015", "soon", "\r", "\u0015", "1d", "\r"], { answer: "allow", scope: "time", minutes: 1440 }],
  [["p", "e", "\u0015", "Write(/x)", "\r"], { answer: "allow", scope: "always", rule: "Write(/x)" }],
  [["\r"], { answer: "deny", scope: "once" }],
  [["w", "use the", " copy", "\r"], { answer: "deny", scope: "once", note: "use the copy" }],
  [["N", "\r"], { answer: "deny", scope: "always", rule: "Write(/home/me/.npm/_cacache/1)" }],
  [["q", "?", "n"], { answer: "deny", scope: "once" }],
];

describe("assent approvals", () => {
  it.each([40, 60, 100])("at %i columns: the question, and all that a yes can mean", async (width) => {
    const place = scratch();
    const there = approvals(place, width);
    await there.sees("no questions; new ones");
    const asked = asks(place, question(1, { cwd: place.project }));
    await there.sees("tell me more");
    const shown = there.screen();
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(width);
    const text = shown.join(" ").replaceAll(/[\s│]+/g, " ");
    for (const part of [
      "claude, sandboxed, in ~/project",
      "npm install left-pad",
      "write ~/.npm/_cacache/1 (new file)",
      "asked because: outside",
    ])
      expect(text).toContain(part);
    for (const key of ["y yes, once", "r yes, for this session", "m yes, for a time", "p always", "› n no", "w no, with a word", "N never"])
      expect(text).toContain(key);
    expect(text).not.toContain("end the run");
    there.press("y");
    expect(await asked).toEqual({ answer: "allow", scope: "once", by: "terminal" });
    await there.sees("no questions; new ones");
    there.press("\u0003");
    expect(await there.ended).toBe(0);
  });

  it("each key, and what it answers", async () => {
    const place = scratch();
    const there = approvals(place);
    await there.sees("no questions");
    for (const [keys, answer] of KEYS) {
      const asked = asks(place, question(1));
      await there.sees("tell me more");
      for (const key of keys) {
        there.press(key);
        await pause(40);
      }
      expect(await asked, JSON.stringify(keys)).toEqual({ ...answer, by: "terminal" });
    }
  });

  it("new questions appear, those that somebody else answered go with a line that says who, those nobody needs too", async () => {
    const place = scratch();
    const there = approvals(place);
    await there.sees("no questions");
    const first = asks(place, question(1, { group: "a" }));
    await there.sees("tell me more");
    const second = asks(place, question(2, { group: "b" }), "confined", { patience: 3000 });
    await there.sees("(1 more waiting)");
    const [{ id } = { id: "" }] = openQuestions(place.machine);
    answerQuestion(place.machine, id, { answer: "allow", scope: "once" }, "page");
    expect(await first).toMatchObject({ answer: "allow", by: "page" });
    await there.sees("yes, once (answered on the page): npm (node) wanted to write ~/.npm/_cacache/1");
    expect(await second).toMatchObject({ nobody: true });
    await there.sees("nobody answered in time: npm (node) wanted to write ~/.npm/_cacache/2");
    await there.sees("no questions");
    // Whoever does not answer is away until there is a sign of life.
    expect(isSomebodyThere(place.machine)).toBe(false);
  });

  it("a burst is one question that says how many", async () => {
    const place = scratch();
    const there = approvals(place);
    await there.sees("no questions");
    const checkRule = (): undefined => undefined;
    const approver = queueApprover({ machine: place.machine, point: "run", checkRule });
    onTestFinished(() => approver.close(0));
    const asked = Array.from({ length: 25 }, (_, at) => approver.ask(question(at + 1), new AbortController().signal));
    await there.sees("and 24 more like this");
    there.press("y");
    const answers = await Promise.all(asked);
    expect(answers.every(({ answer }) => answer === "allow")).toBe(true);
  });

  it("hostile text stays text", async () => {
    const place = scratch();
    const there = approvals(place);
    await there.sees("no questions");
    const evil = "\u001b[2J\u001b]0;owned\u0007\r\n  yes, once: you\u202e";
    void asks(place, question(1, { what: `write ${evil}`, reason: evil, process: { pid: 1, name: evil, argv: [evil] } }));
    await there.sees("tell me more");
    // The screen throws on what it does not know.
    expect(there.screen().join("\n")).toContain(String.raw`\u{1b}[2J`);
    there.press("?");
    await pause(200);
    expect(there.screen().filter((line) => line.startsWith("  yes, once: you"))).toEqual([]);
  });

  it.each(["CI", "CLAUDECODE", "ASSENT_AGENT"])("where %s is set nobody is taken for a person", async (name) => {
    const place = scratch();
    const there = approvals(place, 100, { [name]: "1" });
    await there.sees(`${name} is set`);
    expect(await there.ended).toBe(1);
    const page = announceApprover(place.machine, "page");
    onTestFinished(() => page.close());
    const asked = asks(place, question(1));
    const [{ id } = { id: "" }] = openQuestions(place.machine);
    expect(assent(place, ["approvals", "answer", id, "yes"], "", { [name]: "1" })).toMatchObject({ status: 1, stdout: "" });
    expect(assent(place, ["approvals", "answer", id, "yes", "--session"])).toMatchObject({ status: 0 });
    expect(await asked).toMatchObject({ answer: "allow", scope: "session" });
    expect(assent(place, ["approvals", "answer", id, "no"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("too late") as unknown,
    });
    expect(assent(place, ["approvals", "answer", "0000000x", "no"]).status).toBe(2);
  });
});

describe("a run at a terminal asks there and in the queue", () => {
  const start = (): { readonly place: Scratch; readonly there: Terminal; readonly file: string } => {
    const place = here();
    const file = join(place.outside, "made");
    const script = place.script(`touch '${file}'; echo done`);
    const there = startTerminal(place, `exec '${process.execPath}' '${BIN}' run sh '${script}'`);
    return { place, there, file };
  };

  it("whoever is elsewhere is faster: the prompt goes, with a line that says who answered", async () => {
    const { place, there, file } = start();
    await there.sees("end the run");
    const [{ id } = { id: "" }] = openQuestions(place.machine);
    expect(assent(place, ["approvals", "answer", id, "yes"])).toMatchObject({ status: 0 });
    await there.sees(/yes, once \(answered in the terminal\)[^]*done/);
    expect(await there.ended).toBe(0);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8")).toContain(
      '"answered":"allow (once)","answeredBy":"terminal"',
    );
  });

  it("the prompt is faster: the queue says who answered", async () => {
    const { place, there } = start();
    await there.sees("end the run");
    const [{ id } = { id: "" }] = openQuestions(place.machine);
    there.press("n");
    await there.sees("done");
    expect(assent(place, ["approvals", "answer", id, "yes"])).toMatchObject({
      status: 1,
      stderr: "assent approvals: too late: no (answered in the terminal)\n",
    });
  });
});

describe("being told", () => {
  /** A stand-in that writes down what it is called with. */
  const standIn = (place: Scratch, name: string): string => {
    const log = join(place.root, `${name}.log`);
    chmodSync(place.write(`~/bin/${name}`, `#!/bin/sh\nprintf '%s|' "$@" >> '${log}'\n`), 0o755);
    return log;
  };
  const PATH = (place: Scratch): string => `${place.home}/bin:/usr/local/bin:/usr/bin:/bin`;

  it("is off at first; the desktop is told how many questions there are, and askers wait", async () => {
    const place = scratch();
    const log = standIn(place, "notify-send");
    const env = { PATH: PATH(place) };
    expect(isSomebodyThere(place.machine)).toBe(false);
    expect(assent(place, ["approvals", "notify", "--json"]).stdout).toBe('{"v":1,"notify":[]}\n');
    expect(assent(place, ["approvals", "notify", "desktop"], "", env).stdout).toMatch(/^desktop: /);
    expect(isSomebodyThere(place.machine)).toBe(true);
    const asked = asks(place, question(1, { what: "a secret name" }));
    while (!existsSync(log) || readFileSync(log).length === 0) await pause(10);
    const told = readFileSync(log, "utf8");
    expect(told).toContain("1 question waits for you");
    expect(told).not.toContain("secret");
    const [{ id } = { id: "" }] = openQuestions(place.machine);
    answerQuestion(place.machine, id, { answer: "deny", scope: "once" }, "terminal");
    await asked;
    expect(assent(place, ["approvals", "notify", "off"]).status).toBe(0);
    expect(isSomebodyThere(place.machine)).toBe(false);
  });

  it("a burst is told once", async () => {
    const place = scratch();
    const log = standIn(place, "notify-send");
    assent(place, ["approvals", "notify", "desktop"], "", { PATH: PATH(place) });
    for (let at = 0; at < 20; at++) void asks(place, question(at + 1, { group: String(at) }));
    while (!existsSync(log)) await pause(10);
    await pause(300);
    expect(readFileSync(log, "utf8").match(/waits? for you/g)).toHaveLength(1);
  });

  it("a program that is missing, or no tmux around, is said", () => {
    const place = scratch();
    expect(assent(place, ["approvals", "notify", "desktop"], "", { PATH: "/nowhere" })).toMatchObject({ status: 1 });
    expect(assent(place, ["approvals", "notify", "tmux"])).toMatchObject({ status: 1 });
    expect(assent(place, ["approvals", "notify", "off", "tmux"]).status).toBe(2);
    expect(assent(place, ["approvals", "notify", "pigeon"]).status).toBe(2);
  });

  it("the bell of the terminal that shows them, where it is switched on", async () => {
    const place = scratch();
    assent(place, ["approvals", "notify", "terminal"]);
    const there = approvals(place);
    await there.sees("no questions");
    void asks(place, question(1));
    await there.sees("\u0007\u001b]9;Assent: 1 question waits for you\u0007");
    expect(openQuestions(place.machine)).toHaveLength(1);
  });

  const tmux = spawnSync("tmux", ["-V"]).status === 0;
  it.skipIf(!tmux)("a popup of the real tmux, which closes with the last question", async () => {
    const place = scratch();
    const socket = join(place.root, "tmux");
    const run = (...args: readonly string[]): string => {
      const { stdout, stderr } = spawnSync("tmux", ["-f", "/dev/null", "-S", socket, ...args], {
        encoding: "utf8",
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, TERM: "xterm", LANG: "C.UTF-8" },
      });
      return stdout + stderr;
    };
    onTestFinished(() => void run("kill-server"));
    run("new-session", "-d", "-x", "100", "-y", "40", "-s", "work", "sh");
    // A client that shows it, and sees the popup.
    const there = startTerminal(place, `exec tmux -f /dev/null -S '${socket}' attach -t work`, 100, { LANG: "C.UTF-8" });
    while (run("list-clients") === "") await pause(20);
    const told = assent(place, ["approvals", "notify", "tmux"], "", { PATH: PATH(place), TMUX: `${socket},1,0` });
    expect(told.stdout, told.stderr).toMatch(/^tmux: /);
    const asked = asks(place, question(1));
    await there.sees("yes, once");
    await pause(600);
    there.press("y");
    expect(await asked).toEqual({ answer: "allow", scope: "once", by: "popup" });
    while (readdirSync(join(place.home, ".local/state/assent/questions/approvers")).length > 0) await pause(20);
  });
});
