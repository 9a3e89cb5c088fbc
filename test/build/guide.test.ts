import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error -- a plain script
import * as guide from "../../scripts/follow-contributing.mjs";
// @ts-expect-error -- a plain script
import * as generator from "../../scripts/new.mjs";

interface Block {
  readonly file: string;
  readonly text: string;
}
const { MOST_FILES, allExamples, withBlock } = guide as {
  MOST_FILES: Readonly<Record<string, number>>;
  allExamples: () => { title: string; writes: Block[]; runs: string[] }[];
  withBlock: (before: string | undefined, block: Block) => string;
};

const { newCommand } = generator as {
  newCommand: (name: string, read: (file: string) => string | undefined) => Readonly<Record<string, string>>;
};

// `npm run guide` follows the examples; here only that each block still has its place.
const ROOT = join(import.meta.dirname, "../..");
const examples = allExamples();

test("CONTRIBUTING.md and contributing/ have an example of each change", () => {
  expect(examples.map(({ title }) => title).sort()).toEqual(Object.keys(MOST_FILES).sort());
});

test.each(examples.map((example) => [example.title, example] as const))("%s: each block has its place", (_title, { writes, runs }) => {
  expect(writes.length).toBeGreaterThan(0);
  expect(runs.filter((line) => line.startsWith("npx vitest run "))).not.toEqual([]);
  const texts = new Map<string, string>();
  for (const block of writes) {
    const path = join(ROOT, block.file);
    const before = texts.get(block.file) ?? (existsSync(path) ? readFileSync(path, "utf8") : undefined);
    texts.set(block.file, withBlock(before, block));
  }
});

const readHere = (file: string): string | undefined => (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : undefined);

test("npm run new command NAME writes a command with its test, its row and its line; `npm run guide` runs them", () => {
  const written = newCommand("what-for", readHere);
  expect(Object.keys(written)).toEqual([
    "packages/assent/src/cli/program.ts",
    "packages/assent/src/cli/what-for.ts",
    "docs/cli.md",
    "test/cli/what-for.test.ts",
  ]);
  expect(written["docs/cli.md"]).toContain("| `assent what-for` |");
  expect(written["packages/assent/src/cli/program.ts"]).toContain('.command("what-for")');
  expect(written["packages/assent/src/cli/what-for.ts"]).toContain("export function printWhatFor");
});

test.each(["explain", "Where", "../x", "a b", "", "-x", "run"])("npm run new command: `%s` is refused", (name) => {
  expect(() => newCommand(name, readHere)).toThrow(/already|cannot be the name/);
});
