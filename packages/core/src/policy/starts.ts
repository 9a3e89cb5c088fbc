import type { RequestVerdict } from "./match/verdict.ts";

/**
 * The files of the programs that a command starts, as they were looked up; the name of one that was not found. Without those of which a
 * rule says that they are not to be confined.
 */
export function startsOf({ actions }: Pick<RequestVerdict, "actions">): readonly string[] {
  const files = actions.flatMap(({ action, verdict }) =>
    action.kind === "exec" && action.builtin !== true && verdict.bare !== true ? [action.resolved ?? action.program] : [],
  );
  return [...new Set(files.filter((file) => file !== ""))];
}
