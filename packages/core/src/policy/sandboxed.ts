import { type Action, type ExecAction, type FileAction, sayAction, visible, type World } from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { comparablePlaces } from "./match/location.ts";
import { obeysFiles } from "./tables/obeying-programs.ts";
import { isGitInternal } from "./tables/git-paths.ts";
import { isRecursive, spell } from "./targets.ts";
import type { RequestVerdict } from "./match/verdict.ts";

/** What of the machine decides whether something allowed keeps the sandbox. */
export interface SandboxContext {
  readonly world: World;
  /** Why what a known program does hangs on files that an agent may have written; undefined: it does not. Left out: nobody can tell. */
  readonly obeys?: ((exec: ExecAction) => string | undefined) | undefined;
  /** Whether later commands obey the file at a path; `taking`: or one below it. */
  readonly controlsLater?: ((path: string, taking: boolean) => boolean) | undefined;
}

/** Why what is allowed keeps the sandbox: the first of its parts that may run what an agent has written. */
export function whySandboxed({ actions, unknowns }: RequestVerdict, context: SandboxContext): string | undefined {
  for (const judged of actions) {
    const why = judged.verdict.bare === true ? undefined : runsWritten(judged.action, context);
    if (why !== undefined) return why;
  }
  const open = unknowns.find(({ verdict }) => verdict.bare !== true);
  return open === undefined ? undefined : `it is allowed, but what it does is only known when it runs: ${visible(open.unknown.reason)}`;
}

function runsWritten(action: Action, context: SandboxContext): string | undefined {
  const { obeys } = context;
  if (action.kind === "file") return writesUnseen(action, context);
  if (action.kind === "code") return `it is allowed, but it runs code that Assent has not judged: ${sayAction(action)}`;
  if (action.kind !== "exec" || action.builtin === true || action.inert !== undefined) return undefined;
  if (!action.trusted || action.ownTool === true) return `it is allowed, but an agent may have written this program: ${sayAction(action)}`;
  // What nobody knows may load and run whatever it finds.
  if (action.knowledge === undefined) return `it is allowed, but Assent does not know what this program runs: ${sayAction(action)}`;
  if (!obeysFiles(action.program, action.resolved)) return undefined;
  return obeys === undefined ? `files of the project may decide what it runs: ${sayAction(action)}` : obeys(action);
}

/** They put no content anywhere. */
const LOOKS: ReadonlySet<FileAction["operation"]> = new Set(["read", "list", "execute", "delete", "mkdir"]);

/**
 * What is written where nobody sees which files, or into a file that later commands obey: a run notes each, a bare command
 * none. git's own folder is protected by itself.
 */
function writesUnseen(action: FileAction, { world, controlsLater }: SandboxContext): string | undefined {
  if (LOOKS.has(action.operation) || action.upkeep === true) return undefined;
  const { compared } = spell(action, world);
  const many = action.target.kind !== "path" || (isRecursive(action) && !compared.every(isGitInternal));
  if (many && (compared.length === 0 || compared.some((path) => isNearOwn(path, world))))
    return `it is not known which files it writes: ${sayAction(action)}`;
  // A folder that is moved or linked there brings what lies in it.
  const controls = compared.some((path) => controlsLater?.(path, true) === true);
  return controls ? `it changes a file that decides what later commands do: ${sayAction(action)}` : undefined;
}

/** In the project or a temporary folder, or a folder that holds one. */
function isNearOwn(path: string, world: World): boolean {
  const { project, temp } = comparablePlaces(world);
  return [...project, ...temp].some((own) => isWithin(path, own) || isWithin(own, path));
}
