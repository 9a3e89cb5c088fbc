import type { Answer, Question } from "./types.ts";

/** An open question. */
export interface OpenQuestion {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  /** Whether it is on the terminal, and whether it was there long enough for what is typed to mean it. */
  visibility: "none" | "drawn" | "seen";
}

/** Says whether a rule that was just written answers a question as well. */
export type Covers = (rule: string, question: Question) => boolean;

/** Open questions in the order they came. The first one and all of its group are shown together. */
export class QuestionQueue {
  #open: OpenQuestion[] = [];

  get size(): number {
    return this.#open.length;
  }

  add(open: OpenQuestion): void {
    this.#open.push(open);
  }

  remove(open: OpenQuestion): void {
    this.#open = this.#open.filter((other) => other !== open);
  }

  /** What is shown: the oldest question, the others of its group, and how many of other groups wait. */
  current(): { readonly first: OpenQuestion; readonly alike: readonly OpenQuestion[]; readonly waiting: number } | undefined {
    const [first, ...rest] = this.#open;
    if (first === undefined) return undefined;
    const alike = rest.filter(({ question }) => question.group === first.question.group);
    return { first, alike, waiting: rest.length - alike.length };
  }

  /**
   * Gives the answer to the first question and to all others it is meant for; returns how many it answered.
   * An answer for once does not serve a question that nobody has seen.
   */
  answer(answer: Answer, covers: Covers): number {
    const first = this.#open[0];
    if (first === undefined) return 0;
    const served: { readonly open: OpenQuestion; readonly answer: Answer }[] = [];
    for (const open of this.#open) {
      const its = open === first ? answer : answerFor(answer, first.question, open, covers);
      if (its !== undefined) served.push({ open, answer: its });
    }
    const gone = new Set(served.map(({ open }) => open));
    this.#open = this.#open.filter((open) => !gone.has(open));
    for (const { open, answer: its } of served) open.resolve(its);
    return served.length;
  }

  /** Gives everything that is open one answer. */
  end(answer: Answer): void {
    const open = this.#open;
    this.#open = [];
    for (const { resolve } of open) resolve(answer);
  }
}

const ALLOW_ONCE: Answer = { answer: "allow", scope: "once" };
const DENY_ONCE: Answer = { answer: "deny", scope: "once" };

/** What an answer to `first` says about another open question; undefined: nothing. */
function answerFor(answer: Answer, first: Question, { question, visibility }: OpenQuestion, covers: Covers): Answer | undefined {
  if (answer.answer === "quit") return answer;
  const alike = question.group === first.group;
  switch (answer.scope) {
    case "once":
      return alike && visibility === "seen" ? answer : undefined;
    case "session":
      return alike ? answer : undefined;
    case "tree": {
      const within = question.process.pid === first.process.pid || question.ancestry.some(({ pid }) => pid === first.process.pid);
      return within ? ALLOW_ONCE : undefined;
    }
    case "always":
      if (!covers(answer.rule, question)) return undefined;
      return answer.answer === "allow" ? ALLOW_ONCE : DENY_ONCE;
  }
}
