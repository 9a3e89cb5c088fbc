import {
  type Action,
  type Argument,
  CONFINED_NEEDS,
  type ConfinedNeed,
  type DangerId,
  type ExecAction,
  type Origin,
  type Span,
  spend,
  type Target,
  type Unknown,
  type World,
} from "../../action/index.ts";
import type { Function as FunctionNode } from "unbash";
import type { Invocation } from "../programs/invocation.ts";
import type { ShellState } from "./state.ts";
import { NOTHING, type Stream, type Value } from "./value.ts";

/** A symbolic link that the line makes. The world does not show it yet: what goes through it is told by `settleLinks`. */
export interface MadeLink {
  readonly exec: number;
  /** Only what comes behind it in the list of actions can go through it. */
  readonly since: number;
  readonly at: Target;
  readonly sources: readonly Value[];
  /** `ln -r`: what it leads to was named from the working folder, not from the link's own. */
  readonly places: Invocation["places"] | undefined;
}

/** Which shells may read the line: `any` when the host runs the login shell (bash or zsh). */
export type ShellKind = "any" | "bash" | "sh" | "zsh";

/** A command while what it would do is being found out. */
export type ExecDraft = { -readonly [Key in keyof ExecAction]: ExecAction[Key] };

/** What the code of a trap leaves behind. */
export interface TrapEffects {
  readonly names: ReadonlySet<string>;
  /** What programs get from then on, or get anew. */
  readonly handed: ReadonlySet<string>;
  /** What it makes of variables: readonly, an integer. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly moves: boolean;
  readonly prints: boolean;
  readonly reads: boolean;
  /** It defines functions and aliases, sets parameters and options, or returns. */
  readonly controls: boolean;
}

/** Code that runs between two commands, when a signal comes or the shell ends. */
export interface ShellTrap {
  readonly code: Value;
  /** As it was when the trap was set. */
  readonly state: ShellState;
  /** How many marks there were then. */
  readonly since: number;
  readonly span: Span | undefined;
  /** What it may find otherwise when it is sprung. */
  readonly changed: Set<string>;
  moved: boolean;
  /** Only when the shell ends. */
  readonly last: boolean;
  readonly effects: TrapEffects;
}

/** What cannot be known, and what helps; false: it can. */
export type ShellDoubt = false | { readonly reason: string; readonly help?: string };

/** Work a single request may cost before it counts as not analysable. */
const MOST_STEPS = 12_000;
/**
 * Text that commands hand on to others, all levels together, in characters; a word counts as so many. `eval eval …` hands nearly all
 * of its words on each time, so that the square of the line's length would be looked at.
 */
const MOST_CARRIED = 400_000;
const WORD = 8;
/** `bash -c "bash -c …"`, functions calling functions. */
export const DEEPEST_NESTING = 24;

/** Collects what a request would do while the shell is walked. */
export class Context {
  readonly actions: Action[] = [];
  readonly unknowns: Unknown[] = [];
  /** Unknowns of commands that a wrapper starts, where nothing is unknown of the wrapper itself. */
  readonly ofStarted = new Set<Unknown>();
  readonly world: World;
  readonly shell: ShellKind;
  depth = 0;
  /** Set while text that is not the request itself is read: spans then point at the word that carried it. */
  outerSpan: Span | undefined;
  /** Names of functions being walked, to see recursion. */
  readonly calling: string[] = [];
  /** Inside a pipeline or a background job: a function that calls itself there is a fork bomb. */
  concurrent = 0;
  /** What `>(…)` of the command at hand prints: it goes where the command's own output goes. */
  readonly leaked: Stream[] = [];
  /** Inside a `time`d command. */
  timed = 0;
  /** @internal Functions the line defines; those it never calls are judged at the end. */
  readonly defined = new Map<FunctionNode, { state: ShellState; called: boolean }>();
  /** Interpreters judged by what their folder holds, with the language: see `surroundings.ts`. */
  readonly relying = new Map<Invocation, string>();
  /** Names that lie in a folder now were found to be no code, or no options: see `surroundings.ts`. */
  looksForCode = false;
  looksForOptions = false;
  /** Loops, functions and shells being walked, with the states in which `break`, `continue` and `return` leave them. */
  readonly escapes: { readonly from: "loop" | "function" | "shell"; readonly states: ShellState[] }[] = [];
  /**
   * States in which an expansion may have failed, innermost boundary last: bash then leaves out the rest of the line, of
   * the `eval` or of the subshell.
   */
  readonly failures: ShellState[][] = [];
  /** Those of them that belong to a whole script. */
  readonly scripts = new Set<readonly ShellState[]>();
  /** Traps that were set, judged when the whole line is known. */
  readonly traps: ShellTrap[] = [];
  /** Symbolic links that the line makes: see `links.ts`. */
  readonly links: MadeLink[] = [];
  /** A tool is tried that stands among the words of a runner: see `services.ts`. */
  triesTool = false;
  /** Words as they appear in actions. */
  readonly said = new Map<Value, Argument>();
  /** What the command that is being read finds as its input, and with it every substitution in its words. */
  stdin: Stream = NOTHING;
  /** Inputs that are open, innermost last, and what is left of those that something has read: see `input.ts`. */
  readonly inputs: Stream[] = [];
  readonly taken = new WeakMap<Stream, "lines" | "pieces">();
  /** What goes into the text of the substitution that is walked, if one is. */
  collects: "nothing" | "output" | "errors" = "nothing";
  /** How often the walk met what reads an input. */
  readings = 0;
  /** How often the walk met what may end a list of commands early: what comes after it may not run. */
  cuts = 0;
  /** The variables that it met being given a value, each time, and `@` for the parameters. */
  readonly changed: string[] = [];
  private steps = 0;
  private carried = 0;
  private readonly reasons = new Set<string>();
  private readonly limits = new Set<string>();

