import type { ArithmeticExpression } from "unbash";
import { expandParts, streamText, type Expansion } from "./expand.ts";
import { isArray } from "./state.ts";
import { NOTHING, textOf, type Value } from "./value.ts";

const NUMBER: Value = { atoms: [{ hole: true, why: "the result of arithmetic", number: true }], many: false };
const ASSIGNING = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "**="]);

/**
 * True for text that arithmetic evaluation cannot turn into code: numbers, operators, plain names.
 * bash expands a name's value again and again, and runs substitutions in an array subscript (bash(1), Shell Arithmetic).
 */
export const readSubscript = (text: string): boolean => /^[\w\s+\-*/%()<>=!&|^~?:,@#.]*$/.test(text);

/** Walks an arithmetic expression for the substitutions and assignments in it. */
export function readArithmetic(ex: Expansion, expression: ArithmeticExpression): void {
  switch (expression.type) {
    case "ArithmeticBinary":
      readArithmetic(ex, expression.left);
      readArithmetic(ex, expression.right);
      if (ASSIGNING.has(expression.operator)) assign(ex, expression.left);
      return;
    case "ArithmeticUnary":
      readArithmetic(ex, expression.operand);
      if (expression.operator === "++" || expression.operator === "--") assign(ex, expression.operand);
      return;
    case "ArithmeticTernary":
      readArithmetic(ex, expression.test);
      readArithmetic(ex, expression.consequent);
      readArithmetic(ex, expression.alternate);
      return;
    case "ArithmeticGroup":
      readArithmetic(ex, expression.expression);
      return;
    case "ArithmeticCommandExpansion":
      if (expression.script !== undefined)
        word(
          ex,
          expression.text,
          streamText(ex.run(ex.cx, ex.state.fork(), expression.script, NOTHING), `the output of ${expression.text}`),
        );
      return;
    case "ArithmeticWord":
      word(ex, expression.value, expression.parts === undefined ? undefined : expandParts(ex, expression.parts));
      return;
  }
}

function word(ex: Expansion, source: string, expanded: Value | undefined): void {
  if (expanded !== undefined) {
    const text = textOf(expanded);
    if (text !== undefined) plain(ex, text);
    else if (!isNumeric(expanded)) runtimeText(ex, source);
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
  for (const name of text.match(/[A-Za-z_]\w*/g) ?? []) value(ex, name, 0);
}

/** bash evaluates a variable's text as an expression in turn. Variables this line does not set are taken for numbers. */
function value(ex: Expansion, name: string, depth: number): void {
  const variable = ex.state.variables.get(name);
  if (variable === undefined || depth > 8) return;
  for (const one of isArray(variable) ? variable : [variable]) {
    const text = textOf(one);
    if (text === undefined) {
      if (!isNumeric(one)) runtimeText(ex, `$${name}`);
    } else if (!readSubscript(text)) ex.cx.unknown(`arithmetic evaluates the text of $${name}, which can run code`);
    else for (const inner of text.match(/[A-Za-z_]\w*/g) ?? []) if (inner !== name) value(ex, inner, depth + 1);
  }
}

const isNumeric = (value: Value): boolean =>
  value.atoms.every((atom) => (typeof atom === "string" ? readSubscript(atom) : "hole" in atom && atom.number === true));

function runtimeText(ex: Expansion, text: string): void {
  ex.cx.unknown(`arithmetic evaluates \`${text}\`, whose text is only known at run time and can run code`, {
    help: "check that it is a number first, or use [ … ]",
  });
}

function assign(ex: Expansion, target: ArithmeticExpression): void {
  if (target.type === "ArithmeticWord" && /^[A-Za-z_]\w*/.test(target.value)) {
    ex.state.variables.set(/^[A-Za-z_]\w*/.exec(target.value)?.[0] ?? "", NUMBER);
  }
}
