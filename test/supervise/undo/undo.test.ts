import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
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
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { pathBytes, pathText } from "@assent/supervisor/supervise/kernel";
import { isRunning, listRuns, prune, RunFolder } from "@assent/supervisor/supervise/undo";
import { Actor, picture, saying, setXattr, touch, undo, workplace } from "./driver.ts";

const root = process.getuid?.() === 0;

interface Case {
  readonly name: string;
  /** What lies there before; text, or null for a folder. */
  readonly before?: Readonly<Record<string, string | null>>;
  readonly prepare?: (root: string) => void;
  readonly run: (actor: Actor) => void;
}

const NEWLINE = 'a\nb "c" [d] \u001b[31m';
const INVALID = pathText(Buffer.from([0x66, 0xff, 0xfe, 0x67]));

const CASES: readonly Case[] = [
  { name: "deleted file", before: { f: "one" }, run: (a) => a.unlink("f") },
  { name: "overwritten file", before: { f: "one\n".repeat(5000) }, run: (a) => a.overwrite("f", "two") },
  { name: "appended file", before: { f: "one" }, run: (a) => a.overwrite("f", "two", true) },
  { name: "file truncated to nothing", before: { f: "one" }, run: (a) => a.truncate("f", 0) },
  { name: "file made longer", before: { f: "one" }, run: (a) => a.truncate("f", 100) },
  { name: "empty file written", before: { f: "" }, run: (a) => a.overwrite("f", "two") },
  {
    name: "file replaced the way editors do",
    before: { f: "one" },
    run: (a) => void (a.create("f.tmp", "two"), a.rename("f.tmp", "f")),
  },
  { name: "file renamed over another", before: { a: "1", b: "2" }, run: (a) => a.rename("a", "b") },
  { name: "two exchanged", before: { a: "1", d: null, "d/x": "2" }, run: (a) => a.exchange("a", "d") },
  {
    name: "renames in a chain",
    before: { "log.0": "0", "log.1": "1", "log.2": "2" },
    run: (a) => void (a.rename("log.2", "log.3"), a.rename("log.1", "log.2"), a.rename("log.0", "log.1"), a.create("log.0", "new")),
  },
  { name: "tree deleted", before: { d: null, "d/a": "1", "d/e": null, "d/e/b": "2" }, run: (a) => a.removeTree("d") },
  {
    name: "folder renamed, then changed inside",
    before: { d: null, "d/a": "1", "d/b": "2" },
    run: (a) =>
      void (a.rename("d", "e"), a.overwrite("e/a", "x"), a.unlink("e/b"), a.create("e/c", "y"), a.mkdir("d"), a.create("d/a", "z")),
  },
  {
    name: "file moved into a new folder that went again",
    before: { f: "1" },
    run: (a) => void (a.mkdir("d"), a.rename("f", "d/f"), a.rename("d/f", "g"), a.rmdir("d")),
  },
  {
    name: "folder moved below what was in it",
    before: { d: null, "d/e": null, "d/e/f": "1" },
    run: (a) => void (a.rename("d/e", "e"), a.rename("d", "e/d")),
  },
  { name: "mode", before: { f: "1" }, run: (a) => a.chmod("f", 0o755) },
  { name: "times to the nanosecond", before: { f: "1" }, run: (a) => a.utimes("f", 5, 7) },
  {
    name: "attributes",
    before: { f: "1" },
    prepare: (at) => setXattr(`${at}/f`, "user.keep", "old"),
    run: (a) => void (a.setxattr("f", "user.keep", "new"), a.setxattr("f", "user.more", "x")),
  },
  {
    name: "attributes of a deleted file on any file system",
    before: { f: "1" },
    prepare: (at) => setXattr(`${at}/f`, "user.keep", "old"),
    run: (a) => a.unlink("f"),
  },
  { name: "symlink deleted", prepare: (at) => symlinkSync("no/where", `${at}/l`), run: (a) => a.unlink("l") },
  {
    name: "symlink replaced by a file",
    prepare: (at) => symlinkSync("no/where", `${at}/l`),
    run: (a) => void (a.unlink("l"), a.create("l", "x")),
  },
  { name: "fifo deleted", prepare: (at) => execFileSync("mkfifo", [`${at}/p`]), run: (a) => a.unlink("p") },
  {
    name: "all names of a linked file deleted",
    before: { a: "1" },
    prepare: (at) => (linkSync(`${at}/a`, `${at}/b`), linkSync(`${at}/a`, `${at}/c`)),
    run: (a) => void (a.unlink("a"), a.unlink("b"), a.unlink("c")),
  },
  {
    name: "one name deleted, the file changed through another",
    before: { a: "1" },
    prepare: (at) => linkSync(`${at}/a`, `${at}/b`),
    run: (a) => void (a.unlink("a"), a.overwrite("b", "2")),
  },
  {
    name: "link made, and the file changed through it",
    before: { a: "1" },
    run: (a) => void (a.link("a", "b"), a.overwrite("b", "2")),
  },
  {
    name: "names with newline, quotes, escapes and invalid UTF-8",
    before: { [NEWLINE]: "1", [INVALID]: "2", [`d${INVALID}`]: null, [`d${INVALID}/x`]: "3" },
    run: (a) => void (a.overwrite(NEWLINE, "x"), a.unlink(INVALID), a.removeTree(`d${INVALID}`), a.create(`new${INVALID}`, "y")),
  },
  {
    name: "folder closed to its owner",
    before: { d: null, "d/f": "1" },
    run: (a) => void (a.unlink("d/f"), a.chmod("d", 0o000)),
  },
  {
    name: "read-only file in a read-only folder",
    before: { d: null, "d/f": "1" },
    prepare: (at) => (chmodSync(`${at}/d/f`, 0o444), chmodSync(`${at}/d`, 0o555)),
    run: (a) => void (a.chmod("d", 0o755), a.chmod("d/f", 0o644), a.overwrite("d/f", "22"), a.create("d/g", "")),
  },
  {
    name: "a file with holes",
    prepare: (at) => (writeFileSync(`${at}/f`, "start"), truncateSync(`${at}/f`, 300_000_000), appendFileSync(`${at}/f`, "end")),
    run: (a) => a.overwrite("f", "x"),
  },
  {
    name: "made and deleted again",
    run: (a) => void (a.create("f", "1"), a.mkdir("d"), a.create("d/g", ""), a.overwrite("f", "2"), a.removeTree("d"), a.unlink("f")),
  },
  {
    name: "everything made is deleted",
    run: (a) => void (a.mkdir("d"), a.create("d/f", "1"), a.symlink("d/l", "f"), a.link("d/f", "d/h"), a.fifo("d/p")),
  },
];

