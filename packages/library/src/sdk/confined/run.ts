import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { definedVariables, type Machine } from "@assent/guard/state";
import type { Question } from "@assent/guard/approve";
import {
  type JudgedInRun,
  ORDERED,
  type RefusedCall,
  type RunAnswer,
  type RunOrder,
  type RunReport,
  type RunSignal,
} from "@assent/supervisor/supervise/control-channel";
import { LIBRARY } from "../common/library.ts";

/** How a confined run ended: its program, or the run before it could. */
export type RunEnd = Extract<RunReport, { readonly is: "ended" | "failed" }>;

/** What is heard of a run while it lasts. */
export interface RunListener {
  readonly refused: (refused: RefusedCall, judged: JudgedInRun | undefined) => void;
  /** Answers a question of the run; the signal is raised once it is void. Absent: nobody does. */
  readonly asks?: ((question: Question, signal: AbortSignal) => Promise<Omit<RunAnswer, "seq">>) | undefined;
  readonly notice: (text: string) => void;
}

/** What starts a supervisor: its program and words, and its environment, which is not the program's. */
export interface SupervisorStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** INVARIANT: nothing here controls Node, the loader or OpenSSL: who confines is not changed by who is confined. */
const JUDGES =
  "HOME PATH USER LOGNAME LANG TZ TMPDIR XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME ASSENT_POLICY ASSENT_AUTO MCP_AUTO_APPROVE".split(
    " ",
  );

/** The variables of a machine by which a supervisor knows whose policy and state are meant. */
export function judgeVariables({ home, env }: Machine): Readonly<Record<string, string>> {
  return { ...definedVariables(Object.fromEntries(JUDGES.map((name) => [name, env[name]]))), HOME: home };
}

/** `assent` itself, next to the library; undefined where it is not installed with it. */
export function assentProgram(): string | undefined {
  const [own = ""] = LIBRARY.own;
  return [join(own, "bin.cjs"), join(own, "../../../../../dist/bin.cjs")].find((file) => existsSync(file));
}

/** How a supervisor is started that waits for an order on descriptor 3. */
export function supervisorStart(machine: Machine): SupervisorStart | { readonly problem: string } {
  const program = assentProgram();
  if (program === undefined) return { problem: "the supervisor is not installed with this library" };
  return { file: process.execPath, args: [program, "run", ORDERED], env: judgeVariables(machine) };
}

/** The channel to the supervisor of one run. */
export class ConfinedRunChannel {
  readonly ended: Promise<RunEnd>;
  readonly #stream: Socket | undefined;
  /** Questions that wait for their answer. */
  readonly #asked = new Map<number, AbortController>();

  constructor(child: ChildProcess, order: RunOrder, listener: RunListener) {
    const stream = child.stdio[3];
    this.#stream = stream instanceof Socket ? stream : undefined;
    this.ended = new Promise((resolve) => {
      const lost = (why: string): void => resolve({ is: "failed", why, started: true });
      if (this.#stream === undefined) lost("the supervisor could not be reached");
      this.#stream?.on("close", () => {
        for (const abort of this.#asked.values()) abort.abort();
        lost("the supervisor has ended before its program");
      });
      this.#hear((report) => {
        if (report.is === "refused") listener.refused(report.refused, report.judged);
        else if (report.is === "notice") listener.notice(report.text);
        else if (report.is === "asks") void this.#ask(report.question, listener);
        else if (report.is === "void") this.#asked.get(report.seq)?.abort();
        else resolve(report);
      });
    });
    this.#stream?.on("error", () => undefined);
    this.#stream?.write(`${JSON.stringify(order)}\n`);
  }

  async #ask(question: Question, { asks }: RunListener): Promise<void> {
    const { seq } = question;
    const abort = new AbortController();
    this.#asked.set(seq, abort);
    let said: Omit<RunAnswer, "seq"> = { allow: false, lasts: false };
    try {
      if (asks !== undefined) said = await asks(question, abort.signal);
    } catch {
      // What is not answered is refused.
    }
    this.#asked.delete(seq);
    if (!abort.signal.aborted) this.#stream?.write(`${JSON.stringify({ ...said, seq } satisfies RunAnswer)}\n`);
  }

  #hear(take: (report: RunReport) => void): void {
    let text = "";
    this.#stream?.setEncoding("utf8");
    this.#stream?.on("data", (chunk: string) => {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const report = readReport(line);
        if (report !== undefined) take(report);
      }
    });
  }

  /** To the program itself. */
  signal(signal: NodeJS.Signals): void {
    const said: RunSignal = { signal };
    this.#stream?.write(`${JSON.stringify(said)}\n`);
  }

  /** All of the run ends, whatever is left of it. */
  close(): void {
    this.#stream?.destroy();
  }

  /** What is left of the run keeps nobody waiting; it ends with this process. */
  unref(): void {
    this.#stream?.unref();
  }
}

/** The supervisor is this program; a line that is cut short is none. */
function readReport(line: string): RunReport | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    return JSON.parse(line) as RunReport;
  } catch {
    return undefined;
  }
}
