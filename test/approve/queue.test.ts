import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Answer, Approver, Client, QuestionQueue, QueueEnd, Waiting } from "@assent/guard/approve";
import {
  announceApprover,
  answerQuestion,
  choicesOf,
  isSomebodyThere,
  openQuestions,
  type QueueChange,
  queueApprover,
  type QueuedQuestion,
  questionsFolder,
  watchQuestions,
} from "@assent/guard/approve/queue";
import type { Machine } from "@assent/guard/state";
import { scratch } from "../scratch.ts";
import { checkRule, question } from "./question.ts";

const folder = mkdtempSync(join(tmpdir(), "assent-queue-"));
const other = join(folder, "other.mjs");
beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL("queue-process.ts", import.meta.url))],
    outfile: other,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const YES: Answer = { answer: "allow", scope: "once" };
const NO: Answer = { answer: "deny", scope: "once" };

function somebody(machine: Machine): void {
  const there = announceApprover(machine, "terminal");
  onTestFinished(() => there.close());
}

function asker(
  machine: Machine,
  more: { readonly patience?: number; readonly covers?: (rule: string) => boolean } = {},
  ...clients: readonly Client[]
): QuestionQueue {
  const approver = queueApprover({ machine, point: "run", checkRule, ...more }, ...clients);
  onTestFinished(() => approver.close(0));
  return approver;
}

/** Answers when it is told to. */
function direct(): { readonly client: Client; answer: (answer: Answer) => void; readonly end: Promise<QueueEnd | undefined> } {
  let queue: QuestionQueue | undefined;
  let shown: Waiting | undefined;
  let ended: (end: QueueEnd | undefined) => void = () => undefined;
  const end = new Promise<QueueEnd | undefined>((resolve) => (ended = resolve));
  const client: Client = {
    begin: (given) => void (queue = given),
    show: (waiting) => (shown = waiting) !== undefined,
    drop: (_, why) => ended(why),
  };
  return { client, answer: (answer) => void (shown === undefined ? undefined : queue?.answer(shown, answer)), end };
}

const never = (): AbortSignal => new AbortController().signal;

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const opened = (machine: Machine, count = 1): Promise<readonly QueuedQuestion[]> =>
  until(() => {
    const open = openQuestions(machine);
    return open.length >= count ? open : undefined;
  });
const firstOpen = async (machine: Machine): Promise<QueuedQuestion> => {
  const [first] = await opened(machine);
  if (first === undefined) throw new Error("no question");
  return first;
};

it.each<[point: QueuedQuestion["point"], keys: string]>([
  ["run", "ynw?q"],
  ["confined", "ynw?"],
])("a question with a difference (%s) is answered with yes or no, wherever it is shown", (point, keys) => {
  const queued = { id: "a", asked: 0, point, agent: "claude", session: "s", alike: 1, others: [] };
  expect(choicesOf({ ...queued, question: question(1, { difference: ["f"] }) }).map(({ key }) => key)).toEqual([...keys]);
});

