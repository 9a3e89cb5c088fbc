import { randomUUID } from "node:crypto";
import type { GuardInside } from "../adapters/guards.ts";
import { probeSandbox, UNSUPERVISED } from "../common/sandbox.ts";
import type { Start } from "./command.ts";
import { type CommandWords, type ConfinedPlace, orderedStart, type RunStart, type Supervising, whyNotSupervised } from "./supervision.ts";

/**
 * Commands behind a guard of `createGuard`: the run goes by its policies and its principal, which it is told by its channel; nothing of them
 * lies on a disk. Its questions are the guard's, and what it refuses is told to who listens to the guard.
 */
export class GuardSupervision implements Supervising {
  readonly #inside: GuardInside;
  /** Of the commands of one backend: they are one principal's. */
  readonly #session = randomUUID();

  constructor(inside: GuardInside) {
    this.#inside = inside;
  }

  get problem(): string | undefined {
    return whyNotSupervised();
  }

  async probe(cwd: string): Promise<void> {
    await probeSandbox(cwd);
  }

  async start(
    argv: readonly [string, ...string[]],
    cwd: string,
    env: ConfinedPlace["env"],
    words: CommandWords,
  ): Promise<RunStart | { readonly problem: string }> {
    if (!(await probeSandbox(cwd))) return { problem: UNSUPERVISED };
    return this.confine(argv, { machine: this.#inside.root.machine, cwd, env }, words);
  }

  confine(
    argv: readonly [string, ...string[]],
    place: ConfinedPlace,
    { line, reason }: CommandWords,
  ): RunStart | { readonly problem: string } {
    const inside = this.#inside;
    const about = { call: { shell: line }, reason };
    const start = orderedStart(argv, place, {
      policyFiles: [],
      policies: inside.given(),
      asks: inside.asks,
      confined: { agent: inside.place.principal?.agent ?? "library", session: this.#session, command: line },
    });
    if ("problem" in start) return start;
    const heard: Start["heard"] = {
      asks: async (question, signal) => await inside.askInRun(question, about, signal),
      refused: (_, judged) => {
        if (judged !== undefined) inside.tellInRun(judged, about);
      },
    };
    return { start: { ...start, heard }, clean: () => undefined };
  }
}
