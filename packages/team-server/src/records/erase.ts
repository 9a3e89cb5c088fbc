import * as v from "valibot";
import type { ErasedRecords, RecordErasure } from "@assent/team/team/protocol";
import type { Database, Param } from "../database/index.ts";
import { textForms } from "./search.ts";

/** Why nothing was erased, in a sentence. */
export class CannotErase extends Error {}

/** Of one statement: each has to be done within the time that a statement has. */
const STEP = 5000;

const MachineRow = v.object({ id: v.string() });
const HeadRow = v.object({ epoch: v.number(), first: v.number(), seq: v.number() });

/**
 * Takes the text and the salt out of records of a machine, and all that was read out of them. The hashes stay, so that the chain can be
 * followed; without the salt nobody can try what the text was. Done again it erases what came since. Who did it is kept; what was looked
 * for is not, as it may be what has to go.
 */
export async function eraseRecords(
  db: Database,
  { machine, before, matching }: RecordErasure,
  by: string,
  now: Date,
): Promise<ErasedRecords> {
  const named = machine.replace(/\0|\p{Surrogate}/gu, "");
  const found = await db.rows(MachineRow, "select id from machines where id = $1 or name = $1 order by (id = $1) desc limit 2", [named]);
  const [chosen, second] = found;
  if (chosen === undefined) throw new CannotErase("no machine has this id or name");
  if (second !== undefined && chosen.id !== named) throw new CannotErase("several machines have this name: give the id of one");
  if (matching !== undefined && (matching === "" || /\0|\p{Surrogate}/u.test(matching)))
    throw new CannotErase("a record cannot hold this text");
  const { id } = chosen;
  const note = async (what: string): Promise<void> =>
    void (await db.run("insert into admin_events (at, person, what, machine) values ($1, $2, $3, $4)", [now, by, what, id]));
  const which = `${before === undefined ? "" : ` that came before ${new Date(before).toISOString()}`}${matching === undefined ? "" : " that hold a text"}`;
  await note(`erases records${which}`);
  // Of what is there now: a machine that goes on sending must not keep this going.
  const [until, forms]: [Date, readonly string[]] = [
    new Date(Math.min(before ?? Infinity, now.getTime() + 1)),
    matching === undefined ? [] : textForms(matching),
  ];
  const holds = (column: string, from: number): string =>
    forms.length === 0 ? "" : ` and (${forms.map((_, at) => `position($${from + at} in ${column}) > 0`).join(" or ")})`;
  let records = 0;
  const chains = await db.rows(
    HeadRow,
    `select h.epoch, h.seq, coalesce((select max(c.seq) from checkpoints c where c.machine = h.machine and c.epoch = h.epoch), 0) as first
     from chain_heads h where h.machine = $1 order by h.epoch`,
    [id],
  );
  for (const { epoch, first, seq } of chains)
    for (let from = first; from < seq; from += STEP)
      records += await db.run(
        `update log set body = null, salt = null, time = null, verdict = null, agent = null, tool = null
         where machine = $1 and epoch = $2 and seq > $3 and seq <= $4 and body is not null and received < $5${holds("body", 6)}`,
        [id, epoch, from, from + STEP, until, ...forms],
      );
  const common: Param[] = [id, until, ...forms];
  const forks = await db.run(
    `update log_forks set body = null, salt = null where machine = $1 and received < $2 and body is not null${holds("body", 3)}`,
    common,
  );
  // One that waits is still to be answered: it is gone within a day.
  const questions = await db.run(
    `update questions set about = '{"point":"hook","reason":"erased"}'
     where machine = $1 and asked < $2 and (state <> 'waiting' or expires < $2) and about <> '{"point":"hook","reason":"erased"}'${holds("about", 3)}`,
    common,
  );
  await note(`erased ${records} records, ${forks} that contradict others, ${questions} questions${which}`);
  return { machine: id, records, forks, questions };
}
