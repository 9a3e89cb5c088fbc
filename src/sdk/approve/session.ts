import { realpathSync } from "node:fs";

/**
 * What a person has approved for the rest of a session. An approval covers exactly the words that were approved, in
 * the folder they were approved in: nothing shorter, nothing longer, no other patch. Denies hold all the same.
 */
export class SessionApprovals {
  readonly #keys = new Set<string>();

  add(argv: readonly string[], workdir: string): void {
    this.#keys.add(keyOf(argv, workdir));
  }

  has(argv: readonly string[], workdir: string): boolean {
    return this.#keys.has(keyOf(argv, workdir));
  }

  clear(): void {
    this.#keys.clear();
  }
}

function keyOf(argv: readonly string[], workdir: string): string {
  let folder = workdir;
  try {
    folder = realpathSync.native(workdir);
  } catch {
    // A folder that is not there is only itself.
  }
  return JSON.stringify([folder, ...argv]);
}
