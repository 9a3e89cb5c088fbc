import type { Answer, Question } from "./types.ts";

/** Says whether a rule that was just written answers a question as well. */
export type Covers = (rule: string, question: Question) => boolean;

/** A question that waits, and whoever hears its answer. */
export interface Waiting {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
}

/** Gives the answer to `first` to it and to all others it is meant for; those that are left. */
export function serve<T extends Waiting>(
  waiting: readonly T[],
  first: Question,
  answer: Answer,
  isSeen: (one: T, at: number) => boolean,
  covers: Covers = () => false,
): T[] {
  const own = waiting.find(({ question }) => question === first);
  return waiting.filter((one, at) => {
    const its = one === own ? answer : answerFor(answer, first, one.question, isSeen(one, at), covers);
    if (its !== undefined) one.resolve(its);
    return its === undefined;
  });
}

/**
 * What an answer to `first` says about another open question; undefined: nothing. An answer for once does not serve a question
 * that nobody has seen.
 */
export function answerFor(answer: Answer, first: Question, question: Question, seen: boolean, covers: Covers): Answer | undefined {
  if (answer.answer === "quit") return question.run === first.run ? answer : undefined;
  // Each is looked at for itself.
  if (question.difference !== undefined) return undefined;
  const by = answer.by === undefined ? {} : { by: answer.by };
  const alike = question.group === first.group;
  switch (answer.scope) {
    case "once":
      return alike && seen ? answer : undefined;
    case "session":
    case "time":
      return alike ? answer : undefined;
    case "tree": {
      const within = question.process.pid === first.process.pid || question.ancestry.some(({ pid }) => pid === first.process.pid);
      return within ? { answer: "allow", scope: "once", ...by } : undefined;
    }
    case "always":
      return covers(answer.rule, question) ? { answer: answer.answer, scope: "once", ...by } : undefined;
  }
}
