import type { Function as FunctionNode } from "unbash";
import type { Span } from "../../action/index.ts";
import { sameValue, unknown, type Atom, type ShellPlace, type Stream, type Value } from "./value.ts";

export type { ShellPlace } from "./value.ts";

export type ShellVariable = Value | readonly Value[];

export const isArray = (variable: ShellVariable): variable is readonly Value[] => Array.isArray(variable);

/** A variable that programs get. Without a value: it was exported and has the one it came with, if any. */
export interface Handed {
  readonly value: ShellVariable | undefined;
  readonly span: Span | undefined;
}

/** More places than this are one unknown place. */
const MOST_PLACES = 4;

const NO_VARIABLES: ReadonlyMap<string, Handed> = new Map();
const NO_OPTIONS: ReadonlySet<Followed> = new Set();
const NONE: ReadonlyMap<string, never> = new Map<string, never>();
const NO_INPUTS: ReadonlySet<Stream> = new Set();
const NO_DESCRIPTORS: ReadonlySet<number> = new Set();

/** What a function's `local` hides of one variable. */
export interface Hidden {
  readonly saved: ShellVariable | undefined;
  readonly attributes: string;
  /** On some ways the function has no such variable of its own: what is visible is then the caller's. */
  readonly maybe: boolean;
}

/** What a trap may do between any two commands (bash(1), `trap`). */
export interface PendingTraps {
  /** Variables that it sets: their value is unknown from here on. */
  readonly names: ReadonlySet<string>;
  /** It may leave the folder. */
  readonly moves: boolean;
  /** It prints, wherever the output goes when it is sprung. */
  readonly prints: boolean;
  /** It reads from whatever the input is then. */
  readonly reads: boolean;
}

export const CALM: PendingTraps = { names: new Set(), moves: false, prints: false, reads: false };

/** What the line makes of names beside giving them values: a trap set before finds it so when it is sprung. */
export type Mark =
  | { readonly is: "attributes"; readonly name: string; readonly letters: string }
  | { readonly is: "handed"; readonly name: string; readonly handed: Handed }
  | { readonly is: "alias"; readonly name: string; readonly meaning: string }
  | { readonly is: "option"; readonly option: Followed };

/** Options of the shell that are followed: `allexport`, `physical`, `nullglob`, and those that end it early. */
export type Followed = "allexport" | "physical" | "nullglob" | "errexit" | "nounset";

/** Bodies, or meanings; undefined among them: not defined on some way. */
type Several<T> = readonly (T | undefined)[];

/** A map that is copied when one of those who share it changes it: of the states of a line most change nothing. */
class SharedMap<V> {
  private held: Map<string, V> | undefined;
  private isShared: boolean;

  constructor(held?: Map<string, V>, isShared = false) {
    this.held = held;
    this.isShared = isShared;
  }

  get all(): ReadonlyMap<string, V> {
    return this.held ?? NONE;
  }

  share(): SharedMap<V> {
    this.isShared = true;
    return new SharedMap(this.held, true);
  }

  set(name: string, value: V): void {
    this.own().set(name, value);
  }

  delete(name: string): void {
    if (this.all.has(name)) this.own().delete(name);
  }

  private own(): Map<string, V> {
    if (this.isShared || this.held === undefined) this.held = new Map(this.all);
    this.isShared = false;
    return this.held;
  }
}

/** What the shell knows at one point of the line: a sound summary of every way to get there. */
export class ShellState {
  private standing: readonly ShellPlace[];
  private readonly known: SharedMap<ShellVariable>;
  private readonly bodies: SharedMap<Several<FunctionNode>>;
  private readonly meanings: SharedMap<Several<string>>;
  /** Letters of `declare` that a variable may have; `z`: in zsh arithmetic may have made it a number. */
  attributes: ReadonlyMap<string, string>;
  positional: readonly Value[];
  /** What the line adds to the environment of programs. Replaced, never changed. */
  environment: ReadonlyMap<string, Handed>;
  /** One for each function being called, the innermost last. */
  frames: readonly ReadonlyMap<string, Hidden>[];
  pendingTraps: PendingTraps;
  /** Options that may be set. */
  options: ReadonlySet<Followed>;
  /** In the code of a trap: how many functions are being called around it, and what they hide, is not known. */
  inTrap: boolean;
  /** Inputs in which nothing is left. */
  ended: ReadonlySet<Stream>;
  /** One list for the whole shell, in the order of the walk. */
  marks: Mark[];
  /** The shell may be any `sh`: see `portable.ts`. */
  portable: boolean;
  /** Descriptors that lead where what is written is kept (`exec > FILE`). */
  kept: ReadonlySet<number>;

