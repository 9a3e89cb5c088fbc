import {
  type Action,
  type DangerId,
  DANGERS,
  type ExecAction,
  type FileAction,
  type NetAction,
  printAction,
  printTarget,
  visible,
  type World,
} from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { agentFile } from "./agent-files.ts";
import { pathDangers } from "./danger-paths.ts";
import { avoidHelp } from "./exclude.ts";
import { comparable, comparablePlaces, forms, type Places } from "./location.ts";
import { netProtection } from "./net-protections.ts";
import {
  isGitConfig,
  isPersistence,
  isRawDevice,
  isOftenShared,
  isSecret,
  mayBeCertificate,
  isSecretFolder,
  isSystem,
} from "./path-class.ts";
import type { Preset } from "./presets.ts";
import { findReached, isRecursive, rootOf } from "./reach.ts";
import { spell } from "./spelled.ts";
import { REASONS, dangerReason, type ReasonId } from "./reasons.ts";

export interface Scoped {
  readonly scope: Scope;
}

/** Something a default one is protected by: stronger than a broad allow, weaker than one that names it. */
export interface Protection extends Scoped {
  readonly effect: "deny" | "ask";
  readonly builtin: ReasonId;
  readonly reason: string;
  readonly help: string;
  /** False: a mode that waives questions does not waive this one. */
  readonly waivable?: false;
}

/** What an allow rule must name to beat a protection. */
export type Scope =
  | { readonly by: "danger"; readonly id: DangerId }
  /** A path in the place. */
  | { readonly by: "place"; readonly holds: (path: string) => boolean }
  /** This host. */
  | { readonly by: "host"; readonly host: string }
  /** Any literal part at all. */
  | { readonly by: "default" }
  /** Nothing names it. */
  | { readonly by: "nothing" };

export interface Surroundings {
  readonly world: World;
  readonly preset: Preset;
  /** The command the action comes from. */
  readonly exec: ExecAction | undefined;
  /** True for a path whose protection a written allow beats, so that finding it in a folder says nothing. */
  readonly opened: (path: string) => boolean;
}

const NONE: readonly Protection[] = [];

/** The protections of knowledge and preset that an action meets. */
export function protectionsOf(action: Action, around: Surroundings): readonly Protection[] {
  const { preset } = around;
  const met: Protection[] = [];
  if (preset.dangers) for (const id of action.dangers ?? NONE_SEEN) met.push(danger(id, action));
  if (preset.dangers && action.kind === "net") met.push(...netProtections(action));
  if (action.kind === "file" && action.operation !== "list" && action.operation !== "execute") fileProtections(action, around, met);
  return met.length === 0 ? NONE : met;
}

const NONE_SEEN: readonly DangerId[] = [];

function netProtections(action: NetAction): readonly Protection[] {
  const met = netProtection(action);
  return met === undefined ? NONE : [met];
}

function danger(id: DangerId, action: Action): Protection {
  const { effect, title, help } = DANGERS[id];
  return { effect, builtin: dangerReason(id), reason: `${title}: ${printAction(action)}`, help, scope: { by: "danger", id } };
}

function fileProtections(action: FileAction, around: Surroundings, met: Protection[]): void {
  const { world, preset, exec } = around;
  const { written, compared } = spell(action, world);
  const changes = action.operation !== "read";
  const places = comparablePlaces(world);
  if (
    preset.secrets &&
    action.operation !== "mkdir" &&
    written.some((path) => isSecretTarget(path, action, world) && !isOwnState(path, action, exec))
  )
    met.push(secret(action));
  if (changes && preset.dangers) {
    for (const id of pathDangers(action, compared, world)) if (action.dangers?.includes(id) !== true) met.push(danger(id, action));
    if (action.operation !== "mkdir" && compared.some(isGitConfig) && !isGitItself(exec)) met.push(gitConfig(action));
  }
  if (changes && preset.system && compared.some((path) => isSystem(path, places, world.foldsCase))) met.push(system(action, places, world));
  if (met.length === 0 && action.operation !== "mkdir" && (preset.secrets || preset.dangers)) {
    const inside = insideProtection(action, around, places);
    if (inside !== undefined) met.push(inside);
  }
}

/** A name that is a secret means a file; a folder is one only when what lies in it is. */
function isSecretTarget(path: string, action: FileAction, world: World): boolean {
  if (action.target.kind === "unknown") return isSecretFolder(path);
  if (action.certificate === true && mayBeCertificate(path)) return false;
  if (!isSecret(path)) return isRecursive(action) && isSecretFolder(path);
  return isSecretFolder(path) || world.kind(path) !== "directory";
}

function secret(action: FileAction): Protection {
  const rule = action.operation === "read" ? "Read" : "Write";
  return {
    effect: "deny",
    builtin: "protect.secrets",
    reason: `${printAction(action)}: secrets are protected`,
    help: `if this one is no secret, the user can allow it by name: "${rule}(${printTarget(action.target)})"`,
    scope: { by: "place", holds: isSecret },
  };
}

