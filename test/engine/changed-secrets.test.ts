import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { realWorld } from "@assent/guard/engine";
import { run, scratch } from "../scratch.ts";

/** A repository in which this was done, after `deploy/.env`, `.npmrc` and `a.ts` were committed. */
function changedAfter(...steps: readonly (readonly string[])[]): readonly string[] {
  const place = scratch();
  const git = (...words: readonly string[]): string => run("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], place.project);
  git("init", "-q");
  for (const name of ["deploy/.env", ".npmrc", "a.ts"]) place.write(name, "x\n");
  git("add", "-f", ".");
  git("commit", "-qm", "x");
  for (const [first = "", ...rest] of steps)
    if (first === "write") place.write(rest[0] ?? "", "another text\n");
    else if (first === "remove") rmSync(join(place.project, rest[0] ?? ""));
    else git(first, ...rest);
  const { changedSecrets } = realWorld(place.machine, place.project, undefined);
  return (changedSecrets?.(place.project) ?? []).map((path) => path.slice(place.project.length + 1));
}

test.each([
  { after: "nothing", steps: [], changed: [] },
  {
    after: "staging",
    steps: [
      ["write", "conf/.env"],
      ["add", "-f", "conf/.env"],
    ],
    changed: ["conf/.env"],
  },
  {
    after: "staging at the top",
    steps: [
      ["write", ".env"],
      ["add", "-f", ".env"],
    ],
    changed: [".env"],
  },
  {
    after: "staging, and removing the file",
    steps: [
      ["write", "conf/.env"],
      ["add", "-f", "conf/.env"],
      ["remove", "conf/.env"],
    ],
    changed: ["conf/.env"],
  },
  {
    after: "staging into an index of version 4",
    steps: [
      ["update-index", "--index-version", "4"],
      ["write", "conf/.env"],
      ["add", "-f", "conf/.env"],
    ],
    changed: ["conf/.env"],
  },
  {
    after: "staging into a split index",
    steps: [
      ["update-index", "--split-index"],
      ["write", "conf/.env"],
      ["add", "-f", "conf/.env"],
    ],
    changed: ["conf/.env"],
  },
  { after: "a change of the file", steps: [["write", "deploy/.env"]], changed: ["deploy/.env"] },
  {
    after: "a staged change",
    steps: [
      ["write", "deploy/.env"],
      ["add", "deploy/.env"],
    ],
    changed: ["deploy/.env"],
  },
  {
    after: "a commit of it",
    steps: [
      ["write", "deploy/.env"],
      ["add", "deploy/.env"],
      ["commit", "-qm", "y"],
    ],
    changed: [],
  },
  {
    after: "staging something else",
    steps: [
      ["write", "src/b.ts"],
      ["add", "src/b.ts"],
    ],
    changed: [],
  },
  {
    after: "a checkout",
    steps: [
      ["checkout", "-qb", "b"],
      ["write", "a.ts"],
      ["commit", "-qam", "y"],
      ["checkout", "-q", "-"],
    ],
    changed: [],
  },
  {
    after: "a change of what is often shared",
    steps: [
      ["write", ".npmrc"],
      ["add", ".npmrc"],
    ],
    changed: [],
  },
  { after: "a secret that git does not track", steps: [["write", ".env"]], changed: [] },
  {
    after: "telling git of it beforehand",
    steps: [
      ["write", "conf/.env"],
      ["add", "-fN", "conf/.env"],
    ],
    changed: ["conf/.env"],
  },
])("after $after", ({ steps, changed }) => expect(changedAfter(...steps)).toEqual(changed));