  /** @internal The maps: those of the state it is forked from. */
  constructor(
    places: readonly ShellPlace[],
    known = new SharedMap<ShellVariable>(),
    bodies = new SharedMap<Several<FunctionNode>>(),
    meanings = new SharedMap<Several<string>>(),
  ) {
    this.standing = places;
    this.known = known;
    this.bodies = bodies;
    this.meanings = meanings;
    this.attributes = NONE;
    this.positional = [];
    this.environment = NO_VARIABLES;
    this.frames = [];
    this.pendingTraps = CALM;
    this.options = NO_OPTIONS;
    this.inTrap = false;
    this.ended = NO_INPUTS;
    this.marks = [];
    this.portable = false;
    this.kept = NO_DESCRIPTORS;
  }

  get variables(): ReadonlyMap<string, ShellVariable> {
    return this.known.all;
  }

  setVariable(name: string, value: ShellVariable): void {
    this.known.set(name, value);
  }

  dropVariable(name: string): void {
    this.known.delete(name);
  }

  /** @internal Several bodies when branches define the same name differently. */
  get functions(): ReadonlyMap<string, Several<FunctionNode>> {
    return this.bodies.all;
  }

  /** @internal */
  setFunction(name: string, bodies: Several<FunctionNode>): void {
    this.bodies.set(name, bodies);
  }

  dropFunction(name: string): void {
    this.bodies.delete(name);
  }

  get aliases(): ReadonlyMap<string, Several<string>> {
    return this.meanings.all;
  }

  get places(): readonly ShellPlace[] {
    return this.standing;
  }

  set places(places: readonly ShellPlace[]) {
    this.standing = this.pendingTraps.moves ? [{ is: "unknown", why: "the working directory, which a trap may change" }] : places;
  }

  fork(): ShellState {
    const copy = new ShellState(this.standing, this.known.share(), this.bodies.share(), this.meanings.share());
    copy.positional = this.positional;
    copy.attributes = this.attributes;
    copy.frames = this.frames;
    copy.pendingTraps = this.pendingTraps;
    copy.options = this.options;
    copy.inTrap = this.inTrap;
    copy.ended = this.ended;
    copy.marks = this.marks;
    copy.portable = this.portable;
    copy.kept = this.kept;
    copy.environment = this.environment;
    return copy;
  }

  attributesOf(name: string): string {
    return this.attributes.get(name) ?? "";
  }

  addAttributes(name: string, letters: string): void {
    const now = this.attributesOf(name);
    const all = uniteLetters(now, letters);
    if (all === now) return;
    this.attributes = new Map(this.attributes).set(name, all);
    this.marks.push({ is: "attributes", name, letters });
  }

  dropAttributes(name: string): void {
    if (!this.attributes.has(name)) return;
    const rest = new Map(this.attributes);
    rest.delete(name);
    this.attributes = rest;
  }

  end(input: Stream): void {
    this.ended = new Set([...this.ended, input]);
  }

  setOption(option: Followed): void {
    if (this.options.has(option)) return;
    this.options = new Set([...this.options, option]);
    this.marks.push({ is: "option", option });
  }

  addAlias(name: string, meaning: string): void {
    const now = this.aliases.get(name) ?? [];
    if (now.includes(meaning)) return;
    this.meanings.set(name, [...now, meaning]);
    this.marks.push({ is: "alias", name, meaning });
  }

  /** Adds to what programs get from here on: applyEnvironment asks each of them what it does with it. */
  hand(name: string, handed: Handed): void {
    this.environment = new Map(this.environment).set(name, handed);
    this.marks.push({ is: "handed", name, handed });
  }

  /** What other code of the shell may have made of names in the meantime. */
  mayBeMarked(marks: readonly Mark[]): void {
    for (const mark of marks) {
      if (mark.is === "attributes") this.addAttributes(mark.name, mark.letters);
      else if (mark.is === "option") this.setOption(mark.option);
      else if (mark.is === "alias") this.addAlias(mark.name, mark.meaning);
      else this.environment = joinEnvironments(this.environment, new Map([[mark.name, mark.handed]]));
    }
  }

  /** The innermost function gets a variable of its own; `maybe` where not every shell gives it one. */
  hide(name: string, maybe: boolean): void {
    const top = this.frames.at(-1);
    if (top === undefined) return;
    const visible = this.variables.get(name);
    const hidden = top.get(name);
    if (hidden !== undefined && (maybe || !hidden.maybe)) return;
    const saved = hidden === undefined ? visible : either(name, hidden.saved, visible);
    const entry: Hidden = { saved, attributes: uniteLetters(hidden?.attributes ?? "", this.attributesOf(name)), maybe };
    this.frames = [...this.frames.slice(0, -1), new Map(top).set(name, entry)];
  }

