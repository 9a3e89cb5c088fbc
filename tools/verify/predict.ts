import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { type Action, type ExecAction, type FileAction, type FileOperation, printAction, type World } from "@assent/core/action";
import { baseName } from "@assent/core/path";
import { affects } from "@assent/core/policy";

/** What lowering said would happen, in the forms in which the kernel names it. */
export interface Prediction {
  readonly action: Action;
  readonly text: string;
  /** Of a file action: itself, and what it is once links are resolved. */
  readonly forms: readonly FileAction[];
  /** It was seen. */
  seen: boolean;
}

const MOST_ENTRIES = 20_000;
const MOST_FOLLOWED = 64;

/** Links lead where they lead before the command runs, so this is asked first. */
export function predictionsOf(actions: readonly Action[], world: World): readonly Prediction[] {
  return actions.map((action) => ({
    action,
    text: printAction(action),
    forms: action.kind === "file" ? formsOf(action, world) : action.kind === "exec" ? patternsOf(action, world) : [],
    seen: false,
  }));
}

function patternsOf({ argv, origin }: ExecAction, { cwd }: World): readonly FileAction[] {
  return argv.flatMap((word) => {
    const glob = word.known ? undefined : word.glob;
    if (glob === undefined) return [];
    const pattern = glob.startsWith("/") ? glob : `${cwd}/${glob}`;
    return [{ kind: "file", operation: "list", target: { kind: "glob", pattern }, origin } as const];
  });
}

function formsOf(action: FileAction, world: World): readonly FileAction[] {
  const { target } = action;
  if (target.kind === "unknown")
    // Only where it stays is known.
    return target.within === undefined
      ? []
      : formsOf({ ...action, target: { kind: "tree", path: target.within, ...filterOf(target) } }, world);
  if (target.kind === "glob") return [action, ...behindLinks(action, folderOf(target.pattern), world)];
  const whole = world.canonical(target.path);
  const forms = [
    action,
    { ...action, target: { ...target, path: whole } },
    { ...action, target: { ...target, path: named(target.path, world) } },
  ];
  return target.kind === "tree" ? [...forms, ...behindLinks(action, target.path, world)] : forms;
}

const filterOf = (target: { readonly filter?: NonNullable<Extract<FileAction["target"], { kind: "tree" }>["filter"]> }): object =>
  target.filter === undefined ? {} : { filter: target.filter };

/** The name itself, in the real folder: what is deleted, made or renamed is the link, not what it leads to. */
function named(path: string, world: World): string {
  const at = path.lastIndexOf("/");
  const folder = world.canonical(path.slice(0, at) || "/");
  return `${folder === "/" ? "" : folder}${path.slice(at)}`;
}

