import { type Action, type Argument, type Lowered, quote } from "@assent/core/action";
import { NOWHERE } from "../engine/index.ts";
import {
  ANY_COMMAND,
  compareDecisions,
  DEFAULT_SETTINGS,
  judge,
  type JudgeContext,
  judgingOf,
  matchMatcher,
  matchRule,
  pathScopeOf,
  patternBase,
  type Policy,
  readingOf,
  type Rule,
  ruleCovers,
  same,
  sampleCommands,
  type Trial,
} from "@assent/core/policy";
import { lowerShell } from "@assent/core/shell";
import type { Inspection } from "./rules.ts";

/** Why a rule can never speak; undefined where it can, or where that cannot be told. */
export function neverMatches(rule: Rule, context: JudgeContext): string | undefined {
  if (rule.effect === "allow" && rule.untrusted === true) return "the file is not trusted: its allow rules are ignored";
  const never = readingOf(rule.matcher).whyNever(rule.matcher, trialOf(rule));
  return never ?? (rule.effect === "allow" ? neverAllows(rule, context) : undefined);
}

function trialOf(rule: Rule): Trial {
  const lower = (line: string): readonly Action[] => lowerShell(line, { world: NOWHERE }).actions;
  return {
    line: (text) => {
      const actions = lower(text);
      return speaks(rule, actions) ? "speaks" : actions.some(({ kind }) => kind === "exec") ? "silent" : "no command";
    },
    words: (argv) => speaks(rule, lower(argv.map(quote).join(" "))),
    command: (argv) => speaks(rule, [execOf(argv)]),
  };
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

/** What it describes lies outside the reach of every allow rule. */
function neverAllows(rule: Rule, context: JudgeContext): string | undefined {
  const actions = readingOf(rule.matcher).fileActions(rule.matcher, patternBase(context.world, "narrow"));
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
  /**
   * `stricter`: it asks or denies what this one would let pass or ask; `equal`: the same rule again; `broader`: one that says the
   * same about more; `earlier`: in an `operations` block the first match speaks.
   */
  readonly because: "stricter" | "equal" | "broader" | "earlier";
}

/**
 * For each rule, in their order, the rule because of which it never decides anything. Proved from the patterns:
 * no entry means only that nothing was proved.
 */
export function shadows(rules: readonly Rule[], inspection: Inspection): ReadonlyMap<Rule, Shadow> {
  const base = patternBase(inspection.world, "narrow");
  const groups = new Map<string, { readonly rule: Rule; readonly at: number }[]>();
  const counting = rules.filter(({ effect, untrusted }) => effect !== "allow" || untrusted !== true);
  for (const [at, rule] of counting.entries()) {
    const key = groupOf(rule);
    groups.set(key, [...(groups.get(key) ?? []), { rule, at }]);
  }
  const out = new Map<Rule, Shadow>();
  for (const [at, rule] of counting.entries()) {
    const key = groupOf(rule);
    const near = [
      ...(groups.get(key) ?? []),
      ...(key === ANY_COMMAND || !judgingOf(rule.matcher).ofCommands ? [] : (groups.get(ANY_COMMAND) ?? [])),
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

const groupOf = ({ matcher }: Rule): string => readingOf(matcher).coverGroup(matcher);

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

/** True when `rule` adds nothing to `other`, which has the same effect. */
export function repeats(other: Rule, rule: Rule, inspection: Inspection): boolean {
  if (!ruleCovers(other, rule, patternBase(inspection.world, "narrow"))) return false;
  if (rule.effect !== "allow" || same(other.matcher, rule.matcher)) return true;
  return namesNoMore(other, rule, inspection);
}

/** A narrower allow may name a danger or a secret that a broader one does not lift: what it spells out must be judged alike. */
function namesNoMore(other: Rule, rule: Rule, { context, policy, world }: Inspection): boolean {
  // What is judged here carries no system call, so nothing would be compared.
  const { matcher } = rule;
  if (judgingOf(matcher).keys.call(matcher) !== undefined) return false;
  const samples = sampleCommands(matcher);
  if (samples.some((argv) => context.dangersOf(argv).size > 0)) return false;
  if (policy.settings.preset === "readonly" && samples.length === 0 && pathScopeOf(matcher) === undefined) return false;
  const requests: readonly Lowered[] =
    pathScopeOf(matcher) !== undefined
      ? readingOf(matcher)
          .fileActions(matcher, patternBase(world, "narrow"))
          .map((action) => ({ actions: [action], unknowns: [] }))
      : samples.map((argv) => lowerShell(argv.map(quote).join(" "), { world: NOWHERE }));
  const alone = (one: Rule): Policy => ({ settings: policy.settings, rules: [one], operations: [], warnings: [] });
  const [broad, narrow] = [alone(other), alone(rule)];
  return requests.every((lowered) => judge(lowered, broad, context).decision === judge(lowered, narrow, context).decision);
}
