import type { Call, DangerId, FileAction, World } from "../action/index.ts";
import { baseName, extensionOf, foldCase, isBelow, isWithin, joinPath, normalise, parentOf } from "../path/index.ts";
import { expandsTo, shellPattern } from "../pattern/index.ts";
import { isGitHook } from "./tables/git-paths.ts";
import { belowAny, comparable, comparablePlaces, forms, homeOf, perWorld, type Places, withinAny } from "./match/location.ts";
import {
  HARMLESS_DEVICES,
  HARMLESS_EXTENSIONS,
  PUBLIC_PLACES,
  RAW_DEVICE,
  SCRIPT_EXTENSIONS,
  SECRET_AT_HOME,
  SECRET_BEGINNINGS,
  SERVER_LISTS,
  SECRET_EXTENSIONS,
  SECRET_FILES,
  SECRET_FOLDERS,
  SECRET_KEY_NAMES,
  SECRET_PLACES,
  SECRET_WORD_FOLDERS,
  SECRET_WORDS,
  SYSTEM_FOLDERS,
  VAULT_FOLDERS,
} from "./tables/protected-paths.ts";
import { PROGRAM_FOLDERS, STARTUP_FILES, STARTUP_FOLDERS, STARTUP_PLACES } from "./tables/startup-paths.ts";
import { isRecursive, takesAlong } from "./targets.ts";

/**
 * What kind of place a path is. Everything is looked up by name in maps built once, so that a judgement costs a few
 * lookups a path and never a walk over the lists. Paths are absolute and normalised; give both spellings of a symlink.
 */

/** Paths of one or more segments; one after the other, too, as a text that tells cheaply when none of them fits. */
interface Tails {
  readonly paths: readonly string[];
  readonly text: string;
  /** The same by their last names: a process that asks often does not search the text each time. */
  ends?: ReadonlyMap<string, readonly string[]>;
  asked: number;
}

const tails = (paths: readonly string[]): Tails => ({ paths, text: `${paths.join("\n")}\n`, asked: 0 });

/** So many searches cost as much as the map. */
const MAP_AFTER = 100;

/** True when `path` up to `end`, where the segment `name` ends, ends in one of the tails. */
function endsIn(all: Tails, path: string, name: string, end: number): boolean {
  if (all.ends === undefined) {
    all.asked += 1;
    if (all.asked < MAP_AFTER) return all.text.includes(`${name}\n`) && all.paths.some((tail) => path.endsWith(`/${tail}`, end));
    const byName = new Map<string, string[]>();
    for (const tail of all.paths) {
      const last = baseName(tail);
      byName.set(last, [...(byName.get(last) ?? []), `/${tail}`]);
    }
    all.ends = byName;
  }
  const same = all.ends.get(name);
  return same !== undefined && same.some((tail) => path.endsWith(tail, end));
}

const secretFolders = tails(SECRET_FOLDERS);
const secretFiles = tails(SECRET_FILES);
const atHome: ReadonlySet<string> = new Set(SECRET_AT_HOME);
const HOME = /^\/(?:(?:home|users)\/[^/]+|root)\//;
const wordFolders: ReadonlySet<string> = new Set(SECRET_WORD_FOLDERS);
const words: ReadonlySet<string> = new Set(SECRET_WORDS);
const vaultFolders: ReadonlySet<string> = new Set(VAULT_FOLDERS);
const secretExtensions: ReadonlySet<string> = new Set(SECRET_EXTENSIONS);
/** Lists of words with a blank around each: sets of them would be made at every start. */
const harmlessExtensions = ` ${HARMLESS_EXTENSIONS} `;
const scriptExtensions = ` ${SCRIPT_EXTENSIONS} `;
const holds = (list: string, word: string): boolean => !word.includes(" ") && list.includes(` ${word} `);
const harmlessDevices: ReadonlySet<string> = new Set(HARMLESS_DEVICES);
const exactPlaces: readonly string[] = SECRET_PLACES.filter((place) => !place.includes("*"));
let keyName: RegExp | undefined;
const RAW_DEVICE_PARENT = /^\/(?:dev|proc)\//i;
let word: RegExp | undefined;
const HOST_KEY = /^ssh_host_[a-z0-9]+_key$/;
const PROC_ROOT = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?root(?=\/)/;
const PROC = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem)$/;
// Other people's published packages: their keys and certificates are test data and public roots.
const PACKAGES = /\/(?:node_modules|site-packages|dist-packages)\//;
const backupExtensions: ReadonlySet<string> = new Set(["bak", "old", "orig", "backup", "save", "swp"]);
/** Where the secret places lie. */
const secretParents: ReadonlySet<string> = new Set(SECRET_PLACES.map((place) => place.split("/", 2)[1] ?? ""));

