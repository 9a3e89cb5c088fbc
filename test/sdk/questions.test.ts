import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Answer } from "../../src/approve/index.ts";
import { announceApprover, answerQuestion, openQuestions, type QueuedQuestion } from "../../src/approve/queue/index.ts";
import { openGuard, queueApprover, type QueueApproverOptions } from "../../src/sdk/index.ts";
import { readGrants, type Machine } from "../../src/state/index.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { call, type Connected, connect } from "./mcp/connect.ts";

/** Questions of the library and of the MCP gateway, answered where `assent approvals` and the page show them. */

async function opened(machine: Machine): Promise<QueuedQuestion> {
  for (;;) {
    const [first] = openQuestions(machine);
    if (first !== undefined) return first;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function somebody(machine: Machine): void {
  const there = announceApprover(machine, "page");
  onTestFinished(() => there.close());
}

const YES: Answer = { answer: "allow", scope: "once" };
const NO: Answer = { answer: "deny", scope: "once", note: "not today" };
const policyOf = (place: Pick<Scratch, "home">): string => {
  const file = join(place.home, ".agent-permissions.jsonc");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};
const logOf = ({ home }: Pick<Scratch, "home">): readonly Record<string, unknown>[] =>
  readFileSync(join(home, ".local/state/assent/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the library", () => {
  const check = async (place: Scratch, options: QueueApproverOptions = {}, command = "weird thing"): Promise<string> => {
    const onAsk = queueApprover({ machine: place.machine, agent: "mine", ...options });
    const guard = openGuard({ cwd: place.project, machine: place.machine, onAsk });
    return await guard.check({ command, ...(options.session === undefined ? {} : { session: options.session }) }).then(
      () => "goes ahead",
      (error: unknown) => (error instanceof Error ? error.message : ""),
    );
  };

  it("nobody there: approval is required, or whoever else is asked answers", async () => {
    const place = scratch();
    expect(await check(place)).toContain("approval required");
    expect(await check(place, { otherwise: () => true })).toBe("goes ahead");
    expect(await check(place, { otherwise: () => false })).toContain("the user refused");
  });

  it("nobody answers in time: likewise", async () => {
    const place = scratch();
    somebody(place.machine);
    expect(await check(place, { patience: 50 })).toContain("approval required");
  });

  it("shows what it is about, and takes the answer", async () => {
    const place = scratch();
    somebody(place.machine);
    const checking = check(place);
    const queued = await opened(place.machine);
    expect(queued).toMatchObject({ point: "library", agent: "mine", question: { what: "run weird thing", cwd: place.project } });
    expect(queued.question.proposals).toMatchObject([{ rule: "Bash(weird thing:*)" }]);
    answerQuestion(place.machine, queued.id, YES, "page");
    expect(await checking).toBe("goes ahead");
    expect(logOf(place).at(-1)).toMatchObject({ agent: "user", tool: "assent approvals", answered: "allow (once)", answeredBy: "page" });
  });

  it.each<readonly [what: string, answer: Answer, next: string]>([
    ["no", NO, "asked again"],
    ["for a time", { answer: "allow", scope: "time", minutes: 5 }, "goes ahead"],
    ["for the session", { answer: "allow", scope: "session" }, "goes ahead"],
    ["always", { answer: "allow", scope: "always", rule: "Bash(weird:*)" }, "goes ahead"],
    ["never", { answer: "deny", scope: "always", rule: "Bash(weird:*)" }, "refused"],
  ])("%s", async (_, answer, next) => {
    const place = scratch();
    somebody(place.machine);
    const checking = check(place, { session: "s1" });
    const { id } = await opened(place.machine);
    answerQuestion(place.machine, id, answer, "page");
    expect(await checking).toMatch(answer.answer === "allow" ? /^goes ahead$/ : /the user refused/);
    const guard = openGuard({ cwd: place.project, machine: place.machine });
    const { decision } = guard.decide({ command: "weird thing", session: "s1" });
    expect(decision).toBe(next === "goes ahead" ? "allow" : next === "refused" ? "deny" : "ask");
    const elsewhere = guard.decide({ command: "weird thing", session: "s2" }).decision;
    expect(elsewhere).toBe(answer.answer !== "quit" && answer.scope === "session" ? "ask" : decision);
    expect(policyOf(place).includes("Bash(weird:*)")).toBe("rule" in answer);
    expect(readGrants(place.machine, Date.now()).all).toHaveLength(next === "goes ahead" && !("rule" in answer) ? 1 : 0);
  });
});

describe("the MCP gateway", () => {
  const waits = (there: Connected): ReturnType<typeof call> => call(there, "ask_me", { what: "x" });

  it("a client that cannot ask: the call is held until somebody answers elsewhere", async () => {
    const there = await connect();
    somebody(there.place.machine);
    const calling = waits(there);
    const queued = await opened(there.place.machine);
    expect(queued).toMatchObject({ point: "gateway", agent: "files", question: { what: 'call mcp__files__ask_me with {"what":"x"}' } });
    expect(queued.question.proposals).toMatchObject([{ rule: "mcp__files__ask_me" }]);
    answerQuestion(there.place.machine, queued.id, YES, "page");
    expect(await calling).toMatchObject({ isError: false });
    expect(there.calls()).toEqual(['ask_me {"what":"x"}']);
  });

  it("no, with a word for the model", async () => {
    const there = await connect();
    somebody(there.place.machine);
    const calling = waits(there);
    answerQuestion(there.place.machine, (await opened(there.place.machine)).id, NO, "page");
    expect(await calling).toMatchObject({
      isError: true,
      text: expect.stringContaining("the user refused, and says: not today") as unknown,
    });
    expect(there.calls()).toEqual([]);
  });

  it("a client that asks: whoever is first counts", async () => {
    let answer: (said: { action: "accept"; content: Record<string, boolean> }) => void = () => undefined;
    const there = await connect(async () => await new Promise((resolve) => (answer = resolve)));
    const { machine } = there.place;
    somebody(machine);
    const first = waits(there);
    answerQuestion(machine, (await opened(machine)).id, YES, "page");
    expect(await first).toMatchObject({ isError: false });
    const second = waits(there);
    const { id } = await opened(machine);
    while (there.questions.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    answer({ action: "accept", content: { allow: true } });
    expect(await second).toMatchObject({ isError: false });
    expect(answerQuestion(machine, id, NO, "page")).toMatchObject({ is: "late", end: { is: "answered", by: "host" } });
  });

  it("a call that is cancelled takes its question away", async () => {
    const there = await connect();
    const { machine } = there.place;
    somebody(machine);
    const controller = new AbortController();
    const running = there.client.callTool({ name: "ask_me", arguments: { what: "x" } }, undefined, { signal: controller.signal });
    const { id } = await opened(machine);
    controller.abort();
    await expect(running).rejects.toThrow(/abort/i);
    while (openQuestions(machine).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(answerQuestion(machine, id, YES, "page")).toMatchObject({ is: "late", end: { is: "withdrawn" } });
    expect(there.calls()).toEqual([]);
  });
});
