import * as v from "valibot";
import {
  type AnswerTaken,
  type KeptAtTeam,
  QUESTION_LIMITS,
  TeamAbout,
  readMessage,
  SignedProof,
  type TeamAnswer,
  type TeamQuestion,
} from "@assent/team/team/protocol";
import { type Database, type Queryable, TEAM_CHANNEL } from "../database/index.ts";
import { organisationOf, passkeysOf } from "../enrol/index.ts";
import { type AskedPasskey, askedPasskey, demandIn, provenBy } from "./passkeys.ts";
import { queuePosts } from "../webhooks/index.ts";
import { mayAnswer, personNamed, seesGroups, type TeamPerson } from "../enrol/index.ts";

const toHex = (base64url: string): string => Buffer.from(base64url, "base64url").toString("hex");
const toBase64url = (hex: string): string => Buffer.from(hex, "hex").toString("base64url");

const say = (within: Queryable, what: "answer" | "question", machine: string): Promise<number> =>
  within.run("select pg_notify($1, $2)", [TEAM_CHANNEL, `${what}:${machine}`]);

const CountRow = v.object({ count: v.number() });
const NameRow = v.object({ name: v.string() });
const HashRow = v.object({ request: v.string() });

/** Keeps what a machine asks. It may be sent again: a question is there once, and another one under its id is refused. */
export async function keepQuestions(
  db: Database,
  machine: string,
  asked: readonly TeamQuestion[],
  now: Date,
): Promise<KeptAtTeam["questions"]> {
  return db.transaction(async (within) => {
    // Of one machine one after the other, so that the limit holds.
    const [owner] = await within.rows(NameRow, "select name from machines where id = $1 for update", [machine]);
    const [{ count } = { count: 0 }] = await within.rows(
      CountRow,
      "select count(*) as count from questions where machine = $1 and state = 'waiting' and expires > $2",
      [machine, now],
    );
    let open = count;
    let isNew = false;
    const kept: KeptAtTeam["questions"] = [];
    for (const { id, request, expiresIn, people, passkeys, about } of asked) {
      const [there] = await within.rows(HashRow, "select encode(request, 'hex') as request from questions where machine = $1 and id = $2", [
        machine,
        id,
      ]);
      if (there !== undefined) {
        kept.push({ id, is: toBase64url(there.request) === request ? "taken" : "other" });
        continue;
      }
      if (open >= QUESTION_LIMITS.open) {
        kept.push({ id, is: "full" });
        continue;
      }
      await within.run(
        `insert into questions (machine, id, request, asked, expires, people, passkeys, about)
         values ($1, $2, decode($3, 'hex'), $4, $5, $6, $7, $8)`,
        [
          machine,
          id,
          toHex(request),
          now,
          new Date(now.getTime() + expiresIn),
          people,
          passkeys === undefined ? null : JSON.stringify(passkeys),
          JSON.stringify(about),
        ],
      );
      open += 1;
      isNew = true;
      kept.push({ id, is: "taken" });
    }
    if (isNew) {
      await queuePosts(within, owner?.name ?? machine, asked[0]?.about.agent, now);
      await say(within, "question", machine);
    }
    return kept;
  });
}

/** They need no answer any more. What was answered stays so. */
export async function withdrawQuestions(db: Database, machine: string, ids: readonly string[], now: Date): Promise<void> {
  const changed = await db.run(
    `update questions set state = 'withdrawn', decided = $3
     where machine = $1 and state = 'waiting' and id in (select value from jsonb_array_elements_text($2::jsonb))`,
    [machine, JSON.stringify(ids), now],
  );
  if (changed > 0) await say(db, "question", machine);
}

const ToTellRow = v.object({
  machine: v.string(),
  id: v.string(),
  request: v.string(),
  state: v.picklist(["allowed", "refused"]),
  by: v.string(),
  proofs: v.nullable(v.string()),
  note: v.nullable(v.string()),
});
const Names = v.array(v.string());
const Proofs = v.array(SignedProof);

