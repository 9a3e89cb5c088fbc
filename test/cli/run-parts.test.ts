import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileAction } from "@assent/core/action";
import type { Verdict } from "@assent/core/policy";
import { asking, type Approvers } from "../../packages/assent/src/cli/run-approver.ts";
import { actionLine, eventJson, toFile, traceLine } from "../../packages/assent/src/cli/run-events.ts";
import { contradiction, statusOf, type RunFlags } from "../../packages/assent/src/cli/run-options.ts";
import { findProgram } from "../../packages/assent/src/cli/run-program.ts";
import { withSignals } from "../../packages/assent/src/cli/run-job.ts";
import type { Answer, Approver } from "@assent/guard/approve";
import type { RunEvent } from "@assent/supervisor/supervise";
import { learningApprover, Observations } from "@assent/supervisor/supervise/learn";
import { question } from "../approve/question.ts";
import { scratch } from "../scratch.ts";

const FLAGS: RunFlags = { prompt: true, undo: true, policy: [] };
const named = (name: string): Approver & { readonly name: string } => ({
  name,
  ask: () => Promise.resolve<Answer>({ answer: "deny", scope: "always", rule: name }),
  close: () => Promise.resolve(),
});

describe("who is asked", () => {
  const make = (terminal: boolean, there: boolean): Approvers => ({
    terminal: () => (terminal ? named("terminal") : undefined),
    directory: (folder) => named(`folder ${folder}`),
    noBlock: () => named("no-block"),
    queue: () => ({ ...named("queue"), isThere: () => there }),
  });
  type Row = readonly [
    flags: Partial<RunFlags>,
    env: Record<string, string>,
    at: boolean | "queue",
    who: string | undefined,
    told: boolean,
  ];
  it.each<Row>([
    [{}, {}, true, "terminal", false],
    [{}, {}, false, "queue", true],
    [{}, {}, "queue", "queue", false],
    [{ prompt: false }, {}, "queue", undefined, false],
    [{}, { ASSENT_NO_BLOCK: "1" }, "queue", "no-block", false],
    [{ backgroundDir: "d" }, {}, "queue", "folder d", false],
    [{ prompt: false }, {}, true, undefined, false],
    [{ backgroundDir: "d" }, {}, true, "folder d", false],
    [{ backgroundDir: "d" }, { ASSENT_NO_BLOCK: "1" }, true, "folder d", false],
    [{}, { ASSENT_NO_BLOCK: "1" }, true, "no-block", false],
    [{}, { PTAPP_NO_BLOCK: "1" }, false, "no-block", false],
    [{}, { ASSENT_NO_BLOCK: "" }, true, "terminal", false],
    [{ prompt: false }, { ASSENT_NO_BLOCK: "1" }, true, undefined, false],
    [{ logOnly: true }, { ASSENT_NO_BLOCK: "1" }, true, undefined, false],
  ])("%j %j, terminal %s: %s", async (flags, env, at, who, told) => {
    const { approver, notice } = asking({ ...FLAGS, ...flags }, env, make(at === true, at === "queue"));
    const answer = await approver?.ask(question(1), new AbortController().signal);
    expect(answer !== undefined && "rule" in answer ? answer.rule : undefined).toBe(who);
    expect(notice !== undefined).toBe(told);
  });
});

it.each<readonly [flags: Partial<RunFlags>, wrong: boolean]>([
  [{}, false],
  [{ learn: true, dryRun: true }, false],
  [{ dryRun: true }, true],
  [{ yes: true }, true],
  [{ output: "x" }, true],
  [{ output: "x", json: true }, false],
  [{ output: "x", logOnly: true }, false],
  [{ backgroundPattern: "x" }, true],
  [{ backgroundRespond: ["d", "1"] }, true],
  [{ backgroundRespond: ["d", "1", "approve"], backgroundPattern: "x" }, false],
])("options that contradict each other: %j", (flags, wrong) => {
  expect(contradiction({ ...FLAGS, ...flags }) !== undefined).toBe(wrong);
});

