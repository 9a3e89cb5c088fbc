import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Database, Queryable } from "../database/index.ts";
import { notePersonEvent, openSession, PERSON_NAME, ROLES, type PersonRole, SESSION_MS } from "./people.ts";
import { hashOf } from "./secrets.ts";

const MOST_GROUPS = 500;
const MOST_ROLES = 500;

/** Who somebody is, as a provider has said. All of it but the issuer may be of their own choosing. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  /** What they would be called. */
  readonly name: string | undefined;
  readonly groups: readonly string[];
  /** When they last showed who they are; undefined: the provider does not say. */
  readonly signedIn: Date | undefined;
  /** What the provider calls their session there. */
  readonly session: string | undefined;
}

const PersonRow = v.object({ person: v.string(), gone: v.nullable(v.date()) });

/**
 * A session for somebody whom the provider has vouched for; undefined: an administrator has removed them.
 * INVARIANT: who they are follows from issuer and subject alone: a name that somebody else has, of whatever origin, is not given again.
 */
export async function enterFromProvider(
  db: Database,
  { issuer, subject, name, groups, signedIn, session }: ProviderPerson,
  now: Date,
): Promise<string | undefined> {
  return db.transaction(async (within) => {
    // One after the other: two first sign-ins of one person make one.
    await within.run("select pg_advisory_xact_lock(hashtext($1))", [`provider person ${issuer} ${subject}`]);
    const until = new Date(now.getTime() + SESSION_MS);
    const [there] = await within.rows(
      PersonRow,
      "select p.person, n.gone from provider_people p join people n on n.name = p.person where p.issuer = $1 and p.subject = $2",
      [issuer, subject],
    );
    if (there !== undefined && there.gone !== null) return undefined;
    const person = there?.person ?? (await newPerson(within, { issuer, subject, name }, now));
    await within.run(
      `insert into provider_people (issuer, subject, person, until) values ($1, $2, $3, $4)
       on conflict (issuer, subject) do update set until = excluded.until`,
      [issuer, subject, person, until],
    );
    await within.run("delete from provider_groups where person = $1", [person]);
    await within.run("insert into provider_groups (person, name) select distinct $1, value from jsonb_array_elements_text($2::jsonb)", [
      person,
      JSON.stringify(groups.slice(0, MOST_GROUPS)),
    ]);
    const provider = { hash: session === undefined ? undefined : hashOf(providerSession(issuer, session)) };
    return openSession(within, { person, began: signedIn, provider }, now);
  });
}

const providerSession = (issuer: string, id: string): string => `provider session\n${issuer}\n${id}`;

/** What the provider has ended. */
export interface EndedAtProvider {
  readonly issuer: string;
  /** The token that says so, which counts once, and is kept as long as it could be shown again. */
  readonly jti: string;
  readonly expires: Date;
  readonly session: string | undefined;
  readonly subject: string | undefined;
}

/**
 * Ends the sessions that the provider has ended: the one that it names, or all of the person that came from there, with the roles of their
 * groups; undefined: this token was used. INVARIANT: sessions that came by a link are not the provider's to end.
 */
export async function endProviderSessions(db: Database, ended: EndedAtProvider, now: Date): Promise<number | undefined> {
  const { issuer, jti, expires, session, subject } = ended;
  return db.transaction(async (within) => {
    await within.run("delete from logout_tokens where expires < $1", [now]);
    const isNew = await within.run(
      "insert into logout_tokens (issuer, jti, expires) values ($1, decode($2, 'hex'), $3) on conflict do nothing",
      [issuer, hashOf(jti), expires],
    );
    if (isNew === 0) return undefined;
    const theirs = "select person from provider_people where issuer = $1 and subject = $2";
    if (session === undefined) {
      await within.run("update provider_people set until = $3 where issuer = $1 and subject = $2 and until > $3", [
        issuer,
        subject ?? "",
        now,
      ]);
      return within.run(`delete from sessions where by_provider and person in (${theirs})`, [issuer, subject ?? ""]);
    }
    const hash = hashOf(providerSession(issuer, session));
    // Where it names the person, too, it has to be theirs.
    return subject === undefined
      ? within.run("delete from sessions where provider_session = decode($1, 'hex')", [hash])
      : within.run(`delete from sessions where provider_session = decode($3, 'hex') and person in (${theirs})`, [issuer, subject, hash]);
  });
}

async function newPerson(
  within: Queryable,
  { issuer, subject, name }: Pick<ProviderPerson, "issuer" | "subject" | "name">,
  now: Date,
): Promise<string> {
  const mark = createHash("sha256").update(`${issuer}\n${subject}`).digest("hex").slice(0, 12);
  const wished = name !== undefined && PERSON_NAME.test(name) && name.length <= 100 ? name.trim() : "";
  for (const tried of wished === "" ? [`person ${mark}`] : [wished, `${wished} (${mark})`]) {
    const made = await within.run("insert into people (name, made, made_by) values ($1, $2, $3) on conflict do nothing", [
      tried,
      now,
      "the provider",
    ]);
    if (made === 1) return tried;
  }
  throw new Error("this person has no name that is free");
}

/** A group of the provider, and the role that its members have. */
export interface ProviderRole {
  readonly name: string;
  readonly role: PersonRole;
  readonly machines: string;
}

const RoleRow = v.object({ name: v.string(), role: v.picklist(ROLES), machines: v.string() });

export const providerRoles = (db: Queryable): Promise<readonly ProviderRole[]> =>
  db.rows(RoleRow, "select name, role, machines from provider_roles order by name, role, machines");

const shownRole = ({ name, role, machines }: { name: string; role: string; machines: string }): string =>
  `${role}${machines === "" ? "" : ` for ${machines}`} of the provider's group ${name}`;

/** False: it is no group or role, or there are too many. It counts at once, for who is signed in, too. */
export async function addProviderRole(
  db: Database,
  { name, role, machines }: { readonly name: string; readonly role: string; readonly machines: string },
  by: string,
  now: Date,
): Promise<boolean> {
  const known = ROLES.find((one) => one === role);
  if (known === undefined || !isGroupOfProvider(name) || (machines !== "" && !PERSON_NAME.test(machines))) return false;
  if (known === "admin" && machines !== "") return false;
  return db.transaction(async (within) => {
    if ((await providerRoles(within)).length >= MOST_ROLES) return false;
    await within.run(
      "insert into provider_roles (name, role, machines, made, made_by) values ($1, $2, $3, $4, $5) on conflict do nothing",
      [name, known, machines, now, by],
    );
    await notePersonEvent(within, now, by, `gave ${shownRole({ name, role, machines })}`);
    return true;
  });
}

export async function removeProviderRole(
  db: Database,
  row: { readonly name: string; readonly role: string; readonly machines: string },
  by: string,
  now: Date,
): Promise<void> {
  await db.transaction(async (within) => {
    const gone = await within.run("delete from provider_roles where name = $1 and role = $2 and machines = $3", [
      row.name,
      row.role,
      row.machines,
    ]);
    if (gone > 0) await notePersonEvent(within, now, by, `took ${shownRole(row)}`);
  });
}

/** One line that can be kept and shown; groups are compared sign for sign. */
export const isGroupOfProvider = (name: string): boolean => /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u.test(name);