/**
 * What was answered for these machines and was not acknowledged, each with its machine, the oldest first: of each as much as one message
 * holds, so that no answer waits behind what another machine does not acknowledge.
 */
export async function answersFor(
  db: Queryable,
  machines: readonly string[],
): Promise<readonly { readonly machine: string; readonly answer: TeamAnswer }[]> {
  if (machines.length === 0) return [];
  const rows = await db.rows(
    ToTellRow,
    `select q.machine, q.id, encode(q.request, 'hex') as request, q.state,
            (select json_agg(a.person order by a.at, a.person)::text from answers a
             where a.machine = q.machine and a.question = q.id and a.counted
               and a.answer = case q.state when 'allowed' then 'allow' else 'deny' end) as by,
            (select json_agg(a.proof::json order by a.at, a.person)::text from answers a
             where q.state = 'allowed' and a.machine = q.machine and a.question = q.id and a.counted and a.answer = 'allow'
               and a.proof is not null) as proofs,
            (select max(a.note) from answers a where a.machine = q.machine and a.question = q.id and a.answer = 'deny') as note
     from (select value as id from jsonb_array_elements_text($1::jsonb)) m
     cross join lateral (
       select * from questions one
       where one.machine = m.id and one.state in ('allowed', 'refused') and one.became is null
       order by one.decided, one.id limit ${QUESTION_LIMITS.open}
     ) q
     order by q.decided, q.id`,
    [JSON.stringify(machines)],
  );
  return rows.map(({ machine, id, request, state, by, proofs, note }) => ({
    machine,
    answer: {
      id,
      request: toBase64url(request),
      answer: state === "allowed" ? "allow" : "deny",
      by: v.parse(Names, JSON.parse(by)).slice(0, 2),
      ...(note === null || state === "allowed" ? {} : { note }),
      ...(proofs === null ? {} : { proofs: v.parse(Proofs, JSON.parse(proofs)).slice(0, 2) }),
    },
  }));
}

/** The machine says what it did with answers. The first word counts. */
export async function noteTaken(db: Database, machine: string, taken: readonly AnswerTaken[]): Promise<void> {
  for (const { id, request, became } of taken)
    await db.run(
      `update questions set became = $4
       where machine = $1 and id = $2 and request = decode($3, 'hex') and became is null and state in ('allowed', 'refused')`,
      [machine, id, toHex(request), became],
    );
}

export interface PersonAnswer {
  readonly machine: string;
  readonly id: string;
  /** Of what the person saw. */
  readonly request: string;
  readonly answer: "allow" | "deny";
  readonly note?: string | undefined;
  /** What the person's passkey signed (JSON); empty: nothing. */
  readonly proof: string;
}

export type PersonAnswerResult = "unsigned" | "allowed" | "refused" | "one more" | "forbidden" | "gone" | "answered before";

const SaidRow = v.object({ person: v.string() });
const OpenRow = v.object({
  request: v.string(),
  state: v.string(),
  expires: v.date(),
  people: v.number(),
  passkeys: v.nullable(v.string()),
  group: v.string(),
});

