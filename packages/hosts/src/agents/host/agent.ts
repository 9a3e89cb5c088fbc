import type { NativeRules } from "../rules/contract.ts";
import type { Protocol } from "./protocol.ts";
import type { Controlled } from "./controlled.ts";

/** A value of a JSON, JSONC or TOML file. */
export type SettingValue = string | number | boolean | null | readonly SettingValue[] | { readonly [key: string]: SettingValue };

/** Where and with what `assent install` registers. */
export interface InstallPlace {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Undefined: for the user, in all projects. */
  readonly project: string | undefined;
  /**
   * What the host's shell is to run for an event. Absolute, and with an environment that an agent cannot control. `exits`: another exit
   * status than 0 and 2 says something, too.
   */
  readonly command: (event: string, exits?: "any") => string;
  /** The same for hosts that start a program themselves, without a shell; undefined: not on this system. */
  readonly program: (event: string) => { readonly command: string; readonly args: readonly string[] } | undefined;
  /** Where commands are confined: what is to be started when one, or a session, has ended. It costs next to nothing where nothing is to tell. */
  readonly ended?: (event: string, what: "command" | "session") => ReturnType<InstallPlace["program"]>;
  /** Absolute path of a module of the program: `plugin-opencode.mjs`. */
  readonly module: (name: string) => string;
  /** The program that is to be started around every command, where what is unknown is confined (`Protocol.wrapping`). */
  readonly prefix?: string;
  /** What a module is told: where state lies, when not below the home folder, and the node that runs Assent. */
  readonly registered: { readonly state?: string; readonly node?: string };
}

export interface KeyOfFile {
  readonly path: readonly string[];
  readonly value: SettingValue;
  readonly must: "be" | "there";
}

/** What stands in a host's files when Assent is registered. */
export type Registration =
  /** Entries in a file that others write to as well. */
  | {
      readonly is: "entries";
      readonly file: string;
      readonly format: "json" | "toml";
      /** Elements of lists. Ours are told from others by the command in them. */
      readonly entries: readonly { readonly list: readonly string[]; readonly value: SettingValue; readonly at?: "start" }[];
      /** Keys that must have a value: `version` (`must`: `there`), or a switch. */
      readonly keys?: readonly KeyOfFile[];
      /** In a file of several hosts: the key below which everything of this one stands. */
      readonly only?: string;
      /** Of a file that is made for it; by itself the user's alone. */
      readonly mode?: number;
      /** Keys that are out of use and would contradict. */
      readonly remove?: readonly (readonly string[])[];
    }
  /** A file of our own. */
  | {
      readonly is: "file";
      readonly file: string;
      readonly text: string;
      readonly mode: number;
      /** Where somebody else's file of that name is kept meanwhile, and what ours says then: it goes on to that one. */
      readonly earlier?: { readonly file: string; readonly text: string };
      /** This is where such a file is kept: the one whose place was taken. */
      readonly keeps?: string;
    };

