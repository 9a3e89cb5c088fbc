/** One line of what is on. `mark`: `ask` where something is to be looked at, `deny` where something does not protect. */
export interface HereLine {
  readonly text: string;
  readonly mark?: "ask" | "deny";
  /** What changes it, or tells more. */
  readonly command?: string;
}

export interface HereRow {
  readonly title: string;
  readonly lines: readonly HereLine[];
}

/** What `assent status` says of a folder. */
export interface PageStatus {
  /** The text begins with the word of `is`. */
  readonly protected: { readonly is: "yes" | "partly" | "no"; readonly text: string };
  /** Decisions of today. */
  readonly today: { readonly checked: number; readonly sandboxed: number; readonly asked: number; readonly refused: number };
  readonly rows: readonly HereRow[];
  /** The last ones, the newest first. */
  readonly refused: readonly { readonly time: string; readonly agent: string; readonly what: string; readonly why: string }[];
}