  constructor(world: World, shell: ShellKind) {
    this.world = world;
    this.shell = shell;
  }

  get maybeZsh(): boolean {
    return this.shell === "any" || this.shell === "zsh";
  }

  /** Goes one level of nested code deeper; false (and said) when that is too deep. */
  enter(): boolean {
    if (this.depth >= DEEPEST_NESTING) {
      this.giveUp("code is nested too deeply to analyse");
      return false;
    }
    this.depth++;
    return true;
  }

  leave(): void {
    this.depth--;
  }

  /** As `enter`, for what a command hands on: a text, or words. */
  carry(handed: string | readonly Value[]): boolean {
    const size = typeof handed === "string" ? handed.length : handed.length * WORD;
    spend(size >> 1);
    this.carried += size;
    if (this.carried <= MOST_CARRIED) return true;
    this.giveUp("code is nested too deeply to analyse");
    return false;
  }

  /** False once the request has become too large to judge. */
  step(): boolean {
    // Some hundred microseconds, mostly.
    spend(128);
    this.steps++;
    if (this.steps === MOST_STEPS) this.giveUp("the command is too large or too deeply nested to analyse");
    return this.steps < MOST_STEPS;
  }

  /** Nothing is walked any more. */
  get isOver(): boolean {
    return this.steps >= MOST_STEPS;
  }

  /** A part of the line is not walked. It is said again at the end: what says it first may be rehearsed, and is forgotten with it. */
  private giveUp(reason: string): void {
    this.limits.add(reason);
    this.unknown(reason);
  }

  /** Says what of the line was not walked, whatever was forgotten since. */
  sayLimits(): void {
    for (const reason of this.limits) this.unknown(reason);
  }

  mayFail(state: ShellState): void {
    this.mayLeave(state, this.failures.at(-1), state.portable ? this.endedFunction : undefined);
  }

  /** The shell may end here, by an error; dash ends an `eval` behind `command` alone. */
  mayEnd(state: ShellState): void {
    this.mayLeave(state, ...(state.portable ? [this.givenUp, this.endedFunction] : []));
  }

  /** zsh gives up what it is told, up to the `eval` or to the whole script; bash goes on. */
  mayGiveUp(state: ShellState): void {
    if (this.maybeZsh) this.mayLeave(state, this.givenUp);
  }

  /** What comes next may not run: the shell then goes on behind what these states leave. */
  private mayLeave(state: ShellState, ...ways: readonly (ShellState[] | undefined)[]): void {
    this.cuts++;
    for (const way of ways) way?.push(state.fork());
  }

  /** An `eval` that is left; not a whole script. */
  private get givenUp(): ShellState[] | undefined {
    const around = this.failures.at(-1);
    return around === undefined || this.scripts.has(around) ? undefined : around;
  }

  /** Where another `sh` ends, mksh and posh end a function alone, or a script that is read by `.`. */
  private get endedFunction(): ShellState[] | undefined {
    const around = this.escapes.findLast(({ from }) => from !== "loop");
    return around?.from === "function" ? around.states : undefined;
  }

  /** A variable gets another value, in whatever shell. */
  changes(name: string, span?: Span, doubts: readonly ShellDoubt[] = []): void {
    this.changed.push(name);
    for (const trap of this.traps) trap.changed.add(name);
    this.doubt(span, doubts);
  }

  /** Says all that is doubtful of what stands at one place. */
  doubt(span: Span | undefined, doubts: readonly ShellDoubt[]): void {
    for (const doubt of doubts) if (doubt !== false) this.unknown(doubt.reason, { span, ...doubt });
  }

  moves(): void {
    for (const trap of this.traps) trap.moved = true;
  }

  /** Walks a command that another one starts. */
  started<T>(walk: () => T): T {
    const from = this.unknowns.length;
    const found = walk();
    for (const unknown of this.unknowns.slice(from)) this.ofStarted.add(unknown);
    return found;
  }

