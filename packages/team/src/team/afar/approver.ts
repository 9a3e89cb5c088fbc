import { brief, visible } from "@assent/core/action";
import {
  type Answer,
  answeredElsewhere,
  type Askable,
  askFirst,
  isSaid,
  NOBODY,
  type Question,
  type TeamPart,
} from "@assent/guard/approve";
import type { QueueApprover, QueuePoint } from "@assent/guard/approve/queue";
import { redactString } from "@assent/guard/audit";
import type { Machine } from "@assent/guard/state";
import { sleep } from "../sleep.ts";
import {
  type AfarAnswer,
  askAfar,
  type AskedAfar,
  findAfar,
  hashRequest,
  isAnyAfar,
  isTeamReached,
  readAnswer,
  takeAfar,
} from "./ledger.ts";
import { demandHere, sameDemand } from "./passkeys.ts";

export interface TeamAsking {
  readonly machine: Machine;
  readonly point: QueuePoint;
  /** The host agent, and its session. */
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  /** Where nobody else is asked, and the policy does not say how long, it waits so long for the team. Milliseconds. */
  readonly patience: number;
  /** No policy has it wait longer: what the host allows, or its person said. Absent: nothing does. Milliseconds. */
  readonly longest?: number | undefined;
}

/** What the team was asked about exactly this, now or before. */
export interface PutToTeam {
  readonly asked: AskedAfar;
  readonly isNew: boolean;
  /** So long it is waited for, where the policy says it. Milliseconds. */
  readonly wait: number | undefined;
}

/** So long a yes is worth something. Milliseconds. */
const LASTS_MS = 3_600_000;
const LONGEST_WHAT = 3900;
const LONGEST_TEXT = 900;
const LOOK_MS = 100;

const WAITING: Answer = { ...NOBODY, waits: true };

/**
 * Puts a question to the team, unless it was put before and is open; undefined: nobody carries it there. `others`: questions of the same
 * process that are about something of their own.
 */
export function putToTeam(
  { machine, point, agent, session }: Pick<TeamAsking, "machine" | "point" | "agent" | "session">,
  { afar: about, reason, rule, cwd }: Pick<Question, "afar" | "reason" | "rule" | "cwd">,
  others: ReadonlySet<string> = new Set(),
): PutToTeam | undefined {
  if (about === undefined) return undefined;
  const now = Date.now();
  const request = hashRequest([point, agent ?? "", session ?? "", ...about.parts]);
  const passkeys = about.passkeys === undefined ? undefined : demandHere(machine, about.passkeys);
  if (about.passkeys !== undefined && passkeys === undefined) return undefined;
  const known = findAfar(machine, request, now, others);
  // One who said yes where one was enough does not do where two are needed by now, nor one whose passkey the policy knows no more.
  if (known !== undefined && known.asked.people >= about.people && sameDemand(known.asked.passkeys, passkeys))
    return { asked: known.asked, isNew: false, wait: about.wait };
  if (!isTeamReached(machine)) return undefined;
  // Nobody need answer what would not do.
  if (known !== undefined) takeAfar(machine, known.asked.id);
  const asked = askAfar(machine, {
    request,
    asked: now,
    until: now + LASTS_MS,
    people: about.people,
    passkeys,
    about: {
      point,
      ...(agent === undefined ? {} : { agent }),
      what: brief(redactString(about.what), LONGEST_WHAT),
      reason: brief(redactString(reason), LONGEST_TEXT),
      folder: brief(shortFolder(cwd, machine.home), LONGEST_TEXT),
      ...(rule === undefined ? {} : { rule: brief(redactString(rule.text), LONGEST_TEXT) }),
    },
  });
  return { asked, isNew: true, wait: about.wait };
}

const shortFolder = (folder: string, home: string): string =>
  visible(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);

/** What people of the team have said. A yes is used up by this: undefined where somebody else has used it. */
export function takeTeamAnswer(machine: Machine, { asked }: Pick<PutToTeam, "asked">): Answer | undefined {
  const answer = readAnswer(machine, asked);
  return answer === undefined ? undefined : taken(machine, asked, answer);
}

