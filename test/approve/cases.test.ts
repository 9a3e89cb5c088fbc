import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Answer, type Client, directoryClient, isSaid, type Question } from "@assent/guard/approve";
import {
  announceApprover,
  answerQuestion,
  openQuestions,
  queueApprover,
  type QueueOptions,
  questionsFolder,
} from "@assent/guard/approve/queue";
import { agentNamed } from "@assent/hosts/agents";
import type { AdaptedGuard } from "../../packages/library/src/sdk/common/adapted-guard.ts";
import { Gateway, type GatewayOptions } from "../../packages/library/src/sdk/mcp/gateway/gateway.ts";
import { createGuard, queueApprover as onAskInQueue } from "@assent/library/sdk";
import { askClients, askQueue } from "@assent/library/sdk/queue";
import { announceTeam, knownRemote, noteAnswer, openLedger, teamClient } from "@assent/team/team/remote";
import { TerminalClient } from "../../packages/guard/src/approve/terminal.ts";
import type { DeviceEvents } from "../../packages/guard/src/approve/tty.ts";
import { QUESTIONS } from "../../packages/page/src/page/api/questions.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { queueOf } from "./asked.ts";
import { checkRule, question } from "./question.ts";

/** One table for whoever is asked: what a person does, and what the asker hears. A client that has no word for it says so. */

interface Asking {
  readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>;
  /** What a person does there. Undefined: there is no such answer. */
  readonly does: Readonly<Partial<Record<Deed, (question: Question) => Promise<unknown> | void>>>;
}

type Deed = "yes" | "session" | "time" | "always" | "no" | "word" | "never" | Useless;

/** An answer to another question, by somebody who may not, in words that nobody knows; and the way that is closed. */
const USELESS = ["other", "stranger", "broken", "closed"] as const;
type Useless = (typeof USELESS)[number];

const RULE = "Write(~/.npm/**)";

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

interface Resolver<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly fail: () => void;
}

function withResolver<T>(): Resolver<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve: (value) => resolve(value), fail: () => reject(new Error("the window was closed")) };
}

const pause = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

function terminalClient(): { readonly client: Client; readonly does: Asking["does"] } {
  let events: DeviceEvents | undefined;
  const client = new TerminalClient(
    {
      open: (given) => void (events = given),
      write: () => undefined,
      size: () => ({ columns: 80, rows: 24 }),
      close: () => void (events = undefined),
    },
    { env: { TERM: "xterm" }, checkRule, ofAgent: true },
  );
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
  const does: Asking["does"] = {
    yes: press("y"),
    session: press("r"),
    always: press("p", "\u001b[B", "\u001b[B", "\r"),
    no: press("n"),
    word: press("w", ..."not now", "\r"),
    never: press("N", "\u001b[B", "\u001b[B", "\r"),
    // Whoever was typing when it came meant something else.
    stranger: async () => {
      await until(() => events);
      events?.input("y");
      await pause(50);
    },
    broken: async () => {
      await until(() => events);
      await pause(500);
      for (const key of ["x", "\u001b[200~y\u001b[201~"]) events?.input(key);
    },
    closed: async () => (await until(() => events)).closed(),
  };
  return { client, does };
}

function terminal(): Asking {
  const { client, does } = terminalClient();
  const approver = queueOf(client);
  onTestFinished(() => approver.close(0));
  return { ask: (one, signal) => approver.ask(one, signal), does };
}

const folderClient = (dir = join(scratch().root, "questions")): Client => directoryClient(dir, { nonce: "mine" });

function folder(): Asking {
  const dir = join(scratch().root, "questions");
  const approver = queueOf(folderClient(dir));
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
    ask: (one, signal) => approver.ask(one, signal),
    does: {
      yes: says("approve"),
      always: says("pattern", { pattern: RULE }),
      no: says("deny"),
      never: says("deny_pattern", { pattern: RULE }),
      other: (one) => put({ seq: one.seq + 1, nonce: "mine", action: "approve" }),
      stranger: says("approve", { nonce: "another run's" }),
      broken: says("approve it"),
      closed: () => rmSync(dir, { recursive: true }),
    },
  };
}

/** Somebody has `assent approvals` or the page open; what waits there is answered by the file of its answer. */
function queue(more: Partial<QueueOptions> = {}, ...made: readonly ((place: Scratch) => Client)[]): Asking & { readonly place: Scratch } {
  const place = scratch();
  const { machine } = place;
  const there = announceApprover(machine, "page");
  onTestFinished(() => there.close());
  const approver = queueApprover({ machine, point: "run", checkRule, ...more }, ...made.map((one) => one(place)));
  onTestFinished(() => approver.close(0));
  return { ask: (one, signal) => approver.ask(one, signal), does: byQueue(place), place };
}

