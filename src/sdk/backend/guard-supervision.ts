import { randomUUID } from "node:crypto";
import type { GuardInside } from "../adapters/guards.ts";
import { probeSandbox, sandboxIsKnown, UNSUPERVISED } from "../approve/sandbox.ts";
import { assentProgram, definedOnly, judgeVariables, supervisorStart } from "../confined/index.ts";
import type { CommandWords, ConfinedPlace, RunStart, Supervising } from "./supervision.ts";

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
    if (assentProgram() === undefined) return "the supervisor is not installed with this library";
    return sandboxIsKnown() ? undefined : UNSUPERVISED;
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
    { machine, cwd, env }: ConfinedPlace,
    { line, reason }: CommandWords,
  ): RunStart | { readonly problem: string } {
    const supervisor = supervisorStart(machine);
    if ("problem" in supervisor) return supervisor;
    const inside = this.#inside;
    const about = { call: { shell: line }, reason };
    return {
      start: {
        ...supervisor,
        cwd,
        supervises: true,
        order: {
          argv,
          cwd,
          env: definedOnly(env),
          judge: judgeVariables(machine),
          policyFiles: [],
          policies: inside.given(),
          asks: inside.asks,
          profile: "confined",
          confined: { agent: inside.place.principal?.agent ?? "library", session: this.#session, command: line },
        },
        heard: {
          asks: async (question, signal) => await inside.askInRun(question, about, signal),
          refused: (_, judged) => {
            if (judged !== undefined) inside.tellInRun(judged, about);
          },
        },
      },
      clean: () => undefined,
    };
  }
}
