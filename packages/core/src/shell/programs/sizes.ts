// Modes and sizes: what opens a file to everybody, and what fills a disk.
import { CALCULATES, COPIES, ENDS, HOARDS, INTERPRETER, LINEWISE, LOOPS, SHELL, WHOLE } from "#knowledge/traits";
import { isOneOf, toldOf } from "../../policy/index.ts";
import { describe, doubt, emitFile, type Invocation } from "./invocation.ts";
import { goesOn } from "../languages/amounts.ts";
import { dropPrefix } from "./options.ts";
import { holeOf, isEndless, isLineless, NOTHING, prefixOf, textOf, type Stream, type Value } from "../words/value.ts";
import { drops, valuesOf } from "./given.ts";

/** chmod(1): others may write, or whoever runs it gets the owner's rights. A mode only known at run time may say so too. */
function opensToAll(mode: Value | undefined): boolean {
  const text = mode === undefined ? undefined : textOf(mode);
  if (text === undefined) return mode !== undefined;
  const octal = /^[-+=]?0*([0-7]{1,5})$/.exec(text)?.[1];
  if (octal !== undefined) {
    const bits = Number.parseInt(octal, 8);
    return (bits & 0o002) !== 0 || (bits & 0o6000) !== 0;
  }
  return text.split(",").some((clause) => {
    const [, who = "", what = ""] = /^([ugoa]*)(.*)$/.exec(clause) ?? [];
    const given = [...what.matchAll(/[-+=]([rwxXstugo]*)/g)].filter(([change]) => !change.startsWith("-")).map(([, rights = ""]) => rights);
    return given.some((rights) => (/[oa]/.test(who) && /[wug]/.test(rights)) || (rights.includes("s") && !/^o+$/.test(who)));
  });
}

/** chmod MODE FILE…, and `-m MODE` of what makes files (mkdir, mkfifo, install). */
export function modes(inv: Invocation): void {
  const given = valuesOf(inv, "-m");
  const isChmod = inv.name === "chmod";
  const [mode] = isChmod && !drops(inv, "mode") ? inv.args.operands : given;
  // A device node is a way to the device, under whatever name.
  if (inv.name === "mknod" && inv.args.operands.slice(1, 2).some((type) => textOf(type) !== "p")) inv.cx.addDanger(inv.exec, "host-effect");
  if (opensToAll(mode)) inv.cx.addDanger(inv.exec, "open-to-all");
}

/** More than this at once is asked about whatever is allowed. */
const LARGE = 2 ** 30;
const UNITS = "kmgtpezy";

/** `10G`, `1TiB`, `1e12`, `512*1024`; undefined: not a number. */
export function readSize(text: string): number | undefined {
  const factors = text.replace(/^[-+<>/%=]+/, "").split(/[x*]/);
  const sizes = factors.map((factor) => {
    const match = /^(\d+(?:\.\d+)?(?:e\d+)?)([a-z]?)(i?b?)$/i.exec(factor);
    if (match === null) return undefined;
    const unit = match[2] === undefined || match[2] === "" ? -1 : UNITS.indexOf(match[2].toLowerCase());
    return Number(match[1]) * (unit < 0 ? (match[2]?.toLowerCase() === "b" ? 512 : 1) : 1024 ** (unit + 1));
  });
  return sizes.reduce((a, b) => (a === undefined || b === undefined ? undefined : a * b), 1);
}

/** More than that, or nobody knows how much. */
export const isLarge = (text: string | undefined): boolean => (readSize(text ?? "") ?? Number.POSITIVE_INFINITY) > LARGE;

const ddWord = (words: readonly Value[], name: string): string | undefined =>
  words
    .map((word) => textOf(word))
    .findLast((text) => text?.startsWith(`${name}=`) === true)
    ?.slice(name.length + 1);

/** dd(1): without a count, what never ends is copied until the disk is full. */
const ddCopiesMuch = (words: readonly Value[]): boolean =>
  isLarge(`${ddWord(words, "bs") ?? ddWord(words, "ibs") ?? "512"}x${ddWord(words, "count") ?? "?"}`);

function ddFills({ cx, exec, args: { operands } }: Invocation): void {
  const [to, block = "512"] = [ddWord(operands, "of"), ddWord(operands, "obs") ?? ddWord(operands, "bs")];
  const kept = to !== undefined && to !== "/dev/null";
  const seek = ddWord(operands, "seek") ?? ddWord(operands, "oseek") ?? "0";
  // It keeps a block in memory, and what is skipped belongs to the file.
  const blocks = ["bs", "ibs", "obs"].map((name) => ddWord(operands, name) ?? "512");
  if (blocks.some(isLarge) || (kept && isLarge(`${block}x${seek}`))) cx.addDanger(exec, "resource-bomb");
  if (kept && ENDLESS.test(ddWord(operands, "if") ?? "") && ddCopiesMuch(operands)) cx.addDanger(exec, "resource-bomb");
}

/** Devices that never end. */
const ENDLESS = /^\/dev\/(?:zero|u?random|full)$/;

/**
 * True when what this command prints fills the disk if it goes to a file: it never ends, or it counts further than anyone
 * would read. `program` is the name without its folder.
 */
