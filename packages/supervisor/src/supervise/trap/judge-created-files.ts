import { existsSync, lstatSync } from "node:fs";
import { realPath } from "@assent/guard/state";
import type { Action, Call, FileAction } from "@assent/core/action";
import type { Extent } from "@assent/guard/approve";
import { baseName, isWithin, joinPath, parentOf, resolvePath } from "@assent/core/path";
import { escapeSegment } from "@assent/core/pattern";
import { controlFile, type Verdict } from "@assent/core/policy";
import { cachePlan, type CommandPlan } from "../services/plans.ts";
import { filesBehind, madeUpName } from "../services/working.ts";
import { isWorkingFile } from "../services/named.ts";
import type { Caller } from "../judge/types.ts";
import { isCheckingOut } from "../judge/git-config.ts";
import { kindOf, type ObjectStat } from "../undo/index.ts";
import { type DecodedCall, type DecodedExec, fileAction, isExec, SET_ID_BITS } from "./operation.ts";
import type { TrapOptions } from "./options.ts";
import { asNamed } from "./sentences.ts";
import { type CallPlace, type ConsentedPlace, isForFilling, CreatedFiles } from "./created-files.ts";

/**
 * Which calls a person's earlier word covers: those on what this run made where it was let. INVARIANT: only where the default of a
 * run for places outside the project is all that asks, of every single thing the call does; what a rule or a protection says of
 * it (secrets, hooks, startup files, settings of agents, files that name programs for later commands) is asked, or refused, as ever.
 */
export class CreatedFilesJudge {
  readonly #judge: TrapOptions["judge"];
  readonly #own: CreatedFiles;
  readonly #home: string;
  /** Plans that a person said yes to. */
  readonly #consented = new Set<string>();
  /** Folders that they let a command make by name: it may fill them as if it had been asked about each. */
  readonly #named = new Set<string>();

  constructor({ judge, home, env }: Pick<TrapOptions, "judge" | "home" | "env">) {
    this.#judge = judge;
    this.#home = realPath(home);
    this.#own = new CreatedFiles(this.#home, (path) => programElsewhere(path, env["PATH"]) !== undefined);
  }

