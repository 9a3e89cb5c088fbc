import { readFileSync, realpathSync, statSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { isWithin } from "@assent/core/path";
import type { ProcessMemory } from "./memory.ts";

/** What a process knows of the machine it runs on; tests and the demo provide their own. */
export interface Machine {
  readonly home: string;
  /** The home folder that the account has, whatever the environment says; undefined where it is not known. */
  readonly account?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The process that asks: the host, or what it starts first. Absent: whoever started this one. */
  readonly asker?: number;
  /** Undefined where the system has no user ids. */
  readonly uid: number | undefined;
  /** Folders for temporary files, as given and canonical. */
  readonly temp: readonly string[];
  /** Where an administrator's policy lies. */
  readonly managedPolicy: string;
  /** The name of the account; undefined where it is not known. */
  readonly user?: string | undefined;
  /** What decisions leave for later ones stays in this process: nothing of it is looked for in the state folder. */
  readonly memory?: ProcessMemory;
  /** Nothing is looked at but what a request names: no repository is looked for, no run, no settings of other agents. */
  readonly alone?: true;
  /** It is not this one: a sandbox somewhere. Its paths are looked at by nothing but its `World`. */
  readonly remote?: true;
}

/** Where a path leads, links followed; the path itself where nobody can say. */
export const realPath = (path: string): string => attempt(() => realpathSync.native(path), path);

/** Both are there, and are the same. */
export const isSamePlace = (one: string, other: string): boolean =>
  attempt(() => realpathSync.native(one) === realpathSync.native(other), false);

function homeOf(env: NodeJS.ProcessEnv): string {
  const written = env["HOME"];
  return written !== undefined && written.startsWith("/") ? trimmed(written) : (accountHome() ?? "/");
}

/** NAME:password:UID:GID:comment:HOME:shell. node:os would ask the same, and costs every start. */
function accountEntry(): readonly string[] | undefined {
  try {
    const uid = process.getuid?.();
    // Accounts of a directory service do not stand there, and are not known then.
    return readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find((fields) => fields[2] === String(uid));
  } catch {
    return undefined;
  }
}

function accountHome(): string | undefined {
  const known = accountEntry()?.[5];
  return known?.startsWith("/") === true ? trimmed(known) : undefined;
}

/** Without empty segments and a last `/`. */
function trimmed(path: string): string {
  const single = path.includes("//") ? path.replace(/\/+/g, "/") : path;
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

/**
 * TMPDIR comes from an environment that a repository or an agent may have shaped: it names a place for temporary files only
 * where the folder is one by its rights or its name.
 */
function temporaryFolders(env: NodeJS.ProcessEnv, home: string): readonly string[] {
  const folders = ["/tmp", "/var/tmp"];
  const own = env["TMPDIR"];
  if (own !== undefined && /^\/[^/]+\/[^/]/.test(own)) {
    const folder = trimmed(own);
    if (!isWithin(home, folder) && !isWithin(realPath(home), realPath(folder)) && isTemporary(realPath(folder))) folders.push(folder);
  }
  return [...new Set([...folders, ...folders.map(realPath)])];
}

/** Everybody's with the sticky bit, or in such a folder (`/scratch/me`); macOS's own, one for each user; or a `tmp` of one's own. */
function isTemporary(folder: string): boolean {
  if (/^(?:\/private)?\/var\/folders\/./.test(folder)) return true;
  const above = folder.slice(0, folder.lastIndexOf("/"));
  if (isEverybodys(folder) || isEverybodys(above)) return true;
  if (!/\/\.?te?mp$/i.test(folder)) return false;
  return attempt(() => statSync(folder).uid === process.getuid?.(), false);
}

/** inode(7): S_ISVTX, and others may write. */
const isEverybodys = (folder: string): boolean => attempt(() => (statSync(folder).mode & 0o1002) === 0o1002, false);

export function thisMachine(env: NodeJS.ProcessEnv = process.env): Machine {
  const home = homeOf(env);
  let account: string | undefined;
  let user: string | undefined;
  return {
    home,
    // Few requests ask for it.
    get account() {
      return (account ??= accountHome());
    },
    get user() {
      return (user ??= accountEntry()?.[0]);
    },
    env,
    platform: process.platform,
    uid: process.getuid?.(),
    temp: temporaryFolders(env, home),
    managedPolicy: "/etc/assent/policy.jsonc",
  };
}
