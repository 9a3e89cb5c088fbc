import { WAITS, HOLDERS } from "#knowledge/traits";
import {
  type Action,
  CONFINED_NEEDS,
  type DangerId,
  DATABASE_FILE,
  type ExecAction,
  type FileAction,
  type NetAction,
  type ProcessAction,
  type Unknown,
  visible,
  type World,
  type Argument,
} from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { reachOfHost } from "./addresses.ts";
import { belowAny, comparablePlaces, withinAny } from "./match/location.ts";
import { obeysFiles } from "./tables/obeying-programs.ts";
import { isGitInternal } from "./tables/git-paths.ts";
import { dangerReason, isConfinable } from "./match/reasons.ts";
import { repositoriesAround, worksInOwnRepository } from "./repository.ts";
import { rootOf, spell } from "./targets.ts";
import type { Policy } from "./match/types.ts";
import {
  compareStrictness,
  type JudgedAction,
  type JudgedUnknown,
  type RequestVerdict,
  unconfined,
  type Verdict,
  verdictOf,
} from "./match/verdict.ts";
import { weightiest } from "./weight.ts";

/** What confining needs of judging. */
export interface ConfineContext {
  readonly world: World;
  /** What goes ahead can be started under a supervised run. */
  readonly confines?: boolean | undefined;
  /** Why what is allowed keeps the sandbox (`whySandboxed`); undefined: it runs nothing that an agent may have written. */
  readonly sandboxes?: ((found: RequestVerdict) => string | undefined) | undefined;
  /** Where nothing confines: a file that an agent has changed, nobody has looked at, and something allowed obeys: why that is. */
  readonly unseen?: ((found: RequestVerdict) => string | undefined) | undefined;
  /** What a run refuses is asked about when it has failed, so that nobody is asked beforehand what nobody wrote about. */
  readonly refusable?: boolean | undefined;
  /** What the same command was refused the last time that it ran confined and failed. */
  readonly failedBefore?: (() => string | undefined) | undefined;
  /** A process that a confined command of the same session has started. */
  readonly isOfSession?: ((pid: number) => boolean) | undefined;
  /** No process or group has the number: a signal to it reaches nobody. */
  readonly isGone?: ((target: number) => boolean) | undefined;
  /** This machine has no place for windows, or nobody holds the port: who looks for it finds nothing, sandboxed or not. */
  readonly isMissing?: ((need: "desktop" | `port ${number}`) => boolean) | undefined;
  /** A confined command is running, which may change what a request reads before it reads it. */
  readonly othersRun?: (() => boolean) | undefined;
  /** Something protected goes with what the action takes away. */
  readonly takesProtected: (action: FileAction) => boolean;
}

/**
 * After judging: a request is confined when nothing in it is denied and every obstacle is one that a supervised run sees
 * and undo can take back; and when what is allowed may run what an agent has written, for whoever allows it answers the
 * question and takes no sandbox away. INVARIANT: one part that is confined confines the whole.
 */
export function confineAll(found: RequestVerdict, policy: Policy, context: ConfineContext): RequestVerdict {
  const obstacles = found.actions.filter(({ verdict }) => verdict.decision !== "allow");
  const unknowns = found.unknowns.filter(({ verdict }) => verdict.decision !== "allow");
  const { unknown, mode } = policy.settings;
  const logs = unknown === "confine-log" && mode !== "full-auto";
  const sandbox = (why?: string): RequestVerdict => {
    const all = sandboxed(found, context, why);
    // What is only noted asks nobody.
    return logs && all.decision !== "allow" ? found : all;
  };
  if (found.decision === "allow") {
    const unseen = context.sandboxes === undefined ? "it is not known what it runs" : context.sandboxes(found);
    const why = unseen ?? whyRaced(found, context) ?? whyKept(found);
    return why === undefined ? found : sandbox(why);
  }
  if (obstacles.length + unknowns.length === 0) return found;
  const acts = obstacles.filter(
    ({ action, verdict }) =>
      (!isHeld(action, verdict, context) && !isHeldRepository(action, verdict, context.world) && !isSettled(action, verdict, found)) ||
      runsWhatItFetches(action, found),
  );
  // A rule for the command allows that it sets something, and not the code that works later, for others.
  const hidden = found.unknowns.filter(({ unknown, verdict }) =>
    verdict.decision === "allow" ? unknown.lasting === true && verdict.bare !== true : !isSeen(unknown, verdict),
  );
  return acts.length + hidden.length === 0 ? sandbox() : askedAbout(found, acts, hidden);
}

