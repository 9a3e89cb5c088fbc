/**
 * What programs do that no command line says, and why nobody needs to be told of it. Reviewed by hand: a new entry needs a
 * reason, and is as narrow as it can be. Everything else that a prediction does not cover is a mistake in the tables.
 */
import { SCRIPTED } from "#knowledge/traits";
import { isOneOf } from "@assent/core/policy";
import { CHANGES, LINKS, LOOKS, REACHES, STARTS } from "#knowledge/habits";
import type { FileOperation, NetAction, World } from "@assent/core/action";
import { baseName, isWithin } from "@assent/core/path";
import { bindPattern, matchesSegments, matchesText, pathPattern } from "@assent/core/pattern";
import type { ScratchPlace } from "./place.ts";
import { covering, type Prediction } from "./predict.ts";

/** A row of the tables that says so (`starts`, `looks`, `changes`, `links`, `reaches`: packages/core/knowledge/README.md). */
interface Habit {
  /** Of programs, with `*` for any part of a name. */
  readonly of: readonly string[];
  readonly what: readonly string[];
  /** What the words of a program that is started, joined by blanks, begin with. */
  readonly words: string;
  readonly why: string;
}

const readHabits = (rows: string): readonly Habit[] =>
  rows.split("\n").flatMap((row) => {
    const [, of, what, words = "", why] = /^ (.+) \t(.+?)(?: if (.+?))? -- (.+)$/.exec(row) ?? [];
    return of === undefined || what === undefined || why === undefined ? [] : [{ of: of.split(" "), what: what.split(" "), words, why }];
  });

const anybody = (why: string, ...what: readonly string[]): Habit => ({ of: ["*"], what, words: "", why });

/** Programs that a program is made of: names, or folders that end in a slash. */
export const PARTS: readonly Habit[] = [
  ...readHabits(STARTS),
  anybody("GNUstep's programs (its `say`, its `mdfind`) start its own servers", "gdnc", "gpbs", "make_services"),
];

/** Reading below these is how programs work; policies that close some of it speak about the words of a command. */
export interface Upkeep {
  readonly below: string;
  readonly why: string;
}

const SYSTEM: readonly Upkeep[] = [
  { below: "/usr", why: "programs, libraries, locales and their data" },
  { below: "/lib", why: "libraries" },
  { below: "/lib64", why: "libraries" },
  { below: "/bin", why: "programs" },
  { below: "/etc", why: "the system's configuration; what is secret there is judged by itself" },
  { below: "/proc", why: "what the kernel says about processes" },
  { below: "/sys", why: "what the kernel says about the machine" },
  { below: "/dev", why: "harmless devices: others are not there" },
  { below: "/var/lib", why: "data of installed programs; what is secret there is judged by itself" },
  { below: "/var/cache", why: "what installed programs keep to be faster" },
  { below: "/opt", why: "installed programs" },
];

/**
 * Files of the user or the project that a program reads because it is that program. `$git`: the repository's own folder;
 * `$root`: the names in `/`; `$tracked`: files of the project that the repository tracks; `$project`: any file of it;
 * `$folder`: the names in its folders; `$cwd`: those in the working folder; `$listed`: what the command is predicted to list.
 */
const OWN_FILES: readonly Habit[] = [
  ...readHabits(LOOKS),
  anybody("opens the folder it works in, to come back to it; the names in it are not secret", "$cwd"),
];

/** What one of these does for a program of which it is a part, that program does. */
export const speaksFor = (program: string): boolean => isOneOf(SCRIPTED, program) || program === "env";

/** Everything that these start is theirs. */
export const WHOLE: ReadonlySet<string> = new Set(["service"]);

/** What a program changes that is nobody's: writes that the entry cannot name, for they depend on who runs it. */
const OWN_CHANGES: readonly Habit[] = [
  ...readHabits(CHANGES),
  anybody("a harmless device", "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"),
  anybody(
    "Python keeps compiled modules beside their sources where it may, which is as root",
    "/usr/**/__pycache__",
    "/usr/**/__pycache__/**",
  ),
  anybody("libuuid(3) keeps the time, so that no identifier is made twice", "/var/lib/libuuid/clock.txt"),
  anybody("Java's virtual machine counts what it does", "/tmp/hsperfdata_*", "/tmp/hsperfdata_*/**"),
];

