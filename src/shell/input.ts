import type { Context } from "./context.ts";
import type { ShellState } from "./state.ts";
import { isNetwork, textOf, type Stream } from "./value.ts";

/** Walks with an input that the commands inside share: what one takes of it, the next does not find. */
export function withInput<T>(cx: Context, input: Stream, walk: (input: Stream) => T): T {
  if (input.is !== "text" && input.is !== "paths") return walk(input);
  const own = { ...input };
  cx.inputs.push(own);
  const found = walk(own);
  cx.inputs.pop();
  return found;
}

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
    takeAround(cx, state, "lines");
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
    takeAround(cx, state, leaves);
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
  state.springing.reads ? "pieces" : (cx.taken.get(input) ?? "whole");

function mark(cx: Context, input: Stream, leaves: "lines" | "pieces"): void {
  if (cx.taken.get(input) !== "pieces") cx.taken.set(input, leaves);
}

/** Programs that read no input, or nothing else to its end, or that start others which have the same: no line of it is torn. */
const TEARS_NOTHING = new Set(
  (
    "basename dirname echo printf rm rmdir mv cp ln mkdir touch chmod chown chgrp cat tac wc sort uniq cut tr tee xargs nl fold fmt paste " +
    "join comm diff cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum base64 stat file ls du df readlink realpath " +
    "test [ true false date sleep env timeout nice nohup stdbuf ionice setsid time find git tar gzip gunzip xz bzip2 zstd zip unzip " +
    "gcc g++ cc c++ clang clang++ make rustc rustfmt gofmt tsc eslint prettier black ruff isort flake8 mypy shellcheck jq yq rev pwd " +
    "install mktemp which id whoami uname hostname seq expr dos2unix unix2dos clang-format identify convert"
  ).split(" "),
);

/** Programs that read files in the place of their input. */
const READS_FILES = new Set("grep egrep fgrep zgrep rg head tail sed awk gawk mawk nawk less more bat hexdump xxd od strings".split(" "));

/** `reads`: it has been given files. */
export const leftBy = (name: string, reads: boolean): "lines" | "pieces" =>
  TEARS_NOTHING.has(name) || (reads && READS_FILES.has(name)) ? "lines" : "pieces";