  /** The innermost function has returned: what it hid is visible again. */
  leaveFunction(): void {
    const top = this.frames.at(-1);
    this.frames = this.frames.slice(0, -1);
    for (const [name, { saved, attributes, maybe }] of top ?? []) {
      const before = this.pendingTraps.names.has(name) ? unknown(`$${name}, which a trap may change`, true) : saved;
      const visible = this.variables.get(name);
      const now = maybe ? either(name, before, visible) : before;
      if (now === undefined) this.dropVariable(name);
      else this.setVariable(name, now);
      this.handAnew(name, now);
      if (!maybe) this.dropAttributes(name);
      this.addAttributes(name, attributes);
    }
  }

  /** A variable that functions on the way hide may have changed under their own: nothing is known of it any more. */
  blur(name: string, why: string): void {
    const lost = unknown(why, true);
    this.frames = this.frames.map((frame) => {
      const hidden = frame.get(name);
      return hidden === undefined ? frame : new Map(frame).set(name, { ...hidden, saved: lost });
    });
    this.setVariable(name, lost);
    this.handAnew(name, lost);
  }

  /** What programs get of a variable that has another value now. */
  private handAnew(name: string, value: ShellVariable | undefined): void {
    const handed = this.environment.get(name);
    if (handed !== undefined) this.environment = new Map(this.environment).set(name, { ...handed, value });
  }
}

const placeKey = (place: ShellPlace): string => `${place.is} ${place.is === "unknown" ? place.why : place.path}`;

export function joinPlaces(a: readonly ShellPlace[], b: readonly ShellPlace[]): readonly ShellPlace[] {
  if (a === b) return a;
  const byKey = new Map<string, ShellPlace>();
  for (const place of [...a, ...b]) byKey.set(placeKey(place), place);
  const places = [...byKey.values()];
  return places.length > MOST_PLACES ? [{ is: "unknown", why: "the working directory after several `cd`" }] : places;
}

export function sameVariable(a: ShellVariable | undefined, b: ShellVariable | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    return a.every((value, i) => {
      const other = b[i];
      return other !== undefined && sameValue(value, other);
    });
  }
  return sameValue(a, b);
}

function joinLists<T>(a: ReadonlyMap<string, Several<T>>, b: ReadonlyMap<string, Several<T>>): SharedMap<Several<T>> {
  const out = new SharedMap<Several<T>>();
  for (const name of new Set([...a.keys(), ...b.keys()]))
    out.set(name, [...new Set([...(a.get(name) ?? [undefined]), ...(b.get(name) ?? [undefined])])]);
  return out;
}

const NUMBER: Value = { atoms: [{ hole: true, why: "a number that changes", number: true }], many: false };
const isNumber = (value: ShellVariable): boolean =>
  !isArray(value) &&
  value.atoms.length > 0 &&
  value.atoms.every((atom) => (typeof atom === "string" ? /^-?\d+$/.test(atom) : "hole" in atom && atom.number === true));
/** Numbers, nothing, and what came with the environment. */
const isOwn = (value: ShellVariable | undefined): boolean =>
  value === undefined || (isArray(value) ? value.every(isOwn) : value.atoms.every(isOwnAtom));
const isOwnAtom = (atom: Atom): boolean =>
  typeof atom === "string" ? /^(?:\s|-?\d)*$/.test(atom) : "hole" in atom && (atom.number === true || atom.ambient === true);

export const DIFFERS = "differs between branches";

function joinVariables(name: string, a: ShellVariable | undefined, b: ShellVariable | undefined): ShellVariable {
  if (a !== undefined && sameVariable(a, b)) return a;
  if (a !== undefined && b !== undefined && isNumber(a) && isNumber(b)) return NUMBER;
  const why = `$${name}, which ${DIFFERS}`;
  if (!isOwn(a) || !isOwn(b)) return unknown(why, true);
  const joined: Value = { atoms: [{ hole: true, why, ambient: true }], many: true };
  return isArray(a ?? b ?? joined) && isArray(b ?? a ?? joined) ? [joined] : joined;
}

export const either = (name: string, a: ShellVariable | undefined, b: ShellVariable | undefined): ShellVariable | undefined =>
  sameVariable(a, b) ? a : joinVariables(name, a, b);

const uniteLetters = (a: string, b: string): string => [...new Set(a + b)].sort().join("");

function joinAttributes(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const out = new Map(a);
  for (const [name, letters] of b) out.set(name, uniteLetters(a.get(name) ?? "", letters));
  return out;
}

/** A function has a variable of its own on both ways, or perhaps. */
function joinFrames(a: ShellState, b: ShellState): readonly ReadonlyMap<string, Hidden>[] {
  if (a.frames === b.frames) return a.frames;
  return a.frames.map((left, i) => {
    const right = b.frames[i];
    if (right === undefined || left === right) return left;
    const out = new Map<string, Hidden>();
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const [one, other] = [left.get(name), right.get(name)];
      // Where it is not hidden, the caller's is the visible one.
      out.set(name, {
        saved: either(
          name,
          one === undefined ? a.variables.get(name) : one.saved,
          other === undefined ? b.variables.get(name) : other.saved,
        ),
        attributes: uniteLetters(one?.attributes ?? a.attributesOf(name), other?.attributes ?? b.attributesOf(name)),
        maybe: one?.maybe !== false || other?.maybe !== false,
      });
    }
    return out;
  });
}

