/** Made of `packages/core/knowledge/*.table` by scripts/knowledge.mjs: `dist/knowledge.mjs`. */
declare module "#knowledge" {
  /** A row for each command: its names, each between blanks, and after a tab its place in `RECORDS`. */
  export const INDEX: string;
  export const RECORDS: string;
  /** See `Records.notes` of write-records.ts. */
  export const NOTES: string;
}

declare module "#knowledge/services" {
  /** A row for each tool: its names, then a field each (`packages/core/knowledge/services/`). */
  export const TOOL_SERVICES: readonly (readonly string[])[];
}

declare module "#knowledge/packs" {
  /** Texts of packs, by their names. */
  export const PACKS: Readonly<Record<string, string>>;
}

declare module "#knowledge/variables" {
  /** A row for each block of `packages/core/knowledge/variables/`: its names, then a field each. */
  export const VARIABLES: string;
}

/** As `#knowledge/secrets`: `asked FILE…` or `noted FILE…`. */
declare module "#knowledge/steered" {
  export const STEERED: string;
}

declare module "#knowledge/git" {
  /** Commands of git by what they do (`does`). */
  export const LOOKS: readonly string[];
  export const LISTS: readonly string[];
  export const SKIPS: readonly string[];
  export const DIALS: readonly string[];
  export const STAYS: readonly string[];
  export const WRITES: readonly string[];
  export const LINKS: readonly string[];
  export const REMOVES: readonly string[];
  export const LEAVES: readonly string[];
}

declare module "#knowledge/hosts" {
  /** Hosts of `public`, a blank around each. */
  export const FORGES: string;
  export const HANDED_OUT: string;
  export const SENDS_ON: Readonly<Record<string, readonly string[]>>;
}

/** As `#knowledge/secrets`: where the logins of programs lie (`login`). */
declare module "#knowledge/logins" {
  export const LOGINS: string;
}

/** Of `private`, `startup` and `programs`: paths in small letters, those at home without the home folder. */
declare module "#knowledge/places" {
  export const PRIVATE_FOLDERS: readonly string[];
  export const PRIVATE_FILES: readonly string[];
  export const PRIVATE_AT_HOME: readonly string[];
  export const PRIVATE_PLACES: readonly string[];
  export const STARTUP_FILES: readonly string[];
  export const STARTUP_AT_HOME: readonly string[];
  export const STARTUP_PLACES: readonly string[];
  /** People install into these all day: what is there is started by whoever types its name. */
  export const PROGRAM_FOLDERS: readonly string[];
  /**
   * Where people's tools and version managers keep programs, those folders included. Who a program is follows from it (engine/programs.ts),
   * and what a folder in front of PATH brings (shell/words/variables.ts). INVARIANT: each is write-protected.
   */
  export const TOOL_FOLDERS: readonly string[];
}

declare module "#knowledge/sources" {
  /** Where the rows stand that say the places of a list of `#knowledge/places`, in its order: `TABLE LINE LINE; TABLE LINE`. */
  export const SOURCES: Readonly<Record<keyof typeof import("#knowledge/places"), string>>;
}

declare module "#knowledge/shell-variables" {
  /** Names by what shells do with them (`variables`). */
  export const SHELL_VARIABLES: Readonly<
    Record<"exported" | "names" | "integer" | "array" | "computed" | "reset" | "keeps", readonly string[]>
  >;
  export const DECIDING: readonly (readonly [names: readonly string[], why: string])[];
}

/** As `#knowledge/secrets`: what programs follow. */
declare module "#knowledge/follows" {
  export const FOLLOWS: string;
}

declare module "#knowledge/following" {
  /** Of whom a row of `follows` is, a blank around each. */
  export const FOLLOWING: string;
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

/** Programs by what they are (`is`), and what is known of each (`with`). */
declare module "#knowledge/traits" {
  type Programs = ReadonlySet<string>;
  type Rows = readonly (readonly [program: string, value: string])[];
  export const ASKS: Programs;
  export const BETWEEN: Programs;
  export const BOUNDED: Programs;
  export const BUILDER: Programs;
  export const BUILTIN: Programs;
  export const BYSTANDER: Programs;
  export const CALCULATES: Programs;
  export const CARRIER: Programs;
  export const COMPILED: Programs;
  export const COMPOSES: Programs;
  export const COPIES: Programs;
  export const EVERYDAY: Programs;
  export const FINDER: Programs;
  export const HOARDS: Programs;
  export const HOLDERS: Programs;
  export const INERT: Programs;
  export const INPUTLESS: Programs;
  export const INTERPRETER: Programs;
  export const KEEPS: Programs;
  export const KEYED: Programs;
  export const LAUNCHER: Programs;
  export const LINEWISE: Programs;
  export const LOOPS: Programs;
  export const LISTER: Programs;
  export const LOADS_TO_TELL: Programs;
  export const MACHINE: Programs;
  export const MANAGER: Programs;
  export const NPMRC: Programs;
  export const OPEN: Programs;
  export const PREFIX: Programs;
  export const READER: Programs;
  export const REFS: Programs;
  export const RUINS: Programs;
  export const RUNNER: Programs;
  export const SAMPLES: Programs;
  export const SCRIPTED: Programs;
  export const SHELL: Programs;
  export const SHIMS: Programs;
  export const SHORTCUT: Programs;
  export const TERMINAL: Programs;
  export const USUAL: Programs;
  export const WAITS: Programs;
  export const WRAPPER: Programs;
  export const ENDS: Rows;
  export const EXCLUDES: Rows;
  export const HISTORY: Rows;
  export const LOADS: Rows;
  export const OPENS: Rows;
  export const PREFIXED: Rows;
  export const REMAKES: Rows;
  export const SAME: Rows;
  export const SCRIPT: Rows;
  export const STATES: Rows;
  export const SUFFIX: Rows;
  export const TOOLS: Rows;
  export const WALKS: Rows;
  export const WHOLE: Rows;
}
