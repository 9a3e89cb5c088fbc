import fc from "fast-check";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { findSpan, prepareUndo, undoRun, type Undone, type UndoPlan } from "@assent/supervisor/supervise/undo";
import { Actor, picture, touch, undo, workplace } from "./driver.ts";

/** What one session of an agent did is looked at, and taken back, as one. */

const name = fc.constantFrom("a", "b", "d", "d/a", "d/b", "d/e", "d/e/f", "g", "g/h", "link");
const text = fc.constantFrom("", "one\n", "two\nthree\n", "x".repeat(5000));
const change = fc.oneof(
  fc.tuple(fc.constant("create" as const), name, text),
  fc.tuple(fc.constant("mkdir" as const), name),
  fc.tuple(fc.constant("symlink" as const), name, name),
  fc.tuple(fc.constant("overwrite" as const), name, text),
  fc.tuple(fc.constant("unlink" as const), name),
  fc.tuple(fc.constant("removeTree" as const), name),
  fc.tuple(fc.constant("rename" as const), name, name),
  fc.tuple(fc.constant("exchange" as const), name, name),
  fc.tuple(fc.constant("link" as const), name, name),
  fc.tuple(fc.constant("chmod" as const), name, fc.constantFrom(0o700, 0o755, 0o751)),
  fc.tuple(fc.constant("utimes" as const), name, fc.nat(1_000_000), fc.nat(999_999_999)),
  fc.tuple(fc.constant("setxattr" as const), name, fc.constantFrom("user.a", "user.b"), fc.constantFrom("1", "2")),
);
type Change = readonly [string, ...unknown[]];
const run = fc.record({ does: fc.constant("run" as const), changes: fc.array(change, { minLength: 1, maxLength: 5 }) });
/** The run so many before this is taken back, all of it or what lies at a name. */
const back = fc.record({ does: fc.constant("undo" as const), which: fc.nat(3), at: fc.option(name, { nil: undefined, freq: 3 }) });
const sequence = fc.array(fc.oneof({ arbitrary: run, weight: 4 }, { arbitrary: back, weight: 1 }), { minLength: 2, maxLength: 7 });

function lay(root: string): void {
  for (const folder of ["d", "d/e", "g"]) mkdirSync(`${root}/${folder}`);
  writeFileSync(`${root}/a`, "the first\nfile\n");
  writeFileSync(`${root}/d/a`, "another\n");
  writeFileSync(`${root}/d/e/f`, "y".repeat(9000));
  symlinkSync("d/a", `${root}/link`);
  chmodSync(`${root}/d/a`, 0o640);
  let second = 1_000_000_000;
  for (const path of ["a", "d/a", "d/e/f", "link", "d/e", "d", "g", ""]) touch(`${root}/${path}`, ++second, 123_456_789);
}

/** What the call needs is not there: it fails as it would for a program. */
function attempt(actor: Actor, [what, ...args]: Change): void {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of `change` are methods of Actor
    (actor as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[what]?.(...args);
  } catch {
    // ENOENT, ENOTDIR, ELOOP
  }
}

interface Workplace {
  readonly root: string;
  readonly runs: string;
}

const CONFINED = { agent: "claude", session: "s-1", command: "make" };

function confined(place: Workplace, changes: readonly Change[] = [], meta = {}): Actor {
  const actor = new Actor(place.root, place.runs, undefined, { confined: CONFINED, ...meta });
  for (const one of changes) attempt(actor, one);
  return actor;
}

function undoSession({ root, runs }: Workplace, paths: readonly string[] = [], force = false): Undone & { plan: UndoPlan } {
  const span = findSpan(runs, { session: "", cwd: root });
  if ("problem" in span) throw new Error(span.problem);
  const options = { paths, force, now: Date.now() };
  const plan = prepareUndo(span.runs, options);
  return { ...undoRun(runs, plan, options), plan };
}

const NOTHING_LEFT = { refused: [], failed: [], notes: [] };
const rest = ({ plan, failed, notes }: ReturnType<typeof undoSession>) => ({ refused: plan.refused, failed, notes });