/**
 * Secrets by name that repositories hold for everybody to see: examples, client settings, test certificates.
 * A walk that comes by one that the repository tracks is no question; reading it by name still is.
 */
export const isOftenShared = (path: string): boolean =>
  /(^|\/)(\.npmrc|nuget\.config|pip\.conf|\.env\.(example|sample|template|dist|defaults|test|ci)|[^/]*\.(pem|key|crt|p12|pfx|jks|tfvars))$/i.test(
    path,
  );

/** Settings as they are handed on to everybody, with the values left out: `.env.example`, `secrets.sample.yml`. */
export const isTemplate = (path: string): boolean =>
  /\.(?:example|sample|template|dist)(?:\.(?:ya?ml|json5?|toml|ini|conf|env|properties|tfvars|xml|php|js|ts|py|rb))?$/i.test(path);

/** True for a file or folder that holds secrets. */
export function isSecret(path: string): boolean {
  // Where nothing but secrets lies, a template is one.
  if (isTemplate(path)) return isSecret(`${path.slice(0, path.lastIndexOf("/"))}/x`);
  if (isSecretByName(path)) return true;
  const lower = withoutProcRoot(foldCase(path));
  const segments = lower.split("/");
  const name = withoutBackup(segments.at(-1) ?? "");
  if (PUBLIC_PLACES.some((place) => isWithin(lower, place)) || PACKAGES.test(lower)) return false;
  const extension = extensionOf(name);
  if (secretExtensions.has(extension)) return true;
  return !holds(harmlessExtensions, extension) && hasSecretWord(path, name, extension, segments);
}

/** A name or place that nothing but a secret has; extensions and words such as `password` also stand in other texts. */
export function isSecretByName(path: string): boolean {
  // `/proc/1/root` is `/` again.
  const lower = withoutProcRoot(foldCase(path));
  const segments = lower.split("/");
  const last = segments.length - 1;
  if (last > 1 && secretParents.has(segments[1] ?? "") && (exactPlaces.some((place) => isWithin(lower, place)) || PROC.test(lower)))
    return true;
  for (let i = 1, end = 0; i <= last; i++) {
    const segment = segments[i] ?? "";
    end += 1 + segment.length;
    // ssh-keygen(1): beside a key `NAME` lies `NAME.pub`, which is for everybody.
    if (endsIn(secretFolders, lower, segment, end) && !/\/\.ssh\/[^/]+\.pub$/.test(lower)) return true;
  }
  if (isRawDevice(lower)) return true;
  const written = segments[last] ?? "";
  const name = withoutBackup(written);
  const file = name === written ? lower : lower.slice(0, name.length - written.length);
  if (endsIn(secretFiles, file, name, file.length) || name.startsWith(".env") || isKeyName(name)) return true;
  const below = file.replace(HOME, "");
  return atHome.has(below) || (below !== file && SERVER_LIST.test(below) && !PACKAGES.test(lower));
}

/** The same for a home that lies elsewhere than homes do (`/var/lib/jenkins`). */
export const isSecretOf = (home: string, path: string): boolean =>
  isSecret(path) || (home !== "/" && path.startsWith(`${home}/`) && !HOME.test(`${home}/`) && isSecret(`/root${path.slice(home.length)}`));

/**
 * A person's own list of MCP servers has their keys in it, whichever agent's it is, and so has what is kept of logins at such servers: a
 * file of that name among the settings of a program, or a folder of that name.
 */
const SERVER_LIST = new RegExp(
  String.raw`^(?:\.[\w-]+|library\/application support)\/(?:[^/]+\/)*${SERVER_LISTS}[\w-]*\.json$|` +
    String.raw`^\.(?:(?:config|docker|local\/share)\/)?${SERVER_LISTS}[\w-]*\/(?:[^/]+\/)*[^/]+\.(?:json|ya?ml|toml)$`,
);

const CERTIFICATE = /\.(?:pem|crt)$/;
const NAMES_KEY = /key|priv|secret|passw|credential|^id_/;

/** True where the only thing that makes a name secret is an ending that certificates and keys share: `server.pem`, not `privkey.pem`. */
export function mayBeCertificate(path: string): boolean {
  const lower = foldCase(path);
  return CERTIFICATE.test(lower) && !NAMES_KEY.test(baseName(lower)) && !isSecret(lower.replace(CERTIFICATE, ".x"));
}

