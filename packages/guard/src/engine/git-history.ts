import { readdirSync, statSync } from "node:fs";
import { type GitShown, OutOfBudget, spend, type World } from "@assent/core/action";
import { isWithin, joinPath, relativePath } from "@assent/core/path";
import { isOwnRepository, repositoriesAround, type Repository } from "@assent/core/policy";
import { trackedNames } from "./git-index.ts";
import { ObjectStore, NotUnderstood } from "./git-objects.ts";
import { readRegular } from "../state/index.ts";

/** What was found for the world of a request. */
const answers = new WeakMap<World, Map<string, readonly string[] | undefined>>();

/**
 * Paths below a folder that git has in what it would show: in its index, and in the commits that are meant. More than is shown, where
 * that is simpler; undefined where it cannot be told.
 */
export function gitPathsShown(folder: string, shown: GitShown, world: World): readonly string[] | undefined {
  const known = answers.get(world) ?? new Map<string, readonly string[] | undefined>();
  answers.set(world, known);
  const key = JSON.stringify([folder, shown]);
  if (!known.has(key)) known.set(key, pathsShown(folder, shown, world));
  return known.get(key);
}

function pathsShown(folder: string, shown: GitShown, world: World): readonly string[] | undefined {
  const [repository, ...others] = repositoriesAround(shown.at, world);
  if (repository === undefined) return [];
  if (others.length > 0 || !isOwnRepository(repository, world)) return undefined;
  const index = trackedNames(repository.gitdir);
  if (index === undefined) return undefined;
  const { top } = repository;
  const names = new Set(shown.origins !== undefined ? [] : index.names);
  let history: History | undefined;
  try {
    if (shown.of !== "index" || index.sparse) {
      history = new History(repository, isWithin(folder, top) ? relativePath(top, folder) : "", names);
      for (const path of shown.origins ?? []) history.origins.add(relativePath(top, path));
      if (shown.of !== "index") history.read(shown);
      if (index.sparse) history.read({ ...shown, of: "trees", revisions: ["HEAD"] });
    }
  } catch (error) {
    if (error instanceof OutOfBudget) throw error;
    // What git keeps is broken, or was written by whoever means to mislead.
    return undefined;
  } finally {
    history?.objects.close();
  }
  return [...names].map((name) => joinPath(top, Buffer.from(name, "latin1").toString()));
}

interface Commit {
  readonly name: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Seconds. */
  readonly date: number;
}

const NAME = /^[0-9a-f]{40}$/;
/** gitrevisions(7): what may stand behind a name and is followed here. */
const STEP = /^(?:[~^](\d*)|\^\{(?:commit|tree|tag|object)?\})/;

class History {
  readonly objects: ObjectStore;
  readonly #folders: readonly string[];
  readonly #common: string;
  readonly #below: string;
  readonly #names: Set<string>;
  /** Names that files are followed by; empty: everything is meant. */
  readonly origins = new Set<string>();
  readonly #commits = new Map<string, Commit>();
  readonly #compared = new Set<string>();
  readonly #trees = new Map<string | undefined, ReadonlyMap<string, string>>();
  #packed: ReadonlyMap<string, readonly string[]> | undefined;

  constructor({ gitdir, common }: Repository, below: string, names: Set<string>) {
    // Another format of names or of references is not understood.
    if (/objectformat|refstorage|partialclone/i.test(textAt(joinPath(common, "config")))) throw new NotUnderstood("its format");
    this.objects = new ObjectStore(common);
    this.#folders = gitdir === common ? [common] : [gitdir, common];
    this.#common = common;
    this.#below = below;
    this.#names = names;
  }

