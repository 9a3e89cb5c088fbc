import type { GrantingJudge } from "../judge/index.ts";
import type { UndoStore } from "../undo/index.ts";
import type { Handler } from "./operation.ts";
import type { Outside } from "./outside.ts";
import type { Tally } from "./tally.ts";

export interface DoorOptions {
  readonly listener: number;
  /** Pid of the program, or of what is to become it. */
  readonly program: number;
  readonly outside: Outside;
  readonly judge: GrantingJudge;
  readonly undo: UndoStore | undefined;
  readonly run: string;
  readonly profile: string;
  readonly home: string;
  readonly cwd: string;
  /** As the program was given it. */
  readonly env: Readonly<Record<string, string>>;
  /** Landlock bounds what the kernel is left to do itself. */
  readonly walled: boolean;
  /** Observe: nothing is blocked. */
  readonly observes: boolean;
  /** Somebody answers questions. */
  readonly asks: boolean;
  /** Tell of every judged call, not only of what a receipt needs. */
  readonly tellsAll: boolean;
  /** A remembered answer has not been taken back. */
  readonly holds: (grant: string) => boolean;
  /** What is allowed is counted, for the audit log. */
  readonly tally: Tally;
  /** A person typed the command: what it names needs no question, for the very programs that its words start. */
  readonly typed: boolean;
  /** It did something that its policy by itself does not allow. */
  readonly exceeds: () => void;
  /** Handlers of network calls. */
  readonly net: Readonly<Record<string, Handler>>;
}
