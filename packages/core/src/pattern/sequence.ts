import type { Argument } from "../action/index.ts";
import { both, type Answer } from "./result.ts";
import { positionsAfter, type SetWalk } from "./walk.ts";

/** One place in a list of arguments: a gap takes any number, a test takes one. */
export type Element = { readonly gap: true } | { readonly gap: false; readonly test: (argument: Argument) => Answer };

export const GAP: Element = { gap: true };

const NONE: ReadonlySet<Argument> = new Set();

/**
 * Whether arguments match a list of elements in order; `open` lets anything follow, and those in `optional` need not be there.
 * An argument that may become several is certain only inside a gap or the open end.
 */
export function matchSequence(elements: readonly Element[], open: boolean, args: readonly Argument[], optional = NONE): Answer {
  const straight = optional.size === 0 ? walkStraight(elements, open, args) : undefined;
  if (straight !== undefined) return straight;
  const whole = open ? [...elements, GAP] : elements;
  const runs = (steps: SetWalk<Element, Argument>): boolean =>
    positionsAfter(whole, args, { ...steps, skips: (argument) => optional.has(argument) }).has(whole.length);
  if (runs(CERTAIN)) return "yes";
  return args.every((argument) => argument.known) || !runs(POSSIBLE) ? "no" : "maybe";
}

/** The common case, without gaps and without arguments that may become several: each element meets one argument. */
function walkStraight(elements: readonly Element[], open: boolean, args: readonly Argument[]): Answer | undefined {
  let answer: Answer = "yes";
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    const argument = args[i];
    if (element === undefined || element.gap || (argument !== undefined && !argument.known && argument.many)) return undefined;
    if (argument === undefined) return "no";
    answer = both(answer, element.test(argument));
    if (answer === "no") return "no";
  }
  if (open || args.length === elements.length) return answer;
  return args.slice(elements.length).some((argument) => !argument.known && argument.many) ? undefined : "no";
}

const isRun = (element: Element): boolean => element.gap;
const isSeveral = (argument: Argument): boolean => !argument.known && argument.many;

/** A glob counts as one argument where the rule spells the same glob. */
const isSpelled = (argument: Argument): boolean => !argument.known && argument.glob !== undefined;

const CERTAIN: SetWalk<Element, Argument> = {
  isRun,
  accepts: (element, argument) => !element.gap && (!isSeveral(argument) || isSpelled(argument)) && element.test(argument) === "yes",
};
const POSSIBLE = {
  isRun,
  accepts: (element: Element, argument: Argument): boolean => {
    if (element.gap) return false;
    return isSeveral(argument) ? isSpelled(argument) && element.test(argument) === "yes" : element.test(argument) !== "no";
  },
  spreads: (argument: Argument, element: Element | undefined): 0 | 1 | undefined => {
    if (argument.known || !argument.many) return undefined;
    // With literal text or a glob there is at least one word, and the first has to fit.
    if (argument.prefix === "" && argument.glob === undefined) return 0;
    return element !== undefined && !element.gap && element.test(argument) === "no" ? undefined : 1;
  },
};
