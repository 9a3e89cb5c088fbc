import { opendirSync, statSync } from "node:fs";
import { isObject, parseJson } from "@assent/core/data";
import { type Input, type Outcome, policyFile, type PolicySource, Resolver } from "../engine/index.ts";
import type { SourceRead } from "../engine/reader/index.ts";
import { isWithin, joinPath, parentOf, resolvePath } from "@assent/core/path";
import type { Decision, Problem } from "@assent/core/policy";
import { readRegular } from "../state/index.ts";

/**
 * A table of requests with the verdicts they must get (`*.assent-test`, docs/policy.md "Testing your policy"):
 *
 *     ## section
 *     # comment
 *     @cwd packages/app
 *     @policy strict.jsonc
 *     allow: git status
 *     deny: rm -rf ~⏎echo done
 *     ask: "git push\necho done"
 *     deny: @tool Read file_path=.env
 *     none: {"tool":"mcp__db__query","input":{"sql":"SELECT 1"}}
 */
interface TableTest {
  readonly line: number;
  readonly column: number;
  readonly section: string | undefined;
  readonly expected: Decision;
  readonly tool: string;
  readonly input: Input;
  /** The request as written. */
  readonly text: string;
  /** As written; absent: the table's folder. */
  readonly cwd?: string;
  /** As written: the only policy that counts; `none`: no file at all. */
  readonly policy?: string;
}

/** A line that is no test and no instruction. */
interface TableFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly help?: string;
}

export interface TestTable {
  readonly tests: readonly TableTest[];
  readonly faults: readonly TableFault[];
}

const VERDICTS: readonly Decision[] = ["allow", "ask", "deny", "none"];
const FORM = "write `allow: git status`, with `allow`, `ask`, `deny` or `none` in front";

export function readTable(text: string): TestTable {
  const tests: TableTest[] = [];
  const faults: TableFault[] = [];
  let section: string | undefined;
  let cwd: string | undefined;
  let policy: string | undefined;
  for (const [index, raw] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const written = raw.trim();
    const line = index + 1;
    const column = raw.length - raw.trimStart().length + 1;
    const fault = (message: string, help: string): void => void faults.push({ line, column, message, help });
    if (written === "") continue;
    if (written.startsWith("#")) {
      if (/^##(?!#)/.test(written)) section = written.slice(2).trim();
      continue;
    }
    if (written.startsWith("@")) {
      const [, name = "", value = ""] = /^@(\S*)\s*(.*)$/.exec(written) ?? [];
      if (name === "cwd" && value !== "") cwd = value === "." ? undefined : value;
      else if (name === "policy" && value !== "") policy = value;
      else if (name === "tool") fault("a tool call without a verdict", "write `deny: @tool Read file_path=.env`");
      else fault(`\`@${name}\` is not an instruction`, "known are `@cwd FOLDER` and `@policy FILE`");
      continue;
    }
    const colon = written.indexOf(":");
    const word = colon === -1 ? "" : written.slice(0, colon).trim();
    const expected = VERDICTS.find((verdict) => verdict === word);
    if (expected === undefined) {
      fault(/^\w+$/.test(word) ? `\`${word}\` is not a verdict` : "the line has no verdict", FORM);
      continue;
    }
    const request = written.slice(colon + 1).trim();
    const read = readRequest(request);
    if (typeof read === "string") {
      fault(read, request === "" ? FORM : "write `deny: @tool Read file_path=.env`");
      continue;
    }
    const where = { ...(cwd === undefined ? {} : { cwd }), ...(policy === undefined ? {} : { policy }) };
    tests.push({ line, column, section, expected, ...read, text: request, ...where });
  }
  return { tests, faults };
}

interface TableCall {
  readonly tool: string;
  readonly input: Input;
}

function readRequest(request: string): TableCall | string {
  if (request === "") return "the request is missing";
  if (/^@tool(?:\s|$)/.test(request)) return readToolCall(request.slice(5).trim());
  const json = request.startsWith('"') || request.startsWith("{") ? parseJson(request) : undefined;
  if (typeof json === "string") return { tool: "Bash", input: { command: json } };
  if (isObject(json)) {
    const { tool, input } = json;
    return typeof tool === "string" && isObject(input) ? { tool, input } : 'a request in JSON is {"tool": "…", "input": {…}} or a text';
  }
  // Anything else that begins so is shell: `{ ls; }`.
  return { tool: "Bash", input: { command: request.replaceAll("⏎", "\n") } };
}

/** `Read file_path=src/a.ts`, a value with blanks in JSON quotes. */
function readToolCall(text: string): TableCall | string {
  const [, tool = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(text) ?? [];
  if (tool === "") return "`@tool` names no tool";
  const fields: [string, unknown][] = [];
  const field = /([\w.-]+)=("(?:[^"\\]|\\.)*"|[^\s"]\S*|)(?:\s+|$)/y;
  while (field.lastIndex < rest.length) {
    const at = field.lastIndex;
    const match = field.exec(rest);
    if (match === null) return `\`${rest.slice(at, at + 40)}\` is not \`field=value\``;
    const [, name = "", value = ""] = match;
    fields.push([name, value.startsWith('"') ? (parseJson(value) ?? value) : value.replaceAll("⏎", "\n")]);
  }
  return { tool, input: Object.fromEntries(fields) };
}

