import { type Action, CALL_ARGUMENTS } from "../action/index.ts";
import { patternCovers } from "../pattern/index.ts";
import { judge, patternBase, pathTextOf, type CallMatcher, type Matcher, type Policy, type Rule } from "../policy/index.ts";
import { examplesOf, hasSubcommands, isKnown, runsAnything, type SurveyedRun } from "../shell/survey/index.ts";
import { lowerShell } from "../shell/index.ts";
import { NOWHERE } from "../engine/index.ts";
import type { Inspection } from "../inspect/index.ts";
import { lowerLine, matchesLine, onlyCommand, openPrefixes } from "./open.ts";
import type { FindingDraft } from "./index.ts";

/** What is wrong with an allow rule that allows too much. */
export function tooWide(rule: Rule, inspection: Inspection): FindingDraft | undefined {
  const whole = withoutLimit(rule, inspection);
  if (whole !== undefined || rule.effect !== "allow" || rule.untrusted === true || rule.matcher.kind === "call") return whole;
  for (const prefix of openPrefixes(rule.matcher)) {
    const found = runs(rule, prefix) ?? hides(rule, prefix, inspection) ?? unknown(prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An allow rule whose words say no place, host or program at all. */
export function withoutLimit({ effect, matcher, untrusted }: Rule, inspection: Inspection): FindingDraft | undefined {
  if (effect !== "allow" || untrusted === true) return undefined;
  if (matcher.kind === "call") return wideCall(matcher, inspection);
  return isEverything(matcher)
    ? { code: "AL003", message: "allows everything that no rule or protection speaks against", help: EVERYTHING }
    : everywhere(matcher, inspection);
}

const EVERYTHING = 'name the programs: "Bash(npm test:*)"; "preset": "permissive" allows what no protection speaks against';

export function isEverything(matcher: Matcher): boolean {
  switch (matcher.kind) {
    case "bash":
      return matcher.tokens[0]?.is !== "text" && (matcher.open || matcher.tokens.some(({ is }) => is === "any"));
    case "shell":
      return matcher.program.negated || matcher.program.alternatives.includes("*");
    case "command":
      return /^\*+$/.test(matcher.pattern);
    case "tool":
      return matcher.where === undefined && /^(?:mcp__)?\*$/.test(matcher.name);
    case "call":
      return matcher.args.every(({ is }) => is === "any");
    default:
      return false;
  }
}

/** A call pattern that leaves open where. */
function wideCall(matcher: CallMatcher, { world }: Inspection): FindingDraft | undefined {
  const { name, args } = matcher;
  const example = CALL_ARGUMENTS[name].map(({ kind }) => CALL_EXAMPLES[kind] ?? "_").join(", ");
  const help = `say which: \`${name === "exec" ? "exec(_, [git, status, ...])" : `${name}(${example})`}\``;
  if (isEverything(matcher)) return { code: "AL003", message: `allows every \`${name}\` that no rule or protection speaks against`, help };
  const [mode] = args.slice(1);
  if (name === "exec" || (name === "open" && mode?.is === "text" && mode.text === "read")) return undefined;
  const base = patternBase(world, "narrow");
  const open = args.some((pattern, at) => {
    const kind = CALL_ARGUMENTS[name][at]?.kind;
    if (kind === "place") return pattern.is === "any" || (pattern.is === "glob" && pattern.parts.every((part) => typeof part !== "string"));
    const text = kind === "path" ? pathTextOf(pattern) : undefined;
    return (
      (kind === "path" && pattern.is === "any") ||
      (pattern.is === "glob" && text !== undefined && ["/**", "~/**"].some((all) => patternCovers(text, all, base)))
    );
  });
  const where = CALL_ARGUMENTS[name][0]?.kind === "place" ? "for every host" : "for files anywhere, not only in the project";
  return open ? { code: "AL005", message: `allows this ${where}`, help } : undefined;
}

const CALL_EXAMPLES: Readonly<Record<string, string>> = { place: "*.example.com", path: "src/**" };

function everywhere(matcher: Matcher, { world }: Inspection): FindingDraft | undefined {
  if (matcher.kind === "net" && matcher.host === "*")
    return { code: "AL005", message: "allows every host", help: "name the hosts: `WebFetch(domain:nodejs.org)`, `Net(*.example.com:443)`" };
  if (matcher.kind !== "path" || matcher.operations.every((operation) => operation === "read" || operation === "list")) return undefined;
  const base = patternBase(world, "narrow");
  if (matcher.pattern !== undefined && !["/**", "~/**"].some((all) => patternCovers(matcher.pattern ?? "", all, base))) return undefined;
  const name = matcher.tool ?? "Edit";
  return { code: "AL005", message: "allows this for files anywhere, not only in the project", help: `name a folder: \`${name}(src/**)\`` };
}

/** The rule leaves open what runs. */
function runs(rule: Rule, prefix: readonly string[]): FindingDraft | undefined {
  const found = runsAnything(prefix, NOWHERE).filter(({ argv }) => matchesLine(rule, lowerLine(argv)));
  const of = (kind: SurveyedRun["runs"]): string | undefined => found.find((run) => run.runs === kind)?.argv.join(" ");
  const program = prefix.join(" ");
  const code = of("code");
  if (code !== undefined) {
    const ending = ENDINGS[program];
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

const ENDINGS: Readonly<Record<string, string>> = {
  python: ".py",
  python3: ".py",
  node: ".js",
  ruby: ".rb",
  perl: ".pl",
  bash: ".sh",
  sh: ".sh",
  zsh: ".sh",
};

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
  const bySubcommand = new Map(lines.toReversed().map((line) => [line.split(" ")[words], line]));
  return [...bySubcommand.values()].toReversed().slice(0, 3);
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