export interface Sample {
  readonly payload: Readonly<Record<string, unknown>>;
  /** What the host says by variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Everything about a host besides its envelopes: where it is, how Assent is registered, what it cannot do. Data, or pure. */
export interface Setup {
  /** What shows that the host is on this machine: programs on PATH, folders below home. */
  readonly signs: { readonly programs: readonly string[]; readonly folders: readonly string[] };
  /** Prints its version; undefined for hosts without a command line. */
  readonly version: readonly [program: string, ...args: string[]] | undefined;
  /** The oldest version on which all of this holds; undefined where that is not known. */
  readonly minimum?: string;
  /** For hosts that were never driven with this: what it was written from. */
  readonly unrun?: string;
  /** A call of the shell as the host would send it on its first event, for `assent doctor`. */
  readonly sample: (command: string, cwd: string) => Sample;
  /** Events that are registered, by the host's names. */
  readonly events: readonly string[];
  /** It starts hooks without a shell where they are registered so (`InstallPlace.program`). */
  readonly starts?: "programs";
  /** Its event for the start of a session, where a hook can show the person a message (`systemMessage`). */
  readonly greets?: string;
  /** What the host does when the hook cannot be started, crashes or takes too long. */
  readonly fails: string;
  /** How an ask arrives, by the situation. */
  readonly asks: string;
  /** Where a hook cannot ask: for how many seconds the host surely waits for one, as it is registered; absent: not known. */
  readonly waits?: number;
  /** What becomes of a call about which the host hears nothing, as of every call where hooks are off. */
  readonly noOpinion: string;
  /** How people know it (`Droid with --auto`), where it goes ahead with most of what it hears nothing about. */
  readonly asksLittle?: string;
  /** What a denial does, where it is more than a refusal of which the model reads the reason. */
  readonly denies?: string;
  /** What Assent cannot enforce there, one sentence each. */
  readonly cannot: readonly string[];
  /** Where what goes ahead confined does so; absent: nowhere. */
  readonly confines?: string;
  /** What the user has to do after installing. */
  readonly after?: string;
  /** What rulesync calls the host and its events (`~/.rulesync/hooks.json`), where it can write this registration. */
  readonly rulesync?: { readonly block: string; readonly events: readonly string[]; readonly matcher: string; readonly timeout: number };
  readonly registrations: (place: InstallPlace) => readonly Registration[];
  /** The key of the user's settings, the first registration's, that names what prints the host's status line; absent: it has none. */
  readonly statusLine?: (command: string) => KeyOfFile;
  /** The same where only an administrator can write: nothing in a repository or in a home folder takes it out. */
  readonly managed?: {
    readonly file: string;
    /** Switches that hold there against those of other files. */
    readonly keys?: readonly KeyOfFile[];
    /** What stands there, where it is not the first registration in another file. */
    readonly registrations?: (place: InstallPlace) => readonly Registration[];
    /** What has to stand in other files there, so that nobody else switches it off. */
    readonly also?: readonly { readonly file: string; readonly format: "json" | "toml"; readonly keys: readonly KeyOfFile[] }[];
    /** How it was found out that this holds. */
    readonly known: "measured" | "documented";
  };
  /** What settings of a repository, or the user's own, do to its hooks. */
  readonly controlled: Controlled;
  /** Below home: where hooks stand that packages of others bring, `*` for a folder of any name. They go by the host's own command. */
  readonly packaged?: { readonly files: readonly string[]; readonly removed: string };
  /** Files to look at for weaknesses, and what to make of each. */
  readonly weaknesses?: (
    place: Pick<InstallPlace, "home" | "env">,
  ) => readonly { readonly file: string; readonly find: (value: SettingValue) => readonly string[] }[];
}

/** A part that a host does not have, and why. */
export interface None {
  readonly none: string;
}

/** What a value looks like; a list: it is one of these. */
export type Form = "there" | "absent" | "text" | "object" | readonly string[];

/** What shows that a call is this host's where nobody says whose it is: all of it, in one. */
export interface CallSign {
  /** The most telling sign that fits decides. */
  readonly telling: number;
  readonly events?: readonly string[];
  /** Of the payload. */
  readonly fields?: Readonly<Record<string, Form>>;
  readonly variables?: Readonly<Record<string, Form>>;
}

/** Files of a host, lower case, relative to a folder. A `/` at the end is a folder with everything in it. */
export interface HostFiles {
  /**
   * In a home folder. They can hold Assent's registration, or switch hooks off, or the host sources or starts them before each command:
   * an agent may not change them.
   */
  readonly userLocked: readonly string[];
  /** In a home folder. They control the host (its servers, commands, helpers): a change is asked. */
  readonly userAsked: readonly string[];
  /** Folders in these that its model fills with its tools (memory, plans): no question. A `*` is any one name. */
  readonly userOwn?: readonly string[];
  /** In any other folder. A change is asked. */
  readonly project: readonly string[];
  /** In any other folder, besides `project`. Its model reads them: a run that changed them says so. */
  readonly instructions: readonly string[];
  /** Absolute: an agent may not change them. */
  readonly machine: readonly string[];
  /** Its logins: secrets wherever a path ends so, or leads through such a folder. */
  readonly secrets: readonly string[];
  /** Settings in a home folder that hold keys, and whose names are a project's settings elsewhere. Files of MCP servers need not be named. */
  readonly secretsAtHome?: readonly string[];
}

/**
 * Options with which starting it asks, by what they do; its others stand in `harmless-options.table`. A long one that is harmless in no
 * host says the same of whichever agent.
 */
export interface HostOptions {
  /** It is started without hooks, plugins or settings that it has, or with others in their place. */
  readonly hooks?: readonly string[];
  /** It asks less, or somebody else. */
  readonly questions?: readonly string[];
  /** It loads code, starts servers, or hands its session on. */
  readonly code?: readonly string[];
  /** Its value decides, whichever agent it is. */
  readonly valued?: readonly string[];
}

/** A host's own command line: an agent that starts it to change settings, or with nobody to watch, is asked about. */
export interface HostCommands {
  readonly programs: readonly string[];
  /** Packages that bring the program, for `npx` and its like. */
  readonly packages: readonly string[];
  /** Of the programs, those that are given to `npx` and its like by that name. */
  readonly aliases?: readonly string[];
  /** The program to which it is a subcommand too. */
  readonly within?: string;
  /** Words that change its settings by themselves, or start it with nobody to ask, where they stand first. */
  readonly changes?: readonly string[];
  /** Words that together have it print a key or a token. */
  readonly prints?: readonly string[];
  readonly options?: HostOptions;
  /** Its words are a text for its model: commands in them are not looked for. */
  readonly prompted?: true;
}

/** How a variable must look to be handed on: a word of ASCII without `/`, any text without control characters, an absolute path. */
export type Looks = "word" | "text" | "path";

/** Names of environment variables. A `*` at the end of one is any rest. */
export interface HostVariables {
  /** By which it tells its hooks something. */
  readonly told: Readonly<Record<string, Looks>>;
  /** It sets them for the commands that its model runs. */
  readonly marks: readonly string[];
  /** They say where its settings lie, which server it talks to, what it starts. */
  readonly controlling: readonly string[];
  /** An agent may not set them for a command without a question. */
  readonly asked: readonly string[];
}

/**
 * What has to be known of a host whichever one asks: data, from which `npm run generate` makes the table that the pure
 * folders read, `packages/core/src/policy/tables/agent-table.ts`.
 */
export interface HostFacts {
  /** For `--agent auto`. */
  readonly calls: readonly CallSign[] | None;
  readonly files: HostFiles;
  readonly commands: HostCommands | None;
  readonly variables: HostVariables;
  /**
   * How a damaged installation refuses, which has nothing but this: by exit code 2 with words on stderr, or by JSON with the
   * words in the field `message`.
   */
  readonly damaged: "exit 2" | { readonly fields: Readonly<Record<string, boolean | string>>; readonly message: string };
}

/** What a host says nothing of is empty, and a damaged installation of it refuses by exit code. */
export const hostFacts = ({
  files,
  variables,
  ...rest
}: Pick<HostFacts, "calls" | "commands"> & {
  readonly files?: Partial<HostFiles>;
  readonly variables?: Partial<HostVariables>;
  readonly damaged?: HostFacts["damaged"];
}): HostFacts => ({
  files: { userLocked: [], userAsked: [], project: [], instructions: [], machine: [], secrets: [], ...files },
  variables: { told: {}, marks: [], controlling: [], asked: [], ...variables },
  damaged: "exit 2",
  ...rest,
});

/** One agent host. One file per host holds all of it; nothing else knows its names. */
export interface Agent<Id extends string = string> {
  readonly id: Id;
  /** As people know it. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly facts: HostFacts;
  /** Its own rules, in and out (`assent import`, `assent export`): `rules.ts` beside its file, loaded when it is asked for. A text: why there are none. */
  readonly rules: (() => Promise<{ readonly rules: NativeRules }>) | string;
  /** Undefined for `generic`: there is nothing to register. */
  readonly setup: Setup | undefined;
}
