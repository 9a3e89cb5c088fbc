import { randomBytes } from "node:crypto";
import pg from "pg";
import * as v from "valibot";
import { afterAll, describe, inject } from "vitest";
import { type Database, migrate, openEmbedded, openPostgres } from "@assent/team-server/database";

/** One of the databases that every suite runs on. */
export interface Place {
  readonly kind: "embedded" | "postgresql";
  /** A database with the tables of today, in which nothing is. */
  fresh(): Promise<Database>;
  /** One without tables. */
  bare(): Promise<Database>;
  /** Another connection to that database, as another process has it. PostgreSQL alone. */
  again(): Database;
  /** Ends all connections to it but the one that asks. PostgreSQL alone. */
  cut(): Promise<void>;
}

/** Connections of this file's. */
const open: Database[] = [];

const Named = v.object({ name: v.string() });
const TABLES = `select quote_ident(relname) as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations' and relispartition = $1`;

/** Of all tables at once, so that none is in the other's way: two milliseconds, where it takes a hundred times as long to make them. */
async function emptyTables(db: Database): Promise<Database> {
  await migrate(db);
  for (const { name } of await db.rows(Named, TABLES, [true])) await db.script(`drop table ${name}`);
  const deleted = (await db.rows(Named, TABLES, [false])).map(({ name }, at) => `t${at} as (delete from ${name})`);
  const sequences = "select setval(oid::regclass, 1, false) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'";
  await db.script(`with ${deleted.join(", ")} ${sequences}`);
  return db;
}

async function dropTables(db: Database): Promise<Database> {
  await db.script("drop schema public cascade; create schema public");
  return db;
}

/** Starting a database takes over a second, and making one in PostgreSQL a quarter of it: files that share a process share it. */
let embedded: Promise<Database> | undefined;
let database: Promise<string> | undefined;

const openShared = (): Promise<Database> => (embedded ??= openEmbedded());

const EMBEDDED: Place = {
  kind: "embedded",
  fresh: async () => emptyTables(await openShared()),
  bare: async () => dropTables(await openShared()),
  again: () => {
    throw new Error("one process has it");
  },
  cut: () => Promise.reject(new Error("it has no connections")),
};

function postgresql(server: string): Place {
  let name = "";
  const connect = (): Database => {
    const db = openPostgres(server.replace("/postgres?", `/${name}?`));
    open.push(db);
    return db;
  };
  const first = async (): Promise<Database> => {
    name = await (database ??= makeDatabase(server));
    return connect();
  };
  return {
    kind: "postgresql",
    fresh: async () => emptyTables(await first()),
    bare: async () => dropTables(await first()),
    again: connect,
    cut: () => asked(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`),
  };
}

async function makeDatabase(server: string): Promise<string> {
  const name = `${inject("databases")}${randomBytes(8).toString("hex")}`;
  await asked(server, `create database ${name}`);
  return name;
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

/** The same suite on every database that is there. */
export function onEveryDatabase(what: string, suite: (place: Place) => void): void {
  const server = inject("postgres");
  afterAll(async () => {
    await Promise.all(open.splice(0).map((db) => db.close().catch(() => undefined)));
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
