import type { Action, Argument, ExecAction } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import {
  type Answer,
  covers,
  escapeWord,
  genericWord,
  overlaps,
  parseUnits,
  type WordGlob,
  wordGlob,
  wordOf,
} from "../../pattern/index.ts";
import { withoutOptions } from "../match/exec-words.ts";
import type { Side } from "../match/match-context.ts";
import { commandKeys, FRESH, type JudgingKind, never, none, nothing } from "./kind.ts";
import { ANY_COMMAND, COMMAND_EXAMPLE, commandExample, everythingDoubt, isLiteralWord, type ReadingKind, type Refusal } from "./reading.ts";

/** `execute` in an `operations` block. A glob over the text of one simple command, its words joined by single blanks; `*` crosses `/`. */
export interface CommandMatcher {
  readonly kind: "command";
  readonly pattern: string;
}

export const command: JudgingKind<CommandMatcher> = {
  ofCommands: true,
  match: matchLine,
  keys: commandKeys(programsOf),
  pathScope: nothing,
  isEveryCommand: never,
  covers: (outer, inner) => inner.kind === "command" && covers(wordGlob(outer.pattern), wordGlob(inner.pattern)),
  names: { literal: ({ pattern }) => /^[^*?[]/.test(pattern), isWholeCommand: never, paths: none, host: nothing },
  samples: commandSamples,
};

export const commandReading: ReadingKind<CommandMatcher> = {
  written: {
    scope: undefined,
    line: nothing,
    object: undefined,
    block: (operation) =>
      operation === "execute"
        ? { check: (pattern) => parseUnits(pattern), matcher: (pattern) => ({ kind: "command", pattern }) }
        : undefined,
  },
  exampleActions: commandExample,
  exampleHelp: COMMAND_EXAMPLE,
  fileActions: none,
  whyNever: nothing,
  isEverything,
  doubtWide: (matcher) => (isEverything(matcher) ? everythingDoubt() : undefined),
  prefixes,
  programs: none,
  spelledPrograms: none,
  coverGroup: () => ANY_COMMAND,
  refusals,
};

function programsOf({ pattern }: CommandMatcher): readonly string[] | "any" {
  const { start, literal } = wordGlob(pattern);
  const [, word] = /^([\w./+-]+)( |$)/.exec(start) ?? [];
  return word === undefined || (word === start && literal === undefined) ? "any" : [word];
}

/**
 * A glob over one command written as a line: what the `execute` block of `operations` holds. `*` matches anything,
 * and each command of a request is judged by itself, so `git diff*` never covers what follows a `;`.
 */
function matchLine({ pattern }: CommandMatcher, action: Action, side: Side): Answer {
  if (action.kind !== "exec") return "no";
  const compiled = wordGlob(pattern);
  if (side === "narrow" && !action.trusted && pattern !== "*" && pattern !== "**") {
    // Only a rule that spells the path itself can mean a program nobody knows.
    const [word] = action.argv;
    if (word === undefined || !word.known || !word.text.includes("/") || !compiled.start.includes("/")) return "no";
  }
  let answer: Answer = "no";
  for (const line of linesOf(action, side)) {
    if (covers(compiled, line)) return "yes";
    if (overlaps(compiled, line)) answer = "maybe";
  }
  return answer;
}

/** The line as written and with the program's bare name; for allow, words that hold spaces are kept apart by quotes. */
function linesOf(action: ExecAction, side: Side): readonly WordGlob[] {
  const [program, ...rest] = action.argv;
  const written = program ?? { known: true as const, text: action.program };
  const lines: (readonly Argument[])[] = side === "wide" || !action.trusted ? [[written, ...rest]] : [];
  if (written.known && (action.trusted || side === "wide")) lines.push([{ known: true, text: baseName(written.text) }, ...rest]);
  if (side === "narrow" && action.trusted && written.known && written.text.includes("/")) lines.push([written, ...rest]);
  // Nobody who denies `git push*` means it without options in front.
  if (side === "wide") lines.push(...withoutOptions(action));
  return lines.map((line) => lineOf(line, side));
}

function lineOf(words: readonly Argument[], side: Side): WordGlob {
  const text = words.map((word) => {
    if (!word.known) return `${escapeWord(word.prefix)}*`;
    return escapeWord(side === "narrow" && /\s/.test(word.text) ? `'${word.text}'` : word.text);
  });
  const units = parseUnits(text.join(" "), "shell");
  return wordOf(units.ok ? units.value : [{ is: "run", deep: false }], text.join(" "));
}

/** A line pattern is split at its blanks; a `*` at the end of a word may also stand for further words. */
function commandSamples({ pattern }: CommandMatcher): readonly (readonly string[])[] {
  const words = pattern.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0 || /^[*?[]/.test(words[0] ?? "")) return [];
  const last = words.at(-1) ?? "";
  const argv = words.map(genericWord);
  if (!last.endsWith("*") || last === "*" || last === "**") return [argv];
  return [[...words.slice(0, -1).map(genericWord), genericWord(last.replace(/\*+$/, "")), FRESH], argv];
}

function isEverything({ pattern }: CommandMatcher): boolean {
  return /^\*+$/.test(pattern);
}

function prefixes({ pattern }: CommandMatcher): readonly (readonly string[])[] {
  const words = pattern.split(/\s+/).filter((word) => word !== "");
  const stop = words.findIndex((word) => !isLiteralWord(word));
  if (stop === -1) return [];
  const cut = (words[stop] ?? "").replace(/[*?[\\].*$/, "");
  const prefix = [...words.slice(0, stop), ...(cut === "" ? [] : [cut])];
  return prefix.length === 0 ? [] : [prefix];
}

function refusals(matcher: CommandMatcher): readonly Refusal[] | { readonly why: string } {
  const { pattern } = matcher;
  if (isEverything(matcher)) return [{ is: "shell" }];
  return /[?[]/.test(pattern.replace(/\\./g, ""))
    ? { why: "`?` and sets in a pattern" }
    : [{ is: "text", glob: pattern.replace(/\\(?!\*)/g, "") }];
}
