import type { Action, FileAction, TreeFilter } from "../../action/index.ts";
import { matchesWord, shellGlob } from "../../pattern/index.ts";
import type { Context } from "../words/context.ts";

/** Names of the lists by which git, rg, fd and docker leave files out; the last is the repository's `info/exclude`. */
const LISTS = [".gitignore", ".ignore", ".rgignore", ".fdignore", ".dockerignore", "exclude"];

const LOOKS: ReadonlySet<FileAction["operation"]> = new Set(["read", "list", "execute", "mkdir", "metadata"]);

/**
 * What a walk leaves out because a list says so is only known while the lists stay as they are: where the same line changes one,
 * before the walk or beside it (`: > .gitignore; git add .`), the walk comes to everything.
 */
export function settleIgnoreLists(cx: Context): void {
  if (!cx.actions.some(mayChangeList)) return;
  for (const [at, action] of cx.actions.entries()) {
    if (action.kind !== "file" || (action.target.kind !== "tree" && action.target.kind !== "unknown")) continue;
    const { filter } = action.target;
    if (filter?.untracked === true || filter?.hidden === false || filter?.ignored === false || filter?.listed === true)
      cx.actions[at] = { ...action, target: { ...action.target, filter: withoutLists(filter) } };
  }
}

function withoutLists({ only, without, listed, tracked, follows }: TreeFilter): TreeFilter {
  return {
    ...(only === undefined ? {} : { only }),
    ...(without === undefined || listed === true ? {} : { without }),
    ...(tracked === undefined ? {} : { tracked }),
    ...(follows === undefined ? {} : { follows }),
  };
}

function mayChangeList(action: Action): boolean {
  if (action.kind !== "file" || action.upkeep === true || LOOKS.has(action.operation)) return false;
  const { target } = action;
  switch (target.kind) {
    case "path":
      return LISTS.includes(lastOf(target.path));
    case "glob":
      return LISTS.some((name) => matchesWord(shellGlob(lastOf(target.pattern)), name));
    case "tree":
    case "unknown":
      return (
        target.filter?.only === undefined || LISTS.some((name) => target.filter?.only?.some((glob) => matchesWord(shellGlob(glob), name)))
      );
  }
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
