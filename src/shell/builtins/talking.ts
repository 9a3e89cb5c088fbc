import { evaluateAsArithmetic } from "../expand.ts";
import { describe } from "../invocation.ts";
import {
  holeOf,
  isWildcard,
  join,
  joinWords,
  literal,
  mayBeOption,
  prefixOf,
  textOf,
  unknown,
  type Atom,
  type Stream,
  type Value,
} from "../value.ts";
import { readNames } from "../arithmetic.ts";
import { assignVariable, setElement } from "../variables.ts";
import { expansion } from "../walk.ts";
import { done, type Builtin } from "./index.ts";

const text = (atoms: readonly Atom[]): Stream => ({ is: "text", value: { atoms: join(atoms), many: false } });

/** Under nounset nothing is printed where a variable is not set. */
const whole = ({ state }: Parameters<Builtin>[0], out: Stream): Stream =>
  state.options.has("nounset") && out.is === "text" && holeOf(out.value)?.ambient === true
    ? { is: "unknown", why: "text with a variable that may not be set", network: false }
    : out;

const echo: Builtin = (call) => {
  let words = call.words;
  // dash and ksh print the options that they do not have.
  if (call.state.portable && /^-[neE]+$/.test(textOf(words[0] ?? literal("")) ?? ""))
    return done(call.state, { is: "unknown", why: "what echo makes of its options", network: false });
  let newline = true;
  let escapes = false;
  for (let first = words[0]; first !== undefined && /^-[neE]+$/.test(textOf(first) ?? ""); first = words[0]) {
    if ((textOf(first) ?? "").includes("n")) newline = false;
    if ((textOf(first) ?? "").includes("e")) escapes = true;
    words = words.slice(1);
  }
  const atoms = joinWords(words).map((atom): Atom => (isWildcard(atom) ? { hole: true, why: "names that a pattern matches" } : atom));
  // sh and zsh read backslash escapes in echo, bash does with -e: two meanings for whoever runs the output.
  if (
    (escapes || call.cx.shell !== "bash" || call.state.portable) &&
    atoms.some((atom) => typeof atom === "string" && atom.includes("\\"))
  ) {
    return done(call.state, { is: "unknown", why: "what echo makes of backslashes", network: false });
  }
  return { ...done(call.state, whole(call, text(newline ? [...atoms, "\n"] : atoms))), sole: true };
};

const NUMERIC = /[*diouxXeEfFgG]/;

const printf: Builtin = (call) => {
  const { cx, state } = call;
  let [format, ...args] = call.words;
  if (format !== undefined && (textOf(format) ?? "").startsWith("-v")) {
    const attached = (textOf(format) ?? "").slice(2);
    const name = attached === "" ? args[0] : literal(attached);
    args = attached === "" ? args.slice(1) : args;
    [format, ...args] = args;
    if (format !== undefined && textOf(format) === "--") [format, ...args] = args;
    else if (format === undefined || mayBeOption(format)) {
      assignTo(call, name, unknown("what printf makes", true));
      if (format !== undefined && prefixOf(format).startsWith("-v")) cx.unknown("printf -v sets another variable", { span: call.span });
      return done(state);
    }
    assignTo(
      call,
      name,
      format === undefined ? literal("") : (formatted(format, args) ?? { atoms: [{ hole: true, why: "what printf makes" }], many: false }),
    );
    return done(state);
  }
  if (format !== undefined && textOf(format) === "--") [format, ...args] = args;
  // An option that there is not, in bash; in zsh text.
  else if (/^-./.test(format === undefined ? "" : (textOf(format) ?? "")))
    return done(state, { is: "unknown", why: "what printf makes", network: false });
  else if (format !== undefined && args.length > 0 && mayBeOption(format))
    cx.unknown(`${describe(format)} may be -v and set a variable`, { span: call.span, help: "put -- or '%s' in front of it" });
  // %n puts a number into the variable that its argument names.
  if (format !== undefined && (textOf(format)?.includes("%n") ?? true)) {
    for (const arg of args)
      if (/^[A-Za-z_]\w*(\[.*\])?$/s.test(textOf(arg) ?? ""))
        assignTo(call, arg, { atoms: [{ hole: true, why: "a number", number: true }], many: false });
  }
  // %d and its kin evaluate their argument as arithmetic in zsh.
  const conversions = conversionsOf(format === undefined ? undefined : textOf(format));
  if (cx.maybeZsh && format !== undefined && conversions.some((one) => NUMERIC.test(one))) {
    // Once an argument may be several, or a width is one, which argument meets which conversion is not certain.
    const certain = !args.some((arg) => arg.many) && !conversions.some((one) => one.includes("*"));
    for (const [i, arg] of args.entries())
      if (certain && !NUMERIC.test(conversions[i % conversions.length] ?? "%d")) continue;
      else if (textOf(arg) === undefined || !/^[-+\w. %]*$/.test(textOf(arg) ?? ""))
        evaluateAsArithmetic(expansion(cx, state), arg, "an argument of printf");
      else readNames(call, textOf(arg) ?? "");
  }
  const value = format === undefined ? undefined : formatted(format, args);
  if (value === undefined) return done(state, { is: "unknown", why: "what printf makes", network: false });
  return { ...done(state, whole(call, { is: "text", value })), sole: true };
};

