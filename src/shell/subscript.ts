import type { Context } from "./context.ts";
import { isArray, type ShellState } from "./state.ts";
import { textOf, type Value } from "./value.ts";

/** Where names are looked up whose text bash evaluates as arithmetic. */
interface At {
  readonly cx: Context;
  readonly state: ShellState;
}

/**
 * True for text that arithmetic evaluation cannot turn into code: numbers, operators, plain names.
 * bash expands a name's value again and again, and runs substitutions in an array subscript (bash(1), Shell Arithmetic).
 */
export const readSubscript = (text: string): boolean => /^[\w\s+\-*/%()<>=!&|^~?:,@#.]*$/.test(text);

/** True when evaluating it runs nothing but what the names in it hold. */
export const isNumeric = (value: Value): boolean =>
  value.atoms.every((atom) => (typeof atom === "string" ? readSubscript(atom) : "hole" in atom && atom.number === true));

/** The names in a text that is evaluated: bash evaluates what they hold in turn. */
export function readNames(at: At, text: string): void {
  for (const name of text.match(/[A-Za-z_]\w*/g) ?? []) readName(at, name, 0);
}

/** Variables this line does not set are taken for numbers. */
function readName(at: At, name: string, depth: number): void {
  const variable = at.state.variables.get(name);
  if (variable === undefined || depth > 8) return;
  for (const one of isArray(variable) ? variable : [variable]) {
    const text = textOf(one);
    if (text === undefined) {
      if (!isNumeric(one)) runtimeText(at.cx, `$${name}`);
      continue;
    }
    if (!/^\s*(-?(0[0-7]*|[1-9]\d*)|[A-Za-z_]\w*)?\s*$/.test(text)) at.cx.mayFail(at.state);
    if (!readSubscript(text)) at.cx.unknown(`arithmetic evaluates the text of $${name}, which can run code`);
    else for (const inner of text.match(/[A-Za-z_]\w*/g) ?? []) if (inner !== name) readName(at, inner, depth + 1);
  }
}

export function runtimeText(cx: Context, text: string): void {
  cx.unknown(`arithmetic evaluates \`${text}\`, whose text is only known at run time and can run code`, {
    help: "check that it is a number first, or use [ … ]",
  });
}
