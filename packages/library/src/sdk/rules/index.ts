export { PermissionChecker, type CheckerOptions, type Explanation } from "./checker.ts";
export {
  createRuleset,
  type CreateRulesetOptions,
  type Operation,
  type OperationRules,
  type PermissionRule,
  presets,
  readRuleset,
  type Ruleset,
  RulesetError,
} from "./ruleset.ts";