const SAYS: readonly (readonly [deed: Deed, answer: Answer])[] = [
  ["yes", { answer: "allow", scope: "once" }],
  ["session", { answer: "allow", scope: "session" }],
  ["time", { answer: "allow", scope: "time", minutes: 30 }],
  ["always", { answer: "allow", scope: "always", rule: RULE }],
  ["no", { answer: "deny", scope: "once" }],
  ["word", { answer: "deny", scope: "once", note: "not now" }],
  ["never", { answer: "deny", scope: "always", rule: RULE }],
];

const waitingId = async ({ machine }: Scratch): Promise<string> => (await until(() => openQuestions(machine)[0])).id;

function byQueue(place: Scratch): Asking["does"] {
  const { machine } = place;
  const endFile = async (): Promise<string> => join(questionsFolder(machine), `${await waitingId(place)}.end`);
  const end = { v: 1, is: "answered", answer: { answer: "allow", scope: "once" }, by: "page", at: Date.now(), seen: 1 };
  const says = (answer: Answer) => async () => void answerQuestion(machine, await waitingId(place), answer, "page");
  return {
    ...Object.fromEntries(SAYS.map(([deed, answer]) => [deed, says(answer)])),
    other: async () => {
      await waitingId(place);
      expect(answerQuestion(machine, "aaaaaaaa", { answer: "allow", scope: "once" }, "page")).toEqual({ is: "gone" });
    },
    // Others could have written it.
    stranger: async () => {
      const file = await endFile();
      writeFileSync(file, JSON.stringify(end), { mode: 0o666 });
      chmodSync(file, 0o666);
    },
    broken: async () =>
      writeFileSync(await endFile(), JSON.stringify({ ...end, answer: { answer: "allow", scope: "ever" } }), { mode: 0o600 }),
    closed: async () => {
      await waitingId(place);
      rmSync(questionsFolder(machine), { recursive: true });
    },
  };
}

/** What waits in the queue, answered by `assent approvals answer`. */
function approvals(): Asking {
  const { ask, place } = queue();
  const says =
    (word: string, ...flags: readonly string[]) =>
    async () =>
      assent(place, ["approvals", "answer", await waitingId(place), word, ...flags]);
  return {
    ask,
    does: {
      yes: says("yes"),
      session: says("yes", "--session"),
      time: says("yes", "--for", "30m"),
      always: says("yes", "--always", RULE),
      no: says("no"),
      word: says("no", "--note", "not now"),
      never: says("no", "--always", RULE),
      other: async () => {
        await waitingId(place);
        expect(assent(place, ["approvals", "answer", "aaaaaaaa", "yes"]).status).toBe(2);
      },
      // An agent says yes to itself.
      stranger: async () => {
        const { status } = assent(place, ["approvals", "answer", await waitingId(place), "yes"], "", { CLAUDECODE: "1" });
        expect(status).toBe(1);
      },
      broken: async () => expect((await says("yes", "--always", "no rule")()).status).toBe(2),
    },
  };
}

/** What waits in the queue, answered by the page's server. */
function page(): Asking {
  const { ask, does, place } = queue();
  const endpoint = QUESTIONS.find(({ path }) => path === "/api/questions/answer");
  const post = async (body: object): Promise<unknown> => {
    const context = { machine: place.machine, own: [], status: () => Promise.reject(new Error("not asked")) };
    return await endpoint?.answer({ query: new URLSearchParams(), body, signal: never() }, context);
  };
  const says = (answer: unknown) => async () => await post({ id: await waitingId(place), answer, seen: 1 });
  return {
    ask,
    does: {
      ...Object.fromEntries(SAYS.map(([deed, answer]) => [deed, says(answer)])),
      other: async () => {
        await waitingId(place);
        expect(await post({ id: "aaaaaaaa", answer: { answer: "allow", scope: "once" } })).toMatchObject({ value: { is: "gone" } });
      },
      broken: async () => expect(await says({ answer: "allow", scope: "ever" })()).toMatchObject({ is: "refused" }),
      closed: () => does.closed?.(question(1)),
    },
  };
}