/** A person answers. One no is a no; a yes counts once for each person, until there are enough. */
export async function answerAs(db: Database, person: string, given: PersonAnswer, now: Date): Promise<PersonAnswerResult> {
  const { machine, id, request, answer, note } = given;
  const organisation = await organisationOf(db);
  return db.transaction(async (within) => {
    const [row] = await within.rows(
      OpenRow,
      `select encode(q.request, 'hex') as request, q.state, q.expires, q.people, q.passkeys,
              m.people_group as "group"
       from questions q join machines m on m.id = q.machine where q.machine = $1 and q.id = $2 and m.gone is null for update of q`,
      [machine, id],
    );
    if (row === undefined || toBase64url(row.request) !== request) return "gone";
    // As it is now, not as it was when the page was shown.
    if (!mayAnswer(await personNamed(within, person, now), row.group)) return "forbidden";
    if (row.state !== "waiting" || row.expires <= now) return "gone";
    const passkeys = answer === "allow" ? demandIn(row.passkeys) : undefined;
    const signed =
      passkeys === undefined
        ? undefined
        : provenBy(given.proof, passkeys, { organisation, machine, id, request }, await passkeysOf(within, person));
    if (passkeys !== undefined && signed === undefined) return "unsigned";
    const added = await within.run(
      `insert into answers (machine, question, person, answer, note, at, proof) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (machine, question, person)
       do update set answer = excluded.answer, note = excluded.note, at = excluded.at, proof = excluded.proof
       where answers.answer <> excluded.answer`,
      [
        machine,
        id,
        person,
        answer,
        note === undefined || note === "" ? null : note.slice(0, QUESTION_LIMITS.noteLength),
        now,
        signed === undefined ? null : JSON.stringify(signed),
      ],
    );
    if (added === 0) return "answered before";
    // Who may answer no longer has not said yes.
    const said = await within.rows(SaidRow, "select person from answers where machine = $1 and question = $2 and answer = 'allow'", [
      machine,
      id,
    ]);
    const without: string[] = [];
    for (const one of said) if (!mayAnswer(await personNamed(within, one.person, now), row.group)) without.push(one.person);
    if (answer === "allow" && said.length - without.length < row.people) {
      await say(within, "question", machine);
      return "one more";
    }
    const state = answer === "allow" ? "allowed" : "refused";
    await within.run(
      `update answers set counted = false where machine = $1 and question = $2
       and person in (select value from jsonb_array_elements_text($3::jsonb))`,
      [machine, id, JSON.stringify(without)],
    );
    await within.run("update questions set state = $3, decided = $4 where machine = $1 and id = $2", [machine, id, state, now]);
    await say(within, "answer", machine);
    return state;
  });
}

/** A question as people see it. All of `about` is the machine's, and may come from an attacker. */
export interface WaitingRow {
  readonly machine: string;
  readonly machineName: string;
  readonly group: string;
  readonly id: string;
  readonly request: string;
  readonly asked: Date;
  readonly expires: Date;
  readonly people: number;
  /** Who has said yes already. */
  readonly yes: readonly string[];
  readonly about: TeamAbout;
  readonly mayAnswer: boolean;
  /** What a passkey has to sign for a yes; undefined: none has to. */
  readonly passkey: AskedPasskey | undefined;
}

const ShownRow = v.object({
  machine: v.string(),
  name: v.string(),
  group: v.string(),
  id: v.string(),
  request: v.string(),
  asked: v.date(),
  expires: v.date(),
  people: v.number(),
  about: v.string(),
  passkeys: v.nullable(v.string()),
  yes: v.nullable(v.string()),
});

/** Of one page. */
const SHOWN = 50;

/** How the questions that wait are put in order, and behind which one a page begins; undefined: with the first. */
export interface WaitingPlace {
  readonly first: "newest" | "urgent";
  readonly after?: string | undefined;
}

/** A page of what waits for an answer. */
export interface WaitingPage extends WaitingPlace {
  readonly questions: readonly WaitingRow[];
  /** Of all pages. */
  readonly open: number;
  /** Behind which one the next page begins; undefined: there is none. */
  readonly next: string | undefined;
}

const ORDERS = {
  newest: { by: "asked", direction: "desc", beyond: "<" },
  urgent: { by: "expires", direction: "asc", beyond: ">" },
} as const;

const placeText = (at: Date, machine: string, id: string): string => `${at.getTime()}.${machine}.${id}`;

/** What a page is asked for with. What is not understood is the first page. */
export function placeOf(first: string | undefined, after: string | undefined): WaitingPlace {
  return {
    first: first === "urgent" ? "urgent" : "newest",
    ...(after !== undefined && PLACE.test(after) ? { after } : {}),
  };
}
const PLACE = /^(\d{1,14})\.([\w-]{1,64})\.([\w-]{1,64})$/;

