import * as v from "valibot";
import type { Database, Queryable } from "../database/index.ts";
import { policyGroups } from "../policies/index.ts";
import type { GaugeFamily } from "./metrics.ts";

/** A machine that was heard in this time is there. Milliseconds. */
const SEEN_MS = 86_400_000;

const Counts = v.object({ seen: v.number(), silent: v.number(), left: v.number(), waiting: v.number(), questions: v.number() });
const Oldest = v.object({ asked: v.nullable(v.date()) });

/** What the database says of the team, as numbers. */
export async function teamNumbers(db: Queryable, now: Date): Promise<readonly GaugeFamily[]> {
  const [counts = { seen: 0, silent: 0, left: 0, waiting: 0, questions: 0 }] = await db.rows(
    Counts,
    `select (select count(*) from machines where gone is null and last_seen > $2::timestamptz) as seen,
            (select count(*) from machines where gone is null and (last_seen is null or last_seen <= $2::timestamptz)) as silent,
            (select count(*) from machines where gone is not null) as "left",
            (select count(*) from enrolments where state = 'waiting' and expires > $1::timestamptz) as waiting,
            (select count(*) from questions where state = 'waiting' and expires > $1::timestamptz) as questions`,
    [now, new Date(now.getTime() - SEEN_MS)],
  );
  const [oldest] = await db.rows(Oldest, "select min(asked) as asked from questions where state = 'waiting' and expires > $1", [now]);
  const asked = oldest?.asked ?? null;
  const groups = await policyGroups(db);
  const states = (["seen", "silent", "waiting", "left"] as const).map((state) => ({ labels: { state }, value: counts[state] }));
  return [
    {
      name: "assent_team_machines",
      help: "Machines: heard in the last day (seen) or not (silent), waiting to be let in, or no longer there (left).",
      values: states,
    },
    { name: "assent_team_questions_waiting", help: "Questions that wait for an answer.", values: [{ value: counts.questions }] },
    {
      name: "assent_team_questions_oldest_age_seconds",
      help: "How long the oldest question that waits was asked ago; 0 where none waits.",
      values: [{ value: asked === null ? 0 : Math.max(0, (now.getTime() - asked.getTime()) / 1000) }],
    },
    {
      name: "assent_team_policy_released_version",
      help: "The version of the policy that is out to all machines of a group; 0 where none is.",
      values: groups.map(({ group, all }) => ({ labels: { group }, value: all ?? 0 })),
    },
    {
      name: "assent_team_policy_machines",
      help: "Machines of a group by the version of the policy that they say they have; 0 is none.",
      values: groups.flatMap(({ group, machines }) =>
        machines.map(({ version, machines: value }) => ({ labels: { group, version: version ?? 0 }, value })),
      ),
    },
  ];
}

/** The same database. `failed` is told of each statement that it did not do, and of each transaction that it did not end. */
export function tellingErrors(db: Database, failed: () => void): Database {
  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      failed();
      throw error;
    }
  };
  const asking = (to: Queryable): Queryable => ({
    rows: (schema, sql, params) => told(to.rows(schema, sql, params)),
    run: (sql, params) => told(to.run(sql, params)),
    script: (sql) => told(to.script(sql)),
  });
  return {
    ...asking(db),
    kind: db.kind,
    transaction: async (work) => {
      // What our own code throws in it is no error of the database, and what a statement throws was told already.
      let threw = false;
      try {
        return await db.transaction(async (within) => {
          try {
            return await work(asking(within));
          } catch (error) {
            threw = true;
            throw error;
          }
        });
      } catch (error) {
        if (!threw) failed();
        throw error;
      }
    },
    listen: (channel, onNotice, onAgain) => db.listen(channel, onNotice, onAgain),
    close: () => db.close(),
  };
}