describe("a question in the queue", () => {
  it("carries what a prompt shows, and its answer comes back with who gave it", async () => {
    const { machine } = scratch();
    somebody(machine);
    const asked = asker(machine).ask(question(1), never());
    const queued = await firstOpen(machine);
    expect(queued).toMatchObject({ point: "run", alike: 1, others: [], question: question(1) });
    expect(answerQuestion(machine, queued.id, { answer: "allow", scope: "session" }, "page")).toEqual({ is: "taken" });
    expect(await asked).toEqual({ answer: "allow", scope: "session", by: "page" });
    expect(openQuestions(machine)).toEqual([]);
  });

  it("is answered by the first; the others learn who that was", async () => {
    const { machine } = scratch();
    somebody(machine);
    const asked = asker(machine).ask(question(1), never());
    const { id } = await firstOpen(machine);
    expect(answerQuestion(machine, id, NO, "popup").is).toBe("taken");
    expect(answerQuestion(machine, id, YES, "page")).toMatchObject({ is: "late", end: { is: "answered", answer: NO, by: "popup" } });
    expect(await asked).toMatchObject(NO);
    expect(answerQuestion(machine, id, YES, "terminal")).toMatchObject({ is: "late", end: { by: "popup" } });
    expect(answerQuestion(machine, "0000000x", YES, "page")).toEqual({ is: "gone" });
    expect(answerQuestion(machine, "../x", YES, "page")).toEqual({ is: "gone" });
  });

  it("has one answer, however many give one at the same time", async () => {
    const { machine } = scratch();
    somebody(machine);
    const asked = asker(machine).ask(question(1), never());
    const { id } = await firstOpen(machine);
    const at = Date.now() + 1500;
    const told = await Promise.all(
      ["allow", "deny", "allow", "deny"].map(async (word) => {
        const child = spawn(process.execPath, [other, "answer", machine.home, id, word, String(at)]);
        let text = "";
        child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
        await once(child, "close");
        return [word, text.trim()];
      }),
    );
    const taken = told.filter(([, is]) => is === "taken");
    expect(taken).toHaveLength(1);
    expect(told.filter(([, is]) => is === "late")).toHaveLength(3);
    expect((await asked).answer).toBe(taken[0]?.[0]);
  });

  it("is withdrawn when its signal is raised, and says so", async () => {
    const { machine } = scratch();
    somebody(machine);
    const changes: QueueChange[] = [];
    const watching = watchQuestions(machine, (change) => changes.push(change));
    onTestFinished(() => watching.close());
    const controller = new AbortController();
    const asked = asker(machine).ask(question(1), controller.signal);
    const { id } = await firstOpen(machine);
    await until(() => changes.find(({ open }) => open.length === 1));
    controller.abort();
    expect((await asked).answer).toBe("deny");
    const { ended } = await until(() => changes.find((change) => change.ended.length > 0));
    expect(ended).toMatchObject([{ queued: { id }, end: { is: "withdrawn" } }]);
    expect(answerQuestion(machine, id, YES, "page")).toMatchObject({ is: "late", end: { is: "withdrawn" } });
  });

  it("expires when the asker's time is over, and says so", async () => {
    const { machine } = scratch();
    somebody(machine);
    const asked = asker(machine, { patience: 60 }).ask(question(1), never());
    const { id, until: end, asked: from } = await firstOpen(machine);
    expect(end).toBe(from + 60);
    expect(await asked).toEqual({ answer: "deny", scope: "once", nobody: true });
    expect(answerQuestion(machine, id, YES, "page")).toMatchObject({ is: "late", end: { is: "expired" } });
  });

  it("of an asker that is gone is withdrawn, and cleared away", async () => {
    const { machine } = scratch();
    somebody(machine);
    const controller = new AbortController();
    const asked = asker(machine).ask(question(1), controller.signal);
    const { id } = await firstOpen(machine);
    const file = `${questionsFolder(machine)}/${id}.question`;
    const dead = readFileSync(file, "utf8")
      .replaceAll(id, "deadbeef")
      .replace(/"started":\d+/, '"started":1');
    writeFileSync(`${questionsFolder(machine)}/deadbeef.question`, dead, { mode: 0o600 });
    expect(openQuestions(machine).map((one) => one.id)).toEqual([id]);
    expect(answerQuestion(machine, "deadbeef", YES, "page")).toEqual({ is: "gone" });
    controller.abort();
    await asked;
    void asker(machine).ask(question(2), never());
    await firstOpen(machine);
    expect(readdirSync(questionsFolder(machine)).filter((name) => name.startsWith("deadbeef"))).toEqual([]);
  });
});

describe("a burst of alike questions", () => {
  const burst = (approver: Approver, count: number, more = {}): Promise<Answer>[] =>
    Array.from({ length: count }, (_, at) => approver.ask(question(at + 1, more), never()));

  it("is one question, and one answer serves them all", async () => {
    const { machine } = scratch();
    somebody(machine);
    const asked = burst(asker(machine), 30);
    const queued = await until(() => openQuestions(machine).find(({ alike }) => alike === 30));
    expect(openQuestions(machine)).toHaveLength(1);
    expect(queued.others).toHaveLength(10);
    answerQuestion(machine, queued.id, YES, "page");
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ ...YES, by: "page" })));
  });

  it("an answer for once does not serve what nobody had seen: it is asked again", async () => {
    const { machine } = scratch();
    somebody(machine);
    const approver = asker(machine);
    const asked = burst(approver, 3);
    const { id } = await until(() => openQuestions(machine).find(({ alike }) => alike === 3));
    answerQuestion(machine, id, YES, "page", 2);
    expect(await Promise.all(asked.slice(0, 2))).toEqual([YES, YES].map((one) => ({ ...one, by: "page" })));
    const again = await until(() => openQuestions(machine).find((one) => one.id !== id));
    expect(again).toMatchObject({ alike: 1, question: { seq: 3 } });
    answerQuestion(machine, again.id, NO, "page");
    expect(await asked[2]).toMatchObject(NO);
  });

  it("questions of other groups stay, but for what a rule or a trusted program covers", async () => {
    const { machine } = scratch();
    somebody(machine);
    const approver = asker(machine, { covers: (rule) => rule === "Write(~/**)" });
    const first = approver.ask(question(1, { group: "a" }), never());
    const other = approver.ask(question(2, { group: "b" }), never());
    const [{ id } = { id: "" }] = await opened(machine, 2);
    answerQuestion(machine, id, { answer: "allow", scope: "always", rule: "Write(~/**)" }, "page");
    expect(await first).toMatchObject({ scope: "always", rule: "Write(~/**)" });
    expect(await other).toEqual({ ...YES, by: "page" });
  });
});

