import { readFileSync, realpathSync } from "node:fs";

/** What a process knows of the machine it runs on; tests and the demo provide their own. */
export interface Machine {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Undefined where the system has no user ids. */
  readonly uid: number | undefined;
  /** Folders for temporary files, as given and canonical. */
  readonly temp: readonly string[];
  /** Where an administrator's policy lies. */
  readonly managedPolicy: string;
}

/** True when `path` is `folder` or lies below it. Both absolute and normalised. */
export function isInside(path: string, folder: string): boolean {
  if (folder === "/") return path.startsWith("/");
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function homeOf(env: NodeJS.ProcessEnv): string {
  const written = env["HOME"];
  if (written !== undefined && written.startsWith("/")) return trimmed(written);
  try {
    // NAME:password:UID:GID:comment:HOME:shell. node:os would ask the same, and costs every start.
    const uid = process.getuid?.();
    const entry = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find((fields) => fields[2] === String(uid));
    const known = entry?.[5];
    if (known?.startsWith("/") === true) return trimmed(known);
  } catch {
    // Falls through: no home is known.
  }
  return "/";
}

/** Without empty segments and a last `/`. */
function trimmed(path: string): string {
  const single = path.includes("//") ? path.replace(/\/+/g, "/") : path;
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

/** TMPDIR comes from an environment that an agent may have shaped: it may not make home or a system folder temporary. */
function temporaryFolders(env: NodeJS.ProcessEnv, home: string): readonly string[] {
  const folders = ["/tmp", "/var/tmp"];
  const own = env["TMPDIR"];
  if (own !== undefined && /^\/[^/]+\/[^/]/.test(own)) {
    const folder = trimmed(own);
    if (!isInside(home, folder) && !isInside(real(home), real(folder))) folders.push(folder);
  }
  return [...new Set([...folders, ...folders.map(real)])];
}

export function thisMachine(env: NodeJS.ProcessEnv = process.env): Machine {
  const home = homeOf(env);
  return {
    home,
    env,
    platform: process.platform,
    uid: process.getuid?.(),
    temp: temporaryFolders(env, home),
    managedPolicy: "/etc/assent/policy.jsonc",
  };
}
