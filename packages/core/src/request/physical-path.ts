import type { World } from "../action/index.ts";
import { joinPath, normalise, parentOf } from "../path/index.ts";

/**
 * A path as the kernel walks it: every `..` leaves the folder that was really entered. `undefined` where that is what the path means by
 * its text, too.
 */
export function physicalPath(path: string, world: Pick<World, "canonical">): string | undefined {
  if (!path.includes("/..")) return undefined;
  let at = "/";
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    at = part === ".." ? parentOf(at) : world.canonical(joinPath(at, part));
  }
  return at === world.canonical(normalise(path)) ? undefined : at;
}
