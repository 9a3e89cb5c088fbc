import type { PreviewPolicies } from "./preview.ts";

/** What `assent team serve` asks of the package `assent-team`, by which both know each other. */
export interface TeamServeOptions {
  /** `postgres://…`; absent: the embedded one. */
  readonly database?: string | undefined;
  /** Of the embedded database. */
  readonly folder: string;
  /** `HOST:PORT`; port 0: any. */
  readonly listen: string;
  /** By which people and machines reach it, where something stands in front. */
  readonly url?: string | undefined;
  /** Files. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** `HOST:PORT` for Prometheus. */
  readonly metrics?: string | undefined;
  /** A new link for an administrator, though there are some already. */
  readonly adminLink: boolean;
  /** Webhooks may lead to this machine and to private networks. */
  readonly privateWebhooks?: boolean | undefined;
  readonly keepMonths?: number | undefined;
  /** The provider by which people may sign in (OpenID Connect), beside links. */
  readonly oidc?:
    | { readonly issuer: string; readonly clientId: string; readonly secret?: string | undefined; readonly groupsClaim: string }
    | undefined;
  /** What one machine may send on a day. */
  readonly machineRecords?: number | undefined;
  readonly machineBytes?: number | undefined;
  /** Takes a lock that the kernel gives back when this process ends, and writes into its file who has it. */
  readonly holdLock: (file: string, who: string) => HeldLock;
  /** Judges what was asked by two versions of a policy. Absent: the page shows no preview. */
  readonly preview?: PreviewPolicies | undefined;
  /** For people. */
  readonly say: (text: string) => void;
  /** For programs: a line of JSON. */
  readonly log: (line: string) => void;
}

export type HeldLock =
  | { readonly is: "held"; readonly release: () => void }
  | { readonly is: "taken"; readonly by: string }
  | { readonly is: "impossible"; readonly why: string };
