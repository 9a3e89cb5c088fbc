import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Actor, picture, touch, undo, workplace } from "./driver.ts";

/** What a run does in a folder that it made, and with what was there before. Each is a point at which it may be killed. */
const STEPS: readonly ((actor: Actor) => void)[] = [
  (run) => run.mkdir("made"),
  (run) => run.create("made/a", "one"),
  (run) => run.create("made/b"),
  (run) => run.create("made/c"),
  (run) => run.overwrite("made/b", "two"),
  (run) => run.mkdir("made/.git"),
  (run) => run.create("made/.git/HEAD"),
  (run) => run.rename("old/one", "made/one"),
  (run) => run.overwrite("made/one", "changed"),
  (run) => run.link("old/two", "made/two"),
  (run) => run.overwrite("made/two", "changed by another name"),
  (run) => run.rename("made/c", "old/one"),
  (run) => run.unlink("made/b"),
  (run) => run.rename("made", "elsewhere"),
  (run) => run.create("elsewhere/c"),
  (run) => run.create("elsewhere/d"),
  (run) => run.rename("elsewhere", "made"),
  (run) => run.create("made/e"),
  (run) => run.create("made/f"),
  (run) => run.chmod("old/three", 0o600),
  (run) => run.rename("old/three", "made/e"),
  (run) => run.overwrite("made/e", "x"),
  (run) => run.removeTree("made/.git"),
];

function lay(root: string): readonly string[] {
  mkdirSync(`${root}/old`);
  for (const name of ["one", "two", "three"]) writeFileSync(`${root}/old/${name}`, name);
  chmodSync(`${root}/old/three`, 0o644);
  let second = 1_000_000_000;
  for (const name of ["old/one", "old/two", "old/three", "old", ""]) touch(`${root}/${name}`, ++second, 5);
  return picture(root);
}

test.each(STEPS.map((_, at) => at + 1))("a run that is killed after step %i: undo brings back the exact tree", (count) => {
  const { root, runs } = workplace();
  const before = lay(root);
  const run = new Actor(root, runs);
  for (const step of STEPS.slice(0, count)) step(run);
  run.kill();
  // A program writes into what it has made after the last record: hence `force`.
  const done = undo(runs, run.run.id, root, { force: true });
  expect({ refused: done.plan.refused, failed: done.failed }).toEqual({ refused: [], failed: [] });
  expect(done.plan.warnings.join()).not.toContain("could not be read");
  expect(picture(root)).toEqual(before);
});
