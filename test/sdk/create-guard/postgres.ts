import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { PostgresClient } from "@assent/library/sdk";
import { openCluster } from "../../team/harness/postgresql.ts";

type PostgresPool = PostgresClient & { end(): Promise<void>; on(event: "error", listener: () => void): unknown };

/** The `pg` of the team server's package, by the path at which programs import it. */
const fromTeam = createRequire(resolve("packages/team-server/package.json"));
export const PG = fromTeam.resolve("pg");

/** PostgreSQL of this system in a scratch cluster; undefined where it is not installed. */
export async function openPostgres() {
  const cluster = await openCluster();
  if (cluster === undefined) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what pg documents
  const { Pool } = fromTeam("pg") as { Pool: new (options: { connectionString: string; max: number }) => PostgresPool };
  const pools: PostgresPool[] = [];
  return {
    address: cluster.address,
    pool: (): PostgresPool => {
      const pool = new Pool({ connectionString: cluster.address, max: 4 });
      // Some connections are still being closed when `end` has resolved, and learn that the server ends.
      pool.on("error", () => undefined);
      pools.push(pool);
      return pool;
    },
    close: async (): Promise<void> => {
      await Promise.all(pools.map(async (pool) => await pool.end()));
      await cluster.close();
    },
  };
}
