import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import type { Answer } from "@assent/guard/approve";
import { announceApprover, answerQuestion, openQuestions, type QueuedQuestion } from "@assent/guard/approve/queue";
import {
  type ApprovalStore,
  createGuard,
  type Guard,
  type GuardOptions,
  memoryApprovals,
  type Principal,
  queueApprover,
  type QueueApproverOptions,
} from "@assent/library/sdk";
import { type OnAsk, type OnToolAsk, type OpenedGuard, openGuard } from "@assent/library/sdk/compat";
import { readGrants, type Machine } from "@assent/guard/state";
import { announceTeam, knownRemote, noteAnswer } from "@assent/team/team/remote";
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

/** What people of the team are asked; this test carries it. */
function team(place: Scratch, tool: string): void {
  place.write("~/.agent-permissions.jsonc", JSON.stringify({ team: { answers: [tool] } }));
  const there = announceTeam(place.machine);
  onTestFinished(() => there.close());
}
async function askedOfTeam({ machine }: Scratch): Promise<ReturnType<typeof knownRemote>[number]["asked"]> {
  for (;;) {
    const newest = knownRemote(machine).at(-1);
    if (newest !== undefined) return newest.asked;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const teamSays = (place: Scratch, { id, request }: { id: string; request: string }, answer: "allow" | "deny") =>
  noteAnswer(place.machine, { id, request, answer, by: ["Ada"] }, Date.now());

describe("people of the team, where the policy lets them answer", () => {
  const check = async (place: Scratch, command: string, patience = 60_000): Promise<string> => {
    const onAsk = queueApprover({ machine: place.machine, agent: "mine", patience });
    return await openGuard({ cwd: place.project, machine: place.machine, onAsk })
      .check({ command })
      .then(
        () => "goes ahead",
        (error: unknown) => (error instanceof Error ? error.message : ""),
      );
  };

  it.each<["allow" | "deny", string]>([
    ["allow", "goes ahead"],
    ["deny", "the user refused"],
  ])("the library waits for them: %s", async (word, said) => {
    const place = scratch();
    team(place, "Bash(weird:*)");
    const checking = check(place, "weird thing");
    const question = await askedOfTeam(place);
    expect(question.about).toMatchObject({ point: "library", agent: "mine", what: "run weird thing" });
    expect(teamSays(place, question, word)).toBe("applied");
    expect(await checking).toContain(said);
    expect(logOf(place).at(-1)).toMatchObject({ answeredBy: "team: Ada" });
  });

  it("the library: a late yes lets the very same through, once", async () => {
    const place = scratch();
    team(place, "Bash(weird:*)");
    expect(await check(place, "weird thing", 50)).toContain("approval required");
    expect(teamSays(place, await askedOfTeam(place), "allow")).toBe("applied");
    expect(await check(place, "weird other", 50)).toContain("approval required");
    expect(await check(place, "weird thing", 50)).toBe("goes ahead");
    expect(await check(place, "weird thing", 50)).toContain("approval required");
  });

  it("the library: what the policy does not name stays here", async () => {
    const place = scratch();
    team(place, "Bash(other:*)");
    expect(await check(place, "weird thing", 50)).toContain("approval required");
    expect(knownRemote(place.machine)).toEqual([]);
  });

  it("the gateway holds the call", async () => {
    const there = await connect();
    team(there.place, "mcp__files__ask_me");
    const calling = call(there, "ask_me", { what: "x" });
    const question = await askedOfTeam(there.place);
    expect(question.about).toMatchObject({ point: "gateway", agent: "files", what: 'call mcp__files__ask_me with {"what":"x"}' });
    teamSays(there.place, question, "allow");
    expect(await calling).toMatchObject({ isError: false });
    expect(there.calls()).toEqual(['ask_me {"what":"x"}']);
  });
});

describe("an answer about files of the project", () => {
  it("is kept for that project: the same words elsewhere are another file", async () => {
    const place = scratch();
    somebody(place.machine);
    const other = join(place.home, "other");
    place.write("~/other/.git/HEAD", "");
    const guardAt = (cwd: string): OpenedGuard =>
      openGuard({ cwd, machine: place.machine, audit: false, onAsk: queueApprover({ machine: place.machine }) });
    const call = { operation: "edit", path: "src/b.ts" } as const;
    const checking = guardAt(place.project).check(call);
    const { id, question } = await opened(place.machine);
    expect(question.proposals.map(({ rule }) => rule)).toEqual(["Edit(src/**)"]);
    answerQuestion(place.machine, id, { answer: "allow", scope: "time", minutes: 5 }, "page");
    await checking;
    expect(readGrants(place.machine, Date.now()).all).toMatchObject([{ project: place.project }]);
    expect([place.project, other].map((cwd) => guardAt(cwd).decide(call).decision)).toEqual(["allow", "ask"]);
  });
});

describe("a guard in code", () => {
  const principal: Principal = { user: "ann", tenant: "acme", session: "s1" };
  const guardIn = (place: Scratch, options: QueueApproverOptions = {}, approvals?: ApprovalStore): Guard =>
    createGuard({
      cwd: place.project,
      home: place.home,
      principal,
      onAsk: queueApprover({ machine: place.machine, agent: "mine", ...options }),
      ...(approvals === undefined ? {} : { approvals }),
    });
  const WEIRD = { shell: "weird thing" };

  it("is answered where everybody answers, who read for whom it is", async () => {
    const place = scratch();
    somebody(place.machine);
    const checking = guardIn(place).check(WEIRD, { reason: "the test needs it" });
    const queued = await opened(place.machine);
    expect(queued).toMatchObject({
      point: "library",
      agent: "mine",
      session: "s1",
      question: { what: "run weird thing, for ann, acme", cwd: place.project, proposals: [{ rule: "Bash(weird thing:*)" }] },
    });
    answerQuestion(place.machine, queued.id, YES, "page");
    expect(await checking).toMatchObject({ verdict: "allow", decision: { answer: "allowed" } });
  });

  it.each<readonly [what: string, answer: Answer, same: string, like: string, other: string]>([
    ["once", YES, "ask", "ask", "ask"],
    ["no", NO, "ask", "ask", "ask"],
    ["for a time", { answer: "allow", scope: "time", minutes: 5 }, "allow", "ask", "ask"],
    ["for the session", { answer: "allow", scope: "session" }, "allow", "ask", "ask"],
    ["always", { answer: "allow", scope: "always", rule: "Bash(weird:*)" }, "allow", "allow", "ask"],
    ["never", { answer: "deny", scope: "always", rule: "Bash(weird:*)" }, "ask", "ask", "ask"],
    ["the end", { answer: "quit" }, "ask", "ask", "ask"],
  ])("%s: it is kept by the guard, for its principal, and nothing on the machine", async (_, answer, same, like, other) => {
    const place = scratch();
    somebody(place.machine);
    const guard = guardIn(place);
    const checking = guard.check(WEIRD);
    answerQuestion(place.machine, (await opened(place.machine)).id, answer, "page");
    const outcome = await checking;
    expect(outcome.verdict).toBe(answer.answer === "allow" ? "allow" : "deny");
    if (answer === NO) expect(outcome).toMatchObject({ forModel: expect.stringContaining("not today") as unknown });
    const bob = guard.with({ principal: { user: "bob" } });
    const verdicts = await Promise.all([guard.decide(WEIRD), guard.decide({ shell: "weird other" }), bob.decide(WEIRD)]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([same, like, other]);
    expect([policyOf(place), readGrants(place.machine, Date.now()).all]).toEqual(["", []]);
  });

  it("nobody there: a refusal, whoever else is asked, or the store", async () => {
    const place = scratch();
    expect(await guardIn(place).check(WEIRD)).toMatchObject({
      verdict: "deny",
      forModel: expect.stringContaining("approval required") as unknown,
      decision: { answer: "nobody" },
    });
    const asked: unknown[] = [];
    const otherwise = (question: object): boolean => asked.push(question) > 0;
    expect(await guardIn(place, { otherwise }).check(WEIRD)).toMatchObject({ verdict: "allow" });
    expect(asked).toMatchObject([{ question: expect.stringContaining("weird thing") as unknown }]);
    expect(await guardIn(place, {}, memoryApprovals()).check(WEIRD)).toMatchObject({ verdict: "pending" });
  });

  it("through an adapter, and for several calls together, where one rule is not enough", async () => {
    const place = scratch();
    somebody(place.machine);
    const approve = guardIn(place).aiSdk({ bash: ({ command }: { command: string }) => ({ shell: command }) });
    const approving = approve({ toolCall: { toolName: "bash", toolCallId: "1", input: { command: "weird thing" } } });
    answerQuestion(place.machine, (await opened(place.machine)).id, YES, "page");
    expect(await approving).toBeUndefined();
    const checking = guardIn(place).check([{ shell: "weird thing" }, { shell: "odd thing" }]);
    const { id, question } = await opened(place.machine);
    expect([question.what, question.proposals]).toEqual(["run weird thing; execute odd thing, for ann, acme", []]);
    answerQuestion(place.machine, id, YES, "page");
    expect((await checking).verdict).toBe("allow");
    expect(await guardIn(scratch()).aiSdk()({ toolCall: { toolName: "bash", toolCallId: "1", input: { command: "x" } } })).toMatchObject({
      type: "denied",
      reason: expect.stringContaining("approval required") as unknown,
    });
  });

  it("fits every onAsk there is", () => {
    const ours = queueApprover();
    expectTypeOf(ours).toExtend<NonNullable<GuardOptions["onAsk"]>>();
    expectTypeOf(ours).toExtend<NonNullable<GuardOptions<{ readonly user: string; readonly plan: "free" }>["onAsk"]>>();
    expectTypeOf(ours).toExtend<OnAsk>();
    expectTypeOf(ours).toExtend<OnToolAsk>();
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
