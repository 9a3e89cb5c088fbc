import { createHash } from "node:crypto";
import * as v from "valibot";
import { type PolicyAnswer, type PolicyAsk, type PolicyGroup } from "@assent/team/team/protocol";
import {
  hashStatement,
  isKeyChangeOf,
  isSignedBy,
  isSignedKeyChange,
  isSignedPolicy,
  keyIdOf,
  type PolicyVersion,
  publicOf,
  type Signed,
  type SignedKeyChange,
  signStatement,
} from "@assent/guard/signature";
import { type Database, JointLookup, type Queryable, TEAM_CHANNEL } from "../database/index.ts";
import { organisationOf } from "../enrol/index.ts";
import { serverKey } from "../log/index.ts";

const toHex = (digest: string): string => Buffer.from(digest, "base64url").toString("hex");
const digest = v.pipe(
  v.string(),
  v.transform((hex) => Buffer.from(hex, "hex").toString("base64url")),
);

/** Why something is not taken, for whoever sent it. */
export class PolicyRefused extends Error {}

const KeyRow = v.object({ id: v.string(), public_key: v.string(), change: v.nullable(v.string()) });

/** All keys of the team, the newest last, each after the one that named it. */
export const policyKeys = (db: Queryable): Promise<readonly v.InferOutput<typeof KeyRow>[]> =>
  db.rows(KeyRow, "select id, public_key, change from policy_keys order by seq");

/** Of all processes that change policies: versions and keys follow each other in one order. */
const POLICY_LOCK = 7_382_115_904;

async function alone<T>(db: Database, work: (within: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (within) => {
    await within.run("select pg_advisory_xact_lock($1)", [POLICY_LOCK]);
    return work(within);
  });
}

async function noteEvent(
  within: Queryable,
  at: Date,
  by: string,
  what: string,
  about: { readonly group?: string; readonly version?: number; readonly percent?: number } = {},
): Promise<void> {
  await within.run("insert into policy_events (at, by, what, grp, version, percent) values ($1, $2, $3, $4, $5, $6)", [
    at,
    by,
    what,
    about.group ?? null,
    about.version ?? null,
    about.percent ?? null,
  ]);
}

/** The first key of the team: an administrator says so. All others are named by the one before them. */
export async function addFirstKey(db: Database, publicKey: string, person: string, now: Date): Promise<void> {
  await alone(db, async (within) => {
    if ((await policyKeys(within)).length > 0) throw new PolicyRefused("the team has a key already; it names the one that follows it");
    await within.run("insert into policy_keys (id, public_key, added, added_by) values ($1, $2, $3, $4)", [
      keyIdOf(publicKey),
      publicKey,
      now,
      person,
    ]);
    await noteEvent(within, now, person, "key");
  });
}

/** The key that follows, as the newest one signed it. */
export async function changeKey(db: Database, change: SignedKeyChange, now: Date): Promise<void> {
  await alone(db, async (within) => {
    const newest = (await policyKeys(within)).at(-1);
    if (newest?.public_key === change.statement.to && newest.change === JSON.stringify(change)) return;
    if (newest === undefined || newest.public_key !== change.statement.from)
      throw new PolicyRefused("another key is the team's newest one");
    if (!isKeyChangeOf(change, await organisationOf(within)))
      throw new PolicyRefused("the change is not signed by both keys for this team");
    const last = await within.rows(GroupVersion, 'select grp as "group", max(version) as version from policy_versions group by grp');
    for (const { group, version } of last)
      if ((Object.hasOwn(change.statement.last, group) ? (change.statement.last[group] ?? 0) : 0) < version)
        throw new PolicyRefused(`the change does not count version ${version} of ${group} among those that the old key signed`);
    await within.run("insert into policy_keys (id, public_key, change, added, added_by) values ($1, $2, $3, $4, $5)", [
      keyIdOf(change.statement.to),
      change.statement.to,
      JSON.stringify(change),
      now,
      change.key,
    ]);
    await noteEvent(within, now, change.key, "key");
  });
}

