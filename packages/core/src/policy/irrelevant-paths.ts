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
  readonly all: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
}

/** Of the tables and a caller's list, for every policy and world. */
const fixed = new Map<readonly string[], FixedNames>();

function fixedNames(names: readonly string[]): FixedNames {
  const known = fixed.get(names) ?? {
    all: new Set([...NAMES.flat(), ...names].flatMap(namesIn)),
    places: new Set(PLACES.flat().flatMap(withParents)),
  };
  fixed.set(names, known);
  return known;
}

/** `#` stands for any name in a folder. */
const PLAIN = /^(?:#|[\w@+-][\w@+.-]*)$/;
/** To whoever only reads, a name that begins with a dot means no more than others, but for those of secrets. */
const PLAIN_TO_READ = /^(?:#|(?!\.env)\.?[\w@+-][\w@+.-]*)$/i;
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
  /** They are only read and listed. */
  readonly reads: boolean;
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
 * depends on the names in it that mean something, on how many ordinary names stand before, between and after them, and on
 * the class of the last one.
 *
 * INVARIANT: whatever `judge` compares a segment of such a path with is known here. Rules ask about a segment only by
 * `matchesWord`, tables by equality with one of their segments, places from the root on, path-class.ts by the extension
 * of the last name and by `TELLING`. test/supervise/judge/irrelevant-paths.test.ts tries every word of the sources as a name.
 */
export class IrrelevantNames {
  readonly #fixed: FixedNames;
  readonly #plain: RegExp;
  readonly #names: ReadonlySet<string>;
  /** Lower case, with everything above. */
  readonly #places: ReadonlySet<string>;
  readonly #globs: readonly WordGlob[];
  readonly #classes = new BoundedMap<string, NameClass>(MOST);
  readonly #folders = new BoundedMap<string, Whereabouts>(MOST);
  /** Some rule is about paths. */
  readonly hasRules: boolean;

  constructor({ policy, world, floor, names: more, places: given, reads }: IrrelevantOptions) {
    this.#fixed = fixedNames(more);
    this.#plain = reads ? PLAIN_TO_READ : PLAIN;
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
    const slash = folder.lastIndexOf("/");
    const name = folder.slice(slash + 1);
    const above = slash < 0 ? undefined : this.whereabouts(folder.slice(0, slash));
    // Lists of servers lie in folders of a person that begin with a dot.
    const tells = above === undefined || name.startsWith(".") || this.classOf(name, folder.slice(0, slash), above) === 0;
    // An ordinary name stands as an empty one.
    return { key: `${above?.key ?? ""}/${tells ? name : ""}`, peculiar: PECULIAR.test(folder), leads: this.#isPlace(folder.toLowerCase()) };
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
    if (!this.#plain.test(name) || TELLING.test(lower) || TELLING_EXTENSIONS.has(extension)) return 0;
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
