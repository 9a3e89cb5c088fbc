import { describe, doubt, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { literal, prefixOf, textOf, type Value } from "../value.ts";
import { valuesOf } from "./given.ts";

/** psql(1), mongosh: in the place of a database's name a whole connection may be written, its host included. */
export function databaseAddress(inv: Invocation): void {
  const [first] = inv.args.operands;
  for (const value of [...(first === undefined ? [] : [first]), ...valuesOf(inv, "-d", "--dbname", "--db")]) address(inv, value);
}

function address(inv: Invocation, value: Value): void {
  const text = textOf(value);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(prefixOf(value))) applyKind(inv, { is: "url" }, value);
  else if (text === undefined) doubt(inv, `${describe(value)} may name another host`, "write the name of the database");
  else
    for (const [, host = ""] of text.matchAll(/\b(?:host|hostaddr|service)\s*=\s*('[^']*'|\S+)/gi))
      applyKind(inv, { is: "host" }, literal(host.replaceAll("'", "")));
  // mongosh: HOST/DB and HOST:PORT/DB.
  if (text !== undefined && inv.name.startsWith("mongo") && /^[\w.-]+(:\d+)?\/|^[\w-]+\.[\w.-]+$|:\d+$/.test(text) && !text.includes("://"))
    applyKind(inv, { is: "host" }, literal(text.split("/")[0] ?? ""));
}