/** The question is about what cannot be sandboxed, not about what would have gone ahead so. */
function askedAbout(found: RequestVerdict, acts: readonly JudgedAction[], hidden: readonly JudgedUnknown[]): RequestVerdict {
  const verdicts = [...[weightiest(acts) ?? []].flat(), ...hidden.map(({ verdict }) => verdict)];
  const [first] = verdicts.toSorted((a, b) => compareStrictness(b, a));
  if (first === undefined || compareStrictness(first, found) !== 0 || found.waivable !== undefined) return found;
  return { ...first, actions: found.actions, unknowns: found.unknowns };
}

/** What a path leads to when it is judged need not be what is read: a link can be put in its place meanwhile. */
function whyRaced({ actions }: RequestVerdict, { othersRun, world }: ConfineContext): string | undefined {
  const reads = actions.filter(({ action, verdict }) => {
    if (verdict.bare === true) return false;
    if (action.kind === "exec") return obeysFiles(action.program, action.resolved);
    return action.kind === "file" && action.operation === "read" && action.upkeep !== true && isRunsOwn(action, world);
  });
  if (reads.length === 0) return undefined;
  const waits =
    actions.some(({ action }) => action.kind === "exec" && isWaiting(action)) || reads.some(({ action }) => isPipe(action, world));
  if (waits) return "it waits, and a sandboxed command may change meanwhile what it then reads";
  return othersRun?.() === true ? "a sandboxed command is running, which may change what it reads" : undefined;
}

/** A mode lets files be changed because that can be taken back: what a command changes is kept by a run alone. */
function whyKept({ actions }: RequestVerdict): string | undefined {
  const changes = actions.some(
    ({ action, verdict }) => action.kind === "file" && verdict.basis === "mode" && action.upkeep !== true && !isRead(action),
  );
  return changes ? "what it changes is kept for undo" : undefined;
}

/** It lets time pass between what it, or those behind it, open. */
const isWaiting = ({ program, argv }: ExecAction): boolean =>
  WAITS.has(program) || (/^g?tail$/.test(program) && argv.some((word) => !word.known || /^(?:-[a-zA-Z0-9]*[fF]|--f|--r)/.test(word.text)));

/** Who opens a pipe for reading waits for somebody who writes into it (fifo(7)). */
const isPipe = (action: Action, world: World): boolean =>
  action.kind === "file" && action.target.kind === "path" && world.kind(action.target.path) === "other";

/** Confined, unless it is known to fail so. */
function sandboxed(found: RequestVerdict, context: ConfineContext, why?: string): RequestVerdict {
  for (const [at, { action }] of found.actions.entries()) {
    const needs =
      action.kind === "exec" && !isNobody(action, context.world)
        ? (action.needs ?? []).filter((need) => !failsAnyway(need, at, found, context))
        : [];
    if (action.kind === "exec" && needs.length > 0) return askedBefore(found, { ...action, needs });
  }
  const refused = context.failedBefore?.();
  if (refused === undefined) return confined(found, why);
  const reason = `it failed when it ran sandboxed the last time, because it was refused: ${refused}`;
  const help = {
    person: "agree to run it once, not sandboxed; or allow by a rule what it was refused",
    model: "ask the user to let it run once, not sandboxed, or to allow by a rule what it was refused",
  };
  return { ...verdictOf("ask", "confine.fails", { reason, help }), actions: found.actions, unknowns: found.unknowns };
}

