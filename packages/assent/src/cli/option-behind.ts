import type { Command, Option } from "commander";
import { visible } from "@assent/core/action";
import { shellQuoted, shellWord } from "@assent/core/data";

interface TakingWords {
  /** The words are started, as env(1) and timeout(1) start theirs: short options, and those that the program is known to have, are its own. */
  readonly starts?: true;
  /** Commands that are taken for one another: an option of theirs with a value, behind words that have no such option, is a slip. */
  readonly sisters?: readonly string[];
}

/**
 * The command's operands are the words of a command line, which has options of its own. An option of ours behind the first of them,
 * with no `--` before it, would be taken for the program's without a word: it is refused, and both readings are shown.
 */
export function takeCommandWords(command: Command, { starts, sisters = [] }: TakingWords = {}): Command {
  return command.passThroughOptions().hook("preAction", async (_, acting) => {
    if (acting !== command) return;
    const { args } = command;
    const raw = rootOf(command).rawArgs;
    const before = raw.slice(2, raw.length - args.length);
    // `--why --`: a value, and it separates nothing.
    if (count(before) > count(Object.values(command.opts<Record<string, unknown>>()).flat())) return;
    const dashes = args.indexOf("--");
    const open = dashes === -1 ? args.length : dashes;
    const found = args.slice(1, open).flatMap((word, at) => optionAt(command, word, at + 1));
    const misplaced = starts === true ? await leaveOwn(found, args.slice(0, open)) : found;
    if (misplaced.length > 0) command.showHelpAfterError(false).error(bothReadings(command, before, args, misplaced), { exitCode: 2 });
    for (const sister of command.parent?.commands.filter((one) => sisters.includes(one.name())) ?? []) {
      const values = args.slice(1, open).flatMap((word, at) => optionAt(sister, word, at + 1).filter(({ option }) => option.required));
      const [theirs] = await leaveOwn(values, args.slice(0, open));
      if (theirs !== undefined)
        command.showHelpAfterError(false).error(otherReading(command, sister, before, args, theirs.name), { exitCode: 2 });
    }
  });
}

interface Found {
  readonly at: number;
  readonly option: Option;
  /** As it was typed, without an attached value. */
  readonly name: string;
  /** Its value is in the same word. */
  readonly isAttached: boolean;
}

/** `--help` is left to the command: nearly every program prints its own. */
function optionAt(command: Command, word: string, at: number): readonly Found[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .flatMap((option): readonly Found[] => {
      const { short, long, required, optional } = option;
      if (word === long || word === short) return [{ at, option, name: word, isAttached: false }];
      if (!required && !optional) return [];
      if (long !== undefined && word.startsWith(`${long}=`)) return [{ at, option, name: long, isAttached: true }];
      return short !== undefined && word.startsWith(short) ? [{ at, option, name: short, isAttached: true }] : [];
    });
}

function valueWords(option: Option, rest: readonly string[]): number {
  if (!option.required && !option.optional) return 0;
  const dash = rest.findIndex((word, at) => word.startsWith("-") && (at > 0 || option.optional));
  const most = dash === -1 ? rest.length : dash;
  return option.variadic ? most : Math.min(1, most);
}

async function leaveOwn(found: readonly Found[], argv: readonly string[]): Promise<readonly Found[]> {
  const open = found.filter(({ name }) => name.startsWith("--"));
  if (open.length === 0) return [];
  const { takesOption } = await import("@assent/core/shell/survey");
  return open.filter(({ name }) => !takesOption(argv, name));
}

/** Both command lines work as they are printed. */
function bothReadings(command: Command, before: readonly string[], args: readonly string[], misplaced: readonly Found[]): string {
  const path = ["assent", ...pathOf(command)].join(" ");
  const moved: string[] = [];
  const rest: string[] = [];
  const ours = new Map(misplaced.map((one) => [one.at, one]));
  for (let at = 0; at < args.length;) {
    const one = ours.get(at);
    const width = 1 + (one === undefined || one.isAttached ? 0 : valueWords(one.option, args.slice(at + 1)));
    (one === undefined ? rest : moved).push(...args.slice(at, at + width));
    at += width;
  }
  const options = optionsBefore(command, before);
  const separator = misplaced.some(({ option }) => option.variadic) ? ["--"] : [];
  const say = (words: readonly string[]): string => visible([path, ...words].join(" "));
  const [name = ""] = misplaced.map((one) => one.name);
  return [
    `${path}: \`${visible(name)}\` stands behind the command: is it for Assent, or a part of the command?`,
    `  for Assent:             ${say([...options, ...[...moved, ...separator, ...rest].map(shellWord)])}`,
    `  part of the command:    ${say([...options, ...asWords(args)])}`,
  ].join("\n");
}

/** An option that only a sister has: `assent deny` knows no end, so `--for` behind its words would guard nothing. */
function otherReading(command: Command, sister: Command, before: readonly string[], args: readonly string[], name: string): string {
  const path = ["assent", ...pathOf(command)].join(" ");
  return [
    `${path}: \`${visible(name)}\` stands behind the command, and is an option of \`assent ${sister.name()}\` alone`,
    `  part of the command:    ${visible([path, ...optionsBefore(command, before), ...asWords(args)].join(" "))}`,
  ].join("\n");
}

/** All words are the command; a line that was typed as one word goes on as one. */
function asWords(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  return /\s/.test(first) ? [shellQuoted([first, ...args.slice(1).map(shellWord)].join(" "))] : ["--", ...args.map(shellWord)];
}

/** What stands between the command's name and its operands. */
function optionsBefore(command: Command, before: readonly string[]): readonly string[] {
  const names = pathOf(command);
  let at = 0;
  for (const word of before) {
    if (names.length === 0) break;
    at++;
    if (word === names[0]) names.shift();
  }
  return before.slice(at).map(shellWord);
}

export const rootOf = (command: Command): Command & { readonly rawArgs: readonly string[] } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander 14 keeps them, and its types leave them out
  (command.parent === null ? command : rootOf(command.parent)) as Command & { readonly rawArgs: readonly string[] };

const pathOf = (command: Command): string[] => (command.parent === null ? [] : [...pathOf(command.parent), command.name()]);

const count = (words: readonly unknown[]): number => words.filter((word) => word === "--").length;
