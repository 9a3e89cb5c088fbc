// Words that are, or hold, the name of a host.
import { applyEffect } from "../effects.ts";
import { describe, doubt, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { isGlob, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

const NUMERIC = /^(\d+(\.\d+){0,3}(\/\d+)?|\[?[0-9a-f]*:[0-9a-f:.]*\]?(\/\d+)?|localhost|\*)$/i;

/** Viewers that look the names up that they are given: the question carries the name to whoever answers for it. */
export function hostNames(inv: Invocation): void {
  const words = inv.name === "lsof" ? [...inv.args.operands, ...valuesOf(inv, "-i")] : inv.args.operands;
  for (const word of words) {
    const text = textOf(word);
    if (text === undefined) {
      if (!isGlob(word) && (inv.name !== "lsof" || has(inv, "-i")))
        doubt(inv, `${describe(word)} may be a host whose name ${inv.name} looks up`, "write it out");
      continue;
    }
    const host = hostIn(inv.name, text);
    if (host !== undefined && host !== "" && !NUMERIC.test(host)) applyKind(inv, { is: "host" }, literal(host));
  }
}

/** lsof(8): `[46][protocol][@host][:service]`. ss(8): `dst HOST:PORT` among words of a filter. */
function hostIn(name: string, word: string): string | undefined {
  if (name === "lsof") return /@(\[[^\]]*\]|[^:]*)/.exec(word)?.[1];
  if (name === "ss") return /[a-z][\w-]*\.[a-z]/i.test(word) && !word.includes("/") ? word.replace(/:[\w*-]*$/, "") : undefined;
  return word;
}

/** psql(1), mongosh: in the place of a database's name a whole connection may be written, its host included. */
export function databaseAddress(inv: Invocation): void {
  const [first] = inv.args.operands;
  if (/^m\w*-?dump$/.test(inv.name)) mysqlOwn(inv);
  for (const value of [...(first === undefined ? [] : [first]), ...valuesOf(inv, "-d", "--dbname", "--db")]) address(inv, value);
}

/** The database `mysql` is the server's own: its users with their hashes. */
export function mysqlOwn(inv: Invocation): void {
  const [first] = inv.args.operands;
  const names = [...(first === undefined ? [] : [first]), ...valuesOf(inv, "-D", "--database")].map(textOf);
  if (names.includes("mysql")) applyEffect(inv, { is: "secrets" });
}

function address(inv: Invocation, value: Value): void {
  const text = textOf(value);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(prefixOf(value))) applyKind(inv, { is: "url" }, value);
  else if (text === undefined) doubt(inv, `${describe(value)} may name another host`, "write the name of the database");
  else
    for (const [, host = ""] of text.matchAll(/\b(?:host|hostaddr|service)\s*=\s*('[^']*'|\S+)/gi))
      applyKind(inv, { is: "host" }, literal(host.replaceAll("'", "")));
  if (text !== undefined) written(inv, text);
  // mongosh: HOST/DB and HOST:PORT/DB.
  if (text !== undefined && inv.name.startsWith("mongo") && /^[\w.-]+(:\d+)?\/|^[\w-]+\.[\w.-]+$|:\d+$/.test(text) && !text.includes("://"))
    applyKind(inv, { is: "host" }, literal(text.split("/")[0] ?? ""));
}

/** libpq: what a connection that is written out says counts before options, and behind the `?` of a URL before its host and port. */
function written(inv: Invocation, text: string): void {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/?]*)/i.exec(text)?.[1];
  if (host !== undefined && /[?&][^=&]*%/.test(text))
    doubt(inv, `${inv.name} reads names behind \`?\` that are not written out`, "write them out");
  const said = [...text.matchAll(/(?:\b|[?&])(host|hostaddr|service|port)\s*=\s*('[^']*'|[^\s&]+)/gi)];
  const named = (name: RegExp): string[] => said.flatMap(([, key = "", value = ""]) => (name.test(key) ? [value.replaceAll("'", "")] : []));
  const ports = named(/^port$/i);
  for (const port of ports) applyKind(inv, { is: "port" }, literal(port));
  if (host === undefined) return;
  const hosts = named(/^(?:host|hostaddr|service)$/i);
  for (const one of hosts.length === 0 && ports.length > 0 ? [host] : hosts) applyKind(inv, { is: "host" }, literal(one));
}

/**
 * nc(1): what only tries whether a port answers opens no connection worth the name; to a port of this machine it is asked about as curl
 * is, for a rule of the network says all there is to say.
 */
export function netcat(inv: Invocation): void {
  const [host, port, ...more] = inv.args.operands.map(textOf);
  if (host === undefined && inv.args.operands.length === 0) applyEffect(inv, { is: "net" });
  const isHere = more.length === 0 && /^(?:localhost|127\.0\.0\.1|::1)$/i.test(host ?? "") && /^\d{1,5}$/.test(port ?? "");
  if (!has(inv, "-z") && (!isHere || has(inv, "-l"))) inv.cx.addDanger(inv.exec, "raw-connection");
  if (has(inv, "-l") && inv.args.operands.length > 2) doubt(inv, "nc is given more than a port to wait on");
}
