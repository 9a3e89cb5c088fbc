export { engine, judgeOnly, readerOf, ruleReader, type GivenCall } from "./engine.ts";
export { judgePast, pastRequests, readPastRequests } from "./past.ts";
export { suggestionJudges, writeSuggestions, type WrittenSuggestions } from "./suggestions.ts";
export { schemaFile, schemaFor } from "./schema.ts";
export { previewPolicies, replayVersions } from "./preview.ts";
export { type ChangedRequest, type Replayed, replayHistory, TOLD, type ToldWord } from "./replay.ts";
export { sayEnding, sayLeft, sayRun, saySteps, type ToldStep, VERBS, WHATS } from "./run-words.ts";
export { type DayTally, LATENCIES, LogTally, TALLY_VERDICTS, type TallyVerdict, topOf } from "./tally.ts";
export { sayDecision, sayVerdict, SOURCES, VERDICT_WORDS } from "./say-verdict.ts";
