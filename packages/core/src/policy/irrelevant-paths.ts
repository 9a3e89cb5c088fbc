import type { World } from "../action/index.ts";
import { extensionOf } from "../path/index.ts";
import { BoundedMap, DEEP, matchesWord, pathPattern, type WordGlob } from "../pattern/index.ts";
import { MACHINE_SETTINGS, PROJECT_SETTINGS, USER_OWN_FOLDERS, USER_REGISTRATIONS, USER_SETTINGS } from "./tables/agent-files.ts";
import type { FloorPaths } from "./floor-paths.ts";
import { pathScopeOf } from "./kinds/index.ts";
import { forms } from "./match/location.ts";
import { patternForms } from "./match/match-context.ts";
import {
  HARMLESS_DEVICES,
  HARMLESS_EXTENSIONS,
  PUBLIC_PLACES,
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
import { pathFolders } from "./path-class.ts";
import { STARTUP_FILES, STARTUP_FOLDERS, STARTUP_PLACES } from "./tables/startup-paths.ts";
import type { Policy } from "./match/types.ts";

/** Names that mean something wherever they stand. */
const NAMES: readonly (readonly string[])[] = [
  SECRET_FOLDERS,
  SECRET_WORD_FOLDERS,
  VAULT_FOLDERS,
  SECRET_FILES,
  SECRET_AT_HOME,
  SECRET_KEY_NAMES,
  STARTUP_FILES,
  STARTUP_FOLDERS,
  USER_REGISTRATIONS,
  USER_SETTINGS,
  USER_OWN_FOLDERS,
  PROJECT_SETTINGS,
  // As patterns and lists in path-class.ts.
  ["authorized_keys", "authorized_keys2", "hooks", "modules", "worktrees", "info"],
  ["config", "config.worktree", "commondir", "gitdir", "attributes", "node_modules", "site-packages", "dist-packages"],
  [".hg", "hgrc", "hgrc-not-shared", ".jj", "repo", "config.toml", "workspace-config.toml"],
  ["home", "users", "proc", "root", "task", "store"],
];
/** Places from the root on. */
const PLACES: readonly (readonly string[])[] = [
  SECRET_PLACES,
  PUBLIC_PLACES,
  SYSTEM_FOLDERS.map((folder) => `/${folder}`),
  HARMLESS_DEVICES,
  STARTUP_PLACES,
  MACHINE_SETTINGS,
];

const namesIn = (path: string): readonly string[] => path.toLowerCase().split("/");

/** A place in lower case, with everything above. */
function withParents(place: string): readonly string[] {
  const path = place.toLowerCase();
  const found = [path];
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) found.push(path.slice(0, end));
  return found;
}

interface FixedNames {
  /** The caller's own list. */
  readonly names: readonly string[];
  readonly all: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
}

/** Of the tables and the list given last, for every policy and world. */
let fixed: FixedNames | undefined;

function fixedNames(names: readonly string[]): FixedNames {
  if (fixed?.names !== names)
    fixed = { names, all: new Set([...NAMES.flat(), ...names].flatMap(namesIn)), places: new Set(PLACES.flat().flatMap(withParents)) };
  return fixed;
}

const PLAIN = /^[\w@+-][\w@+.-]*$/;
/** What path-class.ts, and the supervisor's defaults, look for inside a name or at its start. */
const TELLING = new RegExp(`${SECRET_WORDS.join("|")}|^(?:${SECRET_BEGINNINGS.join("|")}|${SERVER_LISTS}|vault|python\\d)`);
/** Extensions that say what a file is, or that it is a copy of one (path-class.ts). */
const TELLING_EXTENSIONS: ReadonlySet<string> = new Set([
  ...SECRET_EXTENSIONS,
  "bak",
  "old",
  "orig",
  "backup",
  "save",
  "swp",
  "sample",
  "pub",
  // What git makes its configuration from.
  "lock",
  // A workspace of an editor, with its tasks (control-files.ts).
  "code-workspace",
]);
const harmless: ReadonlySet<string> = new Set(HARMLESS_EXTENSIONS.split(" "));
/** Where a name means a device, a process, a setting of the system or a program that git runs. */
const PECULIAR = /^(?:\/(?:proc|sys|etc|dev(?!\/shm\/))(?:\/.*)?|.*\/hooks|)$/i;
const MOST = 8192;

/** 0: the name may mean something. Names of one other class mean the same in the same place. */
export type NameClass = 0 | 1 | 2;

export interface IrrelevantOptions {
  readonly policy: Policy;
  readonly world: World;
  readonly floor: FloorPaths;
  /** Names that whoever judges knows by themselves: the same list each time. */
  readonly names: readonly string[];
  /** Paths that whoever judges compares with. */
  readonly places: readonly string[];
}

/** Where a folder lies, as far as it can be told from others. */
export interface Whereabouts {
  /** Folders of the same place, and of no other one, have it. */
  readonly key: string;
  /** Every name in it may mean something. */
  readonly peculiar: boolean;
  /** A place lies in it. */
  readonly leads: boolean;
}

