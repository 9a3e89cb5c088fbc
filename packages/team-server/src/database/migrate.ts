import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import type { Database } from "./database.ts";

/** Beside `dist/`, and beside `src/`. */
const FOLDER = ["../migrations/", "../../migrations/"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));
/** Of this program among all that take an advisory lock of this database. */
export const MIGRATION_LOCK = 7_382_115_902;

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

function allMigrations(): readonly Migration[] {
  if (FOLDER === undefined) throw new Error("the folder `migrations` of assent-team is missing: install it again");
  const folder = FOLDER;
  return readdirSync(folder)
    .flatMap((name) => {
      const [, number] = /^(\d{3})-[a-z-]+\.sql$/.exec(name) ?? [];
      if (number === undefined) return [];
      const sql = readFileSync(`${folder}/${name}`, "utf8");
      return [{ number: Number(number), name, sql, digest: createHash("sha256").update(sql).digest("hex") }];
    })
    .toSorted((a, b) => a.number - b.number);
}

const Applied = v.object({ number: v.number(), digest: v.string() });

/**
 * Brings the tables up to date, each step whole or not at all. Of several processes that start at once one does it, and
 * the others wait. Throws where the database was made by a newer program, or by other steps than ours.
 */
export async function migrate(db: Database, migrations: readonly Migration[] = allMigrations()): Promise<void> {
  await db.transaction(async (within) => {
    await within.run("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await within.script(
      "create table if not exists schema_migrations (number integer primary key, digest text not null, applied timestamptz not null default now())",
    );
    const applied = await within.rows(Applied, "select number, digest from schema_migrations order by number");
    for (const { number, digest } of applied) {
      const ours = migrations.find((migration) => migration.number === number);
      if (ours === undefined) throw new Error(`the database was made by a newer version of assent-team (step ${number}): install that one`);
      if (ours.digest !== digest) throw new Error(`step ${number} of the database is not the one of this version of assent-team`);
    }
    const done = new Set(applied.map(({ number }) => number));
    for (const { number, sql, digest } of migrations) {
      if (done.has(number)) continue;
      await within.script(sql);
      await within.run("insert into schema_migrations (number, digest) values ($1, $2)", [number, digest]);
    }
  });
}
