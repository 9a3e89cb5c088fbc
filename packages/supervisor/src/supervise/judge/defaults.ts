import { existsSync, lstatSync } from "node:fs";
import type { FileAction, World } from "@assent/core/action";
import { isBelow, isWithin } from "@assent/core/path";
import {
  byProtection,
  mayBecomeTree,
  type Protection,
  programsFolder,
  type ReasonId,
  controlFile,
  type Verdict,
} from "@assent/core/policy";
import { inTree } from "../trap/processes.ts";
import { HOOK } from "./git-config.ts";
import { holdsSecret } from "./secrets.ts";
import { ALLOWED, COMMANDS_TERMINALS, HOOKED, isChange, isConfig, LENDS, OUTSIDE, pathOf, PROGRAMS, CONTROLS } from "./verdicts.ts";

/** Repositories need not be called `.git` (git-init(1): --bare, --separate-git-dir): a folder with these in it is one, or what `commondir` leads to. */
const isRepository = (folder: string, exists: Exists): boolean => ["objects", "refs"].every((name) => exists(`${folder}/${name}`));
type Exists = (path: string) => boolean;

/** `exists`: on disk, or as it will be. */
export function isHookOfRepository(path: string, exists: Exists = existsSync): boolean {
  if (!HOOK.test(path) && !isConfig(path)) return false;
  const folder = path.replace(/\/(?:hooks\/)?[^/]+$/, "");
  // What a linked working tree has of its own names the repository.
  return !folder.endsWith("/.git") && (isRepository(folder, exists) || isRepository(folder.replace(/\/worktrees\/[^/]+$/, ""), exists));
}

/** Folders of the system, which are nobody's project even when a program is started there. */
const SYSTEM = /^\/(?:etc|usr|var|bin|sbin|lib|lib32|lib64|boot|dev|proc|sys|run|opt|nix)?$/;

export interface RunPlaces {
  readonly home: string;
  /** Where the program works, and its project; canonical. */
  readonly work: readonly string[];
  /** Git folders of that project, which may lie elsewhere; canonical. */
  readonly git: readonly string[];
  readonly temp: readonly string[];
  /** A person at a terminal is asked: nobody else may be, about some things. */
  readonly asksPerson: boolean;
  /** There is one place more: what was said of places like it says nothing of it. */
  readonly onGrown: () => void;
}

/** What a run allows by itself: its own places, and whatever the preset's protections mean nothing for in here. */
export class RunDefaults {
  readonly #home: string;
  readonly #temp: readonly string[];
  readonly #asksPerson: boolean;
  /** Where tmux looks for its server (tmux(1), "TMUX_TMPDIR"). */
  readonly #servers: readonly string[];
  /** Canonical. */
  readonly roots: readonly string[];
  readonly git: readonly string[];
  /** Working trees that git has made in the run, beside those that were there. */
  readonly #trees: string[] = [];
  readonly #onGrown: () => void;

  constructor({ home, work, git, temp, asksPerson, onGrown }: RunPlaces) {
    this.#onGrown = onGrown;
    this.#home = home;
    this.#temp = temp;
    this.#asksPerson = asksPerson;
    this.#servers = temp.map((folder) => `${folder}/tmux-${process.getuid?.() ?? ""}`);
    // A folder that holds home is nobody's project, nor is one of the system's.
    const isProject = (folder: string): boolean => !isWithin(home, folder) && !SYSTEM.test(folder);
    this.roots = [...new Set(work)].filter(isProject);
    this.git = [...new Set(git)].filter(isProject);
  }

