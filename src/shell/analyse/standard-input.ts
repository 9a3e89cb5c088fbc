import { resolvePath } from "../../path/index.ts";
import { codeFromStream } from "../code.ts";
import type { Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
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

/** Where there is no database they make an empty one, whatever the SQL is. */
function makesDatabase(inv: Invocation): void {
  const [database] = inv.args.operands;
  const text = database === undefined ? "" : (textOf(database) ?? "");
  if (text === "" || text.startsWith(":") || has(inv, "-readonly")) return;
  const { world } = inv.cx;
  for (const place of inv.places) {
    if (place.is !== "at") continue;
    const path = resolvePath(place.path, text);
    if (world.kind(path) !== "missing") continue;
    inv.cx.add({
      kind: "file",
      operation: "write",
      target: { kind: "path", path },
      origin: { by: "command", exec: inv.exec },
    });
  }
}

export function sqliteInput(inv: Invocation): void {
  readsSql(inv, "sqlite");
  makesDatabase(inv);
}

export function duckdbInput(inv: Invocation): void {
  readsSql(inv, "duckdb");
  makesDatabase(inv);
}
