import { expect, it } from "vitest";
import type { FileAction } from "../../src/action/index.ts";
import { forModels } from "../../src/cli/run-refusals.ts";

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
