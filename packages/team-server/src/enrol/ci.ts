import * as v from "valibot";
import { CI_LIMITS, type CiEnrol, type CiRule, type EnrolState, type NewCiRule } from "@assent/team/team/protocol";
import type { Database, Queryable } from "../database/index.ts";
import { joinedState, noteEvent } from "./machines.ts";
import { hashOf, newId, tokenOf } from "./secrets.ts";

/** What a token says, after its signature was found to be its issuer's. */
export interface JobClaims {
  readonly issuer: string;
  /** For whom it was made: for nobody else, too. */
  readonly audience: string;
  /** The token's own name: each lets one machine in. */
  readonly jti: string;
  readonly expires: Date;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Why there is no such rule, in a sentence. */
class CannotMakeRule extends Error {}

/** One line that can be shown. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;
const CLAIM = /^[\w:./-]{1,100}$/;
const VALUE = /^[^\p{C}\p{Zl}\p{Zp}]{1,500}$/u;

/** INVARIANT: a rule names whose job it is: at a public provider anybody has jobs, with any branch and any name of an environment. */
const WHOSE: ReadonlySet<string> = new Set(
  "sub repository repository_id repository_owner repository_owner_id project_path project_id namespace_path namespace_id".split(" "),
);

/** What somebody from outside may have started, with code of theirs: a rule that lets it in says so by one of these claims. */
const EVENTS = ["sub", "event_name", "pipeline_source"] as const;
const FROM_OUTSIDE = /^(?:pull_request|merge_request|external_pull_request)/;
const isFromOutside = ({ sub, event_name: event, pipeline_source: source }: Readonly<Record<string, unknown>>): boolean =>
  [event, source].some((one) => typeof one === "string" && FROM_OUTSIDE.test(one)) ||
  (typeof sub === "string" && /:(?:pull_request|merge_request)/.test(sub));

/** Makes a rule that lets jobs in as machines of a group, each for so many minutes. Returns its id. */
export async function makeCiRule(db: Database, rule: NewCiRule, by: string, now: Date): Promise<string> {
  const { name, issuer, audience, claims, group, minutes } = rule;
  const names = Object.keys(claims);
  if (!NAME.test(name)) throw new CannotMakeRule("a rule has a name of one line");
  if (names.length > CI_LIMITS.claims || names.some((one) => !CLAIM.test(one)) || Object.values(claims).some((one) => !VALUE.test(one)))
    throw new CannotMakeRule("claims are at most 20 of NAME=TEXT, each of one line");
  if (!names.some((one) => WHOSE.has(one)))
    throw new CannotMakeRule(`a rule says whose job it is, by one of the claims ${[...WHOSE].join(", ")}: everybody has jobs there`);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > CI_LIMITS.minutes) throw new CannotMakeRule("a job lasts at most 24 hours");
  const id = newId();
  await db.transaction(async (within) => {
    await within.run(
      `insert into ci_rules (id, name, issuer, audience, claims, grp, minutes, made, made_by)
       values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9)`,
      [id, name, issuer, audience, JSON.stringify(claims), group, minutes, now, by],
    );
    await noteEvent(within, now, by, `lets jobs of ${issuer} with ${JSON.stringify(claims)} into ${group}, by the rule ${id}`);
  });
  return id;
}

const RuleRow = v.object({
  id: v.string(),
  name: v.string(),
  issuer: v.string(),
  audience: v.string(),
  claims: v.record(v.string(), v.string()),
  group: v.string(),
  minutes: v.number(),
});
const RULE = `r.id, r.name, r.issuer, r.audience, r.claims, r.grp as "group", r.minutes`;
type FoundRule = v.InferOutput<typeof RuleRow>;

/** Rules that speak of an issuer: nobody else's keys are ever fetched. */
export const ciRulesOf = (db: Queryable, issuer: string): Promise<readonly FoundRule[]> =>
  db.rows(RuleRow, `select ${RULE} from ci_rules r where issuer = $1 and revoked is null order by made, id limit 500`, [issuer]);

