import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Answer, Question } from "@assent/guard/approve";
import { announceApprover, answerQuestion, openQuestions } from "@assent/guard/approve/queue";
import { askQueue } from "@assent/library/sdk/queue";
import { testRepository, type TestRepository } from "../engine/consents/repository.ts";
import { assent } from "../scratch.ts";
import { inTerminal } from "./run-place.ts";

const PUSH = "git push origin topic";
const SENTENCE = "push branches of acme/shop to github.com? Never main, never by force, never deleting. A push can start CI there.";
const GIVEN = /"consent": ?"push-branches"/;
const policyOf = ({ home }: TestRepository): string => readFileSync(join(home, ".agent-permissions.jsonc"), "utf8");

/** A question that waits for whoever is there, as the gateway and the library ask it; how it was answered. */
async function askedPush(place: TestRepository, answer: (id: string, question: Question) => unknown): Promise<string> {
  const outcome = place.judge(PUSH);
  const { verdict } = outcome;
  const about = { machine: place.machine, who: "claude", session: undefined, cwd: place.project, what: `run ${PUSH}` };
  const ended = askQueue({ ...about, point: "gateway", verdict, outcome, patience: 60_000 }, new AbortController().signal);
  while (openQuestions(place.machine).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [queued] = openQuestions(place.machine);
  if (queued !== undefined) answer(queued.id, queued.question);
  return (await ended).answer;
}

function somebody(place: TestRepository): void {
  const there = announceApprover(place.machine, "page");
  onTestFinished(() => there.close());
}

const page =
  (place: TestRepository, given: Answer) =>
  (id: string): void =>
    expect(answerQuestion(place.machine, id, given, "page")).toEqual({ is: "taken" });

it("a yes at the terminal is kept, listed and ended", async () => {
  const place = testRepository();
  place.say([]);
  const at = { ...place, outside: place.root, run: () => assent(place, []), script: () => "" };
  const no = await inTerminal(at, ["allow", "--here", PUSH], [["Yes, for this repository?", "n\n"]]);
  expect([no.status, policyOf(place)]).toEqual([1, expect.not.stringContaining("push-branches") as unknown]);
  const yes = await inTerminal(at, ["allow", "--here", PUSH], [["Yes, for this repository?", "y\n"]]);
  expect(yes).toMatchObject({ status: 0, screen: expect.stringContaining(SENTENCE) as unknown });
  expect(policyOf(place)).toMatch(GIVEN);
  expect(assent(place, ["explain", PUSH]).stdout).toContain("you said yes once: push branches of acme/shop to github.com");
  const [, id = ""] = /^(c[0-9a-f]{7}) /m.exec(assent(place, ["grants"]).stdout) ?? [];
  expect(assent(place, ["grants", "revoke", id]).status).toBe(0);
  expect(assent(place, ["explain", "--json", PUSH]).stdout).toContain('"verdict":"ask"');
});

it("a yes by assent approvals is the sentence, and the next push goes ahead", async () => {
  const place = testRepository();
  place.say([]);
  somebody(place);
  const told = await askedPush(place, (id, { proposals }) => {
    expect(proposals[0]?.covers).toBe(`yes, for this repository: ${SENTENCE}`);
    expect(assent(place, ["approvals", "answer", id, "yes", "--always"])).toMatchObject({ status: 0 });
  });
  expect([told, policyOf(place)]).toEqual(["allow", expect.stringMatching(GIVEN) as unknown]);
  expect(place.judge(PUSH).verdict).toMatchObject({ decision: "allow", basis: "grant" });
});

it("a yes on the page is the sentence that was offered, and no other", async () => {
  const place = testRepository();
  place.say([]);
  somebody(place);
  const other = JSON.stringify({ consent: "fetch", root: place.project, origin: "https://evil.example" });
  await askedPush(place, page(place, { answer: "allow", scope: "always", rule: other }));
  expect(policyOf(place)).not.toContain("evil.example");
  await askedPush(place, (id, { proposals: [first] }) => page(place, { answer: "allow", scope: "always", rule: first?.rule ?? "" })(id));
  expect(policyOf(place)).toMatch(GIVEN);
});

it("after a no it is not offered again here; only once keeps nothing, and the terminal still asks", async () => {
  const place = testRepository();
  place.say([]);
  somebody(place);
  const offered: (readonly string[])[] = [];
  const note = ({ proposals }: Question): unknown => offered.push(proposals.map(({ rule }) => rule.slice(0, 12)));
  const answers: readonly Answer[] = [
    { answer: "allow", scope: "once" },
    { answer: "deny", scope: "once" },
    { answer: "deny", scope: "once" },
  ];
  for (const answer of answers) await askedPush(place, (id, question) => (note(question), page(place, answer)(id)));
  expect(offered).toEqual([['{"consent":"', "Bash(git pus"], ['{"consent":"', "Bash(git pus"], ["Bash(git pus"]]);
  expect(policyOf(place)).toContain('"consents":[]');
  const at = { ...place, outside: place.root, run: () => assent(place, []), script: () => "" };
  expect(await inTerminal(at, ["allow", "--here", PUSH], [["Yes, for this repository?", "y\n"]])).toMatchObject({ status: 0 });
});
