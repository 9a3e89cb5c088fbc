import type { Host, Input, ToolFacts } from "@assent/guard/engine";
import type { Decision, RequestVerdict } from "@assent/core/policy";

/** What is asked of a guard: one of the forms of `Asked`, and where it comes from. */
export type GuardRequest = Asked & From;

/**
 * What would be done.
 * - `command`: a line for a shell; `argv`: a program started without one.
 * - `operation` on `path`: one path or several; `tree`: and all that lies below.
 * - `patch`: an apply_patch text or a unified diff.
 * - `url`: something fetched.
 * - `tool`: a call of a host's or a server's tool. `facts` say what it does; without them its name and fields are judged.
 */
export type Asked =
  | { readonly command: string; readonly shell?: Host["shell"] }
  | { readonly argv: readonly string[] }
  | { readonly operation: FileOperationName; readonly path: string | readonly string[]; readonly tree?: boolean }
  | { readonly patch: string }
  | { readonly url: string }
  | { readonly tool: string; readonly input: Input; readonly facts?: ToolFacts };

/** `list` is what listing, globbing and searching by name do; searching in files is `read` with `tree`. */
export type FileOperationName = "read" | "list" | "write" | "edit" | "delete" | "rename" | "mkdir";

/** Where a request comes from. All of it is optional. */
export interface From {
  /** Absolute; by default that of the guard. */
  readonly cwd?: string;
  /** Where the session started; by default that of the guard. */
  readonly sessionRoot?: string;
  /** What the place that asks can do with an answer; by default: it can ask a person, and leaves nothing to itself. */
  readonly host?: Partial<Host>;
  /** For the log. */
  readonly event?: string;
  readonly session?: string;
  readonly subagent?: string;
  readonly mode?: string;
}

/** What a guard says. */
export interface GuardDecision {
  /** `none` (no opinion) is said only to hosts that decide by themselves (`host.decides`). */
  readonly decision: Decision;
  /** One line for a person: what and why. No control characters. */
  readonly reason: string;
  /** The same for the model: without the words of a project that nobody has trusted. */
  readonly modelReason: string;
  /** Every action that was found, each with its verdict, its rule with file and line, and what to do next. */
  readonly verdict: RequestVerdict;
  /** What it is about, where a guard in code was told what the tool does: the command, the path. */
  readonly target?: string;
  /** For people: a policy file that was left out, a log that cannot be written. */
  readonly warnings: readonly string[];
  /**
   * With an `allow` of a guard that was opened with `confine: true`: INVARIANT: what was asked about goes ahead in no other
   * way. Absent: as it is.
   */
  readonly confined?: ConfinedStart;
}

/** What an adapter asks: a call of a tool, or a file that is read by its path. */
export type AdapterRequest = (Extract<Asked, { tool: unknown }> | { readonly operation: "read"; readonly path: string }) &
  From & {
    /** The tool runs with another command in that field, where the answer has one (`confined`). */
    readonly replaces?: string;
  };

/** A guard as adapters ask it. */
export interface AdaptedGuard {
  decide(request: AdapterRequest): GuardDecision;
  /** Resolves once it is known whether commands can run confined here: before that they are asked about. */
  ready?(): Promise<void>;
}

/** What is started in the place of a command that goes ahead confined: once, within ten minutes, in the same folder. */
export interface ConfinedStart {
  /** A program and its arguments. It ends as the command would, and says on standard error what was refused. */
  readonly argv: readonly [program: string, ticket: string, command: string];
  /** The same as a line of shell. */
  readonly line: string;
}
