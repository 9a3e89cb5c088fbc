import { brief, sayAction, visible } from "../action/index.ts";
import { forgetConfinedFailure, type Machine, noteConfinedFailure } from "../state/index.ts";
import type { ConfinedCommand, Exit, RunEvent } from "./types.ts";

const LONGEST = 160;

interface ConfinedRun {
  readonly machine: Machine;
  readonly cwd: string;
  readonly confined?: ConfinedCommand | undefined;
}

/**
 * What the command of an agent was refused: where it failed, the same is asked about beforehand the next time. INVARIANT: what
 * nobody may allow is no reason to offer it without the wall.
 */
export class FailureHistory {
  readonly #run: ConfinedRun;
  /** By weight: a program or a host that was missed explains more than a file. */
  #refused: RunEvent | undefined;
  #denied = false;

  constructor(run: ConfinedRun) {
    this.#run = run;
  }

  refused(event: RunEvent): void {
    const { verdict, action } = event;
    if (verdict.decision === "deny") this.#denied = true;
    else if (this.#refused === undefined || (this.#refused.action.kind === "file" && action.kind !== "file")) this.#refused = event;
  }

  ended(exit: Exit): void {
    const { machine, cwd, confined } = this.#run;
    if (confined === undefined) return;
    const { command } = confined;
    // Of a pipe only the end of its last part is known.
    if (exit.by === "exit" && exit.code === 0 && !command.includes("|")) forgetConfinedFailure(machine, cwd, command);
    if (exit.by === "signal" || exit.code === 0 || this.#denied || this.#refused === undefined) return;
    const { action, verdict } = this.#refused;
    const refused = `${brief(sayAction(action), LONGEST)} (${brief(visible(verdict.reason), LONGEST)})`;
    noteConfinedFailure(machine, { cwd, command, refused, time: Date.now() });
  }
}
