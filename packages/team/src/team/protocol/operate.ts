import type { HeldLock } from "./serve-options.ts";

/** What `assent team search`, `erase` and the like ask of the package `assent-team`: they work on the database, on the server's own shell. */
export interface TeamOperateOptions {
  /** `postgres://…`; absent: the embedded one, which no server may have open meanwhile. */
  readonly database?: string | undefined;
  readonly folder: string;
  readonly holdLock: (file: string, who: string) => HeldLock;
}

/** Which records are looked for. All of it has to be true of them. */
export interface RecordSearch {
  /** Id or name. */
  readonly machine?: string | undefined;
  /** Of people's roles, or of policies. */
  readonly group?: string | undefined;
  readonly verdict?: string | undefined;
  readonly agent?: string | undefined;
  /** A part of the record, as it stands there. */
  readonly text?: string | undefined;
  /** Came then or later; milliseconds since 1970. */
  readonly since: number;
  /** Came before then. */
  readonly until?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface FoundTeamRecord {
  readonly machine: string;
  readonly name: string;
  readonly epoch: number;
  readonly seq: number;
  /** ISO 8601. */
  readonly received: string;
  readonly verdict: string | null;
  readonly agent: string | null;
  readonly body: string;
}

export interface FoundTeamRecords {
  readonly records: readonly FoundTeamRecord[];
  /** There may be more: ask again with it. */
  readonly next?: string;
  /** Not all was looked at, only what came since then (ISO 8601): `next` goes on. */
  readonly back?: string;
}

export interface RecordErasure {
  /** Id, or a name that one machine alone has. */
  readonly machine: string;
  /** What came before then; milliseconds since 1970. */
  readonly before?: number | undefined;
  /** What holds this text. */
  readonly matching?: string | undefined;
}

/** Records, contradicting ones, and questions whose text is gone now. */
export interface ErasedRecords {
  readonly machine: string;
  readonly records: number;
  readonly forks: number;
  readonly questions: number;
}

export interface NewFleetKey {
  readonly name: string;
  readonly group: string;
  readonly uses: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** A key that lets machines in; times in ISO 8601. */
export interface FleetKey {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly uses: number;
  readonly used: number;
  readonly made: string;
  readonly by: string;
  readonly expires: string;
  readonly revoked: string | null;
  /** That it let in and that are there still. */
  readonly machines: number;
}

export interface NewCiRule {
  readonly name: string;
  /** Who signs the tokens of jobs. */
  readonly issuer: string;
  /** Whom they are made for. */
  readonly audience: string;
  /** What they have to say, word for word. */
  readonly claims: Readonly<Record<string, string>>;
  readonly group: string;
  /** So long a job may speak. */
  readonly minutes: number;
}

/** Which jobs of a CI let themselves in; times in ISO 8601. */
export interface CiRule extends NewCiRule {
  readonly id: string;
  readonly made: string;
  readonly by: string;
  /** Jobs that it let in, and those that are there still. */
  readonly let: number;
  readonly machines: number;
}

/** The team's database, opened by who may. */
export interface TeamOperator {
  search(search: RecordSearch): Promise<FoundTeamRecords>;
  /** Rejects with a sentence where it names no machine. */
  erase(erasure: RecordErasure, by: string): Promise<ErasedRecords>;
  /** In the order in which they came, the newest minute left out: what is under way then would be passed by. */
  exportAfter(cursor: string | undefined): Promise<FoundTeamRecords>;
  makeFleetKey(key: NewFleetKey, by: string): Promise<string>;
  fleetKeys(): Promise<readonly FleetKey[]>;
  /** How many machines went with it; undefined: there is no such key. */
  revokeFleetKey(id: string, machines: boolean, by: string): Promise<number | undefined>;
  /** The rule's id. Rejects with a sentence where it would let in anybody. */
  makeCiRule(rule: NewCiRule, by: string): Promise<string>;
  ciRules(): Promise<readonly CiRule[]>;
  /** How many machines went with it; undefined: there is no such rule. */
  removeCiRule(id: string, by: string): Promise<number | undefined>;
  close(): Promise<void>;
}
