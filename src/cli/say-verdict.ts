export { sayDecision, SOURCES } from "../look/index.ts";
