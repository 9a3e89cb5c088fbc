export { type EditOutcome, editPolicy, type PolicyPlace, policyPlace, type PolicyText, readPlace, startPolicy } from "./policy-file.ts";
export { addRule, ruleEntries, type RuleEntry } from "./rule-entries.ts";
export { starterPolicy } from "./starter.ts";
