export {
  aboutEntry,
  allEntries,
  entriesBelow,
  entryFor,
  grammarOf,
  type CommandEntry,
  type KnowledgeEntry,
  type Grammar,
} from "./entries.ts";
export { namesCode, readVariable, variableNames } from "./environment.ts";
export type { Kind, Option } from "./read-spec.ts";
export type { Examples } from "./spec.ts";
