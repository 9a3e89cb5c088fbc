import type { TeamOperateOptions, TeamOperator } from "@assent/team/team/protocol";
import type { Database } from "../database/index.ts";
import { ciRules, fleetKeys, makeCiRule, makeFleetKey, removeCiRule, revokeFleetKey } from "../enrol/index.ts";
import { eraseRecords, exportRecords, searchRecords } from "../records/index.ts";
import { openTeam } from "./open.ts";

/** Opens the team's database for whoever is on the server's shell, who needs no other right. Rejects with a sentence where it cannot. */
export const operateTeam = (options: TeamOperateOptions): Promise<TeamOperator> =>
  openTeam(options, "a command of assent team", { connections: 2 }, operatorOf);

function operatorOf(db: Database, release: (() => void) | undefined): TeamOperator {
  return {
    search: (search) => searchRecords(db, search),
    erase: (erasure, by) => eraseRecords(db, erasure, by, new Date()),
    exportAfter: (cursor) => exportRecords(db, cursor, new Date()),
    makeFleetKey: (key, by) => makeFleetKey(db, key, by, new Date()),
    fleetKeys: () => fleetKeys(db),
    revokeFleetKey: (id, machines, by) => revokeFleetKey(db, id, machines, by, new Date()),
    makeCiRule: (rule, by) => makeCiRule(db, rule, by, new Date()),
    ciRules: () => ciRules(db),
    removeCiRule: (id, by) => removeCiRule(db, id, by, new Date()),
    close: async () => {
      await db.close();
      release?.();
    },
  };
}