function lay(at: string, { before = {}, prepare }: Case): void {
  for (const [name, text] of Object.entries(before)) {
    const path = pathBytes(`${at}/${name}`);
    if (text === null) mkdirSync(path);
    else writeFileSync(path, text);
  }
  prepare?.(at);
  for (const name of [...Object.keys(before), ""]) touch(`${at}/${name}`, 1_500_000_000, 987_654_321);
}

describe.each(["same file system", "another"])("brings back, records on %s", (where) => {
  test.each(CASES)("$name", (one) => {
    const other = where === "another";
    // A link to names that the run does not touch needs the same file system.
    if (other && one.name.startsWith("one name deleted")) return;
    const place = workplace();
    const runs = other ? workplace("/dev/shm").runs : place.runs;
    lay(place.root, one);
    const before = picture(place.root);
    const actor = new Actor(place.root, runs);
    one.run(actor);
    expect(actor.last).toMatchObject({ kept: true });
    actor.end();
    const closed = one.name.startsWith("folder closed");
    const after = closed && !root ? [] : picture(place.root);
    const done = undo(runs, undefined, place.root);
    expect({ refused: done.plan.refused, failed: done.failed, notes: done.notes, warnings: done.plan.warnings }).toEqual({
      refused: [],
      failed: [],
      notes: [],
      warnings: [],
    });
    expect(picture(place.root)).toEqual(before);
    if (done.id !== undefined && !(closed && !root)) {
      undo(runs, done.id, place.root);
      expect(picture(place.root)).toEqual(after);
    }
  });
});

