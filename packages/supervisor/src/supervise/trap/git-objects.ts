import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { joinPath } from "@assent/core/path";

const MOST_BYTES = 64 << 20;
const PATIENCE_MS = 5000;
const GIT = "/usr/bin/git";

/** Where git looks, besides at the objects. */
export interface GitSight {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A git of ours that sees nothing of a repository but its objects. INVARIANT: an agent can write the repository's configuration, which
 * names programs to start; so none of it is read, and nothing is fetched that is not there.
 */
export class GitObjects {
  readonly #common: string;
  /** A folder of its own, which need not be there. */
  readonly scratch: string;
  readonly #size: number;

  /** `size`: of an object's name, in hexadecimal digits. */
  constructor(common: string, scratch: string, size: number) {
    this.#common = common;
    this.scratch = scratch;
    this.#size = size;
  }

  /** What git says; undefined: it ended otherwise than with 0. */
  ask(words: readonly string[], sight: GitSight = {}): Buffer | undefined {
    const { status, stdout } = this.#start(words, sight);
    return status === 0 ? stdout : undefined;
  }

  /** What git says, however it ends. */
  run(words: readonly string[], sight: GitSight = {}): Buffer {
    return this.#start(words, sight).stdout ?? Buffer.alloc(0);
  }

  #start(
    words: readonly string[],
    { input = "", cwd = "/", env = {} }: GitSight,
  ): ReturnType<typeof spawnSync> & { stdout: Buffer | null } {
    if (!existsSync(joinPath(this.scratch, "HEAD"))) {
      for (const name of ["objects", "refs"]) mkdirSync(joinPath(this.scratch, name), { recursive: true, mode: 0o700 });
      const format =
        this.#size === 64 ? "\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n" : "\trepositoryformatversion = 0\n";
      writeFileSync(joinPath(this.scratch, "config"), `[core]\n\tbare = true\n${format}`);
      writeFileSync(joinPath(this.scratch, "HEAD"), "ref: refs/heads/none\n");
    }
    const shallow = joinPath(this.#common, "shallow");
    return spawnSync(GIT, [`--git-dir=${this.scratch}`, "-c", "core.commitGraph=false", ...words], {
      cwd,
      input,
      maxBuffer: MOST_BYTES,
      timeout: PATIENCE_MS,
      env: {
        GIT_OBJECT_DIRECTORY: joinPath(this.#common, "objects"),
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_NO_REPLACE_OBJECTS: "1",
        GIT_NO_LAZY_FETCH: "1",
        ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
        ...env,
      },
    });
  }
}
