export { engine, judgeOnly, readerOf, ruleReader, type ToolQuestion } from "../look/index.ts";
