import * as v from "valibot";
import type { Database, Queryable } from "../database/index.ts";
import { hashOf, newSecret } from "./secrets.ts";

const LINK_MS = 3_600_000;
/** An invitation is opened when its person has the time. */
const INVITATION_MS = 3 * 86_400_000;
/** So long a session lasts, however its person came in. Milliseconds. */
export const SESSION_MS = 8 * 3_600_000;
/** So long somebody has just signed in. Milliseconds. */
export const FRESH_MS = 600_000;

/** `admin`: lets machines and people in, and answers. `approver`: answers. `viewer`: sees what is asked. */
export const ROLES = ["admin", "approver", "viewer"] as const;
export type PersonRole = (typeof ROLES)[number];

/** What a person may do, for the machines of a group; '': of all. */
export interface HeldRole {
  readonly role: PersonRole;
  readonly machines: string;
}

/** Somebody who is signed in. */
export interface TeamPerson {
  readonly name: string;
  readonly roles: readonly HeldRole[];
}

const RoleRow = v.object({ person: v.string(), role: v.picklist(ROLES), machines: v.string() });
const NameRow = v.object({ name: v.string() });
const PersonRow = v.object({ person: v.string() });

/** Administrators are so for everything. */
export const isAdmin = ({ roles }: TeamPerson): boolean => roles.some(({ role, machines }) => role === "admin" && machines === "");

/** Whether the person may answer what machines of this group ask. */
export const mayAnswer = (person: TeamPerson, group: string): boolean =>
  isAdmin(person) || person.roles.some(({ role, machines }) => role !== "viewer" && (machines === "" || machines === group));

/** The groups whose questions the person may see; undefined: all. */
export const seesGroups = (person: TeamPerson): readonly string[] | undefined =>
  isAdmin(person) || person.roles.some(({ machines }) => machines === "") ? undefined : person.roles.map(({ machines }) => machines);

/** Nobody has ever come in. */
export async function isUnclaimed(db: Queryable): Promise<boolean> {
  return (await db.rows(v.object({}), "select 1 from admin_links where used is not null limit 1")).length === 0;
}

/** The secret of a link by which an administrator comes in, once, within an hour. */
export async function newAdminLink(db: Database, person: string, now: Date): Promise<string> {
  return db.transaction(async (within) => {
    await within.run(
      "insert into people (name, made, made_by) values ($1, $2, 'the server') on conflict (name) do update set gone = null",
      [person, now],
    );
    await within.run("insert into roles (person, role) values ($1, 'admin') on conflict do nothing", [person]);
    return newLink(within, person, now, LINK_MS);
  });
}

async function newLink(within: Queryable, person: string, now: Date, lasts: number): Promise<string> {
  const secret = newSecret();
  await within.run("delete from admin_links where expires < $1 and used is null", [now]);
  await within.run("insert into admin_links (hash, person, expires) values (decode($1, 'hex'), $2, $3)", [
    hashOf(secret),
    person,
    new Date(now.getTime() + lasts),
  ]);
  return secret;
}

/** One line that can be shown beside others' words. */
export const PERSON_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;

export interface PersonInvitation {
  readonly name: string;
  readonly role: string;
  readonly machines: string;
  /** Who invites. */
  readonly by: string;
}

/** Adds a person, or a role to one there is, and gives the secret of a link by which they come in, once; undefined: it is no name or role. */
export async function invitePerson(db: Database, { name, role, machines, by }: PersonInvitation, now: Date): Promise<string | undefined> {
  const known = ROLES.find((one) => one === role);
  if (known === undefined || !PERSON_NAME.test(name) || (machines !== "" && !PERSON_NAME.test(machines))) return undefined;
  // Who administers a part would let himself into the rest.
  if (known === "admin" && machines !== "") return undefined;
  return db.transaction(async (within) => {
    await within.run("insert into people (name, made, made_by) values ($1, $2, $3) on conflict (name) do update set gone = null", [
      name,
      now,
      by,
    ]);
    await within.run("insert into roles (person, role, machines) values ($1, $2, $3) on conflict do nothing", [name, known, machines]);
    await notePersonEvent(within, now, by, `gave ${known} to ${name}`);
    return newLink(within, name, now, INVITATION_MS);
  });
}