export function joinPendingTraps(a: PendingTraps, b: PendingTraps): PendingTraps {
  if (a === b) return a;
  return { names: new Set([...a.names, ...b.names]), moves: a.moves || b.moves, prints: a.prints || b.prints, reads: a.reads || b.reads };
}

/** The state after one of two ways. `undefined` is a way that does not go on (`exit`, `return`). */
export function joinStates(a: ShellState | undefined, b: ShellState | undefined): ShellState | undefined {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  const out = new ShellState([], undefined, joinLists(a.functions, b.functions), joinLists(a.aliases, b.aliases));
  out.inTrap = a.inTrap;
  out.ended = a.ended === b.ended ? a.ended : new Set([...a.ended].filter((input) => b.ended.has(input)));
  out.marks = a.marks;
  out.portable = a.portable || b.portable;
  out.kept = a.kept === b.kept ? a.kept : new Set([...a.kept, ...b.kept]);
  out.pendingTraps = joinPendingTraps(a.pendingTraps, b.pendingTraps);
  out.places = joinPlaces(a.places, b.places);
  out.frames = joinFrames(a, b);
  out.attributes = joinAttributes(a.attributes, b.attributes);
  out.options = a.options === b.options ? a.options : new Set([...a.options, ...b.options]);
  out.positional = sameVariable(a.positional, b.positional)
    ? a.positional
    : [unknown("the positional parameters differ between branches", true)];
  for (const name of new Set([...a.variables.keys(), ...b.variables.keys()])) {
    const left = a.variables.get(name);
    out.setVariable(name, joinVariables(name, left, b.variables.get(name)));
  }
  out.environment = joinEnvironments(a.environment, b.environment);
  return out;
}

/** What programs get on one of two ways, they may get. */
function joinEnvironments(a: ReadonlyMap<string, Handed>, b: ReadonlyMap<string, Handed>): ReadonlyMap<string, Handed> {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const out = new Map(a);
  for (const [name, handed] of b) {
    const before = a.get(name);
    if (before === undefined || before.value === undefined) out.set(name, handed);
    else if (handed.value !== undefined && !sameVariable(before.value, handed.value))
      out.set(name, { value: unknown(`$${name}, which differs between branches`), span: handed.span });
  }
  return out;
}

function sameEnvironment(a: ReadonlyMap<string, Handed>, b: ReadonlyMap<string, Handed>): boolean {
  if (a === b) return true;
  return a.size === b.size && [...a].every(([name, { value }]) => b.has(name) && sameVariable(value, b.get(name)?.value));
}
export const sameAttributes = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a === b || (a.size === b.size && [...a].every(([name, letters]) => b.get(name) === letters));

const sameFrames = (a: ShellState["frames"], b: ShellState["frames"]): boolean =>
  a === b ||
  a.every((frame, i) => {
    const other = b[i];
    return (
      frame === other ||
      (frame.size === other?.size &&
        [...frame].every(([name, hidden]) => {
          const now = other.get(name);
          return (
            now !== undefined && now.maybe === hidden.maybe && now.attributes === hidden.attributes && sameVariable(now.saved, hidden.saved)
          );
        }))
    );
  });

export const sameLists = <T>(a: ReadonlyMap<string, readonly T[]>, b: ReadonlyMap<string, readonly T[]>): boolean =>
  a.size === b.size &&
  [...a].every(([name, list]) => {
    const other = b.get(name);
    return list === other || (list.length === other?.length && list.every((one) => other.includes(one)));
  });

export function sameState(a: ShellState, b: ShellState): boolean {
  if (a === b) return true;
  if (
    a.options.size !== b.options.size ||
    a.pendingTraps.names.size !== b.pendingTraps.names.size ||
    a.pendingTraps.moves !== b.pendingTraps.moves ||
    a.pendingTraps.reads !== b.pendingTraps.reads
  )
    return false;
  if (!sameAttributes(a.attributes, b.attributes) || !sameFrames(a.frames, b.frames)) return false;
  if (!sameLists(a.functions, b.functions) || !sameLists(a.aliases, b.aliases) || a.variables.size !== b.variables.size) return false;
  if (a.places.map(placeKey).join("\n") !== b.places.map(placeKey).join("\n") || !sameVariable(a.positional, b.positional)) return false;
  if (!sameEnvironment(a.environment, b.environment)) return false;
  for (const [name, variable] of a.variables) if (!sameVariable(variable, b.variables.get(name))) return false;
  return true;
}
