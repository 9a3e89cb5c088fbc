import { brief, quote, visible } from "@assent/core/action";
import { baseName, isWithin } from "@assent/core/path";
import { gitLeavesTree, type Verdict, verdictOf } from "@assent/core/policy";
import { type ForeseenFile, type GitForesight, isSame } from "./git-foreseen.ts";

/** What a command is about to put into files that decide what an agent may do. */
export interface ForeseenChange {
  /** Absent: they stay as they are. */
  readonly verdict?: Verdict;
  readonly files: readonly ForeseenFile[];
  /** Lines, for a person. */
  readonly difference: readonly string[];
}

/** They leave the working tree alone, or change one thing. */
export const leavesTree = (programs: readonly string[]): boolean => programs.some((name) => gitLeavesTree(name));

export const SETTINGS = "floor.settings";
/** Files whose differences somebody reads. */
const MOST_SHOWN = 40;
const PLAIN = /^[\w@%+=:,./~^-]+$/;

export interface ForeseenCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** As a person knows it. */
  readonly words: string;
}

/** The question before a git is started. Undefined: nothing of what `wants` names is written, as far as can be told. */
export function foreseenChange(
  foresight: GitForesight,
  { argv, cwd, words }: ForeseenCommand,
  wants: (path: string) => boolean,
  isAgreed: (file: ForeseenFile) => boolean = () => false,
): ForeseenChange | undefined {
  const files = foresight.look(argv, cwd, wants).filter((file) => !isAgreed(file));
  const changed = files.filter(({ before, after }) => !isSame(before, after));
  if (files.length === 0) return undefined;
  if (changed.length === 0) return { files, difference: [] };
  const more = changed.length - MOST_SHOWN;
  const difference = [
    ...changed.slice(0, MOST_SHOWN).flatMap((file) => foresight.difference(file, nameIn(cwd, file.path))),
    ...(more > 0 ? [`… and ${more} more files, whose differences are not shown here: say no, and look at them`] : []),
  ];
  const names = brief(visible(changed.map(({ path }) => nameIn(cwd, path)).join(", ")));
  const verdict = verdictOf("ask", SETTINGS, {
    reason: `\`${words}\` changes files that decide what an agent may do: ${names}`,
    help: {
      person: `look at the difference, and start it where you can be asked: assent run -- ${words}`,
      model: `ask the user to look at the difference, and to start it: ${words}`,
    },
  });
  return { verdict, files, difference };
}

/** The command of a process, short enough for a line. */
export const wordsOf = (argv: readonly string[]): string =>
  brief(visible(argv.map((word) => (PLAIN.test(word) ? word : quote(word))).join(" ")));

const nameIn = (folder: string, path: string): string => (isWithin(path, folder) ? path.slice(folder.length + 1) : path);

const GIT = /^\/usr\/(?:local\/)?(?:bin\/git|lib(?:exec)?\/git-core\/git(?:-[\w-]+)?)$/;
/** The system's git, with the programs that it consists of. */
export const isSystemGit = (path: string): boolean => GIT.test(path);

export const isGit = (path: string): boolean => /^git(?:-|$)/.test(baseName(path));
