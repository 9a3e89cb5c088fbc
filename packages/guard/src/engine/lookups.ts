import { spend, type World } from "@assent/core/action";
import type { JudgeContext } from "@assent/core/policy";
import { type Answers, plainOf, sameList } from "./conclusion-terms.ts";

/** More than this is not remembered of one conclusion: in questions, entries of folders, and characters of texts and names. */
const MOST = 60_000;
const OF_QUESTION = 40;

type Check<Subject> = (subject: Subject) => boolean;

/** Notes each question that is put to a subject, with its answer. */
class Lookups<Subject> {
  readonly checks: Check<Subject>[] = [];
  size = 0;
  /** Asked, and not answered: by what was thrown. */
  #open = 0;
  /** Looks were used up: what else there is nobody knows. */
  #spoilt = false;

  answers(): Answers<Subject> | undefined {
    const { checks, size } = this;
    if (this.#open > 0 || this.#spoilt || size > MOST) return undefined;
    return {
      size,
      hold: (subject) => {
        spend(checks.length);
        for (const check of checks) if (!check(subject)) return false;
        return true;
      },
    };
  }

  spoil(): void {
    this.#spoilt = true;
  }

  answerTo<Answer>(ask: () => Answer): Answer {
    this.#open += 1;
    const answer = ask();
    this.#open -= 1;
    return answer;
  }

  note(size: number, check: Check<Subject>): void {
    this.size += OF_QUESTION + size;
    // What is too much is not collected.
    if (this.size <= MOST) this.checks.push(check);
  }

  /** A question about a name: asked once, however often it is put. */
  about<Answer>(
    ask: (subject: Subject, name: string) => Answer,
    of: Subject,
    same: (a: Answer, b: Answer) => boolean = Object.is,
    sizeOf: (answer: Answer) => number = () => 0,
  ): (name: string) => Answer {
    const known = new Map<string, { readonly answer: Answer }>();
    return (name) => {
      const hit = known.get(name);
      if (hit !== undefined) return hit.answer;
      const answer = this.answerTo(() => ask(of, name));
      known.set(name, { answer });
      this.note(name.length + sizeOf(answer), (subject) => same(answer, ask(subject, name)));
      return answer;
    };
  }
}

interface Visited {
  readonly path: string;
  readonly link: boolean | undefined;
  readonly wanted: boolean;
}

type MayBeAbsent = "platform" | "programFolders" | "ownCommands";

/** The questions that lowering puts to a world. */
export class LookupsOfWorld extends Lookups<World> {
  /** A world that answers as the given one does, and whose questions are noted. */
  noting(of: World): World {
    const { changedSecrets, gitShows, text, exhausted, entries, mayHold } = of;
    const noting: Required<Omit<World, MayBeAbsent>> & Pick<World, MayBeAbsent> = {
      ...plainOf(of),
      env: this.about((world, name) => world.env(name), of),
      canonical: this.about((world, path) => world.canonical(path), of, Object.is, lengthOf),
      kind: this.about((world, path) => world.kind(path), of),
      lookup: this.about(
        (world, name) => world.lookup(name),
        of,
        (a, b) => a.path === b.path && a.trusted === b.trusted,
      ),
      trustedProgram: this.about((world, path) => world.trustedProgram(path), of),
      tracked: this.about((world, path) => world.tracked(path), of),
      changedSecrets: this.about((world, top) => world.changedSecrets?.(top) ?? [], of, sameList, lengthOfAll),
      gitShows: (folder, shown) => {
        // What a history holds is too much to remember.
        this.spoil();
        return of.gitShows?.(folder, shown);
      },
      names: this.about((world, folder) => world.names(folder), of, sameNames, lengthOfAll),
      find: (root, wanted, depth) => this.#find(of, root, wanted, depth),
      text: this.about((world, path) => world.text?.(path), of, Object.is, lengthOf),
      exhausted: () => {
        const answer = of.exhausted?.() ?? false;
        if (answer) this.spoil();
        return answer;
      },
      entries: this.about(
        (world, folder) => world.entries?.(folder),
        of,
        sameEntries,
        (found) => lengthOfAll(found && [...found.keys()]),
      ),
      mayHold: this.#mayHold(of),
    };
    // It is used up once and for all: who is not at the end was not before.
    if (exhausted !== undefined) this.note(0, (world) => world.exhausted?.() === false);
    return {
      ...noting,
      // Whoever cannot be asked is not asked.
      ...(changedSecrets === undefined ? { changedSecrets } : {}),
      ...(gitShows === undefined ? { gitShows } : {}),
      ...(text === undefined ? { text } : {}),
      ...(exhausted === undefined ? { exhausted } : {}),
      ...(entries === undefined ? { entries } : {}),
      ...(mayHold === undefined ? { mayHold } : {}),
    };
  }

