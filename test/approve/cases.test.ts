import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Answer, type Approver, directoryApprover, isSaid, type Question } from "@assent/guard/approve";
import {
  announceApprover,
  answerQuestion,
  joinApprovers,
  openQuestions,
  type QueueApprover,
  queueApprover,
  questionsFolder,
} from "@assent/guard/approve/queue";
import type { AdaptedGuard } from "../../packages/library/src/sdk/common/adapted-guard.ts";
import { Gateway } from "../../packages/library/src/sdk/mcp/gateway/gateway.ts";
import { createGuard, queueApprover as onAskInQueue } from "@assent/library/sdk";
import { announceTeam, knownAfar, noteAnswer, openLedger, withTeam } from "@assent/team/team/afar";
import { TerminalApprover } from "../../packages/guard/src/approve/terminal.ts";
import type { DeviceEvents } from "../../packages/guard/src/approve/tty.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { checkRule, question } from "./question.ts";

/** One table for whoever is asked: what a person does, and what the asker hears. A client that has no word for it says so. */

interface Asking {
  readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>;
  /** What a person does there. Undefined: there is no such answer. */
  readonly does: Readonly<Partial<Record<Deed, (question: Question) => Promise<unknown> | void>>>;
}

type Deed = "yes" | "session" | "always" | "no" | "word" | "other" | "stranger";

const RULE = "Write(~/.npm/**)";

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function withResolver<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve: (value) => resolve(value) };
}

const pause = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

function terminal(): Asking & { readonly approver: Approver } {
  let events: DeviceEvents | undefined;
  const approver = new TerminalApprover(
    {
      open: (given) => void (events = given),
      write: () => undefined,
      size: () => ({ columns: 80, rows: 24 }),
      close: () => void (events = undefined),
    },
    { env: { TERM: "xterm" }, checkRule, ofAgent: true },
  );
  onTestFinished(() => approver.close());
  const press =
    (...keys: readonly string[]) =>
    async () => {
      await until(() => events);
      // On a busy machine it listens later.
      for (const listens = (): boolean => events !== undefined; listens();) {
        await pause(500);
        for (const key of keys) {
          events?.input(key);
          await pause(20);
        }
      }
    };
  return {
    approver,
    ask: (one, signal) => approver.ask(one, signal),
    does: {
      yes: press("y"),
      session: press("r"),
      always: press("p", "\u001b[B", "\u001b[B", "\r"),
      no: press("n"),
      word: press("w", ..."not now", "\r"),
      // Whoever was typing when it came meant something else.
      stranger: async () => {
        await until(() => events);
        events?.input("y");
        await pause(50);
      },
    },
  };
}

function folder(): Asking & { readonly approver: Approver } {
  const dir = join(scratch().root, "questions");
  const approver = directoryApprover(dir, { nonce: "mine", checkRule });
  onTestFinished(() => approver.close(0));
  const put = async (response: object): Promise<void> => {
    writeFileSync(join(dir, "written"), JSON.stringify(response), { mode: 0o600 });
    renameSync(join(dir, "written"), join(dir, "response.json"));
    await pause(100);
  };
  const says =
    (action: string, more: object = {}) =>
    async (one: Question) =>
      await put({ seq: one.seq, nonce: "mine", action, ...more });
  return {
    approver,
    ask: (one, signal) => approver.ask(one, signal),
    does: {
      yes: says("approve"),
      always: says("pattern", { pattern: RULE }),
      no: says("deny"),
      other: (one) => put({ seq: one.seq + 1, nonce: "mine", action: "approve" }),
      stranger: says("approve", { nonce: "another run's" }),
    },
  };
}

/** Somebody has `assent approvals` or the page open; what waits there is answered by the file of its answer. */
function queue(made: (queue: QueueApprover, place: Scratch) => Approver = (own) => own): Asking {
  const place = scratch();
  const { machine } = place;
  const there = announceApprover(machine, "page");
  onTestFinished(() => there.close());
  const approver = made(queueApprover({ machine, point: "run", checkRule }), place);
  onTestFinished(() => approver.close(0));
  return { ask: (one, signal) => approver.ask(one, signal), does: byQueue(place) };
}