/** What it needs is not there for anybody: it ends sandboxed as it would without. Of windows that counts for tests of the project alone. */
function failsAnyway(need: string, at: number, { actions }: RequestVerdict, { isMissing }: ConfineContext): boolean {
  if (isMissing === undefined) return false;
  const all = actions.map(({ action }) => action);
  if (need === CONFINED_NEEDS.desktop) {
    const isTest = all.some(
      (action) => action.kind === "code" && action.source === "project" && "exec" in action.origin && action.origin.exec === at,
    );
    return isTest && isMissing("desktop");
  }
  if (need !== CONFINED_NEEDS.owners) return false;
  return soughtPorts(all)?.every((port) => isMissing(`port ${port}`)) === true;
}

/** A program by its path, where nothing lies and no run puts anything: it ends sandboxed as it would without. */
function isNobody({ argv: [word], resolved }: ExecAction, world: World): boolean {
  if (resolved === undefined || word?.known !== true || !word.text.includes("/") || world.kind(resolved) !== "missing") return false;
  const { project, temp } = comparablePlaces(world);
  return !withinAny(resolved, [...project, ...temp]);
}

/** It would only fail, with an error that says something else. */
function askedBefore({ actions, unknowns }: RequestVerdict, { program, needs: [need] = [] }: ExecAction): RequestVerdict {
  const rules = actions.flatMap(({ action, verdict }) => (action.kind === "exec" && verdict.bare !== true ? bareRule(action) : []));
  const what = need === undefined ? {} : { reason: `it would fail if it ran sandboxed: ${visible(program)} ${need}` };
  const always = rules.length === 0 || rules.length > 3 ? "" : `; to be asked no more, allow it with ${rules.join(" and ")}`;
  const one = rules.length > 1 ? "run its parts one by one, as commands of their own; or " : "";
  const help = {
    person: `agree to run it once, not sandboxed${always}`,
    model: `${one}ask the user to let it run once, not sandboxed${always}`,
  };
  return { ...verdictOf("ask", "confine.fails", { ...what, help }), actions, unknowns };
}

/** `docker build`, `npx playwright`: the rule that lets it run unconfined is for that. */
function bareRule({ program, argv: [word], shape, trusted, builtin, inert }: ExecAction): readonly string[] {
  const [first] = shape?.operands ?? [];
  const name = trusted ? program : word?.known === true ? word.text : "";
  if (builtin === true || inert !== undefined || !/^[\w.+/-]+$/.test(name)) return [];
  const words = first?.known === true && /^[a-z][\w-]*$/.test(first.text) ? `${name} ${first.text}` : name;
  return [JSON.stringify({ rule: `Bash(${words}:*)`, confined: false })];
}

function confined(found: RequestVerdict, why?: string): RequestVerdict {
  const { actions, unknowns, ...instead } = unconfined(found);
  const because = why ?? (instead.decision === "allow" ? undefined : instead.reason);
  const reason = because === undefined ? {} : { reason: `it goes ahead sandboxed: ${because}` };
  return { ...verdictOf("allow", "confined", reason), actions, unknowns, confined: instead };
}

function isHeld(action: Action, verdict: Verdict, context: ConfineContext): boolean {
  const { world } = context;
  const { decision, basis, builtin } = verdict;
  const changesFile = action.kind === "file" && !isRead(action);
  // A tool of the host's or of a server runs where no supervisor sees it.
  if (action.kind === "tool" || decision === "deny") return false;
  if (decision === "none") return action.kind === "exec" || action.kind === "code";
  // What is protected there would be refused halfway through; what is only written is refused by itself.
  if (changesFile && takesAlong(action) && context.takesProtected(action)) return false;
  // Its file is judged beside it, and undone.
  if (action.kind === "remote" && action.service === DATABASE_FILE) return basis === "default" || isConfinable(builtin);
  if (basis === "protection") return isConfinable(builtin) && (!changesFile || isRunsOwn(action, world));
  if (verdict.settledInRun === true) return true;
  if (basis !== "default") return false;
  if (context.refusable === true && action.kind !== "remote") return true;
  if (action.kind === "file") return action.absent === true || isRunsOwn(action, world) || isNowhere(action, world);
  // That it listens is a danger where anybody could come; here it is what a connection needs.
  if (action.kind === "net") return action.operation === "listen" || action.forge === true || isOwnMachine(action);
  return action.kind === "process" && action.operation === "signal" && isOwnJob(action, context);
}

