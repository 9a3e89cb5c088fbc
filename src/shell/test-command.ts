import type { TestExpression } from "unbash";
import { BY_SHELL, type Context } from "./context.ts";
import { evaluateAsArithmetic, expandText, type Expansion } from "./expand.ts";

/** Tests do nothing but look; they are an action only so that a line of nothing else has a verdict. */
export function predicate(cx: Context, word: string, node: { readonly pos: number; readonly end: number }): void {
  const span = cx.span(node);
  cx.add({
    kind: "exec",
    program: word,
    argv: [{ known: true, text: word }],
    trusted: true,
    knowledge: word,
    builtin: true,
    inert: "predicate",
    env: [],
    origin: BY_SHELL,
    ...(span === undefined ? {} : { span }),
  });
}

const ARITHMETIC_TESTS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

export function readTest(ex: Expansion, test: TestExpression): void {
  switch (test.type) {
    case "TestUnary": {
      const operand = expandText(ex, test.operand);
      if (test.operator === "-v" || test.operator === "-R") evaluateAsArithmetic(ex, operand, "the subscript of a -v test");
      if (test.operator === "-t" && ex.cx.maybeZsh) evaluateAsArithmetic(ex, operand, "the operand of -t, in zsh,");
      return;
    }
    case "TestBinary": {
      const sides = [expandText(ex, test.left), expandText(ex, test.right)];
      if (ARITHMETIC_TESTS.has(test.operator)) for (const side of sides) evaluateAsArithmetic(ex, side, `the operand of ${test.operator}`);
      return;
    }
    case "TestLogical":
      for (const operand of test.operands) readTest(ex, operand);
      return;
    case "TestNot":
      readTest(ex, test.operand);
      return;
    case "TestGroup":
      readTest(ex, test.expression);
      return;
  }
}
