import { isObject } from "@assent/core/data";
import {
  type Effect,
  type OperationBlock,
  type OperationName,
  type PolicyFile,
  PRESET_TABLE,
  type PresetName,
  type RuleSource,
} from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { checkOptions, type Options } from "../common/options.ts";

/** What a ruleset speaks about. */
export type Operation = OperationName;

/** One rule of an operation. */
export interface PermissionRule {
  /**
   * For paths: `*` inside a segment, `**` across, `?`, `[a-z]`, `[!a]`, `{a,b}`, `\` quotes. A pattern that starts
   * with `**` is anywhere, with `/` absolute, with `~` below home; any other lies in the project.
   * For `execute`: a glob over the text of one simple command, in which `*` means anything. Each command of a line is
   * compared by itself, so `git diff*` says nothing about what follows a `;`.
   */
  readonly pattern: string;
  readonly action: Effect;
  /** Why; said with the verdict. */
  readonly description?: string;
}

/** The rules of one operation: the first that matches speaks, else the default. */
export interface OperationRules {
  /** Without it the ruleset's default holds. */
  readonly default?: Effect;
  readonly rules?: readonly PermissionRule[];
}

/**
 * What an agent may do: plain data that can be written as JSON and read again.
 *
 * Danger classes and protected files hold whatever the defaults are: `"allow"` is no permission to delete the home folder
 * or to read keys. A rule that names one such file or command allows it.
 */
export interface Ruleset {
  /** Answers where no block and no `default` does, and says which protections hold. Without it: `default`, and `default` is `"ask"`. */
  readonly preset?: Exclude<PresetName, "none">;
  /** For operations without a block, and blocks without a default. */
  readonly default?: Effect;
  /** `false`: keys, `.env` files and the like are no longer protected. */
  readonly denySecrets?: boolean;
  readonly read?: OperationRules;
  /** Creating and replacing files, and every other change: delete, rename, new folders, links, mode. */
  readonly write?: OperationRules;
  /** Changing what is in a file. Without a block, what `write` says. */
  readonly edit?: OperationRules;
  /**
   * Running commands. `"allow"` and `"ask"` as a default mean every command; without one, commands that are known to do
   * nothing harmful run, and others are asked.
   */
  readonly execute?: OperationRules;
  readonly glob?: OperationRules;
  readonly grep?: OperationRules;
  readonly ls?: OperationRules;
}

/** The flags of `createRuleset`. */
export interface CreateRulesetOptions {
  /** For what no flag speaks about. */
  readonly default?: Effect;
  /** Each of these: allow (true) or ask (false). */
  readonly allowRead?: boolean;
  readonly allowWrite?: boolean;
  readonly allowEdit?: boolean;
  /** `false`: commands that are known to do nothing harmful run, others are asked. */
  readonly allowExecute?: boolean;
  readonly allowGlob?: boolean;
  readonly allowGrep?: boolean;
  readonly allowLs?: boolean;
  readonly denySecrets?: boolean;
  /** Rules by operation, in order, in front of the defaults. */
  readonly rules?: Partial<Readonly<Record<Operation, readonly PermissionRule[]>>>;
}

const OPTIONS = {
  default: ["allow", "ask", "deny"],
  allowRead: "boolean",
  allowWrite: "boolean",
  allowEdit: "boolean",
  allowExecute: "boolean",
  allowGlob: "boolean",
  allowGrep: "boolean",
  allowLs: "boolean",
  denySecrets: "boolean",
  rules: "object",
} satisfies Options<CreateRulesetOptions>;

/**
 * Makes a ruleset of a few flags: by default reading and searching are allowed, changing and running ask.
 *
 * ```ts
 * const ruleset = createRuleset({
 *   allowWrite: true,
 *   rules: { execute: [{ pattern: "npm test*", action: "allow" }, { pattern: "git push*", action: "deny", description: "a person pushes" }] },
 * });
 * ```
 */
export function createRuleset(options: CreateRulesetOptions = {}): Ruleset {
  checkOptions("createRuleset", options, OPTIONS);
  const { allowRead = true, allowWrite = false, allowEdit = false, allowExecute = false } = options;
  const { allowGlob = true, allowGrep = true, allowLs = true, denySecrets = true, rules = {} } = options;
  const block = (operation: Operation, allow: boolean): OperationRules => ({
    default: allow ? "allow" : "ask",
    rules: rules[operation] ?? [],
  });
  return readRuleset({
    default: options.default ?? "ask",
    ...(denySecrets ? {} : { denySecrets: false }),
    read: block("read", allowRead),
    write: block("write", allowWrite),
    edit: block("edit", allowEdit),
    execute: allowExecute ? block("execute", true) : { rules: rules.execute ?? [] },
    glob: block("glob", allowGlob),
    grep: block("grep", allowGrep),
    ls: block("ls", allowLs),
  });
}

/**
 * Ready rulesets. In all of them secrets are neither read nor changed, and what cannot be predicted is never allowed
 * just so.
 *
 * | | default | permissive | readonly | strict |
 * |---|---|---|---|---|
 * | read, glob, grep, ls | allow | allow | allow | ask |
 * | write, edit | ask | allow | deny | ask |
 * | commands known to be harmless | allow | allow | deny | ask |
 * | other commands | ask | allow | deny | ask |
 * | system files, danger classes | deny or ask | deny or ask | deny | deny or ask |
 */
export const presets = {
  default: { preset: "default" },
  permissive: { preset: "permissive" },
  readonly: { preset: "readonly" },
  strict: { preset: "strict" },
} as const satisfies Readonly<Record<string, Ruleset>>;

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
export const OPERATIONS: readonly Operation[] = ["read", "write", "edit", "execute", "glob", "grep", "ls"];

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
      throw new RulesetError(["it is not JSON"]);
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
  if (!isObject(given)) throw new RulesetError(["it is not an object"]);
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
  if (policy.settings.preset === "none") throw new RulesetError(["preset: a ruleset without protections is not a ruleset"]);
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

/** Whether a ruleset lets an operation happen at all: asked or allowed, for some target. */
export function isOffered(ruleset: Ruleset, operation: Operation): boolean {
  const { policy } = compileRuleset(ruleset);
  const block = policy.operations.find((one) => one.operation === operation);
  const row =
    operation === "execute" ? "exec" : operation === "read" ? "read" : operation === "write" || operation === "edit" ? "write" : "list";
  const fallback = block?.default ?? PRESET_TABLE[policy.settings.preset ?? "default"].defaults[row];
  for (const { effect, matcher } of block?.rules ?? []) {
    if (effect !== "deny") return true;
    // Nothing gets past it.
    if ("pattern" in matcher && (matcher.pattern === "**" || (matcher.kind === "command" && matcher.pattern === "*"))) return false;
  }
  return fallback !== "deny";
}
