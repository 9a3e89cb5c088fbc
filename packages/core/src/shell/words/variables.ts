import { DECIDING, SHELL_VARIABLES } from "#knowledge/shell-variables";
import type { Context, ShellDoubt } from "./context.ts";
import { isSystemFolder, isToolFolder } from "../../policy/index.ts";
import { readVariable } from "../knowledge/environment.ts";
import { namedBy } from "../knowledge/names.ts";
import { DIFFERS, either, isArray, type Handed, type ShellState, type ShellVariable } from "./state.ts";
import { isNumeric, readNames } from "./arithmetic.ts";
import { workingDirectory } from "./expand.ts";
import { holeOf, isHole, sameValue, textOf, unknown, type Value } from "./value.ts";
import type { Span } from "../../action/index.ts";

type VariableKind = keyof typeof SHELL_VARIABLES;

const kinds = new Map<VariableKind, (name: string) => boolean>();

/** Whether shells do this with a variable: the key `variables` of the tables. */
function isOf(kind: VariableKind, name: string): boolean {
  let isNamed = kinds.get(kind);
  if (isNamed === undefined) kinds.set(kind, (isNamed = namedBy(SHELL_VARIABLES[kind])));
  return isNamed(name);
}

/** Set by the shell between two commands: never what the environment or an assignment says. */
export const isComputed = (name: string): boolean => isOf("computed", name);
/** Its value may be another from one moment to the next. */
export const isChanging = (name: string): boolean => isComputed(name) || isOf("integer", name);
export const isArrayFromStart = (name: string): boolean => isOf("array", name);

const A_NUMBER: Value = { atoms: [{ hole: true, why: "a number", number: true }], many: false };

/** Gives a variable a value, and says so when that controls what later commands do. */
export function assignVariable(
  cx: Context,
  state: ShellState,
  name: string,
  value: ShellVariable,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  const doubts = controls(cx, name, value, options.exported);
  const now = giveValue(cx, state, name, value, options.span, doubts);
  if (options.exported || isExported(cx, state, name)) state.hand(name, { value: now, span: options.span });
}

/** The value alone, as for one command: what is certain of it afterwards. */
export function giveValue(
  cx: Context,
  state: ShellState,
  name: string,
  value: ShellVariable,
  span: Span | undefined,
  doubts: readonly ShellDoubt[] = [],
): ShellVariable {
  const attributes = state.attributesOf(name);
  const integer = isOf("integer", name) || attributes.includes("i");
  const numbers = integer ? (isArray(value) ? value : [value]) : [];
  const table = DECIDING.find(([names]) => names.includes(name));
  // `PWD=$(pwd)` changes nothing.
  const idle = name === "PWD" && !isArray(value) && sameValue(value, workingDirectory(state)) && holeOf(value) === undefined;
  cx.changes(name, span, [
    ...doubts,
    cx.escapes.some(({ from }) => from === "loop") && doubles(name, value) && { reason: GROWS },
    table !== undefined && !idle && { reason: `sets ${name}: ${table[1]}`, help: ANOTHER },
    cx.maybeZsh && isOf("keeps", name) && { reason: `sets ${name}, which zsh itself keeps`, help: ANOTHER },
    !numbers.every(isNumeric) && { reason: `$${name} is an integer: its text is evaluated as arithmetic, which can run code` },
    attributes.includes("z") &&
      !isDigits(value) && { reason: `zsh keeps $${name} a number, as arithmetic made it; bash makes it text`, help: ANOTHER },
    attributes.includes("r") && {
      reason: `$${name} is readonly: the shell gives up the assignment, and may leave out the rest of the line`,
    },
  ]);
  for (const one of numbers) if (isNumeric(one)) readNames({ cx, state }, textOf(one) ?? "");
  const now = kept(state, name, inArray(name, value, attributes, state.variables.get(name)), attributes, integer);
  state.setVariable(name, now);
  return now;
}

/** `x=$x$x`, again and again: what it holds twice is not known any more after some rounds, and is named after the variable. */
const doubles = (name: string, value: ShellVariable): boolean =>
  (isArray(value) ? value : [value]).flatMap(({ atoms }) => atoms.filter((atom) => isHole(atom) && `${atom.why},`.startsWith(`$${name},`)))
    .length > 1;

export const GROWS = "a text is made twice as long again and again";
const ANOTHER = "use another name";

/** What an array holds that is given a value: keys are not followed. */
function inArray(name: string, value: ShellVariable, attributes: string, before: ShellVariable | undefined): ShellVariable {
  if (isArray(value) && attributes.includes("A")) return [unknown(`$${name}, whose words are keys and values`, true)];
  // In bash it is the first element, in zsh all of it or an error.
  const array = /[aA]/.test(attributes) || isOf("array", name) || (before !== undefined && isArray(before));
  return array && !isArray(value) ? unknown(`$${name}, an array that is given one text`, true) : value;
}

/** `a[i]=…`: which of them is not followed. */
export function setElement(
  cx: Context,
  state: ShellState,
  name: string,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  assignVariable(cx, state, name, { atoms: [{ hole: true, why: `an element of $${name}` }], many: true }, options);
  state.addAttributes(name, "a");
}

