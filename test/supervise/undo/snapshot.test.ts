import { execFileSync } from "node:child_process";
import fc from "fast-check";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import {
  compareSnapshot,
  diffOf,
  endSnapshot,
  findRun,
  isRunning,
  noteAlive,
  readRun,
  RunFolder,
  sealRecords,
  sealRun,
  type Snapshot,
  takeSnapshot,
} from "@assent/supervisor/supervise/undo";
import { Actor, picture, saying, touch, undo, workplace } from "./driver.ts";

// A run of whose calls nothing is seen: what lay there before is compared with what lies there after.

interface Place {
  readonly root: string;
  readonly runs: string;
  readonly top: string;
}

let count = 0;
/** Keeps what is there; `end` is the end of the run, `die` that of the process that held it. */
function begin(
  { root, runs }: Place,
  { closed = () => false, limits, roots = [root] }: Partial<Parameters<typeof takeSnapshot>[1]> = {},
): { readonly id: string; readonly folder: string; readonly snapshot: Snapshot; readonly end: () => void; readonly die: () => void } {
  count += 1;
  const run = new RunFolder(runs, { id: `held-${String(count).padStart(8, "0")}`, argv: ["test"], cwd: root, started: Date.now() });
  const { folder, id } = run;
  const snapshot = takeSnapshot(folder, { roots, closed, ...(limits === undefined ? {} : { limits }) });
  noteAlive(folder);
  const end = (): void => {
    expect(compareSnapshot(folder, false)).toBeUndefined();
    run.end({ ended: Date.now(), exit: { by: "exit", code: 0 }, bytes: sealRun(folder, Date.now()) });
    endSnapshot(folder);
    run.close();
    // As a person is slower than the kernel's tick.
    wait(12);
  };
  return { id, folder, snapshot, end, die: () => run.close() };
}