/**
 * Names that nothing can tell apart: neither a rule, nor a protection, nor the floor, nor a place. What is said of a path
 * depends on its part up to the last name that means something, on how many ordinary names follow, and on the class of
 * the last one.
 *
 * INVARIANT: whatever `judge` compares a segment of such a path with is known here. Rules ask about a segment only by
 * `matchesWord`, tables by equality with one of their segments, places from the root on, path-class.ts by the extension
 * of the last name and by `TELLING`. test/supervise/judge/irrelevant-paths.test.ts tries every word of the sources as a name.
 */
export class IrrelevantNames {
  readonly #fixed: FixedNames;
  readonly #names: ReadonlySet<string>;
  /** Lower case, with everything above. */
  readonly #places: ReadonlySet<string>;
  readonly #globs: readonly WordGlob[];
  readonly #classes = new BoundedMap<string, NameClass>(MOST);
  readonly #folders = new BoundedMap<string, Whereabouts>(MOST);
  /** Some rule is about paths. */
  readonly hasRules: boolean;

  constructor({ policy, world, floor, names: more, places: given }: IrrelevantOptions) {
    this.#fixed = fixedNames(more);
    const names = new Set<string>();
    const learn = (path: string): void => {
      for (const name of namesIn(path)) names.add(name);
    };
    const places = new Set<string>();
    const mark = (place: string): void => {
      for (const path of withParents(place)) places.add(path);
    };
    policy.settings.writableRoots.forEach(learn);
    const blocks = policy.operations;
    const roots = [...policy.rules, ...blocks].flatMap(({ root }) => root ?? []);
    for (const place of [
      world.home,
      world.projectRoot,
      world.cwd,
      ...world.temp,
      ...roots,
      ...floorOf(floor),
      ...pathFolders(world),
      ...given,
    ])
      for (const path of forms(place, world)) mark(path);
    const globs = new Set<WordGlob>();
    let hasRules = false;
    for (const { matcher } of [...policy.rules, ...blocks.flatMap(({ rules }) => rules)]) {
      const scope = pathScopeOf(matcher);
      if (scope === undefined) continue;
      hasRules = true;
      if (scope.pattern === undefined) continue;
      learn(scope.pattern);
      for (const word of wordsOf(scope.pattern, world)) {
        if (word.literal !== undefined) names.add(word.literal.toLowerCase());
        else if (!meansAll(word)) globs.add(word);
      }
    }
    this.#names = names;
    this.#places = places;
    this.#globs = [...globs];
    this.hasRules = hasRules;
  }

  /** Where a folder lies. */
  whereabouts(folder: string): Whereabouts {
    return this.#folders.get(folder, () => this.#locate(folder));
  }

  /** The class of a name in a folder; 0 where it has to be judged by itself. */
  classOf(name: string, folder: string, { peculiar, leads }: Whereabouts): NameClass {
    if (peculiar || (leads && this.#isPlace(`${folder}/${name}`.toLowerCase()))) return 0;
    return this.#class(name);
  }

  #locate(folder: string): Whereabouts {
    const lower = folder.toLowerCase();
    let told = 0;
    let irrelevant = 0;
    for (let start = 1; start <= folder.length;) {
      const slash = folder.indexOf("/", start);
      const end = slash < 0 ? folder.length : slash;
      if (this.#class(folder.slice(start, end)) === 0 || this.#isPlace(lower.slice(0, end))) {
        told = end;
        irrelevant = 0;
      } else irrelevant += 1;
      start = end + 1;
    }
    return { key: `${irrelevant}${folder.slice(0, told)}`, peculiar: PECULIAR.test(folder), leads: this.#isPlace(lower) };
  }

  #isPlace(lower: string): boolean {
    return this.#fixed.places.has(lower) || this.#places.has(lower);
  }

  #class(name: string): NameClass {
    return this.#classes.get(name, () => this.#find(name));
  }

  #find(name: string): NameClass {
    const lower = name.toLowerCase();
    const extension = extensionOf(lower);
    if (!PLAIN.test(name) || TELLING.test(lower) || TELLING_EXTENSIONS.has(extension)) return 0;
    if (this.#fixed.all.has(lower) || this.#names.has(lower)) return 0;
    // `x.1` is a copy of `x`.
    if (/^\d+$/.test(extension) && this.#class(name.slice(0, -extension.length - 1)) === 0) return 0;
    if (this.#globs.some((glob) => matchesWord(glob, name) || matchesWord(glob, lower))) return 0;
    return harmless.has(extension) ? 1 : 2;
  }
}

const floorOf = ({ policies, state, registrations, own, projectPolicies }: FloorPaths): readonly string[] => [
  ...policies,
  ...state,
  ...registrations,
  ...own,
  ...projectPolicies,
];

/** The words of a pattern, as written and where its links lead. */
function wordsOf(pattern: string, world: World): readonly WordGlob[] {
  const read = pathPattern(pattern);
  if (!read.ok) return [];
  return (["narrow", "wide"] as const).flatMap((side) =>
    [true, false].flatMap((follow) =>
      patternForms(read.value, world, side, follow).flatMap(({ alternatives }) =>
        alternatives.flatMap((segments) => segments.filter((segment): segment is WordGlob => segment !== DEEP)),
      ),
    ),
  );
}

/** `*` matches every name. */
const meansAll = ({ units }: WordGlob): boolean => units.length > 0 && units.every(({ is }) => is === "run");
