import { execFileSync } from "node:child_process";
import type { ExecAction } from "@assent/core/action";
import type { Machine } from "../../state/index.ts";

const MOST_BYTES = 32 << 20;
const MOST_MS = 2000;

/** Thrown where git cannot say it: nothing is concluded from that. */
export class GitFailed extends Error {}

/** The same git that the command would start, asked what only git knows: it changes nothing, starts nothing and dials nobody. */
export class Git {
  readonly #program: string;
  readonly #folder: string;
  readonly #env: Record<string, string>;

  constructor({ resolved }: ExecAction, folder: string, { home, env }: Machine) {
    if (resolved === undefined) throw new GitFailed("git was not found");
    this.#program = resolved;
    this.#folder = folder;
    const config = env["XDG_CONFIG_HOME"];
    this.#env = {
      PATH: "/usr/bin:/bin",
      HOME: home,
      LC_ALL: "C",
      ...(config === undefined ? {} : { XDG_CONFIG_HOME: config }),
      // INVARIANT: what it shows is what would be sent: `refs/replace` shows other objects, and no missing one is fetched.
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_NO_LAZY_FETCH: "1",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      GIT_PAGER: "cat",
      GIT_ALLOW_PROTOCOL: "none",
    };
  }

  /** What it prints. */
  text(...words: readonly string[]): string {
    try {
      return execFileSync(this.#program, ["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", ...words], {
        cwd: this.#folder,
        env: this.#env,
        encoding: "utf8",
        timeout: MOST_MS,
        maxBuffer: MOST_BYTES,
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch {
      throw new GitFailed(`git ${words[0] ?? ""} did not answer`);
    }
  }

  /** The lines it prints, or those that end with a zero byte. */
  lines(...words: readonly string[]): readonly string[] {
    return this.text(...words)
      .split(words.includes("-z") ? "\0" : "\n")
      .filter((line) => line !== "");
  }

  /** What the configuration has of a key. */
  values(key: string): readonly string[] {
    try {
      return this.lines("config", "--get-all", key);
    } catch {
      return [];
    }
  }

  /** The first line; undefined where it says no. */
  line(...words: readonly string[]): string | undefined {
    try {
      return this.lines(...words)[0];
    } catch {
      return undefined;
    }
  }
}
