import type { Action } from "@assent/core/action";
import type { Verdict } from "@assent/core/policy";
import type { ObjectIdentity } from "./objects.ts";
import { type ToolService, type KnownHost, NO_TOOL_SERVICE } from "../services/services.ts";

/** Who makes a call, as far as judging needs it. */
export interface Caller {
  /** Trusted names of the program and of the script it runs. */
  readonly programs: () => readonly string[];
  /** Where the credentials lie that it may read, by `loginsOf`. */
  readonly logins: () => readonly string[];
  /** Its working folder. Undefined: it is not looked at. */
  readonly folder?: () => string | undefined;
  /** What it has done with them. Undefined: it has none. */
  readonly trail: () => LoginTrail | undefined;
  /** What it was started for. */
  readonly toolService: () => ToolService;
  /** Places in which programs that others above it started may work. */
  readonly builds: () => readonly string[];
  /** Where it may connect by itself: what it was started for, and not what others were. */
  readonly hosts: () => Hosts;
}

/**
 * A login goes to the tool's service, and not to a program of the run that takes its place: a tool that has read one connects to no
 * listener of the run, and one that has connected to such reads none.
 */
export interface LoginTrail {
  at: "start" | "read" | "connected";
}

export interface Hosts {
  /** Of the service that it is a client of. */
  readonly service: readonly KnownHost[];
  /** Named by a person, in the very words that started this program. */
  readonly named: readonly KnownHost[];
}

/** What a call is about, beyond the paths of its actions. */
export interface CallSubject {
  /** The path as the program wrote it. */
  readonly asked?: string;
  /** The pinned object that stands at `path`, which may have other names. */
  readonly object?: { readonly path: string; readonly identity: ObjectIdentity } | undefined;
  /** What is moved, with all that is in it. */
  readonly moves?: readonly (readonly [from: string, to: string])[] | undefined;
  /** Sockets that are found in it are put here. */
  readonly sockets?: string[];
}

/** A start of a program, judged. */
export interface JudgedExec {
  readonly verdict: Verdict;
  readonly action: Action;
  readonly toolService: ToolService;
  /** Hosts that a rule of the person's allows by these words, whoever wrote them. */
  readonly ruled: readonly KnownHost[];
  /** Hosts that its words name, if these are a person's; and the commands that they say it starts, by `wordsOf`. */
  readonly named: readonly KnownHost[];
  readonly says: readonly string[];
  /** Its words set what other programs do later, outside the run. */
  readonly lasts: boolean;
  /** A host or service that its words say it reaches. */
  readonly reaches: string | undefined;
  /** Why it is not to be tried first; continues "it …". */
  readonly held: string | undefined;
  /** It signs, in words, and no rule lets it ask who holds the keys. */
  readonly signs: string | undefined;
  /** Trusted names it goes by. */
  readonly programs: readonly string[];
  /** Where the credentials lie that it may read, by `loginsOf`. */
  readonly logins: readonly string[];
}

/** One program that an exec starts: the file itself, and after it the interpreters its first lines name. */
export interface Started {
  /** The path as the caller gave it; the file may be reached through a link whose name says what it is to be. */
  readonly word: string;
  readonly path: string;
  /** Device and inode; empty where it cannot be known. */
  readonly id: string;
  readonly size: number;
  readonly argv: readonly string[];
  /** Where its bytes can be read. */
  readonly file: string;
  /** What a dynamic loader loads (ld.so(8)), or what an ELF file names to be started in its place: a `loader`, by its name. */
  readonly loaded?: "program" | "loader";
}

/** Nobody in particular asks, or who it is is not known: nothing is a program's own. */
export const NOBODY: Caller = {
  programs: () => [],
  logins: () => [],
  trail: () => undefined,
  toolService: () => NO_TOOL_SERVICE,
  builds: () => [],
  hosts: () => ({ service: [], named: [] }),
};