function byQueue({ machine }: Scratch): Asking["does"] {
  const waiting = async () => await until(() => openQuestions(machine)[0]);
  const says = (answer: Answer) => async () => void answerQuestion(machine, (await waiting()).id, answer, "page");
  return {
    yes: says({ answer: "allow", scope: "once" }),
    session: says({ answer: "allow", scope: "session" }),
    always: says({ answer: "allow", scope: "always", rule: RULE }),
    no: says({ answer: "deny", scope: "once" }),
    word: says({ answer: "deny", scope: "once", note: "not now" }),
    other: async () => {
      await waiting();
      expect(answerQuestion(machine, "aaaaaaaa", { answer: "allow", scope: "once" }, "page")).toEqual({ is: "gone" });
    },
    // Others could have written it.
    stranger: async () => {
      const { id } = await waiting();
      const end = { v: 1, is: "answered", answer: { answer: "allow", scope: "once" }, by: "page", at: Date.now(), seen: 1 };
      writeFileSync(join(questionsFolder(machine), `${id}.end`), JSON.stringify(end), { mode: 0o666 });
      chmodSync(join(questionsFolder(machine), `${id}.end`), 0o666);
    },
  };
}

function team(): Asking {
  const { machine } = scratch();
  openLedger(machine);
  const there = announceTeam(machine);
  onTestFinished(() => there.close());
  const approver = withTeam(queueApprover({ machine, point: "run", checkRule }), { machine, point: "run", patience: 1500 });
  const says =
    (answer: "allow" | "deny", more: object = {}) =>
    async () => {
      const { id, request } = (await until(() => knownAfar(machine)[0])).asked;
      noteAnswer(machine, { id, request, answer, by: ["Ada"], ...more }, Date.now());
    };
  return {
    ask: (one, signal) => approver.ask({ ...one, afar: { people: 1, what: one.what, parts: [one.what] } }, signal),
    does: {
      yes: says("allow"),
      no: says("deny"),
      word: says("deny", { note: "not now" }),
      other: says("allow", { request: "a".repeat(43) }),
      stranger: says("allow", { id: "z".repeat(16) }),
    },
  };
}

