/** Made of `packages/core/knowledge/*.table` by scripts/knowledge.mjs: `dist/knowledge.mjs`. */
declare module "#knowledge" {
  /** A row for each command: its names, each between blanks, and after a tab its place in `RECORDS`. */
  export const INDEX: string;
  export const RECORDS: string;
  /** See `Records.notes` of write-records.ts. */
  export const NOTES: string;
}

declare module "#knowledge/errands" {
  /** A row for each tool: its names, then a field each (`packages/core/knowledge/errands/`). */
  export const ERRANDS: readonly (readonly string[])[];
}

declare module "#knowledge/variables" {
  /** A row for each block of `packages/core/knowledge/variables/`: its names, then a field each. */
  export const VARIABLES: readonly (readonly string[])[];
}

/** As `#knowledge/secrets`: `asked FILE…` or `noted FILE…`. */
declare module "#knowledge/steered" {
  export const STEERED: string;
}

/** As `#knowledge/secrets`, of the keys of these names. */
declare module "#knowledge/habits" {
  export const STARTS: string;
  export const LOOKS: string;
  export const CHANGES: string;
  export const LINKS: string;
  export const REACHES: string;
}

declare module "#knowledge/secrets" {
  /** A row for each `secret:` of the tables: names of programs, each between blanks, and after a tab what is said of them. */
  export const SECRETS: string;
}
