import { realpathSync } from "node:fs";
import type { Action } from "../../action/index.ts";
import { joinPath } from "../../path/index.ts";
import { steeringFile, type Verdict } from "../../policy/index.ts";
import { type Caller, isCheckingOut } from "../judge/index.ts";
import { kindOf } from "../undo/index.ts";
import { type DecodedCall, type DecodedExec, isExec, SET_ID_BITS } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import { type CallPlace, OwnWork } from "./own-work.ts";

/**
 * Which calls a person's earlier word covers: those on what this run made where it was let. INVARIANT: only where the default of a
 * run for places outside the project is all that asks, of every single thing the call does; what a rule or a protection says of
 * it (secrets, hooks, startup files, settings of agents, files that name programs for later commands) is asked, or refused, as ever.
 */
export class OwnWorkJudge {
  readonly #judge: DoorOptions["judge"];
  readonly #own: OwnWork;

  constructor({ judge, home }: Pick<DoorOptions, "judge" | "home">) {
    this.#judge = judge;
    this.#own = new OwnWork(realOf(home));
  }

  covers(work: DecodedCall | DecodedExec, verdict: Verdict, caller: Caller): boolean {
    if (this.#own.isEmpty || isExec(work) || !isPlaceQuestion(verdict) || work.judge !== undefined) return false;
    const { actions, about, places = [] } = work;
    if (places.length === 0) return false;
    // What a folder brings along to its new place, by itself.
    if (about?.moves !== undefined && this.#judge.call([], caller, about).decision !== "allow") return false;
    return actions.every((action) => {
      const own = this.#judge.call([action], caller, about);
      // A grant is counted only where the whole call is allowed by it.
      if (own.decision === "allow") return own.basis !== "grant";
      return isPlaceQuestion(own) && this.#isCovered(action, work, places, caller);
    });
  }

  #isCovered(action: Action, { call }: DecodedCall, places: readonly CallPlace[], caller: Caller): boolean {
    if (action.kind !== "file" || (action.target.kind !== "path" && action.target.kind !== "tree")) return false;
    const { path } = action.target;
    const moves = call.name === "rename" || call.name === "symlink" || call.name === "link";
    const changesContent = action.operation === "write" || action.operation === "edit" || action.operation === "link";
    if (lendsRights(action)) return false;
    // As inside the project: what git checks out, it writes under the names by which it is tracked.
    // A folder takes along what lies in it: `mv x .cargo`, `ln -s x .vscode`.
    if ((changesContent || moves) && steeringFile(path, moves)?.effect === "asked" && !isCheckingOut(caller.programs())) return false;
    const [from] = places;
    if (call.name === "rename" && from !== undefined && this.#own.replaces(from, path)) return true;
    const arrives = call.name === "rename" && path !== from?.path;
    return places.some((place) => place.path === path && this.#own.covers(place, { writes: changesContent && !arrives }));
  }

  /** What is refused in the end is refused at the first step: nobody is asked for the way to it. */
  refusedInTheEnd(work: DecodedCall | DecodedExec, verdict: Verdict, caller: Caller): Verdict | undefined {
    if (isExec(work) || !isPlaceQuestion(verdict) || work.note === undefined) return undefined;
    const [path = ""] = work.call.args;
    if (typeof path !== "string") return undefined;
    if (work.call.name === "mkdir") return deniedIn(this.#judge.wouldWrite(joinPath(path, "#"), caller));
    if (work.call.name !== "open") return undefined;
    const real = replacedBy(path);
    return real === undefined ? undefined : deniedIn(this.#judge.wouldReplace(real, path, caller));
  }

  /** It succeeded. */
  done(work: DecodedCall, result: number, consent: "asked" | "covered"): void {
    const added = addedBy(work);
    const object = added === undefined ? undefined : work.makes?.(result);
    if (added === undefined || object === undefined || typeof object === "number") return;
    this.#own.made(object, added.path, kindOf(object.mode) === "directory", consent === "asked");
  }
}

/** Only the default asks: it lies outside. */
const isPlaceQuestion = ({ decision, basis, builtin }: Verdict): boolean =>
  decision === "ask" && basis === "default" && builtin === "run.outside";

const deniedIn = (verdict: Verdict): Verdict | undefined => (verdict.decision === "deny" ? verdict : undefined);

/** What the call makes that was not there. */
const addedBy = ({ places = [], makes }: DecodedCall): CallPlace | undefined => (makes === undefined ? undefined : places.at(-1));

/** Whoever starts it has other rights than their own. */
const lendsRights = (action: Action): boolean =>
  action.kind === "file" &&
  ((action.call?.name === "chmod" && (Number.parseInt(String(action.call.args[1]), 8) & SET_ID_BITS) !== 0) ||
    action.call?.name === "chown" ||
    action.call?.name === "setxattr");

/** The file whose new text is first written beside it: `F.lock` (git), `F.tmp`, `F.new`, `F~`. */
const replacedBy = (path: string): string | undefined => /^(.*\/[^/]+?)(?:\.(?:lock|tmp|temp|new|bak|orig|part)|~)$/.exec(path)?.[1];

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
