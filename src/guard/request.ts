import type { FileOperation } from "../action/index.ts";
import type { ShellKind } from "../shell/index.ts";

/** A tool's arguments as they arrived. */
export type Input = Readonly<Record<string, unknown>>;

/**
 * What a host's tool does, as the host's own file states it. A tool without facts is judged by its name and fields.
 * - `shell`: runs the command in `field`; a missing command means the tool does `otherwise`.
 * - `file`: acts on the paths in `fields`; `tree` means everything below. `fallback` is used when no field is given.
 * - `fetch`: retrieves the URL in `field`.
 * - `opaque`: runs code that Assent does not analyse, in `field`.
 */
export type ToolFacts =
  | { readonly does: "shell"; readonly field: string; readonly otherwise?: ToolFacts }
  | {
      readonly does: "file";
      readonly operation: FileOperation;
      readonly fields: readonly string[];
      readonly tree?: boolean;
      readonly fallback?: string;
      /** Field of a glob that may lead elsewhere. */
      readonly pattern?: string;
    }
  | { readonly does: "fetch"; readonly field: string }
  | { readonly does: "opaque"; readonly field: string; readonly language: string };

/** What the place that asks can do with an answer. */
export interface Host {
  /** The shell that runs commands; `any` is the user's login shell. */
  readonly shell: ShellKind;
  /** Silence means that the host decides by its own approval flow. */
  readonly decides: boolean;
  /** The host can put a question to a person now. */
  readonly asks: boolean;
  /** The host's user has switched approvals off. */
  readonly bypassed: boolean;
  /** The host is only planning: nothing that changes something may be waved through. */
  readonly planning: boolean;
}

/** What arrives: one tool call, with where it comes from. */
export interface Request {
  readonly tool: string;
  readonly facts: ToolFacts | undefined;
  readonly input: Input;
  /** Absolute. */
  readonly cwd: string;
  /** Where the session started; absent: the cwd. */
  readonly sessionRoot?: string | undefined;
  readonly host: Host;
  /** Enforcement point, for the log: `hook`, `explain`, `demo`. */
  readonly point: string;
  readonly agent: string;
  readonly event?: string | undefined;
  readonly session?: string | undefined;
  readonly subagent?: string | undefined;
  readonly mode?: string | undefined;
}
