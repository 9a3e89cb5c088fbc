import type { DangerId, FileAction, World } from "../action/index.ts";
import { isWithin, joinPath } from "../path/index.ts";
import { expandsTo, shellPattern } from "../pattern/index.ts";
import { belowAny, comparable, comparablePlaces, forms, type Places } from "./location.ts";
import { isPersistence, isRawDevice } from "./path-class.ts";
import { isRecursive } from "./reach.ts";

/**
 * The danger classes that follow from a file action alone, whichever way it was asked for: a shell command, a tool
 * call, a patch, a system call. `spellings` are the path as given and its canonical form, made `comparable`: a link in
 * the project that points at home is home.
 */
export function pathDangers(action: FileAction, spellings: readonly string[], world: World): readonly DangerId[] {
  if (action.operation === "read" || action.operation === "list" || action.operation === "execute" || action.operation === "mkdir")
    return NONE;
  const places = comparablePlaces(world);
  const dangers: DangerId[] = [];
  if (spellings.some(isRawDevice)) dangers.push("raw-device");
  if (spellings.some((path) => isPersistence(path, places))) dangers.push("persistence");
  const removal = removalDanger(action, spellings, places, world);
  if (removal !== undefined) dangers.push(removal);
  return dangers.length === 0 ? NONE : dangers;
}

const NONE: readonly DangerId[] = [];

/** Where something lies, as far as losing it goes. `key`: `/`, home, the project root, or a folder that holds one of them. */
type Region = "key" | "project" | "temp" | "outside";

/** Where a path lies; `path` is made `comparable`. */
export function regionOf(path: string, places: Places): Region {
  if (places.home.some((home) => isWithin(home, path)) || places.project.some((root) => isWithin(root, path))) return "key";
  // A project that holds the home folder is no project whose content an agent made.
  if (places.project.some((root) => isWithin(path, root) && !places.home.some((home) => home !== root && isWithin(home, root))))
    return "project";
  return belowAny(path, places.temp) ? "temp" : "outside";
}

function removalDanger(action: FileAction, spellings: readonly string[], places: Places, world: World): DangerId | undefined {
  switch (action.operation) {
    case "rename":
      return isKeyTarget(action, spellings, places, world) ? "delete-outside" : undefined;
    case "delete":
      return isRecursive(action) ? deleteDanger(action, spellings, places, world) : undefined;
    case "write":
    case "edit":
    case "metadata":
      return isRecursive(action) && action.target.kind !== "unknown" && overwrites(action, spellings, places, world)
        ? "delete-outside"
        : undefined;
    default:
      return undefined;
  }
}

function overwrites(action: FileAction, spellings: readonly string[], places: Places, world: World): boolean {
  return regionPaths(action, spellings, places, world).some((path) => {
    const region = regionOf(path, places);
    if (region === "project" || region === "temp") return false;
    if (action.operation === "metadata") return true;
    // Unpacking and generating into the project root or a temp folder is everyday work; what it reaches is judged file by file.
    if (places.temp.includes(path) || isProjectRoot(path, places)) return false;
    // Making something new overwrites nothing.
    return !(region === "outside" && action.operation === "write" && action.target.kind !== "glob" && world.kind(path) === "missing");
  });
}

function isProjectRoot(path: string, places: Places): boolean {
  return places.project.includes(path) && !places.home.some((home) => isWithin(home, path));
}

function deleteDanger(action: FileAction, spellings: readonly string[], places: Places, world: World): DangerId {
  // What an unknown target means lies in a folder, or is it: only a folder surely elsewhere makes it surely elsewhere.
  if (action.target.kind === "unknown") {
    return spellings.some((path) => regionOf(path, places) === "outside" && !places.temp.includes(path))
      ? "delete-outside"
      : "delete-recursive";
  }
  const outside = regionPaths(action, spellings, places, world).some((path) => {
    const region = regionOf(path, places);
    return region === "key" || region === "outside";
  });
  return outside ? "delete-outside" : "delete-recursive";
}

/** The paths whose region decides. A glob of nothing but wildcards means the folder it looks in; any other means what it finds there. */
function regionPaths(action: FileAction, spellings: readonly string[], places: Places, world: World): readonly string[] {
  const { target } = action;
  // `find . -name '*.o'` means what it finds, not the folder.
  if (target.kind === "tree" && target.filter?.only !== undefined && !target.filter.only.some(meansAll))
    return spellings.map((path) => joinPath(path, "*"));
  if (target.kind !== "glob") return spellings;
  const { folder, everything } = shellPattern(target.pattern);
  const folders = comparable(forms(folder, world), world);
  if (everything) return folders;
  const keys = [...places.home, ...places.project].filter((key) => expandsTo(target.pattern, key, true));
  return [...folders.map((path) => joinPath(path, "*")), ...keys];
}

function meansAll(glob: string): boolean {
  return /^[*?.]*$/.test(glob);
}

/** Moving home or the project away is losing it. */
function isKeyTarget(action: FileAction, spellings: readonly string[], places: Places, world: World): boolean {
  const { target } = action;
  if (target.kind === "unknown" || (target.kind === "glob" && !shellPattern(target.pattern).everything)) return false;
  return regionPaths(action, spellings, places, world).some((path) => regionOf(path, places) === "key");
}