/**
 * What waits for an answer and this person may see, page by page. A page begins behind a question, not at a number: what is answered
 * meanwhile makes nothing slip past.
 */
export async function openQuestionsFor(db: Queryable, person: TeamPerson, place: WaitingPlace, now: Date): Promise<WaitingPage> {
  const groups = seesGroups(person);
  const { by, direction, beyond } = ORDERS[place.first];
  const [, at = "", machine = "", id = ""] = PLACE.exec(place.after ?? "") ?? [];
  const waiting = `from questions q join machines m on m.id = q.machine
     where q.state = 'waiting' and q.expires > $1 and m.gone is null
       and ($2::jsonb is null or m.people_group in (select value from jsonb_array_elements_text($2::jsonb)))`;
  const whose = [now, groups === undefined ? null : JSON.stringify(groups)];
  const rows = await db.rows(
    ShownRow,
    `select q.machine, m.name, m.people_group as "group", q.id, encode(q.request, 'hex') as request, q.asked, q.expires, q.people, q.about,
            q.passkeys, (select json_agg(a.person order by a.at)::text from answers a
             where a.machine = q.machine and a.question = q.id and a.answer = 'allow') as yes
     ${waiting} and ($3::timestamptz is null or (q.${by}, q.machine, q.id) ${beyond} ($3, $4, $5))
     order by q.${by} ${direction}, q.machine ${direction}, q.id ${direction} limit ${SHOWN + 1}`,
    [...whose, at === "" ? null : new Date(Number(at)), machine, id],
  );
  const [{ count } = { count: 0 }] = await db.rows(CountRow, `select count(*) as count ${waiting}`, whose);
  const own = await passkeysOf(db, person.name);
  const organisation = await organisationOf(db);
  const page = rows.slice(0, SHOWN);
  const last = page.at(-1);
  return {
    ...place,
    open: count,
    next: last === undefined || rows.length === page.length ? undefined : placeText(last[by], last.machine, last.id),
    questions: page.flatMap(({ name, request, about, passkeys, yes, ...row }) => {
      const read = readMessage(TeamAbout, about);
      if ("problem" in read) return [];
      return [
        {
          ...row,
          machineName: name,
          request: toBase64url(request),
          about: read.message,
          yes: yes === null ? [] : v.parse(Names, JSON.parse(yes)),
          mayAnswer: mayAnswer(person, row.group),
          passkey: askedPasskey(demandIn(passkeys), { organisation, ...row, request: toBase64url(request) }, own),
        },
      ];
    }),
  };
}

const PastRow = v.object({
  name: v.string(),
  about: v.string(),
  state: v.string(),
  decided: v.date(),
  by: v.nullable(v.string()),
  became: v.nullable(v.string()),
});

/** How a question ended. */
export interface PastAnswer {
  readonly machineName: string;
  readonly about: TeamAbout;
  readonly state: string;
  readonly decided: Date;
  readonly by: readonly string[];
  readonly became: string | null;
}

/** What was answered or withdrawn last. */
export async function pastQuestionsFor(db: Queryable, person: TeamPerson): Promise<readonly PastAnswer[]> {
  const groups = seesGroups(person);
  const rows = await db.rows(
    PastRow,
    `select m.name, q.about, q.state, q.decided, q.became,
            (select json_agg(a.person order by a.at)::text from answers a where a.machine = q.machine and a.question = q.id) as by
     from questions q join machines m on m.id = q.machine
     where q.state <> 'waiting' and q.decided is not null
       and ($1::jsonb is null or m.people_group in (select value from jsonb_array_elements_text($1::jsonb)))
     order by q.decided desc limit 50`,
    [groups === undefined ? null : JSON.stringify(groups)],
  );
  return rows.flatMap(({ name, about, by, ...row }) => {
    const read = readMessage(TeamAbout, about);
    return "problem" in read
      ? []
      : [{ ...row, machineName: name, about: read.message, by: by === null ? [] : v.parse(Names, JSON.parse(by)) }];
  });
}
