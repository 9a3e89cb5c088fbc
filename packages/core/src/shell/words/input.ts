import { SKIPS } from "#knowledge/git";
import { ASKS, INPUTLESS, READER } from "#knowledge/traits";
import type { Context } from "./context.ts";
import type { ShellState } from "./state.ts";
import { holeOf, isNetwork, prefixOf, sequence, textOf, type Stream, type Value } from "./value.ts";

/** Walks with an input that the commands inside share: what one takes of it, the next does not find. */
export function withInput<T>(cx: Context, input: Stream, walk: (input: Stream) => T): T {
  if (input.is === "unknown") return walk({ ...input, apart: true });
  if (input.is === "none") return walk(input);
  const own = { ...input };
  cx.inputs.push(own);
  const found = walk(own);
  cx.inputs.pop();
  return found;
}

/** Walks what a redirection may give another input than there was. */
export function withOwnInput<T>(cx: Context, piped: Stream, redirected: Stream | undefined, walk: (input: Stream) => T): T {
  const input = inputOf(cx, piped, redirected);
  return redirected === undefined ? walk(input) : withInput(cx, input, walk);
}

/** What a substitution finds. Where nothing is known of the shell's own input (the host's, `exec <`), that is no empty text. */
export const inputAround = ({ stdin }: Context): Stream =>
  stdin.is === "none" ? { is: "unknown", why: "standard input", network: false } : stdin;

/** What a command finds of an input that others have at the same time, or again and again: any piece of it. */
export const sharedInput = (input: Stream): Stream =>
  input.is === "none" ? input : { is: "unknown", why: "what is left of an input", network: isNetwork(input) };

const isApart = (input: Stream): boolean => input.is === "unknown" && input.apart === true;

/** What is left of an input. */
export type Left =
  /** All of it. */
  | "whole"
  /** Its lines, or no more of them. */
  | "lines"
  /** Any piece of it. */
  | "pieces";

/** A line is read: tells what there was before. */
export function takeLine(cx: Context, state: ShellState, input: Stream): Left {
  cx.readings++;
  if (input.is !== "text" && input.is !== "paths") {
    if (!isApart(input)) takeAround(cx, state, "lines");
    return "pieces";
  }
  const before = leftOf(cx, state, input);
  if (before === "pieces") return before;
  mark(cx, input, "lines");
  // One line is all there is.
  if (input.is === "text" && textOf(input.value)?.replace(/\n$/, "").includes("\n") === false) state.end(input);
  return before;
}

/** A command takes what it wants of its input: what it may find there. `leaves`: what it leaves for the next. */
export function takeInput(cx: Context, state: ShellState, input: Stream, leaves: "lines" | "pieces"): Stream {
  cx.readings++;
  if (input.is !== "text" && input.is !== "paths") {
    if (!isApart(input)) takeAround(cx, state, leaves);
    return input;
  }
  const before = leftOf(cx, state, input);
  if (!state.ended.has(input)) mark(cx, input, leaves);
  // What it hands on to others is its own.
  return before === "whole" ? { ...input } : { is: "unknown", why: "what is left of an input", network: isNetwork(input) };
}

/** Something reads from an input that is not followed: perhaps one of those that are open. */
export function takeAround(cx: Context, state: ShellState, leaves: "lines" | "pieces"): void {
  cx.readings++;
  for (const input of cx.inputs) if (!state.ended.has(input)) mark(cx, input, leaves);
}

/** `exec < file`: from here on the shell reads something else. */
export function replaceInput(cx: Context, state: ShellState): void {
  for (const input of cx.inputs) mark(cx, input, "pieces");
  state.ended = new Set();
}

export const leftOf = (cx: Context, state: ShellState, input: Stream): Left =>
  state.pendingTraps.reads ? "pieces" : (cx.taken.get(input) ?? "whole");

function mark(cx: Context, input: Stream, leaves: "lines" | "pieces"): void {
  if (cx.taken.get(input) !== "pieces") cx.taken.set(input, leaves);
}

/**
 * Programs that read no input, but for what `ASKS_INPUT` finds, or that start others which are looked at themselves. One that reads
 * *all* of its input is none of them: it may end before that (SIGPIPE, timeout(1), a text it cannot read), in the middle of a line.
 */
/** `-`, `--files0-from=-`, `-xf-`, `/dev/stdin`, `/proc/self/fd/0`: the input by name. */
const NAMES_INPUT = /^-$|[=:]-$|^-\w+-$|stdin|\/fd\//;
/** Options that have a person asked, who answers by the input: `rm -i`, `find -ok`, `git add -p`. */
const ASKS_INPUT = /^-[A-Za-z]*[iIpe][A-Za-z]*$|^-ok|^--(?:interactive|patch|edit)/;
/** git-for-each-ref(1), git-check-ignore(1): `--stdin`, which may be written short. */
const GIT_STDIN = /^--s(?!ort)/;
/** git-cat-file(1) of one object, without `--batch`. */
const GIT_OBJECT = /^(?:-[tspe]|blob|tree|commit|tag)$/;
/** Code of awk's that reads something else than its files, or starts what does. */
const AWK_READS = /getline|ARG[VC]|system|\|/;

/** What a program leaves of its input. `reads`: it has been given files. */
export function leftBy(name: string, reads: boolean, words: readonly Value[]): "lines" | "pieces" {
  const texts = words.map(textOf);
  const names = (pattern: RegExp): boolean => texts.some((word) => word !== undefined && pattern.test(word));
  // What is only known at run time may be `-`, too; a file that is found below a folder is called otherwise.
  const mayName = words.some((word, at) => texts[at] === undefined && prefixOf(word) === "" && holeOf(word)?.below !== true);
  if (names(NAMES_INPUT) || (mayName && READER.has(name))) return "pieces";
  // What does not know it says so, and reads nothing.
  if (texts.length === 1 && texts[0] === "--version") return "lines";
  if (name === "git") return gitReads(texts, names) ? "pieces" : "lines";
  if (READER.has(name)) return (reads || name === "file") && !(name.endsWith("awk") && names(AWK_READS)) ? "lines" : "pieces";
  return INPUTLESS.has(name) && !(ASKS.has(name) && names(ASKS_INPUT)) ? "lines" : "pieces";
}

function gitReads(texts: readonly (string | undefined)[], names: (pattern: RegExp) => boolean): boolean {
  const [command = "", kind = "", ...others] = texts;
  if (command === "cat-file") return others.length !== 1 || !GIT_OBJECT.test(kind);
  if ((command === "for-each-ref" || command === "check-ignore") && names(GIT_STDIN)) return true;
  return !SKIPS.includes(`git ${command}`) || names(ASKS_INPUT);
}

/** What a command reads that has both a pipe and a redirection: bash takes the last, zsh all of them (MULTIOS). */
export function inputOf(cx: Context, piped: Stream, redirected: Stream | undefined): Stream {
  if (redirected === undefined) return piped;
  if (!cx.maybeZsh || piped.is === "none") return redirected;
  if (cx.shell === "zsh") return sequence([piped, redirected]);
  return { is: "unknown", why: "several inputs, which zsh joins and bash does not", network: isNetwork(piped) || isNetwork(redirected) };
}
