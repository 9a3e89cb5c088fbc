import type { Action, FileAction, FileOperation } from "@assent/core/action";
import { isWithin, parentOf } from "@assent/core/path";
import { programsFolder } from "@assent/core/policy";
import type { Rewritten } from "./services.ts";
import type { CommandPlan, NamedChange } from "./plans.ts";

/** More than these are not read in a question. */
const MOST = 6;

const CHANGES: Readonly<Partial<Record<FileOperation, NamedChange>>> = {
  mkdir: "folders",
  write: "files",
  edit: "files",
  delete: "gone",
  link: "links",
};

/** What a program makes beside what it changes, and then moves into its place (sed's execute.c, mkostemp(3); gnulib's force-link.c). */
const WORKING: Readonly<Record<string, RegExp>> = { sed: /^sed[A-Za-z0-9]{6}$/, ln: /^Cu[A-Za-z0-9]{6}$/ };

/** The name is that of such a file. */
export const isWorkingFile = (tool: string, name: string): boolean => WORKING[tool]?.test(name) === true;

/**
 * What a command does to the paths that its words name, where that is understood whole and is one thing: `mkdir ~/a ~/b`,
 * `sed -i s/a/b/ ~/f`. A person is asked about all of it at once, by these names. `actions`: what it is predicted to do.
 */
export function namedPlan(tool: string, actions: readonly Action[], home: string, cwd: string): CommandPlan | undefined {
  const changed: FileAction[] = [];
  for (const action of actions) {
    if (action.kind === "exec") continue;
    if (action.kind !== "file") return undefined;
    if (action.operation === "read" || action.operation === "list") continue;
    // Nobody is asked there.
    if (action.target.kind !== "path" || !isWithin(action.target.path, cwd)) changed.push(action);
  }
  const [does, other] = new Set(changed.map(({ operation }) => CHANGES[operation]));
  if (does === undefined || other !== undefined || changed.some(({ operation }) => CHANGES[operation] === undefined)) return undefined;
  const into = [...new Set(changed.flatMap(({ target }) => (target.kind === "path" ? [target.path] : [])))];
  if (into.length !== new Set(changed).size || into.length > MOST) return undefined;
  if (does === "links" ? into.length > 1 : into.length < 2 && !(does === "files" && WORKING[tool] !== undefined)) return undefined;
  // Programs of a person's own are looked at one by one.
  if (into.some((path) => isWithin(home, path) || parentOf(path) === "/" || programsFolder(path, home) !== undefined)) return undefined;
  return { is: "named", does, tool, into, programs: [] };
}

/** What a command writes, where it takes nothing else away. */
export function rewritesOf(actions: readonly Action[]): readonly Rewritten[] {
  const files = actions.filter((action) => action.kind === "file");
  if (files.some(({ operation }) => operation === "delete" || operation === "rename")) return [];
  return files.flatMap(({ operation, target }): readonly Rewritten[] => {
    if (operation !== "write" && operation !== "edit") return [];
    if (target.kind === "path") return [{ path: target.path, below: false }];
    const folder = target.kind === "tree" ? target.path : target.kind === "unknown" ? target.within : undefined;
    return folder === undefined ? [] : [{ path: folder, below: true }];
  });
}
