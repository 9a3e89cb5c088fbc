import type { World } from "@assent/core/action";
import { Resolver } from "@assent/guard/engine";
import { isWithin, joinPath, normalise, parentOf } from "@assent/core/path";
import type { Machine } from "@assent/guard/state";
import {
  type ListedName,
  listOf,
  lookAt,
  type PathFact,
  type SandboxScript,
  SandboxUnclear,
  type SessionIdentity,
  textOf,
} from "./facts.ts";

/** Questions of one request. More are not looked up: it is asked about. */
const MOST_FACTS = 4000;
const MOST_ROUNDS = 24;
/** Paths of one script. */
const MOST_AT_ONCE = 200;
/** Folders that a search goes through. */
const MOST_FOLDERS = 200;

const NOTHING: PathFact = { entry: { is: "missing" }, kind: "missing", program: false, uid: undefined, open: true };
/** Folders of the operating system. */
const SYSTEM = ["/bin", "/sbin", "/usr", "/lib", "/opt", "/nix", "/etc/alternatives"];

/**
 * The world of a sandbox, for one request. Judging does not wait, and a sandbox answers later: what judging wants to know is written down,
 * looked up when it has come to its end, and it judges again, until it has wanted nothing that was not known.
 */
export class SandboxWorld {
  readonly #run: SandboxScript;
  readonly #identity: SessionIdentity;
  readonly #paths = new Map<string, PathFact>();
  readonly #folders = new Map<string, readonly ListedName[] | undefined>();
  readonly #texts = new Map<string, string | undefined>();
  readonly #wanted = { paths: new Set<string>(), folders: new Set<string>(), texts: new Set<string>() };
  /** Nothing more is looked up: what is not known is an error. */
  #closed = false;

  constructor(run: SandboxScript, identity: SessionIdentity) {
    this.#run = run;
    this.#identity = identity;
  }

  /** What `judge` gives once all that it wanted to know is known. Throws `SandboxUnclear`. */
  async settle<T>(judge: () => T): Promise<T> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const given = judge();
      const { paths, folders, texts } = this.#wanted;
      if (paths.size + folders.size + texts.size === 0) return given;
      if (this.#paths.size + paths.size + this.#folders.size + folders.size + this.#texts.size + texts.size > MOST_FACTS) break;
      await this.#lookUp([...paths], [...folders], [...texts]);
      for (const set of [paths, folders, texts]) set.clear();
    }
    throw new SandboxUnclear("what this does depends on too many files of the sandbox");
  }

  /** From now on what is not known is an error: what is judged last is what was looked up. */
  close(): void {
    this.#closed = true;
  }

  async #lookUp(paths: readonly string[], folders: readonly string[], texts: readonly string[]): Promise<void> {
    for (let at = 0; at < paths.length; at += MOST_AT_ONCE) {
      const some = paths.slice(at, at + MOST_AT_ONCE);
      const found = await lookAt(this.#run, some);
      for (const [index, path] of some.entries()) this.#paths.set(path, found[index] ?? NOTHING);
    }
    for (const folder of folders) this.#folders.set(folder, await listOf(this.#run, folder));
    for (const file of texts) this.#texts.set(file, await textOf(this.#run, file));
  }

  #know<T>(known: ReadonlyMap<string, T>, wanted: Set<string>, key: string, meanwhile: T): T {
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found ?? meanwhile;
    if (this.#closed) throw new SandboxUnclear("the sandbox was not asked about everything that matters");
    wanted.add(key);
    return meanwhile;
  }

  #path(path: string): PathFact {
    return this.#know(this.#paths, this.#wanted.paths, path, NOTHING);
  }

  /** All folders above are looked at, too: at once, and not one after the other. */
  #expect(path: string): void {
    if (this.#closed) return;
    for (let at = normalise(path); at !== "/"; at = parentOf(at)) if (!this.#paths.has(at)) this.#wanted.paths.add(at);
  }

  #list(folder: string): readonly ListedName[] | undefined {
    return this.#know(this.#folders, this.#wanted.folders, folder, undefined);
  }

  /** As the engine takes it. */
  at(machine: Machine, cwd: string, sessionRoot: string | undefined): World {
    const folder = normalise(cwd);
    const { variables } = this.#identity;
    const resolver = new Resolver(folder, undefined, (path) => this.#path(path).entry);
    const canonical = (path: string): string => {
      this.#expect(path);
      return resolver.canonical(path);
    };
    const projectRoot = canonical(normalise(sessionRoot ?? folder));
    const look = (path: string): PathFact => this.#path(path);
    const expect = (path: string): void => this.#expect(path);
    const trust = new Trust(machine, this.#identity, { projectRoot, canonical, look, expect });
    return {
      cwd: folder,
      home: machine.home,
      projectRoot,
      temp: machine.temp,
      foldsCase: false,
      platform: "linux",
      env: (name) => (name === "PWD" ? folder : name === "PATH" ? undefined : variables[name]),
      canonical,
      kind: (path) => this.#path(path).kind,
      text: (path) => this.#know(this.#texts, this.#wanted.texts, path, undefined),
      lookup: (name) => trust.lookup(name),
      trustedProgram: (path) => trust.isTrustedProgram(path),
      find: (root, wanted, depth = Number.POSITIVE_INFINITY) => this.#find(root, wanted, depth),
      tracked: () => undefined,
      names: (directory) => this.#list(directory)?.map(({ name }) => name),
    };
  }

  #find(root: string, wanted: Parameters<World["find"]>[1], depth: number): ReturnType<World["find"]> {
    const { entry, kind } = this.#path(root);
    if (kind === "missing" && entry.is === "missing") return { found: undefined, complete: true };
    if (wanted(root)) return { found: root, complete: true };
    let folders = kind === "directory" ? [root] : [];
    let seen = 0;
    for (let level = 0; level < depth && folders.length > 0; level += 1) {
      const next: string[] = [];
      for (const folder of folders) {
        if (++seen > MOST_FOLDERS) return { found: undefined, complete: false };
        const names = this.#list(folder);
        if (names === undefined) return { found: undefined, complete: false };
        for (const { name, link, folder: isFolder } of names) {
          const path = joinPath(folder, name);
          if (wanted(path, link)) return { found: path, complete: true };
          if (isFolder && !link) next.push(path);
        }
      }
      folders = next;
    }
    return { found: undefined, complete: folders.length === 0 };
  }
}

