import { assignTo, evaluateAsArithmetic } from "../../words/evaluated.ts";
import { describe } from "../../programs/invocation.ts";
import {
  holeOf,
  isHole,
  isName,
  isWildcard,
  join,
  joinWords,
  literal,
  patternOf,
  prefixOf,
  textOf,
  type Atom,
  type Stream,
  type Value,
} from "../../words/value.ts";
import { readNames, readSubscript } from "../../words/arithmetic.ts";
import { matchesWord, shellGlob } from "../../../pattern/index.ts";
import { mayBegin } from "../../words/paths.ts";
import { expansion } from "../walk.ts";
import { done, type Builtin, type BuiltinCall } from "./index.ts";

const text = (atoms: readonly Atom[]): Stream => ({ is: "text", value: { atoms: join(atoms), many: false } });

/** Under nounset nothing is printed where a variable is not set. */
const whole = ({ state, words }: Parameters<Builtin>[0], out: Stream): Stream =>
  state.options.has("nounset") && words.some(({ atoms }) => atoms.some((atom) => isHole(atom) && atom.ambient === true))
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

/** `*` is a width. */
const NUMERIC = /[*diouxXeEfFgG]/;

const printf: Builtin = (call) => {
  const { cx, state, given } = call;
  const [format, ...args] = given.rest;
  if (given.doubt !== undefined && format !== undefined && textOf(format) === undefined && (args.length > 0 || format.many))
    cx.unknown(`${describe(format)} may be -v and set a variable`, { span: call.span, help: "put -- or '%s' in front of it" });
  const conversions = conversionsOf(format, cx.maybeZsh);
  // What %n is given names a variable, which gets a number.
  if (format !== undefined && conversions.some((one) => one.endsWith("n")))
    for (const arg of format.many ? given.rest : args)
      if (mayName(arg)) assignTo(call, arg, { atoms: [{ hole: true, why: "a number", number: true }], many: false });
  // %d and its kin evaluate their argument as arithmetic in zsh.
  if (cx.maybeZsh && format !== undefined && conversions.some((one) => NUMERIC.test(one))) {
    // Once an argument may be several, or a width is one, which argument meets which conversion is not certain.
    const certain = !args.some((arg) => arg.many) && !conversions.some((one) => /[*$]/.test(one));
    for (const [i, arg] of args.entries())
      if (certain && !NUMERIC.test(conversions[i % conversions.length] ?? "%d")) continue;
      else if (textOf(arg) === undefined || !/^[-+\w. %]*$/.test(textOf(arg) ?? ""))
        evaluateAsArithmetic(expansion(cx, state), arg, "an argument of printf");
      else readNames(call, textOf(arg) ?? "");
  }
  const value = format === undefined || given.doubt !== undefined ? undefined : formatted(format, args);
  if (given.letters.includes("v")) {
    // Without a format, or with an option that there is not, it is given nothing.
    const doubtful = format === undefined || given.doubt !== undefined;
    assignTo(call, given.values.get("v"), value ?? { atoms: [{ hole: true, why: "what printf makes" }], many: doubtful });
    return done(state);
  }
  if (value === undefined) return done(state, { is: "unknown", why: "what printf makes", network: false });
  return { ...done(state, whole(call, { is: "text", value })), sole: true };
};

/** Text that is no name of a variable sets none. */
const mayName = (arg: Value): boolean => holeOf(arg)?.number !== true && /^[A-Za-z_]\w*(\[.*\])?$/s.test(textOf(arg) ?? "x");

/** A character that can be a part of a conversion, by its number: zsh reads these before it reads the format. */
const SPELLED = /\\(?:x[2-7][\da-f]|0{0,2}(?:[4-7]|1[0-7])[0-7]|u0*[2-7][\da-f](?![\da-f]))/i;

/**
 * The conversions of a format, in the order of the arguments: flags, width, precision and length may stand in front of the letter
 * (printf(3); bash takes `%-5ln`, zsh `%1$n`, too). One that is not known may be any.
 */
function conversionsOf(format: Value | undefined, zsh: boolean): readonly string[] {
  const known =
    format?.many === true
      ? undefined
      : format?.atoms.map((atom) => (typeof atom === "string" ? atom : isHole(atom) && atom.number === true ? "0" : undefined));
  const text = known?.includes(undefined) === true ? undefined : known?.join("");
  if (text === undefined || (zsh && SPELLED.test(text))) return ["%d", "%n"];
  return text.replaceAll("%%", "").match(/%[^a-zA-Z%]*[hjlLqtzI]*[a-zA-Z]/g) ?? [];
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
const OPERATORS = ["-v", "-R", "-t", ...COMPARISONS];

const test: Builtin = (call) => {
  const ex = expansion(call.cx, call.state);
  const words = textOf(call.words.at(-1) ?? literal("")) === "]" ? call.words.slice(0, -1) : call.words;
  const hidden = words.find((word, i) => mayBecomeSubscript(call, words, word, i));
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
    // zsh, mksh and posh evaluate both sides as arithmetic; bash does not.
    if (operator !== undefined && COMPARISONS.has(operator) && evaluatesNumbers(call)) {
      for (const side of [call.words[i - 1], next])
        if (side !== undefined) evaluateAsArithmetic(ex, side, `the operand of ${operator}, in ${call.cx.maybeZsh ? "zsh" : "some sh"},`);
    }
  });
  return done(call.state);
};

/**
 * bash: `-v NAME[…]` in `test` evaluates the subscript, `-t` and its kin their operand in zsh. What the line read from elsewhere, or the
 * names of files, may be these words, or the first of them.
 */
function mayBecomeSubscript({ cx, state }: BuiltinCall, words: readonly Value[], word: Value, i: number): boolean {
  const hole = holeOf(word);
  if (textOf(word) !== undefined || hole?.number === true || hole?.ambient === true) return false;
  if (hole === undefined || hole.below === true) {
    if (!(hole === undefined || isName(word)) || !mayBegin({ cx, places: state.places }, word, "-")) return false;
    const pattern = shellGlob(patternOf(word));
    if (hole === undefined && !OPERATORS.some((operator) => matchesWord(pattern, operator))) return false;
  }
  if (word.many) return true;
  const rest = words.length - i;
  const next = words[i + 1];
  // A word of its own is the operator only in front of an operand; of three words the second is the one.
  if (!/^-?$/.test(prefixOf(word)) || next === undefined || (rest === 3 && words.slice(0, i).every((one) => textOf(one) === "!")))
    return false;
  return rest === 2 || !readSubscript(textOf(next) ?? "[");
}

/** zsh does where a number is asked for (zshbuiltins(1)), and so do mksh and posh, which `sh` may be (mksh(1)). */
const evaluatesNumbers = ({ cx, state }: BuiltinCall): boolean => cx.maybeZsh || state.portable;

/** These operands are evaluated as arithmetic. */
export function numberInZsh(call: Parameters<Builtin>[0]): void {
  if (!evaluatesNumbers(call)) return;
  for (const word of call.words) {
    const hole = holeOf(word);
    if (hole === undefined || (hole.number !== true && hole.ambient !== true))
      evaluateAsArithmetic(
        expansion(call.cx, call.state),
        word,
        `the operand of ${call.name}, in ${call.cx.maybeZsh ? "zsh" : "some sh"},`,
      );
  }
}

export const TALKING: Readonly<Record<string, Builtin>> = { echo, printf, test, "[": test };
