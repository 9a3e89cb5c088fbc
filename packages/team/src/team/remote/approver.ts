import { brief, visible } from "@assent/core/action";
import { attempt, FROM_NOW_ON } from "@assent/core/data";
import {
  type Answer,
  type Client,
  type Question,
  type QuestionQueue,
  type QueueEnd,
  type TeamPart,
  type Waiting,
} from "@assent/guard/approve";
import type { QueuePoint } from "@assent/guard/approve/queue";
import { redactString } from "@assent/guard/audit";
import type { Machine } from "@assent/guard/state";
import {
  type RemoteAnswer,
  askRemote,
  type AskedRemote,
  findRemote,
  hashRequest,
  isAnyRemote,
  isTeamReached,
  readAnswer,
  takeRemote,
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
  readonly asked: AskedRemote;
  readonly isNew: boolean;
  /** So long it is waited for, where the policy says it. Milliseconds. */
  readonly wait: number | undefined;
  /** The sentence that they may say yes to in its place, a question of its own; and the rule that such a yes writes on this machine. */
  readonly sentence?: { readonly asked: AskedRemote; readonly rule: string };
}

/** So long a yes is worth something. Milliseconds. */
const LASTS_MS = 3_600_000;
const LONGEST_WHAT = 3900;
const LONGEST_TEXT = 900;
const LOOK_MS = 100;

/**
 * Puts a question to the team, unless it was put before and is open; undefined: nobody carries it there. `others`: questions of the same
 * process that are about something of their own.
 */
export function putToTeam(
  from: Pick<TeamAsking, "machine" | "point" | "agent" | "session">,
  question: Pick<Question, "afar" | "reason" | "rule" | "cwd">,
  others: ReadonlySet<string> = new Set(),
): PutToTeam | undefined {
  const { afar: about, cwd } = question;
  if (about === undefined) return undefined;
  const { sentence } = about;
  const put = putOne(from, question, about, [from.point, from.agent ?? "", from.session ?? "", ...about.parts], others);
  if (put === undefined || sentence === undefined) return put;
  // INVARIANT: whoever says yes to it says yes to exactly this sentence, on this machine, whatever command asked.
  const asked = putOne(
    from,
    { reason: "a yes holds in this repository, on this machine, until somebody ends it there (assent grants)", cwd },
    { ...about, what: `${FROM_NOW_ON}${sentence.text}` },
    ["sentence", sentence.rule],
  )?.asked;
  return asked === undefined ? put : { ...put, sentence: { asked, rule: sentence.rule } };
}

function putOne(
  { machine, point, agent }: Parameters<typeof putToTeam>[0],
  { reason, rule, cwd }: Pick<Question, "reason" | "rule" | "cwd">,
  about: TeamPart,
  parts: readonly unknown[],
  others: ReadonlySet<string> = new Set(),
): PutToTeam | undefined {
  const now = Date.now();
  const request = hashRequest(parts);
  const passkeys = about.passkeys === undefined ? undefined : demandHere(machine, about.passkeys);
  if (about.passkeys !== undefined && passkeys === undefined) return undefined;
  const known = findRemote(machine, request, now, others);
  // One who said yes where one was enough does not do where two are needed by now, nor one whose passkey the policy knows no more.
  if (known !== undefined && known.asked.people >= about.people && sameDemand(known.asked.passkeys, passkeys))
    return { asked: known.asked, isNew: false, wait: about.wait };
  if (!isTeamReached(machine)) return undefined;
  // Nobody need answer what would not do.
  if (known !== undefined) takeRemote(machine, known.asked.id);
  const asked = askRemote(machine, {
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
function takeTeamAnswer(machine: Machine, { asked, sentence }: Pick<PutToTeam, "asked" | "sentence">): Answer | undefined {
  const [answer, always] = [asked, sentence?.asked].map((one) => one && readAnswer(machine, one));
  if (sentence !== undefined && always?.answer === "allow") {
    const yes = taken(machine, sentence.asked, always);
    if (yes !== undefined) {
      takeRemote(machine, asked.id);
      return { ...yes, answer: "allow", scope: "always", rule: sentence.rule };
    }
  }
  return answer === undefined ? undefined : taken(machine, asked, answer);
}

/** Nobody of the team need answer it any more. */
function dropPut(machine: Machine, { asked, sentence }: PutToTeam): void {
  for (const one of [asked, sentence?.asked]) if (one !== undefined) takeRemote(machine, one.id);
}

function taken(machine: Machine, asked: AskedRemote, { answer, by, note }: RemoteAnswer): Answer | undefined {
  const from = { by: "team", person: by.join(" and ") } as const;
  // A no holds as long as the question would have: whoever asks again is told again.
  if (answer === "deny") return { answer, scope: "once", ...from, ...(note === undefined ? {} : { note }) };
  return takeRemote(machine, asked.id) ? { answer, scope: "once", ...from } : undefined;
}

/**
 * People of the team, where the policy lets them answer (`Question.afar`). Whoever waits for them in vain is told to try again later: a yes that
 * comes until then lets exactly this through, once.
 */
export const teamClient = (asking: TeamAsking): Client => new TeamClient(asking);

class TeamClient implements Client {
  readonly #asking: TeamAsking;
  /** What is asked now, and until when: of two that are alike each needs a yes of its own. */
  readonly #waits = new Map<Waiting, { readonly put: PutToTeam; readonly until: number }>();
  #looking: NodeJS.Timeout | undefined;
  #queue: QuestionQueue | undefined;

  constructor(asking: TeamAsking) {
    this.#asking = asking;
  }

  begin(queue: QuestionQueue): void {
    this.#queue = queue;
  }

  /** It is reached, or may have answered what it was asked before. */
  isThere = (afar?: Pick<TeamPart, "people">): boolean => {
    const { machine } = this.#asking;
    return attempt(() => afar !== undefined && (isTeamReached(machine) || isAnyRemote(machine)), false);
  };

  show(waiting: Waiting): boolean {
    const put = putToTeam(this.#asking, waiting.question, new Set([...this.#waits.values()].map((one) => one.put.asked.id)));
    if (put === undefined) return false;
    const isLast = this.#queue?.isAlone === true;
    const { patience, longest = Infinity } = this.#asking;
    this.#waits.set(waiting, { put, until: isLast ? performance.now() + Math.min(longest, put.wait ?? patience) : Infinity });
    this.#looking ??= setInterval(() => this.look(), LOOK_MS);
    this.look();
    return true;
  }

  /** A yes that nobody waits for any more is kept for who asks again. */
  look(): void {
    for (const [waiting, { put, until }] of this.#waits) {
      try {
        const answer = takeTeamAnswer(this.#asking.machine, put);
        if (answer !== undefined) this.#queue?.answer(waiting, answer);
        else if (performance.now() >= until) this.#queue?.decline(waiting, this, true);
      } catch {
        this.#queue?.decline(waiting, this);
      }
    }
  }

  drop(gone: readonly Waiting[], end: QueueEnd | undefined): void {
    for (const one of gone) {
      const { put } = this.#waits.get(one) ?? {};
      this.#waits.delete(one);
      // Whoever is here, or was asked elsewhere, was faster: nobody of the team need answer it.
      if (put !== undefined && end?.is === "answered" && end.by !== "team") dropPut(this.#asking.machine, put);
    }
    if (this.#waits.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}
