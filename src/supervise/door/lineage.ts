import type { Caller, Errand } from "../judge/index.ts";
import { layoutOf, parentOf, startOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

/** What is known of a program since it started. */
interface Record {
  /** When the process began, in clock ticks since boot: numbers come again, this does not. */
  readonly start: string;
  /** Names it goes by, if they can be trusted. */
  readonly programs: readonly string[];
  readonly errand: Errand;
}

const MOST = 20_000;

/** Which programs run in the tree, and who started whom. */
export class Lineage {
  readonly #records = new Map<number, Record>();
  /** Names that can be trusted, by the memory that the program began with: whatever it forks has the same. */
  readonly #layouts = new Map<string, readonly string[]>();
  /** What the command as typed says it does: it holds for the whole tree. */
  readonly #typed: Errand;
  /** Processes whose whole tree a person trusts for this run. */
  readonly #trusted = new Map<number, string>();

  constructor(typed: Errand) {
    this.#typed = typed;
  }

  /** A program has started in this process. */
  started(pid: number, programs: readonly string[], errand: Errand): void {
    const start = startOf(pid);
    if (start === undefined) return;
    if (this.#records.size >= MOST) this.#prune();
    this.#records.set(pid, { start, programs, errand });
    const layout = programs.length === 0 ? undefined : layoutOf(pid);
    if (layout === undefined) return;
    const [oldest] = this.#layouts.keys();
    if (this.#layouts.size >= MOST && oldest !== undefined) this.#layouts.delete(oldest);
    this.#layouts.set(layout, programs);
  }

  /**
   * Names of the program that the process runs: its own, or that of the process it was forked from. INVARIANT: never of
   * whoever is its parent now: that one may have been forked from with another program in it, or have adopted it.
   */
  programs(pid: number): readonly string[] {
    const record = this.#records.get(pid);
    if (record !== undefined && record.start === startOf(pid)) return record.programs;
    const layout = this.#layouts.size === 0 ? undefined : layoutOf(pid);
    return layout === undefined ? [] : (this.#layouts.get(layout) ?? []);
  }

  /** What the process and those above it were started for. */
  errands(pid: number): readonly Errand[] {
    return [this.#typed, ...this.#up(pid).flatMap((found) => (found === undefined ? [] : [found.errand]))];
  }

  /** Who makes a call, for the judge. */
  caller({ tgid }: Task): Caller {
    return { programs: () => this.programs(tgid), errands: () => this.errands(tgid), typed: () => this.#typed };
  }

  trust(pid: number): void {
    const start = startOf(pid);
    if (start !== undefined) this.#trusted.set(pid, start);
  }

  distrust(pid: number): void {
    this.#trusted.delete(pid);
  }

  isTrusted(pid: number): boolean {
    return this.#trusted.size > 0 && this.#pids(pid).some((at) => this.#trusted.has(at) && this.#trusted.get(at) === startOf(at));
  }

  #up(pid: number): readonly (Record | undefined)[] {
    return this.#pids(pid).map((at) => {
      const record = this.#records.get(at);
      return record !== undefined && record.start === startOf(at) ? record : undefined;
    });
  }

  /** The process and its parents below the supervisor. */
  #pids(pid: number): readonly number[] {
    const found: number[] = [];
    for (let at: number | undefined = pid; at !== undefined && at > 1 && at !== process.pid && found.length < 64; at = parentOf(at))
      found.push(at);
    return found;
  }

  #prune(): void {
    for (const [pid, { start }] of this.#records) if (startOf(pid) !== start) this.#records.delete(pid);
  }
}
