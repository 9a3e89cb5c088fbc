import type { Call } from "./call.ts";
import type { DangerId } from "./danger.ts";

/**
 * The vocabulary of Assent: what one request would do, whichever way it was asked for.
 * A shell line, a tool call, a patch and a system call all become actions.
 */

export const FILE_OPERATIONS = ["read", "list", "write", "edit", "delete", "rename", "mkdir", "link", "metadata", "execute"] as const;

/** `write` creates or replaces content, `edit` changes existing content, `metadata` is mode, owner, times, xattr. */
export type FileOperation = (typeof FILE_OPERATIONS)[number];

/**
 * What a file action reaches. Paths are absolute and lexically normalised (no `.`, `..`, `//`).
 * - `path`: exactly this object.
 * - `tree`: this directory and everything below it.
 * - `glob`: what a shell pattern expands to; `*`, `?`, `[...]` inside a segment, `\` quotes.
 * - `unknown`: only known at run time; `why` says what hides it, `within` is the deepest folder it provably stays in.
 */
export type Target =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "tree"; readonly path: string; readonly filter?: TreeFilter }
  | { readonly kind: "glob"; readonly pattern: string }
  | { readonly kind: "unknown"; readonly why: string; readonly within?: string; readonly filter?: TreeFilter };

/** What a walk through a tree leaves out, as globs over names (`*`, `?`, `[...]`). */
export interface TreeFilter {
  /** Files whose name matches none of these are left out (`grep --include`). */
  readonly only?: readonly string[];
  /** What one of these says is left out. */
  readonly without?: readonly LeftOut[];
  /** A list of the folder says what is left out (`.dockerignore`). */
  readonly listed?: true;
  /** Names that begin with a dot are left out (rg, fd). */
  readonly hidden?: false;
  /** What git does not track and leaves out by the lists of the project is left out (rg, `git grep --untracked`). */
  readonly ignored?: false;
  /** Files that the project's repository does not track are left out (`git ls-files`). */
  readonly tracked?: true;
  /** Files that the project's repository tracks, or ignores, are left out (`git add .`). */
  readonly untracked?: true;
  /** Read where git keeps it, so that it may be gone from the folder. */
  readonly shown?: GitShown;
  /** Not left out: what links to folders lead to (`grep -R`, `find -L`). */
  readonly follows?: true;
}

/**
 * What git shows of what it keeps: the index, all of the trees of some commits, what these commits change, or what they and all before
 * them change.
 */
export interface GitShown {
  readonly of: "index" | "trees" | "commits" | "history";
  /** The folder that git works in. */
  readonly at: string;
  /** As they are written (gitrevisions(7)); left out: any. */
  readonly revisions?: readonly string[];
  /** Of the history so many commits, the newest. */
  readonly most?: number;
  /** Of the history only what these paths may have had for names before: what a commit changes or takes away that adds one of them. */
  readonly origins?: readonly string[];
}

/**
 * What a walk leaves out. `name`: files and folders of that name, and all below them; `folder`: folders only; `file`: files only;
 * `item`: whatever has that name, not what lies below it (`find ! -name`); `path`: whatever lies there, written `/a/b` from the walk's
 * root, `*` also for slashes.
 */
export interface LeftOut {
  readonly by: "name" | "folder" | "file" | "item" | "path";
  readonly glob: string;
}

/** A place in the text of a shell request: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * How an action came about.
 * - `command`: knowledge derived it from the exec action `exec` (an index into the request's actions).
 * - `shell`: the shell itself does it (a redirect, `cd`); never covered by allowing a command.
 * - `tool`: a host's own tool does it.
 */
export type Origin = { readonly by: "command"; readonly exec: number } | { readonly by: "shell" } | { readonly by: "tool" };

interface ActionBase {
  readonly origin: Origin;
  readonly span?: Span;
  /** Danger classes that lowering saw; those that follow from a path alone are found when judging. */
  readonly dangers?: readonly DangerId[];
  /** The program does this for itself: its caches, its index, its configured service. */
  readonly upkeep?: boolean;
  /** Upkeep in a repository that is not the project's, or that the line may make first: a rule may deny it, no run opens it. */
  readonly unopened?: boolean;
  /** The system call it was seen as, under supervision. */
  readonly call?: Call;
}

/** One argv element: its text where it is known, else what is known of it. */
export type Argument =
  | { readonly known: true; readonly text: string }
  | {
      readonly known: false;
      /** Literal start of the text, possibly empty. */
      readonly prefix: string;
      /** May become any number of arguments (unquoted expansion, glob), none included. */
      readonly many: boolean;
      readonly why: string;
      /** The pattern, when this is a glob the shell expands. */
      readonly glob?: string;
    };

