import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { heldNames } from "../../packages/guard/src/engine/held-names.ts";

const root = mkdtempSync(join(tmpdir(), "assent-held-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
function home(...names: readonly string[]): string {
  const folder = join(root, `home${(made += 1)}`);
  mkdirSync(folder);
  for (const name of names) mkdirSync(join(folder, name));
  return folder;
}

/** Later than any settling: what is listed then is remembered. */
const LATER = Date.now() + 3_600_000;
/** The file system's clock goes on. */
const tick = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);

/** What an agent may do between two decisions, so that a folder holds `.claude` that held none when it was listed. */
const CHANGES: readonly (readonly [what: string, change: (home: string) => void])[] = [
  ["makes a link", (at) => symlinkSync("/etc", join(at, ".claude"))],
  ["makes a folder", (at) => mkdirSync(join(at, ".claude"))],
  ["renames another name to it", (at) => renameSync(join(at, "src"), join(at, ".claude"))],
  [
    "exchanges a name for it",
    (at) => {
      symlinkSync("/etc", join(at, "src/link"));
      renameSync(join(at, "src/link"), join(at, ".claude"));
    },
  ],
  [
    "sets the folder's times back after it",
    (at) => {
      symlinkSync("/etc", join(at, ".claude"));
      utimesSync(at, new Date(0), new Date(0));
    },
  ],
  [
    "gives it the access and modification times it had",
    (at) => {
      execFileSync("/bin/sh", ["-c", 'cp -a "$1" "$1.old"; ln -s /etc "$1/.claude"; touch -r "$1.old" "$1"', "sh", at]);
    },
  ],
  [
    "puts another folder in its place",
    (at) => {
      renameSync(at, `${at}.away`);
      mkdirSync(join(at, ".claude"), { recursive: true });
    },
  ],
  [
    "puts a link to another folder in its place",
    (at) => {
      renameSync(at, `${at}.away`);
      mkdirSync(join(`${at}.other`, ".claude"), { recursive: true });
      symlinkSync(`${at}.other`, at);
    },
  ],
  ["writes it with other letters", (at) => mkdirSync(join(at, ".CLAUDE"))],
  // A folder that folds case takes this for `.claude`: the soft hyphen counts for nothing.
  ["writes it with a letter that counts for nothing", (at) => mkdirSync(join(at, ".cl\u00ADaude"))],
];

describe("the names that a folder held", () => {
  it.each(CHANGES)("are forgotten when somebody %s", (_, change) => {
    const folder = home("src");
    tick();
    expect(heldNames(folder, LATER)(".claude")).toBe(false);
    tick();
    change(folder);
    expect(heldNames(folder, LATER)(".claude")).toBe(true);
  });

  it("are not remembered of a folder that has just been changed", () => {
    const folder = home("src");
    // Both may fall into one tick of the file system's clock, so nothing tells them apart by time.
    expect(heldNames(folder)(".claude")).toBe(false);
    mkdirSync(join(folder, ".claude"));
    expect(heldNames(folder)(".claude")).toBe(true);
  });

  it("are not remembered under a clock that was set back", () => {
    const folder = home("src");
    expect(heldNames(folder, 0)(".claude")).toBe(false);
    mkdirSync(join(folder, ".claude"));
    expect(heldNames(folder, 0)(".claude")).toBe(true);
  });

  it.each([
    [
      "a file",
      (at: string) => {
        rmSync(at, { recursive: true });
        writeFileSync(at, "");
      },
    ],
    [
      "a folder too large to list",
      (at: string) => {
        for (let n = 0; n < 2000; n += 1) writeFileSync(join(at, `a-long-name-of-a-file-that-fills-the-folder-${n}`), "");
      },
    ],
  ])("are looked for one by one where there is %s", (_, make) => {
    const folder = home();
    make(folder);
    expect(heldNames(folder, LATER)(".claude")).toBe(true);
  });

  it("holds nothing where there is no folder, until there is one", () => {
    const folder = home();
    rmSync(folder, { recursive: true });
    expect(heldNames(folder, LATER)(".claude")).toBe(false);
    mkdirSync(join(folder, ".claude"), { recursive: true });
    expect(heldNames(folder, LATER)(".claude")).toBe(true);
  });

  it("holds what the folder lists and nothing else", () => {
    const folder = home("a", "B", ".config");
    const mayHold = heldNames(folder, LATER);
    expect(readdirSync(folder).every((name) => mayHold(name.toLowerCase()))).toBe(true);
    expect(["c", ".confi", "", ".config2"].some(mayHold)).toBe(false);
  });
});