/** The folder in front of the first wildcard. */
const folderOf = (pattern: string): string => pattern.slice(0, Math.max(1, pattern.slice(0, pattern.search(/[*?[]/)).lastIndexOf("/")));

/** What links that the walk or the pattern comes by lead to: the file, and with `follows` all of a folder. */
function behindLinks(action: FileAction, root: string, world: World): readonly FileAction[] {
  const found: FileAction[] = [];
  const folders = [root];
  let entries = 0;
  const follows = action.target.kind === "tree" && action.target.filter?.follows === true;
  for (let at = 0; at < folders.length && entries < MOST_ENTRIES; at++) {
    for (const entry of entriesOf(folders[at] ?? root)) {
      entries++;
      const path = `${folders[at] === "/" ? "" : (folders[at] ?? "")}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isSymbolicLink() || !affects(action, path)) continue;
      const behind = world.canonical(path);
      const isFolder = world.kind(behind) === "directory";
      if (isFolder && follows && folders.length < MOST_FOLLOWED) found.push({ ...action, target: { kind: "tree", path: behind } });
      else found.push({ ...action, target: { kind: "path", path: behind } });
    }
  }
  return found;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

/** Operations that a predicted one stands for: who may write a file may have opened it for reading and writing. */
const STANDS_FOR: Readonly<Record<FileOperation, readonly FileOperation[]>> = {
  read: ["read", "list"],
  list: ["list"],
  execute: ["read", "list"],
  write: ["write", "edit", "mkdir", "link", "metadata", "list"],
  edit: ["read", "write", "edit", "metadata", "list"],
  delete: ["delete", "rename", "list"],
  rename: ["rename", "delete", "read", "list"],
  mkdir: ["mkdir", "metadata"],
  link: ["link", "write"],
  metadata: ["metadata", "list"],
};

export const CHANGES: ReadonlySet<FileOperation> = new Set(["write", "edit", "delete", "rename", "mkdir", "link", "metadata"]);

/** The prediction that covers an operation on a path: one of this very operation, or one that stands for it. */
export function covering(predictions: readonly Prediction[], operation: FileOperation, path: string): Prediction | undefined {
  const same = predictions.filter(({ action }) => action.kind === "file" && action.operation === operation);
  return anyCovering(same, operation, path) ?? anyCovering(predictions, operation, path);
}

/** One that names the path comes before those of a whole folder. */
function anyCovering(predictions: readonly Prediction[], operation: FileOperation, path: string): Prediction | undefined {
  const all = allCovering(predictions, operation, path);
  return all.find(({ forms }) => forms.some(({ target }) => target.kind === "path" && target.path === path)) ?? all[0];
}

/** They make something below folders that may not be there (`mkdir -p`, `install -D`). */
const MAKES: ReadonlySet<FileOperation> = new Set(["mkdir", "write", "link"]);

function allCovering(predictions: readonly Prediction[], operation: FileOperation, path: string): readonly Prediction[] {
  return predictions.filter(({ action, forms }) => {
    // The shell lists folders for the patterns among a program's words, whatever the program is.
    if (action.kind === "exec") return operation === "list" && forms.some((form) => leadsTo(form, path));
    if (action.kind !== "file" || !STANDS_FOR[action.operation].includes(operation)) return false;
    // In a fresh home the folders above a program's own are not there yet.
    const isAbove = ({ target }: FileAction): boolean => {
      if (target.kind !== "tree" && target.kind !== "path") return false;
      const makesFolders = action.upkeep === true || (target.kind === "path" && MAKES.has(action.operation));
      return makesFolders && target.path.startsWith(`${path}/`);
    };
    return forms.some(
      (form) =>
        affects(operation === "list" ? unfiltered(form) : form, path) ||
        (operation === "list" && leadsTo(form, path)) ||
        (operation === "mkdir" && isAbove(form)),
    );
  });
}

/** A walk that keeps only some files looks into every folder. */
const unfiltered = (form: FileAction): FileAction =>
  form.target.kind === "tree" ? { ...form, target: { kind: "tree", path: form.target.path } } : form;

/** To find what a pattern means, the shell lists the folders on the way. */
function leadsTo({ target }: FileAction, folder: string): boolean {
  if (target.kind !== "glob") return false;
  const start = folderOf(target.pattern);
  return (
    folder === start ||
    (folder.startsWith(`${start === "/" ? "" : start}/`) && affects({ ...GLOB, target }, folder)) ||
    reaches(target.pattern, folder)
  );
}

const GLOB: FileAction = {
  kind: "file",
  operation: "list",
  target: { kind: "glob", pattern: "/" },
  origin: { by: "shell" },
  recursive: true,
};

/** True when a beginning of the pattern, cut at a slash, means the folder. */
function reaches(pattern: string, folder: string): boolean {
  const depth = folder.split("/").length;
  const start = pattern.split("/").slice(0, depth).join("/");
  return affects({ ...GLOB, target: { kind: "glob", pattern: start }, recursive: false }, folder);
}

/** What was predicted of a folder that was no folder yet: `cp f d` makes `d/f` where the line made `d` before. */
export function intoFolder(predictions: readonly Prediction[], operation: FileOperation, path: string): Prediction | undefined {
  const folder = path.slice(0, path.lastIndexOf("/"));
  return predictions.find(
    ({ action, forms }) =>
      action.kind === "file" &&
      // A folder that is made is itself, and nothing in it.
      action.operation !== "mkdir" &&
      STANDS_FOR[action.operation].includes(operation) &&
      forms.some(({ target }) => target.kind === "path" && target.path === folder),
  );
}

/** A change that is predicted for something in the folder itself. */
export function changesBeside(predictions: readonly Prediction[], folder: string): Prediction | undefined {
  return predictions.find(({ action, forms }) => {
    if (action.kind !== "file" || !CHANGES.has(action.operation)) return false;
    return forms.some(({ target }) => target.kind === "path" && target.path.slice(0, target.path.lastIndexOf("/")) === folder);
  });
}

/** The predicted start of this program with these words. */
export function startOf(predictions: readonly Prediction[], path: string, argv: readonly string[], world: World): Prediction | undefined {
  return predictions.find(
    ({ action }) => action.kind === "exec" && isProgram(action, path, argv, world) && fits(action.argv.slice(1), argv.slice(1)),
  );
}

/** A predicted start of this program, with whatever words. */
export function programOf(predictions: readonly Prediction[], path: string, argv: readonly string[], world: World): Prediction | undefined {
  return predictions.find(({ action }) => action.kind === "exec" && isProgram(action, path, argv, world));
}

function isProgram({ program, resolved }: ExecAction, path: string, argv: readonly string[], world: World): boolean {
  if (resolved !== undefined && world.canonical(resolved) === path) return true;
  return resolved === undefined && (program === baseName(argv[0] ?? "") || program === baseName(path));
}

/** One word stands for all that `find -exec … {} +` puts there. */
const repeats = (word: ExecAction["argv"][number]): boolean => !word.known && word.why === "a path that find finds";

/** Whether the words can be what was predicted of them. */
function fits(predicted: ExecAction["argv"], words: readonly string[]): boolean {
  const [first, ...rest] = predicted;
  if (first === undefined) return words.length === 0;
  if (first.known) return words[0] === first.text && fits(rest, words.slice(1));
  if (!first.many && !repeats(first)) return words[0]?.startsWith(first.prefix) === true && fits(rest, words.slice(1));
  for (let taken = 0; taken <= words.length; taken++) {
    if (taken > 0 && words[taken - 1]?.startsWith(first.prefix) !== true) return false;
    if (fits(rest, words.slice(taken))) return true;
  }
  return false;
}
