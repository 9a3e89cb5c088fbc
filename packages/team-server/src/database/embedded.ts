import { PGlite, type Transaction } from "@electric-sql/pglite";
import type * as v from "valibot";
import type { Database, OftenAsked, Param, Queryable } from "./database.ts";
import { readRows, textOf } from "./rows.ts";

/**
 * PostgreSQL in this process, in a folder; without one in memory. For trying and for tests: one process, one connection.
 * INVARIANT: no other process has the folder open (`lock.ts`): two lose each other's rows without a word.
 */
export async function openEmbedded(folder?: string): Promise<Database> {
  const db = await PGlite.create(folder === undefined ? {} : { dataDir: folder });
  return {
    kind: "embedded",
    ...within(db),
    transaction: (work) => db.transaction((transaction) => work(within(transaction))),
    listen: async (channel, onNotice, onAgain) => {
      const end = await db.listen(channel, onNotice);
      onAgain();
      return { close: () => end() };
    },
    close: () => db.close(),
  };
}

function within(db: Pick<Transaction, "query" | "exec">): Queryable {
  return {
    rows: async <T>(schema: v.GenericSchema<unknown, T>, sql: string | OftenAsked, params: readonly Param[] = []) =>
      readRows(schema, (await db.query(textOf(sql), [...params])).rows, sql),
    run: async (sql, params = []) => (await db.query(sql, [...params])).affectedRows ?? 0,
    script: async (sql) => void (await db.exec(sql)),
  };
}
