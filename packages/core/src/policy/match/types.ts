import type { RuleSource } from "./verdict.ts";
import type { Matcher } from "../kinds/index.ts";
import type { ConsentEntry } from "./consent.ts";

export type { Matcher };

/** Everything here is plain data: a compiled policy is written to and read back from a JSON cache. */

export const EFFECTS = ["allow", "ask", "deny"] as const;
export type Effect = (typeof EFFECTS)[number];
/** `profile` is the policy kept for one program under supervision. */
export const LAYERS = ["managed", "user", "project", "explicit", "profile"] as const;
export type LayerName = (typeof LAYERS)[number];
export const PRESETS = ["default", "permissive", "readonly", "strict", "none"] as const;
export type PresetName = (typeof PRESETS)[number];
export const UNKNOWN = ["confine", "confine-log", "ask", "deny"] as const;
/** What becomes of what cannot be known beforehand, loosest first. */
export type UnknownSetting = (typeof UNKNOWN)[number];
export const MODES = ["suggest", "auto-edit", "full-auto"] as const;
export type Mode = (typeof MODES)[number];

/** Whom a rule is about: of every list that is given, one name must be right. */
export interface RuleWhen {
  readonly user?: readonly string[];
  readonly tenant?: readonly string[];
  readonly role?: readonly string[];
  readonly agent?: readonly string[];
  readonly session?: readonly string[];
}

export interface Rule {
  readonly effect: Effect;
  readonly matcher: Matcher;
  readonly source: RuleSource;
  readonly layer: LayerName;
  /** The person's own reason. */
  readonly reason?: string;
  /** Folder of a project layer's file: its allow rules hold only inside. */
  readonly root?: string;
  /** From a project file nobody has trusted: only ask and deny count. */
  readonly untrusted?: boolean;
  /** An allow that lifts the sandbox, too: what it speaks of is not confined. */
  readonly confined?: false;
  /** It is about some only; absent: about everybody. */
  readonly when?: RuleWhen;
}

export const OPERATIONS = ["read", "write", "edit", "execute", "glob", "grep", "ls"] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** An `operations` block: the first matching rule speaks, as a written rule of its layer; `default` replaces the preset's. */
export interface OperationBlock {
  readonly operation: OperationName;
  readonly layer: LayerName;
  readonly default?: Effect;
  readonly defaultSource?: RuleSource;
  /** In file order. */
  readonly rules: readonly Rule[];
  /** As for rules: where a project's own `allow` default holds, and whether it may only narrow. */
  readonly root?: string;
  readonly untrusted?: boolean;
}

export interface Automation {
  readonly when: "everywhere" | "subagents" | "off";
  readonly agents: { readonly trusted: readonly string[]; readonly restricted: readonly string[] };
  /** `minutes` after the last refusal the row is forgotten; 0: never. */
  readonly breaker: { readonly denials: number; readonly minutes: number };
  /** How long a path that was refused through one tool is remembered for the others; 0: not at all. */
  readonly refusals: { readonly minutes: number };
}

/** One policy file, validated. Absent settings are absent. */
export interface PolicyFile {
  readonly file: string;
  readonly layer: LayerName;
  readonly settings: Partial<Settings>;
  readonly rules: readonly Rule[];
  readonly operations: readonly OperationBlock[];
}

export interface AuditSettings {
  readonly keepDays: number;
  readonly keepMegabytes: number;
  /** Where the log is sent. `headers`: the environment variable that holds the value of each. */
  readonly otlp?: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> };
}

/** What is kept for `assent undo`, the oldest goes first. */
export interface UndoSettings {
  readonly keepDays: number;
  readonly keepMegabytes: number;
  readonly keepRuns: number;
}

/** Whose signature a yes may have to carry: texts here, which whoever verifies one understands. */
export interface SigningKeys {
  /** Where it is given: an origin. */
  readonly site: string;
  readonly credentials: readonly { readonly person: string; readonly id: string; readonly key: string }[];
}

/** What people of a team may answer remotely, as rules. */
export interface TeamSettings {
  /** Questions about what these speak of. */
  readonly answers: readonly string[];
  /** Of these two people have to say yes. */
  readonly twoPeople: readonly string[];
  /** How long a question waits for people of the team; the first whose rules speak of it counts, and one without rules speaks of all. */
  readonly waits?: readonly { readonly rules?: readonly string[]; readonly milliseconds: number }[];
  /** Absent: the server's word that somebody said yes is enough. */
  readonly passkeys?: SigningKeys & {
    /** Of these a yes counts only if a passkey signed it. */
    readonly rules: readonly string[];
  };
}

export interface Settings {
  readonly preset: PresetName;
  readonly mode: Mode;
  /** As written: relative ones mean the project root. */
  readonly writableRoots: readonly string[];
  readonly unknown: UnknownSetting;
  readonly bypass: "asks" | "host";
  readonly automation: Automation;
  readonly audit: AuditSettings;
  readonly undo: UndoSettings;
  /** Absent: nobody answers remotely. */
  readonly team?: TeamSettings;
  /** Programs that start the command behind their name, and words that stand for a command: of the user's and managed files alone. */
  readonly wrappers?: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  /** Sentences that a person said yes to: of the user's own file alone. */
  readonly consents?: readonly ConsentEntry[];
  /** The preset's protection of secrets is switched off: by a ruleset of the library, never by a file. */
  readonly secrets?: "open";
}

/** All layers joined: what judging needs. */
export interface Policy {
  readonly settings: Settings;
  /** Deny, ask and allow rules of all layers, in layer and file order. */
  readonly rules: readonly Rule[];
  /** Where some rules are about some people only: all rules. `policyFor` finds those that hold for one of them. */
  readonly conditional?: readonly Rule[];
  readonly operations: readonly OperationBlock[];
  /** A managed or user file is broken: what would be allowed is asked. The text says which and why. */
  readonly broken?: string;
  /** Said to people, never acted on: a left-out project file, a key without effect. */
  readonly warnings: readonly string[];
  /** The policy of a team holds as it is between these times (milliseconds since 1970); outside of them, with these settings. */
  readonly holds?: { readonly since: number; readonly until: number; readonly late: Settings };
}

/** A mistake in a policy file, with its place and a way out. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Key path, e.g. `permissions.deny[2]`. */
  readonly key: string;
  readonly message: string;
  readonly help?: string;
}
