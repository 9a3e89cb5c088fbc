import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { JournalWriter, readJournal } from "../../../packages/supervisor/src/supervise/undo/journal.ts";
import { readStamp } from "../../../packages/supervisor/src/supervise/undo/mapped-end.ts";
import { Actor, picture, touch, undo, workplace } from "./driver.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");

function file(): string {
  const top = mkdtempSync(join(tmpdir(), "assent-journal-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  return join(top, "journal.jsonl");
}

const record = (name: string): { readonly op: "create"; readonly path: string; readonly kind: "file" } => ({
  op: "create",
  path: `/${name}`,
  kind: "file",
});
const pathsIn = (at: string): readonly string[] => readJournal(at).records.map((one) => ("path" in one ? one.path.slice(1) : one.op));

describe("a journal that is memory", () => {
  test("reads the same at every moment as one that is written, over many windows", () => {
    const at = file();
    const writer = new JournalWriter(at, 3);
    const names: string[] = [];
    for (let i = 0; i < 1200; i++) {
      const name = `${i}${"n".repeat(i % 7 === 0 ? 2000 : 300)}`;
      names.push(name);
      expect(writer.append(record(name))).toBe(i + 1);
      if (i % 97 === 0 || i < 5) expect({ i, ...readJournal(at), records: pathsIn(at) }).toMatchObject({ i, broken: 0, records: names });
    }
    expect(statSync(at).size % 4096).toBe(0);
    writer.close();
    const text = readFileSync(at, "utf8");
    expect(text).toBe(names.map((name) => `${JSON.stringify(record(name))}\n`).join(""));
    expect(readStamp(at)).toBe(0);
  });

  test("says when its last record was made, and goes on where another was killed", () => {
    const at = file();
    const writer = new JournalWriter(at, 0);
    const began = Date.now();
    writer.append(record("a"));
    expect(readStamp(at)).toBeGreaterThanOrEqual(began);
    expect(readStamp(at)).toBeLessThanOrEqual(Date.now() + 1);
    const next = new JournalWriter(at, 0);
    expect(next.append(record("b"))).toBe(2);
    next.append({ op: "void", record: 1 });
    next.close();
    expect(pathsIn(at)).toEqual(["b"]);
    expect(readFileSync(at).includes(0)).toBe(false);
  });

  test.each([
    ["a record that is larger than the window", "w".repeat(300_000)],
    ["one that just does not fit", "w".repeat((1 << 18) - 4096 - 16 - 36)],
    ["one that just fits", "w".repeat((1 << 18) - 4096 - 16 - 46)],
    ["names beyond ASCII", "ü\u{1f600}".repeat(3000)],
  ])("%s", (_, name) => {
    const at = file();
    const writer = new JournalWriter(at, 0);
    for (const one of ["a", name, "b"]) writer.append(record(one));
    expect(pathsIn(at)).toEqual(["a", name, "b"]);
    writer.close();
    expect(pathsIn(at)).toEqual(["a", name, "b"]);
    expect(readFileSync(at).includes(0)).toBe(false);
  });

  test("a record is unsure until it is settled, and called off by the next one, or the end", () => {
    const at = file();
    const writer = new JournalWriter(at, 0);
    const unsure = (name: string): string => `{"op":"create","path":"/${name}","kind":"file","sure":0}\n`;
    const said = (): readonly string[] =>
      readJournal(at).records.map((one) => (one.op === "create" ? `${one.path.slice(1)}${one.sure ?? ""}` : one.op));
    expect(writer.marks).toBe(false);
    writer.append(record("a"));
    expect(writer.marks).toBe(true);
    writer.unsureLine(unsure("b"));
    expect(said()).toEqual(["a", "b0"]);
    writer.settle();
    expect(said()).toEqual(["a", "b1"]);
    writer.unsureLine(unsure("c"));
    writer.append(record("d"));
    expect(said()).toEqual(["a", "b1", "d"]);
    writer.unsureLine(unsure("e"));
    writer.callOff();
    writer.unsureLine(unsure("f"));
    writer.close();
    expect(said()).toEqual(["a", "b1", "d"]);
  });
});

/** What a run does in a folder that it made, and with what was there before. Each is a point at which it may be killed. */
const STEPS: readonly ((actor: Actor) => void)[] = [
  (run) => run.mkdir("made"),
  (run) => run.create("made/a", "one"),
  (run) => unseen(run, "made/b"),
  (run) => unseen(run, "made/c"),
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
  (run) => unseen(run, "elsewhere/d"),
  (run) => run.rename("elsewhere", "made"),
  (run) => run.create("made/e"),
  (run) => unseen(run, "made/f"),
  (run) => run.chmod("old/three", 0o600),
  (run) => run.rename("old/three", "made/e"),
  (run) => run.overwrite("made/e", "x"),
  (run) => run.removeTree("made/.git"),
];

/** As the door makes a file in such a folder: noted, made where nothing is there, settled. False: something was there. */
function unseen(run: Actor, name: string, until: "noted" | "made" | "settled" = "settled"): boolean {
  const path = run.path(name);
  expect(run.store.takesUnseen(path.slice(0, path.lastIndexOf("/")), path)).toBe(true);
  const kept = run.store.createUnseen(path);
  if (until === "noted") return false;
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch {
    run.store.cancel(kept);
    return false;
  }
  if (until === "settled") run.store.bornAt(...placeOf(path));
  return true;
}

function placeOf(path: string): readonly [number, Buffer] {
  // No descriptor is needed for a whole path.
  return [-100, Buffer.from(path)];
}

function lay(root: string): readonly string[] {
  mkdirSync(`${root}/old`);
  for (const name of ["one", "two", "three"]) writeFileSync(`${root}/old/${name}`, name);
  chmodSync(`${root}/old/three`, 0o644);
  let second = 1_000_000_000;
  for (const name of ["old/one", "old/two", "old/three", "old", ""]) touch(`${root}/${name}`, ++second, 5);
  return picture(root);
}

describe("a run is killed while its journal is memory", () => {
  test.each(STEPS.map((_, at) => at + 1))("after step %i: undo brings back the exact tree", (count) => {
    const { root, runs } = workplace();
    const before = lay(root);
    const run = new Actor(root, runs, undefined, {}, 0);
    for (const step of STEPS.slice(0, count)) step(run);
    run.kill();
    // A program writes into what it has made after the last record: hence `force`.
    const done = undo(runs, run.run.id, root, { force: true });
    expect({ refused: done.plan.refused, failed: done.failed }).toEqual({ refused: [], failed: [] });
    expect(done.plan.warnings.join()).not.toContain("could not be read");
    expect(picture(root)).toEqual(before);
  });

  test.each([
    ["between the note and the call, where nothing is", "noted", false, "gone"],
    ["between the call and its settling", "made", false, "gone"],
    ["between the note and the call, where somebody else has put a file", "noted", true, "theirs"],
    ["the same, and the call has failed", "made", true, "theirs"],
    ["the same, and that is noted", "settled", true, "theirs"],
  ] as const)("%s", (_, until, theirs, left) => {
    const { root, runs } = workplace();
    const run = new Actor(root, runs, undefined, {}, 0);
    run.mkdir("made");
    run.create("made/a");
    if (theirs) {
      writeFileSync(`${root}/made/x`, "theirs");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    }
    unseen(run, "made/x", until);
    run.kill();
    const done = undo(runs, run.run.id, root, { force: true });
    expect(existsSync(`${root}/made/a`)).toBe(false);
    if (left === "gone") {
      expect(done.plan.refused).toEqual([]);
      expect(existsSync(`${root}/made`)).toBe(false);
    } else expect(readFileSync(`${root}/made/x`, "utf8")).toBe("theirs");
  });

  test("what is there is looked for first where it was missed once, and in folders that the run did not make", () => {
    const { root, runs } = workplace();
    mkdirSync(`${root}/before`);
    const run = new Actor(root, runs, undefined, {}, 0);
    run.create("before/a");
    expect(run.store.takesUnseen(run.path("before"), run.path("before/b"))).toBe(false);
    run.mkdir("made");
    run.create("made/a");
    writeFileSync(`${root}/made/x`, "theirs");
    expect(unseen(run, "made/x")).toBe(false);
    expect(run.store.takesUnseen(run.path("made"), run.path("made/x"))).toBe(false);
    expect(run.store.takesUnseen(run.path("made"), run.path("made/y"))).toBe(true);
    run.rename("made", "moved");
    expect(run.store.takesUnseen(run.path("made"), run.path("made/y"))).toBe(false);
    run.overwrite("moved/x", "the run's");
    run.end();
    undo(runs, run.run.id, root);
    expect(readFileSync(`${root}/moved/x`, "utf8")).toBe("theirs");
  });
});

/** Runs on a file system of its own that is full before the journal is: what does not go into memory is written. */
const script = (at: string): string => `
  import { readFileSync, statSync } from "node:fs";
  import { JournalWriter, readJournal } from ${JSON.stringify(join(REPOSITORY, "packages/supervisor/src/supervise/undo/journal.ts"))};
  const at = ${JSON.stringify(`${at}/small/journal.jsonl`)};
  const writer = new JournalWriter(at, 0);
  let number = 0, size = 0, mapped = false;
  while (number >= 0) {
    number = writer.append({ op: "create", path: "/" + "n".repeat(150), kind: "file" });
    if (number > 0) size += 1;
    mapped ||= writer.marks;
  }
  const { records, broken } = readJournal(at);
  console.log(JSON.stringify({ mapped, still: writer.marks, error: -number, same: records.length === size, broken, most: size > 2000, whole: !readFileSync(at).includes(0) }));
`;

test.runIf(process.getuid?.() === 0)(
  "on a full disk the journal ends with its last whole record, and the next one is refused",
  async () => {
    const { top } = workplace();
    mkdirSync(`${top}/small`);
    const outfile = join(REPOSITORY, "node_modules/.cache/assent", `in-memory-${process.pid}.mjs`);
    onTestFinished(() => rmSync(outfile, { force: true }));
    const stdin = { contents: script(top), resolveDir: REPOSITORY, loader: "js" } as const;
    await build({ stdin, outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
    const mount = `mount -t tmpfs -o size=600k small "$1/small" && exec "$2" "$3"`;
    const { stdout, stderr, status } = spawnSync("unshare", ["-m", "sh", "-c", mount, "sh", top, process.execPath, outfile], {
      encoding: "utf8",
      timeout: 50_000,
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(JSON.parse(stdout)).toEqual({ mapped: true, still: false, error: 28, same: true, broken: 0, most: true, whole: true });
  },
);
