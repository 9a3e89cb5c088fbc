import * as v from "valibot";
import {
  type ChainHead,
  type EnrolledPolicy,
  type EnrolRequest,
  type EnrolStarted,
  type EnrolState,
  GROUP_OF_ALL,
} from "@assent/team/team/protocol";
import { type Database, JointLookup, type Queryable } from "../database/index.ts";
import { hashOf, newCode, newId, newSecret, readCode, tokenOf } from "./secrets.ts";

const CODE_MS = 600_000;
/** A machine that was confirmed fetches its token until then. */
const FETCH_MS = 3_600_000;
const MOST_WAITING = 500;

/** A machine asks to be let in; undefined: too many are waiting. */
export async function startEnrolment(
  db: Database,
  { name, platform, version, group = GROUP_OF_ALL }: EnrolRequest,
  address: string,
  now: Date,
  user?: string,
): Promise<EnrolStarted | undefined> {
  const id = newId();
  const secret = newSecret();
  const code = newCode();
  const inserted = await db.transaction(async (within) => {
    await within.run("delete from enrolments where expires < $1", [new Date(now.getTime() - FETCH_MS)]);
    return within.run(
      `insert into enrolments (id, secret_hash, code_hash, name, platform, version, address, started, expires, grp, user_name)
       select $1, decode($2, 'hex'), decode($3, 'hex'), $4, $5, $6, $7, $8::timestamptz, $9::timestamptz, $11, $12
       where (select count(*) from enrolments where state = 'waiting' and expires > $8::timestamptz) < $10
       on conflict do nothing`,
      [
        id,
        hashOf(secret),
        hashOf(code),
        name,
        platform,
        version,
        address,
        now,
        new Date(now.getTime() + CODE_MS),
        MOST_WAITING,
        group,
        user ?? null,
      ],
    );
  });
  return inserted === 0 ? undefined : { v: 1, id, secret, code, expiresIn: CODE_MS };
}

const EnrolmentRow = v.object({
  id: v.string(),
  name: v.string(),
  state: v.picklist(["waiting", "confirmed", "refused"]),
  expires: v.date(),
});
const OrganisationRow = v.object({ id: v.string() });

export async function organisationOf(db: Queryable): Promise<string> {
  const [row] = await db.rows(OrganisationRow, "select id from organisation");
  if (row === undefined) throw new Error("the database has no organisation");
  return row.id;
}

/** Makes the one organisation of a new database. */
export const foundOrganisation = (db: Database): Promise<number> =>
  db.run("insert into organisation (id) values ($1) on conflict do nothing", [newId()]);

/** The machine asks whether it was let in. It may ask again: it gets the same token. */
export async function pollEnrolment(db: Database, id: string, secret: string, now: Date): Promise<EnrolState> {
  const [row] = await db.rows(
    EnrolmentRow,
    "select id, name, state, expires from enrolments where id = $1 and secret_hash = decode($2, 'hex')",
    [id, hashOf(secret)],
  );
  if (row === undefined || row.state === "refused") return { v: 1, is: "refused" };
  if (row.state === "waiting") return { v: 1, is: row.expires > now ? "waiting" : "refused" };
  const token = tokenOf(secret);
  const given = await db.run(
    `update machines set token_hash = decode($2, 'hex')
     where id = $1 and gone is null and (token_hash is null or token_hash = decode($2, 'hex'))`,
    [id, hashOf(token)],
  );
  if (given === 0) return { v: 1, is: "refused" };
  return joinedState(db, id, token);
}

export async function joinedState(db: Database, id: string, token: string): Promise<EnrolState> {
  return { v: 1, is: "joined", machine: id, organisation: await organisationOf(db), token, policy: await enrolledPolicy(db, id) };
}

const EnrolledRow = v.object({
  grp: v.string(),
  key: v.nullable(v.string()),
  version: v.nullable(v.number()),
  hash: v.nullable(v.string()),
});

