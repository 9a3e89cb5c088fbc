import { readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { isWithin } from "@assent/core/path";

/** One line of proc_pid_mountinfo(5). */
interface Mount {
  /** `major:minor` of the file system. */
  readonly device: string;
  /** What of the file system is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/**
 * Places that are mounted more than once, so that one file has several paths; as it was when the run began (nothing
 * supervised can mount).
 */
export class Mounts {
  /** Those of which another shows a part. */
  readonly #shared: readonly Mount[];
  /** Devices of process file systems, if one is mounted beside /proc. */
  readonly #processes: ReadonlySet<string>;

  constructor(text = mountInfo()) {
    const all = text.split("\n").flatMap((line) => parse(line) ?? []);
    const processes = all.filter(({ type }) => type === "proc");
    this.#processes = new Set(processes.every(({ point }) => isWithin(point, "/proc")) ? [] : processes.map(({ device }) => device));
    const overlaps = (a: Mount, b: Mount): boolean =>
      a !== b && a.device === b.device && a.point !== b.point && (isWithin(a.root, b.root) || isWithin(b.root, a.root));
    this.#shared = all.filter((one) => one.type !== "proc" && all.some((other) => overlaps(one, other)));
  }

  /** The other paths of what lies at `path`. */
  aliases(path: string): readonly string[] {
    if (this.#shared.length === 0) return [];
    let here: Mount | undefined;
    for (const mount of this.#shared)
      if (isWithin(path, mount.point) && (here === undefined || mount.point.length >= here.point.length)) here = mount;
    if (here === undefined) return [];
    const inside = join(here.root, below(path, here.point));
    return this.#shared
      .filter((other) => other !== here && other.device === here.device && isWithin(inside, other.root))
      .map((other) => join(other.point, below(inside, other.root)))
      .filter((alias) => alias !== path);
  }

  /** It lies at one path only, and no process file system is mounted where one does not expect it. */
  isOnce(path: string): boolean {
    return this.#processes.size === 0 && (this.#shared.length === 0 || this.aliases(path).length === 0);
  }

  /** A process file system other than /proc: what it says of `self` is about the trap handler, and no rule knows its paths. */
  isForeignProc(path: string, id: string): boolean {
    return this.#processes.size > 0 && !isWithin(path, "/proc") && this.#processes.has(id.slice(0, id.lastIndexOf(":")));
  }
}

const mountInfo = (): string => attempt(() => readFileSync("/proc/self/mountinfo", "utf8"), "");

function parse(line: string): Mount | undefined {
  const [, , device, root, point, , ...rest] = line.split(" ");
  const type = rest[rest.indexOf("-") + 1];
  if (device === undefined || root === undefined || point === undefined || type === undefined) return undefined;
  return { device, root: plain(root), point: plain(point), type };
}

/** Blanks, tabs, newlines and backslashes stand there as octal numbers. */
const plain = (text: string): string => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const below = (path: string, folder: string): string => (folder === "/" ? path : path.slice(folder.length));
const join = (folder: string, rest: string): string => (folder === "/" ? rest || "/" : rest === "/" ? folder : folder + rest);
