import { visible } from "@assent/core/action";
import { inspect } from "@assent/guard/inspect";
import { findTables, TABLE_ENDING, testExamples, testTable, type TestResult } from "@assent/guard/policy-test";
import { realWorld } from "@assent/guard/engine";
import { parentOf } from "@assent/core/path";
import { thisMachine } from "@assent/guard/state";
import { engine, judgeOnly } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { STANDARD_OUTPUT, writeReport } from "./report-file.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

interface TestOptions {
  readonly policy: readonly string[];
  readonly json?: boolean;
  /** Where a report for CI servers goes. */
  readonly junit?: string;
}

/**
 * `assent test`: the examples of policy files and the lines of tables. Without files: the policies in force and every
 * table of the project. Exit 0 all pass, 1 something fails, 2 wrong usage.
 */
export function test(files: readonly string[], options: TestOptions): number {
  const cwd = absolute(".");
  if (options.json === true && options.junit === STANDARD_OUTPUT) {
    complain("test", "--json and --junit - both print", "give --junit a file");
    return 2;
  }
  const given = files.map((file) => absolute(file, cwd));
  const machine = thisMachine();
  const policyFiles = options.policy.map((file) => absolute(file, cwd));
  const table = (file: string): readonly TestResult[] =>
    testTable(file, {
      root: realWorld(machine, parentOf(file), undefined).projectRoot,
      judge: (question, only) =>
        judgeOnly(question, machine, policyFiles, { extensions: "off", ...(only === undefined ? {} : { select: () => only }) }),
    });
  const examples = (only?: readonly string[]): readonly TestResult[] =>
    inspect({ machine, cwd, own: engine.own, policyFiles, ...(only === undefined ? {} : { only }) }).files.flatMap((file) =>
      file.agreed === true ? [] : testExamples(file),
    );

  let results: readonly TestResult[];
  let complete = true;
  if (given.length === 0) {
    const found = findTables(realWorld(machine, cwd, undefined).projectRoot);
    complete = found.complete;
    results = [...examples(), ...found.files.flatMap(table)];
  } else {
    results = given.flatMap((file) => {
      if (file.endsWith(TABLE_ENDING)) return table(file);
      const own = examples([file]);
      return own.length === 0 ? [emptyPolicy(file)] : own;
    });
  }
  const short = (path: string): string => shorten(path, cwd, machine.home);
  if (options.junit !== undefined && !writeReport("test", options.junit, junitOf(results, short))) return 1;
  if (options.json === true) writeJson(summaryJson(results, complete));
  else if (options.junit !== STANDARD_OUTPUT) writeStdout(report(results, short, styleFor(process.stdout, process.env)));
  if (!complete) writeStderr("assent test: the project is too large to be searched completely; name the tables\n");
  return results.some(({ passed }) => !passed) ? 1 : 0;
}

/** Whoever names a file wants something tested. */
function emptyPolicy(file: string): TestResult {
  const got = "holds no test";
  const why = "give rules examples: `match` and `notMatch`";
  return { file, line: 1, column: 1, kind: "file", text: "", expected: "an example", got, passed: false, why };
}

function summaryJson(results: readonly TestResult[], complete: boolean): Record<string, unknown> {
  const failed = results.filter(({ passed }) => !passed).length;
  return {
    passed: results.length - failed,
    failed,
    complete,
    tests: results.map(({ outcome, text, got, why, ...result }) => ({
      ...result,
      text: visible(text),
      got: visible(got),
      ...(why === undefined ? {} : { why: visible(why) }),
      ...(outcome?.verdict.rule === undefined ? {} : { rule: outcome.verdict.rule }),
    })),
  };
}

function report(results: readonly TestResult[], short: (path: string) => string, style: TerminalStyle): string {
  const out: string[] = [];
  for (const { file, line, column, section, kind, text, expected, got, passed, why } of results) {
    if (passed) continue;
    const place = `${visible(short(file))}:${line}:${column}`;
    const title = section === undefined ? "" : style.dim(`  ${visible(section)}`);
    if (kind === "file") out.push(`${style.bold(place)}  ${visible(got)}`);
    else {
      out.push(`${style.bold(place)}${title}`, `  ${visible(text)}`);
      out.push(`  expected ${style.verdict(expected)}, got ${kind === "request" ? style.verdict(got) : visible(got)}`);
    }
    if (why !== undefined && why !== "") out.push(`  ${style.dim(visible(why))}`);
    out.push("");
  }
  const failed = results.filter(({ passed }) => !passed).length;
  const files = new Set(results.map(({ file }) => file)).size;
  const counts = [...(failed === 0 ? [] : [`${failed} failed`]), `${results.length - failed} passed`].join(", ");
  out.push(
    results.length === 0 ? "nothing to test: no examples, no *.assent-test" : `${counts}, in ${files} file${files === 1 ? "" : "s"}`,
  );
  return `${out.join("\n")}\n`;
}

/**
 * The report of `assent test` as CI servers read it: a suite for each file, a case for each line of a table and each example.
 * `short` names a file as people do, from the folder the command was started in.
 */
export function junitOf(results: readonly TestResult[], short: (path: string) => string): string {
  const files = new Map<string, TestResult[]>();
  for (const result of results) files.set(result.file, [...(files.get(result.file) ?? []), result]);
  const suites = [...files].map(([file, all]) => suiteOf(short(file), all));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="assent test" ${counts(results)}>\n${suites.join("")}</testsuites>\n`;
}

const counts = (results: readonly TestResult[]): string =>
  `tests="${results.length}" failures="${results.filter(({ passed }) => !passed).length}" errors="0" skipped="0"`;

function suiteOf(file: string, results: readonly TestResult[]): string {
  return `  <testsuite name="${attribute(file)}" ${counts(results)}>\n${results.map((one) => caseOf(file, one)).join("")}  </testsuite>\n`;
}

function caseOf(file: string, { line, section, kind, text, expected, got, passed, why }: TestResult): string {
  const title = kind === "file" ? "can be read" : text;
  const name = `${line}: ${section === undefined ? "" : `${section}: `}${title}`;
  const head = `    <testcase classname="${attribute(file)}" name="${attribute(name)}" file="${attribute(file)}" line="${line}"`;
  if (passed) return `${head}/>\n`;
  const message = kind === "file" ? got : `expected ${expected}, got ${got}`;
  const detail = `${file}:${line}${why === undefined ? "" : `\n${why}`}`;
  const failure = `<failure type="${kind}" message="${attribute(message)}">${content(detail)}</failure>`;
  return `${head}>\n      ${failure}\n    </testcase>\n`;
}

/** XML 1.0 has no other way to hold most control characters than not to; whoever cannot see them is told of them. */
const seen = (text: string): string =>
  text
    .split("\n")
    .map(visible)
    .join("\n")
    // A half of a pair, and what is no character: no XML holds them.
    .replace(/\p{Cs}|[\uFFFE\uFFFF]/gu, "\uFFFD");

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;" };
const content = (text: string): string => seen(text).replace(/[&<>]/g, (char) => ENTITIES[char] ?? char);
const attribute = (text: string): string => seen(text).replace(/[&<>"\n]/g, (char) => ENTITIES[char] ?? char);
