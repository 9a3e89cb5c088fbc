import { type Stats, statSync } from "node:fs";
import type { Lowered, World } from "@assent/core/action";
import { joinPath, normalise, parentOf, resolvePath } from "@assent/core/path";
import type { LayerName } from "@assent/core/policy";
import { readRegular, readTrust, stateFolder, type FileText, type Machine } from "../state/index.ts";
import { projectOf } from "./world.ts";

export const POLICY_NAME = ".agent-permissions.jsonc";
const MAX_BYTES = 1 << 20;
/** Folders looked at for policy files, per request, and what their files may hold altogether. */
const MAX_FOLDERS = 2000;
const MAX_TOGETHER = 4 << 20;

/** A policy file that was found. */
export interface PolicySource {
  readonly layer: LayerName;
  readonly file: string;
  /** Folder of a project's file: its allow rules hold inside. */
  readonly root?: string;
  /** The file may grant when a person trusted it: it lies at the git top level of the cwd. */
  readonly mayGrant: boolean;
  readonly content: { readonly is: "text"; readonly text: string } | { readonly is: "broken"; readonly why: string };
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder that may not be entered holds no policy that a person could have put there for this user.
    return false;
  }
}

interface RememberedFile {
  readonly mark: string;
  readonly found: FileText;
}

/** In one process a file is read again when its stamp changes. */
const remembered = new Map<string, RememberedFile>();
const MAX_REMEMBERED = 64;
/** A file that has just been changed may change again within one tick of the file system's clock. */
const SETTLED_MS = 2000;

function readSettled(file: string): FileText {
  let mark: string | undefined;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return { is: "missing" };
    mark = `${stats.dev}:${stats.ino}:${stats.size}:${stats.mode}:${stats.mtimeMs}:${stats.ctimeMs}`;
    const known = remembered.get(file);
    if (known?.mark === mark) return known.found;
    if (Date.now() - stats.ctimeMs < SETTLED_MS) mark = undefined;
  } catch {
    // Reading says why.
  }
  const found = readRegular(file, MAX_BYTES);
  if (mark !== undefined && found.is === "text") {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(file, { mark, found });
  }
  return found;
}

/** Who else could have written a file that grants; undefined: nobody but its user and root. */
function strangerIn(stats: Stats, home: string): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if ((stats.mode & 0o002) !== 0) return "may be changed by everybody: `chmod o-w` it";
  const own = [uid, 0];
  if (own.includes(stats.uid) || stats.uid === statSync(home, { throwIfNoEntry: false })?.uid) return undefined;
  return `belongs to another user (uid ${stats.uid}): \`chown\` it`;
}

function read(file: string, layer: LayerName, home?: string, required = false, root?: string, mayGrant = true): PolicySource[] {
  let found = readSettled(file);
  const stranger = found.is === "text" && home !== undefined ? strangerIn(found.stats, home) : undefined;
  if (stranger !== undefined) found = { is: "broken", why: stranger };
  if (found.is === "missing" && !required) return [];
  const content =
    found.is === "missing"
      ? ({ is: "broken", why: "does not exist" } as const)
      : found.is === "text"
        ? ({ is: "text", text: found.text } as const)
        : found;
  return [{ layer, file, ...(root === undefined ? {} : { root }), mayGrant, content }];
}

/** One file that a person names, as a layer of its own. */
export function policyFile(file: string, layer: LayerName): PolicySource {
  const [source] = read(file, layer, undefined, true);
  return source ?? { layer, file, mayGrant: true, content: { is: "broken", why: "does not exist" } };
}

/** What a policy file may come to say. */
export interface PolicyDraft {
  readonly layer: "user" | "project" | "profile";
  readonly file: string;
  /** Folder of a project's file. */
  readonly root?: string;
  readonly text: string;
}

/** The files found, as if one of them had another text; one that is not there yet is added. */
export function withDraft(found: readonly PolicySource[], { text, ...place }: PolicyDraft): readonly PolicySource[] {
  const content = { is: "text", text } as const;
  if (found.some(({ file }) => file === place.file))
    return found.map((source) => (source.file === place.file ? { ...source, content } : source));
  const fresh: PolicySource = { ...place, mayGrant: true, content };
  const at = place.layer === "user" ? found.findLastIndex(({ layer }) => layer === "managed") + 1 : found.length;
  return found.toSpliced(at, 0, fresh);
}

