import type { FileAction, World } from "../action/index.ts";
import { joinPath, resolvePath } from "../path/index.ts";
import { BoundedMap, shellPattern } from "../pattern/index.ts";
import { comparable, forms, perWorld } from "./location.ts";

/** The paths that stand for what a file action reaches: as given, and with symlinks resolved. */
export interface Spelled {
  /** In their own case: for names. */
  readonly written: readonly string[];
  /** Folded where the file system folds case: for places. */
  readonly compared: readonly string[];
}

const NOTHING: Spelled = { written: [], compared: [] };
/** A decision has fewer; a supervised run judges everything in one world. */
const MOST = 4096;
const remembered = perWorld(() => new BoundedMap<FileAction, Spelled>(MOST));

/**
 * Every spelling of the place an action reaches. A glob is spelled with neutral text in its wildcards, so that what
 * holds for the spelling holds for all it can match; an unknown target by the folder it stays in, or not at all.
 */
export function spell(action: FileAction, world: World): Spelled {
  return remembered(world).get(action, () => {
    const written = spellings(action, world);
    return written.length === 0 ? NOTHING : { written, compared: comparable(written, world) };
  });
}

function spellings(action: FileAction, world: World): readonly string[] {
  const { target, asGiven } = action;
  switch (target.kind) {
    case "path":
    case "tree": {
      const paths = forms(target.path, world);
      // `link/../x` leads past what the text says: the kernel follows the link first.
      if (asGiven === undefined || !asGiven.includes("..")) return paths;
      const led = world.canonical(asGiven.startsWith("/") ? asGiven : joinPath(world.cwd, asGiven));
      return paths.includes(led) ? paths : [...paths, resolvePath("/", led)];
    }
    case "glob": {
      const { folder, rest } = shellPattern(target.pattern);
      const below = rest.map(({ glob }) => glob.literal ?? `${glob.start}zqx${glob.end}`).join("/");
      return forms(folder, world).map((path) => (below === "" ? path : joinPath(path, below)));
    }
    case "unknown":
      return target.within === undefined ? [] : forms(target.within, world);
  }
}
