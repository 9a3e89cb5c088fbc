import type { Answer, Question } from "../guard/approve/index.ts";
import { rememberInProfile } from "../guard/edit/index.ts";
import type { Exit, RunOptions, RunResult } from "./types.ts";

/** Whoever waits for answers: the door. */
export interface Asker {
  readonly answer: (seq: number, answer: Answer) => void;
  /** A rule was written to the profile. */
  readonly reload: () => void;
}

/** Carries questions from the door to the approver, and answers back. */
export class Questions {
  readonly #options: RunOptions;
  readonly #profile: string;
  readonly #asker: Asker;
  readonly #open = new Map<number, AbortController>();
  #ended: RunResult["ended"];

  constructor(options: RunOptions, profile: string, asker: Asker) {
    this.#options = options;
    this.#profile = profile;
    this.#asker = asker;
  }

  /** How the run was ended before its program was done. */
  get ended(): RunResult["ended"] {
    return this.#ended;
  }

  put(question: Question): void {
    const { approver } = this.#options;
    const abort = new AbortController();
    this.#open.set(question.seq, abort);
    const asked =
      approver === undefined ? Promise.resolve<Answer>({ answer: "deny", scope: "once" }) : approver.ask(question, abort.signal);
    asked.then(
      (answer) => this.#answer(question, answer, abort),
      (error: unknown) => {
        this.#options.onNotice?.(
          `a question could not be asked, so it was refused: ${error instanceof Error ? error.message : String(error)}`,
        );
        this.#answer(question, { answer: "deny", scope: "once" }, abort);
      },
    );
  }

  #answer(question: Question, answer: Answer, abort: AbortController): void {
    this.#open.delete(question.seq);
    if (abort.signal.aborted) return;
    if (answer.answer === "quit") this.#ended ??= "quit";
    if (answer.answer !== "quit" && answer.scope === "always") this.#remember(question, answer);
    this.#asker.answer(question.seq, answer);
    if (answer.answer !== "quit" && answer.scope === "always") this.#asker.reload();
  }

  #remember(question: Question, answer: { readonly answer: "allow" | "deny"; readonly rule: string }): void {
    const why = `answered when ${question.process.name} wanted to ${question.what}`;
    const result = rememberInProfile(this.#options.machine, this.#profile, answer.answer, answer.rule, why);
    if (result.is === "failed") this.#options.onNotice?.(`the answer was not remembered: ${result.why}`);
  }

  drop(seq: number): void {
    this.#open.get(seq)?.abort();
    this.#open.delete(seq);
  }

  async close(exit: Exit): Promise<void> {
    for (const abort of this.#open.values()) abort.abort();
    await this.#options.approver?.close(this.#ended === "quit" ? 130 : exit.by === "exit" ? exit.code : 128 + exit.signal);
  }
}
