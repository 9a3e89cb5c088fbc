export { sayDecision, sayVerdict, SOURCES, VERDICT_WORDS } from "../look/index.ts";
