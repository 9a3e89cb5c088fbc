import type { TestExpression } from "unbash";
import type { Span } from "../../action/index.ts";
import { readNames, readSubscript } from "./arithmetic.ts";
import type { Context } from "./context.ts";
import { expandText, type Expansion } from "./expand.ts";
import { matchesOf } from "./paths.ts";
import type { ShellState } from "./state.ts";
import { holeOf, isHole, isWildcard, textOf, type Value } from "./value.ts";
import { assignVariable, setElement } from "./variables.ts";

// Where text that is only a word becomes arithmetic, or the name of a variable, which can run code in its subscript.

/** Text that bash would evaluate as arithmetic although it is only a word: `[[ x -eq y ]]`, `${a[x]}`, `printf -v a[x]`. */
export function evaluateAsArithmetic(ex: Expansion, value: Value, what: string): void {
  const isNumber = value.atoms.length === 1 && holeOf(value)?.number === true;
  if (!isNumber && !/^(\d+|[A-Za-z_]\w*)$/.test(textOf(value) ?? "?")) ex.cx.mayFail(ex.state);
  const texts = textsIn(ex, value);
  if (texts?.every(readSubscript) !== true)
    ex.cx.unknown(`${what} is evaluated as arithmetic, which can run code hidden in its text`, {
      help: "compare with [ … ] on a plain number",
    });
  else for (const text of texts) readNames(ex, text);
}

/** All text that may stand there but for numbers; undefined where that is not known. What a pattern matches is a name, and may be any text. */
function textsIn({ cx, state }: Expansion, value: Value): readonly string[] | undefined {
  if (value.atoms.some((atom) => isHole(atom) && atom.number !== true)) return undefined;
  const wild = value.atoms.filter(isWildcard);
  // A subscript in an unquoted word looks like a pattern. One character alone makes no code.
  const texts = value.atoms.flatMap((atom) =>
    typeof atom === "string" ? [atom] : isWildcard(atom) ? [atom.glob.replace(/^\[|\]$/g, "")] : [],
  );
  if (wild.length === 0 || (wild.length === 1 && /^(?:\?|\[[^[\]]*\])$/.test(wild[0]?.glob ?? ""))) return texts;
  const names = (wild[0]?.at ?? state.places).map((place) => matchesOf(cx.world, place, value));
  cx.looksForCode = true;
  return names.includes(undefined) ? undefined : [...texts, ...names.flatMap((some) => some ?? [])];
}

/** Who assigns: a builtin, where it stands. */
interface Assigner {
  readonly cx: Context;
  readonly state: ShellState;
  readonly name: string;
  readonly span: Span | undefined;
}

/** Assigns to a variable whose name is an argument: `read NAME`, `printf -v NAME`. A subscript in it is arithmetic. */
export function assignTo(call: Assigner, name: Value | undefined, value: Value): void {
  const target = name === undefined ? undefined : textOf(name);
  if (target === undefined) {
    call.cx.unknown(`${call.name} sets a variable that is only known at run time`, { span: call.span });
    return;
  }
  const match = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(target);
  if (match === null || (match[2] !== undefined && !/^[\w@*\s+-]*$/.test(match[2]))) {
    call.cx.unknown(`${call.name} evaluates the subscript in \`${target}\`, which can run code`, { span: call.span });
    return;
  }
  readNames(call, match[2] ?? "");
  const at = { exported: false, span: call.span };
  if (match[2] === undefined) assignVariable(call.cx, call.state, match[1] ?? "", value, at);
  else setElement(call.cx, call.state, match[1] ?? "", at);
}

const ARITHMETIC_TESTS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Reads the operands of `[[ … ]]`. */
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
      return readTest(ex, test.operand);
    case "TestGroup":
      readTest(ex, test.expression);
      return;
  }
}
