export { sayDecision, sayVerdict, SOURCES, VERDICT_WORDS } from "@assent/page/look";
