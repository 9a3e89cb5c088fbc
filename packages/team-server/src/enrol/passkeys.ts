import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Database, Queryable } from "../database/index.ts";
import { notePersonEvent } from "./people.ts";
import { hashOf } from "./secrets.ts";

/** So long a registration that has begun may take. */
const BEGUN_MS = 600_000;
/** Of one person. */
export const MOST_PASSKEYS = 10;
/** Of all, as many as a policy may name. */
const MOST_LISTED = 1000;

/** A passkey that a person registered. */
export interface PersonPasskey {
  /** The credential's id, base64url. */
  readonly id: string;
  readonly person: string;
  /** What its person calls it. */
  readonly name: string;
  /** SubjectPublicKeyInfo, base64url. */
  readonly key: string;
  readonly made: Date;
}

const PasskeyRow = v.object({ id: v.string(), person: v.string(), name: v.string(), key: v.string(), made: v.date() });
const BegunRow = v.object({ challenge: v.string() });
const CountRow = v.object({ count: v.number() });

/** What a new passkey signs, once, in this session. */
export interface BegunPasskey {
  readonly challenge: string;
}

export async function beginPasskey(db: Database, session: string, now: Date): Promise<BegunPasskey> {
  const challenge = randomBytes(32).toString("base64url");
  await db.run(
    `insert into begun_passkeys (session, challenge, expires) values (decode($1, 'hex'), $2, $3)
     on conflict (session) do update set challenge = excluded.challenge, expires = excluded.expires`,
    [hashOf(session), challenge, new Date(now.getTime() + BEGUN_MS)],
  );
  return { challenge };
}

/** Ends what has begun, whatever comes of it; undefined: nothing has, or it is too old. */
export async function takeBegunPasskey(db: Database, session: string, now: Date): Promise<BegunPasskey | undefined> {
  const rows = await db.rows(
    BegunRow,
    "with taken as (delete from begun_passkeys where session = decode($1, 'hex') returning challenge, expires) select challenge from taken where expires > $2",
    [hashOf(session), now],
  );
  return rows[0];
}

/** `other`: a passkey with this id or key is there, whoever has it. */
export async function addPasskey(db: Database, { id, person, name, key, made }: PersonPasskey): Promise<"added" | "other" | "full"> {
  return db.transaction(async (within) => {
    await within.run("select pg_advisory_xact_lock(hashtext($1))", [`passkeys ${person}`]);
    const [{ count } = { count: 0 }] = await within.rows(CountRow, "select count(*) as count from passkeys where person = $1", [person]);
    if (count >= MOST_PASSKEYS) return "full";
    const added = await within.run(
      `insert into passkeys (id, person, name, key, made)
       select $1, p.name, $3, $4, $5::timestamptz from people p where p.name = $2 and p.gone is null on conflict do nothing`,
      [id, person, name, key, made],
    );
    if (added === 0) return "other";
    await notePersonEvent(within, made, person, `added the passkey ${name}`);
    return "added";
  });
}

/** Only its own person takes one away. */
export async function removePasskey(db: Database, person: string, id: string, now: Date): Promise<void> {
  await db.transaction(async (within) => {
    const rows = await within.rows(PasskeyRow, "delete from passkeys where person = $1 and id = $2 returning id, person, name, key, made", [
      person,
      id,
    ]);
    for (const { name } of rows) await notePersonEvent(within, now, person, `removed the passkey ${name}`);
  });
}

export const passkeysOf = (db: Queryable, person: string): Promise<readonly PersonPasskey[]> =>
  db.rows(PasskeyRow, "select id, person, name, key, made from passkeys where person = $1 order by made, id", [person]);

/** Of everybody who may come in. */
export const allPasskeys = (db: Queryable): Promise<readonly PersonPasskey[]> =>
  db.rows(
    PasskeyRow,
    `select k.id, k.person, k.name, k.key, k.made from passkeys k join people p on p.name = k.person
     where p.gone is null order by k.person, k.made, k.id limit ${MOST_LISTED}`,
  );
