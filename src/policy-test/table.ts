import { opendirSync } from "node:fs";
import { isObject } from "../data/index.ts";
import type { Input } from "../engine/index.ts";
import { joinPath } from "../path/index.ts";
import type { Decision } from "../policy/index.ts";

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
export interface TableTest {
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
      else fault(`\`@${name}\` is no instruction`, "known are `@cwd FOLDER` and `@policy FILE`");
      continue;
    }
    const colon = written.indexOf(":");
    const word = colon === -1 ? "" : written.slice(0, colon).trim();
    const expected = VERDICTS.find((verdict) => verdict === word);
    if (expected === undefined) {
      fault(/^\w+$/.test(word) ? `\`${word}\` is no verdict` : "the line has no verdict", FORM);
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
  const json = request.startsWith('"') || request.startsWith("{") ? parsed(request) : undefined;
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
    if (match === null) return `\`${rest.slice(at, at + 40)}\` is no \`field=value\``;
    const [, name = "", value = ""] = match;
    fields.push([name, value.startsWith('"') ? (parsed(value) ?? value) : value.replaceAll("⏎", "\n")]);
  }
  return { tool, input: Object.fromEntries(fields) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
