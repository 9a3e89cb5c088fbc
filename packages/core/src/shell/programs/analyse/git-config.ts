import { emitFile, type Invocation } from "../invocation.ts";
import { applyEffect, emitTablePath } from "../effects.ts";
import { applyKind } from "../kinds.ts";
import { literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";
import { STARTING_KEY } from "../git-keys.ts";
import { toldRevisions } from "./git-revisions.ts";

const READING = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool"];
const WRITING = ["--replace-all", "--add", "--unset", "--unset-all", "--rename-section", "--remove-section", "--edit"];
/** git 2.46: subcommands in the place of options. Older ones take the word for a key, and refuse it for having no dot. */
const SUBCOMMANDS = new Set(["list", "get", "get-color", "get-colorbool", "set", "unset", "rename-section", "remove-section", "edit"]);

/** Keys that hold a name, a number, a colour or a choice among what git itself does (git-config(1)). Any other may name a program or lift a protection. */
const INERT = [
  new RegExp(
    String.raw`^user\.(name|email|signingkey|useconfigonly)$|^(author|committer)\.(name|email)$|^(remote\.pushdefault|` +
      String.raw`http\.(postbuffer|version|lowspeedlimit|lowspeedtime)|submodule\.(recurse|fetchjobs)|worktree\.guessremote|` +
      String.raw`clone\.defaultremotename|interactive\.singlekey|format\.pretty)$`,
  ),
  /^(color|column|advice|status|log|grep|stash|index|feature|pack|checkout|i18n|rerere|rebase|push)\.([a-z]+\.)?[a-z]+$/,
  new RegExp(
    String.raw`^(init\.defaultbranch|pull\.(rebase|ff)|fetch\.(prune|prunetags|parallel|output|recursesubmodules|showforcedupdates|` +
      String.raw`writecommitgraph)|apply\.(whitespace|ignorewhitespace)|tag\.(sort|gpgsign))$`,
  ),
  new RegExp(
    String.raw`^merge\.(ff|conflictstyle|renamelimit|renames|stat|log|verbosity|autostash)$|^commit\.(verbose|gpgsign|cleanup|` +
      String.raw`status)$|^gc\.(auto|autodetach|autopacklimit)$|^help\.autocorrect$`,
  ),
  new RegExp(
    String.raw`^diff\.(algorithm|colormoved|colormovedws|context|interhunkcontext|renames|renamelimit|noprefix|mnemonicprefix|` +
      "relative|wserrorhighlight|submodule|ignoresubmodules|indentheuristic|statgraphwidth)$",
  ),
  /^blame\.(blankboundary|coloring|date|showemail|showroot|markignoredlines|markunblamablelines)$|^branch\.(autosetupmerge|autosetuprebase|sort)$/,
  new RegExp(
    String.raw`^branch\..+\.(remote|merge|rebase|description|pushremote|vscode-merge-base)$|^remote\..+\.(fetch|push|prune|prunetags|` +
      "tagopt|mirror|skipdefaultupdate|skipfetchall)$",
  ),
  new RegExp(
    String.raw`^core\.(autocrlf|eol|safecrlf|filemode|ignorecase|precomposeunicode|symlinks|quotepath|abbrev|compression|` +
      "bigfilethreshold|logallrefupdates|whitespace|longpaths|untrackedcache|preloadindex|commitgraph|commentchar|" +
      "warnambiguousrefs|trustctime|checkstat|splitindex|multipackindex)$",
  ),
];

/** Keys with which git shows files that nobody tracks: of the folder it stands in, and of a stash. */
const SHOWS_UNTRACKED = /^(?:grep\.fallbacktonoindex|stash\.show(?:includeuntracked|patch)|log\.diffmerges)(?:=|$)/i;

export const showsUntracked = (value: Value): boolean => SHOWS_UNTRACKED.test(prefixOf(value));

/** True for a key of git's configuration that can make git run nothing, and show nothing that it does not track. */
export const isInertGitKey = (key: string): boolean => !SHOWS_UNTRACKED.test(key) && INERT.some((known) => known.test(key.toLowerCase()));

/** Signing switched off: nothing runs, but a check of the repository's is skipped. */
const UNSIGNED = /^(?:commit|tag)\.gpgsign=(?:false|no|off|0|)$/i;

export const skipsChecks = (value: Value): boolean => UNSIGNED.test(textOf(value) ?? "");

/** Values that switch a program off, or are git's own word for none. */
const OFF = /^(?:core\.pager=(?:cat)?|pager\.[a-z-]+=(?:false|no|off|0)|core\.fsmonitor=(?:false|no|off|0))$/i;

/** True when `-c KEY=VALUE` can run nothing: the key is known and written out. */
export const isInertKey = (key: string, value: Value): boolean =>
  OFF.test(textOf(value) ?? "") || ((textOf(value) !== undefined || prefixOf(value).includes("=")) && isInertGitKey(key));

/** The shell text in `-c KEY=VALUE`: what it runs may already be refused. */
export function commandOfKey(value: Value): string | undefined {
  const text = textOf(value);
  const key = text === undefined ? undefined : STARTING_KEY.exec(text)?.[0];
  if (key !== undefined) return text?.slice(key.length);
  // An alias without `!` is a subcommand with its arguments.
  const alias = text === undefined ? undefined : /^alias\.[^=]+=/i.exec(text)?.[0];
  return alias === undefined ? undefined : `git ${text?.slice(alias.length) ?? ""}`;
}

export function gitConfig(inv: Invocation): void {
  toldRevisions(inv, false, valuesOf(inv, "--blob"));
  const operands = inv.args.operands.map((operand) => textOf(operand));
  const verb = operands[0] !== undefined && SUBCOMMANDS.has(operands[0]) ? operands[0] : undefined;
  const words = verb === undefined ? inv.args.operands : inv.args.operands.slice(1);
  const writes = has(inv, ...WRITING);
  const late = verb === undefined && inv.args.options.some(({ afterOperand }) => afterOperand === true);
  if (!writes) {
    if (verb !== undefined && READING.includes(verb)) return;
    // Measured with git 2.39: `--get --no-get KEY VALUE` sets the key, and so does `KEY --get`: what is behind the key is its value.
    const asked = (name: string): boolean =>
      inv.args.options.some(({ option, afterOperand }) => afterOperand !== true && option?.names.includes(name) === true);
    const reads = READING.some((name) => asked(`--${name}`)) && !READING.some((name) => has(inv, `--no-${name}`));
    if (verb === undefined && (reads || (words.length < 2 && !late && !words.some((word) => word.many)))) return;
  }
  writeFile(inv);
  if (late) emitTablePath(inv, "write", "$git/config");
  if (verb === "edit") applyEffect(inv, { is: "terminal" });
  if (verb === "rename-section" || has(inv, "--rename-section")) {
    inv.cx.unknown("renaming a section of the configuration may turn its keys into ones that name programs", {
      span: inv.span,
      lasting: true,
    });
    return;
  }
  if (has(inv, "--unset", "--unset-all", "--remove-section", "--edit") || verb === "unset" || verb === "remove-section" || verb === "edit")
    return;
  setKey(inv, words[0], words[1]);
}

function writeFile(inv: Invocation): void {
  const files = valuesOf(inv, "-f", "--file");
  for (const file of files) emitFile(inv, "edit", file);
  if (has(inv, "--global")) emitTablePath(inv, "write", "~/.gitconfig");
  if (has(inv, "--system")) emitFile(inv, "write", literal("/etc/gitconfig"));
  if (has(inv, "--worktree")) emitTablePath(inv, "write", "$git/config.worktree");
  else if (files.length === 0 && !has(inv, "--global", "--system")) emitTablePath(inv, "write", "$git/config");
}

function setKey(inv: Invocation, key: Value | undefined, value: Value | undefined): void {
  // A key only known at run time is refused by the table.
  const text = key === undefined ? undefined : textOf(key)?.toLowerCase();
  if (text === undefined || isInertGitKey(text)) return;
  inv.cx.unknown(`sets ${text}, which can name a program that git runs`, { span: inv.span, exec: inv.exec, lasting: true });
  const shown = value === undefined ? undefined : textOf(value);
  applyKind(
    inv,
    { is: "foreign", language: "git-config" },
    shown === undefined && value !== undefined
      ? { atoms: [`${text}=`, ...value.atoms], many: value.many }
      : literal(`${text}=${shown ?? ""}`),
  );
}
