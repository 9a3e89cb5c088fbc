import { CARRIER, INTERPRETER } from "#knowledge/traits";
import { isOneOf } from "@assent/core/policy";
import type { CommandPlan } from "../services/plans.ts";
import { type ToolService, type KnownHost, NO_TOOL_SERVICE } from "../services/services.ts";
import type { Caller, Hosts, LoginTrail } from "../judge/types.ts";
import { isLaidOutAtRandom, parentOf, stampOf, folderOf, startOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

/** What is known of a program since it started. */
export interface StartedProgram {
  /** Names it goes by, if they can be trusted. */
  readonly programs: readonly string[];
  /** Where the credentials lie that it may read. */
  readonly logins: readonly string[];
  readonly trail?: LoginTrail;
  readonly toolService: ToolService;
  /** Hosts that a person named in the words that started it. */
  readonly named: readonly KnownHost[];
  /** Commands that these words tell it to start. */
  readonly says: readonly string[];
  /** Nobody else has changed what it would load of the project. Once not so, never again. */
  readonly settled?: (() => boolean) | undefined;
}

interface StartRecord extends StartedProgram {
  /** When the process began, in clock ticks since boot: numbers come again, this does not. */
  readonly start: string;
}

export const NOTHING: StartedProgram = { programs: [], logins: [], toolService: NO_TOOL_SERVICE, named: [], says: [] };

const MOST = 20_000;

/** What can run any code is another program each time. */
const runsAnything = (name: string): boolean => isOneOf(INTERPRETER, name) || CARRIER.has(name) || /^\w*sh$/.test(name);

/** By which a program is the same one when it is started again; undefined where that cannot be told. */
function nameOf({ programs }: StartedProgram): string | undefined {
  const names = programs.filter((name) => !name.includes(" ") && !runsAnything(name));
  return names.length === 0 ? undefined : names.join(" ");
}

/** Which programs run in the tree, and who started whom. */
export class ProcessTree {
  readonly #records = new Map<number, StartRecord>();
  /** What can be trusted, by the memory that the program began with: whatever it forks has the same. */
  readonly #layouts = new Map<string, StartedProgram>();
  /** Processes whose whole tree a person trusts for this run. */
  readonly #trusted = new Map<number, string>();
  /** The programs in them, by their names, each time the run starts them. */
  readonly #trustedPrograms = new Map<number, string>();
  /** How often paths were made to lead elsewhere, and by whom. */
  #turns = 0;
  readonly #turnsOf = new Map<number, number>();
  /** Processes whose whole tree runs with nobody to ask. */
  readonly #alone = new Map<number, string>();

  /** A program has started in this process. */
  started(pid: number, program: StartedProgram): void {
    const stamp = stampOf(pid);
    if (stamp === undefined) return;
    if (this.#records.size >= MOST) this.#prune();
    this.#records.set(pid, { start: stamp.start, ...program });
    const { programs, toolService, named, says } = program;
    const given = [programs, toolService.writes, toolService.hosts, named, says, toolService.plan?.into ?? []];
    const { layout } = stamp;
    if (layout === undefined || given.every((list) => list.length === 0) || !isLaidOutAtRandom(pid)) return;
    const [oldest] = this.#layouts.keys();
    if (this.#layouts.size >= MOST && oldest !== undefined) this.#layouts.delete(oldest);
    this.#layouts.set(layout, program);
  }

  /**
   * The program that the process runs: its own, or that of the process it was forked from. INVARIANT: never of
   * whoever is its parent now: that one may have been forked from with another program in it, or have adopted it.
   */
  program(pid: number): StartedProgram {
    const record = this.#records.get(pid);
    if (record === undefined && this.#layouts.size === 0) return NOTHING;
    const stamp = stampOf(pid);
    if (record !== undefined && record.start === stamp?.start) return record;
    const found = stamp?.layout === undefined ? undefined : this.#layouts.get(stamp.layout);
    return found !== undefined && isLaidOutAtRandom(pid) ? found : NOTHING;
  }

  /** Where programs that the process or those above it started may work. */
  #builds(pid: number): readonly string[] {
    return this.#up(pid).flatMap((found) => (found === undefined ? [] : found.toolService.builds));
  }

  /** It has made paths lead elsewhere. */
  ledOn(pid: number): void {
    this.#turns += 1;
    if (this.#turnsOf.size >= MOST) this.#turnsOf.clear();
    this.#turnsOf.set(pid, (this.#turnsOf.get(pid) ?? 0) + 1);
  }

  /** How often others have. */
  turnsBeside(pid: number): number {
    return this.#turns - (this.#turnsOf.get(pid) ?? 0);
  }

  /** What the process, or who started it, is there to fill. */
  plans(pid: number): readonly CommandPlan[] {
    return [this.program(pid), ...this.#up(pid)].flatMap((found) => found?.toolService.plan ?? []);
  }

  #hosts(pid: number): Hosts {
    const { toolService, named, settled } = this.program(pid);
    return { service: settled?.() === false ? [] : toolService.hosts, named };
  }

  /** Who makes a call, for judging it once: which program that is, is looked at once, when it is asked for, or `known` already. */
  caller({ tgid }: Pick<Task, "tgid">, known?: StartedProgram): Caller {
    const own = (): StartedProgram => (known ??= this.program(tgid));
    return {
      programs: () => own().programs,
      logins: () => (own().settled?.() === false ? [] : own().logins),
      trail: () => own().trail,
      toolService: () => own().toolService,
      folder: () => folderOf(tgid),
      builds: () => this.#builds(tgid),
      hosts: () => this.#hosts(tgid),
    };
  }

  trust(pid: number): void {
    const start = startOf(pid);
    if (start !== undefined) this.#trusted.set(pid, start);
    const name = nameOf(this.program(pid));
    if (name !== undefined) this.#trustedPrograms.set(pid, name);
  }

  distrust(pid: number): void {
    this.#trusted.delete(pid);
    this.#trustedPrograms.delete(pid);
  }

  /** For a process that wants nobody to be asked, neither for it nor for what it starts. */
  leavingAlone(pid: number): () => void {
    const start = startOf(pid);
    return () => {
      if (start !== undefined && this.#alone.size < MOST) this.#alone.set(pid, start);
    };
  }

  isAlone(pid: number): boolean {
    return this.#alone.size > 0 && this.#pids(pid).some((at) => this.#alone.has(at) && this.#alone.get(at) === startOf(at));
  }

  isTrusted(pid: number): boolean {
    return this.#trusted.size > 0 && this.#pids(pid).some((at) => this.#trusted.has(at) && this.#trusted.get(at) === startOf(at));
  }

  /** It, or what started it, is a program that a person trusts. */
  isTrustedProgram(pid: number): boolean {
    if (this.#trustedPrograms.size === 0) return false;
    const names = new Set(this.#trustedPrograms.values());
    return [this.program(pid), ...this.#up(pid)].some((program) => names.has((program === undefined ? undefined : nameOf(program)) ?? ""));
  }

  #up(pid: number): readonly (StartRecord | undefined)[] {
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
