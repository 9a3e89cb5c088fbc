import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import type { Answer } from "@assent/guard/approve";
import { announceApprover, answerQuestion, isSomebodyThere, openQuestions, questionsFolder } from "@assent/guard/approve/queue";
import { DIST, scratch, type Scratch } from "../scratch.ts";

/** Hooks of hosts that cannot ask: what is only refused for that waits for whoever is there. */

const POLICY = '{ "permissions": { "ask": ["Bash(weird:*)"], "deny": ["Bash(never:*)"] } }';

interface Hooked {
  readonly stdout: string;
  readonly milliseconds: number;
}

async function hook(place: Scratch, agent: string, command: string): Promise<Hooked> {
  const sample = agentNamed(agent)?.setup?.sample(command, place.project);
  const begun = performance.now();
  const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "check", "--agent", agent], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...sample?.env },
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stdin.end(JSON.stringify(sample?.payload));
  await once(child, "close");
  return { stdout, milliseconds: performance.now() - begun };
}

function world(): Scratch {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", POLICY);
  return place;
}

function somebody(place: Scratch): void {
  const there = announceApprover(place.machine, "page");
  onTestFinished(() => there.close());
}

async function waiting(place: Scratch): Promise<void> {
  for (const last = performance.now() + 20_000; openQuestions(place.machine).length === 0;) {
    if (performance.now() > last) throw new Error("nothing is asked");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function answered(place: Scratch, answer: Answer): Promise<void> {
  await waiting(place);
  const [{ id, point, question } = { id: "", point: "", question: undefined }] = openQuestions(place.machine);
  expect([point, question?.what]).toEqual(["hook", "run weird thing"]);
  expect(answerQuestion(place.machine, id, answer, "page")).toEqual({ is: "taken" });
}

const WAITING = ["gemini", "qwen", "droid"] as const;

describe.each(WAITING)("%s", (agent) => {
  it("nobody is there: refused as ever, and nothing is written", async () => {
    const place = world();
    expect((await hook(place, agent, "weird thing")).stdout).toContain("approval required");
    expect(existsSync(questionsFolder(place.machine))).toBe(false);
  });

  it("yes: it goes ahead; no, with a word: the model reads it", async () => {
    const place = world();
    somebody(place);
    const first = hook(place, agent, "weird thing");
    await answered(place, { answer: "allow", scope: "once" });
    const { stdout } = await first;
    expect(stdout.trim()).toMatch(/"(?:decision|permissionDecision|behavior)":"(?:allow|approve)"|^\{\}$/);
    const second = hook(place, agent, "weird thing");
    await answered(place, { answer: "deny", scope: "once", note: "use the other" });
    expect((await second).stdout).toContain("the user refused, and says: use the other");
    // How to lift it is nothing for the model.
    expect((await second).stdout).not.toContain("assent allow");
  });
});

it("what is denied is not asked about", async () => {
  const place = world();
  somebody(place);
  expect((await hook(place, "gemini", "never mind")).stdout).toContain("deny");
  expect(openQuestions(place.machine)).toEqual([]);
});

it("a hook that is killed takes its question away", async () => {
  const place = world();
  somebody(place);
  const sample = agentNamed("gemini")?.setup?.sample("weird thing", place.project);
  const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "check", "--agent", "gemini"], {
    cwd: place.project,
    env: { PATH: "/usr/bin:/bin", HOME: place.home },
  });
  child.stdin.end(JSON.stringify(sample?.payload));
  await waiting(place);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(openQuestions(place.machine)).toEqual([]);
});

it("a host of which nobody knows how long it waits is refused at once", async () => {
  const place = world();
  somebody(place);
  const { stdout } = await hook(place, "windsurf", "weird thing");
  expect(stdout).not.toContain("allow");
  expect(openQuestions(place.machine)).toEqual([]);
  expect(isSomebodyThere(place.machine)).toBe(true);
});
