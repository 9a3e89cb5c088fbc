/** Paths with what each is: `644 0f3a…`, `folder`, `link to …`. */
export type Tree = Readonly<Record<string, string>>;

/** One session of a client. */
export interface ConfinedJob {
  readonly client: string;
  readonly commands: readonly string[];
  /** Beside the project's own. */
  readonly files: Readonly<Record<string, string>>;
  /** With Assent registered, or bare. */
  readonly hooked: boolean;
  readonly policy: string;
  /** The client's own approvals, where Assent is registered. */
  readonly mode: "usual" | "free";
  readonly seconds: number;
  /** The client's user has written a rule that denies this command there. */
  readonly ownRule?: string;
  /** A rule that asks about it. */
  readonly ownQuestion?: string;
  /** Somebody is there who lets questions wait so long, and then says yes. Milliseconds. */
  readonly answersAfter?: number;
  /** Of a second session: both are served, and then ended one after the other. What was wrong with that comes as questions. */
  readonly other?: readonly string[];
}

export interface ConfinedReport {
  readonly status: number | null;
  readonly timedOut: boolean;
  readonly seconds: number;
  /** What the model was sent as outcomes, in the order of the commands. */
  readonly told: readonly string[];
  /** Of the client to its user. */
  readonly questions: readonly string[];
  readonly problems: readonly string[];
  /** What the queue showed: what was asked, and how long after the program had begun to wait. Milliseconds. */
  readonly held: readonly { readonly what: string; readonly after: number; readonly answered: string }[];
  /** The project afterwards. */
  readonly tree: Tree;
  /** What is somebody else's, before and afterwards. */
  readonly before: Tree;
  readonly after: Tree;
  /** The log of Assent's decisions. */
  readonly audit: readonly { readonly point: string; readonly verdict: string; readonly confined?: boolean }[];
  /** What those outside noticed. */
  readonly witness: readonly string[];
}
