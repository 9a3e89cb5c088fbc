import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { keepEdit } from "@assent/supervisor/supervise/edits";
import { findSpan, listRuns, prepareUndo, runsFolder, sealEdits, undoRun } from "@assent/supervisor/supervise/undo";
import type { Machine } from "@assent/guard/state";
import { picture, touch, workplace } from "./driver.ts";

/** What a tool of an agent's host is about to change is kept before it is told that it may. */

interface Place {
  readonly root: string;
  readonly machine: Machine;
  readonly runs: string;
}

function place(): Place {
  const { root, top } = workplace();
  const machine: Machine = { home: `${top}/home`, env: {}, platform: "linux", uid: process.getuid?.(), temp: [], managedPolicy: "" };
  mkdirSync(`${root}/d`);
  for (const name of ["f", "g", "d/x"]) writeFileSync(`${root}/${name}`, `${name}\n`);
  chmodSync(`${root}/f`, 0o640);
  symlinkSync("f", `${root}/link`);
  for (const name of ["f", "g", "d/x", "d", "link", ""]) touch(`${root}/${name}`, 1_000_000_000, 123_456_789);
  return { root, machine, runs: runsFolder(machine) };
}

const BY = { agent: "claude", session: "s-1", tool: "Edit" };

function edit(
  { root, machine }: Place,
  names: readonly string[],
  does: () => void,
  at = Date.now(),
  deleted: readonly string[] = [],
): void {
  const full = (name: string): string => `${root}/${name}`;
  expect(keepEdit(machine, { ...BY, cwd: root }, names.map(full), new Set(deleted.map(full)), at)).toBeUndefined();
  does();
}

function undoSession({ root, runs }: Place, paths: readonly string[] = []): { refused: readonly string[]; failed: unknown } {
  sealEdits(runs);
  const span = findSpan(runs, { session: "", cwd: root });
  if ("problem" in span) throw new Error(span.problem);
  const options = { paths, force: false, now: Date.now() };
  const plan = prepareUndo(span.runs, options);
  const { failed } = undoRun(runs, plan, options);
  return { refused: plan.refused.map(({ path, why }) => `${path.slice(root.length + 1)} ${why}`), failed };
}

describe("what a tool changed goes back", () => {
  const at = (root: string, name: string): string => `${root}/${name}`;
  const table: readonly {
    readonly name: string;
    readonly paths: readonly string[];
    readonly deleted?: readonly string[];
    readonly does: (root: string) => void;
  }[] = [
    { name: "written in place", paths: ["f"], does: (r) => writeFileSync(at(r, "f"), "new") },
    { name: "replaced by a new file", paths: ["f"], does: (r) => (writeFileSync(at(r, "t"), "new"), renameSync(at(r, "t"), at(r, "f"))) },
    { name: "made", paths: ["n"], does: (r) => writeFileSync(at(r, "n"), "new") },
    {
      name: "made in folders that were not there",
      paths: ["a/b/n"],
      does: (r) => (mkdirSync(at(r, "a/b"), { recursive: true }), writeFileSync(at(r, "a/b/n"), "new")),
    },
    { name: "through a link", paths: ["link"], does: (r) => writeFileSync(at(r, "link"), "new") },
    {
      name: "a link replaced by a file",
      paths: ["link"],
      does: (r) => (writeFileSync(at(r, "t"), "new"), renameSync(at(r, "t"), at(r, "link"))),
    },
    {
      name: "deleted by a patch",
      paths: ["f", "d/x"],
      deleted: ["d/x"],
      does: (r) => (writeFileSync(at(r, "f"), "new"), unlinkSync(at(r, "d/x"))),
    },
    {
      name: "renamed by a patch",
      paths: ["f", "d/f"],
      deleted: ["f"],
      does: (r) => (writeFileSync(at(r, "d/f"), "new"), unlinkSync(at(r, "f"))),
    },
    { name: "not done at all", paths: ["f", "a/n"], does: () => undefined },
  ];
  test.each(table)("$name", ({ paths, deleted, does }) => {
    const here = place();
    const before = picture(here.root);
    edit(here, paths, () => does(here.root), Date.now(), deleted);
    const after = picture(here.root);
    sealEdits(here.runs);
    if (JSON.stringify(after) === JSON.stringify(before)) {
      expect(listRuns(here.runs)).toEqual([]);
      return;
    }
    expect(listRuns(here.runs)).toMatchObject([{ edit: BY, argv: ["Edit", ...paths.map((path) => `${here.root}/${path}`)] }]);
    expect(undoSession(here)).toEqual({ refused: [], failed: [] });
    expect(picture(here.root)).toEqual(before);
  });
});