const GroupVersion = v.object({ group: v.string(), version: v.number() });
const NewestRow = v.object({ version: v.number(), hash: digest });

/** Keeps a version, released to nobody yet. The same one again changes nothing. */
export async function pushPolicy(db: Database, signed: Signed<PolicyVersion>, now: Date): Promise<void> {
  await alone(db, async (within) => {
    const { statement } = signed;
    const { group, version } = statement;
    const key = (await policyKeys(within)).at(-1);
    if (statement.organisation !== (await organisationOf(within))) throw new PolicyRefused("it is signed for another team");
    const hash = hashStatement(statement);
    const there = await within.rows(
      NewestRow,
      "select version, encode(hash, 'hex') as hash from policy_versions where grp = $1 and version >= $2 order by version",
      [group, version],
    );
    if (there[0]?.version === version && there[0].hash === hash) return;
    if (key === undefined || !isSignedBy(signed, key.public_key)) throw new PolicyRefused("it is not signed by the team's newest key");
    if (there.length > 0)
      throw new PolicyRefused(`the server has version ${there.at(-1)?.version ?? version} of ${group}: sign a newer one`);
    const [before] = await within.rows(
      NewestRow,
      "select version, encode(hash, 'hex') as hash from policy_versions where grp = $1 order by version desc limit 1",
      [group],
    );
    if (version !== (before?.version ?? 0) + 1 || statement.previous !== (before?.hash ?? null))
      throw new PolicyRefused(`it does not follow version ${before?.version ?? 0} of ${group}, the newest that the server has`);
    await within.run(
      "insert into policy_versions (grp, version, hash, key_id, signed, pushed) values ($1, $2, decode($3, 'hex'), $4, $5, $6)",
      [group, version, toHex(hash), signed.key, JSON.stringify(signed), now],
    );
    await noteEvent(within, now, signed.key, "push", { group, version });
  });
}

/** So many machines of a hundred get it from now on; 100: all, and what is older nobody any more. */
export async function releasePolicy(
  db: Database,
  { group, version, percent }: { readonly group: string; readonly version: number; readonly percent: number },
  by: string,
  now: Date,
): Promise<void> {
  await alone(db, async (within) => {
    const { all } = await releasesOf(within, group);
    if (all !== undefined && version < all.version)
      throw new PolicyRefused(`version ${all.version} is out, and machines refuse an older one: sign its text again as a newer version`);
    if (all?.version === version && percent < 100) throw new PolicyRefused(`version ${version} is out to all already`);
    const changed = await within.run("update policy_versions set percent = $3 where grp = $1 and version = $2", [group, version, percent]);
    if (changed === 0) throw new PolicyRefused(`the server has no version ${version} of ${group}`);
    await noteEvent(within, now, by, "release", { group, version, percent });
    await within.run("select pg_notify($1, $2)", [TEAM_CHANNEL, `policy:${group}`]);
  });
}

const ReleaseRow = v.object({ version: v.number(), hash: digest, percent: v.number(), signed: v.string() });
type Release = v.InferOutput<typeof ReleaseRow>;

/** The newest first. */
const releasedRows = (db: Queryable, group: string): Promise<readonly Release[]> =>
  db.rows(
    ReleaseRow,
    `select version, encode(hash, 'hex') as hash, percent, signed from policy_versions
     where grp = $1 and percent is not null order by version desc limit 50`,
    [group],
  );

/** What all of a group have to have, and what of newer versions some get already: the newest one that is out to any. */
export async function releasesOf(db: Queryable, group: string): Promise<{ readonly all?: Release; readonly some?: Release }> {
  const rows = await releasedRows(db, group);
  const all = rows.find(({ percent }) => percent === 100);
  const some = rows.find(({ percent, version }) => percent > 0 && percent < 100 && version > (all?.version ?? 0));
  return { ...(all === undefined ? {} : { all }), ...(some === undefined ? {} : { some }) };
}

/** Which of a hundred parts a machine is in, for this version: each version begins with other machines. */
export function partOf(machine: string, group: string, version: number): number {
  return createHash("sha256").update(`assent roll-out\n${group}\n${version}\n${machine}\n`).digest().readUInt32BE(0) % 100;
}

