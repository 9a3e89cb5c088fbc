import type { Effect, OperationName, PresetName } from "../../policy/index.ts";
import { checkOptions, type Options } from "../options.ts";
import { readRuleset } from "./read.ts";

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
