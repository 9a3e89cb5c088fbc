import { adviceForPerson, brief, sayAction, visible } from "@assent/core/action";
import { forgetConfinedFailure, type Machine, noteConfinedFailure } from "@assent/guard/state";
import type { Lack } from "./trap/options.ts";
import type { ConfinedCommand, Exit, RunEvent } from "./types.ts";

const LONGEST = 160;
const MOST = 3;
const MOST_REFUSED = 50;
const MOST_SURVIVED = 1000;

const attemptOf = ({ process, action }: RunEvent): string => `${process.pid} ${sayAction(action)}`;

interface ConfinedRun {
  readonly machine: Machine;
  readonly cwd: string;
  readonly confined?: ConfinedCommand | undefined;
}

/**
 * What the command of an agent was refused: where it failed, the same is asked about beforehand the next time. INVARIANT: what
 * nobody may allow is no reason to offer it without the sandbox.
 */
export class FailureHistory {
  readonly #run: ConfinedRun;
  /** What ended no program so far. */
  #refused: readonly RunEvent[] = [];
  /** What a process went on after: trying the same again is no cause either, as npm does that looks for a newer npm. */
  readonly #survived = new Set<string>();
  #denied = false;
  #takenBack = false;
  readonly #lacks: string[] = [];

  constructor(run: ConfinedRun) {
    this.#run = run;
  }

  refused(event: RunEvent): void {
    const { verdict, action } = event;
    if (verdict.decision === "deny") this.#denied = true;
    else if (this.#survived.has(attemptOf(event))) return;
    else if (this.#refused.length < MOST_REFUSED || action.kind !== "file") this.#refused = [...this.#refused.slice(-MOST_REFUSED), event];
  }

  /** Who goes on to start a program, or becomes one, has survived what it was refused before: that was only tried. */
  started({ process, parent }: RunEvent): void {
    const survived = this.#refused.filter(({ process: { pid } }) => pid === process.pid || pid === parent);
    if (survived.length === 0) return;
    this.#refused = this.#refused.filter((event) => !survived.includes(event));
    if (this.#survived.size < MOST_SURVIVED) for (const event of survived) this.#survived.add(attemptOf(event));
  }

  /** What ran there and cannot work there. */
  lacked({ name, need }: Lack): void {
    if (this.#lacks.length < MOST) this.#lacks.push(`${brief(visible(name), LONGEST)}, which ${need}`);
  }

  /** One of its commands was ended in the middle: whatever its own end, it has failed. */
  takenBack(): void {
    this.#takenBack = true;
  }

  get lacks(): readonly string[] {
    return this.#lacks;
  }

  ended(exit: Exit): void {
    const { machine, cwd, confined } = this.#run;
    if (confined === undefined) return;
    const { command } = confined;
    // Of a pipe only the end of its last part is known.
    if (exit.by === "exit" && exit.code === 0 && !this.#takenBack && !command.includes("|")) forgetConfinedFailure(machine, cwd, command);
    // A program or a host that was missed explains more than a file.
    const cause = this.#refused.find(({ action }) => action.kind !== "file") ?? this.#refused[0];
    const refused = cause === undefined ? this.#lacks[0] : sayRefused(cause);
    const failed = this.#takenBack || (exit.by === "exit" && exit.code !== 0);
    if (!failed || this.#denied || refused === undefined) return;
    noteConfinedFailure(machine, { cwd, command, refused, time: Date.now() });
  }
}

/** With the rule that would allow it in every run, where it is about a host: a listener of this machine is asked about once. */
function sayRefused({ action, verdict: { reason, help } }: RunEvent): string {
  const rule = action.kind === "net" && help !== undefined ? `; ${brief(adviceForPerson(help), LONGEST)}` : "";
  return `${brief(sayAction(action), LONGEST)} (${brief(visible(reason), LONGEST)}${rule})`;
}
