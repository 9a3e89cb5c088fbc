import { type Action, type FileAction, visible } from "@assent/core/action";
import { resolvePath } from "@assent/core/path";
import {
  isPathField,
  judge,
  type JudgeContext,
  matchFile,
  pathFields,
  type Policy,
  type JudgedAction,
  type RequestVerdict,
  stricterOf,
  type Verdict,
  verdictOf,
} from "@assent/core/policy";
import { addRefusals, type FileIdentity, identityOfPath, type Machine, type RecordedRefusal, refusalsSince } from "../state/index.ts";
import { holderOf, type Request } from "@assent/core/request";
import type { Judging } from "./situation.ts";

/**
 * Memory of refusals: what was refused through one tool is refused through another, in the same session, for a
 * while. A path is known by its canonical name and by the object it led to, so that a link or a rename helps nobody.
 * INVARIANT: it can only make a verdict stricter, and nobody's silence is remembered as a refusal.
 */

const READS = new Set<FileAction["operation"]>(["read", "list", "execute"]);
/** What gives an object another name. */
const MOVES = new Set<FileAction["operation"]>(["rename", "link"]);

function sessionOf(request: Request): string | undefined {
  const name = request.session ?? request.memory;
  const holder = holderOf(request);
  return name === undefined || holder === "" ? name : `${name} of ${holder}`;
}

/** Makes stricter what touches something that was refused before. */
export function recallRefusals(request: Request, verdict: RequestVerdict, { policy, context, machine }: Judging): RequestVerdict {
  const { minutes } = policy.settings.automation.refusals;
  const session = sessionOf(request);
  if (minutes === 0 || session === undefined || verdict.decision === "deny") return verdict;
  const remembered = refusalsSince(machine, session, Date.now() - minutes * 60_000);
  if (remembered.length === 0) return verdict;
  let strictest: Verdict = verdict;
  const actions = verdict.actions.map((judged): JudgedAction => {
    const stricter =
      judged.action.kind === "file" ? recall(judged.action, judged.verdict, remembered, { policy, context, machine }) : undefined;
    if (stricter === undefined) return judged;
    strictest = stricterOf(strictest, stricter);
    return { ...judged, verdict: stricter };
  });
  if (strictest === verdict) return verdict;
  const { actions: _actions, unknowns, ...own } = verdict;
  return { ...(strictest === verdict ? own : strictest), actions, unknowns };
}

function recall(
  action: FileAction,
  verdict: Verdict,
  remembered: readonly RecordedRefusal[],
  { policy, context, machine }: Judging,
): Verdict | undefined {
  let object: FileIdentity | undefined | false = false;
  let strictest = verdict;
  const weigh = (other: Verdict): void => void (strictest = stricterOf(strictest, other));
  for (const refusal of remembered) {
    const matters = MOVES.has(action.operation) || (refusal.what === "read") === READS.has(action.operation);
    const named = reaches(action, refusal.path, context);
    const alias =
      !named && refusal.identity !== undefined && isSame((object = object === false ? identityAt(action, machine) : object), refusal);
    if (!named && !alias) continue;
    // Under its own name the policy speaks for itself; under another it speaks about the same object.
    if (refusal.by === "policy") {
      if (alias) weigh(asThat(action, refusal, policy, context));
      if (MOVES.has(action.operation)) weigh(before(refusal, "another name for"));
    } else if (matters) weigh(before(refusal, "what may be"));
  }
  return strictest === verdict ? undefined : strictest;
}

/** Whether an action is about a path, or may be. */
function reaches(action: FileAction, path: string, context: JudgeContext): boolean {
  if (!/[*?[\]{}\\!]/.test(path)) return matchFile(path, action, "wide", context) !== "no";
  // As a pattern it would say something else.
  const { target } = action;
  if (target.kind !== "path" && target.kind !== "tree") return true;
  const reached = context.world.canonical(target.path);
  return reached === path || path.startsWith(`${reached}/`);
}

function identityAt({ target }: FileAction, { remote }: Machine): FileIdentity | undefined {
  return target.kind === "path" && remote !== true ? identityOfPath(target.path) : undefined;
}

/** An object's number is given again once it is gone: what was born at another time is another one. */
function isSame(object: FileIdentity | undefined, { identity }: RecordedRefusal): boolean {
  if (object === undefined || identity === undefined) return false;
  return object.device === identity.device && object.inode === identity.inode && (!object.knows || object.born === identity.born);
}

