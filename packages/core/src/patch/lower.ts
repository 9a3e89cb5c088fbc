import { type FileAction, type FileOperation, type Lowered, visible, type World } from "../action/index.ts";
import { joinPath, resolvePath } from "../path/index.ts";
import { isApplyPatch, readApplyPatch } from "./apply-patch.ts";
import type { PatchChange, PatchOptions, PatchReading } from "./change.ts";
import { readUnifiedDiff } from "./unified.ts";

const BY_TOOL = { by: "tool" } as const;

/** Every path that a change touches, as the patch has it. */
export function patchPaths(change: PatchChange): readonly string[] {
  return "to" in change ? [change.path, change.to] : [change.path];
}

/** What applying a patch would do. What is not understood whole is not known. `strict` asks besides: what is denied stays so. */
export function lowerPatch(text: string, world: Pick<World, "cwd">, { strict = false }: PatchOptions = {}): Lowered {
  const forgiving = lowerReading(readPatch(text), world);
  const plain = strict ? readPatch(text, { strict }) : undefined;
  if (plain?.ok !== false) return forgiving;
  return { ...forgiving, unknowns: [...forgiving.unknowns, ...lowerReading(plain, world).unknowns] };
}

const readPatch = (text: string, options?: PatchOptions): PatchReading =>
  isApplyPatch(text) ? readApplyPatch(text, options) : readUnifiedDiff(text);

function lowerReading(reading: PatchReading, world: Pick<World, "cwd">): Lowered {
  if (!reading.ok) {
    return {
      actions: [],
      unknowns: [{ reason: `the patch is malformed in line ${reading.line}: ${reading.message}`, help: reading.help }],
    };
  }
  return {
    actions: reading.changes.flatMap((change) => actionsOf(change, world.cwd)),
    unknowns: reading.format === "unified" ? throughOwnLink(reading.changes, world.cwd) : [],
  };
}

/** A link that the patch makes, or puts in another place, is not there yet when its other paths are looked at. */
function throughOwnLink(changes: readonly PatchChange[], cwd: string): Lowered["unknowns"] {
  const placed = changes.flatMap((change) => ("to" in change ? [change.to] : change.does === "link" ? [change.path] : []));
  if (placed.length === 0) return [];
  const folders = new Set(placed.map((path) => resolvePath(cwd, path)));
  const isThrough = (path: string): boolean => {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) if (folders.has(path.slice(0, at))) return true;
    return false;
  };
  const through = changes.flatMap(patchPaths).find((path) => isThrough(resolvePath(cwd, path)));
  return through === undefined
    ? []
    : [{ reason: `the patch puts something in the place of a folder of ${visible(through)}`, help: "make a patch of each" }];
}

function actionsOf(change: PatchChange, cwd: string): readonly FileAction[] {
  const on = (operation: FileOperation, path: string): FileAction => fileAction(operation, path, cwd);
  switch (change.does) {
    case "add":
      return [on("write", change.path)];
    case "update":
      return [on("edit", change.path)];
    case "delete":
      return [on("delete", change.path)];
    case "mode":
      return [on("metadata", change.path)];
    case "link":
      return [on("link", change.path)];
    case "move":
      return [on("edit", change.path), on("rename", change.path), on("write", change.to), on("rename", change.to)];
    case "copy":
      return [on("read", change.path), on("write", change.to)];
  }
}

function fileAction(operation: FileOperation, path: string, cwd: string): FileAction {
  const raw = path.startsWith("/") ? path : joinPath(cwd, path);
  const plain = resolvePath(cwd, raw);
  // `link/..` is resolved by text or by the file system: what was given tells the judge to look at both.
  return { kind: "file", operation, target: { kind: "path", path: plain }, ...(plain === path ? {} : { asGiven: raw }), origin: BY_TOOL };
}
