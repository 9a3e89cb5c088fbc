import { lstatSync, writeFileSync } from "node:fs";
import { redactString } from "@assent/guard/audit";
import { joinPath } from "@assent/core/path";
import { commonOf, gitFolderOf, topOf } from "@assent/guard/state";
import { bytesAt } from "../undo/index.ts";
import { GitNames } from "./git-names.ts";
import { GitObjects } from "./git-objects.ts";
import { type GitPlan, gitWords, INDEX, planOf } from "./git-plan.ts";

/** A file as a command of git is about to leave it, with the same bytes perhaps; undefined: it is not there. */
export interface ForeseenFile {
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

/** Files that differ between the trees, and are looked at. */
const MOST_FILES = 5000;
/** Of one file's difference. */
const MOST_LINES = 40;
const MOST_COLUMNS = 300;
/** Of one command: a repository can have thousands of such files, and everything else waits meanwhile. */
const PATIENCE_MS = 10_000;

type Entry = readonly [mode: string, oid: string];
const NONE = "000000";
const IRRELEVANT: ReadonlySet<string> = new Set(["100644", "100755"]);

/**
 * What a command of git is about to put into files of a working tree, worked out before it starts. INVARIANT: it is what a person is
 * shown, and never what is let through unseen: where git does otherwise, the command is taken back.
 */
export class GitForesight {
  readonly #scratch: string;
  readonly #patience: number;

  /** `scratch`: a folder of its own, which need not be there. `patience`: milliseconds; what takes longer cannot be told. */
  constructor(scratch: string, patience = PATIENCE_MS) {
    this.#scratch = scratch;
    this.#patience = patience;
  }

  /** `wants`: of which files it is to be said. Empty: none of them is changed, or it cannot be told. */
  look(argv: readonly string[], cwd: string, wants: (path: string) => boolean): readonly ForeseenFile[] {
    const words = gitWords(argv, cwd);
    const top = words === undefined ? undefined : topOf(joinPath(words.folder, "#"));
    const own = top === undefined ? undefined : gitFolderOf(top);
    const common = top === undefined ? undefined : commonOf(top);
    if (words === undefined || top === undefined || own === undefined || common === undefined) return [];
    const isLong = /objectformat\s*=\s*"?sha256/i.test(bytesAt(joinPath(common, "config"))?.toString("latin1") ?? "");
    const objects = new GitObjects(common, `${this.#scratch}/${isLong ? 64 : 40}`, isLong ? 64 : 40);
    const names = new GitNames(own, common, objects);
    const found: ForeseenFile[] = [];
    const until = performance.now() + this.#patience;
    for (const plan of planOf(words, names)) {
      const tree = new Tree(objects, { top, own, folder: words.folder, until }, (name) => wants(joinPath(top, name)));
      const files = tree.changedBy(plan, names.commit("HEAD"));
      if (files === undefined) return [];
      found.push(...files);
    }
    return found;
  }

