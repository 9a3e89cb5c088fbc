import { type Action, type Argument, type Lowered, quote, type World } from "../action/index.ts";
import { NOWHERE } from "../engine/index.ts";
import { genericInstances } from "../pattern/index.ts";
import {
  compareDecisions,
  DEFAULT_SETTINGS,
  judge,
  type JudgeContext,
  type Matcher,
  matchMatcher,
  matchRule,
  patternBase,
  type Policy,
  type Rule,
  ruleCovers,
  same,
  sampleCommands,
} from "../policy/index.ts";
import { lowerShell } from "../shell/index.ts";
import type { Inspection } from "./rules.ts";

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

type MatcherOf<Kind extends Matcher["kind"]> = Extract<Matcher, { readonly kind: Kind }>;

/** A rule's own words, as a command line, must give a command that it matches. */
function bashNever(rule: Rule, matcher: MatcherOf<"bash">): string | undefined {
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
function pathActions(matcher: MatcherOf<"path">, world: World): readonly Action[] {
  if (matcher.pattern === undefined) return [];
  const instances = genericInstances(matcher.pattern, patternBase(world, "narrow"));
  return matcher.operations
    .filter((operation) => operation !== "execute")
    .flatMap((operation) =>
      instances.map((path): Action => ({ kind: "file", operation, target: { kind: "path", path }, origin: { by: "tool" } })),
    );
}

function pathNever(rule: Rule, matcher: MatcherOf<"path">, context: JudgeContext): string | undefined {
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

export interface Shadow {
  /** The rule that always answers first. */
  readonly by: Rule;
  /** `stricter`: it asks or denies what this one would let pass or ask; `equal`: the same rule again; `broader`: one that says the same about more; `earlier`: in an `operations` block the first match speaks. */
  readonly because: "stricter" | "equal" | "broader" | "earlier";
}

/**
 * For each rule, in their order, the rule because of which it never decides anything. Proved from the patterns:
 * no entry means only that nothing was proved.
 */
export function shadows(rules: readonly Rule[], inspection: Inspection): ReadonlyMap<Rule, Shadow> {
  const base = patternBase(inspection.world, "narrow");
  const buckets = new Map<string, { readonly rule: Rule; readonly at: number }[]>();
  const counting = rules.filter(({ effect, untrusted }) => effect !== "allow" || untrusted !== true);
  for (const [at, rule] of counting.entries()) {
    const key = bucketOf(rule);
    buckets.set(key, [...(buckets.get(key) ?? []), { rule, at }]);
  }
  const out = new Map<Rule, Shadow>();
  for (const [at, rule] of counting.entries()) {
    const key = bucketOf(rule);
    const near = [
      ...(buckets.get(key) ?? []),
      ...(key === ANY_COMMAND || !key.startsWith("command ") ? [] : (buckets.get(ANY_COMMAND) ?? [])),
    ];
    const stricter = near.find((other) => compareDecisions(other.rule.effect, rule.effect) > 0 && ruleCovers(other.rule, rule, base));
    if (stricter !== undefined) {
      out.set(rule, { by: stricter.rule, because: "stricter" });
      continue;
    }
    const first = near.find((other) => other.at < at && other.rule.effect === rule.effect && repeats(other.rule, rule, inspection));
    if (first !== undefined) out.set(rule, { by: first.rule, because: same(first.rule.matcher, rule.matcher) ? "equal" : "broader" });
  }
  return out;
}

/** The same for the rules of one `operations` block, where order decides. */
export function shadowsInBlock(rules: readonly Rule[], inspection: Inspection): ReadonlyMap<Rule, Shadow> {
  const base = patternBase(inspection.world, "narrow");
  return new Map(
    rules.flatMap((rule, at): [Rule, Shadow][] => {
      const by = rules.slice(0, at).find((other) => ruleCovers(other, rule, base));
      return by === undefined ? [] : [[rule, { by, because: "earlier" }]];
    }),
  );
}

const ANY_COMMAND = "command *";

/** Rules of different buckets never cover each other. */
function bucketOf({ matcher }: Rule): string {
  switch (matcher.kind) {
    case "bash": {
      const [first] = matcher.tokens;
      return first?.is === "text" ? `command ${first.text}` : ANY_COMMAND;
    }
    case "shell": {
      const [only, ...more] = matcher.program.alternatives;
      return only !== undefined && more.length === 0 && !matcher.program.negated && !/[*?[]/.test(only) ? `command ${only}` : ANY_COMMAND;
    }
    case "option":
    case "command":
      return ANY_COMMAND;
    default:
      return matcher.kind;
  }
}

/** True when `rule` adds nothing to `other`, which has the same effect. */
export function repeats(other: Rule, rule: Rule, inspection: Inspection): boolean {
  if (!ruleCovers(other, rule, patternBase(inspection.world, "narrow"))) return false;
  if (rule.effect !== "allow" || same(other.matcher, rule.matcher)) return true;
  return namesNoMore(other, rule, inspection);
}

/** A narrower allow may name a danger or a secret that a broader one does not lift: what it spells out must be judged alike. */
function namesNoMore(other: Rule, rule: Rule, { context, policy, world }: Inspection): boolean {
  // What is judged here carries no system call, so nothing would be compared.
  if (rule.matcher.kind === "call") return false;
  const samples = sampleCommands(rule.matcher);
  if (samples.some((argv) => context.dangersOf(argv).size > 0)) return false;
  if (policy.settings.preset === "readonly" && samples.length === 0 && rule.matcher.kind !== "path") return false;
  const requests: readonly Lowered[] =
    rule.matcher.kind === "path"
      ? pathActions(rule.matcher, world).map((action) => ({ actions: [action], unknowns: [] }))
      : samples.map((argv) => lowerShell(argv.map(quote).join(" "), { world: NOWHERE }));
  const alone = (one: Rule): Policy => ({ settings: policy.settings, rules: [one], operations: [], warnings: [] });
  const [broad, narrow] = [alone(other), alone(rule)];
  return requests.every((lowered) => judge(lowered, broad, context).decision === judge(lowered, narrow, context).decision);
}
