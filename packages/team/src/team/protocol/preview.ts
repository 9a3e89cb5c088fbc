/** What the server asks of `assent` itself, which judges: what a version of a policy would have told the requests of a group's machines. */
export interface PreviewAsk {
  /** The version that is out to all; absent: none is. */
  readonly before?: PreviewVersion | undefined;
  readonly after: PreviewVersion;
  /** Lines of the logs of the group's machines. */
  readonly bodies: readonly string[];
}

export interface PreviewVersion {
  readonly group: string;
  readonly version: number;
  readonly policy: string;
}

/** A request that is told something else. */
export interface PreviewChange {
  /** The command, path or address; of a call without any, its tool. */
  readonly subject: string;
  readonly count: number;
  readonly before: string;
  readonly after: string;
  readonly is: "stricter" | "looser";
  /** Of what would be told. */
  readonly reason: string;
}

/** All counts are of decisions; a request that came twice counts twice. */
export interface PolicyPreview {
  readonly records: number;
  /** Their records do not hold them whole. */
  readonly unreadable: number;
  readonly stricter: number;
  readonly looser: number;
  readonly same: number;
  /** How many requests are told something else; the most frequent of them. */
  readonly changed: number;
  readonly changes: readonly PreviewChange[];
}

/** Rejects where it takes too long, or cannot be done. */
export type PreviewPolicies = (ask: PreviewAsk) => Promise<PolicyPreview>;
