import { createHash } from "node:crypto";
import pg from "pg";
import { machineId, machineToken } from "./who.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Machines that have joined, straight in the database: what enrolment costs is no part of this. */
export async function addMachines(address: string, count: number): Promise<void> {
  await within(address, (db) => {
    const all = Array.from({ length: count }, (_, at) => at);
    return db.query(
      `insert into machines (id, name, platform, version, confirmed_by, token_hash)
       select id, name, 'linux x64', '0', 'the bench', decode(token, 'hex') from unnest($1::text[], $2::text[], $3::text[]) as m(id, name, token)
       on conflict do nothing`,
      [all.map(machineId), all.map((at) => `machine-${at}`), all.map((at) => digest(machineToken(at)))],
    );
  });
}

/** The newest epoch of each machine, by its number; 0 of none. */
export async function newestEpochs(address: string, count: number): Promise<readonly number[]> {
  const { rows } = await within(address, (db) =>
    db.query<{ machine: string; epoch: number }>("select machine, max(epoch) as epoch from chain_heads group by 1"),
  );
  const known = new Map(rows.map(({ machine, epoch }) => [machine, epoch]));
  return Array.from({ length: count }, (_, at) => known.get(machineId(at)) ?? 0);
}

/** Records of all chains: what their heads say. */
export async function recordsThere(address: string): Promise<number> {
  const { rows } = await within(address, (db) => db.query<{ sum: string | null }>("select sum(seq) as sum from chain_heads"));
  return Number(rows[0]?.sum ?? 0);
}

/** `part`: the filling was cut off. Such a folder is of no use: tables that have no place in the log are in the way of the server. */
export async function filledSoFar(address: string): Promise<"none" | "part" | "all"> {
  const { rows } = await within(address, (db) =>
    db.query<{ filled: boolean; heads: boolean }>(
      "select to_regclass('bench_filled') is not null as filled, exists (select from chain_heads) as heads",
    ),
  );
  return rows[0]?.filled === true ? "all" : rows[0]?.heads === true ? "part" : "none";
}

/** base64url as PostgreSQL writes it. */
const base64url = (bytes: string): string => `rtrim(translate(encode(${bytes}, 'base64'), E'+/\\n', '-_'), '=')`;

/**
 * Records in the months up to this one, of every machine alike, each month an epoch of its own, so that months are made side by side. The
 * chains are whole: hashes as the protocol has them, made by the database. A table is made, filled and only then given its place and
 * its indexes, as one that grew has them.
 */
export async function addRecords(
  address: string,
  { machines, records, months }: { machines: number; records: number; months: number },
): Promise<void> {
  const now = new Date();
  const each = Math.ceil(records / machines / months);
  if (each === 0) return within(address, markFilled);
  const names = Array.from({ length: months }, (_, at) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (months - 1 - at))));
  await within(address, async (db) => {
    for (let epoch = 1; epoch <= months; epoch += 1)
      await db.query(
        "insert into chain_heads (machine, epoch, hash) select id, $1::int, sha256(convert_to('assent team log 1' || E'\\n' || id || E'\\n' || $1::int::text || E'\\n', 'UTF8')) from machines",
        [epoch],
      );
  });
  await Promise.all(names.map((start, at) => within(address, (db) => fillMonth(db, start, at + 1, each, now))));
  await within(address, async (db) => {
    for (const start of names) {
      const { name, from, to } = monthOf(start);
      await db.query(`alter table log attach partition ${name} for values from ('${from}') to ('${to}')`);
    }
    await db.query("analyze log");
    await db.query("checkpoint");
    await markFilled(db);
  });
}

const markFilled = async (db: pg.Client): Promise<void> => void (await db.query("create table bench_filled ()"));

function monthOf(start: Date): { readonly name: string; readonly from: string; readonly to: string } {
  const to = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  return { name: `log_${start.toISOString().slice(0, 7).replace("-", "_")}`, from: start.toISOString(), to: to.toISOString() };
}

async function fillMonth(db: pg.Client, start: Date, epoch: number, each: number, now: Date): Promise<void> {
  const { name, from, to } = monthOf(start);
  const until = Math.min(Date.parse(to), now.getTime());
  const step = (until - start.getTime()) / (each + 1) / 1000;
  await db.query("begin");
  await db.query("set local work_mem = '256MB'");
  await db.query("set local jit = off");
  await db.query(`create table ${name} (like log including defaults including constraints)`);
  await db.query(`alter table ${name} add check (received >= '${from}' and received < '${to}')`);
  const hash = `sha256(convert_to(${base64url("s.before")} || E'\\n' || step::text || E'\\n' || ${base64url("s.body_hash")} || E'\\n', 'UTF8'))`;
  await db.query(`do $fill$
    declare ids text[]; hashes bytea[]; times timestamptz; stamp text;
    begin
      select array_agg(machine order by machine), array_agg(hash order by machine) into ids, hashes from chain_heads where epoch = ${epoch};
      for step in 1..${each} loop
        times := timestamptz '${from}' + make_interval(secs => ${step} * step);
        stamp := to_char(times at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
        with bodies as materialized (
          select n, id, before, substring(sha256(before) for 16) as salt,
                 '{"v":1,"time":"' || stamp || '","point":"hook","agent":"claude","event":"request","session":"s' || n || '","cwd":"/home/ada/project' || step % 40 ||
                 '","tool":"shell","input":{"command":"git log --oneline -n ' || step || ' src/part' || n % 97 || '"},"verdict":"' ||
                 (array['allow','allow','allow','ask','deny'])[1 + (n + step) % 5] || '","basis":"knowledge","answer":"allow","reason":"it does only what is listed here",' ||
                 '"builtin":"git log","actions":[{"action":"exec git log --oneline","verdict":"allow","basis":"knowledge","builtin":"git log"}],"unknowns":[],"ms":3.1,"seq":' || step || '}' as body
          from unnest(ids, hashes) with ordinality as c(id, before, n)
        ), salted as (select *, sha256(salt || convert_to(body, 'UTF8')) as body_hash from bodies),
        made as materialized (select s.*, ${hash} as hash from salted s),
        kept as (
          insert into ${name} (received, machine, epoch, seq, hash, body_hash, salt, body, time, verdict, agent, tool)
          select times + make_interval(secs => ${step} * (n - 1) / ${"array_length(ids, 1)"}), id, ${epoch}, step, hash, body_hash, salt, body, times,
                 (array['allow','allow','allow','ask','deny'])[1 + (n + step) % 5], 'claude', 'shell' from made
        )
        select array_agg(hash order by n) into hashes from made;
      end loop;
      update chain_heads h set seq = ${each}, hash = w.hash from unnest(ids, hashes) as w(id, hash) where h.machine = w.id and h.epoch = ${epoch};
    end $fill$`);
  await db.query("commit");
}

export async function within<T>(address: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: address });
  // Whoever waits for a statement is told; a connection that only lies there may go.
  db.on("error", () => undefined);
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
