import { PREFIX, SAME, SHELL, WRAPPER } from "#knowledge/traits";
import { type Argument, type ExecAction, printArgument, visible } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import { judgingOf } from "./kinds/index.ts";
import { withoutOptions } from "./match/exec-words.ts";
import type { MatchContext } from "./match/match-context.ts";
import { findMatchingRules, type Hit } from "./matched-rules.ts";
import { matchRule } from "./rule.ts";
import type { RuleIndex } from "./rule-index.ts";
import type { Rule } from "./match/types.ts";
import type { Verdict } from "./match/verdict.ts";
import { argv0, byMaybe, byRule } from "./verdicts.ts";

/**
 * Words of a command that nobody says the meaning of, read as a command that it may start: `rtk git push` where nobody knows `rtk`.
 * As with names of files (`named-paths.ts`) it only ever narrows: deny and ask rules speak about it.
 *
 * - Words of a program that nobody knows are that command, if the rule wants more than a program's name (`Bash(git push:*)`).
 * - What else may mean something else asks: the mere name of a program (`Bash(rm:*)`), a line in one word, and what a known program
 *   hands to code. An allow rule that spells the word has answered that.
 */
export interface HandedContext {
  readonly index: RuleIndex;
  readonly match: MatchContext;
  /** The allow rules for the action itself. */
  readonly allow: readonly Rule[];
  /** A person has answered what is asked. */
  readonly answered: boolean;
  /** What it starts here is judged when it does. */
  readonly supervised: boolean;
  /** The word begins a command that is judged by itself. */
  readonly isStarted: (word: Argument) => boolean;
}

interface HandedCommand {
  readonly argv: readonly Argument[];
  /** Where it begins among the words. */
  readonly at: number;
  /** Cut out of a text, or not certainly a command. */
  readonly part: boolean;
  /** It runs in another place, where other programs lie. */
  readonly elsewhere?: true;
  /** A mere name of a program there is a word like any other. */
  readonly isText?: true;
  /** It is the command itself under another name. */
  readonly isSame?: true;
}

export function judgeHanded(action: ExecAction, context: HandedContext): Verdict | undefined {
  const { index, match } = context;
  if (!index.hasRules && !index.hasBlocks) return undefined;
  let asks: Verdict | undefined;
  for (const handed of handedCommands(action, context)) {
    const { deny, ask } = findMatchingRules(commandOf(action, handed.argv, match), index, match);
    for (const hit of [deny, ask]) {
      const verdict = hit === undefined ? undefined : judgeHit(hit, action, handed, context);
      if (verdict?.decision === "deny") return verdict;
      asks ??= verdict;
    }
  }
  return asks;
}

function judgeHit(
  { rule, certain }: Hit,
  action: ExecAction,
  { argv, at, part, elsewhere, isText, isSame }: HandedCommand,
  context: HandedContext,
): Verdict | undefined {
  const isStranger = elsewhere === true || at === 0 || at >= (action.handed ?? 0);
  const { match } = context;
  const bare = commandOf(action, argv.slice(0, 1), match);
  const isName = matchRule(rule, bare, match) !== "no";
  // A mere name counts where there is such a program; a path is that of a file, whichever rule speaks of programs there.
  const isCommand = elsewhere === true || isSame === true;
  const isOfFile = judgingOf(rule.matcher).keys.programs(rule.matcher) === "file";
  if (elsewhere !== true && bare.resolved === undefined && (isOfFile || (isName && !isCommand))) return undefined;
  const isVague = part || (isName && !isCommand);
  if ((isVague && !isStranger) || (isName && isText === true)) return undefined;
  const why =
    elsewhere === true
      ? "it starts this in another place"
      : isSame === true
        ? `\`${argv0(argv)}\` is another name of it`
        : `what \`${argv0(action.argv)}\` does with its words is not known, so that they may be a command`;
  if (rule.effect === "deny" && certain && !isVague && isStranger) {
    const verdict = byRule(rule);
    return { ...verdict, reason: `${verdict.reason}: ${why}` };
  }
  if (context.answered || context.allow.some((one) => spells(one, at, argv))) return undefined;
  const reason = `the ${rule.effect} rule '${visible(rule.source.text)}' may match: ${why}`;
  return { ...byMaybe({ rule, certain: false }, action), reason, waivable: false };
}

/** `Bash(mytool install curl:*)` of `mytool install curl`. */
const spells = ({ matcher }: Rule, at: number, [word]: readonly Argument[]): boolean =>
  judgingOf(matcher)
    .samples(matcher)
    .some((sample) => word?.known === true && sample[at] === word.text);

