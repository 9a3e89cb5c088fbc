import type { Function as FunctionNode } from "unbash";
import { sameValue, unknown, type Value } from "./value.ts";

/** Where the shell may stand. */
export type Place =
  | { readonly is: "at"; readonly path: string }
  /** In this folder or somewhere below it. */
  | { readonly is: "below"; readonly path: string }
  | { readonly is: "unknown"; readonly why: string };

export type Variable = Value | readonly Value[];

export const isArray = (variable: Variable): variable is readonly Value[] => Array.isArray(variable);

/** More places than this are one unknown place. */
const MOST_PLACES = 4;

/** What the shell knows at one point of the line: a sound summary of every way to get there. */
export class ShellState {
  places: readonly Place[];
  variables: Map<string, Variable>;
  positional: readonly Value[];
  /** Several bodies when branches define the same name differently; undefined among them: not defined on some way. */
  functions: Map<string, readonly (FunctionNode | undefined)[]>;
  aliases: Map<string, readonly (string | undefined)[]>;

  constructor(places: readonly Place[]) {
    this.places = places;
    this.variables = new Map();
    this.positional = [];
    this.functions = new Map();
    this.aliases = new Map();
  }

  fork(): ShellState {
    const copy = new ShellState(this.places);
    copy.positional = this.positional;
    if (this.variables.size > 0) copy.variables = new Map(this.variables);
    if (this.functions.size > 0) copy.functions = new Map(this.functions);
    if (this.aliases.size > 0) copy.aliases = new Map(this.aliases);
    return copy;
  }
}

const placeKey = (place: Place): string => `${place.is} ${place.is === "unknown" ? place.why : place.path}`;

export function joinPlaces(a: readonly Place[], b: readonly Place[]): readonly Place[] {
  if (a === b) return a;
  const byKey = new Map<string, Place>();
  for (const place of [...a, ...b]) byKey.set(placeKey(place), place);
  const places = [...byKey.values()];
  return places.length > MOST_PLACES ? [{ is: "unknown", why: "the working directory after several `cd`" }] : places;
}

export function sameVariable(a: Variable | undefined, b: Variable | undefined): boolean {
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

function joinLists<T>(
  a: Map<string, readonly (T | undefined)[]>,
  b: Map<string, readonly (T | undefined)[]>,
): Map<string, readonly (T | undefined)[]> {
  const out = new Map<string, readonly (T | undefined)[]>();
  for (const name of new Set([...a.keys(), ...b.keys()]))
    out.set(name, [...new Set([...(a.get(name) ?? [undefined]), ...(b.get(name) ?? [undefined])])]);
  return out;
}

const NUMBER: Value = { atoms: [{ hole: true, why: "a number that changes", number: true }], many: false };
const isNumber = (value: Variable): boolean =>
  !isArray(value) &&
  value.atoms.length > 0 &&
  value.atoms.every((atom) => (typeof atom === "string" ? /^-?\d+$/.test(atom) : "hole" in atom && atom.number === true));

function joinVariables(name: string, a: Variable | undefined, b: Variable | undefined): Variable {
  if (a !== undefined && sameVariable(a, b)) return a;
  if (a !== undefined && b !== undefined && isNumber(a) && isNumber(b)) return NUMBER;
  return unknown(`$${name}, which differs between branches`, true);
}

/** The state after one of two ways. `undefined` is a way that does not go on (`exit`, `return`). */
export function joinStates(a: ShellState | undefined, b: ShellState | undefined): ShellState | undefined {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  const out = new ShellState(joinPlaces(a.places, b.places));
  out.functions = joinLists(a.functions, b.functions);
  out.aliases = joinLists(a.aliases, b.aliases);
  out.positional = sameVariable(a.positional, b.positional)
    ? a.positional
    : [unknown("the positional parameters differ between branches", true)];
  for (const name of new Set([...a.variables.keys(), ...b.variables.keys()])) {
    const left = a.variables.get(name);
    out.variables.set(name, joinVariables(name, left, b.variables.get(name)));
  }
  return out;
}

export function sameState(a: ShellState, b: ShellState): boolean {
  if (a === b) return true;
  if (a.functions.size !== b.functions.size || a.aliases.size !== b.aliases.size || a.variables.size !== b.variables.size) return false;
  if (a.places.map(placeKey).join("\n") !== b.places.map(placeKey).join("\n") || !sameVariable(a.positional, b.positional)) return false;
  for (const [name, variable] of a.variables) if (!sameVariable(variable, b.variables.get(name))) return false;
  return true;
}
