import type { TeamOperateOptions } from "@assent/team/team/protocol";
import { type Database, migrate, openEmbedded, openPostgres, type PostgresOptions } from "../database/index.ts";
import { foundOrganisation } from "../enrol/index.ts";

/** Why the server does not start, or its database is not opened, in a sentence for its person. */
export class CannotServe extends Error {}

/**
 * Opens the database, brings it up to date, and hands it to `use` with what gives its folder back. Where any of it fails it is closed
 * again, and the error is a sentence. `what`: of this process, for who finds it in the way.
 */
export async function openTeam<T>(
  options: TeamOperateOptions,
  what: string,
  postgres: PostgresOptions,
  use: (db: Database, release: (() => void) | undefined) => T | Promise<T>,
): Promise<T> {
  const release = options.database === undefined ? holdFolder(options, what) : undefined;
  let db: Database | undefined;
  try {
    db = options.database === undefined ? await openEmbedded(options.folder) : openPostgres(options.database, postgres);
    await migrate(db);
    await foundOrganisation(db);
    return await use(db, release);
  } catch (error) {
    await db?.close().catch(() => undefined);
    release?.();
    if (error instanceof CannotServe) throw error;
    throw new CannotServe(`the database cannot be used: ${error instanceof Error ? error.message || error.name : String(error)}`, {
      cause: error,
    });
  }
}

/** INVARIANT: held by the kernel as long as this process lives, outside of the folder that it keeps to one process. */
function holdFolder({ folder, holdLock }: TeamOperateOptions, what: string): () => void {
  const held = holdLock(`${folder}.lock`, `process ${process.pid}, ${what}`);
  if (held.is === "held") return held.release;
  throw new CannotServe(
    held.is === "taken"
      ? `another process has ${folder} open: ${held.by}. Stop it first, or use a server with --database postgres://…`
      : `${folder} cannot be kept to one process: ${held.why}. Use a server with --database postgres://…`,
  );
}
