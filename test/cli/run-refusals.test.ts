import { expect, it } from "vitest";
import type { FileAction } from "@assent/core/action";
import { forModels, forPeople } from "../../packages/assent/src/cli/run-refusals.ts";

it.each([
  ["/home/you/project", /outside the working folder.*Way out: write below "\/home\/you\/project" or a temporary folder/],
  // Home is nobody's project: writing below it is what was refused.
  ["/home/you", /the home folder itself is not a project.*Way out: work in a folder of its own below it/],
  ["/home", /the home folder itself is not a project/],
])("what is refused outside, for a command in %s", (cwd, expected) => {
  const action: FileAction = {
    kind: "file",
    operation: "write",
    target: { kind: "path", path: "/home/you/made.txt" },
    origin: { by: "tool" },
  };
  const verdict = { decision: "ask", basis: "default", builtin: "run.outside", reason: "outside" } as const;
  const process = { pid: 1, name: "sh" };
  expect(forModels(cwd, "/home/you").line({ action, verdict, process } as Parameters<ReturnType<typeof forModels>["line"]>[0])).toMatch(
    expected,
  );
});

const ACTION: FileAction = { kind: "file", operation: "write", target: { kind: "path", path: "/srv/out" }, origin: { by: "tool" } };
const VERDICT = { decision: "ask", basis: "default", builtin: "run.outside", reason: "outside" } as const;

it.each([
  ["by nobody: why", {}, /^write \/srv\/out: outside/],
  ["by a person without a word: nothing more", { answer: "deny (once)" }, undefined],
  [
    "with a word: the agent that started the run reads it",
    { answer: "deny (once)", note: "use the copy" },
    "the user was asked and said no, and says: use the copy",
  ],
  [
    "with a word of the team's",
    { answer: "deny (once)", answeredPerson: "Ada", note: "not today" },
    '"Ada" of the team was asked and said no, and says: not today',
  ],
  [
    "a word with control characters",
    { answer: "deny (once)", note: "a\nrefused: b\u001b[2J" },
    "the user was asked and said no, and says: a\\nrefused: b\\u{1b}[2J",
  ],
])("what a run says of a call that was refused %s", (_, more, expected) => {
  const event = { action: ACTION, verdict: VERDICT, process: { pid: 1, name: "sh" }, ...more };
  const line = forPeople(false).line(event as Parameters<ReturnType<typeof forPeople>["line"]>[0]);
  if (expected instanceof RegExp) expect(line).toMatch(expected);
  else expect(line).toBe(expected === undefined ? undefined : `write /srv/out: ${expected}`);
});
