import { existsSync, realpathSync } from "node:fs";
import type { Action } from "../../action/index.ts";
import { baseName, joinPath, parentOf } from "../../path/index.ts";
import { steeringFile, type Verdict } from "../../policy/index.ts";
import type { CommandPlan } from "../errands/index.ts";
import { type Caller, isCheckingOut } from "../judge/index.ts";
import { kindOf, type ObjectStat } from "../undo/index.ts";
import { type DecodedCall, type DecodedExec, isExec, SET_ID_BITS } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import { type CallPlace, type ConsentedPlace, OwnWork } from "./own-work.ts";

/**
 * Which calls a person's earlier word covers: those on what this run made where it was let. INVARIANT: only where the default of a
 * run for places outside the project is all that asks, of every single thing the call does; what a rule or a protection says of
 * it (secrets, hooks, startup files, settings of agents, files that name programs for later commands) is asked, or refused, as ever.
 */
export class OwnWorkJudge {
  readonly #judge: DoorOptions["judge"];
  readonly #own: OwnWork;
  /** Plans that a person said yes to. */
  readonly #consented = new Set<string>();
  /** Folders that they let a command make by name: it may fill them as if it had been asked about each. */
  readonly #named = new Set<string>();

  constructor({ judge, home, env }: Pick<DoorOptions, "judge" | "home" | "env">) {
    this.#judge = judge;
    this.#own = new OwnWork(realOf(home), (path) => programElsewhere(path, env["PATH"]) !== undefined);
  }

