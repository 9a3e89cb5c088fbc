import * as v from "valibot";

/** Rows of our own tables, read by a schema: one that differs is a mistake of the statement. */
export function readRows<T>(schema: v.GenericSchema<unknown, T>, rows: readonly unknown[], sql: string): readonly T[] {
  return rows.map((row) => {
    const found = v.safeParse(schema, row);
    if (found.success) return found.output;
    const where = v.getDotPath(found.issues[0]) ?? "a row";
    throw new TypeError(`${where} is not what is expected of: ${sql.replace(/\s+/g, " ").slice(0, 80)}`);
  });
}
