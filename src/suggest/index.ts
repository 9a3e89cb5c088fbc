export { changedParts, differ, withUserFile, type ChangedPart } from "./compare.ts";
export { historyOf, type History, type Judges, type Past, suggest, type Suggested, type Suggestion } from "./past.ts";
export { changesFor, commandRules, type RuleReader } from "./rules.ts";
