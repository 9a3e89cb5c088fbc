import { statSync } from "node:fs";
import { isWithin, parentOf, resolvePath } from "../path/index.ts";
import type { Problem, Decision } from "../policy/index.ts";
import { readRegular } from "../state/index.ts";
import { type Input, type Outcome, policyFile, type PolicySource, Resolver } from "../engine/index.ts";
import type { SourceRead } from "../engine/reader/index.ts";
import { readTable, type TableTest } from "./table.ts";

/** One test and what became of it. */
export interface TestResult {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `example`: of a rule; `request`: a line of a table; `file`: what cannot be read as it is. */
  readonly kind: "example" | "request" | "file";
  readonly section?: string;
  /** What was tested: the rule and its example, or the request. */
  readonly text: string;
  readonly expected: string;
  readonly got: string;
  readonly passed: boolean;
  /** Why it came out so. */
  readonly why?: string;
  readonly outcome?: Outcome;
}

const MAX_BYTES = 1 << 20;

/** The examples of one policy file, as tests. */
export function testExamples({ source, result }: SourceRead): readonly TestResult[] {
  const { file } = source;
  const results = result.examples.map(({ line, column, rule, key, example, problem }): TestResult => {
    const expected = key === "match" ? "a match" : "no match";
    const passed = problem === undefined;
    const base = { file, line, column, kind: "example", text: `${rule}  ${key} ${example}`, expected } as const;
    return passed ? { ...base, got: expected, passed } : { ...base, got: problem.message, passed, why: problem.help ?? "" };
  });
  if (result.ok) return results;
  const known = new Set(result.examples.map(({ line, column }) => `${line}:${column}`));
  return [...results, ...result.problems.filter(({ line, column }) => !known.has(`${line}:${column}`)).map(fileProblem)];
}

function fileProblem({ file, line, column, message, help }: Omit<Problem, "severity" | "key">): TestResult {
  const base = { file, line, column, kind: "file", text: "", expected: "a file without mistakes", got: message, passed: false } as const;
  return help === undefined ? base : { ...base, why: help };
}

interface TableOptions {
  /** Folder that nothing leads out of. */
  readonly root: string;
  readonly judge: (
    request: { readonly tool: string; readonly input: Input; readonly cwd: string },
    only: readonly PolicySource[] | undefined,
  ) => Outcome;
}

/** Every line of a table, judged as its request would be. */
export function testTable(file: string, { root, judge }: TableOptions): readonly TestResult[] {
  const found = readRegular(file, MAX_BYTES);
  if (found.is !== "text")
    return [fileProblem({ file, line: 1, column: 1, message: found.is === "missing" ? "does not exist" : found.why })];
  const { tests, faults } = readTable(found.text);
  const folder = parentOf(file);
  const policies = new Map<string, readonly PolicySource[] | string>();
  const results = [...faults.map((fault) => fileProblem({ file, ...fault })), ...tests.map((test) => one(test))];
  if (results.length === 0) return [fileProblem({ file, line: 1, column: 1, message: "holds no test" })];
  return results.toSorted((a, b) => a.line - b.line);

  function one(test: TableTest): TestResult {
    const { line, column, section, text, expected } = test;
    const wrong = (message: string): TestResult => fileProblem({ file, line, column, message });
    const cwd = inProject(test.cwd ?? ".", folder, root, "directory");
    if ("problem" in cwd) return wrong(`\`@cwd ${test.cwd ?? ""}\` ${cwd.problem}`);
    const only = test.policy === undefined ? undefined : policyOf(test.policy);
    if (typeof only === "string") return wrong(`\`@policy ${test.policy ?? ""}\` ${only}`);
    const outcome = judge({ tool: test.tool, input: test.input, cwd: cwd.path }, only);
    const got: Decision = outcome.verdict.decision;
    const base = { file, line, column, kind: "request", ...(section === undefined ? {} : { section }), text, expected, got } as const;
    return got === expected ? { ...base, passed: true } : { ...base, passed: false, why: whyOf(outcome), outcome };
  }

  function policyOf(written: string): readonly PolicySource[] | string {
    if (written === "none") return [];
    let known = policies.get(written);
    if (known === undefined) {
      const at = inProject(written, folder, root, "file");
      known = "problem" in at ? at.problem : [policyFile(at.path, "user")];
      policies.set(written, known);
    }
    return known;
  }
}

/** A table is part of a project, perhaps a stranger's: what it names must lie in the project, links followed. */
function inProject(
  written: string,
  folder: string,
  root: string,
  wanted: "file" | "directory",
): { readonly path: string } | { readonly problem: string } {
  const path = resolvePath(folder, written);
  const resolver = new Resolver(folder);
  if (!isWithin(resolver.canonical(path), resolver.canonical(root))) return { problem: "lies outside the project" };
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { problem: "does not exist" };
    return (wanted === "file" ? stats.isFile() : stats.isDirectory())
      ? { path }
      : { problem: `is no ${wanted === "file" ? "file" : "folder"}` };
  } catch {
    return { problem: "cannot be read" };
  }
}

function whyOf({ verdict: { reason, rule, builtin } }: Outcome): string {
  const from = rule === undefined ? builtin : `${rule.text}  ${rule.file}:${rule.line}`;
  return from === undefined ? reason : `${reason} (${from})`;
}
