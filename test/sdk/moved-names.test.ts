import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { libraryExports } from "../../scripts/library-docs.ts";
import { DIST } from "../scratch.ts";

/** The names that moved from `assent` to `assent/compat` (moved-names.txt): each is there, the thing that it was, and nowhere else. */

const ROOT = join(import.meta.dirname, "../..");
const ROWS = [...readFileSync(join(import.meta.dirname, "moved-names.txt"), "utf8").matchAll(/^(\w+): (.*)$/gm)];
const MOVED = ROWS.flatMap(([, kind = "", names = ""]) => names.split(" ").map((name) => ({ kind, name })));

const built = async (entry: string): Promise<ReadonlyMap<string, unknown>> =>
  new Map(Object.entries((await import(join(DIST, entry))) as Readonly<Record<string, unknown>>));

function kindOf(value: unknown): string {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : typeof value;
}

describe("names that moved", () => {
  const entries = libraryExports(ROOT);
  const namesOf = (entry: string): ReadonlyMap<string, string> =>
    new Map(entries.find(({ title }) => title.includes(`from "${entry}"`))?.exports.map(({ name, kind }) => [name, kind]));

  it("are the same kind of thing in the built package", async () => {
    const [before, now] = await Promise.all([built("library.mjs"), built("compat.mjs")]);
    const declared = namesOf("assent/compat");
    expect(MOVED.length).toBe(68);
    for (const { kind, name } of MOVED) {
      if (kind === "type") expect(declared.get(name), name).toMatch(/^(?:interface|type)$/);
      else expect(kindOf(now.get(name)), name).toBe(kind);
      expect(before.has(name) || namesOf("assent").has(name), name).toBe(false);
    }
  });

  it("are all that moved: besides them `assent/compat` has what codex has, and `assent` no more than 80 names", () => {
    const moved = new Set(MOVED.map(({ name }) => name));
    const others = [...namesOf("assent/compat").keys()].filter((name) => !moved.has(name));
    expect(others.toSorted()).toEqual(["Approval", "isSafeCommand", "resolvePathAgainstWorkdir"]);
    expect(namesOf("assent").size).toBeLessThanOrEqual(80);
  });
});
