export { advise, offer } from "./advice.ts";
export {
  type ChangedPart,
  changedParts,
  changesFor,
  commandRules,
  differ,
  type RuleReader,
  rulesOf,
  underRules,
  withUserFile,
} from "./rules.ts";
export {
  allOf,
  findSuggestions,
  gatherHistory,
  historyOf,
  type History,
  isWholeRequest,
  type Judges,
  type Past,
  suggest,
  type Suggested,
  type Suggestion,
} from "./past.ts";
