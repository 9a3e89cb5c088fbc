import type { ExecAction } from "../action/index.ts";
import { both, either, type Answer } from "../pattern/index.ts";
import { hasFlag, isProgram, wordsOf } from "./exec-words.ts";
import type { MatchContext, Side } from "./match-context.ts";
import type { Matcher } from "./types.ts";

type OptionMatcher = Extract<Matcher, { readonly kind: "option" }>;

/**
 * `{ tool: "Bash", command, when: { hasOption } }`. Where the command's options are known they are
 * compared, abbreviations and clusters told apart from values; otherwise the arguments are, word for word.
 */
export function matchOption(matcher: OptionMatcher, action: ExecAction, side: Side, context: MatchContext): Answer {
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