const wait = (milliseconds: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

function lay(root: string): void {
  for (const folder of ["d", "d/e", "g"]) mkdirSync(`${root}/${folder}`);
  writeFileSync(`${root}/a`, "the first\nfile\n");
  writeFileSync(`${root}/b`, "");
  writeFileSync(`${root}/d/a`, "another\n");
  writeFileSync(`${root}/d/e/f`, "y".repeat(9000));
  linkSync(`${root}/d/a`, `${root}/g/twin`);
  symlinkSync("d/a", `${root}/link`);
  symlinkSync("d", `${root}/folder`);
  chmodSync(`${root}/d/a`, 0o640);
  let second = 1_000_000_000;
  for (const path of ["a", "b", "d/a", "d/e/f", "link", "folder", "d/e", "d", "g", ""]) touch(`${root}/${path}`, ++second, 123_456_789);
}

function laid(): Place {
  const place = workplace();
  lay(place.root);
  return place;
}

const nothing = { refused: [], failed: [], notes: [] };
const outcome = ({ plan, failed, notes }: ReturnType<typeof undo>): object => ({ refused: plan.refused, failed, notes });

describe("undo gives the tree as it was, and undo of that the other", () => {
  const inRoot =
    (call: (root: string) => void) =>
    (root: string): void =>
      call(root);
  test.each([
    ["a file is made", inRoot((root) => writeFileSync(`${root}/new`, "x"))],
    [
      "folders and files are made",
      inRoot((root) => execFileSync("sh", ["-c", "mkdir -p n/o/p; echo x > n/o/p/q; ln -s q n/o/p/r"], { cwd: root })),
    ],
    ["a file is written over", inRoot((root) => writeFileSync(`${root}/a`, "other"))],
    [
      "it is written over by as many bytes, and its time set back",
      inRoot((root) => {
        writeFileSync(`${root}/a`, "THE FIRST\nFILE\n");
        touch(`${root}/a`, 1_000_000_001, 123_456_789);
      }),
    ],
    ["an empty file gets bytes", inRoot((root) => appendFileSync(`${root}/b`, "x"))],
    ["a file is emptied", inRoot((root) => truncateSync(`${root}/a`))],
    [
      "a file is replaced by another one",
      inRoot((root) => {
        writeFileSync(`${root}/a.tmp`, "other");
        renameSync(`${root}/a.tmp`, `${root}/a`);
      }),
    ],
    ["a file is deleted", inRoot((root) => rmSync(`${root}/a`))],
    ["a folder is deleted", inRoot((root) => rmSync(`${root}/d`, { recursive: true }))],
    ["all of it is deleted", inRoot((root) => readdirSync(root).forEach((name) => rmSync(`${root}/${name}`, { recursive: true })))],
    ["a file is renamed", inRoot((root) => renameSync(`${root}/a`, `${root}/g/z`))],
    ["a folder is renamed", inRoot((root) => renameSync(`${root}/d`, `${root}/z`))],
    ["a folder and a file change places", inRoot((root) => execFileSync("sh", ["-c", "mv d t; mv a d; mv t a"], { cwd: root }))],
    [
      "a folder is made anew with what was in it",
      inRoot((root) => execFileSync("sh", ["-c", "mv d t; mkdir d; mv t/* d; rmdir t"], { cwd: root })),
    ],
    ["one of two names goes", inRoot((root) => rmSync(`${root}/g/twin`))],
    ["both names go", inRoot((root) => execFileSync("rm", ["d/a", "g/twin"], { cwd: root }))],
    ["a file is written to by one of its names", inRoot((root) => appendFileSync(`${root}/g/twin`, "more"))],
    ["a file gets another name", inRoot((root) => linkSync(`${root}/a`, `${root}/d/more`))],
    ["a link leads elsewhere", inRoot((root) => execFileSync("ln", ["-sfn", "g", "folder"], { cwd: root }))],
    ["a link becomes a folder", inRoot((root) => execFileSync("sh", ["-c", "rm folder; mkdir folder; echo x > folder/a"], { cwd: root }))],
    ["a mode changes", inRoot((root) => chmodSync(`${root}/d/a`, 0o600))],
    ["a folder is closed", inRoot((root) => chmodSync(`${root}/g`, 0o500))],
    ["a time changes", inRoot((root) => utimesSync(`${root}/a`, 5, 5))],
    ["a pipe is made, and one goes", inRoot((root) => execFileSync("mkfifo", ["p"], { cwd: root }))],
  ])("%s", (_, change) => {
    const place = laid();
    execFileSync("mkfifo", ["old"], { cwd: place.root });
    const before = picture(place.root);
    const { id, end } = begin(place);
    change(place.root);
    const after = picture(place.root);
    expect(after).not.toEqual(before);
    end();
    const first = undo(place.runs, id, place.root);
    expect(outcome(first)).toMatchObject(nothing);
    expect(picture(place.root)).toEqual(before);
    const again = undo(place.runs, first.id, place.root);
    expect(outcome(again)).toMatchObject(nothing);
    expect(picture(place.root)).toEqual(after);
  });

  const name = fc.constantFrom("a", "b", "d", "d/a", "d/b", "d/e", "d/e/f", "g", "g/h", "g/twin", "link");
  const text = fc.constantFrom("", "one\n", "two\nthree\n", "x".repeat(5000));
  const operation = fc.oneof(
    fc.tuple(fc.constant("create" as const), name, text),
    fc.tuple(fc.constant("mkdir" as const), name),
    fc.tuple(fc.constant("symlink" as const), name, name),
    fc.tuple(fc.constant("overwrite" as const), name, text),
    fc.tuple(fc.constant("truncate" as const), name, fc.nat(20)),
    fc.tuple(fc.constant("unlink" as const), name),
    fc.tuple(fc.constant("removeTree" as const), name),
    fc.tuple(fc.constant("rename" as const), name, name),
    fc.tuple(fc.constant("exchange" as const), name, name),
    fc.tuple(fc.constant("link" as const), name, name),
    fc.tuple(fc.constant("chmod" as const), name, fc.constantFrom(0o700, 0o755, 0o751)),
    fc.tuple(fc.constant("utimes" as const), name, fc.nat(1_000_000), fc.nat(999_999_999)),
    fc.tuple(fc.constant("setxattr" as const), name, fc.constantFrom("user.a", "user.b"), fc.constantFrom("1", "2")),
  );

  test("after any run", () => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 14 }), (operations) => {
        const place = laid();
        const before = picture(place.root);
        const { id, end } = begin(place);
        const actor = new Actor(place.root, `${place.top}/elsewhere`);
        for (const [what, ...args] of operations) {
          try {
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of `operation` are methods of Actor
            (actor as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[what]?.(...args);
          } catch {
            // What the call needs is not there.
          }
        }
        actor.store.close();
        actor.run.close();
        rmSync(`${place.top}/elsewhere`, { recursive: true });
        end();
        const after = picture(place.root);
        const first = undo(place.runs, id, place.root);
        expect(outcome(first)).toMatchObject(nothing);
        expect(picture(place.root)).toEqual(before);
        if (first.id !== undefined) {
          expect(outcome(undo(place.runs, first.id, place.root))).toMatchObject({ refused: [], failed: [] });
          expect(picture(place.root)).toEqual(after);
        }
        rmSync(place.top, { recursive: true, force: true });
      }),
      { numRuns: Number(process.env["UNDO_RUNS"] ?? 15) },
    );
  });
});

