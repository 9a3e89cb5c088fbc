import type { Question } from "@assent/guard/approve";
import type { AnswerableRemote } from "@assent/core/policy";
import type { ToolService } from "../services/services.ts";
import type { GrantingJudge } from "../judge/granting-judge.ts";
import type { RunEvent } from "../types.ts";
import type { NotUndone, UndoStore } from "../undo/index.ts";
import type { RefsBefore } from "@assent/guard/state";
import type { NetTraps } from "./net/index.ts";
import type { AllowedTally } from "./record.ts";
import type { SessionSignals } from "./signals.ts";

export interface TrapOptions {
  readonly listener: number;
  /** Pid of the program, or of what is to become it. */
  readonly program: number;
  readonly outside: Outside;
  readonly judge: GrantingJudge;
  readonly undo: UndoStore | undefined;
  /** Where is kept what single commands change; not there yet. */
  readonly parts: string;
  /** Of the repository that the run is in, before its session. */
  readonly refs: RefsBefore | undefined;
  readonly run: string;
  readonly profile: string;
  readonly home: string;
  readonly cwd: string;
  /** What was typed. */
  readonly command: readonly string[];
  /** As the program was given it. */
  readonly env: Readonly<Record<string, string>>;
  /** Landlock bounds what the kernel is left to do itself. */
  readonly sandboxed: boolean;
  /** Observe: nothing is blocked. */
  readonly observes: boolean;
  /** A tried run: paths lead through its own mounts, and what it does to files is judged at the end. */
  readonly tried?: true;
  /** Somebody answers questions that are put now; `afar`: people of the team may. */
  readonly asks: (afar?: AnswerableRemote) => boolean;
  /** Tell of every judged call, not only of what a receipt needs. */
  readonly tellsAll: boolean;
  /** A remembered answer has not been taken back. */
  readonly holds: (grant: string) => boolean;
  /** What is allowed is counted, for the audit log. */
  readonly tally: AllowedTally;
  /** A person typed the command: what it names needs no question, for the very programs that its words start. */
  readonly typed: boolean;
  /** From now on: whether an agent, in this run or another, changes such a file. Absent: no agent has to do with it. */
  readonly watchesFiles?: (() => (wanted: (path: string) => boolean) => boolean) | undefined;
  /** It did something that its policy by itself does not allow. */
  readonly exceeds: () => void;
  readonly net: NetTraps;
  /** The run belongs to an agent's session. */
  readonly signals?: SessionSignals;
}

/** A process of the tree that has a question. */
export interface Inner {
  /** Where it works, as the kernel says. */
  readonly cwd: string;
  /** From now on nobody is asked for it and what it starts. */
  readonly leaveAlone: () => void;
}

/** What a program needs that nothing in a supervised run has: it says no more of it than "operation not permitted". */
export interface Lack {
  readonly name: string;
  /** In words (`CONFINED_NEEDS`). */
  readonly need: string;
  /** Of a person who started it so. */
  readonly way: string;
}

/** A command that was ended in the middle. */
export interface TakenBack {
  readonly words: string;
  readonly why: string;
  /** Not as it was. */
  readonly left: readonly NotUndone[];
}

/** What the trap handler says to the rest of the run. */
export interface Outside {
  readonly ask: (question: Question) => void;
  /** The question is void: the process is gone, or another answer settled it. */
  readonly drop: (seq: number) => void;
  readonly events: (events: readonly RunEvent[]) => void;
  /** A program of the tree has a question for the supervisor: our end of its socket. */
  readonly inner: (fd: number, from: Inner) => void;
  readonly notice: (text: string) => void;
  /** Why a call was refused whose way back could not be kept, for a person who may start the run without. */
  readonly unkept: (text: string) => void;
  /** A command of git was ended in the middle. */
  readonly takenBack: (what: TakenBack) => void;
  /** A program runs that cannot work there. */
  readonly lacks: (lack: Lack) => void;
  /** Some program runs; what it was started for, where that can be trusted. */
  readonly runs?: (toolService: ToolService) => void;
  /** The program itself runs. */
  readonly started: () => void;
  /** The program itself is not started. */
  readonly refused: (why: string) => void;
  /** The program itself has ended; others of its tree may go on. wait(2) status. */
  readonly ended: (status: number) => void;
  /** Nothing of the tree is left. */
  readonly closed: () => void;
  readonly failed: (error: unknown) => void;
}

/** Says something to the rest of the run, which does what it does with Assent's own rights. */
export type Tell = (say: (run: Outside) => void) => void;
