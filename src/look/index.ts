export { engine, judgeOnly, readerOf, ruleReader, type ToolQuestion } from "./engine.ts";
export { judgePast, pastRequests } from "./past.ts";
