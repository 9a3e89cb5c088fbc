import type { GitShown } from "./action.ts";

/** What a search looks for; `link` is false where the path is known to be no link. */
export type Wanted = (path: string, link?: boolean) => boolean;

/** Systems whose programs Assent tells apart. */
export type Platform = "linux" | "darwin";

/**
 * What the pure core may ask about the machine. The guard provides the real one, tests provide small ones.
 * Every answer may be wrong a moment later: nothing here replaces enforcement.
 */
export interface World {
  /** Working directory of the request, absolute. */
  readonly cwd: string;
  readonly home: string;
  /** Git top level of the session, or the cwd outside git. */
  readonly projectRoot: string;
  /** Folders for temporary files: `/tmp`, `/var/tmp`, `$TMPDIR`. */
  readonly temp: readonly string[];
  /** The folders of PATH, as whoever starts commands has it. Left out: nobody knows them. */
  readonly programFolders?: readonly string[];
  /** True where the file system folds case. */
  readonly foldsCase: boolean;
  /** Whose programs lie there: `ls` of GNU and of BSD take other options. Left out: nobody knows, and both readings must be harmless. */
  readonly platform?: Platform;
  /** Value a variable has when the command starts; undefined when unset or not to be relied on. */
  env(name: string): string | undefined;
  /** The path with the symlinks of its existing part resolved. */
  canonical(path: string): string;
  kind(path: string): "file" | "directory" | "other" | "missing";
  /**
   * Who a bare program name is. `known`: found in a trusted folder, or not found at all;
   * `untrusted`: found inside the project, a temp folder or a folder others may write. `real`: where its links lead, if that is known already.
   */
  lookup(name: string): { readonly path: string | undefined; readonly trusted: boolean; readonly real?: string };
  /** True when this path, symlinks resolved, is a program in a trusted folder. */
  trustedProgram(path: string): boolean;
  /**
   * Looks for a path that `wanted` accepts below `root` (itself included), visiting a bounded number of entries.
   * `wanted` gets absolute paths, and whether it is a link where that is known; links are not followed. `skip` names folders not to descend into.
   */
  find(root: string, wanted: Wanted, depth?: number): { readonly found: string | undefined; readonly complete: boolean };
  /** The text of a small regular file, such as a patch; undefined where there is none, or it is too large. Left out: nothing is read. */
  readonly text?: (path: string) => string | undefined;
  /** Whether the project's repository tracks this file; undefined when that cannot be told. */
  tracked(path: string): boolean | undefined;
  /**
   * Secrets by their names that the index of the repository at `top` holds, and of which it, or the working tree, may hold
   * another text than the last commit. Left out: nobody looks.
   */
  readonly changedSecrets?: (top: string) => readonly string[];
  /** Paths below a folder that git has in what it would show; undefined when that cannot be told. Left out: nobody looks. */
  readonly gitShows?: (folder: string, shown: GitShown) => readonly string[] | undefined;
  /** Names in a folder, bounded; undefined when it cannot be listed completely. */
  names(directory: string): readonly string[] | undefined;
  /** True once the request may list no more folders: those that cannot be listed then may hold anything. */
  readonly exhausted?: () => boolean;
  /**
   * Names in a folder, and which of them are links; none where there is no folder, undefined where it cannot be listed
   * completely. Left out by a world whose `canonical` answers for another time than now.
   */
  readonly entries?: (directory: string) => ReadonlyMap<string, boolean> | undefined;
  /** False where a folder surely holds nothing of that name (lower case), however its letters are written. Left out as `entries`. */
  readonly mayHold?: (directory: string, name: string) => boolean;
  /** Programs that the user's own policy explains. */
  readonly ownCommands?: OwnCommands;
}

/** `"wrappers"` and `"aliases"` of a policy: programs that no table knows, of which a person has said what they do. */
export interface OwnCommands {
  /** `mywrap`, `mytool run`: what stands behind is a command that it starts. */
  readonly wrappers: readonly string[];
  /** The program, and the words of a command that it stands for: `k`, `kubectl`. */
  readonly aliases: Readonly<Record<string, string>>;
}
