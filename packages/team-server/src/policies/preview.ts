import type { PolicyPreview, PreviewPolicies, PreviewVersion } from "@assent/team/team/protocol";
import type { Queryable } from "../database/index.ts";
import { recordsToReplay } from "./replay.ts";
import { policyVersion, releasesOf } from "./store.ts";
import type { TellEvent } from "../web/index.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;
/** As many as the command takes, and no more than one process can hold. */
const MOST_RECORDS = 50_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** Who loads the page again sees the same. */
const KEPT_MS = 60_000;

/** What the page shows of what a version would change. */
export type ShownPreview =
  | {
      readonly is: "preview";
      readonly preview: PolicyPreview;
      /** The version that is out to all; null: none is. */
      readonly from: number | null;
      readonly group: string;
      readonly days: number;
      readonly machines: number;
      /** There were more records than are looked at. */
      readonly isCut: boolean;
    }
  | { readonly is: "busy" }
  | { readonly is: "failed"; readonly group: string; readonly version: number };

interface PreviewsOptions {
  readonly now: () => Date;
  readonly judge: PreviewPolicies;
  readonly tell: TellEvent;
}

/** What versions would change that are not out to all yet. One is judged at a time: each takes as much as a processor gives. */
export class PolicyPreviews {
  readonly #db: Queryable;
  readonly #options: PreviewsOptions;
  #last: { readonly key: string; readonly shown: Promise<ShownPreview>; at: number; isBusy: boolean } | undefined;

  constructor(db: Queryable, options: PreviewsOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Undefined: the version, or a newer one, is out to all. */
  async of(after: PreviewVersion): Promise<ShownPreview | undefined> {
    const { all } = await releasesOf(this.#db, after.group);
    if (all !== undefined && all.version >= after.version) return undefined;
    const now = (): number => this.#options.now().getTime();
    const key = JSON.stringify([after.group, all?.version ?? null, after.version]);
    const last = this.#last;
    if (last?.key === key && (last.isBusy || Math.abs(now() - last.at) < KEPT_MS)) return last.shown;
    if (last?.isBusy === true) return { is: "busy" };
    const made = { key, shown: this.#make(after, all?.version ?? null), at: now(), isBusy: true };
    this.#last = made;
    const shown = await made.shown;
    made.isBusy = false;
    made.at = now();
    if (shown.is === "failed") this.#last = undefined;
    return shown;
  }

  async #make(after: PreviewVersion, from: number | null): Promise<ShownPreview> {
    const { group, version, policy } = after;
    try {
      const before = from === null ? undefined : (await policyVersion(this.#db, group, from))?.statement;
      const { bodies, machines, isCut } = await this.#records(group);
      const preview = await this.#options.judge({
        ...(before === undefined ? {} : { before: { group, version: before.version, policy: before.policy } }),
        after: { group, version, policy },
        bodies,
      });
      return { is: "preview", preview, from, group, days: DAYS, machines, isCut };
    } catch (error) {
      this.#options.tell("no preview", { group, version, why: error instanceof Error ? error.message : String(error) });
      return { is: "failed", group, version };
    }
  }

  async #records(group: string): Promise<{ readonly bodies: readonly string[]; readonly machines: number; readonly isCut: boolean }> {
    const since = new Date(this.#options.now().getTime() - DAYS * DAY_MS);
    const bodies: string[] = [];
    let bytes = 0;
    for (let after: string | null = null; ;) {
      const page = await recordsToReplay(this.#db, group, since, after);
      if (page.is !== "records") throw new TypeError("this page holds no records");
      bodies.push(...page.bodies);
      bytes += page.bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
      const isCut = page.next !== undefined;
      if (page.next === undefined || bodies.length >= MOST_RECORDS || bytes >= MOST_BYTES)
        return { bodies, machines: page.machines, isCut };
      after = page.next;
    }
  }
}
