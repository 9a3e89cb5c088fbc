import type { Machine } from "@assent/guard/state";
import { announceTeam, clearRemote, type KnownRemote, knownRemote, noteAnswer, openLedger } from "../remote/index.ts";
import { credentialMark } from "@assent/guard/signature";
import { askServer, hearServer } from "../client.ts";
import type { TeamMembership } from "../membership.ts";
import {
  type AnswerTaken,
  KeptAtTeam,
  Noted,
  PROTOCOL,
  QUESTION_LIMITS,
  TeamAbout,
  readMessage,
  type TeamAnswer,
  TeamAnswers,
  TeamQuestion,
} from "../protocol/index.ts";
import * as v from "valibot";
import { sleep } from "../sleep.ts";

export interface Carrying {
  readonly machine: Machine;
  readonly membership: TeamMembership;
  /** For people. */
  readonly notice: (text: string) => void;
  /** There may be another policy: `connected`, as long ago as nothing was heard; `released`, just now, with what the server says of it. */
  readonly onPolicy?: (why: "connected" | "released", data: string) => void;
  readonly signal: AbortSignal;
}

/** New questions are found this soon. Milliseconds. */
const LOOK_MS = 300;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const MOST_ANSWERS = 1000;
const CLEAR_MS = 3_600_000;

/**
 * Carries questions to the team's server and answers back, until `signal`. All that is lasting is in files (`remote/ledger.ts`): who is
 * killed in between carries the same again, and what came twice is known by its id.
 */
export async function carryQuestions({ machine, membership, notice, onPolicy, signal }: Carrying): Promise<void> {
  openLedger(machine);
  const carrier = new Carrier(machine, membership, notice);
  const told = (event: string, data: string): void => {
    carrier.hear(event, data);
    if (event === "state") onPolicy?.("connected", "");
    if (event === "policy") onPolicy?.("released", data);
  };
  let pause = 0;
  let cleared = 0;
  while (!signal.aborted) {
    if (Date.now() - cleared > CLEAR_MS) {
      cleared = Date.now();
      clearRemote(machine, cleared);
    }
    const hearing = new AbortController();
    const stop = (): void => hearing.abort();
    signal.addEventListener("abort", stop);
    const heard = await hearServer(membership, "/v1/events", told, hearing.signal);
    signal.removeEventListener("abort", stop);
    const wasThere = carrier.lost();
    if (signal.aborted) break;
    if (pause === 0) notice(`${heard.why}: questions wait until the server can be reached`);
    pause = wasThere ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pause * 2, heard.retryAfterMs ?? 0));
    if (heard.is === "refused") pause = LONGEST_PAUSE_MS;
    // Not all machines at the same moment.
    await sleep(pause * (0.5 + Math.random()), signal);
  }
  carrier.lost();
}

class Carrier {
  readonly #machine: Machine;
  readonly #membership: TeamMembership;
  readonly #notice: (text: string) => void;
  /** What the server has on this connection. */
  readonly #sent = new Set<string>();
  #there: { close(): void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #answers: TeamAnswer[] = [];

  constructor(machine: Machine, membership: TeamMembership, notice: (text: string) => void) {
    this.#machine = machine;
    this.#membership = membership;
    this.#notice = notice;
  }

  hear(event: string, data: string): void {
    if (event !== "state" && event !== "answers") return;
    const read = readMessage(TeamAnswers, data);
    if ("problem" in read) return;
    this.#answers.push(...read.message.answers);
    // What is too much is told again.
    this.#answers.splice(MOST_ANSWERS);
    if (event === "state") {
      // Nothing is known of what the server has: it is told again, and has it once.
      this.#sent.clear();
      this.#there ??= announceTeam(this.#machine);
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    }
    this.#look();
  }

  /** The connection is gone. True: there was one. */
  lost(): boolean {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const was = this.#there !== undefined;
    this.#there?.close();
    this.#there = undefined;
    return was;
  }

  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#lookNow()
      .catch((error: unknown) => this.#notice(`questions cannot be carried: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => (this.#isLooking = false));
  }

  async #lookNow(): Promise<void> {
    const taken = this.#answers.splice(0, QUESTION_LIMITS.open).map((answer): AnswerTaken => ({
      id: answer.id,
      request: answer.request,
      became: noteAnswer(this.#machine, withoutUndefined(answer), Date.now()),
    }));
    if (taken.length > 0) await askServer(this.#membership, "POST", "/v1/answers/taken", Noted, { v: PROTOCOL, taken });
    const now = Date.now();
    const known = knownRemote(this.#machine);
    const waits = ({ asked, answer, isOver }: KnownRemote): boolean => answer === undefined && !isOver && asked.until > now;
    const questions = known
      .filter((one) => waits(one) && !this.#sent.has(one.asked.id))
      .slice(0, QUESTION_LIMITS.inMessage)
      .flatMap(({ asked }) => questionOf(asked, now) ?? []);
    if (questions.length > 0) {
      const kept = await askServer(this.#membership, "POST", "/v1/questions", KeptAtTeam, { v: PROTOCOL, questions });
      if (kept.is === "answered") for (const { id, is } of kept.message.questions) if (is !== "full") this.#sent.add(id);
    }
    const ids = known
      .filter(({ asked, answer, isOver }) => answer === undefined && isOver && this.#sent.has(asked.id))
      .map(({ asked }) => asked.id)
      .slice(0, QUESTION_LIMITS.inMessage);
    if (ids.length > 0) {
      const told = await askServer(this.#membership, "POST", "/v1/questions/withdraw", Noted, { v: PROTOCOL, ids });
      if (told.is === "answered") for (const id of ids) this.#sent.delete(id);
    }
  }
}

function withoutUndefined({ id, request, answer, by, note, proofs }: TeamAnswer): Parameters<typeof noteAnswer>[1] {
  return { id, request, answer, by, ...(note === undefined ? {} : { note }), ...(proofs === undefined ? {} : { proofs }) };
}

/** As much of it as the server takes; undefined: it is no question that can be shown. */
function questionOf({ id, request, until, people, passkeys, about }: KnownRemote["asked"], now: number): TeamQuestion | undefined {
  const { agent, ...rest } = about;
  const named = v.safeParse(TeamAbout, { ...rest, ...(agent === undefined ? {} : { agent }) });
  const shown = named.success ? named.output : { point: rest.point, what: rest.what, reason: rest.reason, folder: rest.folder };
  const expiresIn = Math.min(QUESTION_LIMITS.longest, Math.max(0, until - now));
  const demanded =
    passkeys === undefined
      ? {}
      : { passkeys: { site: passkeys.site, until, credentials: passkeys.credentials.map(({ id }) => credentialMark(id)) } };
  const read = v.safeParse(TeamQuestion, { id, request, expiresIn, people, ...demanded, about: shown });
  return read.success ? read.output : undefined;
}
