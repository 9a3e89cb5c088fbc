import type { Action, Call } from "@assent/core/action";
import type { Basis, RuleSource } from "@assent/core/policy";
import type { PasskeyDemand } from "../signature/index.ts";

/** A process as a person recognises it. */
export interface ProcessInfo {
  readonly pid: number;
  /** Basename of the program, else the kernel's name for the task. */
  readonly name: string;
  readonly argv: readonly string[];
}

/** A rule that a remembered answer could write, from the narrowest to the broadest. */
export interface Proposal {
  /** As it would stand in `permissions.allow` or `.deny`: `Write(~/.npm/**)`, `Net(registry.npmjs.org:443)`. */
  readonly rule: string;
  /** What it covers, in words. */
  readonly covers: string;
}

/** What a yes covers: the files and folders that are changed or deleted. The remembered rule is made of it. */
export type Extent = readonly {
  readonly does: "write" | "delete";
  readonly path: string;
  /** With whatever comes to lie in it. */
  readonly below?: boolean;
  /** The last segment as a pattern: what is made up in it is another each time. */
  readonly name?: string;
}[];

/** What an approver is asked. Everything in it may come from an attacker: print it through `printable`. */
export interface Question {
  /** Counts from 1 within the run. */
  readonly seq: number;
  /** The run. */
  readonly run: string;
  /** Name of the profile that a remembered answer goes into. */
  readonly profile: string;
  readonly process: ProcessInfo;
  /** Parents, nearest first, up to the supervisor. */
  readonly ancestry: readonly ProcessInfo[];
  readonly cwd: string;
  /** What was typed to start the run. */
  readonly command?: readonly string[];
  /** Absent: it was no system call. */
  readonly call?: Call;
  readonly action: Action;
  /** One line without the process: `write ~/.npm/_cacache/x (new file)`. */
  readonly what: string;
  /** Why it is asked. */
  readonly reason: string;
  readonly rule?: RuleSource;
  /** What the question rests on; absent: a default. */
  readonly basis?: Basis;
  readonly help?: string;
  /** What would change in files, as lines of a patch, each for itself; what is asked then is answered with yes or no. */
  readonly difference?: readonly string[];
  /** Absent: this very call. */
  readonly extent?: Extent;
  /** At least one. */
  readonly proposals: readonly Proposal[];
  /** Questions of one group are alike (same program, same operation, same folder or host): one answer may serve them all. */
  readonly group: string;
  /** People of the team may answer it, too. INVARIANT: whoever judged it says so; no file that others write does. */
  readonly afar?: TeamPart;
}

/** What of a question goes to the team. */
export interface TeamPart {
  /** So many have to say yes. */
  readonly people: 1 | 2;
  /** So long it waits for them, as the policy says. Milliseconds. */
  readonly wait?: number;
  /** By which keys they have to sign it; absent: by none. */
  readonly passkeys?: PasskeyDemand;
  /** What would be done, secrets taken out. */
  readonly what: string;
  /** All that decides what would be done: a yes is for the very same, and for nothing else. */
  readonly parts: readonly unknown[];
  /** The sentence that a yes from now on would be, as a rule that an answer writes, and as people read it. */
  readonly sentence?: OfferedSentence | undefined;
}

export interface OfferedSentence {
  readonly rule: string;
  readonly text: string;
}

/** By which way a person answered, as files and the log have it, and how that is said to whoever comes too late. */
export const CHANNELS = {
  terminal: "in the terminal",
  page: "on the page",
  popup: "in the popup",
  notification: "in the notification",
  /** A program, by `--background-dir`. */
  folder: "by a program",
  /** Where the agent asks. */
  host: "in the agent",
  /** Remotely. */
  team: "by the team",
} as const;
export type Channel = keyof typeof CHANNELS;

const isChannel = (value: string): value is Channel => Object.hasOwn(CHANNELS, value);
export const channelOf = (value: unknown): Channel | undefined => (typeof value === "string" && isChannel(value) ? value : undefined);

interface AnswerOrigin {
  /** Absent: where it was asked. */
  readonly by?: Channel;
  /** Who, where that is known by name. */
  readonly person?: string;
}

interface DenialNote {
  /** What the person has to say about it to the model. */
  readonly note?: string;
}

/**
 * - `once`: this call. `session`: calls alike in this run. `tree`: this process and its descendants, for this run,
 *   except what a written deny or the floor refuses. `time`: calls alike for so many minutes, of other runs, too.
 *   `always`: the rule is written to the profile.
 */
export type Answer = AnswerOrigin &
  (
    | { readonly answer: "allow"; readonly scope: "once" | "session" | "tree" }
    | { readonly answer: "allow"; readonly scope: "time"; readonly minutes: number }
    | { readonly answer: "allow"; readonly scope: "always"; readonly rule: string }
    /** `nobody`: it was asked in vain; `waits`: people of the team may answer it later. */
    | ({ readonly answer: "deny"; readonly scope: "once"; readonly nobody?: true; readonly waits?: true } & DenialNote)
    | ({ readonly answer: "deny"; readonly scope: "always"; readonly rule: string } & DenialNote)
    /** End the whole run. */
    | { readonly answer: "quit" }
  );

/**
 * How a question came off a queue. `session` of an answer is the agent's session where the asker belongs to one, else the run; `time` holds for
 * calls alike, wherever they come from, for so many minutes.
 */
export type QueueEnd =
  | { readonly is: "answered"; readonly answer: Answer; readonly by: Channel; readonly at: number }
  /** Whoever asked needs no answer any more, or is gone (`withdrawn`); waited in vain (`expired`). */
  | { readonly is: "withdrawn" | "expired"; readonly at: number };

/** Why a question is void, for those who show it: the `reason` of the signal. */
export class EndedElsewhere {
  readonly end: QueueEnd;
  constructor(end: QueueEnd) {
    this.end = end;
  }
}

/**
 * Who answers. Questions may be put while others are open; an approver shows them one after the other or groups them.
 * INVARIANT: whatever goes wrong (closed terminal, lost folder, unknown word) is `deny`.
 */
export interface Approver {
  /** A person answers, at a terminal: what nobody else may allow is put to no other approver. */
  readonly atTerminal?: boolean;
  /** Somebody would answer a question that is put now, with this for the team; absent: always. Where nobody would, none is put. */
  readonly isThere?: (afar?: Pick<TeamPart, "people">) => boolean;
  /** `signal` is raised when the question is void: the process is gone, or somebody else has answered it (`EndedElsewhere`). */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** The run is over. `exit` is the status as a shell would give it. */
  close(exit: number): Promise<void>;
}