/** What the policy says about the same under the name it was refused by. */
function asThat(action: FileAction, refusal: RecordedRefusal, policy: Policy, context: JudgeContext): Verdict {
  const { asGiven: _, ...rest } = action;
  const same: Action = { ...rest, target: { kind: "path", path: refusal.path }, origin: { by: "tool" } };
  const [judged] = judge({ actions: [same], unknowns: [] }, policy, context).actions;
  const verdict = judged?.verdict ?? before(refusal, "");
  return { ...verdict, reason: `it is the same file as ${visible(refusal.path)}, which was refused: ${verdict.reason}` };
}

function before({ by, tool, path, what, time }: RecordedRefusal, how: string): Verdict {
  const who = by === "person" ? "the user" : "the policy";
  const minutes = Math.max(1, Math.round((Date.now() - time) / 60_000));
  const reason = `${how} ${visible(path)}: ${who} refused to let ${visible(tool)} ${what} it ${minutes} min ago`;
  return verdictOf("ask", "refused.before", { reason });
}

/** After a decision: what the policy denied. Says what went wrong. */
export function rememberDenied(request: Request, verdict: RequestVerdict, judging: Judging): string | undefined {
  if (verdict.decision !== "deny") return undefined;
  const paths = verdict.actions.flatMap(({ action, verdict: own }): readonly RefusedPath[] => {
    if (own.decision !== "deny" || own.basis === "floor") return [];
    if (action.kind === "file") return pathOf(action, "policy");
    return action.kind === "tool" && isAboutPaths(own, judging.policy) ? pathFields(action).flatMap((path) => bothWays(path)) : [];
  });
  return remember(request, paths, judging);
}

/** After a person has answered a question about a request. Says what went wrong. */
export function rememberAnswer(
  request: Request,
  verdict: RequestVerdict,
  answer: "allowed" | "refused",
  judging: Judging,
): string | undefined {
  const paths = verdict.actions.flatMap(({ action, verdict: { decision } }) =>
    action.kind === "file" && (decision === "ask" || decision === "none") ? pathOf(action, "person") : [],
  );
  if (answer === "refused") return remember(request, paths, judging);
  // Only what was refused can be allowed after all.
  const session = sessionOf(request);
  const any = session !== undefined && refusalsSince(judging.machine, session, 0).length > 0;
  const over = paths.map((path) => ({ ...path, over: true as const }));
  return any ? remember(request, over, judging) : undefined;
}

type RefusedPath = Pick<RecordedRefusal, "what" | "path" | "by" | "over">;

function pathOf({ operation, target }: FileAction, by: RecordedRefusal["by"]): readonly RefusedPath[] {
  return target.kind === "path" ? [{ what: READS.has(operation) ? "read" : "change", path: target.path, by }] : [];
}

/** What a tool does with a path nobody knows. */
const bothWays = (path: string): readonly RefusedPath[] => [
  { what: "read", path, by: "tool" },
  { what: "change", path, by: "tool" },
];

/** A tool was denied because of a path in its input, and not as such. */
function isAboutPaths({ rule }: Verdict, { rules }: Policy): boolean {
  if (rule === undefined) return false;
  const { matcher } = rules.find(({ source }) => source.file === rule.file && source.line === rule.line && source.text === rule.text) ?? {};
  if (matcher?.kind !== "tool") return matcher?.kind === "path" && matcher.pattern !== undefined;
  return matcher.where?.by === "path" || (matcher.where?.by === "field" && isPathField(matcher.where.field));
}

function remember(request: Request, paths: readonly RefusedPath[], { policy, context, machine }: Judging): string | undefined {
  const session = sessionOf(request);
  if (session === undefined || paths.length === 0 || policy.settings.automation.refusals.minutes === 0) return undefined;
  const time = Date.now();
  const { tool } = request;
  const refusals = paths.slice(0, MOST_AT_ONCE).map((found): RecordedRefusal => {
    const path = context.world.canonical(resolvePath(context.world.cwd, found.path));
    return { ...found, path, time, tool, identity: found.over === true || machine.remote === true ? undefined : identityOfPath(path) };
  });
  return addRefusals(machine, session, refusals);
}

const MOST_AT_ONCE = 50;