interface TrustGround {
  readonly projectRoot: string;
  readonly canonical: (path: string) => string;
  readonly look: (path: string) => PathFact;
  readonly expect: (path: string) => void;
}

/** Who a program of the sandbox is: as on this machine, a folder is trusted that nobody but its owner may write, and no agent writes into. */
class Trust {
  readonly #entries: readonly string[];
  readonly #inReach: (folder: string) => boolean;
  readonly #uid: number | undefined;
  readonly #canonical: (path: string) => string;
  readonly #path: (path: string) => PathFact;
  readonly #expect: (path: string) => void;

  constructor({ home, temp }: Machine, { path, uid }: SessionIdentity, { projectRoot, canonical, look, expect }: TrustGround) {
    this.#expect = expect;
    this.#entries = (path === "" ? "/usr/local/bin:/usr/bin:/bin" : path).split(":");
    this.#uid = uid;
    this.#canonical = canonical;
    this.#path = look;
    const isSystem = (folder: string): boolean => SYSTEM.some((base) => isWithin(folder, base));
    const wide = isWithin(canonical(home), projectRoot);
    this.#inReach = (folder) => (isWithin(folder, projectRoot) && !(wide && isSystem(folder))) || temp.some((one) => isWithin(folder, one));
  }

  #isTrustedFolder(folder: string): boolean {
    const real = this.#canonical(folder);
    if (this.#inReach(folder) || this.#inReach(real)) return false;
    const { kind, open, uid } = this.#path(real);
    return kind === "directory" && !open && uid !== undefined && (uid === 0 || uid === this.#uid);
  }

  #isTrustedFile(file: string): boolean {
    return this.#isTrustedFolder(parentOf(file)) && this.#isTrustedFolder(parentOf(this.#canonical(file)));
  }

  lookup(name: string): ReturnType<World["lookup"]> {
    for (const entry of this.#entries) {
      // An empty or relative entry is the current folder, wherever that will be.
      if (!entry.startsWith("/")) return { path: undefined, trusted: false };
      const file = joinPath(normalise(entry), name);
      this.#expect(file);
      if (this.#path(file).program) return { path: file, trusted: this.#isTrustedFile(file) };
    }
    return { path: undefined, trusted: true };
  }

  isTrustedProgram(path: string): boolean {
    const file = normalise(path);
    const folder = parentOf(file);
    const vouches = SYSTEM.some((base) => isWithin(folder, base)) || this.#entries.some((entry) => normalise(entry) === folder);
    return this.#path(file).program && vouches && this.#isTrustedFile(file);
  }
}
