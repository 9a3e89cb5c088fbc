import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { errorCode } from "../state/index.ts";
import { AUDIT_FILE, bytesOf, fields } from "./files.ts";

/** A line of the log as read back. Only what is printed and counted is named. */
export interface LogEntry {
  readonly time: string;
  /** Where it was judged: `hook`, `run`, … */
  readonly point: string;
  readonly agent: string;
  readonly subagent: string;
  readonly tool: string;
  readonly verdict: string;
  /** It went ahead in a supervised run only; `would`: it would have, had confining been on. */
  readonly confined: "yes" | "would" | "no";
  readonly answer: string;
  readonly basis: string;
  readonly reason: string;
  readonly session: string;
  /** The mode of the host, in its own word. */
  readonly mode: string;
  /** What skipped questions, where something did. */
  readonly bypass: string;
  readonly cwd: string;
  /** As it was logged: secrets taken out. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What was asked for: the command, the path, the address. */
  readonly subject: string;
  /** Names of the programs it would have started; under supervision also of the one that acted. */
  readonly programs: readonly string[];
  /** How many decisions it stands for. */
  readonly count: number;
  /** Who answered, and how long it holds: `allow (session)`. Empty: nobody was asked, or the host asked. */
  readonly answered: string;
  /** By which way it was answered, and by whom: `page`, `team: ada`. Empty as above. */
  readonly answeredBy: string;
  /** What whoever answered had to say about it. */
  readonly note: string;
  /** How long it took to judge. */
  readonly milliseconds: number;
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
    confined: parsed["confined"] === true ? "yes" : parsed["confined"] === "would" ? "would" : "no",
    answer: string(parsed["answer"]),
    basis: string(parsed["basis"]),
    reason: string(parsed["reason"]),
    session: string(parsed["session"]),
    mode: string(parsed["mode"]),
    bypass: string(parsed["bypass"]),
    cwd: string(parsed["cwd"]),
    input,
    subject: SUBJECTS.map((name) => string(input[name])).find((found) => found !== "") ?? "",
    programs: [...programsOf(parsed["actions"]), ...programOf(fields(parsed["process"])["program"])],
    count: typeof parsed["count"] === "number" && parsed["count"] > 0 ? parsed["count"] : 1,
    answered: string(parsed["answered"]),
    answeredBy: string(parsed["answeredBy"]),
    note: string(parsed["note"]),
    milliseconds: typeof parsed["ms"] === "number" && parsed["ms"] > 0 ? parsed["ms"] : 0,
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

const MOST_BYTES = 16 << 20;
const BREAK = 0x0a;

/** What is added to the log from now on, across the files it is put aside in. */
export class Follower {
  readonly #file: string;
  #open: { readonly descriptor: number; readonly inode: number; at: number } | undefined;

  constructor(folder: string) {
    this.#file = `${folder}/${AUDIT_FILE}`;
    this.#begin("end");
  }

  /** Whole lines since the last call. */
  lines(): readonly string[] {
    const found = this.#rest();
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now === undefined || now.ino === this.#open?.inode) return found;
    // Put aside meanwhile: its last lines first, then the next file.
    const last = this.#rest();
    this.close();
    this.#begin("start");
    return [...found, ...last, ...this.#rest()];
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.descriptor);
    this.#open = undefined;
  }

  #begin(where: "start" | "end"): void {
    try {
      const descriptor = openSync(this.#file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const { ino, size } = fstatSync(descriptor);
      this.#open = { descriptor, inode: ino, at: where === "end" ? size : 0 };
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }

  #rest(): readonly string[] {
    if (this.#open === undefined) return [];
    const { descriptor, at } = this.#open;
    const { size } = fstatSync(descriptor);
    const bytes = bytesOf(descriptor, at, Math.min(size, at + MOST_BYTES));
    const end = bytes.lastIndexOf(BREAK) + 1;
    this.#open.at = at + end;
    return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  }
}
