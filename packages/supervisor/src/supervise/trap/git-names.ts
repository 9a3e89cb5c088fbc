import { readdirSync } from "node:fs";
import { joinPath } from "@assent/core/path";
import { gitConfigEntries } from "@assent/core/policy";
import { readText } from "@assent/guard/state";
import type { GitObjects } from "./git-objects.ts";

const MOST_BYTES = 16 << 20;
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const LINKS = 5;
/** As a path, which a name of a ref is. */
const LONGEST = 4096;

/** What names of commits lead to, gitrevisions(7), without git: its own look would read the repository's configuration. */
export class GitNames {
  readonly #own: string;
  readonly #common: string;
  readonly #objects: GitObjects;

  /** `own`: what belongs to the working tree alone. */
  constructor(own: string, common: string, objects: GitObjects) {
    this.#own = own;
    this.#common = common;
    this.#objects = objects;
  }

  /** A commit by its name; undefined: there is none, or the name is one of those that are not read here. */
  commit(word: string): string | undefined {
    if (word.length > LONGEST) return undefined;
    const [, name = "", steps = ""] = /^(.*?)((?:~\d*|\^\d*)*)$/.exec(word) ?? [];
    const at = this.#start(name === "" ? "HEAD" : name);
    if (at === undefined) return undefined;
    const found = this.#objects.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `${at}${steps}^{commit}`]);
    return found?.toString("latin1").trim();
  }

  /** Where a commit and HEAD have parted; undefined: nowhere, or at several places. */
  common(commit: string): string | undefined {
    const head = this.commit("HEAD");
    const found = head === undefined ? undefined : this.#objects.ask(["merge-base", "--all", head, commit]);
    const all = found?.toString("latin1").trim().split("\n") ?? [];
    return all.length === 1 && all[0] !== "" ? all[0] : undefined;
  }

  /** `git switch x` where only `origin/x` is there (git-switch(1), "--guess"). */
  ofOneRemote(branch: string): string | undefined {
    const found = this.#remotes().flatMap((remote) => this.#ref(`refs/remotes/${remote}/${branch}`) ?? []);
    return found.length === 1 ? found[0] : undefined;
  }

  #start(name: string): string | undefined {
    if (name === "@" || name === "HEAD") return this.#ref("HEAD");
    if (name === "-") return this.#before(1);
    const [, back] = /^@\{-(\d+)\}$/.exec(name) ?? [];
    if (back !== undefined) return this.#before(Number(back));
    const [, stash] = /^stash@\{(\d+)\}$/.exec(name) ?? [];
    if (stash !== undefined) return this.#log("logs/refs/stash").at(-1 - Number(stash))?.to;
    const [, of] = /^(.*)@\{u(?:pstream)?\}$/.exec(name) ?? [];
    if (of !== undefined) return this.#upstream(of);
    if (name === "FETCH_HEAD") return this.#fetched();
    for (const ref of [
      name,
      `refs/${name}`,
      `refs/tags/${name}`,
      `refs/heads/${name}`,
      `refs/remotes/${name}`,
      `refs/remotes/${name}/HEAD`,
    ]) {
      const found = this.#ref(ref);
      if (found !== undefined) return found;
    }
    return /^[0-9a-f]{7,64}$/.test(name) ? name : undefined;
  }

  #ref(name: string, links = LINKS): string | undefined {
    if (!/^(?:refs\/|[A-Z_]+$)/.test(name) || /(?:^|\/)\.\.?(?:\/|$)/.test(name)) return undefined;
    const text = readText(joinPath(name.startsWith("refs/") ? this.#common : this.#own, name), MOST_BYTES)?.trim();
    if (text === undefined) return this.#packed().get(name);
    if (OID.test(text)) return text;
    const [, to] = /^ref: (refs\/\S+)$/.exec(text) ?? [];
    return to === undefined || links === 0 ? undefined : this.#ref(to, links - 1);
  }

  #packed(): ReadonlyMap<string, string> {
    const lines = readText(joinPath(this.#common, "packed-refs"), MOST_BYTES)?.split("\n") ?? [];
    const found = new Map<string, string>();
    for (const line of lines) {
      const [, oid, name] = /^([0-9a-f]+) (\S+)$/.exec(line) ?? [];
      if (oid !== undefined && name !== undefined) found.set(name, oid);
    }
    return found;
  }

  #log(name: string): readonly { readonly to: string; readonly says: string }[] {
    const folder = name.startsWith("logs/refs/") ? this.#common : this.#own;
    const lines = readText(joinPath(folder, name), MOST_BYTES)?.trimEnd().split("\n") ?? [];
    return lines.map((line) => ({ to: line.split(" ")[1] ?? "", says: line.slice(line.indexOf("\t") + 1) }));
  }

  /** Where HEAD was, so many changes of branch ago. */
  #before(back: number): string | undefined {
    const moves = this.#log("logs/HEAD").flatMap(({ says }) => /^checkout: moving from (\S+) to /.exec(says)?.[1] ?? []);
    const name = moves.at(-back);
    return name === undefined || /[@{]/.test(name) ? undefined : this.#start(name);
  }

  #fetched(): string | undefined {
    const lines = readText(joinPath(this.#own, "FETCH_HEAD"), MOST_BYTES)?.trimEnd().split("\n") ?? [];
    const merged = lines.filter((line) => !line.includes("\tnot-for-merge\t"));
    return merged.length === 1 ? merged[0]?.split("\t")[0] : undefined;
  }

  #upstream(branch: string): string | undefined {
    const head = /^ref: refs\/heads\/(\S+)$/.exec(readText(joinPath(this.#own, "HEAD"), MOST_BYTES)?.trim() ?? "")?.[1];
    const name = branch === "" || branch === "HEAD" ? head : branch;
    if (name === undefined) return undefined;
    const entries = new Map(gitConfigEntries(readText(joinPath(this.#common, "config"), MOST_BYTES) ?? ""));
    const remote = entries.get(`branch.${name}.remote`);
    const [, merged] = /^refs\/heads\/(.+)$/.exec(entries.get(`branch.${name}.merge`) ?? "") ?? [];
    if (remote === undefined || merged === undefined) return undefined;
    return this.#ref(remote === "." ? `refs/heads/${merged}` : `refs/remotes/${remote}/${merged}`);
  }

  #remotes(): readonly string[] {
    const found = new Set([...this.#packed().keys()].flatMap((name) => /^refs\/remotes\/([^/]+)\//.exec(name)?.[1] ?? []));
    try {
      for (const name of readdirSync(joinPath(this.#common, "refs/remotes"))) found.add(name);
    } catch {
      // Then there are those that are packed.
    }
    return [...found];
  }
}
