import type { FileAction, FileOperation, Lowered, World } from "@assent/core/action";
import { failedVerdict, findSources, judgeBy, judgingBy, realWorld, type Situation } from "@assent/guard/engine";
import { joinPath, normalise } from "@assent/core/path";
import { DEFAULT_SETTINGS, joinLayers, narrowing, type Effect, type Policy, type Decision, type RequestVerdict } from "@assent/core/policy";
import { lowerArgv, type ShellKind } from "@assent/core/shell";
import type { Machine } from "@assent/guard/state";
import { LIBRARY } from "../common/library.ts";
import type { CompiledRuleset, Operation } from "./ruleset.ts";

/** Where a ruleset is asked. */
export interface CheckerPlace {
  readonly machine: Machine;
  readonly cwd: string;
  readonly projectRoot: string | undefined;
  /** Policy files count: `machine` for those that hold here, `none` for no file at all. */
  readonly files: "machine" | "none";
  readonly policyFiles: readonly string[];
  readonly shell: ShellKind;
  /** A command that goes ahead can be started confined. */
  readonly confines?: boolean;
}

/** What is asked: an operation on a path or a command, or the actions themselves. */
export type CheckTarget =
  | { readonly operation: Operation; readonly text: string }
  | { readonly operation: Operation; readonly argv: readonly string[] }
  | {
      readonly operation: Operation;
      readonly actions: readonly FileAction[];
      /** Where paths lead that are held by descriptor: looking again could find something else. */
      readonly pinned: ReadonlyMap<string, string>;
    };

export const FILE_OPERATION: Readonly<Record<Exclude<Operation, "execute">, FileOperation>> = {
  read: "read",
  write: "write",
  edit: "edit",
  glob: "list",
  grep: "list",
  ls: "list",
};

/** Listing is one operation to the system and three to a ruleset. */
const LISTINGS: readonly Operation[] = ["ls", "glob", "grep"];

/** A ruleset as the engine judges by it, together with the denies and asks of the policy files that hold here. */
export class RulesetJudge {
  readonly #ruleset: CompiledRuleset;
  readonly #own: Policy;
  /** What nobody can know of runs confined, where it can be. */
  readonly #confine: boolean;
  /** By the policy of the files and the listing operation that is asked. */
  readonly #joined = new WeakMap<Policy, Map<string, Policy>>();

  constructor(ruleset: CompiledRuleset, confine = false) {
    this.#ruleset = ruleset;
    this.#confine = confine;
    this.#own = joinLayers([{ ok: true, policy: ruleset.policy }]);
  }

  /** The verdict for an operation. Never throws: what goes wrong is a question. */
  judge(target: CheckTarget, place: CheckerPlace): RequestVerdict {
    try {
      return this.#judge(target, place);
    } catch (error) {
      return failedVerdict(error);
    }
  }

  #judge(target: CheckTarget, place: CheckerPlace): RequestVerdict {
    const { machine, cwd, files, policyFiles, confines = false } = place;
    const world = worldFor(target, place);
    const lowered = lower(target, world, place.shell);
    const adapt = (found: Policy): Policy => this.#with(found, target.operation);
    const situation: Situation = { reader: LIBRARY.reader, own: LIBRARY.own, machine, files, policyFiles, adapt };
    const told = { confines: confines && target.operation === "execute" };
    const judging = judgingBy(situation, world, findSources(situation, world, lowered, place.projectRoot ?? cwd), told);
    const verdict = judgeBy(lowered, judging, LIBRARY.by.judge);
    // Searching is asked by its own default; what reading adds is what is protected, or written.
    const [listing, ...reading] = lowered.actions;
    if (target.operation !== "grep" || listing === undefined || reading.length === 0) return verdict;
    return verdict.decision === "ask" && verdict.basis === "default" ? judgeBy({ actions: [listing], unknowns: [] }, judging) : verdict;
  }

  /** The ruleset joined with what the policy files forbid. Their allows are not the program's. */
  #with(files: Policy, operation: Operation): Policy {
    const listing = LISTINGS.includes(operation) ? operation : "";
    let known = this.#joined.get(files);
    if (known === undefined) this.#joined.set(files, (known = new Map<string, Policy>()));
    let policy = known.get(listing);
    if (policy === undefined) known.set(listing, (policy = this.#join(files, listing)));
    return policy;
  }

  #join(files: Policy, listing: string): Policy {
    const own = this.#own.operations.filter(
      (block) => listing === "" || block.operation === listing || !LISTINGS.includes(block.operation),
    );
    return {
      settings: {
        ...DEFAULT_SETTINGS,
        preset: this.#own.settings.preset,
        unknown: this.#confine && files.settings.unknown !== "deny" ? "confine" : files.settings.unknown,
        ...(this.#ruleset.denySecrets ? {} : { secrets: "open" }),
      },
      rules: files.rules.filter(({ effect }) => effect !== "allow"),
      operations: [...own, ...files.operations.map(narrowing)],
      warnings: files.warnings,
      ...(files.broken === undefined ? {} : { broken: files.broken }),
    };
  }
}

function worldFor(target: CheckTarget, { machine, cwd, projectRoot }: CheckerPlace): World {
  const world = realWorld(machine, cwd, projectRoot);
  if (!("pinned" in target)) return world;
  const { pinned } = target;
  return { ...world, canonical: (path) => pinned.get(path) ?? world.canonical(path) };
}

function lower(target: CheckTarget, world: World, shell: ShellKind): Lowered {
  if ("actions" in target) return { actions: target.actions, unknowns: [] };
  if ("argv" in target) return lowerArgv(target.argv, { world, shell });
  const { operation, text } = target;
  if (text.includes("\0")) return { actions: [], unknowns: [{ reason: "it contains a NUL character" }] };
  if (operation === "execute") return LIBRARY.by.lowerShell(text, { world, shell });
  if (text === "") return { actions: [], unknowns: [{ reason: "the path is empty" }] };
  const raw = absolute(text, world);
  const path = normalise(raw);
  const action = (does: FileOperation, tree: boolean): FileAction => ({
    kind: "file",
    operation: does,
    target: { kind: tree ? "tree" : "path", path },
    ...(raw === path ? {} : { asGiven: raw }),
    origin: { by: "tool" },
  });
  const isFolder = operation === "grep" && world.kind(path) !== "file";
  const found = [action(FILE_OPERATION[operation], false)];
  // Searching shows what is in the files.
  if (operation === "grep") found.push(action("read", isFolder));
  return { actions: found, unknowns: [] };
}

/** `~` is home, as a person means it and an agent's tools read it. */
export function absolute(path: string, { cwd, home }: Pick<World, "cwd" | "home">): string {
  if (path === "~" || path.startsWith("~/")) return `${home === "/" ? "" : home}${path.slice(1)}`;
  return path.startsWith("/") ? path : joinPath(cwd, path);
}

/** What a verdict means where nobody else decides: no opinion is a question. */
export const effectOf = (decision: Decision): Effect => (decision === "none" ? "ask" : decision);
