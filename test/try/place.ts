import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Place, Ran, Suite, User } from "../supervise/programs/place.ts";

/** A project in a home, and commands that are tried in it. */
export class TryPlace {
  readonly place: Place;
  readonly user: User;
  readonly command: string;
  readonly #files: Readonly<Record<string, string>>;

  constructor(suite: Suite, user: User, files: Readonly<Record<string, string>> = {}) {
    this.place = suite.place();
    this.user = user;
    this.command = suite.command;
    this.#files = { ".git/HEAD": "ref: refs/heads/main\n", "a.txt": "a\n", "src/b.txt": "b\n", ...files };
    this.fresh();
  }

  /** Everything as it was at first, Assent's records among it. */
  fresh(): void {
    this.place.fresh(this.user, this.#files);
  }

  get cwd(): string {
    return this.place.cwd;
  }

  /** `before`: options of `assent try`. */
  async try(command: string, before: readonly string[] = ["--apply"], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return await this.tryProgram(["sh", "-c", command], before, env);
  }

  async tryProgram(
    words: readonly string[],
    before: readonly string[] = ["--apply"],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    return await this.place.run({
      user: this.user,
      argv: [process.execPath, this.command, "try", ...before, "--", ...words],
      env: { HOMEDIR: this.place.home, ...env },
    });
  }

  async assent(...words: readonly string[]): Promise<Ran> {
    return await this.place.run({ user: this.user, argv: [process.execPath, this.command, ...words] });
  }

  /** As the user, without Assent. */
  async bare(command: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return await this.place.run({ user: this.user, argv: ["sh", "-c", command], env: { HOMEDIR: this.place.home, ...env } });
  }
}

/** Everything below a folder, a line each: kind, mode, link count, content. */
export function treeOf(folder: string, inside = ""): readonly string[] {
  const names = readdirSync(join(folder, inside)).sort();
  return names.flatMap((name) => {
    const at = join(inside, name);
    const path = join(folder, at);
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) return [`${at} -> ${readlinkSync(path)}`];
    if (stat.isDirectory()) return [`${at}/ ${mode}`, ...treeOf(folder, at)];
    return [`${at} ${mode} ${stat.nlink} ${stat.isFile() ? readFileSync(path, "latin1") : "special"}`];
  });
}
