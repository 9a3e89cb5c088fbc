export { historyOf, type History, type Past } from "./past.ts";
export { suggest, type Judges, type Suggested, type Suggestion } from "./suggest.ts";
