import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { saying, workplace } from "./driver.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");

/** Runs in a mount namespace of its own, on a file system of 300 kB. */
const script = (at: string): string => `
  import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
  import { RunFolder, sealRun, UndoStore, prepareUndo, undoRun, listRuns } from ${JSON.stringify(join(REPOSITORY, "packages/supervisor/src/supervise/undo/index.ts"))};
  const work = ${JSON.stringify(`${at}/work`)};
  const runs = ${JSON.stringify(`${at}/small`)};
  writeFileSync(work + "/small", "old");
  writeFileSync(work + "/large", "x".repeat(200_000));
  writeFileSync(work + "/other", "y".repeat(200_000));
  const run = new RunFolder(runs, { id: "run-00000", argv: ["x"], cwd: work, started: Date.now() });
  const store = new UndoStore(run.folder);
  const parentFd = openSync(work, "r");
  const modify = (name) => { const fd = openSync(work + "/" + name, "r"); const kept = store.modify(fd, work + "/" + name); closeSync(fd); return kept; };
  const first = modify("large");
  writeFileSync(work + "/large", "changed");
  const second = modify("other");
  const third = store.remove({ parentFd, name: Buffer.from("other"), path: work + "/other" });
  // The journal fills what is left.
  let refused, records = 0;
  while (refused === undefined && records < 100_000) {
    const kept = store.create(parentFd, work + "/" + "n".repeat(150) + records, "file");
    if (kept.kept) records += 1; else refused = kept;
  }
  store.close();
  const journal = readFileSync(run.folder + "/journal.jsonl", "utf8");
  const whole = journal.endsWith("\\n") && journal.trim().split("\\n").every((line) => JSON.parse(line));
  let sealed = "yes";
  try { sealRun(run.folder, Date.now()); } catch (error) { sealed = error.code; }
  run.close();
  const plan = prepareUndo([listRuns(runs)[0]], { paths: [work + "/large"], force: true });
  let undone = "yes";
  try { undoRun(runs, plan, { paths: [], force: true, now: Date.now() }); } catch (error) { undone = String(error.code ?? error.message); }
  console.log(JSON.stringify({ first, second, third, refused, records, whole, sealed, undone, kept: readdirSync(run.folder + "/kept"), other: statSync(work + "/other").size }));
`;

/** The files lie on the small file system, the records do not. */
const scriptOfUndo = (at: string): string => `
  import { closeSync, linkSync, openSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
  import { RunFolder, sealRun, UndoStore, prepareUndo, undoRun, listRuns } from ${JSON.stringify(join(REPOSITORY, "packages/supervisor/src/supervise/undo/index.ts"))};
  const work = ${JSON.stringify(`${at}/small`)};
  const runs = ${JSON.stringify(`${at}/work`)};
  writeFileSync(work + "/a", "x".repeat(150_000));
  linkSync(work + "/a", work + "/b");
  const run = new RunFolder(runs, { id: "run-00000", argv: ["x"], cwd: work, started: Date.now() });
  const store = new UndoStore(run.folder);
  const fd = openSync(work + "/a", "r");
  store.modify(fd, work + "/a");
  closeSync(fd);
  writeFileSync(work + "/a", "changed");
  store.close();
  sealRun(run.folder, Date.now());
  run.close();
  try { writeFileSync(work + "/filler", "f".repeat(1_000_000)); } catch {}
  const undo = () => {
    const options = { paths: [work + "/a"], force: true, now: Date.now() };
    const { failed } = undoRun(runs, prepareUndo([listRuns(runs).find(({ id }) => id === "run-00000")], options), options);
    const [a, b] = ["a", "b"].map((name) => statSync(work + "/" + name));
    return { failed: failed.map(({ path, why }) => path.slice(work.length) + " " + why), size: a.size, isLink: a.ino === b.ino };
  };
  const full = undo();
  const text = readFileSync(work + "/a", "utf8").slice(0, 20);
  rmSync(work + "/filler");
  console.log(JSON.stringify({ full, text, again: undo() }));
`;

/** Plays it in a mount namespace of its own, on a file system of 300 kB. */
async function play(text: string, top: string): Promise<unknown> {
  const outfile = join(REPOSITORY, "node_modules/.cache/assent", `full-disk-${process.pid}.mjs`);
  onTestFinished(() => rmSync(outfile, { force: true }));
  await build({
    stdin: { contents: text, resolveDir: REPOSITORY, loader: "js" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const mount = `mount -t tmpfs -o size=300k small "$1/small" && exec "$2" "$3"`;
  const { stdout, stderr, status } = spawnSync("unshare", ["-m", "sh", "-c", mount, "sh", top, process.execPath, outfile], {
    encoding: "utf8",
    timeout: 50_000,
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return JSON.parse(stdout);
}

test.runIf(process.getuid?.() === 0)("undo onto a full disk leaves a file as it is, says so, and loses no link", async () => {
  const { top } = workplace();
  for (const name of ["work", "small"]) mkdirSync(`${top}/${name}`, { recursive: true });
  expect(await play(scriptOfUndo(top), top)).toMatchObject({
    full: { failed: [expect.stringMatching(/^\/a could not be written \(.*ENOSPC/)], size: 7, isLink: true },
    text: "changed",
    again: { failed: [], size: 150_000, isLink: true },
  });
});

test.runIf(process.getuid?.() === 0)("on a full disk calls are refused with the reason, and what is written stays whole", async () => {
  const { top } = workplace();
  for (const name of ["work", "small"]) mkdirSync(`${top}/${name}`, { recursive: true });
  const result = await play(script(top), top);
  const full = { kept: false, ask: false, errno: 28, why: saying("the disk that holds Assent's records is full") };
  expect(result).toMatchObject({
    first: { kept: true },
    second: full,
    third: full,
    refused: full,
    whole: true,
    sealed: "ENOSPC",
    undone: "ENOSPC",
    kept: ["1"],
    other: 200_000,
  });
});