/** What is released to a group at a moment, and the server's word that it is the newest. */
interface GroupPolicies {
  readonly base: PolicyAnswer;
  /** The newest first. */
  readonly releases: readonly (Release & { readonly answer: PolicyAnswer })[];
}

async function groupPolicies(db: Database, group: string, now: Date): Promise<GroupPolicies> {
  const keys = await policyKeys(db);
  const key = keys.at(-1)?.public_key;
  const changes = keys.flatMap(({ change }) => (change === null ? [] : [readChange(change)]));
  const base: PolicyAnswer = { v: 1, is: "policy", ...(key === undefined ? {} : { key }), changes };
  const rows = await releasedRows(db, group);
  if (rows.length === 0) return { base, releases: [] };
  const organisation = await organisationOf(db);
  const { private_key: pem } = await db.transaction((within) => serverKey(within));
  const at = now.toISOString();
  const answerOf = ({ version, hash, signed }: Release): PolicyAnswer => ({
    ...base,
    signed: readSigned(signed),
    heartbeat: signStatement({ is: "heartbeat" as const, organisation, group, version, hash, at }, { pem }),
  });
  // Behind the first that all get nobody is given one, but who has it.
  return { base, releases: rows.map((row) => lazily(row, () => answerOf(row))) };
}

/** With its answer made when it is asked for, once. */
function lazily(row: Release, make: () => PolicyAnswer): Release & { readonly answer: PolicyAnswer } {
  let made: PolicyAnswer | undefined;
  return {
    ...row,
    get answer() {
      return (made ??= make());
    },
  };
}

type Have = PolicyAsk["have"];
const isSame = ({ version, hash }: Release, have: Have): boolean => have?.version === version && have.hash === hash;

const chooseFor = (
  { releases }: GroupPolicies,
  machine: string,
  group: string,
  have: Have,
): GroupPolicies["releases"][number] | undefined =>
  releases.find(
    (one) =>
      partOf(machine, group, one.version) < one.percent ||
      // Who has a newer one already keeps it, though fewer are to get it now: machines take none that is older.
      isSame(one, have),
  );

const MachineRow = v.object({ grp: v.string() });

/** What machines that ask are to have: what many ask at once is looked up together. */
export class PolicyAnswers {
  readonly #db: Database;
  readonly #groups: JointLookup<GroupPolicies>;

  constructor(db: Database, now: () => Date) {
    this.#db = db;
    this.#groups = new JointLookup(async (groups) => {
      const found = new Map<string, GroupPolicies>();
      for (const group of groups) found.set(group, await groupPolicies(db, group, now()));
      return found;
    });
  }

  /** What a machine that asks is to have, and what it says of itself is kept. */
  async answer(machine: string, { have, problem }: PolicyAsk, now: Date): Promise<PolicyAnswer> {
    const [row] = await this.#db.rows(
      MachineRow,
      `update machines set policy_version = $2, policy_hash = decode($3, 'hex'), policy_problem = $4, policy_asked = $5
       where id = $1 returning grp`,
      [machine, have?.version ?? null, have === undefined ? null : toHex(have.hash), problem ?? null, now],
    );
    const group = row?.grp ?? "";
    const policies = await this.#groups.get(group);
    if (policies === undefined) throw new Error("a group was not looked up");
    const chosen = chooseFor(policies, machine, group, have);
    if (chosen === undefined) return policies.base;
    const { signed, ...others } = chosen.answer;
    return isSame(chosen, have) ? others : { ...others, ...(signed === undefined ? {} : { signed }) };
  }
}

const HaveRow = v.object({ id: v.string(), version: v.nullable(v.number()), hash: v.nullable(digest) });

