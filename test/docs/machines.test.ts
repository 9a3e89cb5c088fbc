import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { machineRows, machinesPage } from "../../scripts/machines-docs.ts";

const ROOT = join(import.meta.dirname, "../..");
const rows = machineRows(ROOT);

it("evidence/machines.md is up to date: npm run generate", () => {
  expect(machinesPage(rows)).toBe(readFileSync(join(ROOT, "evidence/machines.md"), "utf8"));
});

it("a command that the page names is there", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
  const named = rows.flatMap((row) => [row.command, ...Object.values(row.cells).map((cell) => cell?.command ?? row.command)]);
  const missing = named
    .flatMap((command) => [...command.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name))
    .filter((name) => !(name in scripts));
  expect(missing).toEqual([]);
});

const sample = { name: "a machine", order: 1, how: "Here", on: "2026-01-01", command: "npm run x" } as const;

it("what was not run is called so", () => {
  expect(machinesPage([{ ...sample, cells: {} }])).toContain(
    "| not run | not run | not run | not run | not run | not run | not run | `npm run x` |",
  );
});
