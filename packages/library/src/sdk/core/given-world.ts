import type { Wanted, World } from "@assent/core/action";
import { joinPath, normalise, parentOf } from "@assent/core/path";
import { GuardOptionError } from "../common/options.ts";

/** What a world must have, and what may be left out. */
const REQUIRED = ["env", "canonical", "kind", "lookup", "trustedProgram", "find", "tracked", "names"] as const;
const OPTIONAL = ["changedSecrets", "gitShows", "text", "exhausted", "entries", "mayHold"] as const;
const KINDS: ReadonlySet<unknown> = new Set(["file", "directory", "other", "missing"]);

const isAbsolute = (path: unknown): path is string => typeof path === "string" && path.startsWith("/") && !path.includes("\0");

/** Throws for a world that is none: what it does not say would be taken for a no. */
export function checkWorld(of: string, given: unknown): asserts given is World {
  const wrong = (message: string): never => {
    throw new GuardOptionError("world", `${of}: ${message}`);
  };
  if (typeof given !== "object" || given === null) return wrong("the option `world` is missing: `plainWorld({ cwd, home })` makes one");
  for (const name of ["cwd", "home", "projectRoot"])
    if (!isAbsolute(Reflect.get(given, name))) return wrong(`\`${name}\` of the world must be an absolute path`);
  const temp: unknown = Reflect.get(given, "temp");
  if (!Array.isArray(temp) || !temp.every(isAbsolute)) return wrong("`temp` of the world must be a list of absolute paths");
  if (typeof Reflect.get(given, "foldsCase") !== "boolean") return wrong("`foldsCase` of the world must be true or false");
  const platform: unknown = Reflect.get(given, "platform");
  if (platform !== undefined && platform !== "linux" && platform !== "darwin")
    return wrong('`platform` of the world must be "linux" or "darwin", or be left out');
  for (const name of REQUIRED) if (typeof Reflect.get(given, name) !== "function") return wrong(`the world has no function \`${name}\``);
  for (const name of OPTIONAL) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined && typeof value !== "function") return wrong(`\`${name}\` of the world must be a function`);
  }
  return undefined;
}

/**
 * A world as it is judged in: from a folder, with each answer looked at. A promise in the place of an answer is as good as a yes where
 * nobody looks: whatever is of another kind throws, and the call is not allowed.
 */
