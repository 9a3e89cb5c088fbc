import * as v from "valibot";
import type { Database, Queryable } from "../database/index.ts";
import { hashOf, newSecret } from "./secrets.ts";

const LINK_MS = 3_600_000;
const SESSION_MS = 12 * 3_600_000;

const PersonRow = v.object({ person: v.string() });

/** Nobody has ever come in. */
export async function isUnclaimed(db: Queryable): Promise<boolean> {
  return (await db.rows(v.object({}), "select 1 from admin_links where used is not null limit 1")).length === 0;
}

/** The secret of a link by which an administrator comes in, once, within an hour. */
export async function newAdminLink(db: Database, person: string, now: Date): Promise<string> {
  const secret = newSecret();
  await db.run("delete from admin_links where expires < $1 and used is null", [now]);
  await db.run("insert into admin_links (hash, person, expires) values (decode($1, 'hex'), $2, $3)", [
    hashOf(secret),
    person,
    new Date(now.getTime() + LINK_MS),
  ]);
  return secret;
}

/** A session for the secret of a link, which is used up; undefined: it is not good, or no longer. */
export async function enter(db: Database, secret: string, now: Date): Promise<string | undefined> {
  return db.transaction(async (within) => {
    const [row] = await within.rows(
      PersonRow,
      "update admin_links set used = $2::timestamptz where hash = decode($1, 'hex') and used is null and expires > $2::timestamptz returning person",
      [hashOf(secret), now],
    );
    if (row === undefined) return undefined;
    const session = newSecret();
    await within.run("delete from sessions where expires < $1", [now]);
    await within.run("insert into sessions (hash, person, expires) values (decode($1, 'hex'), $2, $3)", [
      hashOf(session),
      row.person,
      new Date(now.getTime() + SESSION_MS),
    ]);
    return session;
  });
}

/** Who has this session. */
export async function personOf(db: Queryable, session: string, now: Date): Promise<string | undefined> {
  const [row] = await db.rows(PersonRow, "select person from sessions where hash = decode($1, 'hex') and expires > $2", [
    hashOf(session),
    now,
  ]);
  return row?.person;
}

export const leaveSession = (db: Database, session: string): Promise<number> =>
  db.run("delete from sessions where hash = decode($1, 'hex')", [hashOf(session)]);
