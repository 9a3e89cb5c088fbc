import { type Answer, DENY, grantAnswer, lastsFor, ownLife, type Question } from "@assent/guard/approve";
import { rememberInProfile } from "@assent/guard/policy-edit";
import { addGrant, messageOf, revokeGrant } from "@assent/guard/state";
import type { Exit, RunOptions, RunResult } from "./types.ts";

/** Whoever waits for answers: the trap handler. */
export interface Asker {
  /** `grant`: where the answer is remembered. */
  readonly answer: (seq: number, answer: Answer, grant: string | undefined) => void;
  /** A rule was written to the profile. */
  readonly reload: () => void;
}

/** Carries questions from the trap handler to the approver, and answers back. */
export class Questions {
  readonly #options: RunOptions;
  readonly #run: { readonly run: string; readonly profile: string };
  /** Remembered for this run. */
  readonly #grants: string[] = [];
  readonly #asker: Asker;
  readonly #open = new Map<number, AbortController>();
  #ended: RunResult["ended"];
  #closed = false;

  constructor(options: RunOptions, run: { readonly run: string; readonly profile: string }, asker: Asker) {
    this.#options = options;
    this.#run = run;
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
    const asked = approver === undefined || this.#closed ? Promise.resolve(DENY) : approver.ask(question, abort.signal);
    asked.then(
      (answer) => this.#answer(question, answer, abort),
      (error: unknown) => {
        this.#options.onNotice?.(`a question could not be asked, so it was refused: ${messageOf(error)}`);
        this.#answer(question, DENY, abort);
      },
    );
  }

  #answer(question: Question, answer: Answer, abort: AbortController): void {
    this.#open.delete(question.seq);
    if (abort.signal.aborted) return;
    if (answer.answer === "quit") this.#ended ??= "quit";
    if (answer.answer !== "quit" && answer.scope === "always") this.#remember(question, answer);
    this.#asker.answer(question.seq, answer, answer.answer === "allow" ? this.#grant(question, answer) : undefined);
    if (answer.answer !== "quit" && answer.scope === "always") this.#asker.reload();
  }

  /** What holds for this run is held in its memory; the grant shows it to others, and lets them take it back. */
  #grant(question: Question, answer: Extract<Answer, { readonly answer: "allow" }>): string | undefined {
    // What whoever answers for a guard has said is nothing that this machine remembers.
    if (answer.scope === "once" || answer.scope === "always" || this.#options.policies !== undefined) return undefined;
    const { machine, confined } = this.#options;
    const { process, what, rule, reason } = question;
    const problem = grantAnswer(machine, question, answer, {
      by: "you, when a run asked",
      // A run of an agent's command is over in a moment: its session is what a person means.
      session: confined?.session,
      // Of what a person started, for what this program does: what an agent has written calls itself what it likes.
      ...(confined === undefined ? { program: process.name } : {}),
    });
    if (problem !== undefined) this.#options.onNotice?.(`the answer holds for this run alone: ${problem}`);
    const now = Date.now();
    const scope = answer.scope === "tree" ? "tree" : "session";
    const made = addGrant(
      machine,
      {
        kind: "run",
        run: this.#run.run,
        holder: ownLife(),
        by: "you, when the run asked",
        until: now + lastsFor(answer),
        program: process.name,
        what:
          scope === "tree" ? `everything ${process.name} (${process.pid}) and what it starts would ask` : `${what}, and what is like it`,
        scope,
        answered: rule === undefined ? reason : `${rule.text} (${rule.file})`,
      },
      now,
    );
    if ("problem" in made) {
      this.#options.onNotice?.(`the answer holds for this run, and does not show in \`assent grants list\`: ${made.problem}`);
      return undefined;
    }
    this.#grants.push(made.grant.id);
    return made.grant.id;
  }

  #remember(question: Question, answer: { readonly answer: "allow" | "deny"; readonly rule: string }): void {
    const why = `answered when ${question.process.name} wanted to ${question.what}`;
    const result = rememberInProfile(this.#options.machine, this.#run.profile, answer.answer, answer.rule, why);
    if (result.is === "failed") this.#options.onNotice?.(`the answer was not remembered: ${result.why}`);
  }

  drop(seq: number): void {
    this.#open.get(seq)?.abort();
    this.#open.delete(seq);
  }

  /** Nobody is asked any more: what would be is refused. */
  async close(exit: Exit): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const abort of this.#open.values()) abort.abort();
    for (const id of this.#grants) revokeGrant(this.#options.machine, id);
    await this.#options.approver?.close(this.#ended === "quit" ? 130 : exit.by === "exit" ? exit.code : 128 + exit.signal);
  }
}
