import * as v from "valibot";
import { chainStart, nextPoint, saltedHash } from "@assent/team/team/protocol";
import type { Queryable } from "@assent/team-server/database";
import { isSigned } from "../../../packages/team-server/src/log/months.ts";

/** What was found out about one chain of a machine. */
export interface VerifiedChain {
  readonly epoch: number;
  /** Records that are there, erased ones among them. */
  readonly records: number;
  readonly erased: number;
  /** Of months that were dropped, up to a signed checkpoint. */
  readonly dropped: number;
  /** What is wrong, with the number of the record. */
  readonly flaws: readonly { readonly seq: number; readonly what: "missing" | "changed" | "checkpoint" | "head" }[];
}

const digest = v.pipe(
  v.string(),
  v.transform((hex) => Buffer.from(hex, "hex").toString("base64url")),
);
const Head = v.object({ epoch: v.number(), seq: v.number(), hash: digest });
const Row = v.object({ seq: v.number(), hash: digest, body_hash: digest, salt: v.nullable(digest), body: v.nullable(v.string()) });
const CheckpointRow = v.object({
  month: v.string(),
  first: v.number(),
  seq: v.number(),
  hash: v.string(),
  made: v.date(),
  signature: v.string(),
  public_key: v.string(),
});
const PAGE = 1000;
const MOST_FLAWS = 100;

/** Follows every chain of a machine from its start, or from its last checkpoint, to its head. */
export async function verifyMachine(db: Queryable, organisation: string, machine: string): Promise<readonly VerifiedChain[]> {
  const heads = await db.rows(Head, "select epoch, seq, encode(hash, 'hex') as hash from chain_heads where machine = $1 order by epoch", [
    machine,
  ]);
  const found: VerifiedChain[] = [];
  for (const head of heads) found.push(await verifyChain(db, organisation, machine, head));
  return found;
}

async function verifyChain(db: Queryable, organisation: string, machine: string, head: v.InferOutput<typeof Head>): Promise<VerifiedChain> {
  const { epoch } = head;
  const flaws: { seq: number; what: VerifiedChain["flaws"][number]["what"] }[] = [];
  const flaw = (seq: number, what: VerifiedChain["flaws"][number]["what"]): void => {
    if (flaws.length < MOST_FLAWS) flaws.push({ seq, what });
  };
  let at = chainStart(machine, epoch);
  for (const { signature, public_key: publicKey, ...point } of await checkpointsOf(db, machine, epoch)) {
    const said = { ...point, machine, epoch, made: point.made.toISOString() };
    // A month goes on where the one before it ended: what is between the two is still there, or missing.
    if (!isSigned(organisation, said, Buffer.from(signature, "hex"), publicKey)) flaw(point.seq, "checkpoint");
    if (point.first !== at.seq + 1) flaw(at.seq + 1, "missing");
    at = { seq: point.seq, hash: Buffer.from(point.hash, "hex").toString("base64url") };
  }
  const dropped = at.seq;
  let records = 0;
  let erased = 0;
  for (let from = dropped; ;) {
    const rows = await db.rows(
      Row,
      `select seq, encode(hash, 'hex') as hash, encode(body_hash, 'hex') as body_hash, encode(salt, 'hex') as salt, body
       from log where machine = $1 and epoch = $2 and seq > $3 order by seq limit ${PAGE}`,
      [machine, epoch, from],
    );
    for (const { seq, hash, body_hash: bodyHash, salt, body } of rows) {
      records += 1;
      if (seq !== at.seq + 1) flaw(at.seq + 1, "missing");
      if (salt === null || body === null) erased += 1;
      else if (saltedHash({ salt, body }) !== bodyHash) flaw(seq, "changed");
      const next = nextPoint({ seq: seq - 1, hash: at.hash }, bodyHash);
      if (next.hash !== hash) flaw(seq, "changed");
      at = { seq, hash };
      from = seq;
    }
    if (rows.length < PAGE) break;
  }
  if (at.seq !== head.seq || at.hash !== head.hash) flaw(head.seq, "head");
  return { epoch, records, erased, dropped, flaws };
}

async function checkpointsOf(db: Queryable, machine: string, epoch: number): Promise<readonly v.InferOutput<typeof CheckpointRow>[]> {
  return db.rows(
    CheckpointRow,
    `select to_char(c.month, 'YYYY-MM') as month, c.first_seq as first, c.seq, encode(c.hash, 'hex') as hash, c.made,
            encode(c.signature, 'hex') as signature, k.public_key
     from checkpoints c join server_keys k on k.id = c.key_id
     where c.machine = $1 and c.epoch = $2 order by c.seq`,
    [machine, epoch],
  );
}
