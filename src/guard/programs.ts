import { statSync } from "node:fs";
import { isInside, type Machine } from "../state/index.ts";
import { join, normalise, parent } from "./canonical.ts";

/** Folders of the operating system and of its package managers: trusted even when a session's root lies above them. */
const SYSTEM = [
  "/bin",
  "/sbin",
  "/usr",
  "/lib",
  "/opt",
  "/nix",
  "/snap",
  "/gnu",
  "/run/current-system",
  "/etc/alternatives",
  "/System",
  "/Library",
  "/Applications",
];
/** Where people's tools and version managers put programs, below home. */
const TOOLS = [
  ".cargo/bin",
  ".local/bin",
  ".local/share",
  ".nvm",
  ".fnm",
  ".volta",
  ".asdf",
  ".rbenv",
  ".pyenv",
  ".goenv",
  ".nodenv",
  ".jenv",
  ".sdkman",
  ".rustup",
  ".bun/bin",
  ".deno/bin",
  ".npm-global",
  "go/bin",
  ".dotnet",
  ".nix-profile",
  ".krew/bin",
  ".linuxbrew",
  "Library/pnpm",
  ".poetry/bin",
  ".ghcup/bin",
];

export interface Programs {
  lookup(name: string): { readonly path: string | undefined; readonly trusted: boolean };
  trustedProgram(path: string): boolean;
}

export interface ProgramsOptions {
  readonly machine: Machine;
  /** Canonical. */
  readonly projectRoot: string;
  readonly canonical: (path: string) => string;
}

function isProgram(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && stats.isFile() && (stats.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/**
 * Who a program is (docs/architecture.md). A folder is trusted when nobody but its owner (this user or root) and
 * their group may write it, and it is neither in the project nor temporary: an agent could have put a program there.
 */
export function programs({ machine, projectRoot, canonical }: ProgramsOptions): Programs {
  const home = canonical(machine.home);
  const tools = [machine.home, home].flatMap((folder) => TOOLS.map((name) => join(folder, name)));
  const rootIsBroad = isInside(home, projectRoot);
  const judged = new Map<string, boolean>();
  const found = new Map<string, { path: string | undefined; trusted: boolean }>();

  const inProject = (folder: string): boolean =>
    isInside(folder, projectRoot) &&
    !(rootIsBroad && (SYSTEM.some((base) => isInside(folder, base)) || tools.some((base) => isInside(folder, base))));

  const judge = (folder: string): boolean => {
    if (!folder.startsWith("/")) return false;
    const real = canonical(folder);
    if ([folder, real].some((at) => inProject(at) || machine.temp.some((temp) => isInside(at, temp)))) return false;
    try {
      const stats = statSync(real, { throwIfNoEntry: false });
      if (stats === undefined) return false;
      const others = (stats.mode & 0o002) !== 0;
      const foreign = machine.uid !== undefined && stats.uid !== machine.uid && stats.uid !== 0;
      return !others && !foreign;
    } catch {
      return false;
    }
  };
  const trustedFolder = (folder: string): boolean => {
    const known = judged.get(folder);
    if (known !== undefined) return known;
    const answer = judge(folder);
    judged.set(folder, answer);
    return answer;
  };
  const path = (machine.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  /** An allow names a program, not a folder: only places programs are run from vouch for a name. */
  const isProgramFolder = (folder: string): boolean =>
    SYSTEM.some((base) => isInside(folder, base)) ||
    tools.some((base) => isInside(folder, base)) ||
    path.some((entry) => entry.startsWith("/") && normalise(entry) === folder);
  const trustedFile = (file: string): boolean => trustedFolder(parent(file)) && trustedFolder(parent(canonical(file)));

  const search = (name: string): { path: string | undefined; trusted: boolean } => {
    for (const entry of path) {
      // An empty or relative entry is the current folder, wherever that will be: nothing after it vouches for a name.
      if (!entry.startsWith("/")) return { path: undefined, trusted: false };
      const file = join(normalise(entry), name);
      if (isProgram(file)) return { path: file, trusted: trustedFile(file) };
    }
    return { path: undefined, trusted: true };
  };

  return {
    lookup(name) {
      const known = found.get(name);
      if (known !== undefined) return known;
      const answer = search(name);
      found.set(name, answer);
      return answer;
    },
    trustedProgram(file) {
      const folder = parent(normalise(file));
      return isProgram(file) && isProgramFolder(folder) && trustedFile(normalise(file));
    },
  };
}
