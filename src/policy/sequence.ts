import type { Argument } from "../action/index.ts";
import { both, type Answer } from "./result.ts";

/** One place in a list of arguments: a gap takes any number, a test takes one. */
export type Element = { readonly gap: true } | { readonly gap: false; readonly test: (argument: Argument) => Answer };

export const GAP: Element = { gap: true };

/**
 * Whether arguments match a list of elements in order; `open` lets anything follow.
 * Walks all positions at once, so the work is (elements) × (arguments). An argument that may become several
 * is certain only inside a gap or the open end.
 */
export function matchSequence(elements: readonly Element[], open: boolean, args: readonly Argument[]): Answer {
  const straight = walkStraight(elements, open, args);
  if (straight !== undefined) return straight;
  if (runs(elements, open, args, true)) return "yes";
  return args.every((argument) => argument.known) || !runs(elements, open, args, false) ? "no" : "maybe";
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

function runs(elements: readonly Element[], open: boolean, args: readonly Argument[], certain: boolean): boolean {
  const end = elements.length;
  let at = new Set([0]);
  for (const argument of args) {
    closeOver(at, elements);
    const next = new Set<number>();
    for (const position of at) {
      const element = elements[position];
      if (element === undefined ? open : element.gap) next.add(position);
      if (element === undefined || element.gap) continue;
      const answer = element.test(argument);
      const several = !argument.known && argument.many;
      if (several ? isSpelled(argument) && answer === "yes" : certain ? answer === "yes" : answer !== "no") next.add(position + 1);
    }
    if (!certain && !argument.known && argument.many) addSeveral(at, next, elements, argument);
    at = next;
    if (at.size === 0) return false;
  }
  closeOver(at, elements);
  return at.has(end);
}

/** A glob counts as one argument where the rule spells the same glob. */
function isSpelled(argument: Argument): boolean {
  return !argument.known && argument.glob !== undefined;
}

function addSeveral(
  at: ReadonlySet<number>,
  next: Set<number>,
  elements: readonly Element[],
  argument: Argument & { readonly known: false },
): void {
  // With literal text or a glob there is at least one word, and the first has to fit.
  const fits = argument.prefix !== "" || argument.glob !== undefined;
  for (const position of at) {
    const element = elements[position];
    if (fits && element !== undefined && !element.gap && element.test(argument) === "no") continue;
    for (let later = fits ? position + 1 : position; later <= elements.length; later++) next.add(later);
  }
}

function closeOver(at: Set<number>, elements: readonly Element[]): void {
  // A set visits what is added while it is walked.
  for (const position of at) if (elements[position]?.gap === true) at.add(position + 1);
}