export interface ExecAction extends ActionBase {
  readonly kind: "exec";
  /** Basename of the program, or the word as written when it is not trusted to be that program. */
  readonly program: string;
  /** argv as far as known; `argv[0]` is the word as written after quote removal. */
  readonly argv: readonly Argument[];
  /** Absolute path the name leads to, when the lookup found one. */
  readonly resolved?: string;
  /** Folders it may work in, where that is not just the request's own; none: only known at run time. */
  readonly folders?: readonly string[];
  /** An option or an address says which repository it works in, wherever it is started; `below`: one somewhere below `folders`. */
  readonly pointed?: true | "below";
  /** False when the word names a file outside the trusted folders: allow rules and knowledge do not apply. */
  readonly trusted: boolean;
  /** Id of the knowledge entry that covers everything this command does, e.g. `git status`. */
  readonly knowledge?: string;
  /** Program, subcommand, options and operands after normalisation, for `Shell(...)` rules. */
  readonly shape?: CommandShape;
  /** Assignments in front of the command. */
  readonly env: readonly { readonly name: string; readonly value: string | undefined }[];
  /** A shell builtin or keyword: nothing is started. */
  readonly builtin?: boolean;
  /**
   * Harmless whatever its arguments: a `predicate` (`[[ … ]]`) before any rule is asked, a `lookup`
   * (`command -v`) and a `builtin` (`true`, `echo`, `read`) after the rules.
   */
  readonly inert?: "predicate" | "lookup" | "builtin";
  /** What its words may name, where nobody says what the program does with them: compared with secrets and written rules. */
  readonly named?: readonly NamedPath[];
  /**
   * Lies in the project's own environment (`.venv/bin`, `node_modules/.bin`) and runs code of the project whatever lies there:
   * an allow rule for the name is one for this, too.
   */
  readonly ownTool?: true;
  /** What it needs and cannot have in a supervised run, in words (`CONFINED_NEEDS`). */
  readonly needs?: readonly string[];
  /** Nobody says what all its words are for: deny and ask rules read them as commands. From here on nobody knows the program that gets them. */
  readonly handed?: number;
  /**
   * Texts that nobody reads here and that may have commands in them: code on its input, the words of a line that is not understood.
   * `begins`: where one of the text's lines or parts begins.
   */
  readonly unread?: readonly { readonly text: string; readonly isCode: boolean; readonly begins?: boolean }[];
  /** What it starts in another place: a container, another machine. */
  readonly elsewhere?: readonly ElsewhereCommand[];
  /** Index of the interpreter in whose process it works, as a module of it: `python -m pip`. */
  readonly inProcess?: number;
  /** Index of the runner (`npx`, `uv run`) that starts it from a package or from PATH: who allows the runner allows what it runs. */
  readonly runner?: number;
}

/** A command that a program starts in another place, of which deny and ask rules speak. */
export interface ElsewhereCommand {
  readonly argv: readonly Argument[];
  /** The word among those of the program at which it begins, or in which it stands. */
  readonly at: number;
  /** The words certainly begin a command: it is no value of an option, and no name of a container. */
  readonly certain: boolean;
}

/** A path that a word of a command, or a part of it, could mean. */
export interface NamedPath {
  readonly target: Target;
  /** The text as written. */
  readonly word: string;
  /** Cut out of a longer text (code, a sentence), so that it may mean something else. */
  readonly part?: true;
  /** The value of an option that says where something is written: `--output=PATH`. */
  readonly written?: true;
}

/** A command line with its options told from its operands, spellings unified. */
export interface CommandShape {
  /** Options in canonical spelling: `-r` and `--recursive` both appear for a known pair. `certain` is false after an unknown word. */
  readonly options: readonly { readonly names: readonly string[]; readonly value?: Argument }[];
  /** Program-less operands in order, subcommands included. */
  readonly operands: readonly Argument[];
  /** True when the option grammar is known, so that absence of an option is certain. */
  readonly complete: boolean;
}

export interface FileAction extends ActionBase {
  readonly kind: "file";
  readonly operation: FileOperation;
  readonly target: Target;
  /** Nothing of the file is used but the certificate in it, which is public. */
  readonly certificate?: true;
  /** The path as given, before normalisation, when it differs. */
  readonly asGiven?: string;
  /** Set on delete, metadata and write: everything below the target is affected too. */
  readonly recursive?: boolean;
  /**
   * Nothing is there, and who only reads makes it empty: where that is refused they say that nothing is there, which is so. Or whoever
   * would do it is not there (`wsl` on Linux).
   */
  readonly absent?: true;
  /** A tool empties its own cache, which a run leaves open to it (tool services) and keeps for undo; or its own program refuses it. */
  readonly settled?: true;
}

