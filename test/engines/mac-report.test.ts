import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../scratch.ts";

/** What `test/machines/mac.sh` prints, which somebody with a Mac sends back as `results/mac.tsv`. */
interface MacRow {
  readonly tried: string;
  readonly works: boolean;
  readonly seen: string;
}

const PARTS = ["system", "hooks", "run", "undo", "page"];

function readReport(text: string): readonly MacRow[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [tried = "", works = "", seen, ...more] = line.split("\t");
      if ((works !== "yes" && works !== "no") || seen === undefined || more.length > 0) throw new Error(`no line of a report: ${line}`);
      return { tried, works: works === "yes", seen };
    });
}

const partsOf = (rows: readonly MacRow[]): readonly string[] => [...new Set(rows.map(({ tried }) => tried.split(":")[0] ?? ""))];

describe("the script for a Mac", () => {
  it("says of each part whether it works; on Linux all do", () => {
    const place = scratch();
    // Runs may write in temporary folders, and what packages bring is no secret.
    const folder = import.meta.dirname;
    const { stdout, status } = spawnSync("sh", [join(import.meta.dirname, "../machines/mac.sh")], {
      encoding: "utf8",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, MAC_SCRATCH: folder },
    });
    const rows = readReport(stdout);
    expect(rows.filter(({ works }) => !works)).toEqual([]);
    expect([partsOf(rows), rows.length, status]).toEqual([PARTS, 11, 0]);
    expect(stdout).not.toContain("assent-mac-");
  });

  it("a line that is none is refused", () => {
    for (const text of ["hooks", "hooks\tmaybe\tx", "hooks\tyes", "hooks\tyes\tx\ty"]) expect(() => readReport(text)).toThrow(/no line/);
  });

  const SENT = join(import.meta.dirname, "../machines/results/mac.tsv");
  it.skipIf(!existsSync(SENT))("what was sent from a Mac is whole, and of a Mac", () => {
    const rows = readReport(readFileSync(SENT, "utf8"));
    expect(partsOf(rows)).toEqual(PARTS);
    expect(rows[0]?.seen).toMatch(/^macOS \d/);
  });
});
