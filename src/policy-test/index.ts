export { findTables, readTable, type TestTable, TABLE_ENDING } from "./table.ts";
export { testExamples, testTable, type TestResult } from "./run.ts";
