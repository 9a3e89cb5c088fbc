import type { Action, Call } from "../action/index.ts";
import type { Basis, RuleSource } from "../policy/index.ts";

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
  readonly call: Call;
  readonly action: Action;
  /** One line without the process: `write ~/.npm/_cacache/x (new file)`. */
  readonly what: string;
  /** Why it is asked. */
  readonly reason: string;
  readonly rule?: RuleSource;
  /** What the question rests on; absent: a default. */
  readonly basis?: Basis;
  readonly help?: string;
  /** At least one. */
  readonly proposals: readonly Proposal[];
  /** Questions of one group are alike (same program, same operation, same folder or host): one answer may serve them all. */
  readonly group: string;
}

/**
 * - `once`: this call. `session`: calls alike in this run. `tree`: this process and its descendants, for this run,
 *   except what a written deny or the floor refuses. `always`: the rule is written to the profile.
 */
export type Answer =
  | { readonly answer: "allow"; readonly scope: "once" | "session" | "tree" }
  | { readonly answer: "allow"; readonly scope: "always"; readonly rule: string }
  | { readonly answer: "deny"; readonly scope: "once" }
  | { readonly answer: "deny"; readonly scope: "always"; readonly rule: string }
  /** End the whole run. */
  | { readonly answer: "quit" };

/**
 * Who answers. Questions may be put while others are open; an approver shows them one after the other or groups them.
 * INVARIANT: whatever goes wrong (closed terminal, lost folder, unknown word) is `deny`.
 */
export interface Approver {
  /** A person answers, at a terminal: what nobody else may allow is put to no other approver. */
  readonly atTerminal?: boolean;
  /** `signal` is raised when the question is void: the process is gone. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** The run is over. `exit` is the status as a shell would give it. */
  close(exit: number): Promise<void>;
}