/** Takes all roles, sessions and links of a person. The last administrator stays. */
export async function removePerson(db: Database, name: string, by: string, now: Date): Promise<boolean> {
  return db.transaction(async (within) => {
    // One after the other: two who remove each other must not both go.
    await within.rows(PersonRow, "select person from roles where role = 'admin' order by person for update");
    const others = await within.rows(
      PersonRow,
      "select r.person from roles r join people p on p.name = r.person where r.role = 'admin' and p.gone is null and r.person <> $1 limit 1",
      [name],
    );
    if (others.length === 0) return false;
    const removed = await within.run("update people set gone = $2 where name = $1 and gone is null", [name, now]);
    if (removed === 0) return false;
    await within.run("delete from roles where person = $1", [name]);
    await within.run("delete from sessions where person = $1", [name]);
    await within.run("delete from passkeys where person = $1", [name]);
    await within.run("delete from admin_links where person = $1 and used is null", [name]);
    await notePersonEvent(within, now, by, `removed ${name}`);
    return true;
  });
}

export const notePersonEvent = (within: Queryable, at: Date, person: string, what: string): Promise<number> =>
  within.run("insert into admin_events (at, person, what) values ($1, $2, $3)", [at, person, what]);

/** Roles that were given here, and those that follow from the provider's groups as long as what it said counts. `$1`: now. */
const HELD_ROLES = `select person, role, machines from roles union
  select p.person, r.role, r.machines from provider_people p join provider_groups g on g.person = p.person
  join provider_roles r on r.name = g.name join people n on n.name = p.person where p.until > $1 and n.gone is null`;

/** Those who may come in, with their roles. */
export async function allPeople(db: Queryable, now: Date): Promise<readonly TeamPerson[]> {
  const names = await db.rows(NameRow, "select name from people where gone is null order by name limit 500");
  const roles = await db.rows(RoleRow, `select * from (${HELD_ROLES}) as held order by person, role, machines`, [now]);
  return names.map(({ name }) => ({ name, roles: roles.filter(({ person }) => person === name) }));
}

/** A session for the secret of a link, which is used up; undefined: it is not good, or no longer. */
export async function enter(db: Database, secret: string, now: Date): Promise<string | undefined> {
  return db.transaction(async (within) => {
    const [row] = await within.rows(
      PersonRow,
      `update admin_links set used = $2::timestamptz
       where hash = decode($1, 'hex') and used is null and expires > $2::timestamptz returning person`,
      [hashOf(secret), now],
    );
    if (row === undefined) return undefined;
    return openSession(within, { person: row.person, began: now }, now);
  });
}

/** A session that begins. */
export interface NewSession {
  readonly person: string;
  /** When its person signed in; undefined: nobody has said. */
  readonly began: Date | undefined;
  /** It came from the provider: the hash of what that one calls it, where it does. */
  readonly provider?: { readonly hash: string | undefined };
}

/** The secret of a session, which the person's browser keeps. */
export async function openSession(within: Queryable, { person, began, provider }: NewSession, now: Date): Promise<string> {
  const session = newSecret();
  await within.run("delete from sessions where expires < $1", [now]);
  await within.run(
    `insert into sessions (hash, person, expires, began, provider_session, by_provider)
     values (decode($1, 'hex'), $2, $3, coalesce($4::timestamptz, 'epoch'), decode($5, 'hex'), $6)`,
    [hashOf(session), person, new Date(now.getTime() + SESSION_MS), began ?? null, provider?.hash ?? null, provider !== undefined],
  );
  return session;
}

/** Whether the person of this session has just signed in. */
export async function isFreshSession(db: Queryable, session: string, now: Date): Promise<boolean> {
  const after = new Date(now.getTime() - FRESH_MS);
  const rows = await db.rows(
    v.object({}),
    "select 1 from sessions where hash = decode($1, 'hex') and expires > $2 and began > $3 and began <= $2",
    [hashOf(session), now, after],
  );
  return rows.length > 0;
}

/** Who has this session. */
export async function personOf(db: Queryable, session: string, now: Date): Promise<TeamPerson | undefined> {
  const [row] = await db.rows(
    PersonRow,
    `select s.person from sessions s join people p on p.name = s.person
     where s.hash = decode($1, 'hex') and s.expires > $2 and p.gone is null`,
    [hashOf(session), now],
  );
  return row === undefined ? undefined : personNamed(db, row.person, now);
}

/** The roles that a person has now. */
export async function personNamed(db: Queryable, name: string, now: Date): Promise<TeamPerson> {
  return { name, roles: await db.rows(RoleRow, `select * from (${HELD_ROLES}) as held where person = $2`, [now, name]) };
}

export const leaveSession = (db: Database, session: string): Promise<number> =>
  db.run("delete from sessions where hash = decode($1, 'hex')", [hashOf(session)]);