/**
 * What a repository in a temporary folder makes git start works in the sandbox, as all that an agent makes there. Where no repository
 * is around the folder, git only says so; what it makes there itself (`git init`) is judged beside it.
 */
function isHeldRepository(action: Action, { builtin }: Verdict, world: World): boolean {
  const isHere = (id: DangerId): boolean => id === "foreign-repository" || isConfinable(dangerReason(id));
  if (builtin !== dangerReason("foreign-repository") || action.kind !== "exec" || action.pointed === true) return false;
  if (action.dangers?.every(isHere) !== true) return false;
  const { temp } = comparablePlaces(world);
  const folders = action.folders ?? [world.cwd];
  const isIn = action.pointed === "below" ? withinAny : belowAny;
  const isGit = action.pointed === undefined && action.trusted && /(?:^|\/)git$/.test(action.program);
  const isNone = (folder: string): boolean => isGit && repositoriesAround(folder, world).length === 0;
  return (
    folders.length > 0 &&
    folders.every((folder) => isIn(world.canonical(folder), temp) || worksInOwnRepository(folder, false, world) || isNone(folder))
  );
}

/** As long as nothing of the line may lead elsewhere: `GOMODCACHE`, `GIT_WORK_TREE`, `-c core.worktree`. */
const isSettled = (action: Action, { decision, basis }: Verdict, { actions, unknowns }: RequestVerdict): boolean =>
  action.kind === "file" &&
  action.settled === true &&
  decision === "ask" &&
  basis === "default" &&
  unknowns.length === 0 &&
  !actions.some((one) => one.action.kind === "code" && one.action.foreign === true);

/** A line that fetches, writes files and runs code, which may be what it has fetched: nobody has looked at it. */
function runsWhatItFetches(fetch: Action, { actions, unknowns }: RequestVerdict): boolean {
  if (fetch.kind !== "net" || fetch.forge !== true || fetch.origin.by !== "command") return false;
  const client = actions[fetch.origin.exec]?.action;
  // What git brings is a repository, which the sandbox holds as all that lies there.
  if (client?.kind === "exec" && client.program === "git") return false;
  const all = actions.map(({ action }) => action);
  const writes = all.some((action) => action.kind === "file" && action.operation === "write" && action.upkeep !== true);
  return writes && (unknowns.length > 0 || all.some((action) => action.kind === "code" || (action.kind === "exec" && !action.trusted)));
}

const isSeen = ({ lasting }: Unknown, { decision, basis, builtin }: Verdict): boolean =>
  decision === "ask" && basis === "protection" && isConfinable(builtin) && lasting !== true;

/**
 * A drive of Windows as Git Bash (`/c`), WSL (`/mnt/c`) and Cygwin (`/cygdrive/c`) name it, where there is none: what is written, changed
 * or moved below it fails for want of the folder. Making that folder is a question.
 */
function isNowhere({ operation, target }: FileAction, world: World): boolean {
  if (operation === "mkdir" || target.kind !== "path") return false;
  const [drive] = /^(?:\/mnt|\/cygdrive)?\/[a-z](?=\/.)/.exec(target.path) ?? [];
  return drive !== undefined && world.canonical(target.path) === target.path && world.kind(drive) === "missing";
}

const isRead = ({ operation }: FileAction): boolean => operation === "read" || operation === "list" || operation === "execute";

