export { migrate, openEmbedded, openPostgres, type Database } from "./database/index.ts";
export { LogIntake, verifyMachine } from "./log/index.ts";