it.each([
  [{ id: "1", exit: { by: "exit", code: 7 } }, 7],
  [{ id: "1", exit: { by: "signal", signal: 9 } }, 137],
  [{ id: "1", exit: { by: "signal", signal: 9 }, ended: "quit" }, 130],
  [{ id: "1", exit: { by: "signal", signal: 9 }, ended: "no-block" }, 3],
] as const)("the status of %j is %i", (result, status) => {
  expect(statusOf(result)).toBe(status);
});

describe("finding the program", () => {
  const here = (): { readonly path: string; readonly cwd: string; readonly bin: string } => {
    const place = scratch();
    const bin = join(place.home, "bin");
    mkdirSync(join(bin, "folder"), { recursive: true });
    chmodSync(place.write("~/bin/script", "#!/bin/sh\n"), 0o755);
    chmodSync(place.write("~/bin/plain", "echo hello\n"), 0o755);
    place.write("~/bin/locked", "#!/bin/sh\n");
    symlinkSync("script", join(bin, "link"));
    symlinkSync("nowhere", join(bin, "dead"));
    return { path: `/nonexistent:${bin}:/usr/bin:/bin`, cwd: place.home, bin };
  };
  it.each<readonly [word: string, expected: number | readonly string[]]>([
    ["script", ["BIN/script"]],
    ["bin/script", ["CWD/bin/script"]],
    ["link", ["BIN/link"]],
    ["plain", ["/bin/sh", "BIN/plain"]],
    ["locked", 126],
    ["folder", 126],
    ["./bin", 126],
    ["dead", 127],
    ["nosuch", 127],
    ["bin/nosuch", 127],
    ["bin/script/x", 127],
    ["", 127],
  ])("%s", (word, expected) => {
    const { path, cwd, bin } = here();
    const found = findProgram(word, path, cwd);
    if (typeof expected === "number") expect(found).toMatchObject({ is: "none", status: expected });
    else expect(found).toMatchObject({ is: "program", start: expected.map((one) => one.replace("BIN", bin).replace("CWD", cwd)) });
  });

  it("an empty entry of PATH is the current folder", () => {
    const { bin } = here();
    expect(findProgram("script", ":/usr/bin", bin)).toMatchObject({ path: `${bin}/script` });
    expect(findProgram("plain", undefined, bin)).toMatchObject({ status: 127 });
  });
});

