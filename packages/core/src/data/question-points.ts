/** What is known of a place where questions come up. */
interface PointFacts {
  /** For people, after who asks. */
  readonly says: string;
  /** It asks about calls of programs: one of them can be trusted, and rules go into its profile. */
  readonly ofPrograms?: true;
  /** It is a run of a person's, who may end it. */
  readonly ofRun?: true;
}

const TABLE = {
  run: { says: "assent run", ofPrograms: true, ofRun: true },
  confined: { says: "sandboxed", ofPrograms: true },
  gateway: { says: "MCP gateway" },
  library: { says: "in a program" },
  hook: { says: "before it runs" },
} as const satisfies Readonly<Record<string, PointFacts>>;

/** Where questions come up. Queue, page, terminal, team and its server read this table, and files and messages hold its words. */
export type QueuePoint = keyof typeof TABLE;
export const POINTS: Readonly<Record<QueuePoint, PointFacts>> = TABLE;

/** Begins what people of a team are asked where a yes is one from now on: in front of all else stands a verb of its own. */
export const FROM_NOW_ON = "go on from now on, without asking: ";

const isPoint = (name: string): name is QueuePoint => Object.hasOwn(TABLE, name);
export const POINT_NAMES: readonly QueuePoint[] = Object.keys(TABLE).filter(isPoint);
export const pointOf = (value: unknown): QueuePoint | undefined => POINT_NAMES.find((name) => name === value);
