import { type Action, type ExecAction, quote } from "../action/index.ts";
import { matchRule, type Matcher, type Rule, sampleCommands } from "../policy/index.ts";
import { lowerShell } from "../shell/index.ts";
import { NOWHERE } from "../engine/index.ts";

const MOST_PREFIXES = 16;
const isLiteral = (word: string): boolean => !/[*?[\]\\]/.test(word);

/** The words a command rule begins with, where it leaves open what follows; several for alternatives. */
export function openPrefixes(matcher: Matcher): readonly (readonly string[])[] {
  switch (matcher.kind) {
    case "bash": {
      const stop = matcher.tokens.findIndex(({ is }) => is !== "text");
      if (stop === -1 && !matcher.open) return [];
      const words = (stop === -1 ? matcher.tokens : matcher.tokens.slice(0, stop)).map((token) => (token.is === "text" ? token.text : ""));
      return words.length === 0 ? [] : [words];
    }
    case "shell": {
      const { program, operands, gaps, closed } = matcher;
      if (program.negated || !program.alternatives.every(isLiteral)) return [];
      let prefixes: readonly (readonly string[])[] = program.alternatives.map((name) => [name]);
      for (const [at, { negated, alternatives }] of operands.entries()) {
        if (negated || gaps[at] === true || !alternatives.every(isLiteral)) return prefixes;
        prefixes = prefixes.flatMap((prefix) => alternatives.map((word) => [...prefix, word])).slice(0, MOST_PREFIXES);
      }
      return closed ? [] : prefixes;
    }
    case "command": {
      const words = matcher.pattern.split(/\s+/).filter((word) => word !== "");
      const stop = words.findIndex((word) => !isLiteral(word));
      if (stop === -1) return [];
      const cut = (words[stop] ?? "").replace(/[*?[\\].*$/, "");
      const prefix = [...words.slice(0, stop), ...(cut === "" ? [] : [cut])];
      return prefix.length === 0 ? [] : [prefix];
    }
    default:
      return [];
  }
}

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

/** The programs a command rule names. */
export function programsOf(matcher: Matcher): readonly string[] {
  if (matcher.kind === "option") return matcher.commands;
  const names = sampleCommands(matcher).flatMap(([program]) => program ?? []);
  return matcher.kind === "command" ? [] : [...new Set(names)].filter(isLiteral);
}
