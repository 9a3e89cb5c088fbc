import { printArgument, type Action, type RequestVerdict, type Verdict, type World } from "../action/index.ts";
import { judge, type Policy, type Rule } from "../policy/index.ts";
import { isInside } from "../state/index.ts";
import type { Outcome } from "./decide.ts";

/** Reads rules as a user's policy file would: undefined where a text is no rule. */
export type RuleReader = (rules: readonly string[]) => readonly Rule[] | undefined;

const VERBS: Readonly<Record<string, string>> = {
  read: "Read",
  list: "List",
  edit: "Edit",
  write: "Edit",
  delete: "Delete",
  execute: "Exec",
};

function pathPattern(path: string, world: World): string {
  if (isInside(path, world.projectRoot) && path !== world.projectRoot)
    return path.slice(world.projectRoot === "/" ? 1 : world.projectRoot.length + 1);
  return isInside(path, world.home) && path !== world.home ? `~${path.slice(world.home.length)}` : path;
}

/** The rule that names an action and nothing else. */
function ruleFor(action: Action, world: World): string | undefined {
  switch (action.kind) {
    case "exec":
      return action.argv.every((argument) => argument.known) ? `Bash(${action.argv.map(printArgument).join(" ")})` : undefined;
    case "file": {
      const verb = VERBS[action.operation] ?? "Write";
      if (action.target.kind === "path")
        return `${verb}(${pathPattern(action.target.path, world)}${action.recursive === true ? "/**" : ""})`;
      if (action.target.kind === "tree") return `${verb}(${pathPattern(action.target.path, world)}/**)`;
      return action.target.kind === "glob" ? `${verb}(${pathPattern(action.target.pattern, world)})` : undefined;
    }
    case "net":
      return action.host === undefined
        ? undefined
        : action.operation === "fetch" && action.port === 443
          ? `WebFetch(domain:${action.host})`
          : `Net(${action.host}:${action.port ?? "*"})`;
    case "tool":
      return action.name;
    default:
      return undefined;
  }
}

/** What a person would have to allow for one part of a request. */
function candidates(part: Action, all: readonly Action[], world: World): readonly string[] {
  const own = ruleFor(part, world);
  const exec = part.origin.by === "command" ? all[part.origin.exec] : undefined;
  const command = exec === undefined ? undefined : ruleFor(exec, world);
  return [own, command].filter((rule) => rule !== undefined);
}

/**
 * The fewest rules found that would make the outcome allow, each naming an unapproved part and nothing else.
 * Every suggestion is tried on the real judge before it is made; none is made where none helps.
 */
export function changesFor(outcome: Outcome, read: RuleReader): readonly string[] {
  const { verdict, basis } = outcome;
  if (basis === undefined || verdict.decision === "allow") return [];
  const { lowered, policy, context } = basis;
  const wanted: string[] = [];
  const add = (options: readonly string[], solved: (rules: readonly string[]) => boolean): boolean => {
    if (solved(wanted)) return true;
    const found = options.find((option) => !wanted.includes(option) && solved([...wanted, option]));
    if (found !== undefined) wanted.push(found);
    return found !== undefined;
  };
  const tried = (rules: readonly string[]): RequestVerdict | undefined => {
    const extra = rules.length === 0 ? [] : read(rules);
    return extra === undefined ? undefined : judge(lowered, withRules(policy, extra), context);
  };
  const settled = (find: (judged: RequestVerdict) => Verdict | undefined) => (rules: readonly string[]) => {
    const judged = tried(rules);
    return judged !== undefined && find(judged)?.decision === "allow";
  };
  for (const [at, judged] of verdict.actions.entries()) {
    if (judged.verdict.decision === "allow") continue;
    if (
      !add(
        candidates(judged.action, lowered.actions, context.world),
        settled((again) => again.actions[at]?.verdict),
      )
    )
      return [];
  }
  for (const [at, { unknown, verdict: own }] of verdict.unknowns.entries()) {
    if (own.decision === "allow") continue;
    const exec = unknown.exec === undefined ? undefined : lowered.actions[unknown.exec];
    const rule = exec === undefined ? undefined : ruleFor(exec, context.world);
    if (
      rule === undefined ||
      !add(
        [rule],
        settled((again) => again.unknowns[at]?.verdict),
      )
    )
      return [];
  }
  return tried(wanted)?.decision === "allow" ? wanted : [];
}

function withRules(policy: Policy, rules: readonly Rule[]): Policy {
  return { ...policy, rules: [...policy.rules, ...rules] };
}
