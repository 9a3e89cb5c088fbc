import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the protected file holds; seeing it in the output means the file was read. */
export const KEY = "k3y-c0ntent";
/** How many random programs; `npm run fuzz` says. */
export const ROUNDS = Number(process.env["FUZZ_PROGRAMS"] ?? 120);
/** The same programs each time, so that a failure tells of the change it tests; `npm run fuzz` draws new ones. */
export const seedOr = (own: number): number => Number(process.env["FUZZ_SEED"] ?? own);

/**
 * A folder in which random programs run as nobody, with a PATH that holds one harmless command: `id` leaves a mark.
 * `undefined` where the tools for that are missing, so that nothing random ever runs with a person's rights as root.
 */
export class Scratch {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "assent-languages-")));
  private readonly work = join(this.root, "work");
  private readonly bin = join(this.root, "bin");
  private readonly marks = join(this.root, "marks");

  constructor() {
    chmodSync(this.root, 0o755);
    for (const folder of [this.work, this.bin, this.marks]) mkdirSync(folder);
    chmodSync(this.work, 0o777);
    chmodSync(this.marks, 0o777);
    writeFileSync(join(this.bin, "id"), `#!/bin/sh\n: > '${this.marks}/ran'\necho ran\n`, { mode: 0o755 });
    this.clear();
  }

  private clear(): void {
    if (readdirSync(this.marks).length > 0) rmSync(join(this.marks, "ran"), { force: true });
    for (const name of readdirSync(this.work)) rmSync(join(this.work, name), { recursive: true, force: true });
    writeFileSync(join(this.work, "key"), `${KEY}\n`);
    writeFileSync(join(this.work, "in"), "abc\nid\nxa\n");
    chmodSync(join(this.work, "key"), 0o444);
    chmodSync(join(this.work, "in"), 0o444);
  }

  /** Runs a program; says what it did besides writing to standard output, or undefined for nothing. */
  effect(program: string, args: readonly string[]): { did: string | undefined; ok: boolean } {
    const result = spawnSync(ISOLATE[0] ?? program, [...ISOLATE.slice(1), program, ...args], {
      cwd: this.work,
      env: { PATH: this.bin, HOME: this.work, LC_ALL: "C.UTF-8" },
      input: "id\nabc\n",
      encoding: "utf8",
      timeout: 2000,
      killSignal: "SIGKILL",
      maxBuffer: 1 << 20,
    });
    const ran = existsSync(join(this.marks, "ran"));
    const made = readdirSync(this.work).filter((name) => name !== "key" && name !== "in");
    const read = (result.stdout ?? "").includes(KEY);
    if (ran || made.length > 0) this.clear();
    const did = ran ? "ran a command" : made.length > 0 ? `made ${made.join(", ")}` : read ? "read the key" : undefined;
    return { did, ok: result.status === 0 };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The absolute path of a program, if this machine has it. */
export function which(name: string): string | undefined {
  return ["/usr/bin", "/bin", "/usr/local/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Takes rights away: root becomes nobody; anyone else loses at least the network. */
const ISOLATE: readonly string[] =
  process.getuid?.() === 0 ? [which("setpriv") ?? "", "--reuid=65534", "--regid=65534", "--clear-groups"] : [which("unshare") ?? "", "-rn"];

/** A command without rights, and without a network and other people's processes where that needs no more than root. */
export function isolated(command: readonly string[]): readonly string[] {
  const apart = process.getuid?.() === 0 ? [which("unshare") ?? "", "--net", "--pid", "--mount", "--fork", "--kill-child"] : [];
  return [...apart, ...ISOLATE, ...command];
}

/** True where random programs can be run without rights. */
export function canIsolate(): boolean {
  return process.platform === "linux" && ISOLATE[0] !== "";
}

/** A small repeatable source of random choices. */
export function random(seed: number): { below: (n: number) => number; pick: <T>(from: readonly T[]) => T } {
  let state = seed >>> 0;
  const below = (n: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
  };
  return { below, pick: (from) => from[below(from.length)]! };
}
