export { PermissionChecker, type CheckerOptions, type Explanation } from "./checker.ts";
export { presets } from "./presets.ts";
export { readRuleset, RulesetError } from "./read.ts";
export {
  createRuleset,
  type CreateRulesetOptions,
  type Operation,
  type OperationRules,
  type PermissionRule,
  type Ruleset,
} from "./ruleset.ts";
