import type { Action, DangerId } from "../action/index.ts";
import { lowerArgv } from "../shell/index.ts";
import { NOWHERE } from "./examples.ts";

/** Known per command line: the dangers of a rule's words do not depend on the machine. */
const dangers = new Map<string, ReadonlySet<DangerId>>();

/** The danger classes that lowering a command finds. */
export function dangersOf(argv: readonly string[]): ReadonlySet<DangerId> {
  const key = argv.join("\0");
  let found = dangers.get(key);
  if (found === undefined) {
    found = new Set(lowerArgv(argv, { world: NOWHERE }).actions.flatMap(dangersIn));
    if (dangers.size > 1000) dangers.clear();
    dangers.set(key, found);
  }
  return found;
}

/** Deleting a folder is seen by the path, and not by the words. */
function dangersIn(action: Action): readonly DangerId[] {
  const folder = action.kind === "file" && action.operation === "delete" && (action.recursive === true || action.target.kind === "tree");
  return folder ? [...(action.dangers ?? []), "delete-recursive"] : (action.dangers ?? []);
}
