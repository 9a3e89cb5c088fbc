import { PROTOCOL, type TeamAnswer } from "../../../src/team/protocol/index.ts";
import { type Database, JointLookup, TEAM_CHANNEL } from "../database/index.ts";
import { goneAmong } from "../enrol/index.ts";
import { answersFor } from "../questions/index.ts";

/** What a machine is told. `state` comes first, with all that it has not acknowledged; `answers` whenever there is more. */
export type TeamEvent = "state" | "answers" | "policy";

export interface TeamConnection {
  readonly machine: string;
  /** Whose policy it gets. */
  readonly group: string;
  readonly send: (event: TeamEvent, data: string) => void;
  readonly end: () => void;
}

export interface ConnectionsOptions {
  readonly tell: (event: string, facts: Readonly<Record<string, string | number>>) => void;
  /** A notification that was lost costs so long. Milliseconds. */
  readonly lookMs?: number;
}

const LOOK_MS = 2000;
/** What was told and not acknowledged is told again. */
const AGAIN_MS = 10_000;
/** A machine that connects again has perhaps not heard that the old connection is gone. */
const MOST_OF_ONE = 2;

/** The machines that this process holds a connection of. */
export class TeamConnections {
  readonly #db: Database;
  readonly #tell: ConnectionsOptions["tell"];
  readonly #open = new Map<string, TeamConnection[]>();
  /** What machines that come are told first, of many at once together. */
  readonly #states: JointLookup<readonly TeamAnswer[]>;
  /** When an answer was told last, by machine and question. */
  readonly #told = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #listening: Promise<{ close(): Promise<void> } | undefined>;
  /** Machines that there may be news for; undefined: all. */
  #due: Set<string> | undefined = new Set();
  #isLooking = false;
  #isClosed = false;

  constructor(db: Database, { tell, lookMs = LOOK_MS }: ConnectionsOptions) {
    this.#db = db;
    this.#tell = tell;
    this.#states = new JointLookup(async (machines) => answersByMachine(await answersFor(db, machines)));
    this.#listening = db
      .listen(
        TEAM_CHANNEL,
        (payload) => this.#heard(payload),
        () => this.#look(),
      )
      .catch((error: unknown) => {
        tell("not listening", { why: String(error) });
        return undefined;
      });
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  get count(): number {
    let count = 0;
    for (const open of this.#open.values()) count += open.length;
    return count;
  }

  /** A machine is there. It is told its state at once. */
  async add(connection: TeamConnection): Promise<void> {
    const { machine } = connection;
    const open = this.#open.get(machine) ?? [];
    while (open.length >= MOST_OF_ONE) open.shift()?.end();
    open.push(connection);
    this.#open.set(machine, open);
    connection.send("state", messageOf((await this.#states.get(machine)) ?? []));
  }

  remove(connection: TeamConnection): void {
    const left = (this.#open.get(connection.machine) ?? []).filter((one) => one !== connection);
    if (left.length > 0) this.#open.set(connection.machine, left);
    else this.#open.delete(connection.machine);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const open of this.#open.values()) for (const one of open) one.end();
    this.#open.clear();
    const listening = await this.#listening;
    await listening?.close();
  }

  #heard(payload: string): void {
    const [, what, machine = ""] = /^(answer|question):(.*)$/s.exec(payload) ?? [];
    const [, group] = /^policy:(.*)$/s.exec(payload) ?? [];
    if (group !== undefined)
      for (const open of this.#open.values())
        for (const one of open) if (one.group === group) one.send("policy", JSON.stringify({ v: PROTOCOL }));
    if (what === "answer" && this.#open.has(machine)) this.#look(machine);
  }

  /** Of this machine, or of all. */
  #look(machine?: string): void {
    if (machine === undefined) this.#due = undefined;
    else this.#due?.add(machine);
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    void this.#lookNow().finally(() => {
      this.#isLooking = false;
      if (this.#due === undefined || this.#due.size > 0) this.#look(this.#due === undefined ? undefined : [...this.#due][0]);
    });
  }

  async #lookNow(): Promise<void> {
    const isAll = this.#due === undefined;
    const machines = [...(this.#due ?? this.#open.keys())].filter((one) => this.#open.has(one));
    this.#due = new Set();
    if (machines.length === 0) return;
    try {
      if (isAll) for (const gone of await goneAmong(this.#db, machines)) for (const one of this.#open.get(gone) ?? []) one.end();
      const found = await answersFor(this.#db, machines);
      const now = performance.now();
      const fresh = answersByMachine(
        found.filter(({ machine, answer }) => {
          const key = `${machine} ${answer.id}`;
          if (now - (this.#told.get(key) ?? -Infinity) < AGAIN_MS) return false;
          this.#told.set(key, now);
          return true;
        }),
      );
      for (const [key, at] of this.#told) if (now - at > 2 * AGAIN_MS) this.#told.delete(key);
      for (const [machine, answers] of fresh) for (const one of this.#open.get(machine) ?? []) one.send("answers", messageOf(answers));
    } catch (error) {
      // The next look finds it.
      this.#tell("not looked", { why: error instanceof Error ? error.message : String(error) });
    }
  }
}

function answersByMachine(found: Awaited<ReturnType<typeof answersFor>>): ReadonlyMap<string, readonly TeamAnswer[]> {
  const all = new Map<string, TeamAnswer[]>();
  for (const { machine, answer } of found) {
    const known = all.get(machine);
    if (known === undefined) all.set(machine, [answer]);
    else known.push(answer);
  }
  return all;
}

const messageOf = (answers: readonly TeamAnswer[]): string => JSON.stringify({ v: PROTOCOL, answers });