/** What a machine holds policies against from now on: its group, the team's key, and the version that all have to have. */
async function enrolledPolicy(db: Queryable, machine: string): Promise<EnrolledPolicy> {
  const [row] = await db.rows(
    EnrolledRow,
    `select m.grp, k.public_key as key, p.version, encode(p.hash, 'hex') as hash
     from machines m
     left join lateral (select public_key from policy_keys order by seq desc limit 1) k on true
     left join lateral (
       select p.version, p.hash from policy_versions p where p.grp = m.grp and p.percent = 100 order by p.version desc limit 1
     ) p on true
     where m.id = $1`,
    [machine],
  );
  const { grp: group, key, version, hash } = row ?? { grp: GROUP_OF_ALL, key: null, version: null, hash: null };
  return {
    group,
    ...(key === null ? {} : { key }),
    ...(version === null || hash === null ? {} : { least: { version, hash: Buffer.from(hash, "hex").toString("base64url") } }),
  };
}

/** A machine that waits, as an administrator sees it: by its own words, but for the address. */
export interface WaitingMachine {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  readonly address: string;
  readonly group: string;
  readonly user: string | null;
  readonly started: Date;
}

const WaitingRow = v.object({
  id: v.string(),
  name: v.string(),
  platform: v.string(),
  address: v.string(),
  group: v.string(),
  user: v.nullable(v.string()),
  started: v.date(),
});

export const waitingMachines = (db: Queryable, now: Date): Promise<readonly WaitingMachine[]> =>
  db.rows(
    WaitingRow,
    `select id, name, platform, address, grp as "group", user_name as "user", started
     from enrolments where state = 'waiting' and expires > $1 order by started limit 200`,
    [now],
  );

/** Lets the machine in whose code this is; undefined: none has it, or no longer. */
export async function confirmMachine(db: Database, typed: string, person: string, now: Date): Promise<string | undefined> {
  const code = readCode(typed);
  if (code === undefined) return undefined;
  return db.transaction(async (within) => {
    const [row] = await within.rows(
      EnrolmentRow,
      `update enrolments set state = 'confirmed', decided_by = $2
       where code_hash = decode($1, 'hex') and state = 'waiting' and expires > $3
       returning id, name, state, expires`,
      [hashOf(code), person, now],
    );
    if (row === undefined) return undefined;
    await within.run(
      `insert into machines (id, name, platform, version, joined, confirmed_by, grp, user_name)
       select id, name, platform, version, $2, $3, grp, user_name from enrolments where id = $1`,
      [row.id, now, person],
    );
    await noteEvent(within, now, person, "confirmed", row.id);
    return row.name;
  });
}

/** Sends a machine that waits away. */
export async function refuseMachine(db: Database, id: string, person: string, now: Date): Promise<boolean> {
  return db.transaction(async (within) => {
    const refused = await within.run("update enrolments set state = 'refused', decided_by = $2 where id = $1 and state = 'waiting'", [
      id,
      person,
    ]);
    if (refused > 0) await noteEvent(within, now, person, "refused", id);
    return refused > 0;
  });
}

/** A machine that may speak. */
export interface KnownMachine {
  readonly id: string;
  readonly name: string;
  /** Whose policy it gets. */
  readonly group: string;
}

const TokenRow = v.object({
  id: v.string(),
  name: v.string(),
  group: v.string(),
  hash: v.string(),
  expires: v.nullable(v.date()),
});

/** A machine as its token was known last. INVARIANT: it may be sent away since, and counts only where `tokenHash` is found with it again. */
export interface LastKnownMachine {
  readonly id: string;
  /** Hex. */
  readonly tokenHash: string;
}

const MOST_KNOWN = 20_000;

/** Whose tokens they are, of many that come at once together. */
export class MachineTokens {
  readonly #lookup: JointLookup<Omit<v.InferOutput<typeof TokenRow>, "hash">>;
  /** Ids by hash, the one that was found last at the end. */
  readonly #known = new Map<string, string>();

  constructor(db: Queryable) {
    this.#lookup = new JointLookup(async (hashes) => {
      const rows = await db.rows(
        TokenRow,
        `select m.id, m.name, m.grp as "group", m.expires, t.hash from unnest($1::text[]) as t(hash)
         join machines m on m.token_hash = decode(t.hash, 'hex') and m.gone is null`,
        [hashes],
      );
      return new Map(rows.map(({ hash, ...machine }) => [hash, machine]));
    });
  }

  /** As long as it may speak: a job of a CI is let in for a time. */
  async machineOf(token: string, now: Date): Promise<KnownMachine | undefined> {
    const hash = hashOf(token);
    const found = await this.#lookup.get(hash);
    this.#known.delete(hash);
    if (found === undefined || (found.expires !== null && found.expires <= now)) return undefined;
    if (this.#known.size >= MOST_KNOWN) for (const oldest of this.#known.keys()) if (this.#known.delete(oldest)) break;
    this.#known.set(hash, found.id);
    return { id: found.id, name: found.name, group: found.group };
  }

  lastKnown(token: string): LastKnownMachine | undefined {
    const tokenHash = hashOf(token);
    const id = this.#known.get(tokenHash);
    return id === undefined ? undefined : { id, tokenHash };
  }
}

