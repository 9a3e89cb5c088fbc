import { spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const isRoot = process.getuid?.() === 0;

/** Who runs the program: root as well as a user without rights where the suite runs as root, else whoever runs it. */
export type User = "root" | "nobody" | "self";
export const USERS: readonly User[] = isRoot ? ["root", "nobody"] : ["self"];
const NOBODY = 65_534;

export const LONG = process.env["TEST_LONG"] !== undefined;

/** The users take turns at the rows of a table; with `npm run test:long` each has all of them. */
export const hasTurn = (user: User, row: number): boolean => LONG || USERS[row % USERS.length] === user;

/** No temporary folder: what is allowed in those says nothing. Readable for every user the suite runs programs as. */
const BASE = isRoot ? "/srv" : join(homedir(), ".cache");

export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`], { env: { PATH } }).status === 0;

/** Not node's own removal, which knows no path longer than PATH_MAX. */
export const remove = (folder: string): void => void spawnSync("rm", ["-rf", "--", folder]);

export interface Ran {
  /** Exit code, or the name of the signal. */
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Start {
  readonly user: User;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly seconds?: number;
  /** Called with what is printed, as it comes. */
  readonly onOutput?: (text: string, pid: number) => void;
}

/**
 * A folder of the suite's own with the built program in it, which every user can read. `SUPERVISE_DIST` is taken in the
 * place of `dist/`, for those who work on it while others do.
 */
export class Suite {
  readonly folder: string;
  readonly command: string;
  #places = 0;

  constructor() {
    mkdirSync(BASE, { recursive: true });
    this.folder = mkdtempSync(join(BASE, "assent-suite-"));
    spawnSync("chmod", ["0755", this.folder]);
    const to = join(this.folder, "assent");
    mkdirSync(join(to, "node_modules"), { recursive: true });
    cpSync(process.env["SUPERVISE_DIST"] ?? join(ROOT, "dist"), join(to, "dist"), { recursive: true });
    for (const part of ["package.json", "node_modules/@koromix"])
      if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(to, part), { recursive: true });
    this.command = join(to, "dist/bin.cjs");
  }

  /** A home, a working folder and a state folder that belong to the user. */
  place(): Place {
    return new Place(this, join(this.folder, String(++this.#places)));
  }

  remove(): void {
    remove(this.folder);
  }
}

export class Place {
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;
  readonly state: string;
  readonly #suite: Suite;

  constructor(suite: Suite, folder: string) {
    this.#suite = suite;
    this.folder = folder;
    this.home = join(folder, "home");
    this.cwd = join(folder, "work");
    this.state = join(folder, "state");
  }

  /** Everything as it is before a program ran. */
  fresh(user: User, files: Readonly<Record<string, string>> = {}): void {
    remove(this.folder);
    for (const folder of [this.folder, this.home, this.cwd, this.state]) mkdirSync(folder, { recursive: true, mode: 0o755 });
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    if (user === "nobody") spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, this.folder]);
    else chownSync(this.folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  }

  /** Arguments that run `argv` under supervision, with nobody to ask and everything allowed in the working folder and home. */
  supervised(argv: readonly string[], options: readonly string[] = ["-P"]): readonly string[] {
    const policy = join(this.folder, "policy.jsonc");
    const all = [this.cwd, this.home].flatMap((folder) => ["Read", "List", "Write", "Delete"].map((kind) => `${kind}(${folder}/**)`));
    if (!existsSync(policy)) writeFileSync(policy, JSON.stringify({ version: 1, permissions: { allow: all } }));
    return [process.execPath, this.#suite.command, "run", "--policy", policy, ...options, "--", ...argv];
  }

  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { PATH, HOME: this.home, XDG_STATE_HOME: this.state, LC_ALL: "C.UTF-8", TZ: "UTC", TERM: "xterm", NO_COLOR: "1", ...more };
  }

  async run({ user, argv, env = {}, input = "", seconds = 100, onOutput }: Start): Promise<Ran> {
    const as = user === "nobody" ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
    const [program = "", ...args] = [...as, ...argv];
    return await new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd: this.cwd, env: this.env(env), stdio: "pipe", detached: true });
      const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
      for (const stream of ["stdout", "stderr"] as const)
        child[stream].on("data", (chunk: Buffer) => {
          parts[stream].push(chunk);
          onOutput?.(chunk.toString("latin1"), child.pid ?? 0);
        });
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        // The group of this very child.
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      }, seconds * 1000);
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
      child.on("error", reject);
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        const text = (stream: "stdout" | "stderr"): string => Buffer.concat(parts[stream]).toString("latin1");
        resolve({ status: late ? "too slow" : (code ?? signal ?? "?"), stdout: text("stdout"), stderr: text("stderr") });
      });
    });
  }
}
