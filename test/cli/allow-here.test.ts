import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Answer, Question } from "@assent/guard/approve";
import { announceApprover, answerQuestion, openQuestions } from "@assent/guard/approve/queue";
import { AGENTS } from "@assent/hosts/agents";
import { askQueue } from "@assent/library/sdk/queue";
import { announceTeam, knownRemote, noteAnswer } from "@assent/team/team/remote";
import { testRepository, type TestRepository } from "../engine/consents/repository.ts";
import { assent } from "../scratch.ts";
import { inTerminal } from "./run-place.ts";

const PUSH = "git push origin topic";
const SENTENCE = "push branches of acme/shop to github.com? Never main, never by force, never deleting. A push can start CI there.";
const GIVEN = /"consent": ?"push-branches"/;
const policyOf = ({ home }: TestRepository): string => readFileSync(join(home, ".agent-permissions.jsonc"), "utf8");

function askAbout(place: TestRepository, command = PUSH): Promise<Answer> {
  const outcome = place.judge(command);
  const { verdict } = outcome;
  const about = { machine: place.machine, who: "claude", session: undefined, cwd: place.project, what: `run ${command}` };
  return askQueue({ ...about, point: "gateway", verdict, outcome, patience: 60_000 }, new AbortController().signal);
}

/** People of the team answer what begins so, once it is asked. */
async function teamSays(place: TestRepository, begins: string, answer: "allow" | "deny"): Promise<void> {
  for (;;) {
    const found = knownRemote(place.machine).find(
      (one) => !one.isOver && one.answer === undefined && one.asked.about.what.startsWith(begins),
    );
    if (found !== undefined) {
      const { id, request } = found.asked;
      expect(noteAnswer(place.machine, { id, request, answer, by: ["Ada"] }, Date.now())).toBe("applied");
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A repository whose machine has a team that may answer. */
function inTeam(): TestRepository {
  const place = testRepository();
  place.say([], { team: { answers: ["Bash(git push:*)"] } });
  const there = announceTeam(place.machine);
  onTestFinished(() => there.close());
  return place;
}

/** A question that waits for whoever is there, as the gateway and the library ask it; how it was answered. */
async function askedPush(place: TestRepository, answer: (id: string, question: Question) => unknown): Promise<string> {
  const ended = askAbout(place);
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
  expect(assent(place, ["status"]).stdout).toContain("1 answer given in advance");
  expect(assent(place, ["completions", "grant"]).stdout).toContain(id);
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

it("a yes of the team to the sentence is kept on the machine that asked, names who gave it, and the next push goes ahead", async () => {
  const place = inTeam();
  const ended = askAbout(place);
  await teamSays(place, `go on from now on, without asking: ${SENTENCE}`, "allow");
  expect(await ended).toMatchObject({ answer: "allow", scope: "always", by: "team", person: "Ada" });
  expect(policyOf(place)).toMatch(GIVEN);
  expect(place.judge("git push -u origin topic").verdict).toMatchObject({ decision: "allow", basis: "grant" });
  expect(assent(place, ["grants"]).stdout).toMatch(/by Ada on /);
  // Nobody need answer the one that asked any more.
  expect(knownRemote(place.machine).every(({ isOver }) => isOver)).toBe(true);
});

it("a yes of the team to the one push keeps nothing, and a no to the sentence is none to the push", async () => {
  const place = inTeam();
  const ended = askAbout(place);
  await teamSays(place, "go on from now on", "deny");
  await teamSays(place, `run ${PUSH}`, "allow");
  expect(await ended).toMatchObject({ answer: "allow", scope: "once", person: "Ada" });
  expect(policyOf(place)).toContain('"consents":[]');
});

it("a late yes of the team is for what is offered then: a push that has come to go elsewhere is refused, and nothing is kept", async () => {
  const place = inTeam();
  const ended = askAbout(place);
  while (knownRemote(place.machine).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  place.git("remote", "set-url", "origin", "git@github.com:evil/shop.git");
  await teamSays(place, "go on from now on", "allow");
  expect(await ended).toMatchObject({ answer: "deny" });
  expect(policyOf(place)).toContain('"consents":[]');
});

it("no other machine, repository or sentence has what the team said yes to", async () => {
  const [place, other] = [inTeam(), inTeam()];
  const ended = [askAbout(place), askAbout(other)];
  await teamSays(place, "go on from now on", "allow");
  const said = knownRemote(place.machine).find(({ answer }) => answer !== undefined);
  const copied = said?.answer === undefined ? undefined : noteAnswer(other.machine, said.answer, Date.now());
  expect(copied).toBe("refused");
  await teamSays(other, `run ${PUSH}`, "deny");
  expect((await Promise.all(ended)).map(({ answer }) => answer)).toEqual(["allow", "deny"]);
  expect([policyOf(place), policyOf(other)]).toEqual([expect.stringMatching(GIVEN), expect.not.stringMatching(GIVEN)]);
});

it("no agent's own dialog offers it, or is given more to keep than its answer: nobody could tell a person's yes there from an agent's", () => {
  const place = testRepository();
  place.say([]);
  const agents = AGENTS.flatMap(({ id, setup }) => (setup === undefined ? [] : [{ id, setup }]));
  expect(agents.length).toBeGreaterThan(10);
  for (const { id, setup } of agents) {
    const { payload, env } = setup.sample(PUSH, place.project);
    const { stdout } = assent(place, ["check", "--agent", id], JSON.stringify(payload), env);
    expect([id, stdout]).toEqual([id, expect.not.stringMatching(/push branches|for this repository|updatedPermissions|"consent"/)]);
  }
  const dialog = { hook_event_name: "PermissionRequest", session_id: "s", cwd: place.project, permission_mode: "default" };
  const call = { tool_name: "Bash", tool_input: { command: PUSH }, permission_suggestions: [] };
  expect(assent(place, ["check", "--agent", "claude"], JSON.stringify({ ...dialog, ...call })).stdout).not.toMatch(/push branches|updated/);
});
