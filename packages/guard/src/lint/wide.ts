import { SCRIPT } from "#knowledge/traits";
import type { Action } from "@assent/core/action";
import { judge, patternBase, type Policy, readingOf, type Rule, toldOf } from "@assent/core/policy";
import { examplesOf, hasSubcommands, isKnown, runsAnything, type SurveyedRun } from "@assent/core/shell/survey";
import { lowerShell } from "@assent/core/shell";
import { NOWHERE } from "../engine/index.ts";
import type { Inspection } from "../inspect/index.ts";
import { lowerLine, matchesLine, onlyCommand } from "./open.ts";
import type { FindingDraft } from "./index.ts";

/** What is wrong with an allow rule that allows too much. */
export function tooWide(rule: Rule, inspection: Inspection): FindingDraft | undefined {
  const whole = withoutLimit(rule, inspection);
  if (whole !== undefined || rule.effect !== "allow" || rule.untrusted === true) return whole;
  for (const prefix of readingOf(rule.matcher).prefixes(rule.matcher)) {
    const found = runs(rule, prefix) ?? hides(rule, prefix, inspection) ?? unknown(prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An allow rule whose words say no place, host or program at all. */
export function withoutLimit({ effect, matcher, untrusted }: Rule, inspection: Inspection): FindingDraft | undefined {
  if (effect !== "allow" || untrusted === true) return undefined;
  const doubt = readingOf(matcher).doubtWide(matcher, patternBase(inspection.world, "narrow"));
  if (doubt === undefined) return undefined;
  const { of, message, help } = doubt;
  return { code: of === "everything" ? "AL003" : "AL005", message, help };
}

/** The rule leaves open what runs. */
function runs(rule: Rule, prefix: readonly string[]): FindingDraft | undefined {
  const found = runsAnything(prefix, NOWHERE).filter(({ argv }) => matchesLine(rule, lowerLine(argv)));
  const of = (kind: SurveyedRun["runs"]): string | undefined => found.find((run) => run.runs === kind)?.argv.join(" ");
  const program = prefix.join(" ");
  const code = of("code");
  if (code !== undefined) {
    const ending = toldOf(SCRIPT, program);
    return {
      code: "AL001",
      message: `lets any code run, as in \`${code}\`: what follows \`${program}\` decides, and Assent cannot look into it`,
      help:
        ending === undefined
          ? "leave the rule out: what only reads is allowed without it, and the rest is worth a question"
          : `name what it may run: \`Bash(${program} scripts/build${ending}:*)\``,
    };
  }
  const fetched = of("package");
  if (fetched !== undefined) {
    const named = fetched.replace(/ \S+$/, " NAME");
    return {
      code: "AL001",
      message: `fetches and runs any package, as in \`${fetched}\``,
      help: `name the packages: \`Bash(${named}:*)\``,
    };
  }
  const command = of("command");
  if (command === undefined) return undefined;
  return {
    code: "AL002",
    message: `\`${program}\` runs other commands, as in \`${command}\`; Assent judges those by themselves, other tools that read this file may not`,
    help: "remove the rule and allow the commands that are run: `Bash(npm test:*)` also holds behind a wrapper",
  };
}

/** Examples of the tables that only this rule lets pass, and that reach beyond the machine's files. */
function hides(rule: Rule, prefix: readonly string[], { policy, context }: Inspection): FindingDraft | undefined {
  if (!hasSubcommands(prefix)) return undefined;
  const alone: Policy = { settings: policy.settings, rules: [rule], operations: [], warnings: [] };
  const without: Policy = { ...alone, rules: [] };
  const anywhere = { ...context, world: NOWHERE };
  const found: { readonly line: string; readonly rank: number }[] = [];
  for (const { line } of examplesOf(prefix[0] ?? "")) {
    const lowered = lowerShell(line, { world: NOWHERE });
    const command = onlyCommand(lowered.actions);
    if (command === undefined || !prefix.every((word, at) => command.argv[at]?.known === true && command.argv[at].text === word)) continue;
    const rank = Math.max(...lowered.actions.map(reach));
    if (rank === 0 || judge(lowered, without, anywhere).decision === "allow" || judge(lowered, alone, anywhere).decision !== "allow")
      continue;
    found.push({ line, rank });
  }
  if (found.length === 0) return undefined;
  const plainest = found.toSorted((a, b) => b.rank - a.rank || a.line.length - b.line.length).map(({ line }) => line);
  return {
    code: "AL004",
    message: `also allows ${spread(plainest, prefix.length)
      .map((line) => `\`${line}\``)
      .join(", ")}`,
    help: "name the subcommands you mean, one rule each; what only reads is allowed without a rule",
  };
}

/** How far an action reaches beyond the machine's own files: the farther, the more it surprises. */
function reach(action: Action): number {
  switch (action.kind) {
    case "remote":
      return action.operation === "read" ? 0 : 2;
    case "net":
    case "system":
    case "process":
    case "privilege":
      return 1;
    default:
      return 0;
  }
}

/** A few examples, of different subcommands. */
function spread(lines: readonly string[], words: number): readonly string[] {
  const bySubcommand = new Map<string | undefined, string>();
  for (const line of lines) {
    const subcommand = line.split(" ")[words];
    if (!bySubcommand.has(subcommand)) bySubcommand.set(subcommand, line);
  }
  return [...bySubcommand.values()].slice(0, 3);
}

function unknown(prefix: readonly string[]): FindingDraft | undefined {
  const [program = ""] = prefix;
  if (prefix.length > 1 || isKnown(program) || lowerLine([program]).some((action) => action.kind === "exec" && action.builtin === true))
    return undefined;
  return {
    code: "AL006",
    message: `Assent does not know what \`${program}\` does: the rule allows all of it`,
    help: `name what you use of it: \`Bash(${program} build:*)\``,
  };
}