describe("what somebody changed since is left alone (test 117)", () => {
  interface Since {
    readonly name: string;
    readonly before?: (at: string) => void;
    readonly run: (actor: Actor) => void;
    readonly since: (at: string) => void;
    /** Path and reason. */
    readonly refused: readonly (readonly [string, RegExp])[];
    /** What is there after. */
    readonly then: Readonly<Record<string, string | undefined>>;
  }
  const table: readonly Since[] = [
    {
      name: "bytes of a changed file",
      run: (a) => a.overwrite("f", "run"),
      since: (at) => writeFileSync(`${at}/f`, "mine"),
      refused: [["f", /changed since/]],
      then: { f: "mine", g: "g" },
    },
    {
      name: "one of two",
      run: (a) => void (a.overwrite("f", "run"), a.unlink("g")),
      since: (at) => writeFileSync(`${at}/f`, "mine"),
      refused: [["f", /changed since/]],
      then: { f: "mine", g: "g" },
    },
    {
      name: "same size, times set back",
      run: (a) => a.overwrite("f", "run"),
      since: (at) => {
        const { mtimeNs } = lstatSync(`${at}/f`, { bigint: true });
        writeFileSync(`${at}/f`, "abc");
        touch(`${at}/f`, Number(mtimeNs / 1_000_000_000n), Number(mtimeNs % 1_000_000_000n));
      },
      refused: [["f", /changed since/]],
      then: { f: "abc" },
    },
    {
      name: "a file that the run made",
      run: (a) => a.create("n", "run"),
      since: (at) => appendFileSync(`${at}/n`, "mine"),
      refused: [["n", /changed since/]],
      then: { n: "runmine" },
    },
    {
      name: "a file put into a folder that the run made",
      run: (a) => void (a.mkdir("d"), a.create("d/n", "run")),
      since: (at) => writeFileSync(`${at}/d/mine`, "mine"),
      refused: [["d", /not empty: the run did not make `mine`/]],
      then: { "d/mine": "mine", "d/n": undefined },
    },
    {
      name: "something in the place of what was deleted",
      run: (a) => a.unlink("f"),
      since: (at) => writeFileSync(`${at}/f`, "mine"),
      refused: [["f", /something else in its place/]],
      then: { f: "mine" },
    },
    {
      name: "what was deleted, by another of its names",
      before: (at) => linkSync(`${at}/f`, `${at}/h`),
      run: (a) => a.unlink("f"),
      since: (at) => writeFileSync(`${at}/h`, "mine"),
      refused: [],
      // It is a file of its own now: nobody else writes to what is kept.
      then: { f: "f", h: "mine" },
    },
    {
      name: "another of its names is left alone",
      before: (at) => linkSync(`${at}/f`, `${at}/h`),
      run: (a) => a.unlink("f"),
      since: (at) => writeFileSync(`${at}/g`, "mine"),
      refused: [],
      then: { f: "f", h: "f", g: "mine" },
    },
    {
      name: "a symlink in the place of a changed file",
      run: (a) => a.overwrite("f", "run"),
      since: (at) => (unlinkSync(`${at}/f`), symlinkSync("g", `${at}/f`)),
      refused: [["f", /is a symlink now/]],
      then: { f: "g", g: "g" },
    },
    {
      name: "a symlink in the place of a folder on the way",
      run: (a) => void a.unlink("d0/x"),
      since: (at) => (renameSync(`${at}/d0`, `${at}/d1`), mkdirSync(`${at}/evil`), symlinkSync("evil", `${at}/d0`)),
      refused: [
        ["d0", /symlink/],
        ["d0/x", /symlink|symbolic link/],
      ],
      then: { "evil/x": undefined, "d1/x": undefined },
    },
    {
      name: "a renamed file that is gone",
      run: (a) => a.rename("f", "h"),
      since: (at) => rmSync(`${at}/h`),
      refused: [["h", /is gone/]],
      then: { f: undefined },
    },
    {
      name: "a mode",
      run: (a) => a.chmod("f", 0o600),
      since: (at) => chmodSync(`${at}/f`, 0o640),
      refused: [["f", /another mode/]],
      then: { f: "f" },
    },
    {
      name: "bytes stay where only the mode is taken back",
      run: (a) => a.chmod("f", 0o600),
      since: (at) => writeFileSync(`${at}/f`, "mine"),
      refused: [],
      then: { f: "mine" },
    },
    {
      name: "a made file that is deleted already",
      run: (a) => a.create("n", ""),
      since: (at) => rmSync(`${at}/n`),
      refused: [],
      then: { n: undefined },
    },
    {
      name: "new files beside",
      run: (a) => a.unlink("f"),
      since: (at) => writeFileSync(`${at}/mine`, "mine"),
      refused: [],
      then: { f: "f", mine: "mine" },
    },
  ];
  test.each(table)("$name", ({ before, run, since, refused, then }) => {
    const { root: at, runs } = workplace();
    writeFileSync(`${at}/f`, "f");
    writeFileSync(`${at}/g`, "g");
    mkdirSync(`${at}/d0`);
    writeFileSync(`${at}/d0/x`, "x");
    before?.(at);
    const actor = new Actor(at, runs);
    run(actor);
    actor.end();
    since(at);
    const done = undo(runs, undefined, at);
    expect(done.failed).toEqual([]);
    expect(done.plan.refused.map(({ path }) => path.slice(at.length + 1)).sort()).toEqual(refused.map(([path]) => path).sort());
    for (const [path, why] of refused) expect(done.plan.refused.find((one) => one.path === `${at}/${path}`)?.why).toMatch(why);
    for (const [path, text] of Object.entries(then))
      expect(existsSync(`${at}/${path}`) ? readFileSync(`${at}/${path}`, "utf8") : undefined).toBe(text);
  });

  test("--force takes it back, and keeps what it replaces", () => {
    const { root: at, runs } = workplace();
    writeFileSync(`${at}/f`, "f");
    const actor = new Actor(at, runs);
    actor.overwrite("f", "run");
    actor.end();
    writeFileSync(`${at}/f`, "mine");
    const done = undo(runs, actor.run.id, at, { force: true });
    expect(readFileSync(`${at}/f`, "utf8")).toBe("f");
    undo(runs, done.id, at);
    expect(readFileSync(`${at}/f`, "utf8")).toBe("mine");
  });
});