  /** `plans`: of who makes the call, and of those who started it; what was said to others is no word to this one. */
  covers(work: DecodedCall | DecodedExec, verdict: Verdict, caller: Caller, plans: readonly CommandPlan[]): boolean {
    if (this.#own.isEmpty && this.#consented.size === 0) return false;
    const places = plans.filter((plan) => this.#consented.has(JSON.stringify(plan))).flatMap((plan) => placesOf(plan));
    return this.#coveredWith(places, work, verdict, caller);
  }

  /** The wish that a question is a part of, so that a person is asked about all of it at once. */
  planOf(work: DecodedCall | DecodedExec, verdict: Verdict, caller: Caller, plans: readonly CommandPlan[]): CommandPlan | undefined {
    // What one command of an installation names is a part of the whole.
    const largestFirst = plans.toSorted((one, other) => Number(one.is === "named") - Number(other.is === "named"));
    return largestFirst.find((plan) => this.#coveredWith(placesOf(plan), work, verdict, caller));
  }

  /** A person said yes to it. */
  consentTo(plan: CommandPlan): void {
    this.#consented.add(JSON.stringify(plan));
    if (plan.does === "folders") for (const path of plan.into) this.#named.add(path);
  }

  #coveredWith(more: readonly ConsentedPlace[], work: DecodedCall | DecodedExec, verdict: Verdict, caller: Caller): boolean {
    if (isExec(work) || !isPlaceQuestion(verdict) || work.judge !== undefined) return false;
    const { actions, about, places = [] } = work;
    if (places.length === 0) return false;
    // What a folder brings along to its new place, by itself.
    if (about?.moves !== undefined && !isHarmless(this.#judge.call([], caller, about), actions)) return false;
    return actions.every((action) => {
      const own = this.#judge.call([action], caller, { ...about, moves: undefined });
      // A grant is counted only where the whole call is allowed by it.
      if (own.decision === "allow") return own.basis !== "grant";
      return isPlaceQuestion(own) && this.#isCovered(action, work, { places, more, caller, isProgram: own.builtin === "run.programs" });
    });
  }

  #isCovered(action: Action, { call }: DecodedCall, { places, more, caller, isProgram }: CoveredBy): boolean {
    if (action.kind !== "file" || (action.target.kind !== "path" && action.target.kind !== "tree")) return false;
    const { path } = action.target;
    const [first, second] = places;
    // The file that gets another name stays as it is: whoever changes it by that name is asked, for the run has not made it.
    if (call.name === "link" && path === first?.path && path !== second?.path)
      return (
        second !== undefined &&
        this.#own.covers(second, { operation: action.operation, writes: false, makes: false, isProgram: false }, more)
      );
    const moves = call.name === "rename" || call.name === "symlink" || call.name === "link";
    const changesContent = action.operation === "write" || action.operation === "edit" || action.operation === "link";
    if (lendsRights(action, places)) return false;
    // As inside the project: what git checks out, it writes under the names by which it is tracked.
    // A folder takes along what lies in it: `mv x .cargo`, `ln -s x .vscode`.
    if ((changesContent || moves) && steeringFile(path, moves)?.effect === "asked" && !isCheckingOut(caller.programs())) return false;
    if (call.name === "rename" && first !== undefined && this.#own.replaces(first, path)) return true;
    const arrives = call.name === "rename" && path !== first?.path;
    const use = {
      // What is replaced by a move is changed.
      operation: action.operation === "delete" && arrives ? "write" : action.operation,
      writes: changesContent && !arrives,
      makes: call.name === "open" || call.name === "mkdir",
      isProgram,
    };
    return places.some((place) => place.path === path && this.#own.covers(place, use, more));
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
    this.#own.made(object, added.path, kindOf(object.mode) === "directory", consent === "asked" || this.#named.has(added.path));
  }
}

/** A single program arrives as one that is made: it is looked at by itself. */
const isHarmless = (moved: Verdict, actions: readonly Action[]): boolean =>
  moved.decision === "allow" ||
  (moved.builtin === "run.programs" && !actions.some((action) => action.kind === "file" && action.target.kind === "tree"));

interface CoveredBy {
  readonly places: readonly CallPlace[];
  readonly more: readonly ConsentedPlace[];
  readonly caller: Caller;
  readonly isProgram: boolean;
}

/** Only the default asks, for it lies outside; or it is a program of a person's own. */
const isPlaceQuestion = ({ decision, basis, builtin }: Verdict): boolean =>
  decision === "ask" && ((basis === "default" && builtin === "run.outside") || builtin === "run.programs");

/** With the folders above them, which may not be there yet. */
function placesOf({ into, programs, does, tool }: CommandPlan): readonly ConsentedPlace[] {
  if (does !== undefined)
    return [
      ...into.map((path) => ({ path, holds: does }) as const),
      ...(does === "files" ? [...new Set(into.map(parentOf))].map((path) => ({ path, holds: "working", tool }) as const) : []),
      ...(does === "folders" ? foldersOnTheWay(into) : []),
    ];
  const above = [...into, ...programs].flatMap((path) => foldersAbove(path));
  return [
    ...into.map((path) => ({ path, holds: "new" }) as const),
    ...programs.map((path) => ({ path, holds: "programs" }) as const),
    ...[...new Set(above)].map((path) => ({ path, holds: "object" }) as const),
  ];
}

/** `mkdir -p a/b`: what is not there yet. */
const foldersOnTheWay = (into: readonly string[]): readonly ConsentedPlace[] =>
  [...new Set(into.flatMap((path) => foldersAbove(path)))].map((path) => ({ path, holds: "folders" }) as const);

function foldersAbove(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = parentOf(path); at !== "/" && at !== "."; at = parentOf(at)) found.push(at);
  return found;
}

const USUAL = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** What later commands start by this name now, where it lies elsewhere. */
export function programElsewhere(path: string, searched = ""): string | undefined {
  const name = baseName(path);
  const folders = [...searched.split(":").filter((folder) => folder.startsWith("/")), ...USUAL];
  return folders.map((folder) => joinPath(folder, name)).find((other) => other !== path && existsSync(other));
}

const deniedIn = (verdict: Verdict): Verdict | undefined => (verdict.decision === "deny" ? verdict : undefined);

/** What the call makes that was not there. */
const addedBy = ({ places = [], makes }: DecodedCall): CallPlace | undefined => (makes === undefined ? undefined : places.at(-1));

/** Whoever starts it has other rights than their own, or it is another's. */
function lendsRights(action: Action, [place]: readonly CallPlace[]): boolean {
  if (action.kind !== "file" || action.call === undefined) return false;
  const { name, args } = action.call;
  if (name === "chmod") return (Number.parseInt(String(args[1]), 8) & SET_ID_BITS) !== 0;
  // `tar` and `cp -a`, as root, say whose it is even where it is so already.
  if (name === "chown") return !isAlreadyOf(place?.object, args.slice(1).map(Number));
  // `install` and `cp -p` hand on who may use a file (acl(5)); rights of programs lie elsewhere (capabilities(7)).
  return name === "setxattr" && !/^(?:user\.|system\.posix_acl_)/.test(String(args[1]));
}

/** -1 leaves it as it is (chown(2)). */
const isAlreadyOf = (object: ObjectStat | undefined, [uid, gid]: readonly number[]): boolean =>
  object !== undefined && (uid === -1 || uid === object.uid) && (gid === -1 || gid === object.gid);

/** The file whose new text is first written beside it: `F.lock` (git), `F.tmp`, `F.new`, `F~`. */
const replacedBy = (path: string): string | undefined => /^(.*\/[^/]+?)(?:\.(?:lock|tmp|temp|new|bak|orig|part)|~)$/.exec(path)?.[1];

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
