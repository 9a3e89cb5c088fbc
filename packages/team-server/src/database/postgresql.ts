import pg from "pg";
import type * as v from "valibot";
import type { Database, OftenAsked, Param, Queryable } from "./database.ts";
import { readRows } from "./rows.ts";

/** pg_type(5): bigint. */
const INT8 = 20;
/** Beside those that are waited for. */
const CONNECTIONS = 8;
const STATEMENT_MS = 30_000;

export interface PostgresOptions {
  readonly connections?: number;
  /** A connection that waits is lost: told, not thrown. */
  readonly onLost?: (why: string) => void;
}

/** A server that is there, by its address (`postgres://…`). */
export function openPostgres(address: string, { connections = CONNECTIONS, onLost }: PostgresOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: address,
    max: connections,
    connectionTimeoutMillis: 10_000,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: "assent-team",
    types: {
      getTypeParser: (id: number, format?: "text" | "binary") => {
        if (id === INT8) return readWhole;
        // oxlint-disable-next-line typescript/no-unsafe-return -- a parser of pg's own
        return format === "binary" ? pg.types.getTypeParser(id, "binary") : pg.types.getTypeParser(id, "text");
      },
    },
  });
  pool.on("error", (error) => onLost?.(error.message));
  // What a connection says while nobody listens, as between being made and being used, must not end the process: its next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const whole = within((sql, params) => pool.query(queryOf(sql, params)));
  return {
    kind: "postgresql",
    ...whole,
    transaction: async (work) => {
      const client = await pool.connect();
      let broken: Error | undefined;
      const onError = (error: Error): void => void (broken = error);
      client.on("error", onError);
      try {
        await client.query("begin");
        const done = await work(within((sql, params) => client.query(queryOf(sql, params))));
        await client.query("commit");
        return done;
      } catch (error) {
        await client.query("rollback").catch((lost: unknown) => {
          broken ??= lost instanceof Error ? lost : new Error(String(lost));
        });
        throw error;
      } finally {
        client.off("error", onError);
        // One that is broken, or in the middle of something, is not used again.
        client.release(broken ?? false);
      }
    },
    listen: (channel, onNotice, onAgain) => Promise.resolve(listenAgain(address, channel, { onNotice, onAgain, onLost })),
    close: () => pool.end(),
  };
}

const AGAIN_MS = 1000;

interface Listening {
  readonly onLost: PostgresOptions["onLost"] | undefined;
  readonly onNotice: (payload: string) => void;
  readonly onAgain: () => void;
}

/** A connection of its own, made again whenever it is lost. */
function listenAgain(address: string, channel: string, { onNotice, onAgain, onLost }: Listening): { close(): Promise<void> } {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const begin = (): void => {
    const made = new pg.Client({ connectionString: address, application_name: "assent-team", keepAlive: true });
    client = made;
    let isLost = false;
    const lost = (error?: Error): void => {
      if (isLost || isClosed) return;
      isLost = true;
      if (error !== undefined) onLost?.(error.message);
      made.end().catch(() => undefined);
      timer = setTimeout(begin, AGAIN_MS * (0.5 + Math.random()));
    };
    made.on("error", lost);
    made.on("end", () => lost());
    made.on("notification", ({ payload }) => onNotice(payload ?? ""));
    made
      .connect()
      .then(() => made.query(`listen ${channel}`))
      .then(onAgain, lost);
  };
  begin();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}

interface Result {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

const queryOf = (sql: string | OftenAsked, params: readonly Param[] | undefined): pg.QueryConfig => ({
  ...(typeof sql === "string" ? { text: sql } : sql),
  ...(params === undefined ? {} : { values: [...params] }),
});

function within(query: (sql: string | OftenAsked, params: readonly Param[] | undefined) => Promise<Result>): Queryable {
  return {
    rows: async <T>(schema: v.GenericSchema<unknown, T>, sql: string | OftenAsked, params: readonly Param[] = []) =>
      readRows(schema, (await query(sql, params)).rows, sql),
    run: async (sql, params = []) => (await query(sql, params)).rowCount ?? 0,
    script: async (sql) => void (await query(sql, undefined)),
  };
}

function readWhole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large`);
  return value;
}