/** A hook of a host that cannot ask, which waits for whoever is there. */
function heldHook(): Asking {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", '{ "permissions": { "ask": ["Bash(weird:*)"] } }');
  const there = announceApprover(place.machine, "page");
  onTestFinished(() => there.close());
  const { always: _, never: __, ...does } = byQueue(place);
  const sample = agentNamed("gemini")?.setup?.sample("weird thing", place.project);
  return {
    does,
    ask: async (_one, signal) => {
      if (signal.aborted) return { answer: "deny", scope: "once" };
      const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "check", "--agent", "gemini"], {
        cwd: place.project,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...sample?.env },
      });
      signal.addEventListener("abort", () => child.kill("SIGKILL"));
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      child.stdin.end(JSON.stringify(sample?.payload));
      await new Promise((resolve) => child.once("close", resolve));
      if (/"decision":"(?:allow|approve)"/.test(text) || text.trim() === "{}") return { answer: "allow", scope: "once" };
      const [said, note] = /the user refused(?:, and says: ([\w ]+): )?/.exec(text) ?? [];
      const no = { answer: "deny", scope: "once" } as const;
      return said === undefined ? { ...no, nobody: true } : { ...no, ...(note === undefined ? {} : { note }) };
    },
  };
}

function team(): Asking {
  const { machine } = scratch();
  openLedger(machine);
  const there = announceTeam(machine);
  onTestFinished(() => there.close());
  const approver = queueApprover({ machine, point: "run", checkRule }, teamClient({ machine, point: "run", patience: 1500 }));
  const says =
    (answer: "allow" | "deny", more: object = {}) =>
    async () => {
      const { id, request } = (await until(() => knownRemote(machine)[0])).asked;
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
      // Nobody has said it.
      broken: says("allow", { by: [] }),
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
      time: says({ yes: { for: "30m" } }),
      always: says({ yes: { rule: "Write(**)" } }),
      no: says(false),
      word: says({ no: "not now" }),
      stranger: says({ yes: "once", by: "me" }),
      broken: says("yes"),
      closed: () => given.fail(),
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
  const { always: _, never: __, ...does } = byQueue(place);
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
function elicitation(place?: Scratch): Asking {
  const verdict = { decision: "ask", basis: "rule", reason: "a rule asks", actions: [], unknowns: [] } as const;
  const judge: AdaptedGuard = {
    decide: () => ({ decision: "ask", reason: "a rule asks", modelReason: "a rule asks", verdict, warnings: [] }),
  };
  const ask: GatewayOptions["ask"] = (asked, clients, signal) =>
    place === undefined
      ? askClients(asked, clients, signal)
      : askQueue({ ...place, point: "gateway", cwd: place.project, ...asked, outcome: undefined, patience: 1500 }, signal, clients);
  const gateway = new Gateway({ guard: judge, name: "files", onNotice: () => undefined, ask });
  const heard = withResolver<Answer>();
  let id: string | undefined;
  const message = (value: Record<string, unknown>) => ({ message: value, line: Buffer.from(JSON.stringify(value)) });
  const via = {
    toServer: ({ message: { method } }: { readonly message: { readonly method?: unknown } }) => {
      if (method === "tools/call") heard.resolve({ answer: "allow", scope: "once" });
    },
    answer: (_: unknown, line: string) => {
      const [, note] = /and says: ([\w ]+): /.exec(line) ?? [];
      const said = note === undefined ? {} : { note };
      heard.resolve({ answer: "deny", scope: "once", ...(line.includes("the user refused") ? said : { nobody: true }) });
    },
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
      other: says({ action: "accept", content: { allow: true } }, "assent-0-1"),
      broken: says({ action: "accept", content: { allow: "true" } }),
      closed: async () => {
        await until(() => id);
        gateway.serverEnded("the server has ended");
      },
    },
  };
}

/** The same, answered by who has the page open. */
function elicitationInQueue(): Asking {
  const place = scratch();
  const there = announceApprover(place.machine, "page");
  onTestFinished(() => there.close());
  return { ask: elicitation(place).ask, does: byQueue(place) };
}

/** Each with what nobody can do there. */
const CLIENTS: readonly (readonly [name: string, make: () => Asking, lacks: readonly Deed[]])[] = [
  ["terminal", terminal, ["time", "other"]],
  ["folder", folder, ["session", "time", "word"]],
  ["queue", queue, []],
  ["queue, by assent approvals answer", approvals, ["closed"]],
  ["queue, on the page", page, ["stranger"]],
  ["terminal and queue, answered in the queue", () => queue({}, () => terminalClient().client), []],
  ["folder and queue, answered in the queue", () => queue({}, () => folderClient()), []],
  ["queue and team, answered in the queue", () => queue({}, ({ machine }) => teamClient({ machine, point: "run", patience: 10 })), []],
  ["team", team, ["session", "time", "always", "never", "closed"]],
  ["held hook", heldHook, ["always", "never"]],
  ["onAsk of a guard", guard, ["never", "other"]],
  ["onAsk in the queue", guardInQueue, ["always", "never"]],
  ["elicitation", () => elicitation(), ["session", "time", "always", "word", "never"]],
  ["elicitation and queue, answered in the queue", elicitationInQueue, []],
];

/** These hear whether it goes ahead, and no more. */
const isPlain = (name: string): boolean => /^(?:onAsk|elicitation|held)/.test(name);

function never(): AbortSignal {
  return new AbortController().signal;
}

const rows = CLIENTS.flatMap(([name, make, lacks]) =>
  SAYS.filter(([deed]) => !lacks.includes(deed)).map(([deed, expected]) => ({ name, make, deed, expected })),
);

it.each(rows)("$name: $deed", async ({ name, make, deed, expected }) => {
  const { ask, does } = make();
  const one = question(1);
  const asked = ask(one, never());
  expect(does).toHaveProperty(deed);
  await does[deed]?.(one);
  const answer = await asked;
  expect(answer.answer).toBe(expected.answer);
  if ("note" in expected) expect(answer).toMatchObject({ note: expected.note });
  if (!isPlain(name)) expect(answer).toMatchObject(expected);
  expect(isSaid(answer)).toBe(true);
});

const useless = CLIENTS.flatMap(([name, make, lacks]) =>
  USELESS.filter((deed) => !lacks.includes(deed)).map((deed) => ({ name, make, deed })),
);

it.each(useless)("$name: what answers nothing ($deed) allows nothing", async ({ make, deed }) => {
  const { ask, does } = make();
  expect(does).toHaveProperty(deed);
  const one = question(1);
  const gone = new AbortController();
  const asked = ask(one, gone.signal);
  await does[deed]?.(one);
  setTimeout(() => gone.abort(), 200);
  expect((await asked).answer).not.toBe("allow");
});

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
  ["queue where nobody is", () => nobodyIn()],
  ["team where nobody is", () => nobodyIn(({ machine }) => teamClient({ machine, point: "run", patience: 10 }))],
  ["onAsk of a guard that is given up", guard],
])("%s: nobody's answer is a no that nobody has said", async (name, make) => {
  const { ask } = make();
  const gone = new AbortController();
  if (name.startsWith("onAsk")) setTimeout(() => gone.abort(), 50);
  const answer = await ask(question(1), gone.signal);
  expect([answer.answer, isSaid(answer)]).toEqual(["deny", false]);
});