describe("events as lines", () => {
  const event = (changes: Partial<RunEvent> & { readonly operation?: FileAction["operation"]; readonly path?: string } = {}): RunEvent => {
    const { operation = "write", path = "/home/me/x", ...rest } = changes;
    const verdict: Verdict = { decision: "ask", basis: "default", builtin: "preset.default.write", reason: "write: no rule allows it" };
    return {
      time: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
      process: { pid: 41, name: "npm", argv: ["npm"] },
      call: { name: "open", args: [path, operation === "read" ? "read" : "create+write"] },
      action: { kind: "file", operation, target: { kind: "path", path }, origin: { by: "tool" } },
      verdict,
      outcome: "done",
      ...rest,
    };
  };
  const allow: Verdict = { decision: "allow", basis: "default", reason: "" };
  it.each<readonly [event: RunEvent, line: string | undefined]>([
    [event(), "41 npm  write /home/me/x  (would ask: write: no rule allows it)"],
    [event({ verdict: allow }), "41 npm  write /home/me/x"],
    [event({ verdict: allow, operation: "read" }), undefined],
    [event({ operation: "read" }), "41 npm  read /home/me/x  (would ask: write: no rule allows it)"],
    [event({ outcome: "refused", errno: "EACCES" }), "41 npm  write /home/me/x  (refused: write: no rule allows it)"],
    [event({ verdict: allow, outcome: "failed", errno: "ENOENT" }), "41 npm  write /home/me/x  (failed: ENOENT)"],
    [
      event({ path: "/a\u001b[2J\n", process: { pid: 1, name: "x\u202ey", argv: [] }, verdict: allow }),
      "1 x\\u{202e}y  write /a\\u{1b}[2J\\n",
    ],
  ])("for people: %#", (one, line) => {
    expect(actionLine(one)).toBe(line);
  });

  it("for a trace", () => {
    expect(traceLine(event())).toBe("03:04:05.006 41 npm open(/home/me/x, create+write) = done [ask: preset.default.write]");
    expect(traceLine(event({ outcome: "refused", errno: "EACCES", answer: "deny" }))).toMatch(
      / = refused EACCES \[ask: preset.default.write, answered deny\]$/,
    );
    const rule = { text: "Write(~/**)", file: "f", line: 1, column: 1 };
    expect(traceLine(event({ path: "/a\nb", verdict: { ...allow, rule } }))).toMatch(
      /open\('\/a\\nb', create\+write\) = done \[allow: Write\(~\/\*\*\)\]$/,
    );
  });

  it("for machines", () => {
    const line = eventJson(event({ path: "/a\nb" }));
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toMatchObject({
      v: 1,
      time: "2026-01-02T03:04:05.006Z",
      pid: 41,
      program: "npm",
      text: "open('/a\\nb', create+write)",
      call: { name: "open", args: ["/a\nb", "create+write"] },
      verdict: "ask",
      outcome: "done",
    });
  });

  it("in a file that only its owner reads", () => {
    const file = join(scratch().home, "trace");
    const output = toFile(file);
    if ("problem" in output) throw new Error(output.problem);
    output.write("one");
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(output.file).toBe(file);
    output.close();
    expect(toFile("/nonexistent/x")).toMatchObject({ problem: "/nonexistent/x cannot be written: ENOENT" });
    const device = toFile("/dev/null");
    expect("file" in device).toBe(false);
  });
});

describe("learning", () => {
  const action: FileAction = { kind: "file", operation: "write", target: { kind: "path", path: "/a/b/c" }, origin: { by: "tool" } };
  const question = { action, reason: "" } as unknown as Parameters<Approver["ask"]>[0];
  const signal = new AbortController().signal;
  it.each<readonly [basis: string | undefined, person: Answer, alone: Answer]>([
    [undefined, { answer: "allow", scope: "once" }, { answer: "allow", scope: "once" }],
    ["default", { answer: "allow", scope: "once" }, { answer: "allow", scope: "once" }],
    ["rule", { answer: "deny", scope: "always", rule: "person" }, { answer: "deny", scope: "once" }],
    ["protection", { answer: "deny", scope: "always", rule: "person" }, { answer: "deny", scope: "once" }],
    ["floor", { answer: "deny", scope: "always", rule: "person" }, { answer: "deny", scope: "once" }],
  ])("a question that rests on %s", async (basis, person, alone) => {
    const asked = { ...question, basis } as typeof question;
    const seen = new Observations();
    expect(await learningApprover(named("person"), seen).ask(asked, signal)).toEqual(person);
    expect(await learningApprover(undefined, seen).ask(asked, signal)).toEqual(alone);
    expect(seen.paths().map(({ count }) => count)).toEqual(person.answer === "allow" ? [2] : []);
  });
});

it("signals reach the program, and those of a terminal only once", async () => {
  const sent: string[] = [];
  const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  const raise = async (): Promise<void> => {
    for (const name of ["SIGTERM", "SIGUSR1", "SIGINT"] as const) process.kill(process.pid, name);
    await tick();
  };
  await withSignals(true, (name) => sent.push(name), raise);
  expect(sent.toSorted()).toEqual(["SIGTERM", "SIGUSR1"]);
  sent.length = 0;
  await withSignals(false, (name) => sent.push(name), raise);
  expect(sent.toSorted()).toEqual(["SIGINT", "SIGTERM", "SIGUSR1"]);
});
