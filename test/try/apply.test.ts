import { linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { has, LONG, Suite } from "../supervise/programs/place.ts";
import { treeOf, TryPlace } from "./place.ts";

/** Applying that is killed in the middle goes on or goes back, and loses nothing. */
const suite = new Suite();
afterAll(() => suite.remove());

const isRoot = process.getuid?.() === 0;
const COMMAND = [
  "echo new > a.txt",
  "rm -r gone",
  "mkdir -p made/x; echo 1 > made/x/y; echo 2 > made/z",
  "rm swap; mkdir swap; echo in > swap/in",
  "ln -s a.txt link",
  "chmod 600 mode.txt",
  "echo more >> linked",
  "mv src/b.txt src/c.txt",
].join("; ");

function prepared(): TryPlace {
  const place = new TryPlace(suite, "root", { "gone/1": "1", "gone/d/2": "2", swap: "file", "mode.txt": "m", linked: "l\n" });
  linkSync(join(place.cwd, "linked"), join(place.cwd, "src/other"));
  return place;
}

/** Their folders; plans that are kept lie beside them. */
const runsLeft = (place: TryPlace): readonly string[] =>
  readdirSync(join(place.place.state, "assent/tried")).filter((name) => name !== "plans");

const idOf = async (place: TryPlace): Promise<string> => (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";

/** What was about to be removed has another name among what is kept for undo. */
const withoutCounts = (tree: readonly string[]): readonly string[] => tree.map((line) => line.replace(/^(\S+ \d+) \d+ /, "$1 "));

/** Times apart, which undo brings back and a tree is not compared by. */
const bare = prepared();
const before = treeOf(bare.cwd);

describe.skipIf(!isRoot || !has("strace"))("applying that is killed", () => {
  /** Every how manyth of these calls is the last one, where not each of all is played. */
  const CALLS: Readonly<Record<string, readonly number[]>> = {
    renameat2: [1, 3, 5, 7],
    unlinkat: [1, 3, 5],
    ftruncate: [1],
    copy_file_range: [1],
    utimensat: [1, 2],
    // Its records: scan.json, meta.json.
    rename: [1, 2, 3],
    // In the middle of one, and of a line of the journal of undo.
    write: [3, 6, 9, 12],
    ...(LONG ? { fchmodat: [], linkat: [], fsync: [], pwrite64: [] } : {}),
  };
  const rows = Object.entries(CALLS).flatMap(([call, times]) => (LONG ? [[call, 1] as const] : times.map((time) => [call, time] as const)));
  /** Of one step; with all, of each until applying is over before it. */
  async function atEach(time: number, play: (at: number) => Promise<boolean>): Promise<void> {
    const last = LONG ? 1000 : time;
    for (let at = time; at <= last; at++) if (!(await play(at))) return;
    expect(last).toBe(time);
  }

  async function killedAt(
    call: string,
    time: number,
  ): Promise<{ readonly place: TryPlace; readonly id: string; readonly killed: boolean }> {
    const place = prepared();
    await place.try(COMMAND, []);
    const id = await idOf(place);
    const inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${time}`];
    const ran = await place.place.run({ user: "root", argv: [...inject, process.execPath, suite.command, "try", "apply", id] });
    return { place, id, killed: ran.status === "SIGKILL" || ran.status === 137 };
  }

  it.each(rows)(
    "at its %s number %i goes on, and the tree is the same as without",
    async (call, time) => {
      if (treeOf(bare.cwd).includes("gone/ 755")) await bare.bare(COMMAND);
      await atEach(time, async (at) => {
        const { place, id, killed } = await killedAt(call, at);
        // Killed while its layers were taken away, nothing is left to go on with.
        const isLeft = (await place.assent("try", "list")).stdout.includes(id);
        if (isLeft) expect(await place.assent("try", "apply", id), `at ${at}`).toMatchObject({ status: 0 });
        expect(runsLeft(place), `at ${at}`).toEqual([]);
        expect(treeOf(place.cwd), `at ${at}`).toEqual(treeOf(bare.cwd));
        expect(await place.assent("undo", "--yes"), `at ${at}`).toMatchObject({ status: 0 });
        expect(withoutCounts(treeOf(place.cwd)), `at ${at}`).toEqual(withoutCounts(before));
        return killed;
      });
    },
    LONG ? 1_800_000 : undefined,
  );

  // What was written in the very step of a kill is left as it is by an undo, which cannot know whose it is.
  it.each(rows.filter(([call]) => call === "renameat2" || call === "unlinkat"))(
    "at its %s number %i goes back, and the tree is as before",
    async (call, time) => {
      await atEach(time, async (at) => {
        const { place, id, killed } = await killedAt(call, at);
        await place.assent("undo", "--yes");
        expect(withoutCounts(treeOf(place.cwd)), `at ${at}`).toEqual(withoutCounts(before));
        const isLeft = (await place.assent("try", "list")).stdout.includes(id);
        expect(await place.assent("try", "drop", id)).toMatchObject({ status: isLeft ? 0 : 2 });
        expect(runsLeft(place)).toEqual([]);
        return killed;
      });
    },
    LONG ? 1_800_000 : undefined,
  );
});

describe.skipIf(!isRoot || !has("strace"))("dropping that is killed", () => {
  it.each([1, 2, 4, 6])("at its unlinkat number %i leaves nothing that could be applied", async (time) => {
    const place = prepared();
    await place.try(COMMAND, []);
    const id = await idOf(place);
    const inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e", `inject=unlinkat:signal=KILL:when=${time}`];
    await place.place.run({ user: "root", argv: [...inject, process.execPath, suite.command, "try", "drop", id] });
    expect(await place.assent("try", "apply", id)).toMatchObject({ status: 2 });
    expect(treeOf(place.cwd)).toEqual(before);
    expect(runsLeft(place)).toEqual([]);
  });
});

describe.skipIf(!isRoot)("a tried run", () => {
  it("that fills the disk of its layers changes nothing, and its program is told", async () => {
    const place = new TryPlace(suite, "root");
    const script = [
      'mount -t tmpfs -o size=2m tmpfs "$XDG_STATE_HOME"',
      `"${process.execPath}" "${suite.command}" try --apply -- sh -c 'head -c 8000000 /dev/zero > big; echo "status $?"'`,
    ].join(" && ");
    const ran = await place.place.run({ user: "root", argv: ["unshare", "-m", "sh", "-c", script] });
    expect(ran.stdout + ran.stderr).toContain("No space left on device");
    expect(treeOf(place.cwd).some((line) => line.startsWith("big 644 1 x"))).toBe(false);
  });

  it("whose layers lie on another file system is applied by copies, with links, modes and times", async () => {
    const place = prepared();
    const script = [
      'mount -t tmpfs tmpfs "$XDG_STATE_HOME"',
      `"${process.execPath}" "${suite.command}" try --apply -- sh -c '${COMMAND}'`,
    ].join(" && ");
    const ran = await place.place.run({ user: "root", argv: ["unshare", "-m", "sh", "-c", script] });
    expect(ran.status, ran.stderr).toBe(0);
    const plain = prepared();
    await plain.bare(COMMAND);
    expect(treeOf(place.cwd)).toEqual(treeOf(plain.cwd));
  });

  it("does not begin where something is mounted inside the project", async () => {
    const place = new TryPlace(suite, "root");
    mkdirSync(join(place.cwd, "m"));
    const script = `mount -t tmpfs tmpfs m && "${process.execPath}" "${suite.command}" try -- true`;
    const ran = await place.place.run({ user: "root", argv: ["unshare", "-m", "sh", "-c", script] });
    expect(ran).toMatchObject({ status: 125 });
    expect(ran.stderr).toContain("is mounted inside");
  });

  it("reads no secret by a second mount of its folder", async () => {
    const place = new TryPlace(suite, "root", { ".env": "TOKEN=swordfish\n" });
    const second = join(place.place.folder, "second");
    mkdirSync(second);
    const script = `mount --bind "$PWD" "${second}" && "${process.execPath}" "${suite.command}" try -- sh -c 'cat .env "${second}/.env"'`;
    const ran = await place.place.run({ user: "root", argv: ["unshare", "-m", "sh", "-c", script] });
    expect(ran.stdout + ran.stderr).not.toContain("swordfish");
  });

  it("that changed what another has changed meanwhile overwrites nothing of it", async () => {
    const place = new TryPlace(suite, "root");
    for (const number of [1, 2]) await place.try(`echo ${number} >> a.txt; echo ${number} > made${number}`, []);
    const [first = "", second = ""] = (await place.assent("try", "list")).stdout.split("\n").map((line) => line.split(" ")[0] ?? "");
    expect(await place.assent("try", "apply", first)).toMatchObject({ status: 0 });
    const after = treeOf(place.cwd);
    const applied = await place.assent("try", "apply", second);
    expect(applied).toMatchObject({ status: 75 });
    expect(applied.stderr).toContain("by somebody else");
    expect(treeOf(place.cwd)).toEqual(after);
  });

  it.each([
    ["try --apply", "try --apply"],
    ["try --apply", "run -P"],
    ["run -P", "try --apply"],
  ])("is none within another, and changes nothing there: assent %s -- assent %s", async (outer, inner) => {
    const place = new TryPlace(suite, "root", { ".env": "TOKEN=swordfish\n" });
    const before = treeOf(place.cwd);
    const assent = `"${process.execPath}" "${suite.command}"`;
    await place.bare(`${assent} ${outer} -- sh -c '${assent} ${inner} -- sh -c "echo x > inner; cat .env > got"' > "$HOMEDIR/said" 2>&1`);
    const said = readFileSync(join(place.place.home, "said"), "utf8");
    if (outer === inner) expect(said).toContain("this cannot be tried");
    expect(said).not.toContain("swordfish");
    expect(treeOf(place.cwd).filter((line) => line.includes("swordfish"))).toEqual(before.filter((line) => line.includes("swordfish")));
  });

  it("stops where the disk is full while it is applied, and goes on when there is room", async () => {
    const place = new TryPlace(suite, "root");
    const assent = `"${process.execPath}" "${suite.command}"`;
    const script = [
      'mkdir small; mount -t tmpfs -o size=1m tmpfs small; cd small; mkdir .git; echo "ref: x" > .git/HEAD; echo old > there',
      "head -c 600000 /dev/zero > full",
      `${assent} try -- sh -c 'echo new > there; echo 1 > first; head -c 900000 /dev/zero > second' ; echo "status $?"`,
      `${assent} try apply $(${assent} try list | cut -d" " -f1); echo "status $?"; ls; cat there`,
      `rm full; ${assent} try apply $(${assent} try list | cut -d" " -f1); echo "status $?"; ls; cat there; wc -c < second`,
    ].join("\n");
    const ran = await place.place.run({ user: "root", argv: ["unshare", "-m", "sh", "-c", script] });
    expect(ran.stdout, ran.stderr).toMatch(/^status 75\nstatus 75\n/);
    expect(ran.stdout, ran.stderr).toMatch(/status 0\nfirst\nsecond\nthere\nnew\n900000\n$/);
  });

  it("does not begin while another goes on in the same project", async () => {
    const place = new TryPlace(suite, "root");
    const first = place.try("sleep 4; echo 1 > first.txt");
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const second = await place.try("echo 2 > second.txt");
    expect(second).toMatchObject({ status: 125 });
    expect(second.stderr).toContain("another tried command is going on");
    expect((await first).status).toBe(0);
  });
});
