import type { FileAction, FileOperation } from "@assent/core/action";
import { type IrrelevantNames, controlNames, type Verdict } from "@assent/core/policy";
import { LIBRARY_NAMES } from "./secrets.ts";
import { ALLOWED } from "./verdicts.ts";

const KNOWN = { kind: "file", target: { kind: "path", path: "/" }, origin: { by: "tool" }, call: { name: "open", args: [] } } as const;
export const READS: FileAction = { ...KNOWN, operation: "read" };
export const LISTS: FileAction = { ...KNOWN, operation: "list" };

let changed: readonly string[] | undefined;

/** Names that a run knows by themselves: what later commands obey means nothing to who only reads. */
export const ownNames = (reads: boolean): readonly string[] =>
  reads ? LIBRARY_NAMES : (changed ??= [...LIBRARY_NAMES, ...controlNames()]);

/** What is done to one file or folder by itself. */
const SINGLE: ReadonlySet<FileOperation> = new Set(["read", "list", "write", "edit", "delete", "mkdir", "metadata"]);
/** Rules ask of what is moved or linked whether it is a folder. */
const MOVING: ReadonlySet<FileOperation> = new Set(["rename", "link"]);
const MOST_IRRELEVANT = 20_000;

/** By class of the name: places, as `Whereabouts.key` tells them. */
type IrrelevantFolders = readonly [undefined, Set<string>, Set<string>];

/**
 * Places in which an ordinary name has been judged and allowed by default: every other ordinary name of its class is
 * judged alike there (`IrrelevantNames`). INVARIANT: it lives until `Known.clear`, as every verdict does.
 */
class IrrelevantPlaces {
  readonly #make: () => IrrelevantNames;
  #made: IrrelevantNames | undefined;
  /** By operation and name of the call. */
  readonly #all = new Map<FileOperation, Map<string, IrrelevantFolders>>();
  #count = 0;

  /** `names`: made when first needed. */
  constructor(names: () => IrrelevantNames) {
    this.#make = names;
  }

  get #names(): IrrelevantNames {
    return (this.#made ??= this.#make());
  }

  allows(action: FileAction, path: string): boolean {
    const places = this.#all.get(action.operation)?.get(action.call?.name ?? "");
    if (places === undefined || !isPlain(action)) return false;
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, slash);
    const where = this.#names.whereabouts(folder);
    return places[this.#names.classOf(path.slice(slash + 1), folder, where)]?.has(where.key) === true;
  }

  /** What the judge has said about a path. True where it holds for others, too. */
  learn(action: FileAction, path: string, verdict: Verdict): boolean {
    // Any other verdict has words about the path itself.
    if (verdict.decision !== "allow" || verdict.builtin !== ALLOWED.builtin || !isPlain(action)) return false;
    if (!SINGLE.has(action.operation) && (!MOVING.has(action.operation) || this.#names.hasRules)) return false;
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, slash);
    const where = this.#names.whereabouts(folder);
    const kind = this.#names.classOf(path.slice(slash + 1), folder, where);
    if (kind === 0) return false;
    if (++this.#count > MOST_IRRELEVANT) this.#forget();
    const calls = this.#all.get(action.operation) ?? new Map<string, IrrelevantFolders>();
    this.#all.set(action.operation, calls);
    const name = action.call?.name ?? "";
    const places = calls.get(name) ?? [undefined, new Set<string>(), new Set<string>()];
    calls.set(name, places);
    places[kind]?.add(where.key);
    return true;
  }

  #forget(): void {
    this.#all.clear();
    this.#count = 0;
  }
}

const isPlain = ({ target, recursive, asGiven, dangers, upkeep, origin }: FileAction): boolean =>
  target.kind === "path" &&
  recursive === undefined &&
  asGiven === undefined &&
  dangers === undefined &&
  upkeep === undefined &&
  origin.by === "tool";

const MOST_KNOWN = 50_000;

/** Verdicts by operation, name of the call and path; one for all ordinary names of a place. */
export class KnownVerdicts {
  readonly #names: (reads: boolean) => IrrelevantNames;
  #reads: IrrelevantPlaces;
  #changes: IrrelevantPlaces;
  readonly #all = new Map<string, Map<string, Map<string, Verdict>>>();
  #count = 0;

  /** `names`: of the policy as it is when they are first needed after `clear`. */
  constructor(names: (reads: boolean) => IrrelevantNames) {
    this.#names = names;
    this.#reads = new IrrelevantPlaces(() => names(true));
    this.#changes = new IrrelevantPlaces(() => names(false));
  }

  #irrelevant({ operation }: FileAction): IrrelevantPlaces {
    return operation === "read" || operation === "list" ? this.#reads : this.#changes;
  }

  of(action: FileAction, path: string): Verdict | undefined {
    if (this.#irrelevant(action).allows(action, path)) return ALLOWED;
    return this.#all
      .get(action.operation)
      ?.get(action.call?.name ?? "")
      ?.get(path);
  }

  add(action: FileAction, path: string, verdict: Verdict): void {
    if (this.#irrelevant(action).learn(action, path, verdict)) return;
    if (++this.#count > MOST_KNOWN) this.clear();
    const { operation, call } = action;
    const calls = this.#all.get(operation) ?? new Map<string, Map<string, Verdict>>();
    this.#all.set(operation, calls);
    const paths = calls.get(call?.name ?? "") ?? new Map<string, Verdict>();
    calls.set(call?.name ?? "", paths);
    paths.set(path, verdict);
  }

  /** The policy has changed, or what the machine was asked is to be asked again. */
  clear(): void {
    this.#all.clear();
    this.#count = 0;
    this.#reads = new IrrelevantPlaces(() => this.#names(true));
    this.#changes = new IrrelevantPlaces(() => this.#names(false));
  }
}
