import type { FileAction } from "../../action/index.ts";
import type { OrdinaryNames, Verdict } from "../../policy/index.ts";
import { OrdinaryPlaces } from "./ordinary.ts";
import { ALLOWED } from "./verdicts.ts";

const MOST = 50_000;

/** Verdicts by operation, name of the call and path; one for all ordinary names of a place. */
export class Known {
  readonly #names: () => OrdinaryNames;
  #ordinary: OrdinaryPlaces;
  readonly #all = new Map<string, Map<string, Map<string, Verdict>>>();
  #count = 0;

  /** `names`: of the policy as it is when they are first needed after `clear`. */
  constructor(names: () => OrdinaryNames) {
    this.#names = names;
    this.#ordinary = new OrdinaryPlaces(names);
  }

  of(action: FileAction, path: string): Verdict | undefined {
    if (this.#ordinary.allows(action, path)) return ALLOWED;
    return this.#all
      .get(action.operation)
      ?.get(action.call?.name ?? "")
      ?.get(path);
  }

  add(action: FileAction, path: string, verdict: Verdict): void {
    if (this.#ordinary.learn(action, path, verdict)) return;
    if (++this.#count > MOST) this.clear();
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
    this.#ordinary = new OrdinaryPlaces(this.#names);
  }
}
