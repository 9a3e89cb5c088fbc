import { type Answer, ownLife, type Question } from "@assent/guard/approve";
import { rememberInProfile } from "@assent/guard/policy-edit";
import { addGrant, LONGEST_GRANT_MS, messageOf, revokeGrant } from "@assent/guard/state";
import type { Exit, RunOptions, RunResult } from "./types.ts";

/** Whoever waits for answers: the door. */
export interface Asker {
  /** `grant`: where the answer is remembered. */
  readonly answer: (seq: number, answer: Answer, grant: string | undefined) => void;
  /** A rule was written to the profile. */
  readonly reload: () => void;
}

/** Carries questions from the door to the approver, and answers back. */
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
    const asked =
      approver === undefined || this.#closed
        ? Promise.resolve<Answer>({ answer: "deny", scope: "once" })
        : approver.ask(question, abort.signal);
    asked.then(
      (answer) => this.#answer(question, answer, abort),
      (error: unknown) => {
        this.#options.onNotice?.(`a question could not be asked, so it was refused: ${messageOf(error)}`);
        this.#answer(question, { answer: "deny", scope: "once" }, abort);
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
    const now = Date.now();
    const lasts = answer.scope === "time" ? Math.min(LONGEST_GRANT_MS, 60_000 * answer.minutes) : LONGEST_GRANT_MS;
    // A run of an agent's command is over in a moment: its session is what a person means.
    if (answer.scope === "time" || (answer.scope === "session" && confined?.session !== undefined))
      this.#grantBeyond(question, now, lasts, answer.scope === "time" ? undefined : confined?.session);
    const scope = answer.scope === "tree" ? "tree" : "session";
    const made = addGrant(
      machine,
      {
        kind: "run",
        run: this.#run.run,
        holder: ownLife(),
        by: "you, when the run asked",
        until: now + lasts,
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

  /** For other runs, too: the narrowest rule that covers it; of what a person started, for what this program does. */
  #grantBeyond({ process, what, proposals }: Question, now: number, lasts: number, session: string | undefined): void {
    const { confined } = this.#options;
    const [narrowest] = proposals;
    if (narrowest === undefined) return;
    const made = addGrant(
      this.#options.machine,
      {
        kind: "rule",
        rule: narrowest.rule,
        by: "you, when a run asked",
        until: now + lasts,
        // What an agent has written calls itself what it likes.
        ...(confined === undefined ? { program: process.name } : {}),
        why: `answered when ${process.name} wanted to ${what}`,
        ...(session === undefined ? {} : { session }),
      },
      now,
    );
    if ("problem" in made) this.#options.onNotice?.(`the answer holds for this run alone: ${made.problem}`);
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
