import type { Action, FileAction, World } from "../action/index.ts";
import { resolvePath } from "../path/index.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import { agentFile } from "./agent-files.ts";
import { belowAny, comparable, comparablePlaces, forms } from "./location.ts";
import { isGitInternal } from "./path-class.ts";
import { findReached, rootOf } from "./reach.ts";
import { spell } from "./spelled.ts";
import type { Settings } from "./types.ts";

const AUTO_EDIT = verdictOf("allow", "mode.auto-edit");
const FULL_AUTO = verdictOf("allow", "mode.full-auto");

/** Step 8: what the mode allows of what is left. */
export function byMode(action: Action, settings: Settings, supervised: boolean, world: World): Verdict | undefined {
  if (settings.mode === "suggest") return undefined;
  // A tool of the host's or of a server runs where no supervisor sees it.
  if (settings.mode === "full-auto" && supervised && action.kind !== "tool") return FULL_AUTO;
  return action.kind === "file" && isAutoEdit(action, settings, world) ? AUTO_EDIT : undefined;
}

const EDITS: ReadonlySet<FileAction["operation"]> = new Set(["write", "edit", "mkdir", "rename"]);

/** Write, edit, mkdir and rename strictly inside a writable root; never git's own files or an agent's settings. */
function isAutoEdit(action: FileAction, settings: Settings, world: World): boolean {
  if (!EDITS.has(action.operation) || action.target.kind === "unknown") return false;
  const roots = settings.writableRoots.flatMap((root) => comparable(forms(absolute(root, world), world), world));
  const places = comparablePlaces(world);
  const isEditable = (path: string): boolean => belowAny(path, roots) && !isGitInternal(path) && agentFile(path, places) === undefined;
  // INVARIANT: every spelling counts, so that a link inside a root that leads out of it is outside.
  if (!spell(action, world).compared.every(isEditable)) return false;
  if (action.target.kind === "path" && action.recursive !== true) return true;
  // A folder or pattern: a link in it could lead out.
  const root = rootOf(action.target);
  const escapes = (path: string): boolean => path !== root && !isEditable(comparable([world.canonical(path)], world)[0] ?? path);
  const { found, complete } = findReached(action, escapes, world);
  return complete && found === undefined;
}

function absolute(root: string, world: World): string {
  if (root === "~" || root.startsWith("~/")) return resolvePath(world.home, root.slice(2));
  return resolvePath(world.projectRoot, root);
}
