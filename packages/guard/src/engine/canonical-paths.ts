import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { baseName, joinPath, normalise, parentOf } from "@assent/core/path";

const MAX_LINKS = 40;

/** Descriptors belong to the process that opens them: `/proc/self/fd/3` of this process is not the command's. */
const DESCRIPTOR = /^\/dev\/(?:fd(?:\/|$)|stdin$|stdout$|stderr$)|^\/proc\/(?:self|thread-self)(?:\/task\/\d+)?\/fd(?:\/|$)/;
const OWN = /^\/proc\/(?:self|thread-self)(?:\/task(?:\/\d+)?)?(?:\/(cwd|root))?$/;

/** What lies at a path itself. */
export type PathEntry = { readonly is: "link"; readonly target: string } | { readonly is: "plain" } | { readonly is: "missing" };

function lookHere(path: string): PathEntry {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { is: "missing" };
    return stats.isSymbolicLink() ? { is: "link", target: readlinkSync(path) } : { is: "plain" };
  } catch {
    // Not to be looked at (no right to enter, below a file): as it is written.
    return { is: "missing" };
  }
}

/** The names in a folder that the request has listed, and which of them are links: where one leads needs no look at the others. */
type Listed = (folder: string) => ReadonlyMap<string, boolean> | undefined;

/**
 * Resolves the symlinks of paths, as far as they exist. Each folder is looked at once, so that the paths of a request,
 * which mostly share theirs, cost one call each. A dangling link leads to where writing through it would create the
 * file. Paths through `/proc/self` mean the command's process, not this one.
 */
export class Resolver {
  private readonly cwd: string;
  private readonly known = new Map<string, string>();
  private readonly missing = new Set<string>();
  private readonly listed: Listed | undefined;
  private readonly look: (path: string) => PathEntry;

  /** `look`: paths are those of another machine. */
  constructor(cwd: string, listed?: Listed, look?: (path: string) => PathEntry) {
    this.cwd = cwd;
    this.listed = listed;
    this.look = look ?? lookHere;
    if (look === undefined) this.enter(cwd);
  }

  /** Most of what a request touches lies in its folder: one realpath(3) instead of a look at each folder above. */
  private enter(folder: string): void {
    if (!folder.startsWith("/") || /^\/(?:proc|dev)(?:\/|$)/.test(folder)) return;
    try {
      // The same text back means that no link leads there.
      if (realpathSync.native(folder) !== folder) return;
    } catch {
      return;
    }
    for (let at = folder; at !== "/"; at = parentOf(at)) this.known.set(at, at);
  }

  /** `..` in what is given leaves the folder that was really entered, as the kernel has it. */
  canonical(path: string): string {
    // Only normalised paths are known.
    const known = this.known.get(path);
    if (known !== undefined) return known;
    return path.includes("/..") && /\/\.\.(?:\/|$)/.test(path) ? this.walk("/", path, 0) : this.resolve(normalise(path), 0);
  }

  private walk(base: string, path: string, links: number): string {
    let at = path.startsWith("/") ? "/" : base;
    for (const part of path.split("/")) {
      if (part === "" || part === ".") continue;
      at = part === ".." ? parentOf(at) : this.resolve(joinPath(at, part), links);
    }
    return at;
  }

  /** `path` is normalised. */
  private resolve(path: string, links: number): string {
    if (path === "/") return path;
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const answer = this.step(path, links);
    this.known.set(path, answer);
    return answer;
  }

  private step(path: string, links: number): string {
    if (path.startsWith("/dev/") && DESCRIPTOR.test(path)) return path;
    const folder = this.resolve(parentOf(path), links);
    const name = baseName(path);
    const at = joinPath(folder, name);
    if (at.startsWith("/proc/")) {
      if (DESCRIPTOR.test(at)) return at;
      const own = OWN.exec(at);
      if (own !== null) return own[1] === undefined ? at : own[1] === "root" ? "/" : this.resolve(normalise(this.cwd), links + 1);
    }
    if (this.missing.has(folder)) {
      this.missing.add(at);
      return at;
    }
    if (this.listed?.(folder)?.get(name) === false) return at;
    const entry = this.look(at);
    if (entry.is === "missing") this.missing.add(at);
    return entry.is === "link" && links < MAX_LINKS ? this.walk(folder, entry.target, links + 1) : at;
  }
}
