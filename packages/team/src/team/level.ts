import { withoutContents } from "@assent/guard/audit";
import { isObject, parseObject, words } from "@assent/core/data";

/** How much of each decision leaves the machine, from the least. */
export const SENT_LEVELS = ["verdict", "command", "full"] as const;
export type SentLevel = (typeof SENT_LEVELS)[number];

/** Who, when, by which tool, and what was said: nothing of what it was about. */
const OF_VERDICT = words(
  "v time point agent event session mode principal tool verdict basis confined answer bypass answered answeredBy by count ms seq",
);
/** What was to be done, and why it was judged so. */
const OF_COMMAND = [...OF_VERDICT, "subagent", "cwd", "process", "reason", "rule", "builtin", "grant", "actions", "unknowns", "cut"];
/** Of a tool's input: what is run, read, written or fetched. */
const SUBJECTS = new Set(["command", "cmd", "file_path", "notebook_path", "path", "url", "call"]);

/**
 * What of a line of the log is sent. Of no level the content of files; what is sent whole is the line word for word. What was made
 * shorter has no hash of the log: by that and the line before somebody could try what was left out.
 */
export function lineSent(line: string, level: SentLevel): string | undefined {
  const record = parseObject(line);
  if (record === undefined) return undefined;
  // About the log itself.
  if (typeof record["log"] === "string" && record["verdict"] === undefined) return line;
  if (level === "full") {
    const input = withoutContents(record["input"]);
    return input === record["input"] ? line : JSON.stringify({ ...record, input, hash: undefined });
  }
  const names = level === "verdict" ? OF_VERDICT : OF_COMMAND;
  const kept = names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]] as const]));
  const input = level === "command" && isObject(record["input"]) ? { input: withoutContents(subjectsOf(record["input"])) } : {};
  return JSON.stringify({ ...Object.fromEntries(kept), ...input, sent: level });
}

const subjectsOf = (input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(input).filter(([name]) => SUBJECTS.has(name)));
