import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import { makeKeyPair } from "@assent/guard/signature";
import { type Database, migrate } from "@assent/team-server/database";
import { foundOrganisation, invitePerson, organisationOf } from "@assent/team-server/enrol";
import { addFirstKey } from "@assent/team-server/policies";
import type { AskedRemote } from "@assent/team/team/remote";
import type { FaultMachine, Joined } from "./machine.ts";
import { verifyMachine } from "../harness/verify-machine.ts";

export interface PreparedTeam {
  readonly machines: readonly Joined[];
  /** An approver comes in by it, once. */
  readonly invitation: string;
}

/** A team whose machines have joined, straight in the database. */
export async function prepareTeam(db: Database, count: number): Promise<PreparedTeam> {
  await migrate(db);
  await foundOrganisation(db);
  const organisation = await organisationOf(db);
  const key = makeKeyPair().publicKey;
  await addFirstKey(db, key, "a test", new Date());
  const machines = Array.from({ length: count }, (_, at) => ({
    machine: `machine-${at}-of-the-fault`.padEnd(22, "0").slice(0, 22),
    token: randomBytes(32).toString("base64url"),
    organisation,
    key,
  }));
  for (const { machine, token } of machines)
    await db.run(
      "insert into machines (id, name, platform, version, confirmed_by, token_hash) values ($1, $1, 'linux', '0', 'a test', decode($2, 'hex'))",
      [machine, createHash("sha256").update(token).digest("hex")],
    );
  const invitation = await invitePerson(db, { name: "Ada", role: "approver", machines: "", by: "a test" }, new Date());
  if (invitation === undefined) throw new Error("nobody may answer");
  return { machines, invitation };
}

const BodyRow = v.object({ body: v.string() });
const QuestionRow = v.object({ id: v.string(), state: v.string(), became: v.nullable(v.string()), answers: v.number() });
const CountRow = v.object({ count: v.number() });

/** What the server has of a machine, in the order of its chains. */
export const bodiesOf = async (db: Database, machine: string): Promise<readonly string[]> =>
  (await db.rows(BodyRow, "select body from log where machine = $1 order by epoch, seq", [machine])).map(({ body }) => body);

export const countOf = async (db: Database, machine: string): Promise<number> =>
  (await db.rows(CountRow, "select count(*) as count from log where machine = $1", [machine]))[0]?.count ?? 0;

/** What is wrong with the chains that the server has of a machine, forks among it. */
export async function flawsOf(db: Database, machine: string): Promise<readonly unknown[]> {
  const chains = await verifyMachine(db, await organisationOf(db), machine);
  const forks = await db.rows(v.object({ seq: v.number() }), "select seq from log_forks where machine = $1", [machine]);
  return [...chains.flatMap(({ flaws }) => flaws), ...forks];
}

/** How the questions of a machine ended. */
export const questionsOf = (db: Database, machine: string): Promise<readonly v.InferOutput<typeof QuestionRow>[]> =>
  db.rows(
    QuestionRow,
    `select q.id, q.state, q.became, (select count(*) from answers a where a.machine = q.machine and a.question = q.id) as answers
     from questions q where q.machine = $1 order by q.id`,
    [machine],
  );

/** Ada, at the page. */
export class Approver {
  readonly #base: string;
  readonly #key: string;
  #cookie = "";

  constructor(base: string, invitation: string) {
    this.#base = base;
    this.#key = invitation;
  }

  async enter(): Promise<void> {
    const answer = await this.#post("/enter", { key: this.#key });
    this.#cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    if (this.#cookie === "") throw new Error(`not let in: ${answer.status}`);
  }

  /** Says yes whenever the question is on the page, until the machine has the answer: what the server says may be lost. */
  async allow(asked: AskedRemote, machine: FaultMachine): Promise<void> {
    const { id, request } = asked;
    for (let tries = 0; !machine.isAnswered(asked); tries += 1) {
      if (tries > 3000) throw new Error(`no answer to ${id} came through`);
      if (await this.#isShown(id))
        await this.#post("/answer", { machine: machine.id, id, request, answer: "allow" }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  async #isShown(id: string): Promise<boolean> {
    const page = await fetch(`${this.#base}/questions.json`, { headers: { cookie: this.#cookie } }).catch(() => undefined);
    const text = page?.status === 200 ? await page.text().catch(() => undefined) : undefined;
    return text?.includes(id) === true;
  }

  #post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    return fetch(`${this.#base}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: this.#base, ...(this.#cookie === "" ? {} : { cookie: this.#cookie }) },
      body: new URLSearchParams(fields),
    });
  }
}