function taken(machine: Machine, asked: AskedAfar, { answer, by, note }: AfarAnswer): Answer | undefined {
  const from = { by: "team", person: by.join(" and ") } as const;
  // A no holds as long as the question would have: whoever asks again is told again.
  if (answer === "deny") return { answer, scope: "once", ...from, ...(note === undefined ? {} : { note }) };
  return takeAfar(machine, asked.id) ? { answer, scope: "once", ...from } : undefined;
}

/**
 * The queue of this machine, and people of its team, where the policy lets them answer (`Question.afar`): both are asked at once, and the
 * first answer counts. Whoever waits in vain is told to try again later: a yes that comes until then lets exactly this through, once.
 */
export const withTeam = (queue: QueueApprover, asking: TeamAsking): QueueApprover => new TeamQueue(queue, asking);

class TeamQueue implements QueueApprover {
  readonly #queue: QueueApprover;
  readonly #asking: TeamAsking;
  /** What is asked now: of two that are alike each needs a yes of its own. */
  readonly #open = new Set<string>();
  readonly #closed = new AbortController();

  constructor(queue: QueueApprover, asking: TeamAsking) {
    this.#queue = queue;
    this.#asking = asking;
  }

  isThere = (afar?: Pick<TeamPart, "people">): boolean =>
    this.#queue.isThere() || (afar !== undefined && !this.#closed.signal.aborted && this.#isTeamThere());

  /** It is reached, or may have answered what it was asked before. */
  #isTeamThere(): boolean {
    const { machine } = this.#asking;
    try {
      return isTeamReached(machine) || isAnyAfar(machine);
    } catch {
      return false;
    }
  }

  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    return (await this.tryAsk(question, signal, true)) ?? NOBODY;
  }

  tryAsk = async (question: Question, signal: AbortSignal, alone = false): Promise<Answer | undefined> => {
    const { machine, patience, longest = Infinity } = this.#asking;
    const near = (asked: Question, near: AbortSignal): Promise<Answer | undefined> => this.#queue.tryAsk(asked, near, alone);
    const isAskedHere = !alone || this.#queue.isThere();
    const put = signal.aborted ? undefined : this.#put(question);
    if (put === undefined) return isAskedHere ? await near(question, signal) : undefined;
    const until = alone ? performance.now() + Math.min(longest, put.wait ?? patience) : Infinity;
    const afar: Askable = { ask: (_, there) => this.#wait(put, until, AbortSignal.any([there, this.#closed.signal])) };
    this.#open.add(put.asked.id);
    try {
      const answer = await askFirst(question, signal, isAskedHere ? [afar, { ask: near }] : [afar]);
      // Whoever is here, or was asked elsewhere, was faster: nobody of the team need answer it.
      const isOver = answeredElsewhere(signal) !== undefined || (!signal.aborted && isSaid(answer));
      if (isOver && answer?.by !== "team") takeAfar(machine, put.asked.id);
      if (isSaid(answer)) return answer;
      return alone && !signal.aborted ? WAITING : undefined;
    } finally {
      this.#open.delete(put.asked.id);
    }
  };

  close(exit: number): Promise<void> {
    this.#closed.abort();
    return this.#queue.close(exit);
  }

  #put(question: Question): PutToTeam | undefined {
    if (this.#closed.signal.aborted) return undefined;
    try {
      return putToTeam(this.#asking, question, this.#open);
    } catch {
      // A full disk: it stays here.
      return undefined;
    }
  }

  async #wait(put: PutToTeam, until: number, signal: AbortSignal): Promise<Answer | undefined> {
    for (;;) {
      // A yes that nobody waits for any more is kept for who asks again.
      if (signal.aborted) return undefined;
      const answer = takeTeamAnswer(this.#asking.machine, put);
      if (answer !== undefined || performance.now() >= until) return answer;
      await sleep(Math.min(LOOK_MS, until - performance.now()), signal);
    }
  }
}
