import { joinPath } from "../../path/index.ts";
import { type GitConfigEntry, repositoriesAround } from "../../policy/index.ts";
import { gitEntries, gitPath } from "./git-keys.ts";
import type { Invocation } from "./invocation.ts";
import { has } from "./given.ts";

/** By the option that takes it back: the keys that have git sign without being told (git-config(1)). */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  "--no-gpg-sign": ["commit.gpgsign"],
  "--no-sign": ["tag.gpgsign"],
  "--no-signed": ["push.gpgsign"],
};
/** Nothing is made then, or nothing that is signed. */
const MAKES_NONE = "--abort --quit --ff-only --squash --no-commit --dry-run --edit-todo --show-current-patch".split(" ");
const LOOKS_AT_TAGS = "--list --delete --verify -n --contains --no-contains --merged --no-merged --points-at".split(" ");
const MAKES_TAGS_WITH_TEXT = ["--annotate", "--message", "--file"];
const OFF = /^(?:false|no|off|0)$/i;

/** A command of git that would sign because its configuration says so needs who holds the keys, as one that is told so by an option. */
export function gitSigning(inv: Invocation): void {
  const [back, keys = []] = Object.entries(SIGNED).find(([option]) => inv.grammar.options.has(option)) ?? [];
  if (back === undefined || has(inv, back, ...MAKES_NONE)) return;
  const tags = back === "--no-sign";
  if (tags && (inv.args.operands.length === 0 || has(inv, ...LOOKS_AT_TAGS))) return;
  const entries = settings(inv);
  const last = (...names: readonly string[]): string | undefined => entries.findLast(([key]) => names.includes(key))?.[1];
  const signs = [...keys, ...(tags && has(inv, ...MAKES_TAGS_WITH_TEXT) ? ["tag.forcesignannotated"] : [])].find(
    (key) => !OFF.test(last(key) ?? "false"),
  );
  if (signs === undefined || (last("gpg.format") === "ssh" && isPlainKey(last("user.signingkey") ?? "", inv))) return;
  inv.cx.addNeed(inv.exec, "keys", ` (${signs} is set)`);
}

/** ssh-keygen(1), -Y sign: it reads the key itself, and no agent; of those at home each is a secret. */
function isPlainKey(key: string, { cx: { world } }: Invocation): boolean {
  return /^[./~]/.test(key) && !key.endsWith(".pub") && !gitPath(key, world).startsWith(joinPath(world.home, ".ssh/"));
}

/** What git finds set, in its order: the last of a key counts. */
function settings(inv: Invocation): readonly GitConfigEntry[] {
  const { world } = inv.cx;
  const repositories = inv.places.flatMap((place) => (place.is === "unknown" ? [] : repositoriesAround(place.path, world).toReversed()));
  const files = [
    undefined,
    ...repositories.flatMap(({ gitdir, common }) => [joinPath(common, "config"), joinPath(gitdir, "config.worktree")]),
  ];
  const holds = (condition: string): boolean => repositories.some(({ gitdir }) => isMet(condition, gitdir, inv));
  return [...files.flatMap((file) => gitEntries(world, file, holds)), ...wordsOf(inv)];
}

/** `gitdir:~/code/`, which most are, is told; another condition may hold. A plain `include` has none. */
function isMet(condition: string, gitdir: string, { cx: { world } }: Invocation): boolean {
  const folder = /^gitdir(?:\/i)?:([~/][^*?[]*\/)$/.exec(condition)?.[1];
  return folder === undefined || `${gitdir}/`.toLowerCase().startsWith(gitPath(folder, world).replace(/\/*$/, "/").toLowerCase());
}

/** `-c KEY=VALUE`; `--config-env=KEY=VARIABLE` may set anything. */
function wordsOf(inv: Invocation): readonly GitConfigEntry[] {
  const action = inv.cx.actions[inv.exec];
  const words = action?.kind === "exec" ? action.argv.map((word) => (word.known ? word.text : "")) : [];
  return words.flatMap((word, at) => {
    const text = words[at - 1] === "-c" ? word : /^--config-env=(.*)$/.exec(word)?.[1];
    const [, key, value] = /^([\w.-]+)(?:=(.*))?$/.exec(text ?? "") ?? [];
    return key === undefined ? [] : [[key.toLowerCase(), text === word ? (value ?? "") : ""] as const];
  });
}