function system(action: FileAction, places: Places, world: World): Protection {
  return {
    effect: "deny",
    builtin: "protect.system",
    reason: `${printAction(action)}: system files are protected`,
    help: REASONS["protect.system"].help,
    scope: { by: "place", holds: (path) => comparable([path], world).some((form) => isSystem(form, places, world.foldsCase)) },
  };
}

function gitConfig(action: FileAction): Protection {
  return {
    effect: "ask",
    builtin: "protect.git-config",
    reason: `${printAction(action)}: git runs programs that its configuration names`,
    help: "use git's own commands, or let the user confirm",
    scope: { by: "place", holds: isGitConfig },
  };
}

/** git writes its configuration as its commands say, and those are judged. */
function isGitItself(exec: ExecAction | undefined): boolean {
  return exec?.program === "git" && exec.trusted && exec.knowledge !== undefined;
}

/** Programs, and the files beside the project's own that they keep or are told to read: nothing of them is shown unasked. */
const STATES: readonly { readonly programs: RegExp; readonly files: RegExp }[] = [
  { programs: /^(?:terraform|tofu|terragrunt)$/, files: /(?:\.(?:tfstate|tfplan|tfvars)|\/tfplan)(?:\.json|\.backup|\.\d+)*$/i },
  { programs: /^rke$/, files: /\.rkestate$/i },
  {
    programs: /^ansible(?:-(?:playbook|vault|inventory|pull|console|galaxy|lint))?$/,
    files: /\/(?:\.?vault[_-]?pass(?:word)?(?:\.txt)?|(?:group|host)_vars\/(?:[^/]+\/)*vault[^/]*)$/i,
  },
];

/** What a program keeps its own state in, or is opened with, is its own to read; others, and changes of it, are judged as ever. */
function isOwnState(path: string, action: FileAction, exec: ExecAction | undefined): boolean {
  if (action.operation !== "read" || exec?.trusted !== true) return false;
  return STATES.some(({ programs, files }) => programs.test(exec.program) && files.test(path));
}

/** A folder, a pattern or a run-time path: could something protected be in reach? The world is asked, within bounds. */
function insideProtection(action: FileAction, around: Surroundings, places: Places): Protection | undefined {
  if (action.target.kind === "path" && !isRecursive(action)) return undefined;
  const { world, exec } = around;
  const reads = action.operation === "read";
  const wanted = (path: string): boolean =>
    reads ? isSecret(path) && !around.opened(path) && !(isOftenShared(path) && world.tracked(path) === true) : isKept(path, around, places);
  const { found, complete } = findReached(action, wanted, world);
  if (found === undefined && complete) return undefined;
  const scope: Scope = { by: "nothing" };
  if (found !== undefined) {
    const reason = reads
      ? `${printAction(action)} reaches ${visible(found)}, which holds secrets`
      : `${printAction(action)} reaches ${visible(found)}, which is protected`;
    return {
      effect: "ask",
      builtin: "protect.inside",
      reason,
      help: avoidHelp(found, exec),
      scope,
      ...(reads ? {} : heldBack(action, world)),
    };
  }
  const what = reads ? "which file is read" : "which file is changed";
  const why = action.target.kind === "unknown" ? action.target.why : `${printTarget(action.target)} is too large to look through`;
  return {
    effect: "ask",
    builtin: "protect.unknown-target",
    reason: `cannot tell ${what}: ${visible(why)}`,
    help: REASONS["protect.unknown-target"].help,
    scope,
    ...(reads || rootOf(action.target) === undefined ? {} : heldBack(action, world)),
  };
}

/**
 * Names that nobody knows, written where the agents' settings lie (an archive unpacked at the top of the project, a patch
 * that cannot be read), may be theirs.
 */
function heldBack({ target }: FileAction, world: World): Pick<Protection, "waivable"> {
  const root = rootOf(target);
  if (root === undefined || target.kind === "glob") return {};
  const places = [world.projectRoot, world.cwd, world.home].flatMap((place) => comparable(forms(place, world), world));
  return comparable(forms(root, world), world).some((form) => places.some((place) => isWithin(place, form))) ? { waivable: false } : {};
}

/** Something in a folder that a change of the folder must not touch unasked. */
function isKept(path: string, { world, opened }: Surroundings, places: Places): boolean {
  const [form = path] = comparable([path], world);
  // The floor's files are kept whatever is written.
  if (agentFile(form, places) !== undefined) return true;
  const isProtected =
    isSecret(path) || isPersistence(form, places) || isGitConfig(form) || isRawDevice(form) || isSystem(form, places, world.foldsCase);
  return isProtected && !opened(path);
}
