import { statSync } from "node:fs";
import { spend, type World } from "@assent/core/action";
import { joinPath, normalise, parentOf } from "@assent/core/path";
import { errorCode, type Machine, readText } from "../state/index.ts";
import { Resolver } from "./canonical-paths.ts";
import { programs } from "./programs.ts";
import { FolderSearch } from "./folder-search.ts";
import { changedSecretsIn, trackedIn } from "./git-index.ts";
import { gitPathsShown } from "./git-history.ts";
import { heldNames } from "./held-names.ts";

/** Variables that mean the same in the hook's environment and in the shell the host starts. */
const STEADY = new Set(["HOME", "USER", "LOGNAME", "TMPDIR"]);

/** macOS shows its data volume at two places, which no link leads from one to the other (`/usr/share/firmlinks`). */
const FIRMLINK = /^\/System\/Volumes\/Data(?=\/(?:Applications|Library|Users|Volumes|cores|opt|private|usr\/local)(?:\/|$))/i;

function memo<A>(compute: (key: string) => A): (key: string) => A {
  const known = new Map<string, A>();
  return (key) => {
    const hit = known.get(key);
    if (hit !== undefined) return hit;
    spend(2);
    const answer = compute(key);
    known.set(key, answer);
    return answer;
  };
}

function kindOf(path: string): ReturnType<World["kind"]> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "missing";
    if (stats.isFile()) return "file";
    return stats.isDirectory() ? "directory" : "other";
  } catch (error) {
    // Below a file lies nothing; what cannot be looked at may be anything.
    return errorCode(error) === "ENOTDIR" ? "missing" : "other";
  }
}

/** A patch that is larger is not looked through. */
const MOST_TEXT = 1 << 20;

/**
 * The machine as the core may see it, for one request. Every answer is remembered for the request's time. What a process
 * remembers longer: who a program is, for a second (`programs.ts`); policy texts (`policy-files.ts`) and which names a home folder and
 * the folders of `PATH` hold (`held-names.ts`), as long as a stamp is the same that no agent can set.
 */
export function realWorld(machine: Machine, cwd: string, sessionRoot: string | undefined): World {
  const folder = normalise(cwd);
  const search = new FolderSearch();
  const resolver = new Resolver(folder, search.listed);
  const canonical = (path: string): string => {
    // What is longer than a path can be is walked name by name all the same.
    spend(1 + (path.length >> 6));
    const real = resolver.canonical(path);
    return machine.platform === "darwin" ? real.replace(FIRMLINK, "") : real;
  };
  const holding = memo(heldNames);
  const projectRoot = projectOf(canonical(sessionRoot === undefined ? folder : normalise(sessionRoot)), machine);
  let who: ReturnType<typeof programs> | undefined;
  const mayHold = (path: string, name: string): boolean => holding(path)(name);
  const identify = (): ReturnType<typeof programs> => (who ??= programs({ machine, projectRoot, canonical, mayHold }));
  const world: World = {
    cwd: folder,
    home: machine.home,
    projectRoot,
    temp: machine.temp,
    programFolders: (machine.env["PATH"] ?? "").split(":"),
    foldsCase: machine.platform === "darwin" || machine.platform === "win32",
    ...(machine.platform === "linux" || machine.platform === "darwin" ? { platform: machine.platform } : {}),
    env: (name) => (name === "PWD" ? folder : STEADY.has(name) ? machine.env[name] : undefined),
    canonical,
    kind: memo(kindOf),
    text: memo((path) => readText(path, MOST_TEXT)),
    lookup: (name) => identify().lookup(name),
    trustedProgram: (path) => identify().trustedProgram(path),
    find: search.find,
    tracked: trackedIn(() => world),
    changedSecrets: changedSecretsIn(() => world),
    gitShows: (below, shown) => gitPathsShown(below, shown, world),
    names: search.names,
    exhausted: search.exhausted,
    entries: search.entries,
    mayHold,
  };
  return world;
}

/** `.git` of a repository or of a worktree; one that another user planted (in `/tmp`, say) is none. */
function holdsRepository(folder: string, uid: number | undefined): boolean {
  try {
    const stats = statSync(joinPath(folder, ".git"), { throwIfNoEntry: false });
    return (
      stats !== undefined &&
      (stats.isDirectory() || stats.isFile()) &&
      (uid === undefined || uid === 0 || stats.uid === uid || stats.uid === 0)
    );
  } catch {
    return false;
  }
}

/** The git top level of a canonical folder, found without starting git; undefined outside git. */
export function repositoryOf(folder: string, machine: Machine): string | undefined {
  for (let at = folder; ; at = parentOf(at)) {
    if (holdsRepository(at, machine.uid)) return at;
    if (at === "/") return undefined;
  }
}

/** As `repositoryOf`; the folder itself outside git. */
export function projectOf(folder: string, machine: Machine): string {
  if (machine.alone === true) return folder;
  return repositoryOf(folder, machine) ?? folder;
}