  /** `plans`: of who makes the call, and of those who started it; what was said to others is no word to this one. */
  covers(
    work: DecodedCall | DecodedExec,
    verdict: Verdict,
    caller: Caller,
    plans: readonly CommandPlan[],
    pid: number,
  ): "said" | "ruled" | undefined {
    if (isExec(work) || !isPlaceQuestion(verdict)) return undefined;
    const places = work.places ?? [];
    const beside = places.flatMap((place) => this.#filesOf(place, work)).map((file) => planFor(file, pid));
    const own = places.map(({ path }) => planFor(path, pid));
    const git = gitPlans(work, caller);
    const said = [...plans, ...git, ...beside, ...own].filter((plan) => this.#consented.has(JSON.stringify(plan))).flatMap(placesOf);
    if (this.#coveredWith({ more: said, ruled: false }, work, verdict, caller)) return "said";
    const ruled = [...plans, ...git, ...beside].filter((plan) => this.#isRuled(plan, work, caller)).flatMap(placesOf);
    return this.#coveredWith({ more: [...said, ...ruled], ruled: true }, work, verdict, caller) ? "ruled" : undefined;
  }

  /** The wish that a question is a part of, so that a person is asked about all of it at once. */
  planOf(
    work: DecodedCall | DecodedExec,
    verdict: Verdict,
    caller: Caller,
    plans: readonly CommandPlan[],
    pid: number,
  ): CommandPlan | undefined {
    if (isExec(work) || !isPlaceQuestion(verdict)) return undefined;
    // What one command of an installation names is a part of the whole.
    const largestFirst = plans.toSorted((one, other) => Number(one.is === "named") - Number(other.is === "named"));
    const behind = this.#fileBehind(work, caller);
    return [...largestFirst, ...gitPlans(work, caller), ...(behind === undefined ? [] : [planFor(behind, pid)])].find((plan) =>
      this.#coveredWith({ more: placesOf(plan), ruled: false }, work, verdict, caller),
    );
  }

  /** Those whose place what lies there may be made to take. */
  #filesOf({ path, object }: CallPlace, { exclusive }: DecodedCall): readonly string[] {
    const known = object === undefined ? undefined : this.#own.takenBy(object);
    return known === undefined ? filesBehind(path, exclusive !== undefined).map(({ file }) => file) : [known];
  }

  /** The file for which a new one is made beside it. */
  #fileBehind(work: DecodedCall, caller: Caller): string | undefined {
    const [path] = work.call.args;
    if (work.call.name !== "open" || work.note !== "new file" || typeof path !== "string") return undefined;
    return filesBehind(path, work.exclusive !== undefined).find(
      ({ file, sure }) =>
        (sure || lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) && isPlaceQuestion(this.#judge.wouldWrite(file, caller)),
    )?.file;
  }

  /** What a yes to it covers: the same that is remembered. Undefined: this very call, and nothing else. */
  extentOf(work: DecodedCall | DecodedExec, plan: CommandPlan | undefined, caller: Caller): Extent | undefined {
    if (plan !== undefined) return extentOfPlan(plan, this.#home);
    if (isExec(work)) return undefined;
    const { call, actions, places = [], exclusive } = work;
    const [action] = actions;
    if (action?.kind !== "file" || action.target.kind !== "path") return undefined;
    const { path } = action.target;
    switch (call.name) {
      case "mkdir":
        return isForFilling(path, this.#home) ? [{ does: "write", path, below: true }] : undefined;
      case "open":
        if (action.operation !== "write" && action.operation !== "edit") return undefined;
        return [{ does: "write", path, ...(work.note === undefined ? {} : { name: madeUpName(baseName(path), exclusive === "private") }) }];
      case "delete":
      case "rmdir":
        return [{ does: "delete", path }];
      case "link":
        return work.makes === undefined ? undefined : [{ does: "write", path }];
      case "rename": {
        const [, to] = places;
        return to !== undefined && this.#isOwnFile(work, caller) ? [{ does: "write", path: to.path }] : undefined;
      }
      default:
        return undefined;
    }
  }

  /** What a rule must cover for it to go ahead the next time, where the name is made up: the file whose place it takes, or all such names. */
  otherwiseCalled(
    work: DecodedCall | DecodedExec,
    verdict: Verdict,
    caller: Caller,
    plans: readonly CommandPlan[],
    pid: number,
  ): Extent | undefined {
    if (isExec(work) || work.call.name !== "open" || !isPlaceQuestion(verdict) || verdict.builtin === "run.programs") return undefined;
    const plan = this.planOf(work, verdict, caller, plans, pid);
    if (plan !== undefined && (plan.is !== "named" || plan.does !== "files")) return undefined;
    const extent = this.extentOf(work, plan, caller);
    const [path] = work.call.args;
    return extent?.some((one) => one.path !== path || (one.name ?? escapeSegment(baseName(path))) !== escapeSegment(baseName(path))) ===
      true
      ? extent
      : undefined;
  }

  /** A file that the run has made, or that lies where nobody is asked, is moved: it is written where it arrives. */
  #isOwnFile({ actions: [moved], places: [from] = [] }: DecodedCall, caller: Caller): boolean {
    if (from?.object === undefined || moved === undefined || kindOf(from.object.mode) !== "file") return false;
    if ((from.object.mode & SET_ID_BITS) !== 0) return false;
    return this.#own.isMade(from.object) || this.#judge.call([moved], caller).decision === "allow";
  }

  /** A person said yes to it. */
  consentTo(plan: CommandPlan): void {
    this.#consented.add(JSON.stringify(plan));
    if (plan.does === "folders") for (const path of plan.into) this.#named.add(path);
  }

  /** Rules say yes to all that it is about. */
  #isRuled(plan: CommandPlan, { call, actions: [action] }: DecodedCall, caller: Caller): boolean {
    const [link] = plan.does === "links" && plan.into.length === 1 ? plan.into : [];
    if (link !== undefined) return action?.kind === "file" && this.#judge.isRuled({ ...action, ...asNamed(link, call) }, caller);
    const extent = extentOfPlan(plan, this.#home);
    return (
      extent?.every(({ does, path, below }) => does === "write" && this.#mayWrite(below === true ? joinPath(path, "#") : path, caller)) ===
      true
    );
  }

  /** A rule lets such a file be made and changed. */
  #mayWrite(path: string, caller: Caller): boolean {
    return this.#judge.isRuled(fileAction("write", path, { name: "open", args: [path, "create+truncate+write"] }), caller);
  }

  /** A rule lets it be changed, and its program does it by writing it anew. */
  #isRewritten(path: string, caller: Caller): boolean {
    const { rewrites = [] } = caller.toolService();
    return rewrites.some((one) => (one.below ? isWithin(path, one.path) : path === one.path)) && this.#mayWrite(path, caller);
  }

  /** A link to what a rule lets be changed all the same. */
  #leadsInside(path: string, call: Call | undefined, caller: Caller): boolean {
    const [text] = call?.name === "symlink" ? call.args : [];
    return typeof text === "string" && this.#mayWrite(resolvePath(parentOf(path), text), caller);
  }

  /** A rule lets whatever lies in it be made and changed. */
  #mayFill(folder: string, caller: Caller): boolean {
    return this.#mayWrite(joinPath(folder, "#"), caller);
  }

  #coveredWith(by: Word, work: DecodedCall | DecodedExec, verdict: Verdict, caller: Caller): boolean {
    if (isExec(work) || !isPlaceQuestion(verdict) || work.judge !== undefined) return false;
    const { actions, about, places = [] } = work;
    if (places.length === 0) return false;
    // What a folder brings along to its new place, by itself.
    if (about?.moves !== undefined && !isHarmless(this.#judge.call([], caller, about), actions)) return false;
    return actions.every((action) => {
      const own = this.#judge.call([action], caller, { ...about, moves: undefined });
      // A grant is counted only where the whole call is allowed by it.
      if (own.decision === "allow") return own.basis !== "grant";
      return isPlaceQuestion(own) && this.#isCovered(action, work, { places, ...by, caller, isProgram: own.builtin === "run.programs" });
    });
  }

  #isCovered(action: Action, work: DecodedCall, { places, more, ruled, caller, isProgram }: CoveredBy): boolean {
    if (action.kind !== "file" || (action.target.kind !== "path" && action.target.kind !== "tree")) return false;
    const { call } = work;
    const { path } = action.target;
    const [first, second] = places;
    // The file that gets another name stays as it is: whoever changes it by that name is asked, for the run has not made it.
    if (call.name === "link" && path === first?.path && path !== second?.path) {
      if (second === undefined) return false;
      // By a rule they would not be.
      if (this.#mayWrite(second.path, caller)) return first.object !== undefined && this.#own.isMade(first.object);
      return this.#own.covers(second, { operation: action.operation, writes: false, makes: false, isProgram: false }, more);
    }
    const moves = call.name === "rename" || call.name === "symlink" || call.name === "link";
    const changesContent = action.operation === "write" || action.operation === "edit" || action.operation === "link";
    if (lendsRights(action, places)) return false;
    // As inside the project: what git checks out, it writes under the names by which it is tracked.
    // A folder takes along what lies in it: `mv x .cargo`, `ln -s x .vscode`.
    if ((changesContent || moves) && controlFile(path, moves)?.effect === "asked" && !isCheckingOut(caller.programs())) return false;
    if (call.name === "rename" && first !== undefined && this.#own.replaces(first, path)) return true;
    const arrives = call.name === "rename" && path !== first?.path;
    const use = {
      // What is replaced by a move is changed.
      operation: action.operation === "delete" && arrives ? "write" : action.operation,
      writes: changesContent && !arrives,
      makes: call.name === "open" || call.name === "mkdir",
      isProgram,
    };
    return places.some(
      (place) =>
        place.path === path &&
        (this.#own.covers(place, use, more) || (ruled && !isProgram && this.#coversByRule(action, place, work, arrives, caller))),
    );
  }

  /**
   * What the question said whose answer became the rule, or whoever wrote it meant: a file is changed by what takes its place, too; a
   * folder that may be filled gets folders and links, and times of its own.
   */
  #coversByRule({ operation, call }: FileAction, place: CallPlace, work: DecodedCall, arrives: boolean, caller: Caller): boolean {
    const { path, object } = place;
    if (operation === "delete" && !arrives)
      return object !== undefined && kindOf(object.mode) === "file" && this.#isRewritten(path, caller);
    if (arrives && object !== undefined && kindOf(object.mode) === "directory") return false;
    if (arrives && this.#isOwnFile(work, caller)) return this.#mayWrite(path, caller);
    const [from] = work.places ?? [];
    const isNew = arrives ? from?.object !== undefined && this.#own.isMade(from.object) : object === undefined;
    if (isNew && (operation === "link" || (arrives && operation === "delete")))
      return this.#mayFill(parentOf(path), caller) && (arrives || this.#leadsInside(path, call, caller));
    if (isNew && operation === "mkdir") return this.#mayFill(path, caller);
    if (operation !== "metadata" || object === undefined) return false;
    if (call?.name === "utime" && this.#mayWrite(path, caller)) return true;
    if (kindOf(object.mode) !== "directory") return false;
    const isSame = call?.name === "chmod" && Number.parseInt(String(call.args[1]), 8) === (object.mode & 0o7777);
    return (call?.name === "chown" || isSame) && this.#mayFill(path, caller);
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
  done(work: DecodedCall, result: number, consent: "asked" | "covered", caller: Caller, plans: readonly CommandPlan[], pid: number): void {
    const { call, gives, makes, places = [] } = work;
    const [first, second] = places;
    if (call.name === "open" && gives !== undefined && makes === undefined && first?.object !== undefined && changes(work))
      this.#own.wrote(first.object);
    if (call.name === "rename" && first?.object !== undefined && second !== undefined && this.#own.isMade(first.object)) {
      if (consent === "asked") this.#own.made(first.object, second.path, kindOf(first.object.mode) === "directory", true);
      else this.#own.wrote(first.object);
    }
    const added = addedBy(work);
    const object = added === undefined ? undefined : makes?.(result);
    if (added === undefined || object === undefined || typeof object === "number") return;
    const isFolder = kindOf(object.mode) === "directory";
    const link = plans.find(({ does, tool }) => call.name === "symlink" && does === "links" && isWorkingFile(tool, baseName(added.path)));
    const takes =
      link?.into[0] ??
      this.#filesOf(added, work).find((file) => this.#consented.has(JSON.stringify(planFor(file, pid))) || this.#mayWrite(file, caller));
    this.#own.made(object, added.path, isFolder, consent === "asked" || this.#named.has(added.path), takes);
  }
}

/** A single program arrives as one that is made: it is looked at by itself. */
const isHarmless = (moved: Verdict, actions: readonly Action[]): boolean =>
  moved.decision === "allow" ||
  (moved.builtin === "run.programs" && !actions.some((action) => action.kind === "file" && action.target.kind === "tree"));

/** A person's word: what they were asked, and what rules say. */
interface Word {
  readonly more: readonly ConsentedPlace[];
  readonly ruled: boolean;
}

interface CoveredBy extends Word {
  readonly places: readonly CallPlace[];
  readonly caller: Caller;
  readonly isProgram: boolean;
}

/** Only the default asks, for it lies outside; or it is a program of a person's own. */
const isPlaceQuestion = ({ decision, basis, builtin }: Verdict): boolean =>
  decision === "ask" && ((basis === "default" && builtin === "run.outside") || builtin === "run.programs");

/** A change of one file, for one process: what another does to it is asked about. */
const planFor = (file: string, pid: number): CommandPlan => ({ is: "named", does: "files", tool: `#${pid}`, into: [file], programs: [] });

/** What git keeps for itself in a repository; its settings and hooks are protected there as ever. */
function gitPlans({ places = [] }: DecodedCall, caller: Caller): readonly CommandPlan[] {
  if (!caller.programs().some((program) => /^git\b/.test(program))) return [];
  const folders = new Set(places.flatMap(({ path }) => /^(.*\/\.git)\//.exec(path)?.[1] ?? []));
  return [...folders].map((folder) => cachePlan("git", [folder]));
}

/** Programs are looked at one by one. */
function extentOfPlan({ into, does }: CommandPlan, home: string): Extent | undefined {
  if (into.length === 0 || does === "links" || (does === "folders" && !into.every((path) => isForFilling(path, home)))) return undefined;
  if (does === "gone") return into.map((path) => ({ does: "delete", path }));
  return into.map((path) => ({ does: "write", path, ...(does === "files" ? {} : { below: true }) }));
}

const changes = ({ actions: [action] }: DecodedCall): boolean =>
  action?.kind === "file" && (action.operation === "write" || action.operation === "edit");

/** With the folders above them, which may not be there yet. */
function placesOf({ is, into, programs, does, tool }: CommandPlan): readonly ConsentedPlace[] {
  if (does !== undefined)
    return [...into.map((path) => ({ path, holds: does, tool }) as const), ...(does === "folders" ? foldersOnTheWay(into) : [])];
  const above = [...into, ...programs].flatMap((path) => foldersAbove(path));
  return [
    ...into.map((path) => ({ path, holds: "new", tool: is === "cache" ? tool : "" }) as const),
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
