import type { Consent } from "./automation.ts";
import type { Grants, NewGrant, RuleGrant } from "./grants.ts";
import type { RecordedRefusal } from "./refusals.ts";

const MOST_KEYS = 20_000;
const MOST_REFUSALS = 200;
const MOST_OF_ONE = 199;

/**
 * What decisions leave for later ones where a program keeps it for itself, and nothing of it lies in the state folder: denials
 * in a row, what was refused, answers that hold for longer. It ends with the process.
 */
export class ProcessMemory {
  readonly #rows = new Map<string, { denials: number; last: number }>();
  readonly #refusals = new Map<string, readonly RecordedRefusal[]>();
  /** By who may use them, the oldest first. */
  readonly #grants = new Map<string, readonly RuleGrant[]>();
  readonly #uses = new Map<string, number>();
  #count = 0;

  /** Whoever writes a policy in code has agreed to what it says. */
  readonly consent: Consent = { when: "everywhere", modes: "in code", trusted: [], restricted: [] };

  denials(key: string, minutes: number): number {
    const row = this.#rows.get(key);
    return row === undefined || (minutes > 0 && Date.now() - row.last > minutes * 60_000) ? 0 : row.denials;
  }

  countDenial(key: string, minutes: number): void {
    keep(this.#rows, key, { denials: this.denials(key, minutes) + 1, last: Date.now() }, MOST_KEYS);
  }

  halve(key: string, threshold: number): void {
    const row = this.#rows.get(key);
    if (row !== undefined && row.denials < threshold) row.denials = Math.floor(row.denials / 2);
  }

  refusalsSince(session: string, since: number): readonly RecordedRefusal[] {
    return (this.#refusals.get(session) ?? NONE).filter(({ time }) => time >= since);
  }

  addRefusals(session: string, refusals: readonly RecordedRefusal[]): void {
    let live = this.#refusals.get(session) ?? NONE;
    for (const refusal of refusals) {
      live = live.filter((other) => other.path !== refusal.path || other.what !== refusal.what || other.by === "policy");
      if (refusal.over !== true) live = [...live, refusal];
    }
    keep(this.#refusals, session, live.slice(-MOST_REFUSALS), MOST_KEYS);
  }

  /** Those of one principal that still hold. */
  grants(holder: string, now: number): Grants {
    return { all: this.#held(holder, now), uses: this.#uses, void: [] };
  }

  #held(holder: string, now: number): readonly RuleGrant[] {
    return (this.#grants.get(holder) ?? []).filter(({ until }) => until > now);
  }

  addGrant(holder: string, grant: Extract<NewGrant, { kind: "rule" }>, now: number): RuleGrant {
    this.#count += 1;
    const made: RuleGrant = { ...grant, id: `memory${this.#count}`, made: now };
    keep(this.#grants, holder, [...this.#held(holder, now).slice(-MOST_OF_ONE), made], MOST_KEYS);
    return made;
  }

  useGrant(id: string, count: number, times: number): boolean {
    const used = (this.#uses.get(id) ?? 0) + times;
    if (used > count) return false;
    this.#uses.set(id, used);
    return true;
  }
}

const NONE: readonly RecordedRefusal[] = [];

/** What was touched last goes last. */
function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  const [oldest] = map.size >= most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