  #mayHold(of: World): NonNullable<World["mayHold"]> {
    const folders = new Map<string, (name: string) => boolean>();
    return (folder, name) => {
      let about = folders.get(folder);
      if (about === undefined) folders.set(folder, (about = this.about((world, each) => world.mayHold?.(folder, each) ?? true, of)));
      return about(name);
    };
  }

  /** What is wanted follows from a path and from other answers: on the same way the same is wanted. */
  #find(of: World, root: string, wanted: Parameters<World["find"]>[1], depth: number | undefined): ReturnType<World["find"]> {
    const way: Visited[] = [];
    let size = 0;
    const found = this.answerTo(() =>
      of.find(
        root,
        (path, link) => {
          const answer = wanted(path, link);
          size += path.length + OF_QUESTION;
          if (size <= MOST) way.push({ path, link, wanted: answer });
          return answer;
        },
        depth,
      ),
    );
    this.note(size, (world) => {
      let at = 0;
      let same = true;
      const again = world.find(
        root,
        (path, link) => {
          const visited = way[at];
          at += 1;
          same = visited !== undefined && visited.path === path && visited.link === link;
          return !same || visited?.wanted === true;
        },
        depth,
      );
      return same && at === way.length && again.found === found.found && again.complete === found.complete;
    });
    return found;
  }
}

/** Those that judging puts to its context. */
export class LookupsOfJudge extends Lookups<JudgeContext> {
  readonly #world = new LookupsOfWorld();

  /** A context that answers as the given one does, and whose questions are noted. */
  noting(of: JudgeContext): JudgeContext {
    const { failedBefore, isOfSession, isGone, isMissing, othersRun, walls, unseen, floor } = of;
    const noted =
      <Given extends unknown[], Answer>(ask: (context: JudgeContext) => ((...given: Given) => Answer) | undefined) =>
      (...given: Given): Answer => {
        const answer = this.answerTo(() => demand(ask(of))(...given));
        this.note(0, (context) => Object.is(demand(ask(context))(...given), answer));
        return answer;
      };
    const listOf = (ask: (context: JudgeContext) => readonly string[]): (() => readonly string[]) => {
      let known: readonly string[] | undefined;
      return () => {
        if (known !== undefined) return known;
        const answer = this.answerTo(() => ask(of));
        this.note(lengthOfAll(answer), (context) => sameList(answer, ask(context)));
        return (known = answer);
      };
    };
    const stateOf = listOf((context) => context.floor.state);
    const registrationsOf = listOf((context) => context.floor.registrations);
    const { policies, own, projectPolicies } = floor;
    return {
      ...of,
      world: this.#world.noting(of.world),
      floor: {
        policies,
        own,
        projectPolicies,
        get state() {
          return stateOf();
        },
        get registrations() {
          return registrationsOf();
        },
      },
      ...(failedBefore === undefined ? {} : { failedBefore: noted((context) => context.failedBefore) }),
      ...(isOfSession === undefined ? {} : { isOfSession: noted((context) => context.isOfSession) }),
      ...(isGone === undefined ? {} : { isGone: noted((context) => context.isGone) }),
      ...(isMissing === undefined ? {} : { isMissing: noted((context) => context.isMissing) }),
      ...(othersRun === undefined ? {} : { othersRun: noted((context) => context.othersRun) }),
      ...(walls === undefined ? {} : { walls: noted((context) => context.walls) }),
      ...(unseen === undefined ? {} : { unseen: noted((context) => context.unseen) }),
    };
  }

  override answers(): Answers<JudgeContext> | undefined {
    const world = this.#world.answers();
    const own = super.answers();
    if (world === undefined || own === undefined) return undefined;
    return { size: world.size + own.size, hold: (context) => world.hold(context.world) && own.hold(context) };
  }
}

/** Terms are compared first: what could be asked then can be asked now. */
function demand<Function>(ask: Function | undefined): Function {
  if (ask === undefined) throw new Error("asked of another kind of context");
  return ask;
}

const lengthOf = (text: string | undefined): number => text?.length ?? 0;
const lengthOfAll = (names: readonly string[] | undefined): number => names?.reduce((sum, name) => sum + name.length + 8, 0) ?? 0;

const sameNames = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean => a === b || sameList(a, b);

type Entries = ReturnType<NonNullable<World["entries"]>>;

/** In the same order, too: what is looked for is found in it. */
function sameEntries(a: Entries, b: Entries): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [name, link] of a) {
    const { value } = others.next();
    if (value?.[0] !== name || value[1] !== link) return false;
  }
  return true;
}
