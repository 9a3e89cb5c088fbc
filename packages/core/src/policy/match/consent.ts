/**
 * Sentences that a person says yes to once, for one repository, and what each is about besides that. Only the user's own policy file holds
 * them. INVARIANT: everything that bounds it is written down at the yes.
 */
export const CONSENT_KEYS = {
  "push-branches": {
    remote: "the remote's address, as it was at the yes",
    never: "branches that it never pushes",
    base: "the commit that counts as pushed already; empty: none",
    ci: "a sum over the files that CI runs, as they were at the yes",
  },
  "pull-requests": { host: "the forge", repository: "owner and name, such as `acme/shop`" },
  fetch: { origin: "scheme, host and port, such as `https://api.example.org`" },
  port: {
    port: "the port of this machine",
    server: "the kind of server, such as `postgres`",
    listener: "who listened there at the yes",
  },
  folder: { folder: "the other repository", object: "which folder lay there at the yes" },
} as const;

type Keys = typeof CONSENT_KEYS;
export type ConsentName = keyof Keys;

interface OfRepository {
  /** Top of the repository that it holds in. */
  readonly root: string;
  /** When it was given (ISO 8601). */
  readonly given?: string;
  /** Who of the team gave it; absent: the user. */
  readonly by?: string;
}

export type ConsentEntry = {
  [Name in ConsentName]: OfRepository & { readonly consent: Name } & {
    readonly [Key in keyof Keys[Name]]: Key extends "never" ? readonly string[] : string;
  };
}[ConsentName];
