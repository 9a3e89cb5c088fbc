import type { Action } from "@assent/core/action";
import type { ShellKind } from "@assent/core/shell";
import type { Principal, ReasonId, RequestVerdict } from "@assent/core/policy";
import type { PermissionChange } from "../common/host-permissions.ts";
import type { ConfinedStart } from "../common/adapted-guard.ts";
import type { DeniedBy } from "../common/read-answer.ts";
import type { GuardCall } from "./call.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { CodePolicy } from "./policy-in-code.ts";

/** What a guard decides by, and who answers its questions. */
export interface GuardOptions<P extends Principal = Principal> {
  /** A preset, a policy, or several: those behind the first can only make it stricter. Without it the preset `default`. */
  readonly policy?: CodePolicy | readonly CodePolicy[];
  /**
   * Which policy files of this machine hold as well: none (by default), the user's, the project's, all, or the files named. `user`,
   * `project` and `all` include what an administrator has laid down.
   */
  readonly files?: "none" | "user" | "project" | "all" | readonly string[];
  /** What relative paths and commands start from; by default the process's folder. Absolute. */
  readonly cwd?: string;
  /** The home folder; by default that of the environment. */
  readonly home?: string;
  /** The environment of what is judged: `PATH` above all. By default the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For whom calls are judged. */
  readonly principal?: P;
  /** Answers questions at once. Where it throws, or answers in none of these forms, nobody could be asked: a refusal that says so. */
  readonly onAsk?: (question: GuardQuestion<P>, options: { readonly signal: AbortSignal }) => GuardAnswer | Promise<GuardAnswer>;
  /** Keeps questions that are answered later, perhaps by another process: see `resume`. */
  readonly approvals?: ApprovalStore;
  /** How long such a question waits for its answer: `"10m"`, `"24h"` (by default), `"14d"`, or milliseconds; 30 days at most. */
  readonly approvalsLast?: string | number;
  /** Is told each decision, once it stands. What it throws is a warning of the process and changes nothing. */
  readonly onDecision?: (decision: CallDecision<P>) => void;
  /** Commands of which nobody can know what they do are allowed where they can run confined: `start` says what to start in their place. */
  readonly confine?: boolean;
  /** Decide and report, and stop nothing. */
  readonly shadow?: boolean;
  /** Append decisions to the audit log of this machine; by default where policy files hold. */
  readonly audit?: boolean;
  /** The shell that runs commands; by default it may be bash or zsh. */
  readonly shell?: ShellKind;
}

/** Options as they were given: each is there, or undefined. */
export type Given<T> = { readonly [Name in keyof T]-?: T[Name] | undefined };

/** What belongs to one call. */
export interface GuardCallOptions<P extends Principal = Principal> {
  /** Instead of the guard's. */
  readonly principal?: P;
  readonly cwd?: string;
  /** The sub-agent whose call it is. */
  readonly subagent?: string;
  /** Why the agent wants it, in its own words. Never a reason to say yes. */
  readonly reason?: string;
  readonly signal?: AbortSignal;
}

/** What a guard says about a call. */
export interface CallDecision<P extends Principal = Principal> {
  /** Names this decision: for logs and spans. */
  readonly id: string;
  readonly verdict: "allow" | "ask" | "deny";
  /** What became of a question: `allowed` or `refused` by whoever was asked, `pending`; `nobody` was there, or asking `failed`. */
  readonly answer?: "allowed" | "refused" | "pending" | "nobody" | "failed";
  /** It goes ahead confined only. */
  readonly confined: boolean;
  /** `shadow`: it was not acted on. */
  readonly shadow: boolean;
  readonly principal?: P;
  /** The calls it is about, as they were given. */
  readonly calls: readonly GuardCall[];
  readonly actions: readonly Action[];
  /** The built-in reason, where no rule that somebody wrote decided. */
  readonly reason?: ReasonId;
  /** One line for a person: what and why. No control characters. */
  readonly forPerson: string;
  /** The same for the model: nothing that only a person should read. */
  readonly forModel: string;
  readonly rule?: { readonly text: string; readonly source: string; readonly line?: number };
  /** Every part with its own verdict. */
  readonly verdicts: readonly RequestVerdict[];
  /** Milliseconds that judging took; an answer is not waited for in them. */
  readonly milliseconds: number;
  /** For people: a policy file that was left out, a log that cannot be written. */
  readonly warnings: readonly string[];
}

