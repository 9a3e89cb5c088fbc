import type { JsonNode } from "@assent/core/edit/json5";
import type { NativeContext, NativeRead, NativeScope } from "@assent/import/import";
import type { Refusal } from "@assent/core/policy";
import type { Writer } from "./write.ts";

export type Reader = (text: string, context: NativeContext) => NativeRead;

/** A file, or every file of a folder that ends so, in which a program keeps rules. */
export interface NativePlace {
  readonly path: string;
  /** The folder's files with this ending. */
  readonly all?: string;
  readonly scope: NativeScope;
  readonly read: Reader;
  /** It holds no rules: it is read whichever of the others is the first. */
  readonly beside?: true;
}

/** For whom rules are looked for or written. */
export interface NativeSurroundings {
  readonly home: string;
  /** Undefined: for the user, in all projects. */
  readonly project: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As in `Machine`. */
  readonly asker?: number;
}

/** Whether a rule speaks about a command. */
export type Speech = "surely" | "perhaps" | "no";

/** How a host may have been started, so that nothing on its command line speaks about a command. */
export interface HostStart {
  /** The word that is its program, by its last part. */
  readonly program: RegExp;
  /** Options that say nothing about commands of the shell. */
  readonly options: ReadonlySet<string>;
  /** Another command may take the place of one only where it asks nobody: one of these ways stands there. */
  readonly unasking?: readonly string[];
}

/** Where else than in its rules somebody may have a host ask about a command. */
export interface HostAsking {
  readonly start: HostStart;
  /** The key below `hooks` of those that are called before a tool. */
  readonly hooks: string;
  /** The tool that starts commands. */
  readonly shell: string;
  /** The key of the settings that switches on what brings hooks. */
  readonly plugins: string;
  /** Folders of Markdown files whose heads may hold hooks. */
  readonly definitions: (around: NativeSurroundings) => readonly string[];
}

/** How the rules of a program are read: `assent import`. */
export interface NativeRuleReader {
  readonly places: (around: NativeSurroundings) => readonly NativePlace[];
  /** For files named on the command line; by their endings where there are several kinds. */
  readonly readerFor: (path: string) => Reader;
  /**
   * How the host holds its rules (in our words) against a command, where that is known. Only what surely speaks is left to the host:
   * else whoever writes a command would choose its words so that nobody holds it. Absent: by words.
   */
  readonly speaks?: (rule: string, command: string) => Speech;
  /** It asks a person about whatever is left to it: nothing runs for being left. */
  readonly asksAnyway?: true;
  /** What a project's files say counts only where the host's user trusts the project. */
  readonly trusts?: true;
  /** Of the places only the first that can be read counts. */
  readonly first?: true;
  /** The host's command line can hold rules as well, or say who is asked. */
  readonly start?: HostStart;
  /** Who else may have asked, where the host asks by itself without saying why. */
  readonly questions?: HostAsking;
  /** A file named without `--agent` is known by what it holds. */
  readonly holds?: (root: JsonNode) => boolean;
  /** The same, for what is no JSON. */
  readonly holdsText?: (text: string) => boolean;
}

/** A refusal with the reason a person gave for it. */
export interface Reasoned {
  readonly refusal: Refusal;
  readonly reason: string | undefined;
}

/** How a host is told what to refuse by itself: `assent export`. */
export interface RefusalWriter {
  /** Entries of its file, or arguments of its command line; undefined where it has no words for it. */
  readonly express: (one: Reasoned) => readonly string[] | undefined;
  /** The entries as they would stand in the file, for people. */
  readonly show: (entries: readonly string[]) => string;
  /** Undefined: there is no file for it, the entries are arguments. */
  readonly file?: ExportFile;
  /** Where exact commands go that it then takes without its own check, while hooks are asked all the same. */
  readonly allows?: ExportFile & Pick<RefusalWriter, "show">;
}

interface ExportFile {
  readonly path: (place: NativeSurroundings) => string;
  readonly write: Writer;
}

/** A host's own rules, both ways. */
export interface NativeRules {
  readonly reader: NativeRuleReader;
  readonly refusals: RefusalWriter;
}

/** A place of the user's, or of the machine; with `all`: the folder's files that end so. */
export const ofUser = (path: string, read: Reader, all?: string): NativePlace => ({
  path,
  read,
  scope: "user",
  ...(all === undefined ? {} : { all }),
});

export const inProject = ({ project }: NativeSurroundings, read: Reader, ...paths: readonly string[]): readonly NativePlace[] =>
  project === undefined ? [] : paths.map((path) => ({ path: `${project}/${path}`, read, scope: "project" }));

export const inProjectFolder = (around: NativeSurroundings, read: Reader, path: string, all: string): readonly NativePlace[] =>
  inProject(around, read, path).map((place) => ({ ...place, all }));

/** The folder that a variable names, where it is absolute. */
export const folder = (value: string | undefined, otherwise: string): string => (value?.startsWith("/") === true ? value : otherwise);
