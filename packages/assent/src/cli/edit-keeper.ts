import type { Action } from "@assent/core/action";
import type { KeepEdit, Request } from "@assent/guard/engine";
import { keepEdit } from "@assent/supervisor/supervise/edits";

// For when a tool's call goes ahead by itself where that is to be taken back.

const READS = new Set(["read", "list", "execute"]);

/** Keeps what the tool is about to change; the question instead, where that cannot be done. */
export const keep: KeepEdit = (request, actions, machine) => {
  const edited = editedFiles(request, actions);
  if (edited === undefined) return undefined;
  const { agent, session, tool, cwd } = request;
  const why = typeof edited === "string" ? edited : keepEdit(machine, { agent, session, tool, cwd }, edited.paths, edited.deleted);
  if (why === undefined) return undefined;
  const reason = `it could not be taken back: ${why}`;
  return { decision: "ask", basis: "protection", builtin: "undo.failed", reason, help: "ask the user" };
};

/**
 * The files that a tool changes by itself, where no supervised run sees it; undefined: none. A host's own patch tool counts whether it is
 * a tool or stands in a command; what commands change is a run's.
 */
function editedFiles(
  { facts }: Request,
  actions: readonly Action[],
): { readonly paths: readonly string[]; readonly deleted: ReadonlySet<string> } | string | undefined {
  const isCommand = facts?.does === "shell" || facts?.does === "argv" || facts?.does === "opaque";
  const paths = new Set<string>();
  const deleted = new Set<string>();
  for (const action of actions) {
    if (action.kind !== "file" || READS.has(action.operation)) continue;
    if (isCommand && action.origin.by !== "tool") continue;
    if (action.target.kind !== "path" || action.recursive === true) return "which files it changes is only known afterwards";
    paths.add(action.target.path);
    if (action.operation === "delete" || action.operation === "rename") deleted.add(action.target.path);
  }
  return paths.size === 0 ? undefined : { paths: [...paths], deleted };
}
