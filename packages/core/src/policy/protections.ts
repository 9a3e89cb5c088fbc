import { EXCLUDES, OPENS, STATES } from "#knowledge/traits";
import { toldOf } from "./tables/obeying-programs.ts";
import {
  type Action,
  type Advice,
  type Danger,
  type DangerId,
  DANGERS,
  type ExecAction,
  type FileAction,
  type NetAction,
  sayAction,
  printTarget,
  quote,
  visible,
  type World,
} from "../action/index.ts";
import { baseName, isBelow, isWithin, joinPath, parentOf } from "../path/index.ts";
import { hostMatches, normaliseHost, possibleHosts } from "../pattern/index.ts";
import { type Reach, reachOfHost } from "./addresses.ts";
import { agentFile } from "./tables/agent-files.ts";
import { isGitConfig, isGitInternal } from "./tables/git-paths.ts";
import { judgingOf, type Matcher } from "./kinds/index.ts";
import { comparable, comparablePlaces, forms, type Places } from "./match/location.ts";
import {
  isOftenShared,
  isPersistenceHere,
  isRawDevice,
  isSecret,
  isSecretOf,
  isSecretFolder,
  isSystem,
  isTemplate,
  mayBeCertificate,
  mayHoldPersistence,
  pathDangers,
} from "./path-class.ts";
import type { Preset } from "./match/presets.ts";
import { dangerReason, type ReasonId, REASONS } from "./match/reasons.ts";
import { findReached, isRecursive, rootOf, spell } from "./targets.ts";

export interface Scoped {
  readonly scope: ProtectionScope;
}

/** Something a default one is protected by: stronger than a broad allow, weaker than one that names it. */
export interface Protection extends Scoped {
  readonly effect: "deny" | "ask";
  readonly builtin: ReasonId;
  readonly reason: string;
  readonly help: Advice;
  /** False: a mode that skips questions does not skip this one. */
  readonly waivable?: false;
}

/** What an allow rule must name to beat a protection. */
export type ProtectionScope =
  | { readonly by: "danger"; readonly id: DangerId }
  /** A path in the place. */
  | { readonly by: "place"; readonly holds: (path: string) => boolean }
  /** This host. */
  | { readonly by: "host"; readonly host: string }
  /** Any literal part at all. */
  | { readonly by: "default" }
  /** Nothing names it. */
  | { readonly by: "nothing" };

export interface ProtectionContext {
  readonly world: World;
  readonly preset: Preset;
  /** The command the action comes from. */
  readonly exec: ExecAction | undefined;
  /** True for a path whose protection a written allow beats, so that finding it in a folder says nothing. */
  readonly opened: (path: string) => boolean;
  /** A command that only looks at repositories in which nothing says what git starts. */
  readonly looksAtPlain?: ((exec: ExecAction) => boolean) | undefined;
}

const NONE: readonly Protection[] = [];

/** The protections of knowledge and preset that an action meets. */
export function protectionsOf(action: Action, around: ProtectionContext): readonly Protection[] {
  const { preset } = around;
  const met: Protection[] = [];
  if (preset.dangers) for (const id of action.dangers ?? NONE_SEEN) if (!isPlainLook(id, action, around)) met.push(danger(id, action));
  if (preset.dangers && action.kind === "net") met.push(...netProtections(action));
  if (action.kind === "file" && action.operation !== "list" && action.operation !== "execute") fileProtections(action, around, met);
  return met.length === 0 ? NONE : met;
}

const NONE_SEEN: readonly DangerId[] = [];

function netProtections(action: NetAction): readonly Protection[] {
  const met = netProtection(action);
  return met === undefined ? NONE : [met];
}

const isPlainLook = (id: DangerId, action: Action, { looksAtPlain }: ProtectionContext): boolean =>
  id === "foreign-repository" && action.kind === "exec" && looksAtPlain?.(action) === true;

