import { INDEX, NOTES, RECORDS } from "#knowledge";

/** The tables as they were written at build time. In the hook's bundle `cli/knowledge-file.ts` stands in for this file. */
export const readIndex = (): string => INDEX;
export const readRecord = (start: number, end: number): string => RECORDS.slice(start, end);
export const readNotes = (): string => NOTES;
