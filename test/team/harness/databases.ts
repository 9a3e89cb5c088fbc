import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, describe, inject } from "vitest";
import { type Database, migrate, openEmbedded, openPostgres } from "../../src/database/index.ts";

/** One of the databases that every suite runs on. */
export interface Place {
  readonly kind: "embedded" | "postgresql";
  /** A new, empty database, closed when the file has ended. */
  fresh(): Promise<Database>;
  /** Another connection to the database that `fresh` made last, as another process has it. PostgreSQL alone. */
  again(): Database;
  /** Ends all connections to it but the one that asks. PostgreSQL alone. */
  cut(): Promise<void>;
}

const open: Database[] = [];
const made: string[] = [];

function postgresql(server: string): Place {
  let address = "";
  const keep = (db: Database): Database => {
    open.push(db);
    return db;
  };
  return {
    kind: "postgresql",
    fresh: async () => {
      const name = `t_${randomBytes(8).toString("hex")}`;
      await asked(server, `create database ${name}`);
      made.push(name);
      address = server.replace("/postgres?", `/${name}?`);
      return keep(openPostgres(address));
    },
    again: () => keep(openPostgres(address)),
    cut: async () => {
      const name = made.at(-1) ?? "";
      await asked(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    },
  };
}

async function asked(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Starting one takes over a second: a file has one, and empties it. */
let embedded: Promise<Database> | undefined;

const EMBEDDED: Place = {
  kind: "embedded",
  fresh: async () => {
    embedded ??= openEmbedded().then((db) => {
      open.push(db);
      return db;
    });
    const db = await embedded;
    await db.script("drop schema public cascade; create schema public");
    return db;
  },
  again: () => {
    throw new Error("one process has it");
  },
  cut: () => Promise.reject(new Error("it has no connections")),
};

/** The same suite on every database that is there. */
export function onEveryDatabase(what: string, suite: (place: Place) => void): void {
  const server = inject("postgres");
  afterAll(async () => {
    for (const db of open.splice(0)) await db.close().catch(() => undefined);
    for (const name of made.splice(0)) await asked(server, `drop database if exists ${name} with (force)`);
  });
  describe(`${what} (embedded)`, () => {
    suite(EMBEDDED);
  });
  describe.skipIf(server === "")(`${what} (PostgreSQL)`, () => {
    suite(postgresql(server));
  });
}

/** Tables as they are now, an organisation and some machines that have joined. */
export async function withMachines(db: Database, ...machines: readonly string[]): Promise<void> {
  await migrate(db);
  await db.run("insert into organisation (id) values ($1) on conflict do nothing", ["organisation-of-tests0"]);
  for (const id of machines)
    await db.run("insert into machines (id, name, platform, version, confirmed_by) values ($1, $1, 'linux', '0', 'a test')", [id]);
}
