import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { confinesAnything, FORGE_FILES, isSecretByName } from "@assent/core/policy";
import { joinPath } from "@assent/core/path";
import { tokensIn } from "../../audit/index.ts";
import { isLikely } from "../written-secrets.ts";
import { Git, type GitKeyRules, isOff, whyConfiguredOtherwise, whyHooked } from "./git.ts";
import { type AskedAction, type NoConsent, optionsOf, type PlainAction, readPlain, readWords } from "./kind.ts";

/** git-add(1), git-commit(1): what names files, or says how much is printed. No amending, signing or editor. */
const OPTIONS = {
  add: optionsOf({ all: "-A --all -u --update", printed: "-v --verbose" }),
  commit: optionsOf({ text: "-m --message -am -qm", all: "-a --all", printed: "-q --quiet" }),
};
export const FOREIGN = "foreign-repository";
const MOST_BYTES = 8 << 20;

/** `git add` or `git commit`. */
export const isCommitting = ({ exec }: Pick<AskedAction, "exec">): boolean =>
  exec.knowledge === "git add" || exec.knowledge === "git commit";

/** What a plain one says. */
export function readCommit({ exec, words }: PlainAction): { readonly texts: readonly string[] } | NoConsent {
  const command = exec.knowledge === "git commit" ? "commit" : "add";
  const read = readWords(words.slice(words.indexOf(command) + 1), OPTIONS[command], new Set(["text"]));
  const texts = read?.options.get("text") ?? [];
  return read === undefined ||
    (command === "commit" ? read.operands.length > 0 || texts.length === 0 : read.operands.some((one) => one.startsWith(":")))
    ? { why: "only files are added and committed so: no amending, signing or other option" }
    : { texts };
}

/** The command at a place, and what it does in its own repository. */
export const partsOfCommit = ({ found }: Pick<AskedAction, "found">, at: number, common: string): readonly number[] =>
  found.actions.flatMap(({ action: one }, place) =>
    place === at ||
    (one.origin.by === "command" &&
      one.origin.exec === at &&
      ((one.kind === "file" && one.target.kind === "path" && one.target.path === common) ||
        (one.kind === "code" && one.source === "project" && one.foreign !== true)))
      ? [place]
      : [],
  );

/** What git would start there, sign, or take along. */
export function whyMoreThanCommits(git: Git, top: string, rules: GitKeyRules = []): string | undefined {
  const why = whyConfiguredOtherwise(git, [[/^commit\.gpgsign$/, isOff], ...rules]) ?? whyHooked(git, top);
  if (why !== undefined) return why;
  const added = untracked(git);
  // gitsubmodules(7): git starts itself in each of them, by the configuration that lies there.
  if (added.some((name) => name.endsWith("/")) || git.lines("ls-files", "-z", "-s").some((line) => line.startsWith("160000 ")))
    return "there are other repositories below";
  const secret = added.find((name) => isSecretByName(`/${name}`));
  return secret === undefined ? undefined : `it may take along ${secret}, which may hold a secret`;
}

const untracked = (git: Git): readonly string[] => git.lines("ls-files", "-z", "--others", "--exclude-standard");

/**
 * What the line commits in the repository before the push sends it. INVARIANT: all that could be committed is looked at, whatever the
 * words name, and nothing that the repository holds is started by it.
 */
export function commitsBefore(asked: PlainAction): readonly number[] | NoConsent {
  const { top, common } = asked.repository;
  const { found, execAt, machine, policy, request } = asked;
  const texts: string[] = [];
  const covers: number[] = [];
  for (const [at, { action: exec }] of found.actions.slice(0, execAt).entries()) {
    if (exec.kind !== "exec" || !isCommitting({ exec })) continue;
    const plain = readPlain({ ...asked, action: exec, at, exec, execAt: at });
    const read = "why" in plain ? plain : plain.repository.top === top ? readCommit(plain) : { why: "it commits in another repository" };
    if ("why" in read) return read;
    texts.push(...read.texts);
    covers.push(...partsOfCommit(asked, at, common));
  }
  if (covers.length === 0) return [];
  // No sentence is about committing here: it goes ahead by itself, or is a question of its own.
  const goesAhead = request.host.confines === true && confinesAnything(policy) && policy.settings.unknown !== "confine-log";
  if (!goesAhead && covers.some((at) => found.actions[at]?.verdict.decision !== "allow")) return { why: "it commits, which is asked here" };
  const git = new Git(asked.exec, top, machine);
  // gitattributes(5): a filter would be started by the look itself.
  const why = whyMoreThanCommits(git, top, [[/^filter\./, () => false]]);
  if (why !== undefined) return { why };
  const added = untracked(git);
  const names = [...added, ...git.lines("diff", "-z", "--name-only", "--no-renames", "HEAD", "--"), ...staged(git, "--name-only", "-z")];
  if (names.some((name) => FORGE_FILES.test(name))) return { why: "it changes what CI or the forge runs" };
  const how = ["--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "-U0"];
  texts.push(addedIn(git.text("diff", ...how, "HEAD", "--")), addedIn(staged(git, ...how).join("\n")));
  let left = MOST_BYTES;
  for (const path of added.map((name) => joinPath(top, name))) {
    const stat = lstatSync(path);
    if (!stat.isFile() && !stat.isSymbolicLink()) return { why: "it takes along a device, a pipe or a socket" };
    left -= stat.size;
    if (left < 0) return { why: "it sends more than is looked through" };
    texts.push(stat.isFile() ? readFileSync(path, "utf8") : readlinkSync(path));
  }
  const whyNot = whyNotSent(names, texts);
  return whyNot === undefined ? covers : { why: whyNot };
}

/** Names of files, and texts, that leave the machine. */
export function whyNotSent(names: readonly string[], texts: readonly string[]): string | undefined {
  const secret = names.find((name) => isSecretByName(`/${name.trim()}`));
  if (secret !== undefined) return `it sends ${secret.trim()}, which may hold a secret`;
  return texts.some((text) => tokensIn(text).some(isLikely)) ? "a key or token stands in what it sends" : undefined;
}

const staged = (git: Git, ...how: readonly string[]): readonly string[] =>
  git.lines("diff", "--cached", "--no-renames", ...how, "HEAD", "--");

/** What a patch takes away is there already. */
export const addedIn = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("-"))
    .join("\n");
