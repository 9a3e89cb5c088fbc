/** Sentences that a person says yes to once, for one repository. Only the user's own policy file holds them. */
export const CONSENTS = ["push-branches", "pull-requests", "fetch", "port", "folder"] as const;
export type ConsentName = (typeof CONSENTS)[number];

/** What each is about besides the repository. INVARIANT: everything that bounds it is written down at the yes. */
export const CONSENT_KEYS = {
  "push-branches": ["remote", "never", "base", "ci"],
  "pull-requests": ["host", "repository"],
  fetch: ["origin"],
  port: ["port", "server", "listener"],
  folder: ["folder", "object"],
} as const satisfies Readonly<Record<ConsentName, readonly string[]>>;

interface OfRepository {
  /** Top of the repository that it holds in. */
  readonly root: string;
  /** When it was given (ISO 8601). */
  readonly given?: string;
  /** Who of the team gave it; absent: the user. */
  readonly by?: string;
}

export type ConsentEntry = OfRepository &
  (
    | {
        readonly consent: "push-branches";
        /** The address that was resolved at the yes. */
        readonly remote: string;
        /** Branches that it never pushes. */
        readonly never: readonly string[];
        /** The commit up to which a person has let things go out; empty: none. */
        readonly base: string;
        /** A sum over the files that CI and the forge run, as they were there. */
        readonly ci: string;
      }
    | { readonly consent: "pull-requests"; readonly host: string; readonly repository: string }
    | { readonly consent: "fetch"; readonly origin: string }
    /** `listener`: who listened there at the yes. */
    | { readonly consent: "port"; readonly port: string; readonly server: string; readonly listener: string }
    /** `object`: which folder lay there at the yes. */
    | { readonly consent: "folder"; readonly folder: string; readonly object: string }
  );
