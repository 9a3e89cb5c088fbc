import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Suite } from "../supervise/programs/place.ts";
import { TryPlace } from "./place.ts";

/** A plan that was kept is used where nothing has changed, and never where something has on which it rests. */
const suite = new Suite();
afterAll(() => suite.remove());

const SECRET = "swordfish";
const LOOK = "cat a.txt late.txt .env src/.env /var/tmp/nothing 2> /dev/null";
const DENY = '{ "version": 1, "permissions": { "deny": ["Read(late.txt)"] } }';

const plansOf = (place: TryPlace): string => join(place.place.state, "assent/tried/plans");
/** Changes where one is written anew. */
function stampsOf(place: TryPlace): string {
  const folder = plansOf(place);
  if (!existsSync(folder)) return "";
  return readdirSync(folder)
    .map(
      (name) => `${name} ${lstatSync(join(folder, name), { bigint: true }).ino} ${lstatSync(join(folder, name), { bigint: true }).mtimeNs}`,
    )
    .join("\n");
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function kept(files: Readonly<Record<string, string>> = {}): Promise<TryPlace> {
  const place = new TryPlace(suite, "root", { "late.txt": `${SECRET}\n`, ...files });
  await wait(100);
  // The first run of all makes a folder of Assent's, which the plan saw missing.
  for (let at = 0; at < 2; at++) await place.try(LOOK);
  expect(stampsOf(place)).not.toBe("");
  return place;
}

interface Change {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly change: (place: TryPlace) => void;
  /** The secret is read no more. */
  readonly closes?: true;
}

const home = (place: TryPlace, name: string): string => join(place.place.home, name);
const project = (place: TryPlace, name: string): string => join(place.cwd, name);

const CHANGES: readonly Change[] = [
  { name: "the user's policy is made", change: (place) => writeFileSync(home(place, ".agent-permissions.jsonc"), DENY), closes: true },
  {
    name: "the project's policy is made",
    change: (place) => writeFileSync(project(place, ".agent-permissions.jsonc"), DENY),
    closes: true,
  },
  {
    name: "a policy gets other bytes of the same length and time",
    files: { ".agent-permissions.jsonc": DENY.replace("late", "soon") },
    change: (place) => {
      const file = project(place, ".agent-permissions.jsonc");
      writeFileSync(file, DENY);
      utimesSync(file, 0, 0);
    },
    closes: true,
  },
  {
    name: "a folder is replaced by one with a secret and the same time",
    change: (place) => {
      const { mtime, atime } = lstatSync(project(place, "src"));
      rmSync(project(place, "src"), { recursive: true });
      mkdirSync(project(place, "src"));
      renameSync(project(place, "late.txt"), project(place, "src/.env"));
      utimesSync(project(place, "src"), atime, mtime);
    },
    closes: true,
  },
  {
    name: "a file becomes a secret by its name",
    change: (place) => renameSync(project(place, "late.txt"), project(place, ".env")),
    closes: true,
  },
  {
    name: "a secret gets a second name",
    files: { ".env": "KEY=1\n" },
    change: (place) => linkSync(project(place, ".env"), project(place, "a2.txt")),
    closes: true,
  },
  { name: "a secret's mode changes", files: { ".env": "KEY=1\n" }, change: (place) => chmodSync(project(place, ".env"), 0o600) },
  { name: "a trusted project is noted", change: (place) => writeFileSync(join(place.place.state, "assent/trust.json"), '{"projects":{}}') },
  { name: "a link comes into home", change: (place) => symlinkSync("/etc", home(place, "etc")) },
];

describe("a kept plan", () => {
  it("is used where nothing has changed, and its run is told of as any other", async () => {
    const place = await kept();
    const before = stampsOf(place);
    const first = JSON.parse((await place.assent("receipt", "--json")).stdout) as Record<string, unknown>;
    for (let at = 0; at < 2; at++) expect(await place.try(LOOK)).toMatchObject({ stdout: `a\n${SECRET}\n` });
    expect(stampsOf(place)).toBe(before);
    const last = JSON.parse((await place.assent("receipt", "--json")).stdout) as Record<string, unknown>;
    expect(Object.keys(last)).toEqual(Object.keys(first));
    expect(last).not.toEqual(first);
    expect((await place.assent("try", "list")).stdout).toBe("");
  });

  it.each(CHANGES)("is not used where $name", async ({ files, change, closes }) => {
    const place = await kept(files);
    const before = stampsOf(place);
    change(place);
    const ran = await place.try(LOOK);
    expect(ran.stdout.includes(SECRET)).toBe(closes !== true);
    expect(stampsOf(place)).not.toBe(before);
  });

  it.each([
    ["is cut off", (bytes: Buffer) => bytes.subarray(0, -20)],
    ["begins otherwise", (bytes: Buffer) => Buffer.concat([Buffer.from("assent-kept 2\0"), bytes.subarray(14)])],
    ["is empty", () => Buffer.alloc(0)],
  ])("is not used where it %s", async (_, change) => {
    const place = await kept();
    const [name = ""] = readdirSync(plansOf(place));
    const file = join(plansOf(place), name);
    writeFileSync(file, change(readFileSync(file)));
    expect(await place.try(LOOK)).toMatchObject({ stdout: `a\n${SECRET}\n` });
  });

  it.each([
    ["others may write it", (file: string) => chmodSync(file, 0o666)],
    ["it has a second name", (file: string) => linkSync(file, `${file}.too`)],
    ["it is a link", (file: string) => (renameSync(file, `${file}.too`), symlinkSync(`${file}.too`, file))],
  ])("is not used where %s", async (_, change) => {
    const place = await kept();
    const [name = ""] = readdirSync(plansOf(place));
    const file = join(plansOf(place), name);
    change(file);
    const before = stampsOf(place);
    expect(await place.try(LOOK)).toMatchObject({ stdout: `a\n${SECRET}\n` });
    expect(stampsOf(place)).not.toBe(before);
  });

  it("is not used for other variables", async () => {
    const place = await kept();
    expect(await place.try("echo $LATE", ["--apply"], { LATE: "1" })).toMatchObject({ stdout: "1\n" });
    expect(await place.try("echo $LATE", ["--apply"], { LATE: "2" })).toMatchObject({ stdout: "2\n" });
  });

  it("has what it changed judged, and ends as the program did", async () => {
    const place = await kept();
    for (const text of ["1", "2", "3"]) {
      expect(await place.try("echo x >> a.txt; exit 3")).toMatchObject({ status: 3 });
      expect(readFileSync(project(place, "a.txt"), "utf8")).toBe(`a\n${"x\n".repeat(Number(text))}`);
    }
    for (let at = 0; at < 3; at++) expect(await place.try("kill -TERM $$")).toMatchObject({ status: 143 });
    for (let at = 0; at < 3; at++) expect(await place.try("mkdir .claude; echo {} > .claude/settings.json")).toMatchObject({ status: 75 });
    expect(existsSync(project(place, ".claude"))).toBe(false);
  });

  it("loses no change of a place's own mode", async () => {
    const place = await kept();
    const argv = [process.execPath, place.command, "try", "--apply", "--", "sh", "-c", "read mode && chmod $mode ."];
    const modes: number[] = [];
    for (const input of ["755\n", "755\n", "700\n"]) {
      expect(await place.place.run({ user: "root", argv, input })).toMatchObject({ status: 0 });
      modes.push(lstatSync(place.cwd).mode & 0o777);
    }
    expect(modes).toEqual([0o755, 0o755, 0o700]);
  });

  it("has a folder's name changed by whoever judges it", async () => {
    const place = await kept();
    for (const [from, to] of [
      ["src", "s2"],
      ["s2", "src"],
      ["src", "s2"],
    ] as const) {
      const code = `import os; os.rename("${from}", "${to}"); print("done")`;
      expect(await place.try(`python3 -c '${code}'`)).toMatchObject({ status: 0, stdout: "done\n" });
      expect(existsSync(project(place, to))).toBe(true);
    }
  });
});
