import { refuse, type Invocation } from "../invocation.ts";
import { isHole, join, literal, NOTHING, sequence, textOf, torn, unknown, type Stream, type Value } from "../../words/value.ts";
import { handOn, controlling } from "../../words/variables.ts";
import { has, valuesOf } from "../given.ts";

/** What xargs hands out: items, and where a line of them ends. */
interface XargsItem {
  readonly value: Value;
  readonly endsLine: boolean;
}

/**
 * xargs(1): the command runs with words from standard input after its own, or in place of the `-I` string.
 * The table gives the command as its last slot; here the words are added.
 */
export function xargs(inv: Invocation): void {
  const replace = valuesOf(inv, "-I", "-i", "--replace").at(-1);
  const replaces = has(inv, "-I", "-i", "--replace");
  const inserts = valuesOf(inv, "-J").at(-1);
  const mark = replaces ? (replace === undefined ? "{}" : textOf(replace)) : undefined;
  if ((replaces && mark === undefined) || (inserts !== undefined && textOf(inserts) === undefined))
    refuse(inv, "the string xargs replaces is only known at run time");
  // Which of them counts depends on their order, and on whose xargs it is.
  if (replaces && (has(inv, "-L", "-l", "-J") || valuesOf(inv, "-n").some((value) => textOf(value) !== "1")))
    refuse(inv, "xargs is told to replace a string and to hand out several words at once", "leave one of them out");
  const slot = valuesOf(inv, "--process-slot-var").at(-1);
  if (slot !== undefined) handSlot(inv, slot);
  const items = itemsOf(inv, replaces);
  const command = inv.args.operands.length === 0 ? [literal("echo")] : inv.args.operands;
  // With a file of its own it leaves standard input to the command; `-o` gives it the terminal.
  const stdin: Stream = has(inv, "-o")
    ? { is: "unknown", why: "what is typed at the terminal", network: false }
    : has(inv, "-a")
      ? inv.stdin
      : NOTHING;
  const outs: Stream[] = [];
  const start = (argv: readonly Value[]): void => {
    outs.push(inv.run.argv(inv.cx, inv.state, argv, stdin));
    inv.output = sequence(outs);
  };
  if (mark !== undefined) {
    const fillers = items === undefined || items.length > MOST_PORTIONS ? [undefined] : items;
    for (const item of fillers) start(command.map((word) => substitute(word, mark, item?.value ?? anyWord(inv))));
    return;
  }
  // Perhaps there are none, and what was to read a file reads what was left to it.
  if (has(inv, "-a")) start(command);
  const portions = items === undefined ? [[anyWord(inv)]] : portionsOf(inv, items);
  for (const some of portions) {
    const at = inserts === undefined ? -1 : command.findIndex((word) => textOf(word) === textOf(inserts));
    start(at < 0 ? [...command, ...some] : [...command.slice(0, at), ...some, ...command.slice(at + 1)]);
  }
}

/** `--process-slot-var=NAME`: the command gets the number of its slot in a variable of that name. */
function handSlot(inv: Invocation, name: Value): void {
  const text = textOf(name);
  const value: Value = { atoms: [{ hole: true, why: "the number of a slot", number: true }], many: false };
  if (text === undefined) refuse(inv, "the variable that xargs sets is only known at run time");
  else {
    controlling(inv.cx, text, value, { exported: true, span: inv.span });
    handOn(inv.state, text, { value, span: inv.span });
  }
}

/** Known words that `-n` and its like hand out a few at a time; more than this are told as one that is not known. */
const MOST_PORTIONS = 32;

function portionsOf(inv: Invocation, items: readonly XargsItem[]): readonly (readonly Value[])[] {
  const words = items.map(({ value }) => value);
  const limits = inv.args.options.filter(({ option }) => option?.names.some((name) => ["-n", "-L", "-l", "-s"].includes(name)) === true);
  const [limit, ...more] = limits;
  if (limit === undefined || words.length < 2 || words.some((word) => word.many)) return [words];
  const names = limit.option?.names ?? [];
  const size = limit.value === undefined ? 1 : Number(textOf(limit.value));
  if (more.length > 0 || names.includes("-s") || !(size >= 1) || words.length / size > MOST_PORTIONS)
    return [[unknown("a word of the input", true)]];
  const portions: Value[][] = [[]];
  let count = 0;
  for (const { value, endsLine } of items) {
    if (count === size) {
      portions.push([]);
      count = 0;
    }
    portions.at(-1)?.push(value);
    if (names.includes("-n") || endsLine) count++;
  }
  return portions;
}

/** A word of which nothing is certain but where it came from. */
function anyWord({ stdin }: Invocation): Value {
  const network = stdin.is === "unknown" && stdin.network;
  const why = stdin.is === "none" ? "what xargs reads" : stdin.is === "unknown" ? `a word of ${stdin.why}` : "a word of the input";
  return { atoms: [{ hole: true, why, ...(network ? { network } : {}) }], many: true };
}