test("what differs is shown as for any run", () => {
  const place = laid();
  const { id, end } = begin(place);
  writeFileSync(`${place.root}/a`, "other\n");
  rmSync(`${place.root}/d/e/f`);
  writeFileSync(`${place.root}/new`, "x\n");
  end();
  const run = readRun(place.runs, id);
  const shown = [...diffOf(run === undefined ? [] : [run], [])].map(({ change: { what, path }, patch }) => [
    what,
    path.slice(place.root.length),
    patch !== undefined,
  ]);
  expect(shown).toEqual([
    ["changed", "/a", true],
    ["deleted", "/d/e/f", true],
    ["created", "/new", true],
  ]);
});

test("copies of what did not change do not stay", () => {
  const place = laid();
  const { folder, end } = begin(place);
  writeFileSync(`${place.root}/a`, "other\n");
  expect(readdirSync(`${folder}/kept`).length).toBeGreaterThan(1);
  end();
  expect(readdirSync(`${folder}/kept`)).toHaveLength(1);
  expect(readdirSync(folder).toSorted()).toEqual(["after.jsonl", "journal.jsonl", "kept", "lock", "meta.json"]);
  expect(readdirSync(place.runs).filter((name) => name.startsWith("."))).toEqual([]);
});

test("what somebody else has changed since is left alone", () => {
  const place = laid();
  const { id, end } = begin(place);
  writeFileSync(`${place.root}/a`, "by the run");
  writeFileSync(`${place.root}/new`, "by the run");
  rmSync(`${place.root}/b`);
  end();
  writeFileSync(`${place.root}/a`, "by a person");
  writeFileSync(`${place.root}/new`, "by a person");
  const { plan } = undo(place.runs, id, place.root);
  expect(plan.refused).toMatchObject([
    { path: `${place.root}/a`, why: saying("since") },
    { path: `${place.root}/new`, why: saying("since") },
  ]);
  expect([readFileSync(`${place.root}/a`, "utf8"), existsSync(`${place.root}/b`)]).toEqual(["by a person", true]);
});