  read(shown: GitShown): void {
    const { of, revisions, most } = shown;
    // What either of the two has, and the other has not.
    const [, one, other] = (revisions?.length === 1 ? /^(.*?)\.{3}(.*)$/.exec(revisions[0] ?? "") : undefined) ?? [];
    if (of === "history" && one !== undefined && other !== undefined) {
      const sides = [`${one}..${other}`, `${other}..${one}`];
      for (const side of sides) this.read({ ...shown, revisions: [side] });
      return;
    }
    const wanted = new Set<string>();
    const without = new Set<string>();
    let isAll = revisions === undefined;
    for (const revision of revisions ?? []) {
      const [, left, dots, right] = /^(.*?)(\.{2,3})(.*)$/.exec(revision) ?? [];
      const isRange = dots !== undefined && left !== undefined && right !== undefined;
      const ends = isRange ? [left || "HEAD", right || "HEAD"] : [revision.replace(/^\^/, "")];
      for (const [at, end] of ends.entries()) {
        const found = this.#resolve(end);
        if (found.length === 0) isAll = true;
        const isOut = revision.startsWith("^") || (dots === ".." && at === 0 && of !== "trees");
        for (const name of found) (isOut ? without : wanted).add(name);
      }
    }
    if (isAll) {
      // Of what a name leads to that nobody knows here, any may be meant.
      for (const name of this.#allNames()) wanted.add(name);
      without.clear();
    }
    if (of === "trees" && !isAll) for (const name of wanted) this.#whole(name);
    else if (of === "commits" && !isAll) for (const name of wanted) this.#show(this.#commit(name));
    else this.#walk([...wanted], [...without], isAll ? undefined : most);
  }

  /** Newest first, as git-log(1) does: what is left out may be found late, which only means that more is looked at. */
  #walk(wanted: readonly string[], without: readonly string[], most = Number.POSITIVE_INFINITY): void {
    const out = new Set(without.flatMap((name) => this.#commit(name)?.name ?? []));
    const seen = new Set<string>();
    const queue: Commit[] = [];
    const shown: Commit[] = [];
    const add = (name: string): void => {
      // A tag leads to a commit of another name.
      const commit = seen.has(name) ? undefined : this.#commit(name);
      if (commit === undefined || seen.has(commit.name)) return;
      seen.add(commit.name);
      queue.push(commit);
    };
    for (const name of [...wanted, ...without]) add(name);
    let last = Number.NEGATIVE_INFINITY;
    while (queue.some(({ name }) => !out.has(name))) {
      spend(queue.length >> 4);
      let first = 0;
      for (const [at, { date }] of queue.entries()) if (date > (queue[first]?.date ?? 0)) first = at;
      const [commit] = queue.splice(first, 1);
      if (commit === undefined) break;
      const isOut = out.has(commit.name);
      // Of those of the same second any may come first.
      if (!isOut && shown.length >= most && commit.date < last) break;
      for (const parent of commit.parents) {
        if (isOut) out.add(parent);
        add(parent);
      }
      if (isOut) continue;
      shown.push(commit);
      last = commit.date;
    }
    for (const commit of shown) if (!out.has(commit.name)) this.#show(commit);
  }

  /** What a commit changes: what its tree has otherwise than a tree before, and the other way round. */
  #show(commit: Commit | undefined): void {
    if (commit === undefined) return;
    const before = commit.parents.map((parent) => this.#commit(parent)?.tree);
    if (this.origins.size > 0) for (const tree of before) this.#follow(commit.tree, tree);
    else if (before.length === 0) this.#compare("", commit.tree, undefined);
    else for (const tree of before) this.#compare("", commit.tree, tree);
  }

  /** A file that a commit adds may be one that it changes or takes away (gitdiffcore(7), renames and copies). */
  #follow(after: string, before: string | undefined): void {
    const added: string[] = [];
    const sources: string[] = [];
    const look = (path: string, a: string | undefined, b: string | undefined): void => {
      if (a === b) return;
      const [left, right] = [this.#tree(a), this.#tree(b)];
      for (const name of new Set([...left.keys(), ...right.keys()])) {
        const [one, other] = [left.get(name), right.get(name)];
        if (one === other) continue;
        const at = path === "" ? name : `${path}/${name}`;
        const [ours, theirs] = [one, other].map((entry) => (entry?.startsWith("4") === true ? hashOf(entry) : undefined));
        if (other === undefined && ours === undefined) added.push(at);
        if (other !== undefined && theirs === undefined) sources.push(at);
        if (ours !== undefined || theirs !== undefined) look(at, ours, theirs);
      }
    };
    look("", after, before);
    if (!added.some((name) => this.origins.has(name))) return;
    for (const name of sources) {
      this.origins.add(name);
      this.#names.add(name);
    }
  }

  #whole(name: string): void {
    const commit = this.#commit(name);
    if (commit !== undefined) this.#compare("", commit.tree, undefined);
  }

  /** Notes the names that two trees do not have in common. */
  #compare(path: string, a: string | undefined, b: string | undefined): void {
    const key = `${a} ${b} ${path}`;
    if (a === b || this.#compared.has(key)) return;
    this.#compared.add(key);
    const [left, right] = [this.#tree(a), this.#tree(b)];
    for (const [name, one] of left) if (right.get(name) !== one) this.#differ(path, name, one, right.get(name));
    for (const [name, other] of right) if (!left.has(name)) this.#differ(path, name, undefined, other);
  }

  #differ(path: string, name: string, one: string | undefined, other: string | undefined): void {
    const at = path === "" ? name : `${path}/${name}`;
    if (!isOnWay(at, this.#below)) return;
    const [ours, theirs] = [one, other].map((entry) => (entry?.startsWith("4") === true ? hashOf(entry) : undefined));
    if ((one !== undefined && ours === undefined) || (other !== undefined && theirs === undefined)) this.#names.add(at);
    if (ours !== undefined || theirs !== undefined) this.#compare(at, ours, theirs);
  }

  /** Its entries by name: the mode, the name and the object. */
  #tree(name: string | undefined): ReadonlyMap<string, string> {
    const known = this.#trees.get(name);
    if (known !== undefined) return known;
    const entries = new Map<string, string>();
    if (name === undefined) return entries;
    const { type, bytes } = this.objects.read(name);
    if (type !== "tree") throw new NotUnderstood(name);
    const text = bytes.toString("latin1");
    for (let at = 0; at < text.length;) {
      const space = text.indexOf(" ", at);
      const nul = text.indexOf("\0", space);
      const end = nul + 21;
      if (space < 0 || nul < 0 || end > text.length) throw new NotUnderstood(name);
      entries.set(text.slice(space + 1, nul), text.slice(at, end));
      at = end;
    }
    if (this.#trees.size >= MOST_TREES) this.#trees.clear();
    this.#trees.set(name, entries);
    return entries;
  }

  /** The commit that a name leads to; undefined where a shallow clone ends. */
  #commit(name: string): Commit | undefined {
    const known = this.#commits.get(name);
    if (known !== undefined) return known;
    const { type, bytes } = this.objects.read(name);
    const text = bytes.toString("latin1");
    const [, target] = /^object ([0-9a-f]{40})\n/.exec(text) ?? [];
    if (type === "tag" && target !== undefined) return this.#commit(target);
    const [head = ""] = text.split("\n\n", 1);
    const [, tree] = /^tree ([0-9a-f]{40})(?:\n|$)/.exec(head) ?? [];
    const [, date] = /^committer .* (\d+) [+-]\d+$/m.exec(head) ?? [];
    // Of a tree or a file nobody knows here what it is called.
    if (type !== "commit" || tree === undefined || date === undefined) throw new NotUnderstood(name);
    const isLast = textAt(joinPath(this.#common, "shallow")).split("\n").includes(name);
    const parents = isLast ? [] : [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = ""]) => parent);
    const commit = { name, tree, parents, date: Number(date) };
    this.#commits.set(name, commit);
    return commit;
  }

  /** All that a revision may mean; none where that is not known. */
  #resolve(revision: string): readonly string[] {
    if (revision.startsWith(":")) return [];
    const [, start = "", steps = ""] = /^((?:(?!@\{)[^~^:])*)(.*)$/s.exec(revision.replace(/:.*$/s, "")) ?? [];
    const [log, back = steps] = /^@\{\d+\}(.*)$/s.exec(steps) ?? [undefined];
    const name = start === "" || start === "@" ? "HEAD" : start;
    let found = log === undefined ? this.#named(name) : this.#pathsOf(name).flatMap((path) => this.#logged(`logs/${path}`));
    for (let rest = back; rest !== "";) {
      const [step, number] = STEP.exec(rest) ?? [];
      if (step === undefined) return [];
      rest = rest.slice(step.length);
      const count = number === undefined ? 0 : number === "" ? 1 : Number(number);
      found = step.startsWith("~")
        ? Array.from({ length: Math.min(count, 10_000) }).reduce<readonly string[]>((all) => this.#parents(all, 1), found)
        : count === 0
          ? found
          : this.#parents(found, count);
    }
    return found;
  }

  readonly #parents = (names: readonly string[], which: number): readonly string[] =>
    names.flatMap((name) => this.#commit(name)?.parents[which - 1] ?? []);

  /** gitrevisions(7), "<refname>": every one that is there, as the first hides the others. */
  #pathsOf(name: string): readonly string[] {
    return ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((folder) => folder + name).concat(`refs/remotes/${name}/HEAD`);
  }

  #named(name: string): readonly string[] {
    if (!/^[\w@+-][\w./@+-]*$/.test(name) || /(?:^|\/)\.\.?(?:\/|$)/.test(name)) return [];
    const found = this.#pathsOf(name).flatMap((path) => this.#ref(path, 0));
    // git-describe(1): `v1.0-3-gabcdef`.
    const [, hash] = /(?:^|-g)([0-9a-f]{4,40})$/i.exec(name) ?? [];
    return hash === undefined ? found : [...found, ...this.objects.beginningWith(hash.toLowerCase())];
  }

  /** git-pack-refs(1): references that have no file of their own. */
  get #inOne(): ReadonlyMap<string, readonly string[]> {
    if (this.#packed !== undefined) return this.#packed;
    const rows = textAt(joinPath(this.#common, "packed-refs")).split("\n");
    const found = rows.flatMap((row) => {
      const [, name, ref] = /^([0-9a-f]{40}) (.+)$/.exec(row) ?? [];
      return name === undefined || ref === undefined ? [] : [[ref, [name]] as const];
    });
    if (found.some(([ref]) => ref.startsWith("refs/replace/"))) throw new NotUnderstood("replaced objects");
    return (this.#packed = new Map(found));
  }

  #ref(path: string, depth: number): readonly string[] {
    const packed = this.#inOne.get(path) ?? [];
    return this.#folders.reduce<readonly string[]>((found, folder) => {
      // FETCH_HEAD has more words behind the first.
      const [word = ""] = textAt(joinPath(folder, path)).split(/[\s]/, 1);
      const [, target] = /^ref:\s*(\S+)/.exec(textAt(joinPath(folder, path))) ?? [];
      if (target !== undefined && depth < 5) return [...found, ...this.#ref(target, depth + 1)];
      return NAME.test(word) ? [...found, word] : found;
    }, packed);
  }

  /** What a log of a reference names (gitrepository-layout(5)). */
  readonly #logged = (path: string): readonly string[] =>
    this.#folders.flatMap((folder) =>
      textAt(joinPath(folder, path))
        .split("\n")
        .flatMap((line) => line.split(" ", 2).filter((word) => NAME.test(word) && !/^0+$/.test(word))),
    );

  /** All that references and their logs lead to. */
  #allNames(): readonly string[] {
    const filesBelow = (path: string): readonly string[] =>
      this.#folders.flatMap((folder) => {
        const at = joinPath(folder, path);
        if (statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
        return readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
          entry.isDirectory() ? filesBelow(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
        );
      });
    const heads = this.#folders.flatMap((folder) => readdirSync(folder)).filter((name) => /^[A-Z_]*HEAD$/.test(name));
    const found = [...heads, ...filesBelow("refs")].flatMap((path) => this.#ref(path, 0));
    // Logs and FETCH_HEAD may name what is gone.
    return [...new Set([...found, ...[...this.#inOne.values()].flat(), ...filesBelow("logs").flatMap(this.#logged)])].filter((name) =>
      this.objects.has(name),
    );
  }
}

const hashOf = (entry: string): string => Buffer.from(entry.slice(-20), "latin1").toString("hex");

/** So many are kept: most are the ones before of the next. */
const MOST_TREES = 500;

/** One of the two lies in the other. */
const isOnWay = (path: string, below: string): boolean =>
  below === "" || below === "." || path === below || path.startsWith(`${below}/`) || below.startsWith(`${path}/`);

/** Larger ones are not read. */
const LARGEST = 16 << 20;

/** Empty where there is none. */
function textAt(path: string): string {
  const found = readRegular(path, LARGEST);
  if (found.is === "text") return found.text;
  if (found.is === "missing" || statSync(path).isDirectory()) return "";
  throw new NotUnderstood(path);
}