/** The items, or undefined where they are not known. */
function itemsOf(inv: Invocation, lines: boolean): readonly XargsItem[] | undefined {
  if (has(inv, "-a")) return undefined;
  const delimiter = delimiterOf(inv);
  if (delimiter === null) return undefined;
  const stdin = delimiter === undefined || delimiter === "\n" || delimiter === "\0" ? inv.stdin : torn(inv.stdin);
  if (stdin.is === "paths")
    return stdin.values.map((value) => ({
      value: has(inv, "-r") || stdin.told === true ? { ...value, many: true } : perhapsNone(value),
      endsLine: true,
    }));
  if (stdin.is === "unknown" && stdin.number === true && delimiter === undefined)
    return [{ value: { atoms: [{ hole: true, why: stdin.why, number: true }], many: false }, endsLine: true }];
  const text = stdin.is === "text" ? textOf(stdin.value) : undefined;
  if (text === undefined) return undefined;
  if (delimiter !== undefined)
    return text
      .replace(text.endsWith(delimiter) ? /[^]$/ : /$^/, "")
      .split(delimiter)
      .filter((_, at, all) => all.length > 1 || text !== "" || at > 0)
      .map((item) => ({ value: literal(item), endsLine: true }));
  // For -L a line that ends in a blank goes on in the next one.
  if (has(inv, "-L", "-l") && /[ \t]\n/.test(text)) return undefined;
  const items = splitInput(text, lines);
  const end = valuesOf(inv, "-E", "-e", "--eof").map((value) => textOf(value));
  if (end.some((word) => word === undefined || items?.some(({ value }) => textOf(value) === word) === true)) return undefined;
  return items;
}

/** xargs(1) of GNU: without -r the command runs once where there is no input. */
const perhapsNone = ({ atoms }: Value): Value => ({
  atoms: atoms.map((atom) => (isHole(atom) ? { ...atom, missing: true } : atom)),
  many: true,
});

/** What ends an item, where `-0` or `-d` says so: then nothing else is special. The last of them counts; null: it is not known. */
function delimiterOf(inv: Invocation): string | null | undefined {
  const given = inv.args.options.filter(({ option }) => option?.names.some((name) => name === "-0" || name === "-d") === true);
  const last = given.at(-1);
  if (last === undefined) return undefined;
  // `-0` before `-d` and behind it mean different things to different versions.
  if (given.some(({ option }) => option !== last.option)) return null;
  if (last.option?.names.includes("-0") === true) return "\0";
  const text = last.value === undefined ? undefined : textOf(last.value);
  if (text === undefined || [...text].length === 0) return null;
  if (text.length === 1) return text.charCodeAt(0) < 0x80 ? text : null;
  const escape = /^\\(?:([abfnrtv\\0])|x([\da-fA-F]{1,2})|([0-7]{1,3}))$/.exec(text);
  if (escape === null) return null;
  const [, letter, hex, octal] = escape;
  if (letter !== undefined) return ESCAPES[letter] ?? null;
  return String.fromCodePoint(Number.parseInt(hex ?? octal ?? "0", hex === undefined ? 8 : 16));
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "0": "\0",
};

/**
 * The items of a text as xargs(1) splits it: at blanks and ends of lines, or (`-I`) at ends of lines only; quotes hold
 * together what is on one line, a backslash takes the next character as it is. Undefined where it would give up.
 */
export function splitInput(text: string, lines: boolean): readonly XargsItem[] | undefined {
  // Whether these separate depends on the version and the locale.
  if (/[\0\r\v\f\u0080-\uffff]/.test(text)) return undefined;
  const items: { value: Value; endsLine: boolean }[] = [];
  let item: string | undefined;
  let quote: string | undefined;
  const end = (endsLine: boolean): void => {
    if (item !== undefined) items.push({ value: literal(item), endsLine });
    item = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (quote !== undefined) {
      if (c === "\n") return undefined;
      if (c === quote) quote = undefined;
      else item = (item ?? "") + c;
    } else if (c === "\n") {
      end(true);
    } else if ((c === " " || c === "\t") && (item === undefined || !lines)) end(false);
    else if (c === "'" || c === '"') {
      quote = c;
      item ??= "";
    } else if (c === "\\") {
      at++;
      if (at === text.length) return undefined;
      item = (item ?? "") + text.charAt(at);
    } else item = (item ?? "") + c;
  }
  if (quote !== undefined) return undefined;
  // Quotes with nothing between them are an item, but not at the very end.
  if (item !== "") end(true);
  return items;
}

/** The replace string may stand anywhere in a word. */
function substitute(word: Value, mark: string, filler: Value): Value {
  const text = textOf(word);
  if (text === undefined || mark === "" || !text.includes(mark)) return word;
  const pieces = text.split(mark);
  return { atoms: join(pieces.flatMap((piece, i) => [...(i === 0 ? [] : filler.atoms), piece])), many: false };
}