test("edits of one file within one millisecond are taken back in their order", () => {
  const here = place();
  const before = picture(here.root);
  const now = Date.now();
  for (let text = "1"; text.length < 9; text += "1") edit(here, ["f"], () => writeFileSync(`${here.root}/f`, text), now);
  expect(undoSession(here)).toEqual({ refused: [], failed: [] });
  expect(picture(here.root)).toEqual(before);
});

test("several edits of one file, none looked at in between, and what a person wrote at last stays", () => {
  const here = place();
  const before = picture(here.root);
  for (const text of ["1", "22", "333"]) edit(here, ["f"], () => writeFileSync(`${here.root}/f`, text));
  sealEdits(here.runs);
  expect(listRuns(here.runs)).toHaveLength(3);
  expect(undoSession(here)).toEqual({ refused: [], failed: [] });
  expect(picture(here.root)).toEqual(before);
  edit(here, ["g"], () => writeFileSync(`${here.root}/g`, "tool"));
  sealEdits(here.runs);
  writeFileSync(`${here.root}/g`, "mine");
  expect(undoSession(here).refused).toEqual([expect.stringMatching(/^g was changed since/)]);
  expect(readFileSync(`${here.root}/g`, "utf8")).toBe("mine");
});

test("what was written long after the tool had its answer may be a person's: it stays", () => {
  const here = place();
  edit(here, ["f"], () => writeFileSync(`${here.root}/f`, "whose?"), Date.now() - 60_000);
  expect(undoSession(here).refused).toEqual([expect.stringMatching(/^f may have been changed by somebody else since/)]);
  expect(readFileSync(`${here.root}/f`, "utf8")).toBe("whose?");
});

test("what cannot be kept is said, and nothing is left of the try", () => {
  const here = place();
  const keep = (...names: string[]): string | undefined =>
    keepEdit(
      here.machine,
      { ...BY, cwd: here.root },
      names.map((name) => `${here.root}/${name}`),
      new Set(),
    );
  writeFileSync(`${here.root}/large`, Buffer.alloc((64 << 20) + 1));
  expect(keep("large")).toMatch(/more than undo copies of one file \(64 MB\)/);
  expect(keep("f/below")).toMatch(/ENOTDIR/);
  expect(keepEdit({ ...here.machine, platform: "darwin" }, { ...BY, cwd: here.root }, [`${here.root}/f`], new Set())).toMatch(/only Linux/);
  expect(listRuns(here.runs)).toEqual([]);
  expect(existsSync(here.runs) ? readdirSync(here.runs) : []).toEqual([]);
  writeFileSync(`${here.runs}/full`, "");
  expect(keep("f")).toMatch(/at its limit: `assent runs clean` makes room/);
});

test("a secret's copy is readable by its owner alone, whatever its mode, and a megabyte takes a moment", () => {
  const here = place();
  writeFileSync(`${here.root}/.env`, Buffer.alloc(1 << 20, 120), { mode: 0o644 });
  linkSync(`${here.root}/.env`, `${here.root}/other`);
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    edit(here, [".env"], () => undefined);
    return performance.now() - start;
  }).sort((a, b) => a - b);
  for (const id of readdirSync(here.runs)) {
    expect(statSync(`${here.runs}/${id}`).mode & 0o777).toBe(0o700);
    expect(statSync(`${here.runs}/${id}/kept/1`).mode & 0o777).toBe(0o600);
  }
  // A fresh hook has 2 ms for it; this machine may be busy with other tests.
  expect(times[0]).toBeLessThan(10);
});