/** Its token is worth nothing from now on; its records stay. `person`: an administrator sent it away. */
export async function removeMachine(db: Database, id: string, now: Date, person?: string): Promise<boolean> {
  return db.transaction(async (within) => {
    const removed = await within.run("update machines set token_hash = null, gone = $2 where id = $1 and gone is null", [id, now]);
    if (removed > 0 && person !== undefined) await noteEvent(within, now, person, "removed", id);
    return removed > 0;
  });
}

/** Puts a machine into a group of machines ('': none), by which roles are given. */
export async function putInGroup(db: Database, id: string, group: string, person: string, now: Date): Promise<boolean> {
  if (!/^[^\p{C}\p{Zl}\p{Zp}]{0,128}$/u.test(group)) return false;
  return db.transaction(async (within) => {
    const moved = await within.run("update machines set people_group = $2 where id = $1", [id, group]);
    if (moved > 0) await noteEvent(within, now, person, `put in group ${group === "" ? "none" : group}`, id);
    return moved > 0;
  });
}

const GoneRow = v.object({ id: v.string() });

/** Those of these machines that have left or were removed. */
export async function goneAmong(db: Queryable, machines: readonly string[]): Promise<readonly string[]> {
  const rows = await db.rows(
    GoneRow,
    "select id from machines where gone is not null and id in (select value from jsonb_array_elements_text($1::jsonb))",
    [JSON.stringify(machines)],
  );
  return rows.map(({ id }) => id);
}

export async function noteEvent(within: Queryable, at: Date, person: string, what: string, machine: string | null = null): Promise<void> {
  await within.run("insert into admin_events (at, person, what, machine) values ($1, $2, $3, $4)", [at, person, what, machine]);
}

/** What is known of a machine that joined. */
export interface JoinedMachine {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  readonly group: string;
  readonly joined: Date;
  readonly by: string;
  readonly gone: Date | null;
  readonly records: number;
  readonly forks: number;
  readonly version: string;
  /** Whose account it is, by its own words. */
  readonly user: string | null;
  /** When it was heard last. */
  readonly seen: Date | null;
}

const JoinedRow = v.object({
  id: v.string(),
  name: v.string(),
  platform: v.string(),
  group: v.string(),
  joined: v.date(),
  by: v.string(),
  gone: v.nullable(v.date()),
  records: v.number(),
  forks: v.number(),
  version: v.string(),
  user: v.nullable(v.string()),
  seen: v.nullable(v.date()),
});

export const joinedMachines = (db: Queryable): Promise<readonly JoinedMachine[]> =>
  db.rows(
    JoinedRow,
    `select m.id, m.name, m.platform, m.people_group as "group", m.joined, m.confirmed_by as by, m.gone, m.version, m.user_name as "user", m.last_seen as seen,
            coalesce((select sum(h.seq) from chain_heads h where h.machine = m.id), 0)::bigint as records,
            (select count(*) from log_forks f where f.machine = m.id) as forks
     from machines m order by m.gone is not null, m.joined desc limit 500`,
  );

const HeadRow = v.object({ epoch: v.number(), seq: v.number(), hash: v.string() });
const CountRow = v.object({ count: v.number() });

/** Where the machine's newest chain ends, and how many records are kept that contradict its chains. */
export async function chainOf(db: Queryable, machine: string): Promise<{ readonly head?: ChainHead; readonly forks: number }> {
  const [row] = await db.rows(
    HeadRow,
    "select epoch, seq, encode(hash, 'hex') as hash from chain_heads where machine = $1 order by epoch desc limit 1",
    [machine],
  );
  const [{ count } = { count: 0 }] = await db.rows(CountRow, "select count(*) as count from log_forks where machine = $1", [machine]);
  return {
    ...(row === undefined ? {} : { head: { ...row, hash: Buffer.from(row.hash, "hex").toString("base64url") } }),
    forks: count,
  };
}