  /** Lines of a patch, secrets taken out: at most so many a file. */
  difference({ path, before, after }: ForeseenFile, name: string): readonly string[] {
    const one = joinPath(this.#scratch, "before");
    const other = joinPath(this.#scratch, "after");
    writeFileSync(one, before ?? "", { mode: 0o600 });
    writeFileSync(other, after ?? "", { mode: 0o600 });
    const words = ["diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--no-prefix", "-U2", "--", one, other];
    const out = new GitObjects(path, `${this.#scratch}/40`, 40).run(words).toString("utf8");
    const lines = out
      .slice(out.indexOf("\n@@ ") + 1)
      .trimEnd()
      .split("\n")
      .filter((line) => line !== "\\ No newline at end of file")
      .map((line) => redactString(line.length > MOST_COLUMNS ? `${line.slice(0, MOST_COLUMNS)}…` : line));
    const what = before === undefined ? " (new)" : after === undefined ? " (deleted)" : "";
    const more = lines.length > MOST_LINES ? [`… ${lines.length - MOST_LINES} more lines`] : [];
    return [`${name}${what}`, ...lines.slice(0, MOST_LINES), ...more];
  }
}

interface TreePlace {
  readonly top: string;
  readonly own: string;
  readonly folder: string;
  /** By performance.now(). */
  readonly until: number;
}

/** A working tree, and what is to become of it. */
class Tree {
  readonly #objects: GitObjects;
  readonly #place: TreePlace;
  readonly #wants: (name: string) => boolean;

  constructor(objects: GitObjects, place: TreePlace, wants: (name: string) => boolean) {
    this.#objects = objects;
    this.#place = place;
    this.#wants = wants;
  }

  /** Undefined: it cannot be told. */
  changedBy(plan: GitPlan, head: string | undefined): readonly ForeseenFile[] | undefined {
    if (plan.is === "put" && (plan.force || plan.paths !== undefined)) return this.#over(plan);
    if (head === undefined) return undefined;
    if (plan.is === "merge") return this.#each(this.#between(plan.base, plan.to), (now, from, to) => this.#merged(now, from, to));
    // What the branch itself did to them is done again, one commit after the other.
    if (plan.is === "onto" && this.#between(plan.base, head)?.length !== 0) return undefined;
    // git refuses to put something over what was changed, and leaves alone what both commits have.
    const put = (now: Buffer | undefined, from: Buffer | undefined, to: Buffer | undefined): Buffer | undefined =>
      isSame(now, from) ? to : now;
    return this.#each(this.#between(head, plan.is === "put" ? plan.from : plan.to), put);
  }

  /** Files that are wanted and differ between two trees. */
  #between(one: string, other: string): readonly (readonly [name: string, from: Entry, to: Entry])[] | undefined {
    const out = this.#objects.ask(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", one, other]);
    if (out === undefined) return undefined;
    const parts = out.toString("utf8").split("\0");
    if (parts.length > 2 * MOST_FILES) return undefined;
    const found: (readonly [string, Entry, Entry])[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [, oldMode = "", newMode = "", oldOid = "", newOid = ""] = /^:(\d+) (\d+) (\w+) (\w+) /.exec(parts[at] ?? "") ?? [];
      const name = parts[at + 1] ?? "";
      if (oldOid !== newOid && this.#wants(name)) found.push([name, [oldMode, oldOid], [newMode, newOid]]);
    }
    return found;
  }

  #each(
    changes: readonly (readonly [name: string, from: Entry, to: Entry])[] | undefined,
    becomes: (now: Buffer | undefined, from: Buffer | undefined, to: Buffer | undefined) => Buffer | "unsure" | undefined,
  ): readonly ForeseenFile[] | undefined {
    const found: ForeseenFile[] = [];
    for (const [name, from, to] of changes ?? []) {
      if (this.#isLate()) return undefined;
      const path = joinPath(this.#place.top, name);
      const [old, next] = [this.#blob(from), this.#blob(to)];
      const before = this.#now(path);
      if (old === "unsure" || next === "unsure" || before === "unsure") return undefined;
      const after = becomes(before, old, next);
      if (after === "unsure") return undefined;
      if (!isSame(before, after)) found.push({ path, before, after });
    }
    return changes === undefined ? undefined : found;
  }

  /** As they are in a commit, or in the index, whatever is there now. */
  #over({ from, paths }: GitPlan & { readonly is: "put" }): readonly ForeseenFile[] | undefined {
    const { top, own, folder } = this.#place;
    const words = ["ls-files", "-z", "--cached", "--full-name"];
    const sight = { cwd: paths === undefined ? top : folder, env: { GIT_INDEX_FILE: joinPath(own, "index"), GIT_WORK_TREE: top } };
    const tree = from === INDEX ? [] : [`--with-tree=${from}`];
    const out = this.#objects.ask([...words, ...tree, "--", ...(paths ?? [])], sight);
    if (out === undefined) return undefined;
    const wanted = [...new Set(out.toString("utf8").split("\0"))].filter((name) => name !== "" && this.#wants(name));
    const found: ForeseenFile[] = [];
    for (const name of wanted) {
      if (this.#isLate()) return undefined;
      const path = joinPath(top, name);
      const before = this.#now(path);
      const after = this.#blob(from === INDEX ? this.#staged(name, sight) : this.#entry(from, name));
      if (before === "unsure" || after === "unsure") return undefined;
      // What a commit does not have is left alone where paths are named. What is the same may be written anew.
      if (after !== undefined || paths === undefined) found.push({ path, before, after });
    }
    return found;
  }

  #isLate = (): boolean => performance.now() > this.#place.until;

  #staged(name: string, { env }: { readonly env: Readonly<Record<string, string>> }): Entry {
    const out = this.#objects.run(["ls-files", "-s", "-z", "--", `:(literal)${name}`], { cwd: this.#place.top, env }).toString("utf8");
    const [, mode, oid] = /^(\d+) (\w+) 0\t/.exec(out) ?? [];
    return mode === undefined || oid === undefined ? ["unmerged", ""] : [mode, oid];
  }

  #entry(commit: string, name: string): Entry {
    const out = this.#objects.run(["ls-tree", "-z", "--full-tree", commit, "--", name]).toString("utf8");
    const [, mode, oid] = /^(\d+) \w+ (\w+)\t/.exec(out) ?? [];
    return mode === undefined || oid === undefined ? [NONE, ""] : [mode, oid];
  }

  #blob([mode, oid]: Entry): Buffer | "unsure" | undefined {
    if (mode === NONE) return undefined;
    return IRRELEVANT.has(mode) ? (this.#objects.ask(["cat-file", "blob", oid]) ?? "unsure") : "unsure";
  }

  #now(path: string): Buffer | "unsure" | undefined {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : (bytesAt(path) ?? "unsure");
  }

  #merged(now: Buffer | undefined, from: Buffer | undefined, to: Buffer | undefined): Buffer | "unsure" | undefined {
    if (isSame(now, to) || isSame(from, to)) return now;
    if (isSame(now, from)) return to;
    if (now === undefined || from === undefined || to === undefined) return "unsure";
    const files = (["now", "from", "to"] as const).map((name) => joinPath(this.#objects.scratch, `merge-${name}`));
    for (const [at, bytes] of [now, from, to].entries()) writeFileSync(files[at] ?? "", bytes, { mode: 0o600 });
    return this.#objects.ask(["merge-file", "-p", "-q", ...files]) ?? "unsure";
  }
}

export function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
