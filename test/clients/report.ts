/** What one run is to do: handed to the harness inside. */
export interface Job {
  readonly client: string;
  readonly scenario: string;
  /** With Assent registered, or as a control without it. */
  readonly hooked: boolean;
  readonly seconds: number;
  /** Whether the home folder is to be kept with the outputs. */
  readonly keep: boolean;
}

/** What happened in one run. */
export interface Report {
  readonly status: number | null;
  readonly timedOut: boolean;
  readonly seconds: number;
  /** Whether the file is there that the call was to make. */
  readonly made: boolean;
  /** Those that must be there besides, and are not. */
  readonly lacking: readonly string[];
  /** Calls the model made. */
  readonly steps: number;
  /** Names of all tools that were on offer. */
  readonly offers: readonly string[];
  /** Why the script could not go on. */
  readonly problems: readonly string[];
  /** What the model was sent as outcomes of its calls. */
  readonly told: readonly string[];
  readonly audit: readonly {
    readonly agent: string;
    readonly verdict: string;
    readonly answer: string;
    readonly subagent?: string;
    readonly tool: string;
  }[];
}