describe("killed in the middle", () => {
  test("what it had changed by then goes back, what was changed later is left alone", () => {
    const place = laid();
    const { id, folder, die } = begin(place);
    writeFileSync(`${place.root}/a`, "by the run");
    rmSync(`${place.root}/d`, { recursive: true });
    wait(5);
    noteAlive(folder);
    die();
    wait(12);
    writeFileSync(`${place.root}/later`, "by a person");
    sealRecords(place.runs);
    const { plan } = undo(place.runs, id, place.root);
    expect(plan.warnings).toMatchObject([saying("was killed before it could note what it left")]);
    expect(plan.refused).toMatchObject([{ path: `${place.root}/later`, why: saying("since the run was killed") }]);
    expect(readFileSync(`${place.root}/a`, "utf8")).toBe("the first\nfile\n");
    expect(readFileSync(`${place.root}/d/a`, "utf8")).toBe("another\n");
    expect(existsSync(`${place.root}/later`)).toBe(true);
  });

  test("while it was still keeping what is there: nothing is told of it", () => {
    const place = laid();
    const { folder, die } = begin(place);
    const text = readFileSync(`${folder}/before.jsonl`, "utf8");
    writeFileSync(`${folder}/before.jsonl`, text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
    die();
    writeFileSync(`${place.root}/a`, "by a person");
    sealRecords(place.runs);
    expect(findRun(place.runs, undefined, place.root, true)).toEqual({ problem: saying("has changed anything") });
    expect(existsSync(`${folder}/kept`)).toBe(false);
  });

  test("a run that lives is not taken for one", () => {
    const place = laid();
    const { folder, die } = begin(place);
    writeFileSync(`${place.root}/a`, "by the run");
    expect(isRunning(folder)).toBe(true);
    sealRecords(place.runs);
    expect(existsSync(`${folder}/journal.jsonl`)).toBe(false);
    die();
  });
});

describe("where there is too much, there is no undo, which is said before", () => {
  test.each([
    ["files", { entries: 5, bytes: 1 << 20 }, "more than 5 files"],
    ["bytes", { entries: 100, bytes: 1 << 20 }, "more than 1 MB"],
  ])("%s", (_, limits, why) => {
    const place = laid();
    for (const name of ["x", "y", "z"]) writeFileSync(`${place.root}/${name}`, Buffer.alloc(500_000, name));
    const { snapshot, folder, die } = begin(place, { limits });
    expect(snapshot).toEqual({ is: "none", why: saying(why) });
    expect([existsSync(`${folder}/kept`), existsSync(`${folder}/before.jsonl`)]).toEqual([false, false]);
    expect(readdirSync(place.runs).filter((name) => name.startsWith("."))).toEqual([]);
    die();
  });

  test("the holes of a file are no bytes", () => {
    const place = laid();
    writeFileSync(`${place.root}/image`, "x");
    truncateSync(`${place.root}/image`, 2 ** 40);
    const { snapshot, folder, id, end } = begin(place, { limits: { entries: 100, bytes: 1 << 20 } });
    expect(snapshot).toMatchObject({ is: "kept" });
    expect(readdirSync(`${folder}/kept`).reduce((sum, name) => sum + lstatSync(`${folder}/kept/${name}`).blocks, 0)).toBeLessThan(200);
    rmSync(`${place.root}/image`);
    end();
    undo(place.runs, id, place.root);
    expect(statSync(`${place.root}/image`)).toMatchObject({ size: 2 ** 40 });
  });
});

describe("what it does not read", () => {
  test("a link is not followed: neither what it leads to is kept, nor what lies there", () => {
    const place = laid();
    mkdirSync(`${place.top}/outside`);
    writeFileSync(`${place.top}/outside/secret`, "SECRET");
    symlinkSync(`${place.top}/outside`, `${place.root}/out`);
    symlinkSync(`${place.top}/outside/secret`, `${place.root}/file`);
    const { folder, die } = begin(place);
    expect(readFileSync(`${folder}/before.jsonl`, "utf8")).not.toContain('outside/secret","is"');
    expect(readdirSync(`${folder}/kept`).map((name) => readFileSync(`${folder}/kept/${name}`, "utf8"))).not.toContain("SECRET");
    die();
  });

  test("what the policy closes for reading is not copied; a change of it is told, and that it cannot be taken back", () => {
    const place = laid();
    writeFileSync(`${place.root}/.env`, "SECRET");
    mkdirSync(`${place.root}/private`);
    writeFileSync(`${place.root}/private/name-of-it`, "SECRET");
    const closed = (path: string): boolean => path === `${place.root}/.env` || path === `${place.root}/private`;
    const { folder, id, end } = begin(place, { closed });
    const all = [`${folder}/before.jsonl`, ...readdirSync(`${folder}/kept`).map((name) => `${folder}/kept/${name}`)];
    expect(all.map((file) => readFileSync(file, "utf8")).join("")).not.toMatch(/SECRET|name-of-it/);
    writeFileSync(`${place.root}/.env`, "OTHER");
    writeFileSync(`${place.root}/private/more`, "x");
    end();
    const { plan } = undo(place.runs, id, place.root);
    expect(plan.refused).toMatchObject([{ path: `${place.root}/.env`, why: saying("not kept") }]);
    expect(existsSync(`${place.root}/private/more`)).toBe(true);
  });

  test("a pipe, a socket and a device are not opened", async () => {
    const place = laid();
    execFileSync("mkfifo", ["pipe"], { cwd: place.root });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${place.root}/socket`, resolve));
    const { snapshot, folder, die } = begin(place);
    expect(snapshot).toMatchObject({ is: "kept" });
    expect(readdirSync(`${folder}/kept`)).toHaveLength(3);
    server.close();
    die();
  });

  test.runIf(process.getuid?.() !== 0)("a folder that cannot be listed stays as it is", () => {
    const place = laid();
    chmodSync(`${place.root}/d`, 0o300);
    const { id, end } = begin(place);
    chmodSync(`${place.root}/d`, 0o700);
    end();
    undo(place.runs, id, place.root);
    expect(lstatSync(`${place.root}/d`).mode & 0o777).toBe(0o300);
    chmodSync(`${place.root}/d`, 0o700);
    expect(readFileSync(`${place.root}/d/a`, "utf8")).toBe("another\n");
  });
});
