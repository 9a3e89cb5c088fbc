export { type Database, type OftenAsked, type Param, type Queryable, TEAM_CHANNEL } from "./database.ts";
export { openEmbedded } from "./embedded.ts";
export { migrate } from "./migrate.ts";
export { openPostgres, type PostgresOptions } from "./postgresql.ts";
export { JointLookup } from "./joint.ts";
