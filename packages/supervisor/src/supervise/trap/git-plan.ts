import { baseName, resolvePath } from "@assent/core/path";
import type { GitNames } from "./git-names.ts";

/**
 * Where what a command of git puts into the working tree comes from. `put`: from a commit, or the index; `force`: over what is there.
 * `merge`: what has changed from one commit to another. `onto`: a branch made anew upon another commit, from where the two have parted.
 */
export type GitPlan =
  | { readonly is: "put"; readonly from: string; readonly force: boolean; readonly paths?: readonly string[] }
  | { readonly is: "merge" | "onto"; readonly base: string; readonly to: string };

export const INDEX = "index";

/** `git [-C FOLDER] SUBCOMMAND …`. */
export interface GitWords {
  readonly folder: string;
  readonly subcommand: string;
  readonly rest: readonly string[];
}

/** Undefined: its words are not understood so far. */
export function gitWords(argv: readonly string[], cwd: string): GitWords | undefined {
  const [, own] = /^git-([\w-]+)$/.exec(baseName(argv[0] ?? "")) ?? [];
  if (own !== undefined) return { folder: cwd, subcommand: own, rest: argv.slice(1) };
  let folder = cwd;
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "-C") folder = resolvePath(folder, argv[++at] ?? "");
    else if (word === "-c") at++;
    else if (/^(?:--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--bare|--config-env)/.test(word)) return undefined;
    else if (!word.startsWith("-")) break;
  }
  return { folder, subcommand: argv[at] ?? "", rest: argv.slice(at + 1) };
}

/** Options whose value is the next word. */
const VALUES: Readonly<Record<string, string>> = {
  checkout: "-b -B",
  switch: "-c -C",
  restore: "-s",
  merge: "-m -F --into-name",
  rebase: "--onto",
  reset: "",
  stash: "-m --message",
  "cherry-pick": "-m",
  revert: "-m",
};
/** What these would put there cannot be told from commits alone. */
const OTHERS = new RegExp(
  "^(?:-[psXix]|-[mt]\\d*$|--(?:patch|strategy|strategy-option|exec|interactive|merge|ours|theirs|orphan|abort|continue|quit|skip|root|conflict|" +
    "pathspec-from-file|include-untracked|all|mainline|autosquash|rebase-merges)(?:=|$))",
);

/** Letters that mean something else to these. */
const MEANT: Readonly<Record<string, string>> = { "-s": "restore", "-t": "checkout switch", "-m": "merge stash", "-p": "" };

interface Taken {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** Behind `--`. */
  readonly paths: readonly string[] | undefined;
}

function take(subcommand: string, rest: readonly string[]): Taken {
  const valued = new Set(VALUES[subcommand]?.split(" "));
  const end = rest.indexOf("--");
  const options = new Map<string, string>();
  const words: string[] = [];
  const own = end < 0 ? rest : rest.slice(0, end);
  for (let at = 0; at < own.length; at++) {
    const word = own[at] ?? "";
    const [, name = word, value = ""] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (word === "-" || !word.startsWith("-")) words.push(word);
    else options.set(name, valued.has(word) ? (own[++at] ?? "") : value);
  }
  return { words, options, paths: end < 0 ? undefined : rest.slice(end + 1) };
}

/** Undefined: it puts nothing there, or what cannot be told before. */
export function planOf({ subcommand, rest }: GitWords, names: GitNames): readonly GitPlan[] {
  const taken = take(subcommand, rest);
  const has = (...options: readonly string[]): boolean => options.some((option) => taken.options.has(option));
  if ([...taken.options.keys()].some((option) => OTHERS.test(option) && MEANT[option]?.includes(subcommand) !== true)) return [];
  const { words, paths } = taken;
  const [first] = words;
  switch (subcommand) {
    case "switch":
    case "checkout": {
      const force = has("-f", "--force", "--discard-changes");
      if (has("-b", "-B", "-c", "-C")) return first === undefined ? [] : put(names.commit(first), force);
      const at = first === undefined ? undefined : names.commit(first);
      if (subcommand === "checkout" && paths !== undefined) return words.length > 1 ? [] : from(first, at, paths);
      if (words.length > 1)
        return subcommand === "switch" ? [] : at === undefined ? from(undefined, undefined, words) : from(first, at, words.slice(1));
      if (first === undefined) return force ? put(names.commit("HEAD"), force) : [];
      const guessed = at ?? names.ofOneRemote(first);
      return guessed === undefined && subcommand === "checkout" ? from(undefined, undefined, words) : put(guessed, force);
    }
    case "restore": {
      if (has("-S", "--staged") && !has("-W", "--worktree")) return [];
      const source = taken.options.get("-s") ?? taken.options.get("--source") ?? (has("-S", "--staged") ? "HEAD" : undefined);
      return from(source, source === undefined ? undefined : names.commit(source), [...words, ...(paths ?? [])]);
    }
    case "reset":
      return has("--hard", "--keep", "--merge") ? put(names.commit(first ?? "HEAD"), has("--hard")) : [];
    case "merge":
      return words.length > 1 ? [] : merge(names, names.commit(first ?? "@{upstream}"));
    case "rebase":
      return words.length > 1 ? [] : onto(names, names.commit(first ?? "@{upstream}"), taken.options.get("--onto"));
    case "cherry-pick":
      return words.length === 1 ? change(names, `${first}^`, `${first}`) : [];
    case "revert":
      return words.length === 1 ? change(names, `${first}`, `${first}^`) : [];
    case "stash": {
      if (first === undefined || first === "push" || first === "save")
        return (first === "push" && words.length > 1) || paths !== undefined || has("-u", "-a") ? [] : put(names.commit("HEAD"), true);
      const [, which = "stash@{0}"] = words;
      const stash = /^\d+$/.test(which) ? `stash@{${which}}` : which;
      return first === "pop" || first === "apply" ? change(names, `${stash}^1`, stash) : [];
    }
    default:
      return [];
  }
}

const put = (commit: string | undefined, force: boolean): readonly GitPlan[] =>
  commit === undefined ? [] : [{ is: "put", from: commit, force }];

/** Paths out of a commit, or where no name is given, out of the index. */
const from = (name: string | undefined, commit: string | undefined, paths: readonly string[]): readonly GitPlan[] =>
  (name !== undefined && commit === undefined) || paths.length === 0 ? [] : [{ is: "put", from: commit ?? INDEX, force: true, paths }];

function change(names: GitNames, base: string, to: string): readonly GitPlan[] {
  const [one, other] = [names.commit(base), names.commit(to)];
  return one === undefined || other === undefined ? [] : [{ is: "merge", base: one, to: other }];
}

function merge(names: GitNames, to: string | undefined): readonly GitPlan[] {
  const base = to === undefined ? undefined : names.common(to);
  return to === undefined || base === undefined ? [] : [{ is: "merge", base, to }];
}

function onto(names: GitNames, upstream: string | undefined, other: string | undefined): readonly GitPlan[] {
  const to = other === undefined ? upstream : names.commit(other);
  return merge(names, to).map((plan) => (plan.is === "merge" ? { ...plan, is: "onto" } : plan));
}
