import type { TeamOperateOptions, TeamOperator } from "../../../src/team/protocol/index.ts";
import { type Database, migrate, openEmbedded, openPostgres } from "../database/index.ts";
import { fleetKeys, foundOrganisation, makeFleetKey, revokeFleetKey } from "../enrol/index.ts";
import { eraseRecords, exportRecords, searchRecords } from "../records/index.ts";
import { CannotServe, holdFolder } from "./hold.ts";

/** Opens the team's database for whoever is on the server's shell, who needs no other right. Rejects with a sentence where it cannot. */
export async function operateTeam(options: TeamOperateOptions): Promise<TeamOperator> {
  const release = options.database === undefined ? holdFolder(options, "a command of assent team") : undefined;
  let db: Database | undefined;
  try {
    db = options.database === undefined ? await openEmbedded(options.folder) : openPostgres(options.database, { connections: 2 });
    await migrate(db);
    await foundOrganisation(db);
    return operatorOf(db, release);
  } catch (error) {
    await db?.close().catch(() => undefined);
    release?.();
    if (error instanceof CannotServe) throw error;
    throw new CannotServe(`the database cannot be used: ${error instanceof Error ? error.message || error.name : String(error)}`, {
      cause: error,
    });
  }
}

function operatorOf(db: Database, release: (() => void) | undefined): TeamOperator {
  return {
    search: (search) => searchRecords(db, search),
    erase: (erasure, by) => eraseRecords(db, erasure, by, new Date()),
    exportAfter: (cursor) => exportRecords(db, cursor, new Date()),
    makeFleetKey: (key, by) => makeFleetKey(db, key, by, new Date()),
    fleetKeys: () => fleetKeys(db),
    revokeFleetKey: (id, machines, by) => revokeFleetKey(db, id, machines, by, new Date()),
    close: async () => {
      await db.close();
      release?.();
    },
  };
}
