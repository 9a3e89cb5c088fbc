import type { Input, Outcome, Request, ToolFacts } from "@assent/guard/engine";

/** What a hook was called with. */
export interface HookCall {
  readonly payload: Input;
  /** `--event`; undefined for `auto`. */
  readonly event: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder the hook runs in, for hosts that leave it out. */
  readonly folder: string;
}

/**
 * What an agent's file makes of a call.
 * - `request`: something to judge.
 * - `nothing`: an event on which there is nothing to decide.
 * - `problem`: it cannot be told what is asked; the answer is the safe one.
 */
export type Reading =
  | { readonly is: "request"; readonly request: Request }
  | { readonly is: "nothing"; readonly why: string }
  | { readonly is: "problem"; readonly why: string };

/** A value that prints as JSON. */
export type Envelope = Readonly<Record<string, unknown>>;

/** What the host gets: one JSON document, or nothing; words on stderr; an exit code. */
export interface Reply {
  readonly envelope?: Envelope;
  readonly stderr?: string;
  readonly exit: number;
}

/**
 * The part of an agent that `assent check` needs: its envelope in, its envelope out. In the built hook each is a part of its
 * own (`hook.agent-NAME`), evaluated when that agent calls.
 */
export interface Protocol {
  readonly id: string;
  /** What its tools do. Absent ones are judged by name and fields. */
  readonly tools: Readonly<Record<string, ToolFacts>>;
  read(call: HookCall): Reading;
  /** The answer in the host's words. Only keys that the host documents. */
  write(outcome: Outcome): Reply;
  /** The safe answer when there is no request to judge: a question, or a denial where the host has none. */
  refuse(why: string, event: string | undefined): Reply;
  /** When there is nothing to decide. */
  readonly noOpinion: Reply;
  /** How it starts commands through a program of ours, where it can. */
  readonly wrapping?: Wrapping;
  /** What it tells when something has ended, and hears then. */
  readonly ends?: Ends;
}

/** A command of an agent within what its host starts. */
export interface FramedCommand {
  readonly command: string;
  /** A file of the host's own that is written beside. */
  readonly aside: string;
  /** The text with another line in its place. */
  readonly around: (line: string) => string;
}

/** What has ended, as a host tells it. `command`: as it was started. */
export type Ended =
  | { readonly is: "command"; readonly session: string; readonly toolUse: string | undefined; readonly command: string }
  | { readonly is: "session"; readonly session: string };

/** Events of a host at which something has ended, and for which a hook is registered where commands are confined (`assent ended`). */
export interface Ends {
  /** Of these there may be one for a call, by how it ended. */
  readonly command: readonly string[];
  readonly session: string;
  /** Undefined: nothing that matters has ended. */
  read(payload: Input): Ended | undefined;
  /** What the host gets: what its model is to read beside the command's output, and what the person sees. */
  tell(event: string, forModel: string | undefined, forPerson: string): Envelope;
  /** Its own way back, which knows nothing of what sandboxed commands changed. */
  readonly rewinds?: string;
}

/** A host that starts every command through one program (`assent shell`). */
export interface Wrapping {
  /** Variable with the session's id. */
  readonly session: string;
  /** Tool whose command it is. */
  readonly tool: string;
  /** Where its own files lie, below home, or where a variable says. */
  readonly folder: { readonly path: string; readonly variable: string };
  /** The command of the tool within what the host starts; undefined: it is none of the tool's. */
  readonly commandIn: (text: string, folder: string) => FramedCommand | undefined;
  /** Settings, below home or absolute, in which a person names commands that the host starts by itself (`command`). */
  readonly settings: readonly string[];
  /** Files, below home or absolute, in which a person names servers that the host starts (`mcpServers`: `command`, `args`). */
  readonly servers: readonly string[];
}

/** The answers of a host that hears no more of a hook than its exit code, and why a tool is refused. */
export const BY_EXIT: Pick<Protocol, "write" | "refuse" | "noOpinion"> = {
  write: ({ answer }) => (answer.decision === "deny" ? refuseByExit(answer.modelReason) : { exit: 0 }),
  refuse: refuseByExit,
  noOpinion: { exit: 0 },
};

export function refuseByExit(why: string): Reply {
  return { exit: 2, stderr: `Assent: ${why}` };
}

/** An answer by JSON alone. */
export const reply = (envelope: Envelope): Reply => ({ envelope, exit: 0 });