test("after any sequence of runs and undos of them, undoing the session gives the tree as it was", () => {
  fc.assert(
    fc.property(sequence, (steps) => {
      const place = workplace();
      lay(place.root);
      const before = picture(place.root);
      const ids: string[] = [];
      for (const step of steps) {
        if (step.does === "run") {
          const actor = confined(place, step.changes);
          ids.push(actor.run.id);
          actor.end();
          continue;
        }
        const id = ids.at(-1 - step.which);
        if (id !== undefined) undo(place.runs, id, place.root, step.at === undefined ? {} : { paths: [`${place.root}/${step.at}`] });
      }
      if (ids.length === 0) return;
      const after = picture(place.root);
      const done = undoSession(place);
      expect(rest(done)).toEqual(NOTHING_LEFT);
      expect(picture(place.root)).toEqual(before);
      if (done.id !== undefined) {
        expect(undo(place.runs, done.id, place.root).plan.refused).toEqual([]);
        expect(picture(place.root)).toEqual(after);
        expect(rest(undoSession(place))).toEqual(NOTHING_LEFT);
        expect(picture(place.root)).toEqual(before);
      }
      rmSync(place.root, { recursive: true, force: true });
    }),
    { numRuns: Number(process.env["UNDO_RUNS"] ?? 60) },
  );
});

