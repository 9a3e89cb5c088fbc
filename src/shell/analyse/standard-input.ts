import { codeFromStream } from "../code.ts";
import type { Invocation } from "../invocation.ts";
import { drops, has } from "./given.ts";

/** Without a program or script it runs what it reads from standard input. Asked for its version with `-v` it does not. */
function reads(inv: Invocation, language: string): void {
  if (drops(inv, "script") || inv.args.operands.length > 0 || has(inv, "-v")) return;
  codeFromStream(inv, language, inv.stdin);
}

export const rubyInput = (inv: Invocation): void => reads(inv, "ruby");
export const luaInput = (inv: Invocation): void => reads(inv, "lua");

/** sqlite3(1), duckdb: the first operand is the database, the others are SQL; without any they read it from standard input. */
function readsSql(inv: Invocation, language: string): void {
  if (drops(inv, "script") || inv.args.operands.length > 1) return;
  codeFromStream(inv, language, inv.stdin);
}

export const sqliteInput = (inv: Invocation): void => readsSql(inv, "sqlite");
export const duckdbInput = (inv: Invocation): void => readsSql(inv, "duckdb");
