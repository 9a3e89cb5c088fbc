import type { ArithmeticExpression } from "unbash";
import type { Context } from "./context.ts";
import { expandParts, streamText, type Expansion } from "./expand.ts";
import { either, isArray, type ShellState } from "./state.ts";
import { holeOf, textOf, type Value } from "./value.ts";
import { perhapsNumber, setElement, setNumber } from "./variables.ts";
import { inputAround } from "./input.ts";

const ASSIGNING = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "**="]);

/** Walks an arithmetic expression for the substitutions and assignments in it. */
export function readArithmetic(ex: Expansion, expression: ArithmeticExpression): void {
  switch (expression.type) {
    case "ArithmeticBinary":
      readArithmetic(ex, expression.left);
      if (expression.operator === "&&" || expression.operator === "||") readPerhaps(ex, [expression.right]);
      else readArithmetic(ex, expression.right);
      if (/[/%]|\*\*/.test(expression.operator) && !isPlainDivisor(expression.right)) ex.cx.mayFail(ex.state);
      if (ASSIGNING.has(expression.operator)) assign(ex, expression.left);
      return;
    case "ArithmeticUnary":
      readArithmetic(ex, expression.operand);
      if (expression.operator === "++" || expression.operator === "--") assign(ex, expression.operand);
      return;
    case "ArithmeticTernary":
      readArithmetic(ex, expression.test);
      readPerhaps(ex, [expression.consequent, expression.alternate]);
      return;
    case "ArithmeticGroup":
      readArithmetic(ex, expression.expression);
      return;
    case "ArithmeticCommandExpansion":
      if (expression.script !== undefined)
        word(
          ex,
          expression.text,
          streamText(ex.run(ex.cx, ex.state.fork(), expression.script, inputAround(ex.cx)), `the output of ${expression.text}`),
        );
      return;
    case "ArithmeticWord":
      // bash takes single quotes there for what they are, which is an error.
      if (expression.parts?.some(({ text }) => /^\$?'/.test(text)) === true) ex.cx.mayFail(ex.state);
      word(ex, expression.value, expression.parts === undefined ? undefined : expandParts(ex, expression.parts));
      return;
  }
}

/** What is evaluated only where another part says so: what it sets may stay as it was. */
function readPerhaps(ex: Expansion, parts: readonly ArithmeticExpression[]): void {
  const { state } = ex;
  for (const part of parts) {
    const before = new Map(state.variables);
    readArithmetic(ex, part);
    for (const [name, value] of state.variables) {
      const now = either(name, before.get(name), value);
      if (now === undefined || now === value) continue;
      state.setVariable(name, now);
      if (state.environment.has(name)) state.hand(name, { value: now, span: undefined });
    }
  }
}

/** By zero, and to a negative power, is an error. */
const isPlainDivisor = (right: ArithmeticExpression): boolean => right.type === "ArithmeticWord" && /^[1-9]\d*$/.test(right.value);

function word(ex: Expansion, source: string, expanded: Value | undefined): void {
  if (expanded !== undefined) {
    const text = textOf(expanded);
    if (text !== undefined) plain(ex, text);
    else if (!isNumeric(expanded)) runtimeText(ex.cx, source);
    return;
  }
  plain(ex, source);
}

/** A name, a number, or `name[subscript]`. */
function plain(ex: Expansion, text: string): void {
  if (/[$`"'\\]/.test(text) || (text.includes("[") && !/^\w+\[[\w\s+\-*@]*\]$/.test(text))) {
    ex.cx.unknown(`arithmetic evaluates \`${text}\`, which can run code hidden in its text`);
    return;
  }
  // `1 2`, `08` and an element before the first are errors.
  if (!/^(0[0-7]*|[1-9]\d*|0[xX][\da-fA-F]+|[A-Za-z_]\w*(\[[\w\s+*@]*\])?)?$/.test(text.trim())) ex.cx.mayFail(ex.state);
  readNames(ex, text);
}

function assign(ex: Expansion, target: ArithmeticExpression): void {
  const found = target.type === "ArithmeticWord" ? /^([A-Za-z_]\w*)(\[)?/.exec(target.value) : null;
  const name = found?.[1];
  // PATH=1 is a folder named 1.
  if (found === null || name === undefined) return;
  if (found[2] === undefined) setNumber(ex.cx, ex.state, name);
  else setElement(ex.cx, ex.state, name, { exported: false });
}

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
  readAssignments(at, text);
}

/** Names in a text that evaluating it may give a number: `x=5` is arithmetic wherever a number is asked for. */
function readAssignments(at: At, text: string): void {
  if (!/[=+-]/.test(text)) return;
  const found = [
    // From each name on once, and not again from each of its letters or blanks.
    ...text.matchAll(/(?<!\w)\d*([A-Za-z_]\w*)\s*(?:(\[[^[\]]*\])\s*)?(?:[-+*/%&|^]|\*\*|<<|>>|&&|\|\||\^\^)?=(?!=)/g),
    ...text.matchAll(/(?:\+\+|--)\s*([A-Za-z_]\w*)\s*(\[)?/g),
    ...text.matchAll(/(?<!\w)\d*([A-Za-z_]\w*)\s*(?:(\[[^[\]]*\])\s*)?(?:\+\+|--)/g),
  ];
  for (const [, name = "", subscript] of found)
    if (subscript === undefined) perhapsNumber(at.cx, at.state, name);
    else setElement(at.cx, at.state, name, { exported: false });
}

/** Texts of the line itself that the shells keep: the last word, what a pattern matched, the command, what was read. */
const KEPT_TEXTS = /^(_|BASH_(REMATCH|COMMAND|EXECUTION_STRING|ARG[CV]|ARGV0|SOURCE|ALIASES|CMDS)|FUNCNAME|OPTARG|REPLY|MATCH|match|argv)$/;

/** Variables this line does not set are taken for numbers. */
function readName(at: At, name: string, depth: number): void {
  const variable = at.state.variables.get(name);
  if (variable === undefined && KEPT_TEXTS.test(name)) runtimeText(at.cx, `$${name}`);
  if (variable === undefined || depth > 8) return;
  for (const one of isArray(variable) ? variable : [variable]) {
    const text = textOf(one);
    if (text === undefined) {
      // What came with the environment counts as what this line does not set.
      if (!isNumeric(one) && holeOf(one)?.ambient !== true) runtimeText(at.cx, `$${name}`);
      continue;
    }
    if (!/^\s*(-?(0[0-7]*|[1-9]\d*)|[A-Za-z_]\w*)?\s*$/.test(text)) at.cx.mayFail(at.state);
    if (!readSubscript(text)) at.cx.unknown(`arithmetic evaluates the text of $${name}, which can run code`);
    else {
      for (const inner of text.match(/[A-Za-z_]\w*/g) ?? []) if (inner !== name) readName(at, inner, depth + 1);
      readAssignments(at, text);
    }
  }
}

function runtimeText(cx: Context, text: string): void {
  cx.unknown(`arithmetic evaluates \`${text}\`, whose text is only known at run time and can run code`, {
    help: "check that it is a number first, or use [ … ]",
  });
}