describe("parts", () => {
  test("only the paths that were named", () => {
    const { root: at, runs } = workplace();
    for (const name of ["a", "b"]) mkdirSync(`${at}/${name}`);
    for (const name of ["a/x", "b/x"]) writeFileSync(`${at}/${name}`, "old");
    const actor = new Actor(at, runs);
    actor.removeTree("a");
    actor.overwrite("b/x", "new");
    actor.create("b/y");
    actor.end();
    undo(runs, actor.run.id, at, { paths: [`${at}/a/x`] });
    expect(readFileSync(`${at}/a/x`, "utf8")).toBe("old");
    expect(readFileSync(`${at}/b/x`, "utf8")).toBe("new");
    expect(existsSync(`${at}/b/y`)).toBe(true);
    // Not undone yet as a whole: the same run again.
    expect(undo(runs, undefined, at).plan.runs[0]?.id).toBe(actor.run.id);
    expect(existsSync(`${at}/b/y`)).toBe(false);
    expect(readFileSync(`${at}/b/x`, "utf8")).toBe("old");
  });
});

describe("caps and errors", () => {
  test("above the cap a person is asked, a link has no cap, and what was skipped is said", () => {
    const { root: at, runs } = workplace();
    writeFileSync(`${at}/f`, "x".repeat(5000));
    const actor = new Actor(at, runs, { file: 4000, run: 1 << 20 });
    expect(actor.overwrite("f", "y")).toBe(false);
    expect(actor.last).toMatchObject({
      kept: false,
      ask: true,
      bytes: 5000,
      why: saying("more than undo copies of one file (4000 bytes)"),
    });
    expect(actor.unlink("f")).toBe(true);
    actor.end();
    undo(runs, actor.run.id, at);
    expect(readFileSync(`${at}/f`, "utf8")).toHaveLength(5000);
  });

  test("the cap of a run counts all copies", () => {
    const { root: at, runs } = workplace();
    for (const name of ["a", "b", "c"]) writeFileSync(`${at}/${name}`, "x".repeat(5000));
    const actor = new Actor(at, runs, { file: 1 << 20, run: 10_000 });
    expect([actor.overwrite("a", ""), actor.overwrite("b", ""), actor.overwrite("a", "again"), actor.overwrite("c", "")]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(actor.last).toMatchObject({ ask: true, why: saying("copies of one run") });
  });
});

describe("damage", () => {
  test("a run that was killed: what may have been changed since is left alone, what is missing comes back", () => {
    const { root: at, runs } = workplace();
    for (const name of ["gone", "changed", "quiet"]) writeFileSync(`${at}/${name}`, "old");
    const actor = new Actor(at, runs);
    actor.unlink("gone");
    actor.overwrite("quiet", "run");
    actor.overwrite("changed", "run");
    actor.create("made");
    actor.end(false);
    writeFileSync(`${at}/changed`, "mine");
    const done = undo(runs, actor.run.id, at);
    expect(done.plan.warnings.join()).toContain("killed");
    expect(done.plan.refused.map(({ path }) => path.slice(at.length + 1))).toEqual(expect.arrayContaining(["changed"]));
    expect(readFileSync(`${at}/gone`, "utf8")).toBe("old");
    expect(readFileSync(`${at}/changed`, "utf8")).toBe("mine");
    undo(runs, actor.run.id, at, { force: true });
    expect(["changed", "quiet"].map((name) => readFileSync(`${at}/${name}`, "utf8"))).toEqual(["old", "old"]);
    expect(existsSync(`${at}/made`)).toBe(false);
  });

  test("a cut last line and a damaged one are passed over, with a warning", () => {
    const { root: at, runs } = workplace();
    for (const name of ["a", "b"]) writeFileSync(`${at}/${name}`, "old");
    const actor = new Actor(at, runs);
    actor.unlink("a");
    actor.unlink("b");
    actor.end();
    const journal = `${actor.run.folder}/journal.jsonl`;
    const text = readFileSync(journal, "utf8");
    writeFileSync(journal, `not json\n${text.slice(0, -20)}`);
    const done = undo(runs, actor.run.id, at);
    expect(done.plan.warnings.join()).toContain("2 lines of the journal");
    expect(readdirSync(at)).toEqual(["a"]);
  });

  test("a kept copy that is damaged is not put in place", () => {
    const { root: at, runs } = workplace();
    writeFileSync(`${at}/f`, "old bytes");
    const actor = new Actor(at, runs);
    actor.overwrite("f", "new");
    actor.end();
    truncateSync(`${actor.run.folder}/kept/1`, 3);
    const done = undo(runs, actor.run.id, at);
    expect(done.failed[0]?.why).toContain("damaged");
  });

  test("a cancelled call is as if it had not been", () => {
    const { root: at, runs } = workplace();
    mkdirSync(`${at}/d`);
    writeFileSync(`${at}/d/f`, "x");
    writeFileSync(`${at}/e`, "y");
    const actor = new Actor(at, runs);
    expect(actor.rmdir("d")).toBe(false);
    expect(actor.rename("d", "e")).toBe(false);
    expect(actor.unlink("d")).toBe(false);
    actor.end();
    expect(readdirSync(`${actor.run.folder}/kept`)).toEqual([]);
    expect(statSync(`${at}/e`).nlink).toBe(1);
    expect(undo(runs, actor.run.id, at).plan).toMatchObject({ steps: [], refused: [] });
  });
});

describe.runIf(root)("owners", () => {
  test("owner, group and set-id bits come back", () => {
    const { root: at, runs } = workplace();
    writeFileSync(`${at}/f`, "1");
    chownSync(`${at}/f`, 1234, 4321);
    chmodSync(`${at}/f`, 0o4755);
    const before = picture(at);
    const actor = new Actor(at, runs);
    actor.chown("f", 0, 0);
    actor.end();
    expect(picture(at)).not.toEqual(before);
    undo(runs, actor.run.id, at);
    expect(picture(at)).toEqual(before);
  });
});

describe("the runs that are kept", () => {
  const meta = (id: string, started: number, bytes: number) => ({ id, argv: ["x"], cwd: "/", started, bytes });
  test("the oldest go first, the last and the living stay", () => {
    const { runs } = workplace();
    const living = new RunFolder(runs, meta("living-00", 0, 0));
    for (let i = 1; i <= 5; i++) new RunFolder(runs, meta(`finished-${i}`, i, 100)).close();
    expect(isRunning(living.folder)).toBe(true);
    expect(prune(runs, { runs: 3, bytes: 1000, days: Infinity })).toEqual(["finished-2", "finished-1"]);
    expect(prune(runs, { runs: 9, bytes: 50, days: Infinity })).toEqual(["finished-4", "finished-3"]);
    expect(listRuns(runs).map(({ id }) => id)).toEqual(["living-00", "finished-5"]);
    living.close();
    expect(prune(runs, { runs: 1, bytes: 1000, days: Infinity })).toEqual(["living-00"]);
  });

  test("a folder that is no run is left alone", () => {
    const { runs } = workplace();
    mkdirSync(`${runs}/something`);
    writeFileSync(`${runs}/something/meta.json`, "{");
    expect(listRuns(runs)).toEqual([]);
    expect(prune(runs, { runs: 0, bytes: 0, days: 0 })).toEqual([]);
  });
});