/** Names of private keys. The patterns are looked at last: compiling one costs a fresh hook more than looking at a name. */
function isKeyName(name: string): boolean {
  const beginning = SECRET_BEGINNINGS.find((text) => name.startsWith(text));
  switch (beginning) {
    case "id_":
      keyName ??= new RegExp(`^(?:${SECRET_KEY_NAMES.join("|")})(?![a-z])(?!.*\\.pub$)`);
      return keyName.test(name);
    case "ssh_host_":
      return HOST_KEY.test(name);
    default:
      return beginning !== undefined;
  }
}

/** A process's view of the file system, by the path it leads to. */
function withoutProcRoot(lower: string): string {
  return lower.startsWith("/proc/") ? lower.replace(PROC_ROOT, "") : lower;
}

/** The name that this one is a backup of (`x.bak`, `x~`, `x.1`, `x.1700000000.backup`), or itself. */
function withoutBackup(name: string): string {
  let kept = name;
  for (let round = 0; round < 3; round++) {
    if (kept.endsWith("~")) kept = kept.slice(0, -1);
    const dot = kept.lastIndexOf(".");
    if (dot <= 0) return kept;
    const ending = kept.slice(dot + 1);
    if (!backupExtensions.has(ending) && !isNumber(ending)) return kept;
    kept = kept.slice(0, dot);
  }
  return kept;
}

function isNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return false;
  return text !== "";
}

function hasSecretWord(path: string, name: string, extension: string, segments: readonly string[]): boolean {
  for (let i = 1; i < segments.length - 1; i++) if (wordFolders.has(segments[i] ?? "")) return true;
  if (name.startsWith("vault") && segments.some((segment) => vaultFolders.has(segment))) return true;
  if (!name.includes("secret") && !name.includes("password") && !name.includes("credential")) return false;
  if (holds(scriptExtensions, extension)) {
    const stem = name.slice(0, -extension.length - 1);
    return words.has(stem.startsWith(".") ? stem.slice(1) : stem);
  }
  // `clientSecret.json` ends the word with the capital, `mysecret.txt` begins it inside another.
  word ??= new RegExp(`(?:${SECRET_WORDS.join("|")})(?![a-z])`);
  return word.test(
    baseName(path)
      .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
      .toLowerCase(),
  );
}

/**
 * True when everything below this folder is secret. A folder called `password` is none: only its files could be.
 */
export function isSecretFolder(path: string): boolean {
  return isSecret(joinPath(path, "x"));
}

/** A write here harms nobody: `/dev/null` and the like. */
export function isHarmlessDevice(path: string): boolean {
  return path.startsWith("/dev/") && (harmlessDevices.has(path) || /^\/dev\/fd\/\d+$/.test(path));
}

/** A disk, memory or another device whose content is everybody's. */
export function isRawDevice(path: string): boolean {
  // Looked for before the pattern: compiling one costs a fresh hook more than looking, and few paths lie there.
  return RAW_DEVICE_PARENT.test(path) && RAW_DEVICE.test(path);
}

const systemTops: ReadonlySet<string> = new Set(SYSTEM_FOLDERS);
const foldedTops: ReadonlySet<string> = new Set(SYSTEM_FOLDERS.map((folder) => folder.toLowerCase()));

/**
 * True for what belongs to the operating system. The project, home and temp folders are not, wherever they lie
 * (`/usr/src/app`, `/root`, `/var/tmp`), unless the project *is* a system folder.
 */
export function isSystem(path: string, places: Places, foldsCase: boolean): boolean {
  if (!underSystem(path, foldsCase)) return false;
  if (isHarmlessDevice(path) || withinAny(path, places.temp) || withinAny(path, places.home)) return false;
  return !places.project.some((root) => root.indexOf("/", 1) > 0 && isWithin(path, root));
}

function underSystem(path: string, foldsCase: boolean): boolean {
  const tops = foldsCase ? foldedTops : systemTops;
  const end = path.indexOf("/", 1);
  const top = end < 0 ? path.slice(1) : path.slice(1, end);
  if (tops.has(top)) return true;
  if (end < 0 || top !== "private") return false;
  const next = path.indexOf("/", end + 1);
  return tops.has(next < 0 ? path.slice(1) : path.slice(1, next));
}

const startupFiles: ReadonlySet<string> = new Set(STARTUP_FILES);
/** The folder of a person's own programs in which a path lies: what is there is started by its name. */
export function programsFolder(path: string, home: string): string | undefined {
  return PROGRAM_FOLDERS.map((name) => joinPath(home, name)).find((folder) => isBelow(path, folder));
}

/** The folders of PATH that no project and no temporary folder holds: what is put there is started by its name. */
export const pathFolders = /* @__PURE__ */ perWorld((world): readonly string[] => {
  const { home, project, temp } = comparablePlaces(world);
  const projects = project.filter((root) => !home.some((one) => isWithin(one, root)));
  return (world.programFolders ?? [])
    .filter((folder) => folder.startsWith("/"))
    .flatMap((folder) => comparable(forms(normalise(folder), world), world))
    .filter((folder) => folder !== "/" && !withinAny(folder, projects) && !withinAny(folder, temp));
});

