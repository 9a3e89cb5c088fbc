import { type Action, type Argument, quote, type World } from "../action/index.ts";
import { genericInstances } from "../pattern/index.ts";
import {
  DEFAULT_SETTINGS,
  judge,
  matchMatcher,
  matchRule,
  patternBase,
  sampleCommands,
  type JudgeContext,
  type Matcher,
  type Rule,
} from "../policy/index.ts";
import { lowerShell } from "../shell/index.ts";
import { NOWHERE } from "../engine/index.ts";

/** Why a rule can never speak; undefined where it can, or where that cannot be told. */
export function neverMatches(rule: Rule, context: JudgeContext): string | undefined {
  if (rule.effect === "allow" && rule.untrusted === true) return "the file is not trusted: its allow rules are ignored";
  switch (rule.matcher.kind) {
    case "bash":
      return bashNever(rule, rule.matcher);
    case "shell":
      return shellNever(rule);
    case "path":
      return rule.effect === "allow" ? pathNever(rule, rule.matcher, context) : undefined;
    default:
      return undefined;
  }
}

type Of<Kind extends Matcher["kind"]> = Extract<Matcher, { readonly kind: Kind }>;

/** A rule's own words, as a command line, must give a command that it matches. */
function bashNever(rule: Rule, matcher: Of<"bash">): string | undefined {
  const samples = sampleCommands(matcher);
  if (samples.length === 0) return undefined;
  const words = matcher.tokens.flatMap((token) => (token.is === "text" ? [token.text] : []));
  const [sample = []] = samples;
  const read = lowerShell(sample.join(" "), { world: NOWHERE });
  const parsed = read.actions.some(({ kind }) => kind === "exec");
  if (speaks(rule, read.actions)) return undefined;
  if (words.some((word) => /^["']|["']$/.test(word)))
    return "quotes are characters like any other here, and the shell takes them off before a rule is asked";
  if (!parsed) return undefined;
  if (words.some((word) => /^(?:&&|\|\||[|&;]|;;|\|&)$|;$/.test(word)) || words.some((word) => /[;|]|&&/.test(word)))
    return "each command of a line is judged by itself, so a rule with an operator matches none";
  if (words.some((word) => /^\d*(?:>>?|<)/.test(word)))
    return "a redirect is no part of the command: it is judged as the file it writes or reads";
  if (/^[A-Za-z_]\w*=/.test(words[0] ?? "")) return "assignments in front are no part of the command";
  if (words.some((word) => /[$`]/.test(word))) return "what the shell replaces is compared by its value, never by its name";
  return speaks(rule, lowerShell(sample.map(quote).join(" "), { world: NOWHERE }).actions)
    ? undefined
    : "no command is spelled like this once the shell has read it";
}

/** Contradictions: an option that must and must not be there. */
function shellNever(rule: Rule): string | undefined {
  const samples = sampleCommands(rule.matcher);
  if (samples.length === 0) return undefined;
  const some = samples.some(
    (argv) => speaks(rule, [execOf(argv)]) || speaks(rule, lowerShell(argv.map(quote).join(" "), { world: NOWHERE }).actions),
  );
  return some ? undefined : "what it asks for contradicts itself";
}

function execOf(argv: readonly string[]): Action {
  const words = argv.map((text): Argument => ({ known: true, text }));
  return { kind: "exec", program: argv[0] ?? "", argv: words, trusted: true, env: [], origin: { by: "shell" } };
}

function speaks(rule: Rule, actions: readonly Action[]): boolean {
  const { root: _, ...anywhere } = rule;
  return actions.some((action) => {
    const answer = matchRule(anywhere, action, { world: NOWHERE });
    return rule.effect === "allow" ? answer === "yes" : answer !== "no";
  });
}

/** The actions that a path rule describes when its wildcards stand for nothing in particular. */
export function pathActions(matcher: Of<"path">, world: World): readonly Action[] {
  if (matcher.pattern === undefined) return [];
  const instances = genericInstances(matcher.pattern, patternBase(world, "narrow"));
  return matcher.operations
    .filter((operation) => operation !== "execute")
    .flatMap((operation) =>
      instances.map((path): Action => ({ kind: "file", operation, target: { kind: "path", path }, origin: { by: "tool" } })),
    );
}

function pathNever(rule: Rule, matcher: Of<"path">, context: JudgeContext): string | undefined {
  const actions = pathActions(matcher, context.world);
  if (actions.length === 0) return undefined;
  const match = { world: context.world };
  const spoken = actions.filter((action) => matchMatcher(rule.matcher, action, "wide", match) === "yes");
  if (spoken.length === actions.length && actions.every((action) => matchRule(rule, action, match) === "no")) {
    return rule.root === undefined
      ? "the pattern leads through a link in the project or a temporary folder, and such links move no allow rule"
      : `a project's own allow rules hold only inside ${rule.root}`;
  }
  const policy = { settings: DEFAULT_SETTINGS, rules: [rule], operations: [], warnings: [] };
  const floor = actions.every((action) => {
    const { basis, decision } = judge({ actions: [action], unknowns: [] }, policy, context);
    return basis === "floor" && decision !== "allow";
  });
  return floor ? "Assent protects its own files and agents' settings, whatever rules say" : undefined;
}
