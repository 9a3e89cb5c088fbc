export { engine, judgeOnly, readerOf, ruleReader, type ToolQuestion } from "@assent/page/look";