function danger(id: DangerId, action: Action): Protection {
  const { effect, title, help, insistent }: Danger = DANGERS[id];
  const reason = `${title}: ${sayAction(action)}`;
  return {
    effect,
    builtin: dangerReason(id),
    reason,
    help,
    scope: { by: "danger", id },
    ...(insistent === true ? { waivable: false } : {}),
  };
}

function fileProtections(action: FileAction, around: ProtectionContext, met: Protection[]): void {
  const { world, preset, exec } = around;
  const { written, compared } = spell(action, world);
  const changes = action.operation !== "read";
  const places = comparablePlaces(world);
  if (meansDevice(action, compared, world)) {
    if (preset.secrets || (changes && preset.dangers)) met.push(danger("raw-device", action));
  } else if (
    preset.secrets &&
    action.operation !== "mkdir" &&
    written.some(
      (path) =>
        isSecretTarget(path, action, world) &&
        !isOwnState(path, action, exec) &&
        !(action.operation === "write" && isFirstCopy(path, exec, world)),
    )
  )
    met.push(secret(action));
  if (changes && preset.dangers) {
    for (const id of pathDangers(action, compared, world))
      if (action.dangers?.includes(id) !== true && id !== "raw-device") met.push(danger(id, action));
    if (action.operation !== "mkdir" && compared.some(isGitConfig) && !isGitItself(exec)) met.push(gitConfig(action));
  }
  if (changes && preset.system && compared.some((path) => isSystem(path, places, world.foldsCase))) met.push(system(action, places, world));
  if (met.length === 0 && action.operation !== "mkdir" && (preset.secrets || preset.dangers)) {
    const inside = insideProtection(action, around, places);
    if (inside !== undefined) met.push(inside);
  }
}

/** A disk, memory or another device, by its name or by a pattern that matches one now. It is no secret by its name. */
function meansDevice(action: FileAction, compared: readonly string[], world: World): boolean {
  if (compared.some(isRawDevice)) return true;
  return (
    action.target.kind === "glob" &&
    /^\/dev\b/.test(rootOf(action.target) ?? "") &&
    findReached(action, isRawDevice, world).found !== undefined
  );
}

/** A name that is a secret means a file; a folder is one only when what lies in it is. */
function isSecretTarget(path: string, action: FileAction, world: World): boolean {
  if (action.target.kind === "unknown") return isSecretFolder(path);
  if (action.certificate === true && mayBeCertificate(path)) return false;
  if (!isSecretOf(world.home, path)) return isRecursive(action) && isSecretFolder(path);
  return isSecretFolder(path) || world.kind(path) !== "directory";
}

function secret(action: FileAction): Protection {
  const rule = action.operation === "read" ? "Read" : "Write";
  return {
    effect: "deny",
    builtin: "protect.secrets",
    reason: `${sayAction(action)}: this file may hold a secret`,
    help: byName(
      "if it holds no secret, allow it by name",
      "if it holds a secret, do without it",
      `${rule}(${printTarget(action.target)})`,
    ),
    scope: { by: "place", holds: isSecret },
  };
}

/** A protection that a rule with the very name ends. `otherwise`: what a person does who names none. */
function byName(person: string, otherwise: string, rule: string): Advice {
  const command = `assent allow ${quote(rule)}`;
  return {
    person: `${person}: ${command}`,
    model: `do without it, or ask the user to allow it by name: ${command}`,
    without: { person: otherwise, model: "do without it" },
  };
}

function system(action: FileAction, places: Places, world: World): Protection {
  return {
    effect: "deny",
    builtin: "protect.system",
    reason: `${sayAction(action)}: this is a system file`,
    help: REASONS["protect.system"].help,
    scope: { by: "place", holds: (path) => comparable([path], world).some((form) => isSystem(form, places, world.foldsCase)) },
  };
}

function gitConfig(action: FileAction): Protection {
  return {
    effect: "ask",
    builtin: "protect.git-config",
    reason: `${sayAction(action)}: the configuration of a repository can start programs`,
    help: REASONS["protect.git-config"].help,
    scope: { by: "place", holds: isGitConfig },
  };
}

