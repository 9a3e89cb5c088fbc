import type { FileOperation, NetAction, World } from "../action/index.ts";
import { baseName, isWithin } from "../path/index.ts";
import { bindPattern, matchesSegments, matchesText, pathPattern } from "../pattern/index.ts";
import { OWN_CHANGES, OWN_FILES, OWN_LINKS, OWN_SOCKETS, PARTS, SYSTEM } from "./known.ts";
import type { Place } from "./place.ts";
import { covering, type Prediction } from "./predict.ts";

const words = (text: string): readonly string[] => text.split(" ");

/** Names, with `*` for any part. */
const isOf = (program: string, of: string): boolean => words(of).some((one) => matchesText(one, program));

/** Looks things up in the tables of `known.ts`. Each answer is the reason, or undefined. */
export class Habits {
  readonly #place: Place;
  readonly #world: World;

  readonly #predictions: readonly Prediction[];

  constructor(place: Place, world: World, predictions: readonly Prediction[]) {
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
    return PARTS.find((part) => isOf(parent, part.of) && words(part.starts).some(isPart) && said.startsWith(part.words ?? ""))?.why;
  }

  /** Why a program may read a file that no prediction names. */
  look(program: string, operation: "read" | "list", path: string): string | undefined {
    const { base, temp } = this.#place;
    if (!isWithin(path, base) && !isWithin(path, temp)) {
      const system = SYSTEM.find(({ below }) => isWithin(path, below));
      if (system !== undefined) return system.why;
    }
    const of = OWN_FILES.find((own) => isOf(program, own.of) && own.reads.some((pattern) => this.#isRead(pattern, operation, path)));
    return of?.why;
  }

  /** Why it may change something that no prediction names. */
  change(program: string, operation: FileOperation, path: string): string | undefined {
    const isChanged = (pattern: string): boolean =>
      pattern === "$read" ? operation === "edit" && covering(this.#predictions, "read", path) !== undefined : this.#matches(pattern, path);
    return OWN_CHANGES.find(({ of, changes }) => isOf(program, of) && changes.some(isChanged))?.why;
  }

  /** Why it may give a file another name. */
  link(program: string, path: string): string | undefined {
    return OWN_LINKS.find(({ of, links }) => isOf(program, of) && links.some((pattern) => this.#matches(pattern, path)))?.why;
  }

  socket(program: string, { host }: NetAction): string | undefined {
    return OWN_SOCKETS.find((own) => isOf(program, own.of) && own.host === host)?.why;
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
    const { home, project } = this.#place;
    const parsed = pathPattern(pattern.replace(/^\$git/, ".git"));
    if (!parsed.ok) throw new Error(`a wrong pattern in known.ts: ${pattern}`);
    return matchesSegments(bindPattern(parsed.value, { home, project, fold: false }), path.slice(1).split("/"));
  }
}
