import type { Approver } from "@assent/guard/approve";
import type { Verdict } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";

export const ENGINES = ["assent", "sandbox-runtime"] as const;
export type EngineId = (typeof ENGINES)[number];

/** What a confined run is asked for, whoever confines it. */
export interface EngineRequest {
  /** `argv[0]` is the program's absolute path. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly machine: Machine;
  readonly policyFiles: readonly string[];
  /** Undefined: nobody; what is not allowed is refused. */
  readonly approver: Approver | undefined;
  /** What can be taken back is kept for `assent undo`. */
  readonly undo: boolean;
  /** Folders of Assent's own program. */
  readonly own: readonly string[];
  /** One line for people. */
  readonly onNotice: (text: string) => void;
}

export interface HostEvent {
  readonly host: string;
  readonly port: number | undefined;
  readonly outcome: "allowed" | "refused";
  readonly why: string;
  /** What was said, where somebody was asked. */
  readonly answer?: string;
  readonly judged?: Verdict;
}

export interface EngineResult {
  /** Names the run in `assent receipt`. */
  readonly id: string;
  /** As a shell says it: 128 and the signal where one ended it. */
  readonly status: number;
  readonly hosts: readonly HostEvent[];
}

/**
 * Who holds a program to the policy. INVARIANT: what an engine cannot hold of a policy it refuses to start under; it never leaves
 * a rule out silently, and never falls back to a run without it.
 */
export interface RunEngine {
  readonly id: EngineId;
  /** What it does not do that `assent run` on Linux does, for `doctor` and every receipt. */
  readonly cannot: readonly string[];
  /** Why it does not work here, with what would help; undefined: it does. */
  problem(): Promise<string | undefined>;
  /** Throws `EngineError`: nothing was started. */
  run(request: EngineRequest): Promise<EngineResult>;
}

/** A run that could not begin. */
export class EngineError extends Error {
  readonly code: "missing" | "policy" | "refused" | "failed";
  constructor(code: EngineError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
    this.code = code;
  }
}
