import { mkdirSync, realpathSync } from "node:fs";
import { isMeantQuestion, type RequestVerdict } from "@assent/core/policy";
import { baseName, isWithin, joinPath, normalise, parentOf } from "@assent/core/path";
import type { Machine } from "@assent/guard/state";
import { deniedText, isUnanswered, PermissionDeniedError } from "../common/errors.ts";
import { absolute, effectOf } from "../rules/judge.ts";
import type { Operation } from "../rules/ruleset.ts";
import { type BackendChecker, type CheckTarget, heldTarget } from "../rules/backend-checker.ts";
import { failure, systemFailure, type Failure } from "./result.ts";
import type { Pinned, Pinning } from "./pin.ts";

/** What a path that was asked for leads to. */
export type Located =
  | { readonly is: "object"; readonly asked: string; readonly real: string; readonly object: Pinned }
  /** Not there: the deepest folder above it that is, and the names below that. */
  | { readonly is: "missing"; readonly asked: string; readonly real: string; readonly folder: Pinned; readonly rest: readonly string[] };

interface PlaceOptions {
  readonly root: string;
  readonly allowedDirectories: readonly string[];
  readonly machine: Machine;
  readonly checker: BackendChecker;
  readonly pinning: Pinning;
}

/** The two gates in front of the files: the allowed directories, then the ruleset, both on what was really opened. */
export class Place {
  readonly root: string;
  readonly allowed: readonly string[];
  readonly pinning: Pinning;
  readonly #machine: Machine;
  readonly #checker: BackendChecker;

  constructor({ root, allowedDirectories, machine, checker, pinning: way }: PlaceOptions) {
    mkdirSync(root, { recursive: true });
    this.root = realpathSync.native(root);
    this.allowed = allowedDirectories.map((folder) => {
      mkdirSync(folder, { recursive: true });
      return realpathSync.native(folder);
    });
    this.#machine = machine;
    this.#checker = checker;
    this.pinning = way;
  }

  /** Holds what a path leads to. What is outside looks the same whether it is there or not. */
  locate(requested: string): Located | Failure {
    if (requested === "" || requested.includes("\0")) return failure("not-found", "the path is empty or has a NUL character");
    const asked = normalise(absolute(requested, { cwd: this.root, home: this.#machine.home }));
    const found = this.#hold(asked, requested);
    if ("ok" in found) return found;
    if (this.isAllowed(found.real)) return found;
    (found.is === "object" ? found.object : found.folder).close();
    return this.outside(requested);
  }

  #hold(asked: string, requested: string): Located | Failure {
    const rest: string[] = [];
    for (let at = asked; ; at = parentOf(at)) {
      try {
        const object = this.pinning.pin(at);
        if (rest.length === 0) return { is: "object", asked, real: object.path, object };
        const real = joinPath(object.path, rest.join("/"));
        if (object.stats.isDirectory()) return { is: "missing", asked, real, folder: object, rest };
        object.close();
        return this.isAllowed(real) ? systemFailure(Object.assign(new Error(), { code: "ENOTDIR" }), requested) : this.outside(requested);
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        if ((code !== "ENOENT" && code !== "ENOTDIR") || at === "/")
          return this.isAllowed(asked) ? systemFailure(error, requested) : this.outside(requested);
        rest.unshift(baseName(at));
      }
    }
  }

  isAllowed(path: string): boolean {
    return this.allowed.some((folder) => isWithin(path, folder));
  }

  outside(requested: string): Failure {
    return failure("outside", `Access denied: '${requested}' is outside allowed directories (${this.allowed.join(", ")})`);
  }

  /** Asks about what is held, and a person where that is due; undefined when it may go ahead. */
  async check(operation: Operation, requested: string, at: Pick<Located, "asked" | "real">): Promise<Failure | undefined> {
    return await refusal(this.#checker.checkTarget(targetOf(operation, at), requested, "", this.root));
  }

  /** Whether it would be asked about. */
  asks(operation: Operation, requested: string): boolean {
    const found = this.locate(requested);
    if ("ok" in found) return false;
    (found.is === "object" ? found.object : found.folder).close();
    return effectOf(this.#verdictOn(operation, found).decision) === "ask";
  }

  /** Whether it would be asked about, and no rule or protection says so. */
  asksByDefault(operation: Operation, at: Pick<Located, "asked" | "real">): boolean {
    const { decision, basis } = this.#verdictOn(operation, at);
    return decision === "ask" && basis === "default";
  }

  /** Whether a rule or protection denies it; what would be asked is no denial. */
  denies(operation: Operation, real: string): boolean {
    return this.#verdictOn(operation, { asked: real, real }).decision === "deny";
  }

  /** Whether the content may not be shown: reading it is denied, or a rule wants to be asked about it. */
  keepsBack(real: string): boolean {
    const verdict = this.#verdictOn("read", { asked: real, real });
    return verdict.decision === "deny" || isMeantQuestion(verdict);
  }

  #verdictOn(operation: Operation, at: Pick<Located, "asked" | "real">): RequestVerdict {
    return this.#checker.verdictOn(targetOf(operation, at), this.root);
  }
}

function targetOf(operation: Operation, { asked, real }: Pick<Located, "asked" | "real">): CheckTarget {
  const folder = parentOf(real);
  const pinned = [asked, real, folder].map((path) => [path, path === folder ? folder : real] as const);
  return heldTarget(operation, asked === real ? [real] : [real, asked], new Map(pinned));
}

/** What a check says, as a value. `PermissionAskError` is for the caller who wants it thrown. */
async function refusal(checked: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await checked;
    return undefined;
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    return failure(isUnanswered(error) ? "approval-required" : "denied", deniedText(error));
  }
}
