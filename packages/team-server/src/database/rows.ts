import * as v from "valibot";
import type { OftenAsked } from "./database.ts";

/** Rows of our own tables, read by a schema: one that differs is a mistake of the statement. */
export function readRows<T>(schema: v.GenericSchema<unknown, T>, rows: readonly unknown[], sql: string | OftenAsked): readonly T[] {
  return rows.map((row) => {
    const found = v.safeParse(schema, row);
    if (found.success) return found.output;
    const where = v.getDotPath(found.issues[0]) ?? "a row";
    throw new TypeError(`${where} is not what is expected of: ${textOf(sql).replace(/\s+/g, " ").slice(0, 80)}`);
  });
}

export const textOf = (sql: string | OftenAsked): string => (typeof sql === "string" ? sql : sql.text);
