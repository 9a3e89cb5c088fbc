import { statSync } from "node:fs";
import type { World } from "@assent/core/action";
import { attempt } from "@assent/core/data";
import { foldCase, isWithin, joinPath, normalise, parentOf } from "@assent/core/path";
import { isSystemFolder, isToolFolder } from "@assent/core/policy";
import type { Machine } from "../state/index.ts";

type FoundProgram = ReturnType<World["lookup"]>;
type ProgramLookup = Pick<World, "lookup" | "trustedProgram">;

interface ProgramsOptions {
  readonly machine: Machine;
  /** Canonical. */
  readonly projectRoot: string;
  readonly canonical: (path: string) => string;
  /** False where a folder surely holds nothing of that name. */
  readonly mayHold: (folder: string, name: string) => boolean;
}

function isAbsent(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false }) === undefined, false);
}

function isProgram(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && stats.isFile() && (stats.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** What was found out about folders and names. In a long-lived process it serves the requests of the next second too. */
interface Findings {
  readonly until: number;
  readonly folders: Map<string, boolean>;
  readonly names: Map<string, FoundProgram>;
  /** By more than one decision. */
  used: boolean;
}

const FRESH_MS = 1000;
const MAX_KEPT = 16;
const kept = new Map<string, Findings>();

/** For whoever must answer as a fresh process does: nothing found out before counts. */
export const forgetFindings = (): void => kept.clear();

function findingsFor(key: string): Findings {
  const now = Date.now();
  const known = kept.get(key);
  if (known !== undefined && now < known.until && known.until <= now + FRESH_MS) {
    known.used = true;
    return known;
  }
  if (kept.size >= MAX_KEPT) kept.clear();
  const fresh: Findings = { until: now + FRESH_MS, folders: new Map(), names: new Map(), used: false };
  kept.set(key, fresh);
  return fresh;
}

/** Requests for which programs were looked for. A process with few does not list folders. */
let requests = 0;
const FEW_REQUESTS = 3;

/**
 * Who a program is (docs/architecture.md). A folder is trusted when nobody but its owner (this user or root) and
 * their group may write it, and it is neither in the project nor temporary: an agent could have put a program there.
 */
export function programs({ machine, projectRoot, canonical, mayHold }: ProgramsOptions): ProgramLookup {
  requests += 1;
  const written = machine.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  // A folder that stands there twice is looked at once.
  const path = [...new Set(written.split(":"))];
  const findings = findingsFor([machine.home, projectRoot, written, ...machine.temp].join("\0"));
  const { folders, names } = findings;
  const homes = [machine.home, canonical(machine.home)];
  // A project that is a home folder may have a `bin` of its own.
  const isTool = (folder: string): boolean => homes.some((home) => isToolFolder(folder, home) && !isWithin(folder, joinPath(home, "bin")));

  /** A session whose root is home, or above it, does not make every program the project's. */
  const inProject = (folder: string): boolean =>
    isWithin(folder, projectRoot) && !(isWithin(canonical(machine.home), projectRoot) && (isSystemFolder(folder) || isTool(folder)));

  const inReach = (folder: string): boolean => inProject(folder) || machine.temp.some((temp) => isWithin(folder, temp));

  const judge = (folder: string): boolean => {
    if (!folder.startsWith("/")) return false;
    const real = canonical(folder);
    if (inReach(folder) || inReach(real)) return false;
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
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const answer = judge(folder);
    folders.set(folder, answer);
    return answer;
  };
  /** An allow names a program, not a folder: only places programs are run from vouch for a name. */
  const isProgramFolder = (folder: string): boolean =>
    isSystemFolder(folder) || isTool(folder) || path.some((entry) => entry.startsWith("/") && normalise(entry) === folder);
  const trustedFile = (file: string): boolean => trustedFolder(parentOf(file)) && trustedFolder(parentOf(canonical(file)));

  /**
   * Names may be kept. An agent could change what lies in a folder that is not trusted, or make one that is missing.
   * Finding out costs a look at every folder: the first decision of a process, a hook's only one, does without.
   */
  let steady: boolean | undefined;
  const isSteady = (): boolean =>
    (steady ??=
      findings.used &&
      path.every((entry) => entry.startsWith("/") && (trustedFolder(normalise(entry)) || (isAbsent(entry) && !inReach(entry)))));

  /** For this decision. */
  const seen = new Map<string, FoundProgram>();

  const search = (name: string): FoundProgram => {
    // Behind the first name a listing costs less than looking for each in every folder.
    const listed = seen.size + names.size > 0 && requests > FEW_REQUESTS && !name.includes("/") ? foldCase(name) : undefined;
    for (const entry of path) {
      // An empty or relative entry is the current folder, wherever that will be: nothing after it vouches for a name.
      if (!entry.startsWith("/")) return { path: undefined, trusted: false };
      const folder = normalise(entry);
      if (listed !== undefined && !mayHold(folder, listed)) continue;
      const file = joinPath(folder, name);
      if (isProgram(file)) return { path: file, trusted: trustedFile(file), real: canonical(file) };
    }
    return { path: undefined, trusted: true };
  };

  return {
    lookup(name) {
      const known = names.get(name) ?? seen.get(name);
      if (known !== undefined) return known;
      const answer = search(name);
      (isSteady() ? names : seen).set(name, answer);
      return answer;
    },
    trustedProgram(file) {
      const folder = parentOf(normalise(file));
      return isProgram(file) && isProgramFolder(folder) && trustedFile(normalise(file));
    },
  };
}