  /** Walks without leaving anything behind. */
  rehearse<T>(walk: () => T): T {
    const { actions, unknowns, traps } = this;
    const [acts, said, set, linked] = [actions.length, unknowns.length, traps.length, this.links.length];
    const reasons = new Set(this.reasons);
    const relying = new Set(this.relying.keys());
    const found = walk();
    actions.length = acts;
    unknowns.length = said;
    traps.length = set;
    this.links.length = linked;
    for (const reason of this.reasons) if (!reasons.has(reason)) this.reasons.delete(reason);
    for (const inv of this.relying.keys()) if (!relying.has(inv)) this.relying.delete(inv);
    this.leaked.length = 0;
    return found;
  }

  /** What a package starts: who allows its runner allows that, too, and what could not be known there nobody could know before. */
  packaged<T>(runner: number, walk: () => T): T {
    const { actions, unknowns } = this;
    const [from, said] = [actions.length, unknowns.length];
    const reasons = new Set(this.reasons);
    const found = walk();
    unknowns.length = said;
    for (const reason of this.reasons) if (!reasons.has(reason)) this.reasons.delete(reason);
    for (const [at, action] of actions.entries())
      if (at >= from && action.kind === "exec" && action.runner === undefined) actions[at] = { ...action, runner };
    return found;
  }

  span(node: { readonly pos: number; readonly end: number } | undefined): Span | undefined {
    if (this.outerSpan !== undefined || node === undefined) return this.outerSpan;
    return { start: node.pos, end: node.end };
  }

  unknown(
    reason: string,
    at?: {
      readonly span?: Span | undefined;
      readonly exec?: number;
      readonly help?: string;
      readonly lasting?: true;
      readonly unlisted?: true;
    },
  ): void {
    const key = `${at?.exec ?? ""}:${reason}`;
    if (this.reasons.has(key)) return;
    this.reasons.add(key);
    const span = at?.span ?? this.outerSpan;
    this.unknowns.push({
      reason,
      ...(span === undefined ? {} : { span }),
      ...(at?.exec === undefined ? {} : { exec: at.exec }),
      ...(at?.help === undefined ? {} : { help: at.help }),
      ...(at?.lasting === true ? { lasting: true } : {}),
      ...(at?.unlisted === true ? { unlisted: true } : {}),
    });
  }

  /** Adds an action and returns its index. */
  add(action: Action): number {
    return this.actions.push(action) - 1;
  }

  /** Marks the exec at `index` with a danger class. */
  addDanger(index: number, danger: DangerId, by?: "folder" | "below"): void {
    const action = this.actions[index];
    if (danger === "foreign-repository" && by !== "folder" && action?.kind === "exec" && action.pointed !== true)
      this.refineExec(index, { pointed: by ?? true });
    if (action === undefined || action.dangers?.includes(danger) === true) return;
    this.actions[index] = { ...action, dangers: [...(action.dangers ?? []), danger] };
  }

  /** Sets fields of the exec at `index`, once more is known of it. */
  refineExec(
    index: number,
    fields: Partial<Pick<ExecAction, "pointed" | "knowledge" | "shape" | "folders" | "ownTool" | "handed" | "unread" | "elsewhere">>,
  ): void {
    const action = this.actions[index];
    if (action?.kind !== "exec") return;
    // Nobody else has it yet: a copy of each took a twentieth of what a line of thousands of commands takes.
    Object.assign<ExecDraft, Partial<ExecAction>>(action, action.handed === undefined ? fields : { ...fields, handed: action.handed });
  }

  /** The port of the hosts that the exec at `index` connects to and that named none; `was`: taken for it until now. */
  setPort(index: number, was: number | undefined, port: number | undefined): void {
    for (const [at, action] of this.actions.entries())
      if (action.kind === "net" && action.operation === "connect" && action.origin.by === "command" && action.origin.exec === index)
        if (action.port === undefined || action.port === was) this.actions[at] = { ...action, port };
  }

  /** Said of a command: see `ExecAction.needs`. */
  addNeed(index: number, need: ConfinedNeed, why = ""): void {
    const action = this.actions[index];
    if (action?.kind !== "exec" || action.needs?.includes(CONFINED_NEEDS[need]) === true) return;
    this.actions[index] = { ...action, needs: [...(action.needs ?? []), CONFINED_NEEDS[need] + why] };
  }
}

export const BY_SHELL: Origin = { by: "shell" };

/** What a walked piece of shell leaves behind: what it printed, and the state after success and after failure. */
export interface StepOutcome<State> {
  readonly out: Stream;
  /** Nothing else is printed, to whatever descriptor: no message of an error, no trace. */
  readonly sole?: true;
  /** What redirections of the command itself took away from its output. */
  readonly spilled?: Stream;
  readonly ok: State | undefined;
  readonly fail: State | undefined;
}