/** Files that a program gives another name without a word of the line that says so. */
const OWN_LINKS = readHabits(LINKS);

/** Sockets that say nothing to anybody. */
const OWN_SOCKETS = readHabits(REACHES);

/** Names, with `*` for any part. */
const isOf = (program: string, { of }: Habit): boolean => of.some((one) => matchesText(one, program));

/** Looks things up in the tables of `known.ts`. Each answer is the reason, or undefined. */
export class Habits {
  readonly #place: ScratchPlace;
  readonly #world: World;

  readonly #predictions: readonly Prediction[];

  constructor(place: ScratchPlace, world: World, predictions: readonly Prediction[]) {
    this.#place = place;
    this.#predictions = predictions;
    this.#world = world;
  }

  /** Why a program may start another that no prediction names. */
  part(parent: string, path: string, argv: readonly string[]): string | undefined {
    const name = baseName(path);
    const called = baseName(argv[0] ?? "");
    const said = [called, ...argv.slice(1)].join(" ");
    const isPart = (one: string): boolean => (one.endsWith("/") ? path.startsWith(one) : one === name || one === called || one === "*");
    return PARTS.find((part) => isOf(parent, part) && part.what.some(isPart) && said.startsWith(part.words))?.why;
  }

  /** Why a program may read a file that no prediction names. */
  look(program: string, operation: "read" | "list", path: string): string | undefined {
    const { base, temp } = this.#place;
    if (!isWithin(path, base) && !isWithin(path, temp)) {
      const system = SYSTEM.find(({ below }) => isWithin(path, below));
      if (system !== undefined) return system.why;
    }
    const of = OWN_FILES.find((own) => isOf(program, own) && own.what.some((pattern) => this.#isRead(pattern, operation, path)));
    return of?.why;
  }

  /** Why it may change something that no prediction names. */
  change(program: string, operation: FileOperation, path: string): string | undefined {
    const isChanged = (pattern: string): boolean =>
      pattern === "$read" ? operation === "edit" && covering(this.#predictions, "read", path) !== undefined : this.#matches(pattern, path);
    return OWN_CHANGES.find((own) => isOf(program, own) && own.what.some(isChanged))?.why;
  }

  /** Why it may give a file another name. */
  link(program: string, path: string): string | undefined {
    return OWN_LINKS.find((own) => isOf(program, own) && own.what.some((pattern) => this.#matches(pattern, path)))?.why;
  }

  socket(program: string, { host }: NetAction): string | undefined {
    return OWN_SOCKETS.find((own) => isOf(program, own) && host !== undefined && own.what.includes(host))?.why;
  }

  #isRead(pattern: string, operation: "read" | "list", path: string): boolean {
    if (pattern === "$root") return path === "/";
    if (pattern === "$cwd") return operation === "list" && path === this.#world.canonical(this.#world.cwd);
    if (pattern === "$project") return operation === "read" && isWithin(path, this.#place.project);
    if (pattern === "$listed") return operation === "read" && covering(this.#predictions, "list", path) !== undefined;
    if (pattern === "$tracked") return operation === "read" && isWithin(path, this.#place.project) && this.#world.tracked(path) === true;
    if (pattern === "$folder") return operation === "list" && isWithin(path, this.#place.project);
    return this.#matches(pattern, path);
  }

  #matches(pattern: string, path: string): boolean {
    const { home, project, temp } = this.#place;
    // Wherever its folder of temporary files lies.
    const usual = isWithin(path, temp) ? `/tmp${path.slice(temp.length)}` : path;
    const parsed = pathPattern(pattern.replace(/^\$git/, ".git"));
    if (!parsed.ok) throw new Error(`a wrong pattern of a habit: ${pattern}`);
    return matchesSegments(bindPattern(parsed.value, { home, project, fold: false }), usual.slice(1).split("/"));
  }
}
