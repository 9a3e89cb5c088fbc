import { type Action, type FileOperation, printAction } from "@assent/core/action";
import { baseName } from "@assent/core/path";
import type { Verdict } from "@assent/core/policy";
import type { Extent, ProcessInfo } from "@assent/guard/approve";
import { answeredFields } from "../given-answer.ts";
import type { GivenAnswer, RunEvent } from "../types.ts";
import { type DecodedCall, type DecodedExec, fileAction, isExec } from "./operation.ts";
import { ancestryOf, describeProcess, parentOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

const FLUSH_AT = 64;
const REMEMBERED = 256;

/** What became of calls, told to the main thread by the dozen. */
export class Recorder {
  readonly #tellsAll: boolean;
  readonly #tally: AllowedTally;
  readonly #tell: (events: readonly RunEvent[]) => void;
  readonly #events: RunEvent[] = [];
  /** The last processes seen, by number: one may have ended by the time its call is noted. */
  readonly #seen = new Map<number, ProcessInfo>();

  readonly #exceeds: () => void;

  /** `tellsAll`: every judged call, not only what a receipt needs. `exceeds`: it did what the policy by itself does not allow. */
  constructor(tellsAll: boolean, tally: AllowedTally, tell: (events: readonly RunEvent[]) => void, exceeds: () => void) {
    this.#exceeds = exceeds;
    this.#tellsAll = tellsAll;
    this.#tally = tally;
    this.#tell = tell;
  }

  get waits(): boolean {
    return this.#events.length > 0;
  }

  note(
    task: Task,
    work: DecodedCall | DecodedExec,
    verdict: Verdict,
    outcome: RunEvent["outcome"],
    errno?: string,
    answer?: GivenAnswer,
    extent?: Extent,
  ): void {
    if (outcome !== "refused" && !isOfPolicy(verdict)) this.#exceeds();
    const told = outcome === "refused" || answer !== undefined;
    const notable =
      this.#tellsAll ||
      outcome === "refused" ||
      answer !== undefined ||
      isExec(work) ||
      work.actions[0]?.kind === "net" ||
      verdict.builtin === "run.other-names";
    const process = notable ? this.#described(task.tgid) : undefined;
    if (!told && verdict.decision === "allow") this.#tally.add(task.tgid, work, verdict, process?.name);
    if (process === undefined) return;
    this.#events.push({
      time: Date.now(),
      process,
      call: work.call,
      action: actionOf(work),
      ...(isExec(work) || work.actions.length < 2 ? {} : { more: work.actions.slice(1) }),
      verdict,
      outcome,
      ...(isExec(work) && outcome === "passed" ? { parent: parentOf(task.tgid) ?? 0 } : {}),
      ...(this.#tellsAll && isExec(work) ? { ancestry: ancestryOf(task.tgid) } : {}),
      ...(errno === undefined ? {} : { errno }),
      ...(answer === undefined ? {} : answeredFields(answer)),
      ...(extent === undefined ? {} : { extent }),
      ...(told ? { parents: ancestryOf(task.tgid).map(({ name }) => name) } : {}),
    });
    if (this.#events.length >= FLUSH_AT) this.flush();
  }

  #described(pid: number): ProcessInfo {
    const now = describeProcess(pid);
    const known = now.argv.length === 0 ? (this.#seen.get(pid) ?? now) : now;
    this.#seen.delete(pid);
    this.#seen.set(pid, known);
    for (const [oldest] of this.#seen) {
      if (this.#seen.size <= REMEMBERED) break;
      this.#seen.delete(oldest);
    }
    return known;
  }

  flush(): void {
    if (this.#events.length > 0) this.#tell(this.#events.splice(0));
  }
}

/** Nobody's answer, no grant, and no word that a person typed. */
const isOfPolicy = ({ decision, basis, builtin }: Verdict): boolean => decision === "allow" && basis !== "grant" && builtin !== "run.typed";

/** What stands for a call in questions and records. */
export function actionOf(work: DecodedCall | DecodedExec): Action {
  const action = isExec(work) ? work.action : work.actions[0];
  return action ?? { kind: "process", operation: "trace", target: work.call.name, origin: { by: "tool" }, call: work.call };
}

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
export class AllowedTally {
  #counts = new Map<string, Allowed>();
  readonly #programs = new Map<number, string>();
  /** What a process reads counts here, as long as the verdict stays the same. */
  readonly #reads = new Map<number, { readonly verdict: Verdict; readonly allowed: Allowed }>();
  /** As above, of what a process last did to files by other calls. */
  readonly #changes = new Map<number, { readonly operation: FileOperation; readonly verdict: Verdict; readonly allowed: Allowed }>();

  /** `name`: of the process, where somebody has just looked. */
  add(pid: number, work: DecodedCall | DecodedExec, verdict: Verdict, name?: string): void {
    const action = isExec(work) ? work.action : work.actions[0];
    if (action === undefined) return;
    const last = action.kind === "file" ? this.#changes.get(pid) : undefined;
    if (last !== undefined && action.kind === "file" && last.operation === action.operation && last.verdict === verdict) {
      last.allowed.count += 1;
      return;
    }
    const program = this.#programOf(pid, name);
    if (isExec(work)) this.#started(pid, work.chain[0].path);
    const allowed = this.#count(program, action, verdict);
    if (allowed !== undefined && action.kind === "file") this.#changes.set(pid, { operation: action.operation, verdict, allowed });
  }

  /** As `add`, for what processes do most. */
  addRead(pid: number, operation: "read" | "list", path: string, verdict: Verdict): void {
    const known = this.#reads.get(pid);
    if (known?.verdict === verdict) {
      known.allowed.count += 1;
      return;
    }
    const action = fileAction(operation, path, { name: "open", args: [path, "read"] });
    const allowed = this.#count(this.#programOf(pid), action, verdict);
    if (allowed !== undefined) this.#reads.set(pid, { verdict, allowed });
  }

  #count(program: string, action: Action, verdict: Verdict): Allowed | undefined {
    const why =
      verdict.grant?.id ?? (verdict.rule === undefined ? (verdict.builtin ?? verdict.basis) : `${verdict.rule.file}:${verdict.rule.line}`);
    const key = `${program}\0${whatOf(action)}\0${why}`;
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count += 1;
      return known;
    }
    if (this.#counts.size >= MOST) {
      this.#more(verdict);
      return undefined;
    }
    const allowed: Allowed = { program, action, verdict, count: 1 };
    this.#counts.set(key, allowed);
    return allowed;
  }

  /** What was counted since it was last asked for. */
  take(): readonly Allowed[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    this.#reads.clear();
    this.#changes.clear();
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

  #programOf(pid: number, seen?: string): string {
    const known = this.#programs.get(pid);
    if (known !== undefined) return known;
    const name = seen ?? describeProcess(pid).name;
    this.#keep(pid, name);
    return name;
  }

  #started(pid: number, path: string): void {
    this.#keep(pid, baseName(path));
  }

  #keep(pid: number, name: string): void {
    if (this.#programs.size >= MOST_PROCESSES) {
      this.#programs.clear();
      this.#reads.clear();
      this.#changes.clear();
    }
    this.#reads.delete(pid);
    this.#changes.delete(pid);
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
