import { fields } from "./files.ts";

/** A line of the log as read back. Only what is printed and counted is named. */
export interface LogEntry {
  readonly time: string;
  /** Where it was judged: `hook`, `run`, … */
  readonly point: string;
  readonly agent: string;
  readonly subagent: string;
  readonly tool: string;
  readonly verdict: string;
  readonly answer: string;
  readonly basis: string;
  readonly reason: string;
  readonly session: string;
  readonly cwd: string;
  /** As it was logged: secrets taken out. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What was asked for: the command, the path, the address. */
  readonly subject: string;
  /** Names of the programs it would have started; under supervision also of the one that acted. */
  readonly programs: readonly string[];
  /** How many decisions it stands for. */
  readonly count: number;
  /** `file:line` of the rule, or the name of the built-in knowledge. */
  readonly rule: string;
}

const string = (value: unknown): string => (typeof value === "string" ? value : "");

const SUBJECTS = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query", "call"];

/** One line; undefined where it is damaged (`assent log verify` finds those), or no decision. */
export function readRecord(line: string): LogEntry | undefined {
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = fields(JSON.parse(line));
  } catch {
    return undefined;
  }
  if (parsed["log"] !== undefined) return undefined;
  const input = fields(parsed["input"]);
  const rule = fields(parsed["rule"]);
  return {
    time: string(parsed["time"]),
    point: string(parsed["point"]),
    agent: string(parsed["agent"]),
    subagent: string(parsed["subagent"]),
    tool: string(parsed["tool"]),
    verdict: string(parsed["verdict"]),
    answer: string(parsed["answer"]),
    basis: string(parsed["basis"]),
    reason: string(parsed["reason"]),
    session: string(parsed["session"]),
    cwd: string(parsed["cwd"]),
    input,
    subject: SUBJECTS.map((name) => string(input[name])).find((found) => found !== "") ?? "",
    programs: [...programsOf(parsed["actions"]), ...programOf(fields(parsed["process"])["program"])],
    count: typeof parsed["count"] === "number" && parsed["count"] > 0 ? parsed["count"] : 1,
    rule: rule["file"] === undefined ? string(parsed["builtin"]) : `${string(rule["file"])}:${String(rule["line"])}`,
  };
}

function programsOf(actions: unknown): readonly string[] {
  if (!Array.isArray(actions)) return [];
  return actions.flatMap((judged) => {
    const [, word] = /^exec (?:\S*\/)?(\S+)/.exec(string(fields(judged)["action"])) ?? [];
    return word === undefined ? [] : [word];
  });
}

function programOf(program: unknown): readonly string[] {
  return typeof program === "string" && program !== "" ? [program] : [];
}