/** For each machine of a group that is to have another version than it has said: what it would be answered now. */
export async function policyNews(db: Database, group: string, now: Date): Promise<ReadonlyMap<string, PolicyAnswer>> {
  const policies = await groupPolicies(db, group, now);
  const machines = await db.rows(
    HaveRow,
    "select id, policy_version as version, encode(policy_hash, 'hex') as hash from machines where grp = $1 and gone is null",
    [group],
  );
  const news = new Map<string, PolicyAnswer>();
  for (const { id, version, hash } of machines) {
    const have = version === null || hash === null ? undefined : { version, hash };
    const chosen = chooseFor(policies, id, group, have);
    if (chosen !== undefined && !isSame(chosen, have)) news.set(id, chosen.answer);
  }
  return news;
}

function readChange(text: string): SignedKeyChange {
  const value: unknown = JSON.parse(text);
  if (!isSignedKeyChange(value)) throw new TypeError("a change of the key in the database is damaged");
  return value;
}

export function readSigned(text: string): Signed<PolicyVersion> {
  const value: unknown = JSON.parse(text);
  if (!isSignedPolicy(value)) throw new TypeError("a policy in the database is damaged");
  return value;
}

/** By which the server says that a version is the newest. */
export const heartbeatKey = async (db: Database): Promise<string> =>
  publicOf((await db.transaction((within) => serverKey(within))).private_key);

const VersionRow = v.object({
  group: v.string(),
  version: v.number(),
  hash: digest,
  key: v.string(),
  made: v.string(),
  pushed: v.date(),
  percent: v.nullable(v.number()),
});
const CountRow = v.object({ group: v.string(), version: v.nullable(v.number()), machines: v.number() });
const MOST_VERSIONS = 200;

/** Each group with its newest versions, and which of them its machines say they have. */
export async function policyGroups(db: Queryable): Promise<readonly PolicyGroup[]> {
  const versions = await db.rows(
    VersionRow,
    `select * from (
       select grp as "group", version, encode(hash, 'hex') as hash, key_id as key, signed::json -> 'statement' ->> 'made' as made, pushed, percent,
              row_number() over (partition by grp order by version desc) as nth
       from policy_versions) p where nth <= ${MOST_VERSIONS} order by "group", version desc`,
  );
  const counts = await db.rows(
    CountRow,
    'select grp as "group", policy_version as version, count(*) as machines from machines where gone is null group by 1, 2 order by 1, 2 desc nulls last',
  );
  const names = [...new Set([...versions, ...counts].map(({ group }) => group))].toSorted();
  const found: PolicyGroup[] = [];
  for (const group of names) {
    const { all, some } = await releasesOf(db, group);
    found.push({
      group,
      versions: versions
        .filter((one) => one.group === group)
        .map(({ version, hash, made, key, pushed, percent }) => ({ version, hash, made, key, pushed: pushed.toISOString(), percent })),
      all: all?.version ?? null,
      some: some === undefined ? null : { version: some.version, percent: some.percent },
      machines: counts.filter((one) => one.group === group).map(({ version, machines }) => ({ version, machines })),
    });
  }
  return found;
}

const SignedRow = v.object({ signed: v.string() });

/** One version, or the newest one of its group. */
export async function policyVersion(db: Queryable, group: string, version: number | null): Promise<Signed<PolicyVersion> | undefined> {
  const [row] = await db.rows(
    SignedRow,
    "select signed from policy_versions where grp = $1 and ($2::integer is null or version = $2) order by version desc limit 1",
    [group, version],
  );
  return row === undefined ? undefined : readSigned(row.signed);
}

const MachineVersionRow = v.object({
  id: v.string(),
  name: v.string(),
  group: v.string(),
  version: v.nullable(v.number()),
  problem: v.nullable(v.string()),
  asked: v.nullable(v.date()),
});
export type MachinePolicy = v.InferOutput<typeof MachineVersionRow>;

/** What machines say they have. */
export const machinePolicies = (db: Queryable): Promise<readonly MachinePolicy[]> =>
  db.rows(
    MachineVersionRow,
    `select id, name, grp as "group", policy_version as version, policy_problem as problem, policy_asked as asked
     from machines where gone is null order by policy_problem is null, grp, policy_version nulls first, name limit 1000`,
  );