export function worldFrom(given: World, cwd: string | undefined): World {
  const folder = normalise(cwd ?? given.cwd);
  const answer = <T>(name: string, value: unknown, is: (value: unknown) => value is T): T => {
    if (is(value)) return value;
    throw new TypeError(`\`${name}\` of the world gave something else than it should`);
  };
  const { changedSecrets, gitShows, text, exhausted, entries, mayHold, platform } = given;
  return {
    cwd: folder,
    home: given.home,
    // Whoever names another folder means what lies there.
    projectRoot: cwd === undefined ? given.projectRoot : answer("canonical", given.canonical(folder), isAbsolute),
    temp: given.temp,
    foldsCase: given.foldsCase,
    ...(platform === undefined ? {} : { platform }),
    env: (name) => (name === "PWD" ? folder : answer("env", given.env(name), isTextOrNothing)),
    canonical: (path) => answer("canonical", given.canonical(path), isAbsolute),
    kind: (path) => answer("kind", given.kind(path), isKind),
    lookup: (name) => answer("lookup", given.lookup(name), isProgram),
    trustedProgram: (path) => answer("trustedProgram", given.trustedProgram(path), isBoolean),
    find: (root, wanted, depth) => answer("find", given.find(root, wanted, depth), isFound),
    tracked: (path) => answer("tracked", given.tracked(path), isBooleanOrNothing),
    names: (directory) => answer("names", given.names(directory), isNames),
    ...(changedSecrets === undefined
      ? {}
      : { changedSecrets: (top) => answer("changedSecrets", changedSecrets.call(given, top), isListOfNames) }),
    ...(gitShows === undefined ? {} : { gitShows: (folder, shown) => answer("gitShows", gitShows.call(given, folder, shown), isNames) }),
    ...(text === undefined ? {} : { text: (path) => answer("text", text.call(given, path), isTextOrNothing) }),
    ...(exhausted === undefined ? {} : { exhausted: () => answer("exhausted", exhausted.call(given), isBoolean) }),
    ...(entries === undefined ? {} : { entries: (directory) => answer("entries", entries.call(given, directory), isEntries) }),
    ...(mayHold === undefined ? {} : { mayHold: (directory, name) => answer("mayHold", mayHold.call(given, directory, name), isBoolean) }),
  };
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isBooleanOrNothing = (value: unknown): value is boolean | undefined => value === undefined || isBoolean(value);
const isTextOrNothing = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";
const isKind = (value: unknown): value is ReturnType<World["kind"]> => KINDS.has(value);
const isListOfNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");
const isNames = (value: unknown): value is readonly string[] | undefined => value === undefined || isListOfNames(value);
const isEntries = (value: unknown): value is ReadonlyMap<string, boolean> | undefined => value === undefined || value instanceof Map;

const isProgram = (value: unknown): value is ReturnType<World["lookup"]> =>
  isRecord(value) && isTextOrNothing(value["path"]) && isBoolean(value["trusted"]);

const isFound = (value: unknown): value is ReturnType<World["find"]> =>
  isRecord(value) && isTextOrNothing(value["found"]) && isBoolean(value["complete"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

/** What lies at a path. */
export type PlainEntry = "file" | "directory" | { readonly link: string } | { readonly text: string };

/** What is known of a machine by whoever has nothing but names. */
export interface PlainWorld {
  /** Where commands run. Absolute. */
  readonly cwd: string;
  /** The home folder there. Absolute. */
  readonly home: string;
  /** The project; by default `cwd`. */
  readonly projectRoot?: string;
  readonly temp?: readonly string[];
  /** The file system takes `A` and `a` for one name, as on a Mac. */
  readonly foldsCase?: boolean;
  /** Whose programs lie there: `sed -i` of GNU and of BSD take other words. Left out: both readings must be harmless. */
  readonly platform?: "linux" | "darwin";
  /** Every file and link that there is, by its absolute path: where a link leads, and what a file holds, where that is known. Left out: nobody knows. */
  readonly files?: Readonly<Record<string, PlainEntry>>;
}

/** So many links the kernel follows on the way of one path. */
const MOST_LINKS = 40;

/**
 * A world for places that have no file system, such as a browser or a worker.
 *
 * ```ts
 * const world = plainWorld({ cwd: "/repo", home: "/home/user", files: { "/repo/src/a.ts": "file", "/repo/.env": "file" } });
 * ```
 *
 * With `files` it knows exactly these, and the folders above them. Without, nobody knows what is there: names stand for themselves, no
 * folder can be looked through, and what would depend on it is asked about.
 */
export function plainWorld({
  cwd,
  home,
  projectRoot = cwd,
  temp = ["/tmp", "/var/tmp"],
  foldsCase = false,
  platform,
  files,
}: PlainWorld): World {
  const known = files === undefined ? undefined : treeOf(files);
  const follow = (path: string, left: { links: number }): string => {
    let at = "/";
    for (const part of path.split("/")) {
      if (part === "" || part === ".") continue;
      const next = part === ".." ? parentOf(at) : joinPath(at, part);
      const entry = known?.get(next);
      // Of one path no more links are followed than the kernel follows, however they lead to one another.
      const target = typeof entry === "object" && "link" in entry && left.links-- > 0 ? entry.link : undefined;
      at = target === undefined ? next : follow(target.startsWith("/") ? target : joinPath(parentOf(next), target), left);
    }
    return at;
  };
  const resolve = (path: string): string => (known === undefined ? normalise(path) : follow(path, { links: MOST_LINKS }));
  const kindOf = (path: string): ReturnType<World["kind"]> => {
    // What cannot be looked at may be anything.
    if (known === undefined) return "other";
    const entry = resolve(path) === "/" ? "directory" : known.get(resolve(path));
    if (entry === "directory" || entry === undefined) return entry ?? "missing";
    return entry === "file" || "text" in entry ? "file" : "missing";
  };
  const textOf = (path: string): string | undefined => {
    const entry = known?.get(resolve(path));
    return typeof entry === "object" && "text" in entry ? entry.text : undefined;
  };
  const namesIn = (directory: string): readonly string[] | undefined => {
    if (known === undefined) return undefined;
    const folder = resolve(directory);
    return [...known.keys()].filter((path) => parentOf(path) === folder).map((path) => path.slice(path.lastIndexOf("/") + 1));
  };
  const findIn = (root: string, wanted: Wanted): ReturnType<World["find"]> => {
    if (known === undefined) return { found: undefined, complete: false };
    // What lies where a link leads is below the link, too, and is called so.
    const folder = resolve(root);
    const below = folder === "/" ? "/" : `${folder}/`;
    const there = [...known.keys()].filter((path) => path === folder || path.startsWith(below)).toSorted((a, b) => depthOf(a) - depthOf(b));
    const asGiven = there.map((path) => (path === folder ? root : joinPath(root, path.slice(below.length))));
    return { found: asGiven.find((path, at) => wanted(path, typeof known.get(there[at] ?? "") === "object")), complete: true };
  };
  return {
    cwd,
    home,
    projectRoot,
    temp,
    foldsCase,
    ...(platform === undefined ? {} : { platform }),
    env: () => undefined,
    canonical: (path) => resolve(path),
    kind: kindOf,
    lookup: (name) => ({ path: `/usr/bin/${name}`, trusted: true }),
    trustedProgram: (path) => /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(path),
    find: (root, wanted) => findIn(root, wanted),
    tracked: () => undefined,
    names: namesIn,
    text: textOf,
  };
}

const isEntry = (entry: unknown): boolean =>
  entry === "file" ||
  entry === "directory" ||
  (isRecord(entry) && Object.keys(entry).length === 1 && (typeof entry["link"] === "string" || typeof entry["text"] === "string"));

/** The nearest first, as folders are looked through. */
const depthOf = (path: string): number => path.split("/").length;

/** With the folders in which they lie. */
function treeOf(files: NonNullable<PlainWorld["files"]>): ReadonlyMap<string, PlainEntry> {
  const tree = new Map<string, PlainEntry>();
  for (const [path, entry] of Object.entries(files)) {
    if (!isAbsolute(path)) throw new GuardOptionError("files", `plainWorld: \`files\` has a path that is not absolute`);
    if (!isEntry(entry))
      throw new GuardOptionError("files", 'plainWorld: `files` holds "file", "directory", { link } or { text } for each path');
    tree.set(normalise(path), entry);
    for (let at = parentOf(normalise(path)); at !== "/"; at = parentOf(at)) if (!tree.has(at)) tree.set(at, "directory");
  }
  return tree;
}
