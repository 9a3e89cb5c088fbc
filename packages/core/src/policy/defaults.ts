import type { Action, FileAction, World } from "../action/index.ts";
import { resolvePath } from "../path/index.ts";
import { agentFile } from "./tables/agent-files.ts";
import { belowAny, comparable, comparablePlaces, forms, withinAny } from "./match/location.ts";
import type { MatchedRules } from "./matched-rules.ts";
import { isGitInternal } from "./tables/git-paths.ts";
import { type Preset, rowOf } from "./match/presets.ts";
import { findReached, rootOf, spell } from "./targets.ts";
import type { OperationBlock, PresetName, Settings } from "./match/types.ts";
import { compareDecisions, type Decision, type Verdict, verdictOf } from "./match/verdict.ts";
import { byBlock, byPreset } from "./verdicts.ts";

/** What is said where no rule speaks, and by whom. */
interface DefaultAnswer {
  readonly decision: Decision;
  /** The `operations` block whose default replaces the preset's. */
  readonly block?: OperationBlock;
}

/** The default for an action: a block's own, else the preset's. */
export function defaultFor(action: Action, { fallback: block }: MatchedRules, preset: Preset, world: World): DefaultAnswer {
  const given = preset.defaults[rowOf(action)];
  const decision = given !== "project" ? given : action.kind === "file" && isInProject(action, world) ? "allow" : "ask";
  if (block?.default === undefined) return { decision };
  // A file nobody trusts may narrow only.
  return block.untrusted === true && compareDecisions(block.default, decision) <= 0 ? { decision } : { decision: block.default, block };
}

/** The default as a verdict; none for no opinion. */
export function defaultVerdict({ decision, block }: DefaultAnswer, action: Action, preset: PresetName): Verdict | undefined {
  if (decision === "none") return undefined;
  if (block?.defaultSource !== undefined) return byBlock(decision, block.defaultSource, block.untrusted === true);
  return byPreset(decision, rowOf(action), preset, action);
}

function isInProject(action: FileAction, world: World): boolean {
  const { compared } = spell(action, world);
  const { project } = comparablePlaces(world);
  return compared.length > 0 && compared.every((path) => withinAny(path, project));
}

const AUTO_EDIT = verdictOf("allow", "mode.auto-edit");
const FULL_AUTO = verdictOf("allow", "mode.full-auto");

interface Surroundings {
  readonly supervised: boolean;
  readonly world: World;
}

/** Step 8: what the mode allows of what is left. */
export function byMode(action: Action, settings: Settings, { supervised, world }: Surroundings): Verdict | undefined {
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
