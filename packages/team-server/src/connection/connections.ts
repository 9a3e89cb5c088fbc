import { type PolicyAnswer, PROTOCOL, type TeamAnswer } from "@assent/team/team/protocol";
import { type Database, JointLookup, TEAM_CHANNEL } from "../database/index.ts";
import type { TellEvent } from "../web/index.ts";
import { goneAmong } from "../enrol/index.ts";
import { policyNews } from "../policies/index.ts";
import { answersFor } from "../questions/index.ts";

/** What a machine is told. `state` comes first, with all that it has not acknowledged; `answers` whenever there is more. */
export type TeamEvent = "state" | "answers" | "policy" | "beat";

export interface TeamConnection {
  readonly machine: string;
  /** Whose policy it gets. */
  readonly group: string;
  readonly send: (event: TeamEvent, data: string) => void;
  readonly end: () => void;
}

export interface ConnectionsOptions {
  readonly tell: TellEvent;
  /** A notification that was lost costs so long. Milliseconds. */
  readonly lookMs?: number;
  readonly now?: () => Date;
}

const LOOK_MS = 2000;
/** Every connection says something so often, a part of them at a time. */
const BEAT_MS = 15_000;
const BEAT_PARTS = 100;
/** What was told and not acknowledged is told again. */
const AGAIN_MS = 10_000;
/** A policy that is larger each machine fetches: it would wait in memory for every stream. */
const MOST_TOLD = 32_768;
/** Of a policy, before others get a turn. */
const TOLD_AT_ONCE = 100;
/** There may be another policy: ask. */
const LOOK_FOR_POLICY = JSON.stringify({ v: PROTOCOL });
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
  readonly #beats: NodeJS.Timeout;
  readonly #beating = Array.from({ length: BEAT_PARTS }, () => new Set<TeamConnection>());
  #beat = 0;
  #count = 0;
  readonly #listening: Promise<{ close(): Promise<void> } | undefined>;
  /** Machines that there may be news for; undefined: all. */
  #due: Set<string> | undefined = new Set();
  #isLooking = false;
  #isClosed = false;
  #telling: Promise<void> = Promise.resolve();
  readonly #now: () => Date;

  constructor(db: Database, { tell, lookMs = LOOK_MS, now = () => new Date() }: ConnectionsOptions) {
    this.#db = db;
    this.#now = now;
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
    this.#beats = setInterval(() => {
      this.#beat = (this.#beat + 1) % BEAT_PARTS;
      for (const one of this.#beating[this.#beat] ?? []) one.send("beat", "");
    }, BEAT_MS / BEAT_PARTS);
    this.#beats.unref();
  }

  get count(): number {
    return this.#count;
  }

  /** Machines that are connected. */
  get machines(): Iterable<string> {
    return this.#open.keys();
  }

  /** A machine is there. It is told its state at once. */
  async add(connection: TeamConnection): Promise<void> {
    const { machine } = connection;
    if (this.#isClosed) return connection.end();
    const open = this.#open.get(machine) ?? [];
    for (const oldest of open.slice(0, Math.max(0, open.length + 1 - MOST_OF_ONE))) {
      this.remove(oldest);
      oldest.end();
    }
    this.#open.set(machine, [...(this.#open.get(machine) ?? []), connection]);
    this.#count += 1;
    this.#beating[Math.floor(Math.random() * BEAT_PARTS)]?.add(connection);
    connection.send("state", messageOf((await this.#states.get(machine)) ?? []));
  }

  /** It is gone. Once more changes nothing. */
  remove(connection: TeamConnection): void {
    const open = this.#open.get(connection.machine) ?? [];
    const left = open.filter((one) => one !== connection);
    if (left.length === open.length) return;
    this.#count -= 1;
    for (const part of this.#beating) if (part.delete(connection)) break;
    if (left.length > 0) this.#open.set(connection.machine, left);
    else this.#open.delete(connection.machine);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearInterval(this.#beats);
    const all = [...this.#open.values()].flat();
    for (const one of all) {
      this.remove(one);
      one.end();
    }
    const listening = await this.#listening;
    await listening?.close();
    await this.#telling;
  }

  #heard(payload: string): void {
    const [, what, machine = ""] = /^(answer|question):(.*)$/s.exec(payload) ?? [];
    const [, group] = /^policy:(.*)$/s.exec(payload) ?? [];
    // One after the other: a machine is told nothing older behind something newer.
    if (group !== undefined) this.#telling = this.#telling.then(() => this.#tellPolicy(group));
    if (what === "answer" && this.#open.has(machine)) this.#look(machine);
  }

  /** The version itself comes down the stream, where it is not too large: ten thousand that fetch it are as many handshakes. */
  async #tellPolicy(group: string): Promise<void> {
    let news: Awaited<ReturnType<typeof policyNews>> | undefined;
    try {
      news = await policyNews(this.#db, group, this.#now());
    } catch (error) {
      this.#tell("policy not told", { group, why: error instanceof Error ? error.message : String(error) });
    }
    const texts = new Map<PolicyAnswer, string>();
    let nth = 0;
    for (const connection of [...this.#open.values()].flat()) {
      if (connection.group !== group) continue;
      const answer = news?.get(connection.machine);
      if (news !== undefined && answer === undefined) continue;
      if ((nth += 1) % TOLD_AT_ONCE === 0) await new Promise(setImmediate);
      connection.send("policy", answer === undefined ? LOOK_FOR_POLICY : textOf(answer, texts));
    }
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

/** The same text for all that are told the same. */
function textOf(answer: PolicyAnswer, texts: Map<PolicyAnswer, string>): string {
  const known = texts.get(answer);
  if (known !== undefined) return known;
  const text = JSON.stringify({ v: PROTOCOL, answer });
  const told = text.length > MOST_TOLD ? LOOK_FOR_POLICY : text;
  texts.set(answer, told);
  return told;
}

const messageOf = (answers: readonly TeamAnswer[]): string => JSON.stringify({ v: PROTOCOL, answers });
