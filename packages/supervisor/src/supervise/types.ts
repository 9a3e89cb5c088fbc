import type { Action, Call } from "@assent/core/action";
import type { Verdict } from "@assent/core/policy";
import type { Approver, Extent, ProcessInfo } from "@assent/guard/approve";
import type { Machine } from "@assent/guard/state";
import type { RunPolicies } from "@assent/guard/engine/given";
import type { GuardPlace } from "./outer/index.ts";

/** How the supervised program ended. */
export type Exit = { readonly by: "exit"; readonly code: number } | { readonly by: "signal"; readonly signal: number };

/** The command of an agent that was confined, as the agent wrote it. */
export interface ConfinedCommand {
  readonly agent: string;
  /** The host's id of its session. */
  readonly session?: string;
  readonly command: string;
  /** A file of the host's own that is written beside: nothing that the command did. */
  readonly aside?: string;
}

/** What ended what a run had left behind: its agent's session, the host's own end, or that it was too old. */
export type LeftEnd = "session" | "host" | "age";

/** What was said to a question. */
export interface GivenAnswer {
  readonly text: string;
  /** By which way, and who. */
  readonly by?: string;
  /** The name of whoever answered for the team. */
  readonly person?: string;
  readonly note?: string;
}

/** One judged call, as it is logged, traced and learnt from. */
export interface RunEvent {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly process: ProcessInfo;
  readonly call: Call;
  readonly action: Action;
  /** What else the same call does: a rename arrives somewhere, too. */
  readonly more?: readonly Action[];
  readonly verdict: Verdict;
  /** What was done with it: `passed` lets the kernel do it, `done` did it on the program's behalf. */
  readonly outcome: "passed" | "done" | "refused" | "failed";
  /** Of a program that was started: the process that its own was made by. */
  readonly parent?: number;
  /** Of a program that was started, where every call is told: its parents, nearest first. */
  readonly ancestry?: readonly ProcessInfo[];
  /** Errno of a call that failed or was refused. */
  readonly errno?: string;
  /** What was said to a question, and for how long. */
  readonly answer?: string;
  /** By which way; absent: nobody did, or another answer did. */
  readonly answeredBy?: string;
  /** The name of whoever answered for the team; absent: whoever is at this machine, or nobody, did. */
  readonly answeredPerson?: string;
  /** What the person had to say about it to the model. */
  readonly note?: string;
  /** Of what was refused for want of a rule: what one must cover, where the call itself is another the next time. */
  readonly extent?: Extent;
  /** Of what was refused or asked: who started the program, nearest first. */
  readonly parents?: readonly string[];
}

export interface RunOptions {
  /** `argv[0]` is the program's absolute path. */
  readonly argv: readonly [string, ...string[]];
  /** What the program is told it is called; by default `argv[0]`. */
  readonly word?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly machine: Machine;
  /** Name of the profile; by default the program's. */
  readonly profile?: string | undefined;
  readonly policyFiles: readonly string[];
  /** A guard's policies: they alone hold, and this machine's answers, profiles and memories count for nothing. */
  readonly policies?: RunPolicies | undefined;
  /** Undefined: nobody; what is not allowed is denied, as it is while its `isThere` says that nobody is. */
  readonly approver: Approver | undefined;
  /** `observe` blocks nothing. */
  readonly mode: "enforce" | "observe";
  /** Go on with less protection than asked for. */
  readonly bestEffort?: boolean;
  /** The program gets a process group of its own: whoever starts it has a terminal to give it. */
  readonly job?: boolean | undefined;
  /** It runs in place of this command of an agent. */
  readonly confined?: ConfinedCommand | undefined;
  /** Where the session that it belongs to started, whose project it works in; absent: `cwd`. */
  readonly root?: string | undefined;
  /** Keep pre-images for `assent undo`. */
  readonly undo: boolean;
  /** Called for every judged call, in order; costs the run time. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Called for every call that is refused; costs nothing. */
  readonly onRefused?: ((event: RunEvent) => void) | undefined;
  /** Called once the program runs; `signal` reaches it as long as it lives. */
  readonly onStart?: ((program: { readonly pid: number; readonly signal: (signal: NodeJS.Signals) => void }) => void) | undefined;
  /** One line for people: what protection is off, that a question was refused. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** One line of a command that was ended in the middle, and whose changes were taken back; absent: a notice like any other. */
  readonly onTakenBack?: ((text: string) => void) | undefined;
  /** Answers a host's hook that runs inside the run: the arguments of `assent check` and its standard input. */
  readonly onHook?: ((call: InnerHook) => { readonly stdout: string; readonly stderr: string; readonly status: number }) | undefined;
  /** Answers the library's guard inside the run; what it throws is told to who asks. */
  readonly onGuard?: ((from: GuardPlace, request: object) => object) | undefined;
  /** Folders of Assent's own program. */
  readonly own: readonly string[];
  /** The result comes when the program itself has ended, though others of its tree go on (`RunResult.left`). */
  readonly leaves?: boolean | undefined;
}

/** A hook call that arrives from inside. Everything in it is the program's word, but for `cwd`. */
export interface InnerHook {
  readonly argv: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface RunResult {
  /** Names the run in `assent receipt`. */
  readonly id: string;
  readonly exit: Exit;
  /** Secret variables that the program was not given, for its code may reach hosts outside. */
  readonly removed?: readonly string[];
  /** Programs that ran and cannot work in a run, with what they need, in words. */
  readonly lacked?: readonly string[];
  /** Ended by `quit`, or refused to ask: 130 and 3. */
  readonly ended?: "quit" | "no-block";
  /** What the program left behind: it stays under the policy, as long as this process lives. */
  readonly left?: {
    readonly processes: readonly ProcessInfo[];
    readonly over: Promise<unknown>;
    /** Whoever is about to end it says why, for the receipt. */
    readonly noteEnd: (why: LeftEnd) => void;
  };
}