  /** Every place that a path is compared with. */
  get places(): readonly string[] {
    return [this.#home, ...this.roots, ...this.git, ...this.#trees, ...this.#temp, ...this.#servers];
  }

  /** The defaults of a run in place of the preset's. */
  byDefault(action: FileAction, otherwise: Verdict | undefined): Verdict {
    const { operation } = action;
    const path = pathOf(action);
    if (isChange(action) && isHookOfRepository(path) && !(operation === "delete" && this.#isOfOther(path))) return HOOKED(path);
    if (isChange(action) && this.#servers.some((folder) => isWithin(path, folder))) return COMMANDS_TERMINALS(path);
    if (operation === "read" || operation === "list" || operation === "execute") return ALLOWED;
    if (controlsLater(action, path) && [...this.roots, ...this.git, ...this.#trees].some((root) => isWithin(path, root)))
      return CONTROLS(path);
    if (lendsRights(action) && this.isOwnPlace(path) && !isFolder(path)) return LENDS;
    if (this.isOwnPlace(path) || isOfTree(path)) return ALLOWED;
    // `tar xf` and `rsync -a` give the folder they fill its mode and times.
    if (operation === "metadata" && this.roots.includes(path)) return ALLOWED;
    if (this.#triesToEmpty(operation, path)) return ALLOWED;
    return otherwise?.decision === "allow" ? otherwise : OUTSIDE;
  }

  /** What a protection of the preset is in here; undefined: nothing. */
  protect(met: Protection, action: FileAction): Verdict | undefined {
    const path = pathOf(action);
    if (this.#meansNothing(met.builtin, action, path)) return undefined;
    // Who types a command may let it install programs; an agent, or where nobody is at a terminal, may not.
    const installs = met.builtin === "danger.persistence" && this.#asksPerson && programsFolder(path, this.#home) !== undefined;
    return installs ? PROGRAMS : byProtection(met);
  }

  #meansNothing(builtin: ReasonId, action: FileAction, path: string): boolean {
    switch (builtin) {
      case "protect.secrets":
        if (path.startsWith("/proc/")) return isOfTree(path);
        return !holdsSecret(path, { home: this.#home, projects: this.roots });
      // A hook of a template does nothing until someone renames it.
      case "danger.persistence":
        if ((action.operation === "metadata" || action.operation === "delete") && path.endsWith("/hooks")) return true;
        return /\/hooks\/[^/]+$/.test(path) && !HOOK.test(path);
      case "protect.git-config":
        if (this.#triesToEmpty(action.operation, path) || (action.operation === "delete" && this.#isOfOther(path))) return true;
        return action.operation === "metadata" && path.endsWith("/.git");
      // Folder by folder and file by file, with an undo: the command as a whole was judged when it started.
      case "danger.delete-recursive":
      case "protect.inside":
        return action.operation !== "rename";
      // A link or folder that is moved or made inside the own places reaches nothing else.
      case "protect.system":
        return this.isOwnPlace(path) || isTerminal(path);
      default:
        return false;
    }
  }

  /** `git worktree add`, of a folder that is not there yet. */
  makesTree(operation: FileAction["operation"], path: string, programs: readonly string[], world: World): boolean {
    if (operation !== "mkdir" || !programs.includes("git worktree") || !mayBecomeTree(path, world)) return false;
    this.#trees.push(path);
    this.#onGrown();
    return true;
  }

  /** git tries to take away each folder that may be empty, and gives it times. */
  #triesToEmpty(operation: FileAction["operation"], path: string): boolean {
    return (operation === "delete" || operation === "metadata") && this.git.includes(path);
  }

  /** Links of a repository inside the own places that is not the one worked in: `rm -rf clone` takes it away as a whole. */
  #isOfOther(path: string): boolean {
    const repository = /^(.+?)\/\.git(?:\/|$)/.exec(path)?.[1] ?? (isConfig(path) ? path.replace(/\/[^/]+$/, "") : undefined);
    if (repository === undefined || this.git.some((folder) => isWithin(path, folder))) return false;
    return this.isOwnPlace(repository) && !this.roots.includes(repository);
  }

  /** Where hosts keep what they write beside a command: directly in a temporary folder, or in `PROGRAM-UID` there. */
  isOfHost(path: string): boolean {
    const folder = this.#temp.find((each) => isWithin(path, each));
    const inside = folder === undefined ? "" : path.slice(folder.length + 1);
    return inside !== "" && (!inside.includes("/") || /^[a-z][a-z.]*-\d+\//i.test(inside));
  }

  isOwnPlace(path: string): boolean {
    return [this.roots, this.git, this.#trees, this.#temp].some((folders) => folders.some((folder) => isBelow(path, folder)));
  }
}

/** It becomes, or stops being, a file from which later commands take programs or hosts; whoever deletes it names none. */
const controlsLater = ({ operation }: FileAction, path: string): boolean =>
  CONTROLLING.has(operation) && controlFile(path, operation === "rename" || operation === "link")?.effect === "asked";

const CONTROLLING: ReadonlySet<FileAction["operation"]> = new Set(["write", "edit", "rename", "link"]);

/** Processes of the tree may look at each other. */
const isOfTree = (path: string): boolean => {
  const pid = Number(/^\/proc\/(\d+)\//.exec(path)?.[1]);
  return pid > 0 && inTree(pid);
};

/** There the bit only hands the group on. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const isRoot = process.getuid?.() === 0;

/** A mode with the set-user-id or set-group-id bit (chmod(2)): root's rights for every user. One's own are one's own to lend. */
export const lendsRights = ({ operation, call }: FileAction): boolean =>
  isRoot && operation === "metadata" && call?.name === "chmod" && /^[2-7]...$/.test(String(call.args[1]));

const isTerminal = (path: string): boolean => /^\/(?:dev\/(?:tty|pts\/\d+|ptmx)|proc\/.*)$/.test(path);