function lets(rule: FoundRule, { audience, claims }: JobClaims, group: string): boolean {
  if (rule.group !== group || rule.audience !== audience) return false;
  if (!Object.entries(rule.claims).every(([name, value]) => Object.hasOwn(claims, name) && claims[name] === value)) return false;
  return !isFromOutside(claims) || EVENTS.some((name) => Object.hasOwn(rule.claims, name));
}

const TokenRow = v.object({ machine: v.string(), known: v.boolean() });

/**
 * Lets a job in, as a machine that ends by itself. Asked again with the same token and secret, as its answer was lost, it gets the same.
 * Undefined: no rule lets it in, or its token has let in another.
 */
export async function enrolByCi(db: Database, asked: Omit<CiEnrol, "token">, job: JobClaims, now: Date): Promise<EnrolState | undefined> {
  const { name, platform, version, group, secret } = asked;
  const token = tokenOf(secret);
  const joined = await db.transaction(async (within) => {
    // One after the other: what is asked twice at once is let in once.
    await within.run("select pg_advisory_xact_lock(hashtext($1))", [`ci token ${job.issuer} ${job.jti}`]);
    await within.run("delete from ci_tokens where expires < $1", [new Date(now.getTime() - KEPT_MS)]);
    await endExpired(within, now);
    const rule = (await ciRulesOf(within, job.issuer)).find((one) => lets(one, job, group));
    if (rule === undefined || job.expires <= now) return undefined;
    const [used] = await within.rows(
      TokenRow,
      `select t.machine, m.gone is null and m.token_hash is not distinct from decode($3, 'hex') and m.ci_rule = $4 as known
       from ci_tokens t join machines m on m.id = t.machine where t.issuer = $1 and t.jti = $2`,
      [job.issuer, job.jti, hashOf(token), rule.id],
    );
    if (used !== undefined) return used.known ? used.machine : undefined;
    const id = newId();
    const by = `the rule ${rule.name}`;
    await within.run(
      `insert into machines (id, name, platform, version, joined, confirmed_by, grp, token_hash, ci_rule, expires)
       values ($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'), $9, $10)`,
      [id, name, platform, version, now, by, group, hashOf(token), rule.id, new Date(now.getTime() + 60_000 * rule.minutes)],
    );
    await within.run("insert into ci_tokens (issuer, jti, machine, expires) values ($1, $2, $3, $4)", [
      job.issuer,
      job.jti,
      id,
      job.expires,
    ]);
    await noteEvent(within, now, by, `let in a job: ${JSON.stringify(rule.claims)}`, id);
    return id;
  });
  return joined === undefined ? undefined : joinedState(db, joined, token);
}

/** A used token is remembered longer than any clock is wrong. Milliseconds. */
const KEPT_MS = 86_400_000;

/** Machines whose time is over are sent away: their records stay. */
export const endExpired = (db: Queryable, now: Date): Promise<number> =>
  db.run("update machines set token_hash = null, gone = expires where gone is null and expires <= $1", [now]);

/** The rule lets nobody in any more, and those that it let in may not speak any more. Says how many those were. */
export async function removeCiRule(db: Database, id: string, by: string, now: Date): Promise<number | undefined> {
  return db.transaction(async (within) => {
    const removed = await within.run("update ci_rules set revoked = $2 where id = $1 and revoked is null", [id, now]);
    if (removed === 0) return undefined;
    const gone = await within.run("update machines set token_hash = null, gone = $2 where ci_rule = $1 and gone is null", [id, now]);
    await noteEvent(within, now, by, `removed the rule ${id}, and ${gone} machines`);
    return gone;
  });
}

const ListRow = v.object({ ...RuleRow.entries, made: v.date(), by: v.string(), machines: v.number(), let: v.number() });

/** All rules that hold, the newest first. */
export async function ciRules(db: Queryable): Promise<readonly CiRule[]> {
  const rows = await db.rows(
    ListRow,
    `select ${RULE}, r.made, r.made_by as by,
            (select count(*) from machines m where m.ci_rule = r.id and m.gone is null) as machines,
            (select count(*) from machines m where m.ci_rule = r.id) as "let"
     from ci_rules r where r.revoked is null order by r.made desc limit 500`,
  );
  return rows.map(({ made, ...one }) => ({ ...one, made: made.toISOString() }));
}
