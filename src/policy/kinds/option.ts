import type { Action, ExecAction } from "../../action/index.ts";
import { both, either, type Answer } from "../../pattern/index.ts";
import { hasFlag, isProgram, wordsOf } from "../exec-words.ts";
import type { MatchContext, Side } from "../match-context.ts";
import { FRESH, type JudgingKind, MOST_SAMPLES, never, none, nothing } from "./kind.ts";

/** `{ tool: "Bash", command, when: { hasOption } }`. */
export interface OptionMatcher {
  readonly kind: "option";
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

export const option: JudgingKind<OptionMatcher> = {
  ofCommands: true,
  match: matchOption,
  keys: {
    programs: ({ commands }) => commands,
    words: nothing,
    files: nothing,
    host: nothing,
    tool: nothing,
    others: never,
    call: nothing,
  },
  pathScope: nothing,
  isEveryCommand: never,
  covers: (outer, inner) =>
    inner.kind === "option" &&
    inner.commands.every((command) => outer.commands.includes(command)) &&
    inner.options.every((name) => outer.options.includes(name)),
  names: { literal: () => true, isWholeCommand: never, paths: none, host: nothing },
  samples: ({ commands, options }) => commands.flatMap((program) => options.map((name) => [program, name, FRESH])).slice(0, MOST_SAMPLES),
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
