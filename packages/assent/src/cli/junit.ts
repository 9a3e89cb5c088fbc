import { visible } from "@assent/core/action";
import type { TestResult } from "@assent/guard/policy-test";

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
