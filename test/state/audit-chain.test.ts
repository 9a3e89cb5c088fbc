import { execFile, spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { chained, linkOf } from "../../packages/guard/src/audit/chain.ts";
import { readHead, writeHead } from "../../packages/guard/src/audit/files.ts";
import { appendAudit, KEEP, lastOf, query, verifyLog } from "@assent/guard/audit";
import { stateFolder, thisMachine, withLock } from "@assent/guard/state";
import { scratch } from "../scratch.ts";

const run = promisify(execFile);

function world() {
  const { home: folder } = scratch();
  const machine = { ...thisMachine(), home: folder, env: {} };
  const state = stateFolder(machine);
  const log = join(state, "audit.jsonl");
  let number = 0;
  const append = (count: number, keep = KEEP): void => {
    for (let at = 0; at < count; at += 1)
      expect(
        appendAudit(
          machine,
          JSON.stringify({ v: 1, time: new Date().toISOString(), number: (number += 1), text: 'a "quoted" \n line' }),
          keep,
        ),
      ).toBeUndefined();
  };
  const lines = (): string[] => readFileSync(log, "utf8").split("\n").slice(0, -1);
  const rewrite = (change: (lines: string[]) => string[]): void =>
    writeFileSync(
      log,
      change(lines())
        .map((line) => `${line}\n`)
        .join(""),
    );
  const flaws = () => verifyLog(state).flaws.map(({ kind, file, line }) => `${kind} ${file}${line === undefined ? "" : `:${line}`}`);
  return { folder, machine, state, log, append, lines, rewrite, flaws };
}

describe("the audit log's chain", () => {
  it("a log that was only written to is whole", () => {
    const { append, state } = world();
    append(20);
    expect(verifyLog(state)).toEqual({ records: 20, torn: 0, unchained: 0, flaws: [] });
  });

  it("no log is whole too", () => {
    const { state } = world();
    mkdirSync(state, { recursive: true });
    expect(verifyLog(state)).toEqual({ records: 0, torn: 0, unchained: 0, flaws: [] });
  });

  type World = ReturnType<typeof world>;
  const tampering: readonly (readonly [string, (world: World) => void, readonly string[]])[] = [
    [
      "a text changed",
      ({ rewrite }) => rewrite((lines) => lines.with(4, (lines[4] ?? "").replace("quoted", "altered"))),
      ["changed audit.jsonl:5"],
    ],
    [
      "one digit changed in the first",
      ({ rewrite }) => rewrite((lines) => lines.with(0, (lines[0] ?? "").replace('"number":1', '"number":7'))),
      ["changed audit.jsonl:1"],
    ],
    [
      "the last one changed",
      ({ rewrite }) => rewrite((lines) => lines.with(9, (lines[9] ?? "").replace("quoted", "altered"))),
      ["changed audit.jsonl:10"],
    ],
    [
      "two changed",
      ({ rewrite }) =>
        rewrite((lines) =>
          lines.with(2, (lines[2] ?? "").replace("quoted", "altered")).with(6, (lines[6] ?? "").replace("quoted", "altered")),
        ),
      ["changed audit.jsonl:3", "changed audit.jsonl:7"],
    ],
    ["one removed", ({ rewrite }) => rewrite((lines) => lines.toSpliced(4, 1)), ["missing audit.jsonl:5"]],
    ["the first removed", ({ rewrite }) => rewrite((lines) => lines.slice(1)), ["missing audit.jsonl:1"]],
    [
      "two exchanged",
      ({ rewrite }) => rewrite((lines) => lines.with(3, lines[4] ?? "").with(4, lines[3] ?? "")),
      ["missing audit.jsonl:4", "outside audit.jsonl:5"],
    ],
    ["one put in twice", ({ rewrite }) => rewrite((lines) => lines.toSpliced(5, 0, lines[4] ?? "")), ["moved audit.jsonl:6"]],
    ["a line put in", ({ rewrite }) => rewrite((lines) => lines.toSpliced(5, 0, '{"v":1,"verdict":"allow"}')), ["outside audit.jsonl:6"]],
    ["a line put in at the end", ({ log }) => appendFileSync(log, '{"v":1}\n'), ["outside audit.jsonl:11"]],
    ["the last three cut", ({ rewrite }) => rewrite((lines) => lines.slice(0, -3)), ["cut audit.jsonl:8"]],
    ["cut in the middle of a record", ({ log }) => truncateSync(log, statSync(log).size - 10), ["cut audit.jsonl:11"]],
    ["all cut", ({ log }) => truncateSync(log, 0), ["cut audit.jsonl:1"]],
    ["the file gone", ({ log }) => rmSync(log), ["unreadable audit.jsonl", "cut audit.jsonl:1"]],
    ["the file and the head gone", ({ log, state }) => (rmSync(log), rmSync(join(state, "audit.head"))), ["missing audit.jsonl"]],
    [
      "the file and the head gone, then written to again",
      ({ log, state, append }) => (rmSync(log), rmSync(join(state, "audit.head")), append(2)),
      ["missing audit.jsonl:1"],
    ],
    [
      "a record of another log put in, with a hash that fits what it stands behind",
      ({ rewrite, lines }) => {
        const third = linkOf(Buffer.from(lines()[2] ?? ""))?.link ?? { seq: 0, hash: "" };
        rewrite((all) => all.toSpliced(3, 0, chained(third, new Uint8Array(), '{"v":1,"verdict":"allow"}').line));
      },
      ["outside audit.jsonl:4"],
    ],
    ["the head gone", ({ state }) => rmSync(join(state, "audit.head")), ["head audit.jsonl"]],
    ["cut, then written to again", ({ rewrite, append }) => (rewrite((lines) => lines.slice(0, -3)), append(2)), ["missing audit.jsonl:8"]],
    [
      "cut in a record, then written to again",
      ({ log, append }) => (truncateSync(log, statSync(log).size - 10), append(1)),
      ["missing audit.jsonl:11"],
    ],
    [
      "cut and the head gone, then written to again",
      ({ rewrite, state, append }) => (rewrite((lines) => lines.slice(0, -3)), rmSync(join(state, "audit.head")), append(1)),
      ["head audit.jsonl:8"],
    ],
  ];
  it.each(tampering)("%s: it shows, and where", (_what, tamper, expected) => {
    const all = world();
    all.append(10);
    tamper(all);
    expect(all.flaws()).toEqual(expected);
  });

  it("a process killed in the middle of a record leaves a torn line; the log goes on and is whole", () => {
    const { append, log, state } = world();
    append(3);
    appendFileSync(log, '{"v":1,"time":"2026-');
    expect(verifyLog(state)).toMatchObject({ torn: 1, flaws: [] });
    append(3);
    expect(verifyLog(state)).toEqual({ records: 6, torn: 1, unchained: 0, flaws: [] });
  });

  it("a process killed between the record and the head: the log goes on and is whole", () => {
    const { append, state } = world();
    append(3);
    const head = readFileSync(join(state, "audit.head"));
    append(2);
    writeFileSync(join(state, "audit.head"), head);
    expect(verifyLog(state)).toMatchObject({ records: 5, flaws: [] });
    append(1);
    expect(verifyLog(state)).toEqual({ records: 6, torn: 0, unchained: 0, flaws: [] });
  });

  it("a line that anybody can write is no decision", () => {
    const { append, log, state } = world();
    append(2);
    appendFileSync(log, '{"v":1,"time":"2026-01-01T00:00:00.000Z","agent":"claude","verdict":"allow","input":{"command":"forged"}}\n');
    expect(lastOf(state, {}, 10).map(({ entry }) => entry.subject)).not.toContain("forged");
    expect(lastOf(state, {}, 10)).toHaveLength(2);
  });

  it("a torn line that is changed afterwards shows", () => {
    const { append, log, lines, rewrite, flaws } = world();
    append(2);
    appendFileSync(log, '{"v":1,"ti');
    append(1);
    rewrite(() => lines().with(2, '{"v":1,"to'));
    expect(flaws()).toEqual(["changed audit.jsonl:4"]);
  });
});

describe("rotation and retention", () => {
  const small = { ...KEEP, segmentBytes: 1000 };

  it("a full file is put aside, and the chain goes through all of them", () => {
    const { append, state } = world();
    append(40, small);
    expect(readdirSync(state).filter((name) => name.startsWith("audit-")).length).toBeGreaterThan(3);
    expect(verifyLog(state)).toMatchObject({ records: 40, flaws: [] });
  });

  it("a file that is gone shows", () => {
    const { append, state, flaws } = world();
    append(40, small);
    rmSync(join(state, "audit-000002.jsonl"));
    expect(flaws()[0]).toBe("missing audit-000003.jsonl");
  });

  it("the oldest files gone shows", () => {
    const { append, state, flaws } = world();
    append(40, small);
    rmSync(join(state, "audit-000001.jsonl"));
    expect(flaws()).toContain("missing audit-000002.jsonl");
  });

  it("killed while a file was put aside: goes on", () => {
    const { append, state, log } = world();
    append(5);
    renameSync(log, join(state, "audit-000001.jsonl"));
    append(5);
    expect(verifyLog(state)).toMatchObject({ records: 10, flaws: [] });
  });

  it("what is too old is dropped, and the log says so", () => {
    const { append, state, flaws } = world();
    append(40, small);
    const old = new Date(Date.now() - 100 * 86_400_000);
    for (const name of ["audit-000001.jsonl", "audit-000002.jsonl"]) utimesSync(join(state, name), old, old);
    append(8, small);
    expect(readdirSync(state)).not.toContain("audit-000001.jsonl");
    expect(flaws()).toEqual([]);
    // And more than was dropped is noticed.
    rmSync(join(state, "audit-000003.jsonl"));
    expect(flaws()).not.toEqual([]);
  });

  it("what is too much is dropped", () => {
    const { append, state, flaws } = world();
    append(60, { ...small, bytes: 4000 });
    const left = readdirSync(state).filter((name) => name.endsWith(".jsonl"));
    expect(left.reduce((sum, name) => sum + statSync(join(state, name)).size, 0)).toBeLessThan(6000);
    expect(flaws()).toEqual([]);
  });
});

describe("many processes", () => {
  const appender = join(import.meta.dirname, "../../node_modules/.cache/assent/test-appender.mjs");
  beforeAll(async () => {
    await build({
      entryPoints: [join(import.meta.dirname, "appender.ts")],
      outfile: appender,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
  });

  // `npm run test:long` starts 250, each of which writes 50.
  const isLong = process.env["TEST_LONG"] !== undefined;
  const processes = isLong ? 250 : 40;
  it(`${processes} at once lose no record and tear none`, async () => {
    const { folder, state, append } = world();
    await Promise.all(Array.from({ length: processes }, (_, at) => run(process.execPath, [appender, folder, "50", `p${at}`])));
    expect(verifyLog(state)).toEqual({ records: 50 * processes, torn: 0, unchained: 0, flaws: [] });
    append(1);
    expect(verifyLog(state)).toEqual({ records: 50 * processes + 1, torn: 0, unchained: 0, flaws: [] });
  }, 300_000);

  it.each([1, 2, 5])("a head that another process writes late, after %i files were put aside, misleads nobody", (files) => {
    const { state, append } = world();
    const small = { ...KEEP, segmentBytes: 4000 };
    append(100, small);
    const log = join(state, "audit.jsonl");
    const head = readHead(state);
    const aside = (): number => readdirSync(state).filter((name) => /^audit-\d+\.jsonl$/.test(name)).length;
    const before = aside();
    while (aside() < before + files) append(1, small);
    append(3, small);
    // As if the file that it names had been as long as this one is.
    if (head !== undefined) writeHead(state, { ...head, size: statSync(log).size });
    append(60, small);
    expect(verifyLog(state)).toMatchObject({ torn: 0, flaws: [] });
  });

  it("as many at once while files are put aside", async () => {
    const { folder, state } = world();
    const calls = Array.from({ length: 12 }, (_, at) => run(process.execPath, [appender, folder, "100", `p${at}`, "4000"]));
    await Promise.all(calls);
    const { torn, flaws } = verifyLog(state);
    // The log also says of itself that a file was put aside.
    expect({ decisions: [...query(state, {})].length, torn, flaws }).toEqual({ decisions: 1200, torn: 0, flaws: [] });
    expect(readdirSync(state).filter((name) => name.startsWith("audit-")).length).toBeGreaterThan(10);
  }, 120_000);

  // A container that shares the home counts processes anew: the number of a holder says nothing there.
  it("in two namespaces of process ids that share the folder", async () => {
    const { folder, state } = world();
    const inside = (name: string) =>
      run("unshare", ["--user", "--map-current-user", "--pid", "--fork", process.execPath, appender, folder, "300", name]);
    await Promise.all(["a", "b", "c", "d"].map(inside));
    expect(verifyLog(state)).toEqual({ records: 1200, torn: 0, unchained: 0, flaws: [] });
  }, 120_000);

  it("on a disk that is full: what was logged stays whole, and it goes on when there is room", async () => {
    const { folder, machine } = world();
    const script = `mount -t tmpfs -o size=96k none "$2" && mkdir -p "$2/.local/state/assent" && chmod 700 "$2/.local/state/assent"
      for n in 1 2 3 4; do "$0" "$1" "$2" 400 p$n & done; wait
      dd if=/dev/zero of="$2/filler" 2>/dev/null; "$0" "$1" "$2" 3 q; rm "$2/filler"
      mount -o remount,size=4m "$2"; "$0" "$1" "$2" 5 last && cp -a "$2/.local" "$3"`;
    const out = scratch().home;
    await run("unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", script, process.execPath, appender, folder, out]);
    const { records, flaws } = verifyLog(stateFolder({ ...machine, home: out }));
    expect({ enough: records > 50, flaws }).toEqual({ enough: true, flaws: [] });
  }, 120_000);

  /** Needs userfaultfd(2), which the kernel gives to root. */
  it.skipIf(process.getuid?.() !== 0)("one whose write the kernel does in two parts is waited for, however long it takes", async () => {
    const [one, other] = ["one", "other"].map((name) => mkdtempSync(join("/dev/shm", `assent-${name}-`)));
    onTestFinished(() => [one, other].forEach((folder) => rmSync(folder ?? "", { recursive: true })));
    const machine = { ...thisMachine(), home: one ?? "", env: {} };
    const record = (length: number): string => JSON.stringify({ v: 1, time: new Date().toISOString(), text: "x".repeat(length) });
    appendAudit(machine, record(3500));
    cpSync(one ?? "", other ?? "", { recursive: true });
    // What the other one is about to write, up to the head, which it never comes to.
    const log = join(stateFolder(machine), "audit.jsonl");
    const before = statSync(log).size;
    appendAudit({ ...machine, home: other ?? "" }, record(1500));
    const bytes = join(other ?? "", "bytes");
    writeFileSync(bytes, readFileSync(join(stateFolder({ ...machine, home: other ?? "" }), "audit.jsonl")).subarray(before));
    const writer = spawn("python3", [join(import.meta.dirname, "slow-write.py"), log, bytes, "0.5"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(writer.stdout, "data");
    expect(statSync(log).size).toBe(4096);
    appendAudit(machine, record(10));
    expect(verifyLog(stateFolder(machine))).toEqual({ records: 3, torn: 0, unchained: 0, flaws: [] });
  });

  it("killed at any moment: the log is whole and the others go on", async () => {
    const { folder, state, append } = world();
    const children = Array.from({ length: 6 }, (_, at) =>
      spawn(process.execPath, [appender, folder, "100000", `p${at}`], { stdio: "ignore" }),
    );
    onTestFinished(() => children.forEach((child) => child.kill("SIGKILL")));
    await expect.poll(() => verifyLog(state).records, { timeout: 30_000, interval: 200 }).toBeGreaterThan(100);
    for (const child of children) {
      child.kill("SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    for (const child of children) if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    append(3);
    const { unchained, flaws } = verifyLog(state);
    expect({ unchained, flaws }).toEqual({ unchained: 0, flaws: [] });
  });

  it("a lock whose holder has died is taken over", () => {
    const { state } = world();
    mkdirSync(state, { recursive: true });
    const lock = join(state, "some.lock");
    // No process has the largest number there is (kernel/pid.h: PID_MAX_LIMIT is 2^22).
    symlinkSync(`4194303 ${readlinkSync("/proc/self/ns/pid")}`, lock);
    expect(withLock(lock, 2000, () => "done")).toBe("done");
    expect(readdirSync(state)).toEqual([]);
  });

  it("a lock that was left behind long ago is taken over, though a process has that id again", () => {
    const { state } = world();
    mkdirSync(state, { recursive: true });
    const lock = join(state, "some.lock");
    symlinkSync(String(process.pid), lock);
    const old = new Date(Date.now() - 60_000);
    lutimesSync(lock, old, old);
    expect(withLock(lock, 500, () => "done")).toBe("done");
  });

  it("a lock that is held is waited for, and not taken", () => {
    const { state } = world();
    mkdirSync(state, { recursive: true });
    const lock = join(state, "some.lock");
    symlinkSync(`${process.pid} ${readlinkSync("/proc/self/ns/pid")}`, lock);
    expect(withLock(lock, 50, () => "done")).toBeUndefined();
  });
});