export function printsWithoutEnd(program: string, words: readonly Value[], read: readonly string[], stdin: Stream): boolean {
  const texts = words.map((word) => textOf(word));
  if (program === "yes") return true;
  if (program === "seq") return countsFar(texts);
  // shuf(1): -r repeats for ever, or as often as -n says.
  if (program === "shuf" && /(?:^| )(?:-[a-z]*r|--repeat)/.test(joined(words)))
    return isLarge(/(?:^| )(?:-[a-z]*n|--head-count[ =])\s*(\S+)/.exec(joined(words))?.[1]);
  // jot(1): 0 repeats for ever.
  if (program === "jot") return texts.some((text) => text === undefined || /^-?0*$/.test(text) || Number(text) > LARGE / 16);
  const isFed = read.some(isEndlessFile) || words.some((word) => isEndlessFile(textOf(word) ?? "") || isEndless(pipeIn(word)));
  if (program === "dd") return ddWord(words, "of") === undefined && (isFed || isEndless(stdin)) && ddCopiesMuch(words);
  if (program === "head" && (isFed || isEndless(stdin)))
    return (
      /(?:^| )(?:-[cn]|--(?:bytes|lines)[ =]|-(?=\d))\s*(\S+)/
        .exec(joined(words))
        ?.slice(1)
        .some((much) => much.startsWith("-") || isLarge(much)) === true
    );
  if (!isFed) return false;
  return LINEWISE.has(program) || !tells(ENDS, program, words);
}

/** seq(1): `FIRST STEP LAST`; `0 1e-9 1` are a thousand million, too. */
function countsFar(texts: readonly (string | undefined)[]): boolean {
  const numbers = texts
    .filter((text) => text === undefined || /^[-+]?(?:\.?\d|inf|nan)/i.test(text))
    .slice(-3)
    .map(Number);
  const [last = 1, first = 1] = [numbers.at(-1), numbers.length > 1 ? numbers[0] : 1];
  return !((last - first) / (numbers.length > 2 ? (numbers[1] ?? 1) : 1) <= LARGE / 16);
}

/** What `<(…)` brings. */
const pipeIn = (word: Value): Stream => holeOf(word)?.pipe ?? NOTHING;
const joined = (words: readonly Value[]): string => words.map((word) => textOf(word) ?? "").join(" ");

export const isEndlessFile = (path: string): boolean => ENDLESS.test(path);
/** And without an end of a line. */
export const isLinelessFile = (path: string): boolean => /^\/dev\/(?:zero|full)$/.test(path);
/** Whether the words of a program are as its row says. */
function tells(rows: Parameters<typeof toldOf>[0], program: string, words: readonly Value[]): boolean {
  const pattern = toldOf(rows, program);
  return pattern !== undefined && new RegExp(pattern).test(joined(words));
}

/** True when a program that is given a text without end goes on as long. */
export function copiesInput(program: string, words: readonly Value[]): boolean {
  if (program === "dd") return ddCopiesMuch(words);
  return COPIES.has(program) && !tells(ENDS, program, words);
}

/**
 * True when a program keeps what it reads in memory, or in the temp folder, until its end; what reads by lines keeps one, which
 * `/dev/zero` never ends.
 */
export function holdsInput(program: string, words: readonly Value[], stdin: Stream, read: readonly string[] = []): boolean {
  if (HOARDS.has(program) || tells(WHOLE, program, words)) return true;
  if (program === "tail") return read.some(isEndlessFile) || words.some((word) => isEndlessFile(textOf(word) ?? ""));
  const isOneLine = isLineless(stdin) || read.some(isLinelessFile) || words.some((word) => isLineless(pipeIn(word)));
  return LINEWISE.has(program) && isOneLine;
}

/** A width or a precision of a thousand million: who formats keeps that in memory, or prints it. */
const WIDE =
  /%[-+ #0'<>(]{0,9}(?:\d{0,20}\.)?\d{9}\d*\)?[a-z]|%[-+ #0]{0,9}\.?\*[^]{0,99},\s*\d{9}|\{[^{}]{0,40}:[^{}]{0,9}\d{9}\d*[^{}]{0,4}\}/i;

/** Code that goes on until the memory or the disk is full, and formats that do. */
export function makesMuch(program: string, words: readonly Value[], stdin: Stream = NOTHING): boolean {
  const interprets = isOneOf(INTERPRETER, program) && !isOneOf(SHELL, program);
  const texts = words.map((word) => textOf(word) ?? "");
  // Its input is the code, unless a word is.
  const isGiven = CALCULATES.has(program) || (interprets && !texts.some((text) => /^-\w*[cehprn]/.test(text)));
  const code = isGiven && stdin.is === "text" ? [...texts, textOf(stdin.value) ?? ""] : texts;
  return (
    ((interprets || LOOPS.has(program)) && goesOn(code, program)) ||
    texts.some((text) => WIDE.test(text) || (/%[^a-z%]*\*/i.test(text) && texts.some((one) => /^\d{9,}$/.test(one))))
  );
}

const INERT = /^(bs|cbs|conv|count|ibs|iflag|obs|oflag|seek|oseek|skip|iseek|status)=/;

/** dd(1): `if=` is read, `of=` written, the rest are numbers and flags. */
export function dd(inv: Invocation): void {
  ddFills(inv);
  for (const word of inv.args.operands) {
    const prefix = prefixOf(word);
    if (prefix.startsWith("if=")) emitFile(inv, "read", dropPrefix(word, 3));
    else if (prefix.startsWith("of=")) emitFile(inv, "write", dropPrefix(word, 3));
    else if (!INERT.test(prefix)) doubt(inv, `dd has no operand ${describe(word)}`);
  }
}
