import { ABOUT_HEADER, type AboutMachine, readAbout } from "@assent/team/team/protocol";
import type { Queryable } from "../database/index.ts";

export { ABOUT_HEADER };

/** A machine that is heard all the time is written down so often. Milliseconds. */
const AGAIN_MS = 5 * 60_000;
const MOST = 20_000;

interface Seen extends AboutMachine {
  readonly at: number;
  /** When it was written down last. */
  readonly written: number;
}

/** When machines were heard last, and by which version: kept here, and written down now and then, many at once. */
export class SeenMachines {
  readonly #machines = new Map<string, Seen>();
  readonly #due = new Set<string>();

  /** Heard from a machine. `about`: the header of its request. */
  note(id: string, now: Date, about?: string): void {
    const before = this.#machines.get(id);
    const { version = before?.version, user = before?.user } = readAbout(about);
    const at = now.getTime();
    const written = before?.written ?? -Infinity;
    if (before === undefined && this.#machines.size >= MOST) this.#machines.clear();
    this.#machines.set(id, { at, written, ...(version === undefined ? {} : { version }), ...(user === undefined ? {} : { user }) });
    if (at - written >= AGAIN_MS || version !== before?.version || user !== before?.user) this.#due.add(id);
  }

  /** Writes down what is new. What cannot be written is tried again with the next one. */
  async write(db: Queryable): Promise<void> {
    const ids = [...this.#due];
    const rows = ids.flatMap((id) => {
      const seen = this.#machines.get(id);
      return seen === undefined
        ? []
        : [{ id, at: new Date(seen.at).toISOString(), version: seen.version ?? null, user: seen.user ?? null }];
    });
    if (rows.length === 0) return;
    this.#due.clear();
    try {
      await db.run(
        `update machines m set last_seen = greatest(m.last_seen, s.at), version = coalesce(s.version, m.version), user_name = coalesce(s."user", m.user_name)
         from jsonb_to_recordset($1::jsonb) as s(id text, at timestamptz, version text, "user" text)
         where m.id = s.id and m.gone is null`,
        [JSON.stringify(rows)],
      );
    } catch (error) {
      for (const { id } of rows) this.#due.add(id);
      throw error;
    }
    for (const { id, at } of rows) {
      const seen = this.#machines.get(id);
      if (seen !== undefined) this.#machines.set(id, { ...seen, written: Date.parse(at) });
    }
  }
}
