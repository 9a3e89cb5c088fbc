export { findTables, readTable, TABLE_ENDING, testExamples, type TestResult, type TestTable, testTable } from "./tables.ts";
