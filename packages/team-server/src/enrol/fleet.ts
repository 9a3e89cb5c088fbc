import * as v from "valibot";
import type { EnrolState, FleetEnrol, FleetKey, NewFleetKey } from "@assent/team/team/protocol";
import type { Database, Queryable } from "../database/index.ts";
import { joinedState, noteEvent } from "./machines.ts";
import { hashOf, newId, newSecret, tokenOf } from "./secrets.ts";

const KeyRow = v.object({ id: v.string(), name: v.string() });
const MachineRow = v.object({ id: v.string() });
/** One line that can be shown. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;

/** Why there is no such key, in a sentence. */
class CannotMakeKey extends Error {}

/** Makes a key that lets so many machines into a group. It is given out once: the database has its hash. */
export async function makeFleetKey(db: Database, { name, group, uses, expires }: NewFleetKey, by: string, now: Date): Promise<string> {
  if (!NAME.test(name)) throw new CannotMakeKey("a key has a name of one line");
  if (!(expires > now.getTime())) throw new CannotMakeKey("a key expires later than now");
  const [id, key] = [newId(), newSecret()];
  await db.transaction(async (within) => {
    await within.run(
      "insert into fleet_keys (id, hash, name, grp, uses, made, made_by, expires) values ($1, decode($2, 'hex'), $3, $4, $5, $6, $7, $8)",
      [id, hashOf(key), name, group, uses, now, by, new Date(expires)],
    );
    await noteEvent(within, now, by, `made the key ${id} for ${uses} machines of ${group}`);
  });
  return key;
}

/**
 * Lets a machine in that has a key. Asked again with the same secret, as its answer was lost, it gets the same token, and the key counts
 * once. Undefined: the key is none, or no longer, or is of another group.
 */
export async function enrolByFleet(db: Database, asked: FleetEnrol, now: Date): Promise<EnrolState | undefined> {
  const { name, platform, version, group, key, secret } = asked;
  const token = tokenOf(secret);
  const joined = await db.transaction(async (within) => {
    // Held, so that what is asked twice at once is not let in twice.
    const [known] = await within.rows(
      KeyRow,
      "select id, name from fleet_keys where hash = decode($1, 'hex') and grp = $2 and revoked is null and expires > $3 for update",
      [hashOf(key), group, now],
    );
    if (known === undefined) return undefined;
    const [there] = await within.rows(
      MachineRow,
      "select id from machines where token_hash = decode($1, 'hex') and fleet_key = $2 and gone is null",
      [hashOf(token), known.id],
    );
    if (there !== undefined) return there.id;
    if ((await within.run("update fleet_keys set used = used + 1 where id = $1 and used < uses", [known.id])) === 0) return undefined;
    const id = newId();
    const by = `the key ${known.name}`;
    await within.run(
      `insert into machines (id, name, platform, version, joined, confirmed_by, grp, token_hash, fleet_key)
       values ($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'), $9)`,
      [id, name, platform, version, now, by, group, hashOf(token), known.id],
    );
    await noteEvent(within, now, by, "let in", id);
    return id;
  });
  return joined === undefined ? undefined : joinedState(db, joined, token);
}

/** The key lets nobody in any more; with `machines`, those that it let in may not speak any more either. Says how many those were. */
export async function revokeFleetKey(db: Database, id: string, machines: boolean, by: string, now: Date): Promise<number | undefined> {
  return db.transaction(async (within) => {
    const [known] = await within.rows(KeyRow, "select id, name from fleet_keys where id = $1 for update", [id]);
    if (known === undefined) return undefined;
    await within.run("update fleet_keys set revoked = $2 where id = $1 and revoked is null", [id, now]);
    const gone = machines
      ? await within.run("update machines set token_hash = null, gone = $2 where fleet_key = $1 and gone is null", [id, now])
      : 0;
    await noteEvent(within, now, by, `revoked the key ${id}${machines ? `, and ${gone} machines` : ""}`);
    return gone;
  });
}

const ListRow = v.object({
  id: v.string(),
  name: v.string(),
  group: v.string(),
  uses: v.number(),
  used: v.number(),
  made: v.date(),
  by: v.string(),
  expires: v.date(),
  revoked: v.nullable(v.date()),
  machines: v.number(),
});

/** All keys, the newest first. */
export async function fleetKeys(db: Queryable): Promise<readonly FleetKey[]> {
  const rows = await db.rows(
    ListRow,
    `select k.id, k.name, k.grp as "group", k.uses, k.used, k.made, k.made_by as by, k.expires, k.revoked,
            (select count(*) from machines m where m.fleet_key = k.id and m.gone is null) as machines
     from fleet_keys k order by k.made desc limit 500`,
  );
  return rows.map(({ made, expires, revoked, ...one }) => ({
    ...one,
    made: made.toISOString(),
    expires: expires.toISOString(),
    revoked: revoked?.toISOString() ?? null,
  }));
}
