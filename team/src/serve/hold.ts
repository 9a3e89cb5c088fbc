import type { TeamOperateOptions } from "../../../src/team/protocol/index.ts";

/** Why the server does not start, or its database is not opened, in a sentence for its person. */
export class CannotServe extends Error {}

/** INVARIANT: held by the kernel as long as this process lives, outside of the folder that it keeps to one process. */
export function holdFolder({ folder, holdLock }: TeamOperateOptions, what: string): () => void {
  const held = holdLock(`${folder}.lock`, `process ${process.pid}, ${what}`);
  if (held.is === "held") return held.release;
  throw new CannotServe(
    held.is === "taken"
      ? `another process has ${folder} open: ${held.by}. Stop it first, or use a server with --database postgres://…`
      : `${folder} cannot be kept to one process: ${held.why}. Use a server with --database postgres://…`,
  );
}
