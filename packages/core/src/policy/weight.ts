import type { Action } from "../action/index.ts";
import { isGitInternal } from "./tables/git-paths.ts";
import { compareStrictness, type JudgedAction, type Verdict } from "./match/verdict.ts";

/** The strictest verdict; of equally strict ones the one about what reaches furthest: `git commit && git push` is about the push. */
export function weightiest(judged: readonly JudgedAction[]): Verdict | undefined {
  let found: JudgedAction | undefined;
  for (const one of judged) {
    const stricter = found === undefined ? 1 : compareStrictness(one.verdict, found.verdict);
    if (stricter > 0 || (stricter === 0 && found !== undefined && outweighs(one, found))) found = one;
  }
  return found?.verdict;
}

/** What was allowed has the first of its reasons; a question that no mode skips stays the one that is put. */
const outweighs = ({ action, verdict }: JudgedAction, other: JudgedAction): boolean =>
  verdict.decision === "ask" &&
  other.verdict.waivable === undefined &&
  (verdict.waivable !== undefined || weigh(action) > weigh(other.action));

/** What leaves the machine outweighs what changes it, and a file outweighs what git notes of it. */
function weigh(action: Action): number {
  switch (action.kind) {
    case "remote":
      return action.operation === "read" ? 2 : 5;
    case "net":
      return 4;
    case "process":
    case "system":
    case "privilege":
      return 3;
    case "file":
      return action.target.kind === "path" && isGitInternal(action.target.path) ? 1 : 2;
    default:
      return 2;
  }
}
