/** Where things are while the supervisor is measured. */
export interface Bench {
  /** Of this benchmark alone; on a disk. */
  readonly scratch: string;
  /** As `scratch`, in memory: what a file system costs is not what is measured there. */
  readonly fast: string;
  /** The C programs. */
  readonly sources: string;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** For what is fetched beforehand: the network may need what slows node down (NODE_EXTRA_CA_CERTS). */
  readonly fetching: NodeJS.ProcessEnv;
  /** What stands before a program to run it under Assent. */
  readonly assent: readonly string[];
}
