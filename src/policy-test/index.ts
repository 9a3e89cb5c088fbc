export { findTables, readTable, type Table, TABLE_ENDING } from "./table.ts";
export { testExamples, testTable, type TestResult } from "./run.ts";
