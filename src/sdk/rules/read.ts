import { isObject } from "../../data/index.ts";
import type { OperationBlock, PolicyFile, RuleSource } from "../../policy/index.ts";
import { readPolicy } from "../../policy/read/index.ts";
import type { Operation, Ruleset } from "./ruleset.ts";

/** A ruleset that is none: an unknown key, a wrong action, a pattern that cannot be read. */
export class RulesetError extends Error {
  override readonly name = "RulesetError";
  readonly code = "ruleset-invalid";
  /** One for each mistake: the key, what is wrong, what to write instead. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`this ruleset cannot be used: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

const OWN_KEYS = ["preset", "default", "denySecrets"];
const OPERATIONS: readonly Operation[] = ["read", "write", "edit", "execute", "glob", "grep", "ls"];

/** What is known of a ruleset once it is read. */
export interface CompiledRuleset {
  readonly policy: PolicyFile;
  readonly denySecrets: boolean;
}

/**
 * Reads a ruleset from JSON text or from an object of unknown origin, and checks every key and pattern.
 * Throws `RulesetError`. `JSON.stringify` writes it back.
 */
export function readRuleset(given: unknown): Ruleset {
  let value = given;
  if (typeof given === "string") {
    try {
      value = JSON.parse(given);
    } catch {
      throw new RulesetError(["it is no JSON"]);
    }
  }
  // What is kept is what was checked, whatever becomes of the object that was given.
  const copy: unknown = structuredClone(value);
  compileRuleset(copy);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- just checked, key by key, against the schema
  return freeze(copy as Ruleset);
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

/** Makes the policy that a ruleset means. Throws `RulesetError`. */
export function compileRuleset(given: unknown): CompiledRuleset {
  if (!isObject(given)) throw new RulesetError(["it is no object"]);
  const { preset, default: fallback, denySecrets, ...blocks } = given;
  const strange = Object.keys(blocks).filter((key) => !OPERATIONS.some((operation) => operation === key));
  if (strange.length > 0)
    throw new RulesetError(strange.map((key) => `unknown key \`${key}\`: it has ${[...OWN_KEYS, ...OPERATIONS].join(", ")}`));
  if (denySecrets !== undefined && typeof denySecrets !== "boolean") throw new RulesetError(["denySecrets: must be true or false"]);
  const read = readPolicy(textOf(preset, fallback, blocks), { file: "ruleset", layer: "explicit", examples: () => [] });
  if (!read.ok)
    throw new RulesetError(
      read.problems.map(({ key, message, help }) => `${nameOf(key)}: ${message}${help === undefined ? "" : ` (${help})`}`),
    );
  const { policy } = read;
  if (policy.settings.preset === "none") throw new RulesetError(["preset: a ruleset without protections is no ruleset"]);
  if (preset === "readonly") refuseLoose(policy);
  return { policy: { ...policy, operations: policy.operations.map(placed) }, denySecrets: denySecrets !== false };
}

/** The ruleset as the policy file it means: every block with its default, so that none is left to chance. */
function textOf(preset: unknown, fallback: unknown, blocks: Readonly<Record<string, unknown>>): string {
  const fill = fallback ?? (preset === undefined ? "ask" : undefined);
  const operations: Record<string, unknown> = {};
  for (const operation of OPERATIONS) {
    const own = blocks[operation] ?? (operation === "edit" ? blocks["write"] : undefined);
    if (own !== undefined && !isObject(own)) operations[operation] = own;
    else {
      // Known commands are judged by what they do; only a block that says so asks about each.
      const filled = operation === "execute" && fill === "ask" ? undefined : fill;
      const block = { ...(filled === undefined ? {} : { default: filled }), ...own };
      if (Object.keys(block).length > 0) operations[operation] = block;
    }
  }
  const execute = operations["execute"];
  const base = isObject(execute) && execute["default"] === "allow" ? "permissive" : "default";
  return JSON.stringify({ preset: preset ?? base, operations });
}

/** A checked ruleset as the text of a policy file, for a process of its own. */
export function policyTextOf(ruleset: Ruleset): string {
  const blocks = OPERATIONS.flatMap((operation) => (ruleset[operation] === undefined ? [] : [[operation, ruleset[operation]] as const]));
  return textOf(ruleset.preset, ruleset.default, Object.fromEntries(blocks));
}

/** A ruleset has no lines: the place of a rule is its key. */
function placed(block: OperationBlock): OperationBlock {
  const at = (source: RuleSource, key: string): RuleSource => ({
    ...source,
    file: `ruleset.${block.operation}.${key}`,
    line: 1,
    column: 1,
  });
  const { defaultSource } = block;
  return {
    ...block,
    ...(defaultSource === undefined ? {} : { defaultSource: at(defaultSource, "default") }),
    rules: block.rules.map((rule, index) => ({ ...rule, source: at(rule.source, `rules[${index}]`) })),
  };
}

/** `operations.read.rules[0].action` without the name that only policy files have. */
const nameOf = (key: string): string => (key === "" ? "ruleset" : key.replace(/^operations\./, ""));

/** The readonly preset protects nothing from changes, because it allows none. */
function refuseLoose({ operations }: PolicyFile): void {
  for (const { operation, default: fallback, rules } of operations) {
    if (operation !== "write" && operation !== "edit" && operation !== "execute") continue;
    if ((fallback !== undefined && fallback !== "deny") || rules.some(({ effect }) => effect !== "deny"))
      throw new RulesetError([`${operation}: the readonly preset allows no changes (use "default" or "strict")`]);
  }
}