describe("nothing but a sound answer allows", () => {
  const cases: readonly [what: string, end: string, mode?: number][] = [
    ["no JSON", "{"],
    ["an answer nobody knows", '{"v":1,"is":"answered","by":"page","at":1,"seen":1,"answer":{"answer":"perhaps","scope":"once"}}'],
    ["a way nobody knows", '{"v":1,"is":"answered","by":"me","at":1,"seen":1,"answer":{"answer":"allow","scope":"once"}}'],
    ["a scope nobody knows", '{"v":1,"is":"answered","by":"page","at":1,"seen":1,"answer":{"answer":"allow","scope":"ever"}}'],
    ["time without end", '{"v":1,"is":"answered","by":"page","at":1,"seen":1,"answer":{"answer":"allow","scope":"time","minutes":1e9}}'],
    ["a rule that is none", '{"v":1,"is":"answered","by":"page","at":1,"seen":1,"answer":{"answer":"allow","scope":"always","rule":"x"}}'],
    ["a file others could write", '{"v":1,"is":"answered","by":"page","at":1,"seen":1,"answer":{"answer":"allow","scope":"once"}}', 0o666],
  ];
  it.each(cases)("%s", async (_, end, mode = 0o600) => {
    const { machine } = scratch();
    somebody(machine);
    const asked = asker(machine).ask(question(1), never());
    const { id } = await firstOpen(machine);
    const file = `${questionsFolder(machine)}/${id}.end`;
    writeFileSync(`${file}.new`, end);
    chmodSync(`${file}.new`, mode);
    symlinkSync(`${file}.new`, file);
    expect((await asked).answer).toBe("deny");
  });

  it("a folder that others can write is not used", async () => {
    const { machine } = scratch();
    const folder = questionsFolder(machine);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    const notices: string[] = [];
    const { client } = direct();
    const approver = queueApprover({ machine, point: "run", checkRule, onNotice: (text) => notices.push(text) }, client);
    const asked = approver.ask(question(1), never());
    await approver.close(0);
    expect(await asked).toEqual(NO);
    expect(notices).toMatchObject([expect.stringContaining("others")]);
  });
});

describe("who is there", () => {
  it("nobody: no question is put, and nothing is written", async () => {
    const { machine } = scratch();
    expect(await asker(machine).ask(question(1), never())).toEqual({ answer: "deny", scope: "once", nobody: true });
    expect(existsSync(questionsFolder(machine))).toBe(false);
  });

  it("somebody, until it is closed; who is stopped or dead is not", async () => {
    const { machine } = scratch();
    const there = announceApprover(machine, "page");
    expect(isSomebodyThere(machine)).toBe(true);
    there.close();
    expect(isSomebodyThere(machine)).toBe(false);
    const child = spawn(process.execPath, [other, "there", machine.home]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(isSomebodyThere(machine)).toBe(true);
    child.kill("SIGSTOP");
    await until(() => (isSomebodyThere(machine) ? undefined : true));
    child.kill("SIGCONT");
    await until(() => (isSomebodyThere(machine) ? true : undefined));
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isSomebodyThere(machine)).toBe(false);
    expect(readdirSync(`${questionsFolder(machine)}/approvers`)).toEqual([]);
  });
});

describe("asked directly and in the queue", () => {
  it("the queue is faster: who was asked directly is told who answered", async () => {
    const { machine } = scratch();
    const here = direct();
    const asked = asker(machine, {}, here.client).ask(question(1), never());
    const { id } = await firstOpen(machine);
    answerQuestion(machine, id, YES, "page");
    expect(await asked).toEqual({ ...YES, by: "page" });
    expect(await here.end).toMatchObject({ is: "answered", answer: YES, by: "page" });
  });

  it("who is asked directly is faster: the queue is told", async () => {
    const { machine } = scratch();
    const here = direct();
    const asked = asker(machine, {}, here.client).ask(question(1), never());
    const { id } = await firstOpen(machine);
    here.answer({ ...YES, by: "terminal" });
    expect(await asked).toEqual({ ...YES, by: "terminal" });
    expect(answerQuestion(machine, id, NO, "page")).toMatchObject({ is: "late", end: { is: "answered", answer: YES, by: "terminal" } });
  });

  it("a queue that cannot be used leaves the other to answer", async () => {
    const { machine } = scratch();
    mkdirSync(`${machine.home}/.local/state/assent`, { recursive: true, mode: 0o700 });
    writeFileSync(questionsFolder(machine), "");
    const here = direct();
    const asked = asker(machine, {}, here.client).ask(question(1), never());
    await new Promise((resolve) => setTimeout(resolve, 20));
    here.answer({ ...YES, by: "terminal" });
    expect(await asked).toEqual({ ...YES, by: "terminal" });
  });

  it("a void question is void for both", async () => {
    const { machine } = scratch();
    const here = direct();
    const controller = new AbortController();
    const asked = asker(machine, {}, here.client).ask(question(1), controller.signal);
    await firstOpen(machine);
    controller.abort();
    expect((await asked).answer).toBe("deny");
    expect(openQuestions(machine)).toEqual([]);
  });
});