export interface NetAction extends ActionBase {
  readonly kind: "net";
  readonly operation: "connect" | "listen" | "fetch";
  /** Lower-case host as WHATWG URL parsing gives it; undefined when only known at run time. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly url?: string;
  readonly why?: string;
  /** The host that the part which is known names, where the rest may name another: for whoever sees what is really reached. */
  readonly seems?: string;
  /** It is read from a public forge or registry, where nobody but that learns who asks for what, and nothing but the address is sent. */
  readonly forge?: true;
}

/** The service of a database that is a file: what is changed there is a change of the file, too. */
export const DATABASE_FILE = "sqlite";

export interface RemoteAction extends ActionBase {
  readonly kind: "remote";
  /** `git`, `npm`, `github`, `aws`, `kubernetes`, `docker`, `database`, … */
  readonly service: string;
  readonly operation: "read" | "change" | "publish" | "destroy";
}

/** Target of a process action whose words do not say which. */
export const RUN_TIME_PROCESS = "a process only known at run time";

export interface ProcessAction extends ActionBase {
  readonly kind: "process";
  readonly operation: "signal" | "trace" | "priority";
  readonly target: string;
}

export interface SystemAction extends ActionBase {
  readonly kind: "system";
  /** `clock`, `mounts`, `services`, `packages`, `network`, `kernel`, `power`, `users`, `logs`, `schedule`. */
  readonly area: string;
}

export interface PrivilegeAction extends ActionBase {
  readonly kind: "privilege";
  readonly detail: string;
}

export interface CodeAction extends ActionBase {
  readonly kind: "code";
  readonly language: string;
  /** `inline`: text on the command line or in a heredoc; `file`: a script; `project`: build files, package scripts; `data`: only known at run time. */
  readonly source: "inline" | "file" | "project" | "data";
  readonly detail?: string;
  /** Code for another program carried in arguments: allowing the command does not allow it. */
  readonly foreign?: boolean;
}

export interface ToolAction extends ActionBase {
  readonly kind: "tool";
  /** As the host calls it. */
  readonly name: string;
  /** Other names of the same tool, by which rules may know it. */
  readonly names?: readonly string[];
  /** Names of which one is right, and nobody says which. */
  readonly guesses?: readonly string[];
  /** Flattened (field, string) pairs, breadth first, at most 1000 nodes. */
  readonly fields: readonly (readonly [field: string, value: string])[];
}

export type Action =
  | ExecAction
  | FileAction
  | NetAction
  | RemoteAction
  | ProcessAction
  | SystemAction
  | PrivilegeAction
  | CodeAction
  | ToolAction;

/** Something lowering could not find out. */
export interface Unknown {
  readonly reason: string;
  /** What to write instead so that it can be judged. */
  readonly help?: string;
  readonly span?: Span;
  /** Index of the exec whose allow rule answers this (an unlisted option); absent: nothing but a person does. */
  readonly exec?: number;
  /** What it sets works later, for others: seeing the command happen does not answer it. */
  readonly lasting?: true;
  /** An option that the tables do not have. */
  readonly unlisted?: true;
}

/** What a request would do. */
export interface Lowered {
  readonly actions: readonly Action[];
  readonly unknowns: readonly Unknown[];
}

/** What several requests would do. An action goes on to name its own command, by the place that this has among all of them. */
export function joinLowered(parts: readonly Lowered[]): Lowered {
  const actions: Action[] = [];
  const unknowns: Unknown[] = [];
  for (const part of parts) {
    const by = actions.length;
    actions.push(...part.actions.map((action) => (by === 0 ? action : moveAction(action, by))));
    unknowns.push(...part.unknowns.map((unknown) => (unknown.exec === undefined ? unknown : { ...unknown, exec: unknown.exec + by })));
  }
  return { actions, unknowns };
}

function moveAction(action: Action, by: number): Action {
  const origin: Origin = action.origin.by === "command" ? { by: "command", exec: action.origin.exec + by } : action.origin;
  if (action.kind !== "exec") return { ...action, origin };
  const { inProcess, runner } = action;
  return {
    ...action,
    origin,
    ...(inProcess === undefined ? {} : { inProcess: inProcess + by }),
    ...(runner === undefined ? {} : { runner: runner + by }),
  };
}
