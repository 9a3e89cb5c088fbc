import type { SqliteDatabase } from "@assent/library/sdk";

/** `node:sqlite`, from Node 22.5 on. */
const found: unknown = process.versions.node.startsWith("20.") ? undefined : process.getBuiltinModule("node:sqlite");

const isOpener = (value: unknown): value is new (file: string) => SqliteDatabase => typeof value === "function";
const Database: unknown = typeof found === "object" && found !== null && "DatabaseSync" in found ? found.DatabaseSync : undefined;

/** Undefined: this Node has none. */
export const openSqlite = isOpener(Database) ? (file: string): SqliteDatabase => new Database(file) : undefined;