/** A question to a person. All texts are free of control characters. */
export interface GuardQuestion<P extends Principal = Principal> {
  /** One line to show: what would happen, and why it is asked. */
  readonly text: string;
  /** Why the agent wants it, in its own words; empty where it said nothing. */
  readonly agentSays: string;
  /** Rules that would allow exactly this: what `{ yes: "session" }` and `{ yes: { for } }` remember. */
  readonly rules: readonly string[];
  readonly calls: readonly GuardCall[];
  /** The tool of the program's own that makes these calls, and what it was given. */
  readonly tool?: { readonly name: string; readonly input: unknown };
  readonly principal?: P;
  /** Of the Claude Agent SDK: what its host would remember if `updatedPermissions` of the answer told it to. Broader than the call. */
  readonly suggestions?: readonly PermissionChange[];
  readonly decision: CallDecision<P>;
}

/** A question to a person, wherever it is put. */
export type CoreQuestion<P extends Principal = Principal> = Omit<GuardQuestion<P>, "rules" | "suggestions">;

/**
 * An answer. `session`: whatever it asks about again is allowed until the session, or the process, ends; `for`: for a time (`"10m"`,
 * or milliseconds); `rule`: whatever this rule allows, for as long as the process lives. `call`
 * or, for a tool, `input`: this one instead, which is judged once more: what is denied stays denied.
 * `updatedPermissions`: for the host of the Claude Agent SDK to remember, where the question has `suggestions`.
 * `"later"`: it is answered by `resume`. `true` and `false` are a plain yes and no. Whatever else is no answer, and nothing goes ahead.
 */
export type GuardAnswer =
  | {
      readonly yes: "once" | "session" | { readonly for: string | number } | { readonly rule: string };
      readonly call?: GuardCall;
      readonly input?: unknown;
      readonly updatedPermissions?: readonly PermissionChange[];
    }
  | { readonly no: string }
  | "later"
  | boolean;

/** What becomes of a call. A refusal is a value, with a text for the model. */
export type CallOutcome<P extends Principal = Principal> = AllowedOutcome<P> | DeniedOutcome<P> | PendingOutcome<P>;

/** It may go ahead. */
export interface AllowedOutcome<P extends Principal = Principal> {
  readonly verdict: "allow";
  /** What may go ahead: the calls as they were given, or as a person changed them. */
  readonly calls: readonly GuardCall[];
  /** The input of a tool, where a person changed it. */
  readonly input?: unknown;
  /** The tool whose calls they are, and the input that it may run with: what was judged, whatever became of the object that was given. */
  readonly tool?: { readonly name: string; readonly input: unknown };
  /** INVARIANT: what was asked about goes ahead in no other way than by starting this. */
  readonly start?: ConfinedStart;
  readonly decision: CallDecision<P>;
}

/** It must not go ahead. */
export interface DeniedOutcome<P extends Principal = Principal> {
  readonly verdict: "deny";
  readonly by: DeniedBy;
  readonly forModel: string;
  readonly decision: CallDecision<P>;
}

/** It waits for an answer: hand `token` to whoever answers, and call `resume`. */
export interface PendingOutcome<P extends Principal = Principal> {
  readonly verdict: "pending";
  readonly token: string;
  readonly expires: Date;
  readonly forModel: string;
  readonly decision: CallDecision<P>;
}

/** What may differ in a guard that is made of another one. The policy can only be stricter. */
export interface CoreGuardChange<Policy, P extends Principal = Principal> {
  readonly principal?: P;
  readonly cwd?: string;
  readonly policy?: Policy;
}

/** The same, with a policy in code. */
export type GuardChange<P extends Principal = Principal> = CoreGuardChange<CodePolicy, P>;