export const TABLE_ENDING = ".assent-test";
/** What a walk looks at, at most: a project is not a disk. */
const MOST_ENTRIES = 50_000;
const DEEPEST = 24;
/** Not the project's own work. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "venv", "target", "dist", "vendor"]);

/** The tables below a folder, in order of their names. Links are not followed, so the walk stays inside. */
export function findTables(root: string): { readonly files: readonly string[]; readonly complete: boolean } {
  const files: string[] = [];
  let left = MOST_ENTRIES;
  let complete = true;
  const walk = (folder: string, depth: number): void => {
    const folders: string[] = [];
    try {
      const entries = opendirSync(folder);
      try {
        for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
          if (left-- <= 0) break;
          if (entry.isDirectory()) {
            if (!LEFT_OUT.has(entry.name)) folders.push(entry.name);
          } else if (entry.isFile() && entry.name.endsWith(TABLE_ENDING)) files.push(joinPath(folder, entry.name));
        }
      } finally {
        entries.closeSync();
      }
    } catch {
      complete = false;
    }
    if (left <= 0 || (depth >= DEEPEST && folders.length > 0)) complete = false;
    else for (const name of folders.toSorted((a, b) => (a < b ? -1 : 1))) walk(joinPath(folder, name), depth + 1);
  };
  walk(root, 0);
  return { files: files.toSorted((a, b) => (a < b ? -1 : 1)), complete };
}

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
export function testExamples({ result }: SourceRead): readonly TestResult[] {
  const results = result.examples.map(({ file, line, column, rule, key, example, problem }): TestResult => {
    const expected = key === "match" ? "a match" : "no match";
    const passed = problem === undefined;
    const base = { file, line, column, kind: "example", text: `${rule}  ${key} ${example}`, expected } as const;
    return passed ? { ...base, got: expected, passed } : { ...base, got: problem.message, passed, why: problem.help ?? "" };
  });
  if (result.ok) return results;
  const known = new Set(result.examples.map(({ file, line, column }) => `${file}:${line}:${column}`));
  return [...results, ...result.problems.filter(({ file, line, column }) => !known.has(`${file}:${line}:${column}`)).map(fileProblem)];
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
      : { problem: `is not a ${wanted === "file" ? "file" : "folder"}` };
  } catch {
    return { problem: "cannot be read" };
  }
}

function whyOf({ verdict: { reason, rule, builtin } }: Outcome): string {
  const from = rule === undefined ? builtin : `${rule.text}  ${rule.file}:${rule.line}`;
  return from === undefined ? reason : `${reason} (${from})`;
}
