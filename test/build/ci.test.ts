import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../scratch.ts";

/** `.ci/run`, from its tests on: what npm ends with and what it reports are given here. */
const SCRIPT = readFileSync(join(import.meta.dirname, "../../.ci/run"), "utf8");
const TESTS = SCRIPT.slice(SCRIPT.indexOf("reports=$(mktemp"), SCRIPT.indexOf("# Ten escapes"));

const report = (...files: readonly string[]): string =>
  JSON.stringify({
    numPassedTests: 1,
    numFailedTests: files.length,
    numPendingTests: 0,
    numTodoTests: 0,
    startTime: 0,
    testResults: ["passes", ...files].map((name) => ({
      name,
      status: name === "passes" ? "passed" : "failed",
      endTime: 1,
      assertionResults: [{ status: name === "passes" ? "passed" : "failed", fullName: name }],
    })),
  });

interface Part {
  readonly status: number;
  /** Undefined: it ended before it wrote one. */
  readonly report?: string;
}
const GOOD: Part = { status: 0, report: report() };

/** `npm run PART … --outputFile.json=FILE`, then `npm test -- FILE` for what failed. */
function play(test: Part, rest: Part, again: number): number | null {
  const place = scratch();
  for (const [name, part] of Object.entries({ test, "test:rest": rest })) place.write(`given/${name}`, part.report ?? "");
  const lines = [
    `npm() {`,
    `  [[ $1 == test ]] && return ${again}`,
    `  local to=\${*: -1}; to=\${to#*=}`,
    `  [[ -s ${place.project}/given/$2 ]] && cp "${place.project}/given/$2" "$to"`,
    `  case $2 in test) return ${test.status} ;; *) return ${rest.status} ;; esac`,
    `}`,
  ];
  const script = `set -euo pipefail\n${lines.join("\n")}\n${TESTS}\nexit "$status"\n`;
  return spawnSync("bash", ["-c", script], { env: { PATH: process.env["PATH"] ?? "", TMPDIR: place.root } }).status;
}

it.each([
  ["all is well", GOOD, GOOD, 0, 0],
  ["a file fails once", { status: 1, report: report("a.test.ts") }, GOOD, 0, 0],
  ["a file fails twice", { status: 1, report: report("a.test.ts") }, GOOD, 1, 1],
  ["a file of each part fails once", { status: 1, report: report("a.test.ts") }, { status: 1, report: report("b.test.ts") }, 0, 0],
  ["five files fail", { status: 1, report: report("a", "b", "c", "d", "e") }, GOOD, 0, 1],
  ["something fails that is in no file", { status: 1, report: report() }, GOOD, 0, 1],
  ["that, and a file of the other part once", { status: 1, report: report() }, { status: 1, report: report("b.test.ts") }, 0, 1],
  ["one part ends without a report, and a file of the other fails once", { status: 134 }, { status: 1, report: report("b") }, 0, 134],
] as const)("%s", (_what, test, rest, again, status) => {
  expect(play(test, rest, again)).toBe(status);
});