/** git writes its configuration as its commands say, and those are judged. */
function isGitItself(exec: ExecAction | undefined): boolean {
  return exec?.program === "git" && exec.trusted && exec.knowledge !== undefined;
}

/** What a program keeps its own state in, or is opened with, is its own to read; others, and changes of it, are judged as ever. */
function isOwnState(path: string, action: FileAction, exec: ExecAction | undefined): boolean {
  if (action.operation !== "read" || exec?.trusted !== true) return false;
  const files = toldOf(STATES, exec.program) ?? toldOf(OPENS, exec.program);
  return files !== undefined && new RegExp(files, "i").test(path);
}

/** `cp .env.example .env`, the first step of many READMEs: nothing was there, and what is there then is the template. */
function isFirstCopy(path: string, exec: ExecAction | undefined, world: World): boolean {
  if (exec?.knowledge !== "cp" || exec.shape?.complete !== true || world.kind(path) !== "missing") return false;
  const { options, operands } = exec.shape;
  const [from, ...others] = operands;
  const plain = options.every(({ names }) => names.some((name) => /^-[finpv]$/.test(name)));
  return (
    plain &&
    others.length === 1 &&
    from?.known === true &&
    isTemplate(from.text) &&
    isNamedAfter(path, from.text) &&
    !isSecretFolder(parentOf(path))
  );
}

/** The file that such a command, started in `cwd`, makes. */
export function firstCopyOf(exec: ExecAction, cwd: string, world: World): string | undefined {
  const to = exec.shape?.operands[1];
  if (to?.known !== true) return undefined;
  const path = world.canonical(to.text.startsWith("/") ? to.text : joinPath(cwd, to.text));
  return isFirstCopy(path, exec, world) ? path : undefined;
}

/** `.env` of `.env.example`, in whatever folder. */
const isNamedAfter = (path: string, template: string): boolean => {
  const stem = baseName(path).replace(/(?<=.)\.\w+$/, "");
  return stem !== "" && baseName(template).startsWith(`${stem}.`);
};

/**
 * Something protected is known to go with what the action takes away. A repository that lies in there goes as a whole, its
 * hooks included.
 */
export function takesProtected(action: FileAction, around: ProtectionContext): boolean {
  const root = rootOf(action.target);
  if (root === undefined || (action.target.kind === "path" && !isRecursive(action) && action.operation !== "rename")) return false;
  const places = comparablePlaces(around.world);
  const goes = (path: string): boolean => action.operation === "delete" && isGitInternal(path) && isBelow(repositoryOf(path), root);
  return findReached(action, (path) => isKept(path, around, places) && !goes(path), around.world).found !== undefined;
}

const repositoryOf = (path: string): string => path.slice(0, path.search(/\/\.git(?:\/|$)/i) + 1);

