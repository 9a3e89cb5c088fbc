import { errorCode } from "../state/index.ts";
import { DENY, NOBODY, wrongRuleIn } from "./answer.ts";
import type { CheckRule } from "./prompt.ts";
import { printable } from "./printable.ts";
import type { PromptContent } from "./render.ts";
import { type Answer, type Approver, EndedElsewhere, type Question, type QueueEnd } from "./types.ts";

/** Who does nothing else looks this often. Milliseconds. */
const LOOK_MS = 15;

/** Says whether a rule that was just written answers a question as well. */
export type Covers = (rule: string, question: Question) => boolean;

/** A question that waits for its answer. */
export interface Waiting {
  readonly question: Question;
  /** What is shown with it, as it is now. */
  readonly shown: (() => Omit<PromptContent, "question" | "waiting">) | undefined;
}

/** A way to be asked: it shows what waits, and tells the queue what it hears. It keeps nothing but what it shows. */
export interface Client {
  readonly atTerminal?: boolean;
  /** As of an `Approver`; absent: somebody is asked there directly. */
  readonly isThere?: Approver["isThere"];
  /** Before anything is asked. */
  begin(queue: QuestionQueue): void;
  /** False: nobody is asked here. */
  show(waiting: Waiting): boolean;
  /** Looks whether somebody has answered: where nothing else goes on (`askStill`). */
  look?(): void;
  /** These wait no longer; `end`: why, where that is known. */
  drop(gone: readonly Waiting[], end: QueueEnd | undefined): void;
  /** The run is over, and everything was dropped. */
  close?(exit: number): void;
}

export interface AskOptions {
  readonly checkRule: CheckRule;
  /** By default a rule that was just written answers only the question it was written for. */
  readonly covers?: Covers | undefined;
  /** One line for people. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** The questions are of several runs: who ends one ends no other. */
  readonly several?: boolean;
}

interface Open {
  readonly resolve: (answer: Answer) => void;
  /** Who may still answer. */
  readonly asked: Set<Client>;
  /** Whoever may answer does so later. */
  waits: boolean;
}

/**
 * The questions of one asker, and whoever may answer them: all are asked at once, the first answer counts, and the others learn of it.
 * INVARIANT: whatever goes wrong is a no, and what nobody answers is one that nobody has said.
 */
export class QuestionQueue implements Approver {
  readonly atTerminal: boolean;
  readonly isThere?: NonNullable<Approver["isThere"]>;
  readonly #options: AskOptions;
  readonly #clients: readonly Client[];
  readonly #open = new Map<Waiting, Open>();
  /** What every further question is answered. */
  #over: Answer | undefined;
  #closed = false;

  constructor(options: AskOptions, clients: readonly Client[]) {
    this.#options = options;
    this.#clients = clients;
    this.atTerminal = clients.some(({ atTerminal }) => atTerminal === true);
    if (clients.every(({ isThere }) => isThere !== undefined))
      this.isThere = (afar) => !this.#closed && clients.some((client) => client.isThere?.(afar));
    for (const client of clients) client.begin(this);
  }

  /** Nobody is asked directly: who has left answers nothing. */
  get isAlone(): boolean {
    return this.isThere !== undefined;
  }

  /** Nothing is asked any more. */
  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** What waits, the oldest first. */
  get open(): readonly Waiting[] {
    return [...this.#open.keys()];
  }

  ask(question: Question, signal: AbortSignal, shown?: Waiting["shown"]): Promise<Answer> {
    if (this.#over !== undefined) return Promise.resolve(this.#over);
    if (signal.aborted) return Promise.resolve(DENY);
    return new Promise((done) => {
      const waiting: Waiting = { question, shown };
      const isVoid = (): void => this.#settle([[waiting, DENY]], signal.reason instanceof EndedElsewhere ? signal.reason.end : undefined);
      signal.addEventListener("abort", isVoid);
      this.#put(waiting, (answer) => {
        signal.removeEventListener("abort", isVoid);
        done(answer);
      });
    });
  }

  /** As `ask`, in a program that does nothing else until there is an answer. `until`: of a steady clock, in milliseconds; then nobody has answered. */
  askStill(question: Question, until: number): Answer {
    const heard: { answer?: Answer } = this.#over === undefined ? {} : { answer: this.#over };
    if (heard.answer === undefined) this.#put({ question, shown: undefined }, (answer) => (heard.answer = answer));
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (heard.answer === undefined) {
      if (performance.now() >= until) this.end(NOBODY);
      else for (const client of this.#clients) client.look?.();
      if (heard.answer === undefined) Atomics.wait(pause, 0, 0, LOOK_MS);
    }
    return heard.answer;
  }

  #put(waiting: Waiting, resolve: Open["resolve"]): void {
    this.#open.set(waiting, { resolve, asked: new Set(this.#clients), waits: false });
    for (const client of this.#clients) if (this.#open.has(waiting) && !this.#shows(client, waiting)) this.decline(waiting, client);
  }

  #shows(client: Client, waiting: Waiting): boolean {
    try {
      return client.show(waiting);
    } catch (error) {
      this.notice(`a question cannot be put where others could answer it: ${errorCode(error)}`);
      return false;
    }
  }

  notice(text: string): void {
    this.#options.onNotice?.(text);
  }

  /** A client has an answer; the others that it serves, too. How many it served. */
  answer(waiting: Waiting, given: Answer, isSeen: (other: Waiting) => boolean = () => false): number {
    if (!this.#open.has(waiting)) return 0;
    const answer = this.#checked(waiting.question, given);
    const { covers = () => false, several } = this.#options;
    const served = this.open.flatMap((one): [Waiting, Answer][] => {
      const its = one === waiting ? answer : answerFor(answer, waiting.question, one.question, isSeen(one), covers);
      return its === undefined ? [] : [[one, its]];
    });
    if (answer.answer === "quit" && several !== true) this.#over = answer;
    const { by } = answer;
    this.#settle(served, by === undefined ? undefined : { is: "answered", answer, by, at: Date.now() });
    return served.length;
  }

  #checked({ seq }: Question, answer: Answer): Answer {
    const wrong = wrongRuleIn(answer, this.#options.checkRule);
    if (wrong === undefined) return answer;
    const rule = "rule" in answer ? printable(answer.rule, 200) : "";
    this.notice(`question ${seq} is denied, and nothing is remembered: \`${rule}\` is not a rule: ${printable(wrong, 400)}`);
    return answer.by === undefined ? DENY : { ...DENY, by: answer.by };
  }

  /** Nobody of this client answers it; `waits`: not now. */
  decline(waiting: Waiting, client: Client, waits = false): void {
    const open = this.#open.get(waiting);
    if (open === undefined) return;
    open.asked.delete(client);
    open.waits ||= waits;
    if (open.asked.size === 0) this.#settle([[waiting, open.waits ? { ...NOBODY, waits: true } : NOBODY]]);
  }

  /** Every question, and all that come, have this answer. */
  end(answer: Answer): void {
    this.#over ??= answer;
    const over = this.#over;
    this.#settle(this.open.map((one) => [one, over]));
  }

  #settle(served: readonly (readonly [Waiting, Answer])[], end?: QueueEnd): void {
    if (served.length === 0) return;
    for (const [one, answer] of served) {
      this.#open.get(one)?.resolve(answer);
      this.#open.delete(one);
    }
    const gone = served.map(([one]) => one);
    for (const client of this.#clients) client.drop(gone, end);
  }

  close(exit: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.end(this.isAlone ? NOBODY : DENY);
    for (const client of this.#clients) client.close?.(exit);
    return Promise.resolve();
  }
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
