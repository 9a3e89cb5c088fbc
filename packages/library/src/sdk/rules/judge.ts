import type { World } from "@assent/core/action";
import { joinPath } from "@assent/core/path";
import { DEFAULT_SETTINGS, joinLayers, narrowing, type Effect, type Policy, type Decision } from "@assent/core/policy";
import type { CompiledRuleset, Operation } from "./ruleset.ts";

/** Listing is one operation to the system and three to a ruleset. */
const LISTINGS: readonly Operation[] = ["ls", "glob", "grep"];

/** A ruleset, together with the denies and asks of the policy files that hold where it is asked. */
export class RulesetPolicies {
  readonly #ruleset: CompiledRuleset;
  readonly #own: Policy;
  /** By the policy of the files and the listing operation that is asked. */
  readonly #joined = new WeakMap<Policy, Map<string, Policy>>();

  constructor(ruleset: CompiledRuleset) {
    this.#ruleset = ruleset;
    this.#own = joinLayers([{ ok: true, policy: ruleset.policy }]);
  }

  /** The ruleset joined with what the policy files forbid. Their allows are not the program's. */
  with(files: Policy, operation: Operation): Policy {
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
        unknown: files.settings.unknown,
        ...(this.#ruleset.denySecrets ? {} : { secrets: "open" }),
      },
      rules: files.rules.filter(({ effect }) => effect !== "allow"),
      operations: [...own, ...files.operations.map(narrowing)],
      warnings: files.warnings,
      ...(files.broken === undefined ? {} : { broken: files.broken }),
    };
  }
}

/** `~` is home, as a person means it and an agent's tools read it. */
export function absolute(path: string, { cwd, home }: Pick<World, "cwd" | "home">): string {
  if (path === "~" || path.startsWith("~/")) return `${home === "/" ? "" : home}${path.slice(1)}`;
  return path.startsWith("/") ? path : joinPath(cwd, path);
}

/** What a verdict means where nobody else decides: no opinion is a question. */
export const effectOf = (decision: Decision): Effect => (decision === "none" ? "ask" : decision);