function nobodyIn(...made: readonly ((place: Scratch) => Client)[]): Asking {
  const place = scratch();
  const approver = queueApprover({ machine: place.machine, point: "run", checkRule }, ...made.map((one) => one(place)));
  onTestFinished(() => approver.close(0));
  return { ask: (one, signal) => approver.ask(one, signal), does: {} };
}

it.each<readonly [name: string, made: readonly ((place: Scratch) => Client)[]]>([
  ["queue", []],
  ["queue and team", [({ machine }) => teamClient({ machine, point: "run", patience: 10 })]],
])("%s: where nobody answers in time, it has expired, and a yes that comes later is too late", async (_, made) => {
  const { ask, place } = queue({ point: "gateway", patience: 200 }, ...made);
  const asked = ask(question(1), never());
  const id = await waitingId(place);
  const answer = await asked;
  expect([answer.answer, isSaid(answer)]).toEqual(["deny", false]);
  const late = answerQuestion(place.machine, id, { answer: "allow", scope: "once" }, "page");
  expect(late).toMatchObject({ is: "late", end: { is: "expired" } });
});

it("whoever is asked in two ways is told how it ended, and by whom", async () => {
  const ends: unknown[] = [];
  const client: Client = { begin: () => undefined, show: () => true, drop: (_, end) => ends.push(end) };
  const { ask, does } = queue({}, () => client);
  const one = question(1);
  const asked = ask(one, never());
  await does.yes?.(one);
  await asked;
  expect(ends).toMatchObject([{ is: "answered", by: "page", answer: { answer: "allow", scope: "once" } }]);
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
