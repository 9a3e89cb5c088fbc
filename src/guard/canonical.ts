import { lstatSync, readlinkSync, realpathSync } from "node:fs";

const MAX_LINKS = 40;

/** Lexical normal form of an absolute path: no `.`, `..`, `//`, trailing `/`. */
export function normalise(path: string): string {
  if (!/\/\.{0,2}(?:\/|$)/.test(path)) return path;
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") out.pop();
    else out.push(part);
  }
  return `/${out.join("/")}`;
}

export function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

export function parent(path: string): string {
  const at = path.lastIndexOf("/");
  return at <= 0 ? "/" : path.slice(0, at);
}

/** Descriptors belong to the process that opens them: `/proc/self/fd/3` of this process is not the command's. */
const DESCRIPTOR = /^\/dev\/(?:fd\/|stdin$|stdout$|stderr$)|^\/proc\/(?:self|thread-self)\/(?:task\/\d+\/)?fd\//;
const OWN_FOLDER = /^\/proc\/(?:self|thread-self)\/(?:task\/\d+\/)?(cwd|root)(?=\/|$)/;

function real(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The path with the symlinks of its existing part resolved. A dangling link is followed to where writing through it
 * would create the file. Paths through `/proc/self` mean the command's process, not this one.
 */
export function canonicalPath(path: string, cwd: string, links = 0): string {
  const normal = normalise(path);
  if (DESCRIPTOR.test(normal)) return normal;
  const own = OWN_FOLDER.exec(normal);
  if (own !== null) return canonicalPath(`${own[1] === "cwd" ? cwd : ""}/${normal.slice(own[0].length)}`, cwd, links);
  const whole = real(normal);
  if (whole !== undefined) return whole;
  if (normal === "/") return "/";
  const target = links < MAX_LINKS ? linkTarget(normal) : undefined;
  const folder = parent(normal);
  if (target !== undefined) {
    // A relative target starts from the link's real folder.
    return canonicalPath(target.startsWith("/") ? target : `${canonicalPath(folder, cwd, links + 1)}/${target}`, cwd, links + 1);
  }
  const name = normal.slice(normal.lastIndexOf("/") + 1);
  const base = canonicalPath(folder, cwd, links + 1);
  return normalise(join(base, name));
}

/**
 * A path as the kernel walks it: every `..` leaves the folder that was really entered, symlinks resolved.
 * `undefined` when that is where the lexical form leads too.
 */
export function physicalPath(path: string, cwd: string): string | undefined {
  if (!path.includes("/..")) return undefined;
  let at = "/";
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    at = part === ".." ? parent(canonicalPath(at, cwd)) : join(at, part);
  }
  const physical = canonicalPath(at, cwd);
  return physical === canonicalPath(path, cwd) ? undefined : physical;
}
