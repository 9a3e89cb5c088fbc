export { findTables, TABLE_ENDING } from "./find.ts";
export { testExamples, testTable, type TestResult } from "./run.ts";
export { readTable, type Table } from "./table.ts";