describe("what a person did between the runs of a session, or after them, stays, and is named", () => {
  interface Between {
    readonly name: string;
    readonly before?: (at: string) => void;
    /** Runs of the session, and what the person does after each. */
    readonly steps: readonly (readonly [run: (actor: Actor) => void, person?: (at: string) => void])[];
    readonly refused: readonly (readonly [string, RegExp])[];
    readonly then: Readonly<Record<string, string | undefined>>;
  }
  const write = (path: string, content: string) => (at: string) => writeFileSync(`${at}/${path}`, content);
  const table: readonly Between[] = [
    {
      name: "nothing",
      steps: [[(a) => a.overwrite("f", "1")], [(a) => a.overwrite("f", "2")], [(a) => a.unlink("f")]],
      refused: [],
      then: { f: "f" },
    },
    {
      name: "another file",
      steps: [
        [(a) => a.overwrite("f", "1"), write("g", "mine")],
        [(a) => a.unlink("f"), write("h", "mine, too")],
      ],
      refused: [],
      then: { f: "f", g: "mine", h: "mine, too" },
    },
    {
      name: "bytes of a file that a later run changed again",
      steps: [[(a) => a.overwrite("f", "1"), write("f", "mine")], [(a) => a.overwrite("f", "2")]],
      refused: [["f", /changed by somebody else between/]],
      then: { f: "mine" },
    },
    {
      name: "bytes of a file that a later run deleted",
      steps: [[(a) => a.overwrite("f", "1"), write("f", "mine")], [(a) => a.unlink("f")]],
      refused: [["f", /changed by somebody else between/]],
      then: { f: "mine" },
    },
    {
      name: "bytes of a file that the session had made, and changed again",
      steps: [[(a) => a.create("n", "1"), write("n", "mine")], [(a) => a.overwrite("n", "2")]],
      refused: [["n", /changed by somebody else between/]],
      then: { n: "mine" },
    },
    {
      name: "a file that the session had made replaced, and renamed by a later run",
      steps: [[(a) => a.create("n", "1"), (at) => (unlinkSync(`${at}/n`), writeFileSync(`${at}/n`, "mine"))], [(a) => a.rename("n", "m")]],
      refused: [["n", /changed by somebody else between/]],
      then: { n: "mine", m: undefined },
    },
    {
      name: "a deleted file made again, and changed by a later run",
      steps: [[(a) => a.unlink("f"), write("f", "mine")], [(a) => a.overwrite("f", "2")]],
      refused: [["f", /had something else in its place between/]],
      then: { f: "mine" },
    },
    {
      name: "a changed file deleted, and made anew by a later run",
      steps: [[(a) => a.overwrite("f", "1"), (at) => unlinkSync(`${at}/f`)], [(a) => a.create("f", "2")]],
      refused: [["f", /deleted by somebody else between/]],
      then: { f: undefined },
    },
    {
      name: "a file of the session moved, written to, and changed by a later run",
      steps: [
        [(a) => a.overwrite("f", "1"), (at) => (renameSync(`${at}/f`, `${at}/m`), writeFileSync(`${at}/m`, "mine"))],
        [(a) => a.overwrite("m", "2")],
      ],
      refused: [["f", /is gone/]],
      then: { m: "mine" },
    },
    {
      name: "a file of the session moved, and changed by a later run",
      steps: [[(a) => a.overwrite("f", "1"), (at) => renameSync(`${at}/f`, `${at}/m`)], [(a) => a.overwrite("m", "2")]],
      refused: [["f", /is gone/]],
      then: { m: "f" },
    },
    {
      name: "bytes of a file that the session had only moved",
      steps: [[(a) => a.rename("f", "m"), write("m", "mine")]],
      refused: [["m", /changed since/]],
      then: { m: "mine", f: undefined },
    },
    {
      name: "bytes of a file that the session had moved over another",
      steps: [[(a) => a.rename("f", "g"), write("g", "mine")]],
      refused: [["g", /changed since|place is taken/]],
      then: { g: "mine", f: undefined },
    },
    {
      name: "bytes of a file that the session had exchanged with another",
      steps: [[(a) => a.exchange("f", "g"), write("g", "mine")]],
      refused: [
        ["g", /changed since/],
        ["f", /place is taken/],
      ],
      then: { g: "mine", f: "g" },
    },
    {
      name: "a file that the session had only moved, replaced by an editor",
      steps: [[(a) => a.rename("f", "m"), (at) => (writeFileSync(`${at}/t`, "mine"), renameSync(`${at}/t`, `${at}/m`))]],
      refused: [["m", /another file/]],
      then: { m: "mine", f: undefined },
    },
    {
      name: "bytes of a file in a folder that the session had moved",
      before: (at) => (mkdirSync(`${at}/d`), writeFileSync(`${at}/d/x`, "x")),
      steps: [[(a) => a.rename("d", "e"), write("e/x", "mine")]],
      refused: [],
      then: { "d/x": "mine", "e/x": undefined },
    },
    {
      name: "a folder of the session made anew, and something put into it by a later run",
      steps: [
        [
          (a) => void (a.mkdir("n"), a.create("n/x", "1")),
          (at) => (rmSync(`${at}/n`, { recursive: true }), mkdirSync(`${at}/n`), writeFileSync(`${at}/n/x`, "mine")),
        ],
        [(a) => void (a.create("n/y", "2"), a.overwrite("n/x", "3"))],
      ],
      refused: [["n", /changed by somebody else between/]],
      then: { "n/x": "mine", "n/y": undefined },
    },
    {
      name: "a mode",
      steps: [[(a) => a.overwrite("f", "1"), (at) => chmodSync(`${at}/f`, 0o600)], [(a) => a.overwrite("f", "2")]],
      refused: [["f", /changed by somebody else between/]],
      then: { f: "f" },
    },
    {
      name: "the same bytes written to a file of its own",
      steps: [
        [(a) => a.overwrite("f", "1"), (at) => (writeFileSync(`${at}/t`, "1"), renameSync(`${at}/t`, `${at}/f`))],
        [(a) => a.overwrite("f", "2")],
      ],
      refused: [],
      then: { f: "f" },
    },
  ];
  test.each(table)("$name", ({ before, steps, refused, then }) => {
    const place = workplace();
    const at = place.root;
    for (const one of ["f", "g"]) writeFileSync(`${at}/${one}`, one);
    before?.(at);
    for (const [does, person] of steps) {
      const actor = confined(place);
      does(actor);
      actor.end();
      person?.(at);
    }
    const done = undoSession(place);
    expect(done.failed).toEqual([]);
    expect(done.plan.refused.map(({ path }) => path.slice(at.length + 1))).toEqual(refused.map(([path]) => path));
    for (const [i, [, why]] of refused.entries()) expect(done.plan.refused[i]?.why).toMatch(why);
    for (const [path, content] of Object.entries(then))
      expect(existsSync(`${at}/${path}`) ? readFileSync(`${at}/${path}`, "utf8") : undefined, path).toBe(content);
    if (steps.some(([, person]) => String(person).includes("chmod"))) expect(lstatSync(`${at}/f`).mode & 0o777).toBe(0o600);
  });
});