/** What a guard in code hears of its own `onAsk`, as an answer. */
function guard(): Asking {
  const given = withResolver<unknown>();
  const says = (answer: unknown) => () => given.resolve(answer);
  const asked = createGuard({
    cwd: scratch().project,
    policy: { permissions: { ask: ["Write(**)"] } },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever is said
    onAsk: async () => (await given.promise) as boolean,
  });
  return {
    ask: async (_, signal) => {
      const outcome = await asked.check({ write: "a.ts" }, { signal });
      if (outcome.verdict === "allow") return { answer: "allow", scope: "once" };
      const [, note] = outcome.verdict === "deny" ? (/and said: ([\w ]+) \(/.exec(outcome.forModel) ?? []) : [];
      return outcome.verdict === "deny" && outcome.by === "person"
        ? { answer: "deny", scope: "once", ...(note === undefined ? {} : { note }) }
        : { answer: "deny", scope: "once", nobody: true };
    },
    does: {
      yes: says({ yes: "once" }),
      session: says({ yes: "session" }),
      always: says({ yes: { rule: "Write(**)" } }),
      no: says(false),
      word: says({ no: "not now" }),
      stranger: says({ yes: "once", by: "me" }),
    },
  };
}

/** The same, asked where `assent approvals` and the page answer. */
function guardInQueue(): Asking {
  const place = scratch();
  const there = announceApprover(place.machine, "page");
  onTestFinished(() => there.close());
  const asked = createGuard({
    cwd: place.project,
    policy: { permissions: { ask: ["Write(**)"] } },
    onAsk: onAskInQueue({ machine: place.machine, patience: 1500 }),
  });
  const { always: _, ...does } = byQueue(place);
  return {
    ask: async (_one, signal) => {
      const outcome = await asked.check({ write: "a.ts" }, { signal });
      if (outcome.verdict === "allow") return { answer: "allow", scope: "once" };
      const [, note] = outcome.verdict === "deny" ? (/and said: ([\w ]+) \(/.exec(outcome.forModel) ?? []) : [];
      return outcome.verdict === "deny" && outcome.by === "person"
        ? { answer: "deny", scope: "once", ...(note === undefined ? {} : { note }) }
        : { answer: "deny", scope: "once", nobody: true };
    },
    does,
  };
}

/** A question of the MCP gateway, put to the client's person by elicitation. */
function elicitation(): Asking {
  const verdict = { decision: "ask", basis: "rule", reason: "a rule asks", actions: [], unknowns: [] } as const;
  const judge: AdaptedGuard = {
    decide: () => ({ decision: "ask", reason: "a rule asks", modelReason: "a rule asks", verdict, warnings: [] }),
  };
  const gateway = new Gateway({ guard: judge, name: "files", onNotice: () => undefined });
  const heard = withResolver<Answer>();
  let id: string | undefined;
  const message = (value: Record<string, unknown>) => ({ message: value, line: Buffer.from(JSON.stringify(value)) });
  const via = {
    toServer: ({ message: { method } }: { readonly message: { readonly method?: unknown } }) => {
      if (method === "tools/call") heard.resolve({ answer: "allow", scope: "once" });
    },
    answer: (_: unknown, line: string) =>
      heard.resolve({ answer: "deny", scope: "once", ...(line.includes("the user refused") ? {} : { nobody: true }) }),
    ask: (line: string) => {
      const asked = JSON.parse(line) as { readonly id?: string };
      id ??= asked.id;
    },
    over: () => heard.resolve({ answer: "deny", scope: "once", nobody: true }),
  };
  const tell = (value: Record<string, unknown>): void => gateway.fromClient(message(value), via);
  const says = (result: object, of?: string) => async () => tell({ id: of ?? (await until(() => id)), result });
  tell({ id: 1, method: "initialize", params: { capabilities: { elicitation: {} } } });
  return {
    ask: async (_, signal) => {
      signal.addEventListener("abort", () => tell({ method: "notifications/cancelled", params: { requestId: 2 } }));
      if (signal.aborted) return { answer: "deny", scope: "once" };
      tell({ id: 2, method: "tools/call", params: { name: "write", arguments: {} } });
      return await heard.promise;
    },
    does: {
      yes: says({ action: "accept", content: { allow: true } }),
      no: says({ action: "decline" }),
      // A form that is accepted empty could be a client's habit.
      stranger: says({ action: "accept" }),
    },
  };
}

/** Each with the answers that it has no word for. */
const CLIENTS: readonly (readonly [name: string, make: () => Asking, lacks: readonly Deed[]])[] = [
  ["terminal", terminal, ["other"]],
  ["folder", folder, ["session", "word"]],
  ["queue", () => queue(), []],
  ["terminal and queue, answered in the queue", () => queue((own) => joinApprovers(terminal().approver, "terminal", own)), []],
  ["folder and queue, answered in the queue", () => queue((own) => joinApprovers(folder().approver, "folder", own)), []],
  ["queue and team, answered in the queue", () => queue((own, { machine }) => withTeam(own, { machine, point: "run", patience: 10 })), []],
  ["team", team, ["session", "always"]],
  ["onAsk of a guard", guard, ["other"]],
  ["onAsk in the queue", guardInQueue, ["always"]],
  ["elicitation", elicitation, ["session", "always", "word", "other"]],
];

const never = (): AbortSignal => new AbortController().signal;

const ANSWERS: readonly (readonly [deed: Deed, expected: object, plain: object])[] = [
  ["yes", { answer: "allow", scope: "once" }, { answer: "allow" }],
  ["session", { answer: "allow", scope: "session" }, { answer: "allow" }],
  ["always", { answer: "allow", scope: "always", rule: RULE }, { answer: "allow" }],
  ["no", { answer: "deny", scope: "once" }, { answer: "deny" }],
  ["word", { answer: "deny", note: "not now" }, { answer: "deny", note: "not now" }],
];

const rows = CLIENTS.flatMap(([name, make, lacks]) =>
  ANSWERS.filter(([deed]) => !lacks.includes(deed)).map(([deed, expected, plain]) => ({ name, make, deed, expected, plain })),
);

it.each(rows)("$name: $deed", async ({ name, make, deed, expected, plain }) => {
  const { ask, does } = make();
  const one = question(1);
  const asked = ask(one, never());
  expect(does).toHaveProperty(deed);
  await does[deed]?.(one);
  const answer = await asked;
  expect(answer).toMatchObject(name.startsWith("onAsk") || name === "elicitation" ? plain : expected);
  expect(isSaid(answer)).toBe(true);
});

it.each(CLIENTS)(
  "%s: what is said about another question is no answer to this one, and nobody is who may not answer",
  async (_, make, lacks) => {
    for (const deed of (["other", "stranger"] as const).filter((one) => !lacks.includes(one))) {
      const { ask, does } = make();
      expect(does).toHaveProperty(deed);
      const one = question(1);
      const gone = new AbortController();
      const asked = ask(one, gone.signal);
      await does[deed]?.(one);
      setTimeout(() => gone.abort(), 200);
      expect((await asked).answer, deed).not.toBe("allow");
    }
  },
);

it.each(CLIENTS)("%s: who answers when the asker is gone has answered nothing", async (_, make) => {
  const { ask, does } = make();
  const one = question(1);
  const gone = new AbortController();
  const asked = ask(one, gone.signal);
  setTimeout(() => gone.abort(), 300);
  expect((await asked).answer).not.toBe("allow");
  const late = does.yes?.(one);
  await Promise.race([late, pause(100)]);
  expect((await asked).answer).not.toBe("allow");
});

it.each(CLIENTS)("%s: of two who answer at once one is heard, and the other is not", async (_, make) => {
  const { ask, does } = make();
  const one = question(1);
  const asked = ask(one, never());
  const both = [does.no, does.yes].map(async (act) => await act?.(one));
  const { answer } = await asked;
  await Promise.race([Promise.all(both), pause(300)]);
  expect(["allow", "deny"]).toContain(answer);
  expect((await asked).answer).toBe(answer);
});

it.each<readonly [name: string, make: () => Asking]>([
  ["queue where nobody is", () => nobodyIn((own) => own)],
  ["team where nobody is", () => nobodyIn((own, { machine }) => withTeam(own, { machine, point: "run", patience: 10 }))],
  ["onAsk of a guard that is given up", guard],
])("%s: nobody's answer is a no that nobody has said", async (name, make) => {
  const { ask } = make();
  const gone = new AbortController();
  if (name.startsWith("onAsk")) setTimeout(() => gone.abort(), 50);
  const answer = await ask(question(1), gone.signal);
  expect([answer.answer, isSaid(answer)]).toEqual(["deny", false]);
});

function nobodyIn(made: (queue: QueueApprover, place: Scratch) => Approver): Asking {
  const place = scratch();
  const approver = made(queueApprover({ machine: place.machine, point: "run", checkRule }), place);
  onTestFinished(() => approver.close(0));
  return { ask: (one, signal) => approver.ask(one, signal), does: {} };
}

it("in the queue, where nobody answers in time, it has expired, and a yes that comes later is too late", async () => {
  const { machine } = scratch();
  const there = announceApprover(machine, "page");
  onTestFinished(() => there.close());
  const approver = queueApprover({ machine, point: "gateway", patience: 200, checkRule });
  const asked = approver.ask(question(1), never());
  const { id } = await until(() => openQuestions(machine)[0]);
  const answer = await asked;
  expect([answer.answer, isSaid(answer)]).toEqual(["deny", false]);
  expect(answerQuestion(machine, id, { answer: "allow", scope: "once" }, "page")).toMatchObject({ is: "late", end: { is: "expired" } });
});

it("a question that another version of Assent has left is shown and answered", () => {
  const { machine } = scratch();
  const there = announceApprover(machine, "page");
  onTestFinished(() => there.close());
  const old = readFileSync(new URL("old.question", import.meta.url), "utf8");
  const asker = { pid: process.pid, started: 0, namespace: "another" };
  mkdirSync(questionsFolder(machine), { recursive: true, mode: 0o700 });
  writeFileSync(join(questionsFolder(machine), "abcdefgh.question"), old.replace('"ASKER"', JSON.stringify(asker)), { mode: 0o600 });
  expect(openQuestions(machine)).toMatchObject([{ id: "abcdefgh", point: "run", alike: 1, question: { what: "write ~/.npm/_cacache/1" } }]);
  expect(answerQuestion(machine, "abcdefgh", { answer: "allow", scope: "once" }, "page")).toEqual({ is: "taken" });
  expect(readdirSync(questionsFolder(machine))).toContain("abcdefgh.end");
});
