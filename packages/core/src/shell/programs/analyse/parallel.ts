import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { concat, isHole, literal, textOf, unknown, type Atom, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";
import { sharedInput } from "../../words/input.ts";

/** More jobs than this are not looked at one by one. */
const MOST_JOBS = 64;
/** Builtins that run or load what they are given: an input that is not known must not reach them. */
const RUNNING = new Set(
  (
    "eval source . exec command builtin trap alias export declare typeset readonly set shopt enable cd pushd local let " +
    "printf read mapfile time if for while case until select function { ( [[ ! coproc"
  ).split(" "),
);

/** GNU parallel(1): a shell line made of the template, once for each input; the words behind `:::`, `::::` or the lines of standard input. */
export function parallel(inv: Invocation): void {
  const { operands } = inv.args;
  moreutils(inv);
  const isMark = (word: Value): boolean => /^:::+\+?$/.test(textOf(word) ?? "");
  const start = operands.findIndex(isMark);
  const template = start < 0 ? operands : operands.slice(0, start);
  for (const word of operands)
    if (word.many && start >= 0 && operands.indexOf(word) < start)
      refuse(inv, `${describe(word)} may become a part of the command that parallel runs`, "quote it");
  const sources = readSources(inv, start < 0 ? [] : operands.slice(start));
  if (has(inv, "--pipe")) {
    runLine(inv, joined(template), inv.stdin);
    return;
  }
  if (has(inv, "-C", "--colsep") || template.some((word) => (textOf(word) ?? "").includes("{="))) {
    refuse(inv, "parallel takes its inputs apart in a way that is not understood", "run the command in a loop");
    return;
  }
  const jobs = sources.reduce<readonly (readonly Value[])[]>(
    (all, source) =>
      all.length * source.length > MOST_JOBS
        ? [[unknown("one of many inputs of parallel")]]
        : all.flatMap((job) => source.map((input) => [...job, input])),
    [[]],
  );
  if (!has(inv, "-n", "--max-args", "-N", "-X", "-m")) {
    for (const job of jobs) runJob(inv, template, job);
    return;
  }
  const size = Number(
    valuesOf(inv, "-n", "--max-args", "-N")
      .map((value) => textOf(value))
      .at(-1),
  );
  const inputs = jobs.flat();
  if (!(size >= 1) || sources.length > 1 || inputs.some((input) => textOf(input) === undefined))
    refuse(inv, "how parallel shares its inputs among the commands is only known at run time", "run the command in a loop");
  for (let at = 0; at < inputs.length; at += size >= 1 ? size : inputs.length)
    runJob(inv, template, inputs.slice(at, size >= 1 ? at + size : inputs.length), true);
}

/** The parallel of moreutils: `parallel COMMAND -- WORDS` runs it once for each word, `parallel -- LINES` runs the lines. */
function moreutils(inv: Invocation): void {
  const end = inv.words.findIndex((word) => textOf(word) === "--");
  if (end < 0) return;
  const first = inv.words.findIndex((word) => textOf(word) === textOf(inv.args.operands[0] ?? literal("")));
  const command = first >= 0 && first < end ? inv.words.slice(first, end) : [];
  for (const word of inv.words.slice(end + 1)) {
    if (command.length === 0) runLine(inv, { atoms: word.atoms, many: false }, sharedInput(inv.stdin));
    else {
      const named = has(inv, "-i") && command.some((part) => textOf(part)?.includes("{}") === true);
      inv.run.argv(
        inv.cx,
        inv.state,
        named ? command.map((part) => fill(part, "{}", [word], false)) : [...command, word],
        sharedInput(inv.stdin),
      );
    }
  }
}

function readSources(inv: Invocation, words: readonly Value[]): readonly (readonly Value[])[] {
  const sources: Value[][] = [];
  let files = false;
  for (const word of words) {
    const mark = /^(:::+)\+?$/.exec(textOf(word) ?? "");
    if (mark !== null) {
      files = mark[1] === "::::";
      sources.push([]);
    } else if (files) {
      if (textOf(word) !== "-") emitFile(inv, "read", word);
      sources.at(-1)?.push(unknown(`a line of ${describe(word)}`));
    } else sources.at(-1)?.push({ atoms: word.atoms, many: false });
  }
  if (valuesOf(inv, "-a", "--arg-file").length > 0) sources.push([unknown("a line of a file")]);
  if (sources.length > 0) return sources;
  // Other separators than ends of lines, and a line that ends the input.
  if (has(inv, "-0", "-d", "--delimiter", "-E")) return [pieces(inv)];
  return [linesOf(inv)];
}

function linesOf({ stdin }: Invocation): readonly Value[] {
  const text = stdin.is === "text" ? textOf(stdin.value) : undefined;
  if (text !== undefined)
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map(literal);
  if (stdin.is === "paths") return stdin.values.map((value) => ({ atoms: value.atoms, many: false }));
  if (stdin.is === "unknown")
    return [
      {
        atoms: [
          {
            hole: true,
            why: `a line of ${stdin.why}`,
            ...(stdin.network ? { network: true } : {}),
            ...(stdin.number === true ? { number: true } : {}),
          },
        ],
        many: false,
      },
    ];
  return [unknown("a line that parallel reads")];
}

/** `-0` and `-d` with one plain character split a known text there; else nothing is known of the pieces. */
function pieces(inv: Invocation): readonly Value[] {
  const text = inv.stdin.is === "text" ? textOf(inv.stdin.value) : undefined;
  const given = valuesOf(inv, "-d", "--delimiter").map((value) => textOf(value));
  const [delimiter, ...more] = [...(has(inv, "-0") ? ["\0"] : []), ...given];
  if (text === undefined || delimiter === undefined || !/^[\0 -[\]-~\n]$/.test(delimiter) || more.length > 0 || has(inv, "-E"))
    return [unknown("a piece of what parallel reads")];
  return text
    .split(delimiter)
    .filter((piece) => piece !== "")
    .map(literal);
}

const joined = (words: readonly Value[]): Value =>
  words.map((word): Value => ({ atoms: word.atoms, many: false })).reduce((a, b) => concat(concat(a, literal(" ")), b), literal(""));

function runLine(inv: Invocation, line: Value, stdin: Invocation["stdin"]): void {
  // parallel(1), PARALLEL_SHELL: the shell that has started it.
  inv.run.script(inv.cx, inv.state, line, stdin, { span: inv.span, reader: inv.state.portable ? "sh" : "bash" });
}

/** One line: inputs are quoted by parallel, so each stays one word. Without a template the inputs are the lines. */
function runJob(inv: Invocation, template: readonly Value[], job: readonly Value[], together = false): void {
  if (template.length === 0) {
    runLine(inv, joined(job), sharedInput(inv.stdin));
    return;
  }
  const marker = valuesOf(inv, "-I", "-i")
    .map((value) => textOf(value))
    .at(-1);
  const mark = marker ?? "{}";
  const isKnown = job.every((input) => textOf(input) !== undefined);
  const named = template.some(
    (word) => textOf(word) === undefined || (textOf(word) ?? "").includes(mark) || /\{(\d+|[.#%+\d]*[/.]*)\}/.test(textOf(word) ?? ""),
  );
  const words = named ? template : [...template, literal(mark)];
  if (has(inv, "-q", "--quote") || (!isKnown && isPlain(words))) {
    inv.run.argv(
      inv.cx,
      inv.state,
      words.flatMap((word) => (together && textOf(word) === mark ? job : [fill(word, mark, job, false)])),
      sharedInput(inv.stdin),
    );
    return;
  }
  runLine(inv, joined(words.map((word) => fill(word, mark, job, true))), sharedInput(inv.stdin));
}

/** Words that a shell takes as they are, of a command that is no builtin which would run its operands. */
function isPlain(words: readonly Value[]): boolean {
  const texts = words.map((word) => textOf(word));
  return (
    texts.every((text) => text !== undefined && /^[\w@%+=:,./{}#-]+$/.test(text)) &&
    !RUNNING.has(texts[0] ?? "") &&
    !/[{=]/.test(texts[0] ?? "{")
  );
}

/** `{}` is the input, `{N}` the Nth, `{.}` `{/}` `{//}` `{/.}` parts of it, `{#}` `{%}` numbers. */
function fill(word: Value, mark: string, job: readonly Value[], quotes: boolean): Value {
  const atoms: Atom[] = [];
  for (const atom of word.atoms) {
    if (typeof atom !== "string") {
      atoms.push(atom);
      continue;
    }
    for (const [i, piece] of atom.split(mark).entries()) {
      if (i > 0) job.forEach((input, n) => atoms.push(...(n > 0 ? [" "] : []), ...shellWord(input, quotes)));
      for (const bit of piece.split(/(\{[+\d]*[/.#%]*\})/)) {
        const number = /^\{\+?(\d*)([/.#%]*)\}$/.exec(bit);
        if (number === null || bit === "{}") atoms.push(bit);
        else if (/[#%]/.test(bit)) atoms.push({ hole: true, why: "the number of a job", number: true });
        else if (number[2] === "" && job.length >= Number(number[1]))
          atoms.push(...shellWord(job[Number(number[1]) - 1] ?? literal(""), quotes));
        else atoms.push({ hole: true, why: `a part (${bit}) of an input` });
      }
    }
  }
  return { atoms: atoms.filter((atom) => atom !== ""), many: false };
}

const shellWord = (input: Value, quotes: boolean): readonly Atom[] => {
  const text = textOf(input);
  if (!quotes) return input.atoms;
  return text !== undefined
    ? [`'${text.replaceAll("'", `'\\''`)}'`]
    : input.atoms.map((atom) => (typeof atom === "string" || !isHole(atom) ? atom : { ...atom }));
};
