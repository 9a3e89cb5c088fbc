import { messageOf, type Machine } from "@assent/guard/state";
import { membershipMark } from "../membership-mark.ts";
import { readMembership, type TeamMembership } from "../membership.ts";
import { fetchTeamPolicy, type PolicyFetched, takeToldPolicy } from "../policy.ts";
import { sendToTeam } from "../send.ts";
import { carryQuestions } from "./carry.ts";
import { fleetProgress, joinFleetWhenDue } from "./join-fleet.ts";
import { holdSending, type TeamSender } from "./sender.ts";
import { sleep } from "../sleep.ts";

export interface TeamFollowing {
  readonly machine: Machine;
  readonly by: TeamSender["by"];
  /** For people. */
  readonly notice: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Whether this is still the team, and this process the one that sends. Milliseconds. */
const LOOK_MS = 1000;
/** Another process sends: this one goes on where it ends. */
const TURN_MS = 2000;
const AGAIN_MS = 15_000;
/** Without a connection, which says when there is something new. */
const POLICY_MS = 60_000;
/** Beside one: what it says may be lost, and a policy that ends needs a word that it still holds. */
const POLICY_BESIDE_MS = 300_000;
/** Not all machines at the same moment: of those that hear of a release, and of those that connect again. */
const RELEASED_WITHIN_MS = 500;
const CONNECTED_WITHIN_MS = 10_000;
const REPORTED_WITHIN_MS = 60_000;

/**
 * Sends the log, carries questions and fetches policies until `signal`, or until this machine belongs to no team any more; where root's file
 * says that it is to join one, it joins first. Another process that does the same is waited for. Resolves with the records that were sent.
 */
export async function followTeam(following: TeamFollowing): Promise<number> {
  const { machine, by, notice, signal } = following;
  let records = 0;
  let said = "";
  const say = (text: string): void => {
    if (text !== said) notice(text);
    said = text;
  };
  while (!signal.aborted) {
    const mark = membershipMark(machine);
    const membership = readMembership(machine);
    if (membership === "missing") {
      if (await joinFleetWhenDue(machine, by)) continue;
      const progress = fleetProgress(machine);
      // The judge that stays begins this anew when it is time.
      if (by === "daemon" || progress === undefined || progress.is === "left") break;
      if (progress.why !== undefined) say(`this machine has not joined yet: ${progress.why}`);
      await sleep(TURN_MS, signal);
      continue;
    }
    if (typeof membership === "string") break;
    const held = holdSending(machine, by);
    if (held.is !== "held") {
      say(held.is === "taken" ? `${senderText(held.by)} already: this one goes on when that one ends` : held.why);
      await sleep(TURN_MS, signal);
      continue;
    }
    try {
      records += await sendWhile(following, membership, () => held.isStill() && membershipMark(machine) === mark);
      said = "";
    } catch (error) {
      say(messageOf(error));
      if (membershipMark(machine) === mark) await sleep(AGAIN_MS, signal);
    } finally {
      held.close();
    }
  }
  return records;
}

/** Who sends, in words. */
export const senderText = ({ by, pid }: Pick<TeamSender, "by" | "pid">): string =>
  by === "daemon" ? `the daemon (process ${pid}) sends` : `assent team send --follow (process ${pid}) sends`;

async function sendWhile(following: TeamFollowing, membership: TeamMembership, isStill: () => boolean): Promise<number> {
  const { machine, notice, signal } = following;
  const over = new AbortController();
  const end = (): void => over.abort();
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const looking = setInterval(() => isStill() || end(), LOOK_MS);
  const policy = new PolicyWatch(following, membership, over.signal);
  const ended = async (milliseconds: number): Promise<boolean> => {
    await sleep(milliseconds, over.signal);
    return over.signal.aborted;
  };
  try {
    const carried = carryQuestions({ machine, membership, notice, signal: over.signal, onPolicy: (why, data) => policy.hear(why, data) });
    const sending = sendToTeam({ machine, membership, follow: true, ended, notice }).then(({ records, problem }) => {
      // Not because it was told to end.
      if (problem !== undefined && !over.signal.aborted) throw new Error(problem);
      return records;
    });
    // Whichever fails, the others end before it is begun anew.
    const [sent, asked] = await Promise.allSettled([sending.catch(endWith(end)), carried.catch(endWith(end))]);
    if (sent.status === "rejected") throw sent.reason;
    if (asked.status === "rejected") throw asked.reason;
    return sent.value;
  } finally {
    end();
    clearInterval(looking);
    signal.removeEventListener("abort", end);
    await policy.ended;
  }
}

const endWith =
  (end: () => void) =>
  (error: unknown): never => {
    end();
    throw error;
  };

/** Fetches the policy of this machine: at once, when the server says that there is another one, and now and then. */
class PolicyWatch {
  readonly ended: Promise<void>;
  readonly #following: TeamFollowing;
  readonly #membership: TeamMembership;
  #isConnected = false;
  #wake: AbortController = new AbortController();
  /** When it is to be fetched; a steady clock. */
  #due = 0;
  #told: string | undefined;

  constructor(following: TeamFollowing, membership: TeamMembership, signal: AbortSignal) {
    this.#following = following;
    this.#membership = membership;
    this.ended = this.#watch(signal);
  }

  hear(why: "connected" | "released", data: string): void {
    const told = why === "released" ? takeToldPolicy(this.#following.machine, data) : undefined;
    if (told?.is === "changed" || told?.is === "current") {
      this.#say(told);
      // What it has now the server hears with the next question for the policy.
      this.#due = Math.min(this.#due, performance.now() + REPORTED_WITHIN_MS * Math.random());
      this.#wake.abort();
      return;
    }
    // The first connection comes with the first look.
    const within = why === "released" ? RELEASED_WITHIN_MS : this.#isConnected ? CONNECTED_WITHIN_MS : POLICY_BESIDE_MS;
    this.#isConnected = true;
    this.#due = Math.min(this.#due, performance.now() + within * Math.random());
    this.#wake.abort();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wait = this.#due - performance.now();
      if (wait > 0) {
        this.#wake = new AbortController();
        await sleep(wait, AbortSignal.any([signal, this.#wake.signal]));
        continue;
      }
      this.#due = performance.now() + (this.#isConnected ? POLICY_BESIDE_MS : POLICY_MS) * (0.8 + 0.4 * Math.random());
      await this.#fetch();
    }
  }

  #say({ is, version, problem }: PolicyFetched): void {
    const { notice } = this.#following;
    if (is === "changed") notice(`version ${version} of the team's policy holds now`);
    if (problem !== undefined && problem !== this.#told) notice(problem);
    this.#told = problem;
  }

  async #fetch(): Promise<void> {
    const { machine, notice } = this.#following;
    try {
      const fetched = await fetchTeamPolicy(machine, this.#membership);
      this.#say(fetched);
      if (fetched.is === "away") this.#due = Math.min(this.#due, performance.now() + POLICY_MS * (0.8 + 0.4 * Math.random()));
    } catch (error) {
      notice(messageOf(error));
    }
  }
}