/** Arithmetic sets a variable: in zsh one that was not there is an integer from then on. */
export function setNumber(cx: Context, state: ShellState, name: string, span?: Span): void {
  const before = state.variables.get(name);
  const unset = before === undefined || (!isArray(before) && (textOf(before) === "" || holeOf(before)?.why.endsWith(DIFFERS) === true));
  if (cx.maybeZsh && unset) state.addAttributes(name, "z");
  assignVariable(cx, state, name, A_NUMBER, { exported: false, span });
}

/** Arithmetic may set a variable. */
export function perhapsNumber(cx: Context, state: ShellState, name: string): void {
  const before = state.variables.get(name);
  setNumber(cx, state, name);
  const now = either(name, before, state.variables.get(name)) ?? A_NUMBER;
  if (state.environment.has(name)) state.hand(name, { value: now, span: undefined });
  state.setVariable(name, now);
}

/** What is certain of the value afterwards. */
function kept(state: ShellState, name: string, value: ShellVariable, attributes: string, integer: boolean): ShellVariable {
  if (state.pendingTraps.names.has(name)) return unknown(`$${name}, which a trap may change`, true);
  if (attributes.includes("r")) return unknown(`$${name}, which is readonly`, true);
  if (/[ulc]/.test(attributes)) return unknown(`$${name}, whose letters change`, true);
  if (isOf("reset", name)) return unknown(`$${name}`, true);
  // `declare -i x; x=1+1` is 2.
  if (integer && !isArray(value) && !isDigits(value)) return A_NUMBER;
  return integer && isOf("integer", name) ? A_NUMBER : value;
}

/** A variable that came with the environment, or was exported before, stays exported whatever it is given. */
const isExported = (cx: Context, state: ShellState, name: string): boolean =>
  state.environment.has(name) || state.options.has("allexport") || isOf("exported", name) || cx.world.env(name) !== undefined;

/** Adds to what the programs of one command get; `ShellState.hand` is for the rest of the line. */
export function handOn(state: ShellState, name: string, handed: Handed): void {
  state.environment = new Map(state.environment).set(name, handed);
}

const isDigits = (value: ShellVariable): boolean =>
  !isArray(value) &&
  value.atoms.length > 0 &&
  value.atoms.every((atom) => (typeof atom === "string" ? /^(0|-?[1-9]\d*)$/.test(atom) : "hole" in atom && atom.number === true));

/** Says so when this variable, set for one command or for the rest of the line, makes every program run or trust something else. */
export function controlling(
  cx: Context,
  name: string,
  value: ShellVariable,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  const doubts = controls(cx, name, value, options.exported);
  cx.doubt(options.span, doubts);
}

function controls(cx: Context, name: string, value: ShellVariable, exported: boolean): readonly ShellDoubt[] {
  if (!exported && !isOf("exported", name) && !isOf("names", name)) return [];
  const text = isArray(value) ? undefined : textOf(value);
  const extended = name === "PATH" && text === undefined && !isArray(value) && extendsPath(cx, value.atoms);
  const found = extended ? "harmless" : readVariable(name, text);
  return [
    cx.maybeZsh &&
      isOf("names", name) &&
      controlsZsh(cx, name, value) && { reason: `sets ${name}, which in zsh decides what names stand for`, help: ANOTHER },
    typeof found === "object" && found.everywhere && { reason: `sets ${name}: ${found.controls}`, help: "leave the variable out" },
  ];
}

/** `for path in a.txt b.txt` and `options=-l` are common in bash; a file is no folder of programs. */
function controlsZsh({ world }: Context, name: string, value: ShellVariable): boolean {
  if (isArray(value)) return true;
  // `functions[ls]=…`: what one element gets is not kept.
  if (!name.endsWith("path"))
    return value.atoms.some((atom) => typeof atom !== "string" && "hole" in atom && atom.why === `an element of $${name}`);
  const text = textOf(value);
  return text === undefined || !/^[\w.-]+(\/[\w.-]+)*$/.test(text) || world.kind(world.canonical(`${world.cwd}/${text}`)) !== "file";
}

/** Stands for what PATH was before; no word has this character. */
const BEFORE = "\0";

/**
 * `PATH="$HOME/.cargo/bin:$PATH"`: folders in front that are the system's or hold a person's own tools. An empty one, also at an end, is
 * the current folder (bash(1), PATH).
 */
function extendsPath(cx: Context, atoms: readonly unknown[]): boolean {
  const { home, projectRoot, temp } = cx.world;
  const isBefore = (atom: unknown): boolean => typeof atom === "object" && atom !== null && "why" in atom && atom.why === "$PATH";
  return atoms
    .map((atom) => (typeof atom === "string" ? atom : isBefore(atom) ? BEFORE : "."))
    .join("")
    .split(":")
    .every((folder) => {
      if (folder === BEFORE) return true;
      const path = cx.world.canonical(folder);
      const inside = (root: string): boolean => path === root || path.startsWith(`${root}/`);
      if (!folder.startsWith("/") || /(^|\/)\.\.?(\/|$)/.test(folder) || temp.some(inside) || inside(projectRoot)) return false;
      if (!inside(home)) return isSystemFolder(path);
      return isToolFolder(path, home);
    });
}
