import type { Action, ExecAction } from "../../action/index.ts";
import { isObject } from "../../data/index.ts";
import { type Answer, both, either, mistake, ok, type Result } from "../../pattern/index.ts";
import { nameList } from "../match/name-list.ts";
import { hasFlag, isProgram, wordsOf } from "../match/exec-words.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import { unknownKey } from "../match/suggest.ts";
import { commandKeys, FRESH, type JudgingKind, MOST_SAMPLES, never, none, nothing } from "./kind.ts";
import { ANY_COMMAND, COMMAND_EXAMPLE, commandExample, type ObjectRule, type ReadingKind, withOption } from "./reading.ts";

/** `{ tool: "Bash", command, when: { hasOption } }`. */
export interface OptionMatcher {
  readonly kind: "option";
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

export const option: JudgingKind<OptionMatcher> = {
  ofCommands: true,
  match: matchOption,
  keys: commandKeys(({ commands }) => commands),
  pathScope: nothing,
  isEveryCommand: never,
  covers: (outer, inner) =>
    inner.kind === "option" &&
    inner.commands.every((command) => outer.commands.includes(command)) &&
    inner.options.every((name) => outer.options.includes(name)),
  names: { literal: () => true, isWholeCommand: never, paths: none, host: nothing },
  samples: ({ commands, options }) => commands.flatMap((program) => options.map((name) => [program, name, FRESH])).slice(0, MOST_SAMPLES),
};

export const optionReading: ReadingKind<OptionMatcher> = {
  written: { scope: undefined, line: nothing, object: parseOptionRule, block: nothing },
  exampleActions: commandExample,
  exampleHelp: COMMAND_EXAMPLE,
  fileActions: none,
  whyNever: nothing,
  isEverything: never,
  doubtWide: nothing,
  prefixes: none,
  programs: ({ commands }) => commands,
  spelledPrograms: ({ commands }) => commands.flatMap((program) => program.split(" ")[0] ?? []),
  coverGroup: () => ANY_COMMAND,
  refusals: ({ commands, options }) => commands.flatMap((program) => options.flatMap((name) => withOption([program], name))),
};

/**
 * Where the command's options are known they are compared, abbreviations and clusters told apart from values; otherwise
 * the arguments are, word for word.
 */
function matchOption(matcher: OptionMatcher, action: Action, side: Side, context: MatchContext): Answer {
  if (action.kind !== "exec") return "no";
  let program: Answer = "no";
  for (const name of matcher.commands) program = either(program, isProgram(name, action, side, context));
  if (program === "no") return "no";
  const words = wordsOf(action);
  let option: Answer = "no";
  for (const name of matcher.options) {
    option = either(option, hasFlag({ need: "required", names: [name] }, words));
    if (words.guessed && writesOption(name, action)) option = "yes";
    if (option === "yes") break;
  }
  return both(program, option);
}

/** `-i` is in `-ni` and `-iE`; what follows `--` is no option. */
function writesOption(name: string, action: ExecAction): boolean {
  const long = name.startsWith("--");
  for (const argument of action.argv.slice(1)) {
    if (!argument.known) continue;
    const { text } = argument;
    if (text === "--") return false;
    if (
      long
        ? text === name || text.startsWith(`${name}=`)
        : text.startsWith("-") && !text.startsWith("--") && text.slice(1).includes(name.slice(1))
    )
      return true;
  }
  return false;
}

/** A rule about options, where agentperm drops silently what is incomplete. */
function parseOptionRule(input: { readonly [key: string]: unknown }): Result<ObjectRule<OptionMatcher>> {
  const unknown = unknownKey(input, ["tool", "command", "when", "reason"]);
  if (unknown !== undefined) return unknown;
  const { tool, command, when, reason } = input;
  if (tool === undefined) return mistake("a rule object needs `rule`", 'write `{ "rule": "Bash(…)", "reason": "…" }`');
  if (tool !== "Bash") return mistake("`tool` can only be `Bash` here", 'for another tool write `{ "rule": "Name(…)" }`');
  const commands = nameList(command);
  if (commands === undefined) return mistake("`command` is a program's name or a list of them", '`"command": "sed"`');
  if (!isObject(when)) return mistake("`when` is missing", '`"when": { "hasOption": "-i" }`, or write the rule as `Bash(…)`');
  const extra = unknownKey(when, ["hasOption"]);
  if (extra !== undefined) return extra;
  const options = nameList(when.hasOption);
  if (options === undefined) return mistake("`hasOption` is an option or a list of them", '`"hasOption": ["-i", "--in-place"]`');
  const bare = options.find((option) => !/^-[^-=]|^--[^-=]/.test(option));
  if (bare !== undefined) return mistake(`\`${bare}\` is not an option`, "an option starts with `-`");
  if (reason !== undefined && typeof reason !== "string") return mistake("`reason` is a string");
  const text = JSON.stringify({ tool, command, when });
  return ok({ matcher: { kind: "option", commands, options }, text, ...(reason === undefined ? {} : { reason }) });
}
