import fc from "fast-check";
import { mkdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { Actor, picture, touch, undo, workplace } from "./driver.ts";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";

/** Few names, so that they meet. */
const name = fc.constantFrom("a", "b", "d", "d/a", "d/b", "d/e", "d/e/f", "g", "g/h", "link", "deep", "deep/x", "deep/x/y", "deep/x/y/z");
const text = fc.constantFrom("", "one\n", "two\nthree\n", "x".repeat(5000));
const operation = fc.oneof(
  fc.tuple(fc.constant("create" as const), name, text),
  fc.tuple(fc.constant("mkdir" as const), name),
  fc.tuple(fc.constant("symlink" as const), name, name),
  fc.tuple(fc.constant("overwrite" as const), name, text),
  fc.tuple(fc.constant("truncate" as const), name, fc.nat(20)),
  fc.tuple(fc.constant("unlink" as const), name),
  fc.tuple(fc.constant("rmdir" as const), name),
  fc.tuple(fc.constant("removeTree" as const), name),
  fc.tuple(fc.constant("rename" as const), name, name),
  fc.tuple(fc.constant("rename" as const), name, name),
  fc.tuple(fc.constant("exchange" as const), name, name),
  fc.tuple(fc.constant("link" as const), name, name),
  fc.tuple(fc.constant("chmod" as const), name, fc.constantFrom(0o700, 0o755, 0o751)),
  fc.tuple(fc.constant("utimes" as const), name, fc.nat(1_000_000), fc.nat(999_999_999)),
  fc.tuple(fc.constant("setxattr" as const), name, fc.constantFrom("user.a", "user.b"), fc.constantFrom("1", "2")),
);

function lay(root: string): void {
  for (const folder of ["d", "d/e", "g", "deep", "deep/x", "deep/x/y"]) mkdirSync(`${root}/${folder}`);
  writeFileSync(`${root}/a`, "the first\nfile\n");
  writeFileSync(`${root}/d/a`, "another\n");
  writeFileSync(`${root}/d/e/f`, "y".repeat(9000));
  writeFileSync(`${root}/deep/x/y/z`, "");
  symlinkSync("d/a", `${root}/link`);
  chmodSync(`${root}/d/a`, 0o640);
  let second = 1_000_000_000;
  for (const path of ["a", "d/a", "d/e/f", "deep/x/y/z", "link", "d/e", "d", "g", "deep/x/y", "deep/x", "deep", ""])
    touch(`${root}/${path}`, ++second, 123_456_789);
}

/** What the call needs is not there: it fails as it would for a program. */
function attempt(actor: Actor, [what, ...args]: readonly [string, ...unknown[]]): void {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of `operation` are methods of Actor
    (actor as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[what]?.(...args);
  } catch {
    // ENOENT, ENOTDIR, ELOOP
  }
}

test.each(["same file system", "another"])("after any run, undo gives the tree as it was, and undo of that the other (%s)", (where) => {
  // Names of one file that the run did not touch are known to a link only, and there are none across file systems.
  const links = where !== "another";
  const runsAt = where === "another" ? workplace("/dev/shm").runs : undefined;
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 14 }), (operations) => {
      const place = workplace();
      lay(place.root);
      const before = picture(place.root);
      const actor = new Actor(place.root, runsAt ?? place.runs);
      for (const one of operations) if (links || one[0] !== "link") attempt(actor, one);
      const { id } = actor.run;
      const runs = runsAt ?? place.runs;
      actor.end();
      const after = picture(place.root);
      const first = undo(runs, id, place.root);
      expect({ refused: first.plan.refused, failed: first.failed, notes: first.notes }).toEqual({ refused: [], failed: [], notes: [] });
      expect(picture(place.root)).toEqual(before);
      // Once more: nothing is left to do, or is left alone where names of one file went round in a ring.
      undo(runs, id, place.root);
      expect(picture(place.root)).toEqual(before);
      if (first.id !== undefined) {
        const again = undo(runs, first.id, place.root);
        expect({ refused: again.plan.refused, failed: again.failed }).toEqual({ refused: [], failed: [] });
        expect(picture(place.root)).toEqual(after);
      }
      rmSync(place.top, { recursive: true, force: true });
    }),
    { numRuns: Number(process.env["UNDO_RUNS"] ?? 100) },
  );
});
