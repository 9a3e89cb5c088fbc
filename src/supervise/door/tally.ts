import { type Action, printAction } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import type { Verdict } from "../../policy/index.ts";
import type { Exec } from "./exec.ts";
import type { Operation } from "./operation.ts";
import { describe } from "./processes.ts";

/** Calls alike that were allowed. */
export interface Allowed {
  readonly program: string;
  /** The first of them. */
  readonly action: Action;
  readonly verdict: Verdict;
  count: number;
}

const MOST = 2000;
const MOST_PROCESSES = 10_000;

/**
 * Counts what is allowed: every program makes thousands of calls, and a line for each would be no log. Alike are calls of
 * one program that do the same (to the same host; start the same program), allowed by the same rule or entry.
 */
export class Tally {
  #counts = new Map<string, Allowed>();
  readonly #programs = new Map<number, string>();

  add(pid: number, work: Operation | Exec, verdict: Verdict): void {
    const isExec = "chain" in work;
    const action = isExec ? work.action : work.actions[0];
    if (action === undefined) return;
    const program = this.#programOf(pid);
    if (isExec) this.#started(pid, work.chain[0].path);
    const why =
      verdict.grant?.id ?? (verdict.rule === undefined ? (verdict.builtin ?? verdict.basis) : `${verdict.rule.file}:${verdict.rule.line}`);
    const key = `${program}\0${whatOf(action)}\0${why}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#counts.size < MOST) this.#counts.set(key, { program, action, verdict, count: 1 });
    else this.#more(verdict);
  }

  /** What was counted since it was last asked for. */
  take(): readonly Allowed[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  /** More kinds than are told apart. */
  #more(verdict: Verdict): void {
    const known = this.#counts.get("");
    if (known !== undefined) known.count += 1;
    else
      this.#counts.set("", {
        program: "",
        action: { kind: "process", operation: "trace", target: "other calls", origin: { by: "tool" } },
        verdict,
        count: 1,
      });
  }

  #programOf(pid: number): string {
    const known = this.#programs.get(pid);
    if (known !== undefined) return known;
    const { name } = describe(pid);
    this.#keep(pid, name);
    return name;
  }

  #started(pid: number, path: string): void {
    this.#keep(pid, baseName(path));
  }

  #keep(pid: number, name: string): void {
    if (this.#programs.size >= MOST_PROCESSES) this.#programs.clear();
    this.#programs.set(pid, name);
  }
}

function whatOf(action: Action): string {
  switch (action.kind) {
    case "file":
      return action.operation === "list" ? "read" : action.operation;
    case "exec":
      return `exec ${action.resolved ?? action.program}`;
    case "net":
      return `${action.operation} ${action.host ?? ""}:${action.port ?? ""}`;
    default:
      return printAction(action);
  }
}
