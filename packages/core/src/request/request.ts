import type { FileOperation } from "../action/index.ts";
import type { Principal } from "../policy/index.ts";
import type { ShellKind } from "../shell/index.ts";

/** A tool's arguments as they arrived. */
export type Input = Readonly<Record<string, unknown>>;

/**
 * What a host's tool does, as the host's own file states it. A tool without facts is judged by its name and fields.
 * - `shell`: runs the command in `field` (`list`: or the commands); a missing command means the tool does `otherwise`.
 *   `patches` are commands that the host does not start, because it applies the patch they carry by itself.
 *   `folder` names the field of the folder it runs in, which whoever makes the request takes as its `cwd`.
 * - `file`: acts on the paths in `fields` (`edits.path`: of every element); `tree` means everything below. `fallback` is used
 *   when no field is given.
 * - `patch`: changes files as the patch in `field` says.
 * - `fetch`: retrieves the URL in `field`; `within`: the URLs somewhere in its text.
 * - `tool`: only its name is known; rules may call it by one of `names`. `guesses` are names of which one is right.
 * - `argv`: starts the program in `field`, a list of words, without a shell.
 * - `opaque`: runs code that Assent does not analyse, in `field`.
 */
export type ToolFacts =
  | {
      readonly does: "shell";
      readonly field: string;
      readonly list?: true;
      readonly folder?: string;
      readonly patches?: readonly string[];
      readonly otherwise?: ToolFacts;
    }
  | {
      readonly does: "file";
      readonly operation: FileOperation;
      readonly fields: readonly string[];
      readonly tree?: boolean;
      /** The host takes another file of that name where a relative path leads to none. */
      readonly searched?: true;
      /** What stands in the fields are patterns. */
      readonly globs?: true;
      readonly fallback?: string;
      /** Field of a glob that may lead elsewhere. */
      readonly pattern?: string;
      /** It is ripgrep, or git grep, that searches. */
      readonly search?: SearchFacts;
    }
  | { readonly does: "patch"; readonly field: string; readonly strict?: boolean }
  | { readonly does: "fetch"; readonly field: string; readonly within?: true }
  | { readonly does: "tool"; readonly names: readonly string[]; readonly guesses?: readonly string[] }
  | { readonly does: "argv"; readonly field: string }
  | { readonly does: "opaque"; readonly field: string; readonly language: string };

/**
 * How a host's search looks: hidden names too, and by the lists of what git ignores, unless it is told what to keep. `glob`, `type`: fields
 * that say so. `lifts`: a field by which the lists do not count, and `setting`, a word in one of these files, below home or the project,
 * that may do the same. `regex`: the field of the pattern, where a search that git grep cannot do is done by something else.
 */
export interface SearchFacts {
  readonly glob?: string;
  readonly type?: string;
  readonly lifts?: string;
  readonly setting?: { readonly word: string; readonly files: readonly string[] };
  readonly regex?: string;
}

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
  /** The host starts another command in the place of the one that was asked about: `confinedCommand`. */
  readonly confines?: boolean;
  /**
   * It starts every command through a program of ours (`shellPrefix`), which acts on a ticket: what goes ahead confined is answered by
   * silence, so that the host's own rules are heard, and, at the event that comes after them (`heard`), by an allow.
   */
  readonly wrapped?: "unheard" | "heard";
  /** Where none of these rules speaks of the command, the allow is said at once: the host's dialog would show until the event after them. */
  readonly answered?: true;
  /** Rules of the host's own that it would then not hold against that one: only what none of them speaks about is confined. */
  readonly unheard?: readonly ("ask" | "deny")[];
  /** It asks, and does not say whether for itself or because somebody wants it: who could is looked for. */
  readonly unsaid?: true;
  /** Where it puts a question it shows this field of the input, and no reason of ours. */
  readonly shows?: string;
  /** It hears of the end of this command. */
  readonly ends?: EndHooks;
  /** It may hold its commands in a sandbox of its own, in which no run of ours can start: where it writes down whether it does. */
  readonly sandbox?: { readonly record: string | undefined; readonly turn: string | undefined };
}

/** Hooks that a host calls when a command has ended, where they are registered. */
export interface EndHooks {
  /** Its settings, below home, and the events that all have to be registered there. */
  readonly settings: string;
  readonly events: readonly string[];
  /** Settings of an administrator, and the keys there that keep the user's hooks from being called. */
  readonly locked: { readonly file: string; readonly keys: readonly string[] };
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
  /** The host's name of the call. */
  readonly toolUse?: string | undefined;
  /** Where there is no session: what names this place for what is remembered of it. */
  readonly memory?: string | undefined;
  readonly subagent?: string | undefined;
  readonly mode?: string | undefined;
  /** For whom, where the one who asks serves several. */
  readonly principal?: Pick<Principal, "user" | "tenant" | "role"> | undefined;
}

/** What of a request decides what it would do. */
export type Lowerable = Pick<Request, "tool" | "facts" | "input" | "cwd"> & { readonly host: Pick<Host, "shell"> };
