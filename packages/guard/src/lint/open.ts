import { type Action, type ExecAction, quote } from "@assent/core/action";
import { matchRule, type Rule } from "@assent/core/policy";
import { lowerShell } from "@assent/core/shell";
import { NOWHERE } from "../engine/index.ts";

export const lowerLine = (argv: readonly string[]): readonly Action[] => lowerShell(argv.map(quote).join(" "), { world: NOWHERE }).actions;

/** Whether a rule speaks about a command line, as it stands, on a machine where nothing is special. */
export function matchesLine(rule: Rule, actions: readonly Action[]): boolean {
  const { root: _, ...anywhere } = rule;
  return actions.some((action) => {
    if (action.kind !== "exec") return false;
    const answer = matchRule(anywhere, action, { world: NOWHERE });
    return rule.effect === "allow" ? answer === "yes" : answer !== "no";
  });
}

/** The one command of a line; undefined where there are several. */
export function onlyCommand(actions: readonly Action[]): ExecAction | undefined {
  const all = actions.filter((action): action is ExecAction => action.kind === "exec");
  return all.length === 1 ? all[0] : undefined;
}