/** What begins at each word, and in a word that is a line, where some rule could speak of it. */
function* handedCommands(action: ExecAction, { index, match, isStarted, supervised }: HandedContext): Generator<HandedCommand> {
  const { argv, handed, unread = [], elsewhere = [], shape } = action;
  const speaks = (name = ""): boolean =>
    index.blocks.execute !== undefined || [index.deny, index.ask].some((rules) => rules.maySpeakOf(name));
  for (const other of otherNames(action, speaks)) yield { ...other, at: 0, isSame: true };
  for (const { argv: started, at, certain } of elsewhere) {
    if (started[0]?.known !== true) continue;
    const there = { at: at + 1, part: !certain, elsewhere: true } as const;
    if (speaks(started[0].text)) yield { ...there, argv: started };
    for (const other of otherNames(commandOf(action, started, match), speaks)) yield { ...there, ...other, part: other.part || !certain };
  }
  if (handed === undefined || supervised) return;
  for (const { text, isCode, begins } of unread)
    for (const line of text.replaceAll(BETWEEN_TEXTS, " ").split(BETWEEN_WORDS)) {
      const words = line.trim().split(/\s+/);
      for (const [start, word] of words.entries()) {
        if (!speaks(word) || (begins === true && start > 0)) continue;
        const started = words.slice(start, start + LONGEST).map((one) => ({ known: true as const, text: one }));
        yield { argv: started, at: 0, part: true, ...(isCode ? {} : { isText: true }) };
      }
    }
  for (const [at, word] of argv.entries()) {
    if (!word.known) continue;
    const isLine = /\s/.test(word.text);
    // What is the value of an option is nothing else: `make -C docker push`.
    const begins = at > 0 && !isLine && !word.text.startsWith("-") && (at >= handed || shape?.operands.includes(word) === true);
    if (begins && speaks(word.text) && !isStarted(word)) yield { argv: argv.slice(at), at, part: false };
    for (const line of isLine ? word.text.replace(/^--?[\w-]+=/, "").split(/[;&|()!`\n]+/) : []) {
      const words = line.split(/\s+/).map((text) => text.replaceAll(/["']/g, ""));
      const start = words.findIndex((text) => !isInFront(text));
      if (start >= 0 && speaks(words[start])) yield { argv: words.slice(start).map((text) => ({ known: true, text })), at, part: true };
    }
  }
}

const MOST_NAMES = 64;
const wordsOf = (line: string): readonly Argument[] => line.split(" ").map((text) => ({ known: true, text }));
/** Where commands are told apart by their beginnings. */
const textOf = (argv: readonly Argument[]): string => argv.slice(0, 8).map(printArgument).join(" ");

/**
 * The command by its other names: `npm i` is `npm install` (`with: same`), `docker-compose` and `git-push` are `docker compose` and
 * `git push`. `part`: a name with a version, and one without, are mostly the same program.
 */
function* otherNames(action: ExecAction, speaks: (name: string) => boolean): Generator<Pick<HandedCommand, "argv" | "part">> {
  const name = baseName(argv0(action.argv));
  if (!action.trusted) return;
  for (const other of [name.replace(/(?<=[a-z])[\d.]+$/, ""), name.replace(/^[a-z]+$/, "$&3")])
    if (other !== name && speaks(other)) yield { argv: [...wordsOf(other), ...action.argv.slice(1)], part: true };
  const [program = "", ...subcommand] = name.split("-");
  const [second] = action.shape?.operands ?? [];
  const named = (set: string): readonly (readonly Argument[])[] =>
    set.split(/ ?= ?/).map((words) => wordsOf(words.startsWith("^") ? words.slice(1) : `${name} ${words}`.trimEnd()));
  const sets = SAME.filter(([one, set]) => one === name && (speaks(name) || set.includes("^"))).map(([, set]) => ({
    names: named(set.replace(/ <- .*/, "")),
    all: named(set.replace(" <- ", " = ")),
  }));
  if (speaks(program) && program !== name) sets.push({ names: named(`^${program} ${subcommand.join("-")}`), all: named("") });
  if (second?.known === true && /^[\w-]+$/.test(second.text) && speaks(`${name}-${second.text}`))
    sets.push({ names: named(`^${name}-${second.text}`), all: named(second.text) });
  const given = sets.length === 0 ? [] : [action.argv, ...withoutOptions(action)].map((argv) => [...wordsOf(name), ...argv.slice(1)]);
  const found = new Map(given.map((argv) => [textOf(argv), argv]));
  for (const argv of found.values()) {
    if (!given.includes(argv) && speaks(argv0(argv))) yield { argv, part: false };
    for (const { names, all } of found.size < MOST_NAMES ? sets : []) {
      const used = all.find((words) => textOf(argv.slice(0, words.length)) === textOf(words));
      for (const words of used === undefined ? [] : names) {
        const named = [...words, ...argv.slice(used?.length)];
        if (!found.has(textOf(named))) found.set(textOf(named), named);
      }
    }
  }
}

/** Between commands, and around them, in the languages that start some. */
const BETWEEN_WORDS = /[;&|()`\n"'!$,{}[\]\\/=:]+/;
/** `"git" "push"`, `"git", ["push"]`. */
const BETWEEN_TEXTS = /["']\s*,?\s*[[({]?\s*["']/g;
/** A rule has no more words than that. */
const LONGEST = 32;

/** What may stand in front of a command in a line. */
const isInFront = (word: string): boolean => /^(?:|\w+=.*|-.*)$/.test(word) || PREFIX.has(word) || WRAPPER.has(word) || SHELL.has(word);

function commandOf({ origin }: ExecAction, argv: readonly Argument[], { world }: MatchContext): ExecAction {
  const name = argv[0]?.known === true ? argv[0].text : "";
  const path = !name.includes("/") ? world.lookup(name).path : name.startsWith("/") && world.trustedProgram(name) ? name : undefined;
  const resolved = path === undefined ? {} : { resolved: path };
  return { kind: "exec", program: baseName(name), argv, trusted: true, env: [], origin, ...resolved };
}
