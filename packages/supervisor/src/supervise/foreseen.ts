import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { ExecAction } from "@assent/core/action";
import { joinPath } from "@assent/core/path";
import { type ForeseenChange, foreseenChange, isSystemGit, leavesTree, wordsOf } from "./trap/git-question.ts";
import { GitForesight } from "./trap/git-foreseen.ts";
import { gitWords } from "./trap/git-plan.ts";

/** Where a command of git is started, and where the line that it stands in is. */
export interface ForeseenAt {
  readonly cwd: string;
  readonly line: string;
}

/** What a command of git would be asked about before it is started in a run, for those who only look. `wants`: of which files it would be. */
export function foreseeGit(exec: ExecAction, { cwd, line }: ForeseenAt, wants: (path: string) => boolean): ForeseenChange | undefined {
  const [git = "", ...rest] = exec.argv.flatMap((word) => (word.known ? word.text : []));
  const isWhole = rest.length + 1 === exec.argv.length;
  if (!isWhole || !exec.trusted || !isSystemGit(exec.resolved ?? "") || leavesTree([exec.knowledge ?? ""])) return undefined;
  const argv = cwd === line ? [git, ...rest] : [git, "-C", cwd, ...rest];
  const scratch = mkdtempSync(joinPath(tmpdir(), "assent-git-"));
  try {
    return foreseenChange(new GitForesight(scratch), { argv: withoutFetch(argv, line), cwd: line, words: wordsOf(argv) }, wants);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A pull puts what was fetched the last time into the tree, and what is new besides. */
function withoutFetch(argv: readonly string[], cwd: string): readonly string[] {
  const { folder, subcommand, rest } = gitWords(argv, cwd) ?? { folder: cwd, subcommand: "", rest: [] };
  if (subcommand !== "pull") return argv;
  const [remote, branch] = rest.filter((word) => !word.startsWith("-"));
  const joins = rest.some((word) => /^(?:-r|--rebase(?!=false$))/.test(word)) ? "rebase" : "merge";
  const fetched = branch === undefined ? "@{upstream}" : remote === "." ? branch : `${remote}/${branch}`;
  return ["git", "-C", folder, joins, fetched];
}
