import type { Expectation } from "./expectation.ts";
import type { Script, ToolCall } from "./model/script.ts";

/** Where the fake model listens. Each protocol is below the same address. */
export type Origin = `http://127.0.0.1:${number}`;

/**
 * `usual`: as people run it unattended, its own approvals in force as far as work can be done under them.
 * `free`: everything goes ahead unasked, so that what stops was stopped by Assent.
 */
export type Mode = "usual" | "free";

/** One real client: what is installed, how it is started without a terminal, how its model asks for things. */
export interface Client {
  /** As `assent install --agent` knows it. */
  readonly id: string;
  readonly name: string;
  /** Exact: a newer version is a change of this file, tried first. */
  readonly package: {
    readonly name: string;
    readonly version: string;
    /** Packages it needs of which the newest that it allows does not do: `name@version`. */
    readonly beside?: readonly string[];
  };
  /** How its package's settings are found: keys that stand among others, modes that stand in one list, words that have it write a schema into its folder. */
  readonly knows?: { readonly settings: readonly string[]; readonly modes?: readonly string[]; readonly schema?: string };
  /** What it is called on a PATH. */
  readonly command: string;
  /** Below `node_modules`: a program, or a script for the clients' Node.js. */
  readonly program: string;
  readonly script?: boolean;
  readonly files: (model: Origin) => Readonly<Record<string, string>>;
  readonly env: (model: Origin) => Readonly<Record<string, string>>;
  /** Words, `PROMPT` in the prompt's place; those of the mode come last. */
  readonly args: string;
  readonly modes?: Readonly<Record<Mode, string>>;
  /** Its ways of asking, by name: all words that start it so (`--modes`). */
  readonly stances?: Readonly<Record<string, string>>;
  /** Asks its questions only where an editor is around it: the words that start it so, for what goes ahead sandboxed. */
  readonly edited?: Readonly<Record<Mode, string>>;
  /** The words that have it serve sessions, which others begin, delete and put away (test/confined/served.ts). */
  readonly serves?: string;
  /** Commands to be run before, with the same environment: a login that writes a file. */
  readonly before?: (model: Origin) => readonly (readonly string[])[];
  /** Tools on offer beside those in the agent's file, looked at: they run no command and touch no file, or hooks know them by another name. */
  readonly harmless: string;
  /** By name: other ways to the denied command or to a file outside. */
  readonly detours?: Readonly<Record<string, Script>>;
  /** By scenario: what this client documents to be otherwise. */
  readonly differs?: Readonly<Record<string, Partial<Expectation>>>;
  /** By scenario: what is said below the table. */
  readonly remarks?: Readonly<Record<string, string>>;
  /** A project's settings that switch hooks off, and those that hand variables to them. */
  readonly own?: { readonly path: string; readonly off: string; readonly env?: (variables: Readonly<Record<string, string>>) => string };
  /** A place that only an administrator can write holds against `own.off`. */
  readonly managed?: true;
  /** Reads a command's standard output and error through a pipe each: lines of one may come before earlier lines of the other. */
  readonly twoPipes?: true;
  /** Starts a shell by another name than `/bin/bash`, or puts lines of its own before a command: its shell's complaints begin with these. */
  readonly ownShell?: true;
  /** What it adds to the outcome of a call that a hook has changed. */
  readonly notes?: string;
  /** Has it refuse a command by a rule of its user's own: files as `files` has them, words after its others. None: it keeps no rules. */
  readonly ownRule?: ((command: string, model: Origin) => OwnRule) | { readonly none: string };
  /** Files of its user's by which it takes a command without a check of its own. */
  readonly ownAllow?: (command: string) => Readonly<Record<string, string>>;
  /** Has it ask about a command by such a rule, where that can be told from its own questions. */
  readonly ownQuestion?: (command: string, model: Origin) => OwnRule;
  readonly shell: (command: string) => ToolCall;
  /** As `shell`, but for the sandbox of its own, which the model asks to leave. */
  readonly leaving?: (command: string) => ToolCall;
  readonly write: (path: string, content: string) => ToolCall;
  /** A tool of the MCP server `lab`; undefined: the client has no MCP. */
  readonly mcp?: (tool: string) => Script;
  /** Starts a sub-agent and waits for it; undefined: the client has none. */
  readonly agent?: (prompt: string) => Script;
}

export interface OwnRule {
  /** Without it the client refuses in this mode what it asks about; by default `free`, in which nothing but the rule refuses. */
  readonly mode?: Mode;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: string;
}

export const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

export function argsOf({ args, modes, stances }: Client, prompt: string, mode: Mode, more = "", stance?: string): string[] {
  return (stance === undefined ? `${args} ${modes?.[mode] ?? ""} ${more}` : (stances?.[stance] ?? args))
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (word === "PROMPT" ? prompt : word));
}