/** The folders that a request touches, as given and canonical. */
function foldersOf(lowered: Lowered, world: World): readonly string[] {
  const out = new Set<string>();
  for (const action of lowered.actions) {
    if (action.kind !== "file") continue;
    const { target } = action;
    if (target.kind === "path" || target.kind === "tree") {
      const folder = target.kind === "tree" ? target.path : parentOf(target.path);
      out.add(folder).add(world.canonical(folder));
    } else if (target.kind === "glob") {
      const literal = /^[^*?[\\]*/.exec(target.pattern)?.[0] ?? "/";
      const folder = parentOf(literal);
      out.add(folder).add(world.canonical(folder));
    } else if (target.within !== undefined) out.add(target.within).add(world.canonical(target.within));
  }
  return [...out];
}

/** Files named by `--policy` and `ASSENT_POLICY`: they add a layer. */
export function explicitFiles(machine: Machine, options: readonly string[], cwd: string): readonly string[] {
  const fromEnvironment = machine.env["ASSENT_POLICY"];
  const all = fromEnvironment === undefined || fromEnvironment === "" ? options : [...options, fromEnvironment];
  return all.map((file) => resolvePath(cwd, file));
}

/**
 * Every policy file that speaks about a request: managed, user, the project's (git top level of the cwd), explicit ones,
 * and for their ask and deny rules those above the cwd, above the session's root and above every path touched,
 * so that `cd` cannot shed them. `profile` is the file kept for the program that is supervised; it may not be there yet.
 */
export function findPolicyFiles(
  machine: Machine,
  world: World,
  lowered: Lowered,
  sessionRoot: string,
  explicit: readonly string[],
  profile?: string,
): readonly PolicySource[] {
  const user = joinPath(machine.home, POLICY_NAME);
  const cwd = world.canonical(world.cwd);
  // The world's project is that of the session's root, which mostly is where the command runs.
  const root = world.canonical(sessionRoot);
  const top = cwd === world.canonical(normalise(sessionRoot)) ? world.projectRoot : projectOf(cwd, machine);
  const project = joinPath(top, POLICY_NAME);
  const out = [
    ...read(machine.managedPolicy, "managed", machine.home),
    // Of the team that this machine belongs to, as `assent team` left it. The reader verifies it.
    ...read(`${stateFolder(machine)}/team-member/policy.jsonc`, "managed", machine.home),
    ...read(user, "user", machine.home),
    ...explicit.flatMap((file) => read(file, "explicit", machine.home, true)),
    ...(profile === undefined ? [] : read(profile, "profile")),
  ];
  const seen = new Set([user, ...explicit]);

  let together = 0;
  const visited = new Set<string>();
  const visit = (folder: string): void => {
    for (let at = folder; !visited.has(at) && visited.size <= MAX_FOLDERS; at = parentOf(at)) {
      visited.add(at);
      look(at, joinPath(at, POLICY_NAME));
      if (at === "/") return;
    }
  };
  let pins: ReadonlyMap<string, string> | undefined;
  const look = (folder: string, file: string): void => {
    if (seen.has(file)) return;
    if (!exists(file)) {
      // What a person agreed to is gone, as on another branch: the reader has it hold.
      if ((pins ??= readTrust(machine).pins).has(file))
        out.push({ layer: "project", file, root: folder, mayGrant: false, content: { is: "text", text: "{}" } });
      return;
    }
    const real = world.canonical(file);
    // Where the user's own leads is asked only now: there is mostly no other.
    if (seen.has(real) || real === world.canonical(user)) return;
    seen.add(file).add(real);
    const [source] = together <= MAX_TOGETHER ? read(file, "project", undefined, false, folder, file === project) : [];
    if (source === undefined) return;
    together += source.content.is === "text" ? source.content.text.length : 0;
    out.push(source);
  };
  visit(cwd);
  visit(world.cwd);
  visit(world.projectRoot);
  visit(root);
  for (const folder of foldersOf(lowered, world)) visit(folder);
  // A request may not shed a policy by touching so many folders that its own is not reached.
  if (visited.size > MAX_FOLDERS || together > MAX_TOGETHER) {
    out.push({
      layer: "explicit",
      file: POLICY_NAME,
      mayGrant: false,
      content: { is: "broken", why: "the request touches too many folders to look for policy files" },
    });
  }
  return out;
}
