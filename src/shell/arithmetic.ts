import type { ArithmeticExpression } from "unbash";
import { expandParts, type Expansion } from "./expand.ts";
import { streamText } from "./substitution.ts";
import { isNumeric, readNames, runtimeText } from "./subscript.ts";
import { literal, NOTHING, textOf, type Value } from "./value.ts";
import { assignVariable, integerMark } from "./variables.ts";

const NUMBER: Value = { atoms: [{ hole: true, why: "the result of arithmetic", number: true }], many: false };
const ASSIGNING = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "**="]);

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
  readNames(ex, text);
}

function assign(ex: Expansion, target: ArithmeticExpression): void {
  const name = target.type === "ArithmeticWord" ? /^[A-Za-z_]\w*/.exec(target.value)?.[0] : undefined;
  // PATH=1 is a folder named 1.
  if (name === undefined) return;
  const mark = integerMark(name);
  if (ex.cx.maybeZsh && !ex.state.variables.has(name) && !ex.state.variables.has(mark)) ex.state.variables.set(mark, literal("zsh"));
  assignVariable(ex.cx, ex.state, name, NUMBER, { exported: false });
}
