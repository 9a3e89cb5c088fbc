import { isObject } from "@assent/core/data";
import { type ApprovalStore, isListed, type PendingApproval, readPending } from "./approvals.ts";
import { checkOptions, GuardOptionError } from "../common/options.ts";

/** What a store needs of a client or pool of `pg`; others have the same form. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** What a store needs of a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: (string | number)[]): unknown;
    get(...values: (string | number)[]): unknown;
    all(...values: (string | number)[]): unknown[];
  };
}

/** Where a store keeps its questions. */
export interface TableOptions {
  /** By default `assent_approvals`. Made where it is missing. */
  readonly table?: string;
  /** What signs the questions: 32 bytes at least, the same in each process, and kept from whoever can write into the table. */
  readonly secret: string | Uint8Array;
}

const TABLE = "assent_approvals";
const SHORTEST_SECRET = 32;

function named(of: string, client: unknown, does: string, options: TableOptions): { readonly table: string; readonly secret: Uint8Array } {
  if (!isObject(client) || typeof client[does] !== "function")
    throw new GuardOptionError("client", `${of} takes a database first: an object with a function \`${does}\``);
  checkOptions(of, options ?? {}, { table: "string", secret: "any" });
  const { table = TABLE, secret } = options ?? {};
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(table))
    throw new GuardOptionError("table", "the option `table` must be a name of small letters, digits and `_`");
  const bytes = typeof secret === "string" ? Buffer.from(secret) : secret;
  if (!(bytes instanceof Uint8Array) || bytes.length < SHORTEST_SECRET)
    throw new GuardOptionError("secret", `the option \`secret\` must be ${SHORTEST_SECRET} bytes or more`);
  return { table, secret: bytes };
}

/**
 * Questions that wait in PostgreSQL, for as many processes as there are: `postgresApprovals(new pg.Pool(), { secret })`.
 * INVARIANT: one `DELETE … RETURNING` takes a question, so that nobody else has it.
 */
export function postgresApprovals(client: PostgresClient, options: TableOptions): ApprovalStore {
  const { table, secret } = named("postgresApprovals", client, "query", options);
  const columns = "id text primary key, created bigint not null, expires bigint not null, pending text not null";
  const create = `create table if not exists ${table} (${columns})`;
  let made: Promise<unknown> | undefined;
  const ready = async (): Promise<void> => {
    // Of two that make it at the same moment one may be told, as an error, that it is there.
    made ??= client.query(create, []).catch(async () => await client.query(create, []));
    try {
      await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
  const rows = async (text: string, values: unknown[]): Promise<readonly PendingApproval[]> => {
    await ready();
    return (await client.query(text, values)).rows.flatMap((row) => pendingOf(row) ?? []);
  };
  return {
    put: async (pending) => {
      await rows(`delete from ${table} where expires <= $1`, [Date.now()]);
      await rows(`insert into ${table} (id, created, expires, pending) values ($1, $2, $3, $4)`, [
        pending.id,
        pending.created,
        pending.expires,
        JSON.stringify(pending),
      ]);
    },
    take: async (id) => {
      const [taken] = await rows(`delete from ${table} where id = $1 returning pending`, [id]);
      return taken !== undefined && taken.expires > Date.now() ? taken : undefined;
    },
    list: async function* (of) {
      yield* (await rows(`select pending from ${table} where expires > $1 order by created, id`, [Date.now()])).filter((one) =>
        isListed(one, of),
      );
    },
    secret: async () => await Promise.resolve(secret),
  };
}

/**
 * Questions that wait in a file of SQLite, for processes of one machine: `sqliteApprovals(new DatabaseSync("approvals.db"), { secret })`
 * (`node:sqlite`, Node 22.5 and newer).
 */
export function sqliteApprovals(database: SqliteDatabase, options: TableOptions): ApprovalStore {
  const { table, secret } = named("sqliteApprovals", database, "prepare", options);
  database.exec(
    `pragma busy_timeout = 15000;
    create table if not exists ${table} (id text primary key, created integer not null, expires integer not null, pending text not null)`,
  );
  return {
    put: async ({ id, created, expires, ...rest }) => {
      database.prepare(`delete from ${table} where expires <= ?`).run(Date.now());
      const pending = JSON.stringify({ id, created, expires, ...rest });
      database.prepare(`insert into ${table} (id, created, expires, pending) values (?, ?, ?, ?)`).run(id, created, expires, pending);
      return await Promise.resolve();
    },
    take: async (id) => {
      const taken = pendingOf(database.prepare(`delete from ${table} where id = ? returning pending`).get(id));
      return await Promise.resolve(taken !== undefined && taken.expires > Date.now() ? taken : undefined);
    },
    list: async function* (of) {
      const found = database.prepare(`select pending from ${table} where expires > ? order by created, id`).all(Date.now());
      for (const row of found) {
        const pending = pendingOf(row);
        if (pending !== undefined && isListed(pending, of)) yield await Promise.resolve(pending);
      }
    },
    secret: async () => await Promise.resolve(secret),
  };
}

const pendingOf = (row: unknown): PendingApproval | undefined => readPending(isObject(row) ? row["pending"] : undefined);