/** Whoever deletes, moves or changes a folder's rights means all that is in it. */
const takesAlong = ({ operation }: FileAction): boolean => operation === "delete" || operation === "rename" || operation === "metadata";

/**
 * `kill %1`, `kill $!`, `pkill NAME`: a session's confined processes may signal each other, and nobody else. A number says who is
 * meant: one of these, or nobody.
 */
function isOwnJob({ target }: ProcessAction, { isOfSession, isGone }: ConfineContext): boolean {
  if (!/^\s*[-+]?\d/.test(target)) return true;
  if (!/^-?[1-9]\d{0,9}$/.test(target)) return false;
  return isOfSession?.(Math.abs(Number(target))) === true || isGone?.(Number(target)) === true;
}

/** A run lets itself be reached by what its session started, and by nothing else of this machine. */
function isOwnMachine({ host, seems }: NetAction): boolean {
  const named = host ?? seems;
  return named !== undefined && reachOfHost(named) === "loopback";
}

/** In the project or a temporary folder: what a run changes without asking. Neither folder itself is taken away. */
function isRunsOwn(action: FileAction, world: World): boolean {
  const { project, temp, home } = comparablePlaces(world);
  // A folder that holds home is nobody's project.
  const own = [...project.filter((root) => !home.some((folder) => isWithin(folder, root))), ...temp];
  const root = rootOf(action.target);
  // Nobody knows where: each path is judged when it is touched.
  if (root === undefined) return true;
  if (action.target.kind === "unknown") return true;
  const { compared } = spell(action, world);
  if (compared.length === 0) return false;
  if (!takesAlong(action)) return compared.every((path) => withinAny(path, own));
  const isGits = action.operation === "delete" && compared.some((path) => isGitInternal(path) && !isLeftLock(action, path));
  return compared.every((path) => belowAny(path, own)) && !isGits;
}

/** What a git that was killed leaves behind, and the next one says is in the way: `.git/index.lock`, `.git/refs/heads/x.lock`. */
const isLeftLock = ({ target, recursive }: FileAction, path: string): boolean =>
  target.kind === "path" && recursive !== true && /\/\.git\/(?:(?:refs|logs|worktrees|modules)\/(?:[^/]+\/)*)?[\w.-]+\.lock$/.test(path);

const LISTED = /^(?:[46]?(?:tcp|udp)?)?:(\d{1,5}(?:,\d{1,5})*)$/i;

/** The ports of which a line looks for the holders, and of nothing else; undefined: something else, too, or only known at run time. */
function soughtPorts(actions: readonly Action[]): readonly number[] | undefined {
  const found: number[] = [];
  for (const action of actions) {
    if (action.kind !== "exec" || !HOLDERS.has(action.program)) continue;
    const [, ...words] = action.argv;
    const ports = action.program === "lsof" ? portsOfLsof(words) : [];
    if (ports.length === 0) return undefined;
    found.push(...ports);
  }
  return found.length === 0 || found.some((port) => port === 0 || port > 65_535) ? undefined : found;
}

/** lsof(8): `-ti:3000`, `-t -i tcp:3000`, `-iTCP:3000 -sTCP:LISTEN`. Any other word chooses more. */
function portsOfLsof(words: readonly Argument[]): readonly number[] {
  const ports: number[] = [];
  let isAddress = false;
  for (const word of words) {
    if (!word.known) return [];
    const [, address] = /^-[tnPQw]*i(.*)$/.exec(word.text) ?? [];
    const text = address ?? (isAddress ? word.text : "");
    const [, list] = LISTED.exec(text) ?? [];
    if (list !== undefined) ports.push(...list.split(",").map(Number));
    else if (address !== "" && !/^-(?:[tnPQw]+|s(?:TCP|UDP):LISTEN)$/i.test(word.text)) return [];
    isAddress = address === "";
  }
  return isAddress ? [] : ports;
}