/** A folder, a pattern or a run-time path: could something protected be in reach? The world is asked, within bounds. */
function insideProtection(action: FileAction, around: ProtectionContext, places: Places): Protection | undefined {
  if (action.target.kind === "path" && !isRecursive(action)) return undefined;
  const { world, exec } = around;
  const reads = action.operation === "read";
  const wanted = (path: string): boolean =>
    reads
      ? isSecretOf(world.home, path) && !around.opened(path) && !(isOftenShared(path) && world.tracked(path) === true)
      : isKept(path, around, places);
  const { found, complete } = findReached(action, wanted, world);
  if (found === undefined && complete && (reads || !mayBecomeKept(action, world, places))) return undefined;
  const scope: ProtectionScope = { by: "nothing" };
  if (found !== undefined) {
    const reason = reads
      ? `${sayAction(action)} reaches ${visible(found)}, which ${isRawDevice(found) ? "is a disk, memory or another device" : "may hold secrets"}`
      : `${sayAction(action)} reaches ${visible(found)}, which is protected`;
    return {
      effect: "ask",
      builtin: "protect.inside",
      reason,
      help: avoidHelp(found, exec),
      scope,
      ...(reads ? {} : heldBack(action, world)),
    };
  }
  const what = reads ? "which file it reads" : "which file it changes";
  const why = action.target.kind === "unknown" ? action.target.why : `${printTarget(action.target)} is too large to look through`;
  return {
    effect: "ask",
    builtin: "protect.unknown-target",
    reason: `it is not clear ${what}: ${visible(why)}`,
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

/** Of names that nobody knows one may be an agent's file, or one that starts programs, in a folder that has such, there now or not. */
function mayBecomeKept(action: FileAction, world: World, places: Places): boolean {
  const { target, operation } = action;
  if (target.kind !== "unknown" || operation === "delete" || operation === "metadata") return false;
  return spell(action, world).compared.some((form) => agentFile(form, places, true) !== undefined || mayHoldPersistence(form, world));
}

/** Something in a folder that a change of the folder must not touch unasked. */
function isKept(path: string, { world, opened }: ProtectionContext, places: Places): boolean {
  const [form = path] = comparable([path], world);
  // The floor's files are kept whatever is written.
  if (agentFile(form, places) !== undefined) return true;
  const isProtected =
    isSecretOf(world.home, path) ||
    isPersistenceHere(form, world) ||
    isGitConfig(form) ||
    isRawDevice(form) ||
    isSystem(form, places, world.foldsCase);
  return isProtected && !opened(path);
}

/** What to write so that a folder or pattern no longer reaches `found`. */
function avoidHelp(found: string, exec: ExecAction | undefined): string {
  const told = exec === undefined ? undefined : toldOf(EXCLUDES, exec.program);
  if (exec === undefined || told === undefined) return REASONS["protect.inside"].help;
  const name = baseName(found);
  // Quoted, behind the option or attached to it.
  const option = /[=!]$/.test(told) ? told : `${told} `;
  const at = option.lastIndexOf(" ") + 1;
  const word = `${option.slice(at)}${name}`;
  return `leave it out: ${exec.program} ${option.slice(0, at)}${/^[\w./=-]+$/.test(word) ? word : quote(word)}`;
}

const WHAT: Readonly<Record<Exclude<Reach, "public">, string>> = {
  metadata: "a cloud's metadata service, which hands out credentials",
  loopback: "this machine",
  "link-local": "the local network",
  private: "a private network",
  many: "many machines at once",
  reserved: "an address that nothing should connect to",
};

/**
 * What lies behind this machine's own doors (SSRF). A metadata service is denied to everybody; that a web tool
 * reaches this machine or its network is a question. Every host that some reader could take from the URL counts.
 */
export function netProtection(action: NetAction): Protection | undefined {
  if (action.operation === "listen") return undefined;
  const hosts = [...(action.host === undefined ? [] : [action.host]), ...(action.url === undefined ? [] : possibleHosts(action.url))];
  const found = hosts.map((host) => ({ host, reach: reachOfHost(host) }));
  const metadata = found.find(({ reach }) => reach === "metadata");
  if (metadata !== undefined) return protection(action, "deny", "metadata", metadata.host);
  if (action.operation !== "fetch" || action.origin.by !== "tool") return undefined;
  const inner = found.find(({ reach }) => reach !== "public");
  return inner === undefined || inner.reach === "public" ? undefined : protection(action, "ask", inner.reach, inner.host);
}

function protection(action: NetAction, effect: "ask" | "deny", reach: Exclude<Reach, "public">, host: string): Protection {
  return {
    effect,
    builtin: reach === "metadata" ? reach : `protect.net-${reach}`,
    reason: `${sayAction(action)} reaches ${WHAT[reach]}`,
    help: byName("if you trust it, allow it by name", "do without it", `Net(${host})`),
    scope: { by: "host", host },
  };
}

/** The rule is about this host, and not about hosts in general. */
export function namesHost(matcher: Matcher, host: string): boolean {
  const own = judgingOf(matcher).names.host(matcher);
  if (own === undefined) return false;
  const name = normaliseHost(host) ?? host;
  return own.host === name || (reachOfHost(own.host) === reachOfHost(name) && hostMatches(own.host, own.subdomains, name));
}