/** The conversions of a format, in the order of the arguments. One that escapes spell (zsh) or that names its argument may be any. */
function conversionsOf(format: string | undefined): readonly string[] {
  if (format === undefined || /\\[xuU0-7]|\$/.test(format)) return ["%d"];
  return format.replaceAll("%%", "").match(/%[^a-zA-Z]*[a-zA-Z]/g) ?? [];
}

/** printf with nothing but `%s`, `%%`, `\n`, `\t` and plain text. */
function formatted(format: Value, args: readonly Value[]): Value | undefined {
  const source = textOf(format);
  if (source === undefined || args.some((arg) => arg.many)) return undefined;
  const out: Atom[] = [];
  let next = 0;
  do {
    for (const bit of source.split(/(%[^a-zA-Z%]*[a-zA-Z%]|\\.)/)) {
      if (bit === "%s") out.push(...(args[next++]?.atoms ?? []));
      else if (bit === "%%") out.push("%");
      else if (bit === "\\n") out.push("\n");
      else if (bit === "\\t") out.push("\t");
      else if (bit.startsWith("%") || bit.startsWith("\\")) return undefined;
      else out.push(bit);
    }
    if (next === 0) break;
  } while (next < args.length && out.length < 1000);
  return { atoms: join(out), many: false };
}

const COMPARISONS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

const test: Builtin = (call) => {
  const ex = expansion(call.cx, call.state);
  const hidden = call.words.find((word, i) => mayBecomeSubscript(call.words, word, i));
  if (hidden !== undefined)
    call.cx.unknown(`${describe(hidden)} may become \`-v NAME[…]\`, whose subscript can run code`, {
      span: call.span,
      help: "quote it, or use [[ … ]]",
    });
  call.words.forEach((word, i) => {
    const operator = textOf(word);
    const next = call.words[i + 1];
    if ((operator === "-v" || operator === "-R") && next !== undefined) evaluateAsArithmetic(ex, next, "the subscript of a -v test");
    if (operator === "-t" && next !== undefined && call.cx.maybeZsh && textOf(next) !== "]")
      evaluateAsArithmetic(ex, next, "the operand of -t, in zsh,");
    // zsh evaluates both sides as arithmetic; bash does not.
    if (operator !== undefined && COMPARISONS.has(operator) && call.cx.maybeZsh) {
      for (const side of [call.words[i - 1], next])
        if (side !== undefined) evaluateAsArithmetic(ex, side, `the operand of ${operator}, in zsh,`);
    }
  });
  return done(call.state);
};

/** bash: `-v NAME[…]` in `test` evaluates the subscript. What the line read from elsewhere may be these words, or the first of them. */
function mayBecomeSubscript(words: readonly Value[], word: Value, i: number): boolean {
  const hole = holeOf(word);
  if (hole === undefined || hole.number === true || hole.below === true || hole.ambient === true) return false;
  const rest = words.length - (textOf(words.at(-1) ?? literal("")) === "]" ? 1 : 0) - i;
  // A word of its own is the operator only where one operand follows it.
  return word.many || (prefixOf(word) === "" && rest === 2);
}

/** zsh evaluates these operands as arithmetic (zshbuiltins(1)). */
export function numberInZsh(call: Parameters<Builtin>[0]): void {
  if (!call.cx.maybeZsh) return;
  for (const word of call.words) {
    const hole = holeOf(word);
    if (hole === undefined || (hole.number !== true && hole.ambient !== true))
      evaluateAsArithmetic(expansion(call.cx, call.state), word, `the operand of ${call.name}, in zsh,`);
  }
}

/** Assigns to a variable whose name is an argument: `read NAME`, `printf -v NAME`. A subscript in it is arithmetic. */
export function assignTo(call: Parameters<Builtin>[0], name: Value | undefined, value: Value): void {
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

export const TALKING: Readonly<Record<string, Builtin>> = { echo, printf, test, "[": test };
