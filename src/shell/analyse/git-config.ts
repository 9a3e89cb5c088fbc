import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { tablePath } from "../kinds.ts";
import { textOf, type Value } from "../value.ts";

const READING = new Set(["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "--list"]);
const READING_WORDS = new Set(["get", "list", "get-color", "get-colorbool"]);
const WRITING_WORDS = new Set(["set", "unset", "rename-section", "remove-section", "edit"]);

/** Keys whose value is text, a number or a switch; every other key may name a program, a file or a server. */
const INERT_KEYS =
  /^(user\.(name|email|signingkey|useconfigonly)|author\.\w+|committer\.\w+|color\..+|advice\..+|column\..+|init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel)|merge\.(ff|conflictstyle|stat|renames|renamelimit)|rebase\.(autostash|autosquash|updaterefs|stat)|diff\.(algorithm|renames|renamelimit|context|mnemonicprefix|noprefix|colormoved|wserrorhighlight|ignoresubmodules)|status\..+|log\.(date|decorate|abbrevcommit|follow|showsignature)|branch\..+\.(remote|merge|rebase|description)|branch\.(sort|autosetupmerge|autosetuprebase)|tag\.(sort|forcesignannotated)|core\.(autocrlf|safecrlf|eol|ignorecase|filemode|quotepath|precomposeunicode|longpaths|abbrev|bare|logallrefupdates|whitespace|compression|bigfilethreshold|untrackedcache|preloadindex|symlinks)|commit\.(verbose|status|cleanup)|format\.(pretty|signoff)|grep\.(linenumber|patterntype|extendedregexp|column)|blame\..+|rerere\.(enabled|autoupdate)|help\.autocorrect|gc\..+|pack\..+|index\..+|feature\..+|versionsort\..+|stash\.show\w+|transfer\.fsckobjects|submodule\.(recurse|fetchjobs)|http\.(postbuffer|lowspeedlimit|lowspeedtime)|lfs\..+\.access|worktree\.guessremote|checkout\.\w+|clone\.defaultremotename|interactive\.singlekey|i18n\..+)$/i;

export const isInertGitKey = (key: string): boolean => INERT_KEYS.test(key) && !/^(column|color)\.pager$/i.test(key);

/** git-config(1): reads one key or a list, or writes a file; a written key may name a program that git runs later. */
export function gitConfig(inv: Invocation): void {
  const given = inv.args.options.flatMap((option) => option.option?.names ?? []);
  const has = (...names: readonly string[]): boolean => names.some((name) => given.includes(name));
  const [first, second] = inv.args.operands;
  const word = first === undefined ? undefined : textOf(first);
  const takenBack = given.some((name) => name.startsWith("--no-get") || name === "--no-list");
  const reads = !takenBack && (given.some((name) => READING.has(name)) || (word !== undefined && READING_WORDS.has(word)));
  const changes = has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section", "--edit");
  if (!changes && (reads || inv.args.operands.length < 2) && !(word === "edit" || (word !== undefined && WRITING_WORDS.has(word) && second !== undefined))) return;
  emitFile(inv, "edit", changedFile(inv, has));
  const key = word !== undefined && WRITING_WORDS.has(word) && second !== undefined ? second : first;
  if (key !== undefined && !has("--unset", "--unset-all", "--remove-section", "--rename-section") && word !== "unset") judgeKey(inv, key);
}

function changedFile(inv: Invocation, has: (...names: readonly string[]) => boolean): Value {
  const file = inv.args.options.find((option) => option.option?.names.includes("--file") === true)?.value;
  if (file !== undefined) return file;
  if (has("--global")) return tablePath(inv, "~/.gitconfig");
  if (has("--system")) return tablePath(inv, "/etc/gitconfig");
  return tablePath(inv, has("--worktree") ? "$git/config.worktree" : "$git/config");
}

function judgeKey(inv: Invocation, value: Value): void {
  const key = textOf(value);
  if (key === undefined) {
    refuse(inv, `the git setting is only known at run time: ${describe(value)}`, "write it out");
    return;
  }
  if (isInertGitKey(key)) return;
  inv.cx.add({ kind: "code", language: "git config", source: "inline", detail: inv.args.operands.map((operand) => describe(operand)).join(" "), foreign: true, origin: { by: "command", exec: inv.exec }, ...(inv.span === undefined ? {} : { span: inv.span }) });
  refuse(inv, `the git setting \`${key}\` may name a program that git runs later`, "ask the user to change it");
}
