import type { Action, FileAction, Unknown, World } from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { belowAny, comparablePlaces } from "./location.ts";
import { isGitInternal } from "./path-class.ts";
import { isConfinable } from "./reasons.ts";
import { rootOf, spell } from "./targets.ts";
import type { Policy } from "./types.ts";
import { type JudgedAction, type RequestVerdict, unconfined, type Verdict, verdictOf } from "./verdict.ts";

/** What confining needs of judging. */
export interface ConfineContext {
  readonly world: World;
  readonly confines?: boolean | undefined;
}

/**
 * After judging: a request is confined when nothing in it is denied and every obstacle is one that a supervised run sees
 * and undo can take back; and when what a rule allows is code, for that rule answers the question and takes no wall away.
 */
export function confine(found: RequestVerdict, policy: Policy, { world, confines }: ConfineContext): RequestVerdict {
  if (confines !== true || !confinesAnything(policy)) return found;
  const obstacles = found.actions.filter(({ verdict }) => verdict.decision !== "allow");
  const unknowns = found.unknowns.filter(({ verdict }) => verdict.decision !== "allow");
  if (found.decision === "allow") return found.actions.some(runsCode) ? confined(found) : found;
  if (obstacles.length + unknowns.length === 0) return found;
  const everything = policy.settings.mode === "full-auto";
  const held =
    obstacles.every(({ action, verdict }) => isHeld(action, verdict, { world, everything })) &&
    unknowns.every(({ unknown, verdict }) => isSeen(unknown, verdict));
  return held ? confined(found) : found;
}

/** A run allows less by itself under the stricter presets: what these ask about stays a question. */
export function confinesAnything({ settings, broken }: Policy): boolean {
  const { preset, unknown, mode } = settings;
  const wanted = unknown === "confine" || unknown === "confine-log" || (mode === "full-auto" && unknown !== "deny");
  return wanted && broken === undefined && (preset === "default" || preset === "permissive");
}

function confined(found: RequestVerdict): RequestVerdict {
  const { actions, unknowns, ...instead } = unconfined(found);
  const reason = instead.decision === "allow" ? {} : { reason: `it goes ahead confined: ${instead.reason}` };
  return { ...verdictOf("allow", "confined", reason), actions, unknowns, confined: instead };
}

/** Code that a written rule allows: whoever may write the code must not choose what runs without the wall. */
function runsCode({ action, verdict }: JudgedAction): boolean {
  if (verdict.basis !== "rule" || verdict.bare === true) return false;
  return action.kind === "code" || (action.kind === "exec" && (!action.trusted || action.ownTool === true));
}

interface Holding {
  readonly world: World;
  /** `full-auto`: a run allows by itself what is only asked because nobody wrote anything about it. */
  readonly everything: boolean;
}

function isHeld(action: Action, verdict: Verdict, { world, everything }: Holding): boolean {
  const { decision, basis, builtin } = verdict;
  const changesFile = action.kind === "file" && !isRead(action);
  // A tool of the host's or of a server runs where no supervisor sees it.
  if (action.kind === "tool" || decision === "deny") return false;
  if (decision === "none") return action.kind === "exec" || action.kind === "code";
  // What is protected would be refused halfway through.
  if (builtin === "protect.inside" && changesFile) return false;
  if (basis === "protection") return isConfinable(builtin) && (!changesFile || isRunsOwn(action, world));
  if (basis !== "default") return false;
  if (action.kind === "file") return everything || isRunsOwn(action, world);
  // That it listens is a danger where anybody could come; here it is what a connection needs.
  if (action.kind === "net") return everything || action.operation === "listen";
  return everything && (action.kind === "process" || action.kind === "exec" || action.kind === "code");
}

const isSeen = ({ lasting }: Unknown, { decision, basis, builtin }: Verdict): boolean =>
  decision === "ask" && basis === "protection" && isConfinable(builtin) && lasting !== true;

const isRead = ({ operation }: FileAction): boolean => operation === "read" || operation === "list" || operation === "execute";

/** In the project or a temporary folder, below its top: what a run changes without asking. */
function isRunsOwn(action: FileAction, world: World): boolean {
  const { project, temp, home } = comparablePlaces(world);
  // A folder that holds home is nobody's project.
  const own = [...project.filter((root) => !home.some((folder) => isWithin(folder, root))), ...temp];
  const root = rootOf(action.target);
  // Nobody knows where: each path is judged when it is touched.
  if (root === undefined) return true;
  const isBelow = (path: string): boolean => belowAny(path, own);
  if (action.target.kind === "unknown") return true;
  const { compared } = spell(action, world);
  return compared.length > 0 && compared.every(isBelow) && !(action.operation === "delete" && compared.some(isGitInternal));
}
