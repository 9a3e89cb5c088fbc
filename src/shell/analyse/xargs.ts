import { refuse, type Invocation } from "../invocation.ts";
import { literal, NOTHING, textOf, torn, unknown, type Stream, type Value } from "../value.ts";

/**
 * xargs(1): the command runs with words from standard input after its own, or in place of the `-I` string.
 * The table gives the command as its last slot; here the words are added.
 */
export function xargs(inv: Invocation): void {
  const given = inv.args.options.flatMap((option) => (option.option === undefined ? [] : [option]));
  const has = (name: string): boolean => given.some((option) => option.option?.names.includes(name) === true);
  const replace = given.find((option) => option.option?.names.some((name) => name === "-I" || name === "-i" || name === "-J") === true);
  const mark = replace === undefined ? undefined : replace.value === undefined ? "{}" : textOf(replace.value);
  if (replace !== undefined && mark === undefined) refuse(inv, "the string xargs replaces is only known at run time");
  const words = inputWords(
    has("-a") ? { is: "unknown", why: "the lines of a file", network: false } : splitElsewhere(inv, given) ? torn(inv.stdin) : inv.stdin,
    replace !== undefined || has("-d"),
  );
  const command = inv.args.operands.length === 0 ? [literal("echo")] : inv.args.operands;
  const start = (argv: readonly Value[]): Stream => inv.run.argv(inv.cx, inv.state, argv, NOTHING);
  if (mark !== undefined) inv.output = start(command.map((word) => substitute(word, mark, words)));
  else for (const some of portions(words, given)) inv.output = start([...command, ...some]);
}

/** Known words that `-n` and its like hand out a few at a time; more than this are told as one that is not known. */
const MOST_PORTIONS = 32;

function portions(words: readonly Value[], given: Invocation["args"]["options"]): readonly (readonly Value[])[] {
  const [limit, ...more] = given.filter(({ option }) => option?.names.some((name) => ["-n", "-L", "-l", "-s"].includes(name)) === true);
  if (limit === undefined || words.length < 2 || words.some((word) => word.many || textOf(word) === undefined)) return [words];
  const size =
    more.length === 0 && limit.option?.names.includes("-n") === true && limit.value !== undefined ? Number(textOf(limit.value)) : 0;
  if (!(size >= 1) || words.length / size > MOST_PORTIONS) return [[unknown("a word of the input", true)]];
  return Array.from({ length: Math.ceil(words.length / size) }, (_, at) => words.slice(at * size, (at + 1) * size));
}

/** `-d` with another delimiter than the end of a line takes names apart. */
const splitElsewhere = (inv: Invocation, given: Invocation["args"]["options"]): boolean =>
  given.some(
    ({ option, value }) =>
      option?.names.includes("-d") === true && !["\n", "\\n", "\0", "\\0"].includes(value === undefined ? "" : (textOf(value) ?? "")),
  );

function inputWords(stdin: Stream, wholeLines: boolean): readonly Value[] {
  switch (stdin.is) {
    case "none":
      return [unknown("what xargs reads", true)];
    case "paths":
      return stdin.values.map((value) => ({ atoms: value.atoms, many: true }));
    case "unknown":
      return stdin.number === true
        ? [{ atoms: [{ hole: true, why: stdin.why, number: true }], many: false }]
        : [{ atoms: [{ hole: true, why: `a word of ${stdin.why}`, ...(stdin.network ? { network: true } : {}) }], many: true }];
    case "text": {
      const text = textOf(stdin.value);
      // Quotes and backslashes are special to xargs itself.
      if (text === undefined || /['"\\]/.test(text)) return [unknown("a word of the input", true)];
      return text
        .split(wholeLines ? /\n+/ : /\s+/)
        .filter((word) => word !== "")
        .map(literal);
    }
  }
}

/** The replace string may stand anywhere in a word. */
function substitute(word: Value, mark: string, words: readonly Value[]): Value {
  const text = textOf(word);
  if (text === undefined || !text.includes(mark)) return word;
  const [only] = words;
  const filler: Value = words.length === 1 && only !== undefined ? { atoms: only.atoms, many: false } : unknown("a word of the input");
  const pieces = text.split(mark);
  return { atoms: pieces.flatMap((piece, i) => [...(i === 0 ? [] : filler.atoms), ...(piece === "" ? [] : [piece])]), many: false };
}
