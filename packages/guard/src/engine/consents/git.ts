import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { attempt } from "@assent/core/data";
import type { ExecAction } from "@assent/core/action";
import { resolvePath } from "@assent/core/path";
import { isGitsOwnKey, isInertGitKey } from "@assent/core/shell";
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
    return attempt(() => this.lines("config", "--get-all", key), []);
  }

  /** The first line; undefined where it says no. */
  line(...words: readonly string[]): string | undefined {
    return attempt(() => this.lines(...words)[0], undefined);
  }
}

/** Keys of a configuration, in small letters, and whether a value of theirs is harmless to the command. */
export type GitKeyRules = readonly (readonly [key: RegExp, isHarmless: (value: string) => boolean])[];

export const isOff = (value: string): boolean => /^(?:false|no|off|0)$/i.test(value);

/** What the configuration makes of a command: by these rules wherever a key stands, and any key of the repository's that is not known. */
export function whyConfiguredOtherwise(git: Git, rules: GitKeyRules): string | undefined {
  const entries = git.lines("config", "--list", "--show-scope", "-z");
  if (entries.length % 2 !== 0) return "git's configuration is not understood";
  for (let at = 0; at < entries.length; at += 2) {
    const [scope = "", entry = ""] = [entries[at], entries[at + 1]];
    // What this very question sets.
    if (scope === "command") continue;
    const end = entry.indexOf("\n");
    // A key alone is `true`.
    const [key, value] = end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    const [from, to] = [key.indexOf("."), key.lastIndexOf(".")];
    const lower = key.slice(0, from).toLowerCase() + key.slice(from, to) + key.slice(to).toLowerCase();
    const rule = rules.find(([pattern]) => pattern.test(lower));
    if (rule?.[1](value) === false) return `git is configured to do more than that (${key})`;
    const own = scope === "local" || scope === "worktree";
    if (own && rule === undefined && !isInertGitKey(lower) && !isGitsOwnKey([lower, value]))
      return `the repository's configuration may change what it does (${key})`;
  }
  return undefined;
}

/** githooks(5): they would run with all of the user's rights. Without names: any that is there. */
export function whyHooked(git: Git, top: string, names?: readonly string[]): string | undefined {
  const path = resolvePath(top, git.line("rev-parse", "--git-path", "hooks") ?? ".git/hooks");
  const there = lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(path);
  const hook = there.find((name) => names?.includes(name) ?? !name.endsWith(".sample"));
  return hook === undefined ? undefined : `git would run the hook ${hook}, which nobody has looked at`;
}