/** `isPersistence`, with what is started by its name on this machine. */
export const isPersistenceHere = (path: string, world: World): boolean =>
  isPersistence(path, comparablePlaces(world)) || pathFolders(world).includes(parentOf(path));

const startupFolders: ReadonlySet<string> = new Set(STARTUP_FOLDERS);

/** A folder in which such a file may come to lie, there now or not, with whatever fills it. */
export function mayHoldPersistence(folder: string, world: World): boolean {
  const places = comparablePlaces(world);
  const home = homeOf(folder, places);
  const below = home === undefined || home === folder ? undefined : foldCase(folder.slice(home.length + 1));
  const isAbove = (entry: string): boolean => below !== undefined && isBelow(entry, below);
  return STARTUP_FOLDERS.some(isAbove) || STARTUP_FILES.some(isAbove) || isPersistence(joinPath(folder, "hooks/x"), places);
}

/** True for a file that runs code later: shell startup, git hooks, cron, login items, programs on PATH. */
export function isPersistence(path: string, places: Places): boolean {
  const lower = foldCase(path);
  if (isGitHook(lower)) return true;
  if (lower.endsWith("/authorized_keys") || lower.endsWith("/authorized_keys2")) return true;
  const home = homeOf(path, places);
  if (home !== undefined) return path.length > home.length && isStartup(foldCase(path.slice(home.length + 1)));
  return STARTUP_PARENT.test(lower) && STARTUP_PLACES.some((place) => isWithin(lower, place));
}

const STARTUP_PARENT = /^\/(?:etc|var|library)\//;

function isStartup(relative: string): boolean {
  if (startupFiles.has(relative) || startupFolders.has(relative)) return true;
  // Packages as they were downloaded lie beside the programs; nothing starts from there.
  if (relative.startsWith(".local/share/pnpm/store/")) return false;
  // A startup folder has at most four segments; each prefix is one lookup.
  for (let slash = relative.indexOf("/"), depth = 0; slash > 0 && depth < 4; slash = relative.indexOf("/", slash + 1), depth++) {
    if (startupFolders.has(relative.slice(0, slash))) return true;
  }
  return false;
}

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
  const { target } = action;
  const fills =
    target.kind === "path" &&
    takesAlong(action) &&
    FILLS.has(action.operation) &&
    action.upkeep !== true &&
    !triesLinks(action.call, target.path);
  if (spellings.some((path) => isPersistenceHere(path, world) || (fills && mayHoldPersistence(path, world)))) dangers.push("persistence");
  const removal = removalDanger(action, spellings, places, world);
  if (removal !== undefined) dangers.push(removal);
  return dangers.length === 0 ? NONE : dangers;
}

/**
 * So git tries whether there are links (setup.c, create_default_files): it is gone at once. INVARIANT: what `testing` there holds is judged by
 * its own name as it would be by this one. Of all calls only symlink(2) has a first argument that is no whole path.
 */
const triesLinks = (call: Call | undefined, path: string): boolean => call?.args[0] === "testing" && /modules\/.+\/t\w{6}$/.test(path);

const NONE: readonly DangerId[] = [];
const FILLS: ReadonlySet<FileAction["operation"]> = new Set(["write", "edit", "link"]);

/** Where something lies, as far as losing it goes. `key`: `/`, home, the project root, or a folder that holds one of them. */
type DeletedPlace = "key" | "project" | "temp" | "outside";

/** Where a path lies; `path` is made `comparable`. */
export function regionOf(path: string, places: Places): DeletedPlace {
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

/** Of what a program made to make it again faster nothing is lost (XDG Base Directory, "$XDG_CACHE_HOME"). */
const isCache = (path: string, places: Places): boolean =>
  belowAny(
    path,
    places.home.flatMap((home) => [joinPath(home, ".cache"), joinPath(home, "Library/Caches")]),
  );

function deleteDanger(action: FileAction, spellings: readonly string[], places: Places, world: World): DangerId {
  // What an unknown target means lies in a folder, or is it: only a folder surely elsewhere makes it surely elsewhere.
  if (action.target.kind === "unknown") {
    return spellings.some((path) => regionOf(path, places) === "outside" && !places.temp.includes(path))
      ? "delete-outside"
      : "delete-recursive";
  }
  const outside = regionPaths(action, spellings, places, world).some((path) => {
    const region = regionOf(path, places);
    return region === "key" || (region === "outside" && !isCache(path, places));
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
