import type { Context } from "./context.ts";
import { isToolFolder } from "../../policy/index.ts";
import { readVariable } from "../knowledge/environment.ts";
import { DIFFERS, either, isArray, type Handed, type ShellState, type ShellVariable } from "./state.ts";
import { isNumeric, readNames } from "./arithmetic.ts";
import { workingDirectory } from "./expand.ts";
import { holeOf, sameValue, textOf, unknown, type Value } from "./value.ts";
import type { Span } from "../../action/index.ts";

/** Variables that the shell itself, or a program started later, takes code or trust from even when nobody exports them. */
const ALWAYS_EXPORTED = new RegExp(
  "^(PATH|IFS|ENV|BASH_ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|HOME|LD_.*|DYLD_.*|PAGER|EDITOR|" +
    "VISUAL|GIT_.*|PYTHON(PATH|STARTUP|HOME|INSPECT)|NODE_OPTIONS|NODE_PATH|PERL5(OPT|LIB)|RUBY(OPT|LIB)|MANPAGER|LESSOPEN|" +
    "LESSCLOSE|BASH_FUNC_.*|FPATH|fpath|path|module_path|MODULE_PATH|ZDOTDIR|precmd_functions|preexec_functions|" +
    "chpwd_functions|SHELL|TMPDIR|TMPPREFIX|NULLCMD|READNULLCMD|KEYTIMEOUT|WORDCHARS|FCEDIT|MAIL|MAILPATH|EXECIGNORE|" +
    "HISTFILE|HISTCONTROL|POSIXLY_CORRECT|TERMINFO|TERM_PROGRAM|BROWSER|SSH_ASKPASS|GIT_ASKPASS|http_proxy|https_proxy|" +
    "all_proxy|no_proxy|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY)$",
);

/** Associative arrays and array twins of PATH through which zsh changes names (zshmodules(1), zsh/parameter; zshparam(1)). */
const ZSH_TABLES =
  /^((dis_)?(functions|aliases|galiases|saliases|builtins)|commands|nameddirs|options|path|cdpath|fpath|manpath|module_path)$/;

/** Variables that have the integer attribute from the start: what they are given is evaluated as arithmetic. */
const INTEGERS = new RegExp(
  "^(RANDOM|SRANDOM|SECONDS|OPTIND|HISTCMD|LINENO|COLUMNS|LINES|HISTSIZE|SAVEHIST|SHLVL|UID|EUID|GID|EGID|PPID|TMOUT|" +
    "FUNCNEST|BASHPID|ARGC|ERRNO|KEYTIMEOUT|LISTMAX|MAILCHECK|TTYIDLE|ZSH_SUBSHELL|TRY_BLOCK_(ERROR|INTERRUPT)|" +
    // mksh(1), ksh93(1)
    "PGRP|PIPESTATUS|KSHUID|KSHGID|KSHEGID|USER_ID|SIGNUM|JOBMAX)$",
);

/** Arrays that the shells have from the start (bash(1), Shell Variables). */
const ARRAYS =
  /^(BASH_(ALIASES|ARGC|ARGV|CMDS|LINENO|REMATCH|SOURCE|VERSINFO)|COMP_WORDS|COMPREPLY|COPROC|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS)$/;

/** Tables and switches of the shell that look like variables: what names mean, where it stands, how it reads the line. */
const TABLES: readonly (readonly [names: RegExp, steers: string])[] = [
  [/^BASH_(CMDS|ALIASES)$/, "it decides what names stand for"],
  [/^(DIRSTACK|PWD|OLDPWD)$/, "the shell keeps the folder it stands in there"],
  [
    /^(BASHOPTS|SHELLOPTS|BASH_COMPAT|BASH_XTRACEFD|POSIXLY_CORRECT|FUNCNEST|EXECIGNORE|FIGNORE|GLOBSORT|BASH_LOADABLES_PATH)$/,
    "it changes how the shell reads the rest",
  ],
  [/^(YASH_AFTER_CD|COMMAND_NOT_FOUND_HANDLER)$/, "yash runs what it holds"],
  [/^(histchars|HISTCHARS|PROMPT_DIRTRIM|COMP_WORDBREAKS)$/, "it changes how the shell reads the rest"],
  [/^(BASH_ARG[CV0]|BASH_ARGV0|BASH_SOURCE|BASH_LINENO|BASH_VERSINFO|FUNCNAME|GROUPS)$/, "the shell itself keeps this variable"],
];

/** Arrays and parameters of zsh with a meaning of their own, which a line written for bash would hardly name. */
const ZSH_KEEPS = new RegExp(
  "^(argv|ARGC|dirstack|userdirs|parameters|builtins|modules|keymaps|terminfo|termcap|funcstack|zsh_eval_context|(pre(cmd|" +
    "exec)|chpwd|periodic|zshexit|zshaddhistory)_functions)$",
);

/** Variables whose text is the shell's, whatever they were given. */
const COMPUTED = new RegExp(
  "^(_|BASHPID|BASH_(COMMAND|SUBSHELL|REMATCH|EXECUTION_STRING|ARG[CV]|SOURCE|LINENO)|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|" +
    "FUNCNAME|GROUPS|PIPESTATUS|OPTARG|REPLY|MATCH|match|M?(BEGIN|END)|UID|EUID|GID|EGID|PPID|USERNAME|status|pipestatus)$",
);

/** Set by the shell between two commands: never what the environment or an assignment says. */
export const isComputed = (name: string): boolean => COMPUTED.test(name);
export const isArrayFromStart = (name: string): boolean => ARRAYS.test(name);

const A_NUMBER: Value = { atoms: [{ hole: true, why: "a number", number: true }], many: false };

/** Gives a variable a value, and says so when that steers what later commands do. */
export function assignVariable(
  cx: Context,
  state: ShellState,
  name: string,
  value: ShellVariable,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  steering(cx, name, value, options);
  const now = giveValue(cx, state, name, value, options.span);
  if (options.exported || isExported(cx, state, name)) state.hand(name, { value: now, span: options.span });
}

/** The value alone, as for one command: what is certain of it afterwards. */
export function giveValue(cx: Context, state: ShellState, name: string, value: ShellVariable, span: Span | undefined): ShellVariable {
  tables(cx, state, name, value, span);
  cx.changes(name);
  const attributes = state.attributesOf(name);
  const integer = INTEGERS.test(name) || attributes.includes("i");
  if (integer)
    for (const one of isArray(value) ? value : [value]) {
      if (isNumeric(one)) readNames({ cx, state }, textOf(one) ?? "");
      else cx.unknown(`$${name} is an integer: its text is evaluated as arithmetic, which can run code`, { span });
    }
  if (attributes.includes("z") && !isDigits(value))
    cx.unknown(`zsh keeps $${name} a number, as arithmetic made it; bash makes it text`, { span, help: "use another name" });
  if (attributes.includes("r"))
    cx.unknown(`$${name} is readonly: the shell gives up the assignment, and may leave out the rest of the line`, { span });
  const before = state.variables.get(name);
  const array = /[aA]/.test(attributes) || ARRAYS.test(name) || (before !== undefined && isArray(before));
  const whole = inArray(name, value, attributes, array);
  const now = kept(state, name, whole, attributes, integer);
  state.setVariable(name, now);
  return now;
}

/** What an array holds that is given a value: keys are not followed. */
function inArray(name: string, value: ShellVariable, attributes: string, array: boolean): ShellVariable {
  if (isArray(value) && attributes.includes("A")) return [unknown(`$${name}, whose words are keys and values`, true)];
  // In bash it is the first element, in zsh all of it or an error.
  return array && !isArray(value) ? unknown(`$${name}, an array that is given one text`, true) : value;
}

/** `a[i]=…`: which of them is not followed. */
export function setElement(
  cx: Context,
  state: ShellState,
  name: string,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  assignVariable(cx, state, name, { atoms: [{ hole: true, why: `an element of $${name}` }], many: true }, options);
  state.addAttributes(name, "a");
}

/** Arithmetic sets a variable: in zsh one that was not there is an integer from then on. */
export function setNumber(cx: Context, state: ShellState, name: string, span?: Span): void {
  const before = state.variables.get(name);
  const unset = before === undefined || (!isArray(before) && (textOf(before) === "" || holeOf(before)?.why.endsWith(DIFFERS) === true));
  if (cx.maybeZsh && unset) state.addAttributes(name, "z");
  assignVariable(cx, state, name, A_NUMBER, { exported: false, span });
}

/** Arithmetic may set a variable. */
export function perhapsNumber(cx: Context, state: ShellState, name: string): void {
  const before = state.variables.get(name);
  setNumber(cx, state, name);
  const now = either(name, before, state.variables.get(name)) ?? A_NUMBER;
  if (state.environment.has(name)) state.hand(name, { value: now, span: undefined });
  state.setVariable(name, now);
}

/** What is certain of the value afterwards. */
function kept(state: ShellState, name: string, value: ShellVariable, attributes: string, integer: boolean): ShellVariable {
  if (state.springing.names.has(name)) return unknown(`$${name}, which a trap may change`, true);
  if (attributes.includes("r")) return unknown(`$${name}, which is readonly`, true);
  if (/[ulc]/.test(attributes)) return unknown(`$${name}, whose letters change`, true);
  if (/^(_|BASH_COMMAND|BASH_REMATCH|PIPESTATUS|UID|EUID|GID|EGID|PPID|USERNAME)$/.test(name)) return unknown(`$${name}`, true);
  // `declare -i x; x=1+1` is 2.
  if (integer && !isArray(value) && !isDigits(value)) return A_NUMBER;
  return integer && INTEGERS.test(name) ? A_NUMBER : value;
}

function tables(cx: Context, state: ShellState, name: string, value: ShellVariable, span: Span | undefined): void {
  const table = TABLES.find(([names]) => names.test(name));
  // `PWD=$(pwd)` changes nothing.
  const idle = name === "PWD" && !isArray(value) && sameValue(value, workingDirectory(state)) && holeOf(value) === undefined;
  if (table !== undefined && !idle) cx.unknown(`sets ${name}: ${table[1]}`, { span, help: "use another name" });
  if (cx.maybeZsh && ZSH_KEEPS.test(name)) cx.unknown(`sets ${name}, which zsh itself keeps`, { span, help: "use another name" });
}

/** A variable that came with the environment, or was exported before, stays exported whatever it is given. */
const isExported = (cx: Context, state: ShellState, name: string): boolean =>
  state.environment.has(name) || state.options.has("allexport") || ALWAYS_EXPORTED.test(name) || cx.world.env(name) !== undefined;

/** Adds to what the programs of one command get; `ShellState.hand` is for the rest of the line. */
export function handOn(state: ShellState, name: string, handed: Handed): void {
  state.environment = new Map(state.environment).set(name, handed);
}

const isDigits = (value: ShellVariable): boolean =>
  !isArray(value) &&
  value.atoms.length > 0 &&
  value.atoms.every((atom) => (typeof atom === "string" ? /^(0|-?[1-9]\d*)$/.test(atom) : "hole" in atom && atom.number === true));

/** Says so when this variable, set for one command or for the rest of the line, makes every program run or trust something else. */
export function steering(
  cx: Context,
  name: string,
  value: ShellVariable,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  if (!options.exported && !ALWAYS_EXPORTED.test(name) && !ZSH_TABLES.test(name)) return;
  const text = isArray(value) ? undefined : textOf(value);
  if (cx.maybeZsh && ZSH_TABLES.test(name) && steersZsh(cx, name, value))
    cx.unknown(`sets ${name}, which in zsh decides what names stand for`, { span: options.span, help: "use another name" });
  if (name === "PATH" && text === undefined && !isArray(value) && extendsPath(cx, value.atoms)) return;
  const found = readVariable(name, text);
  if (typeof found === "object" && found.everywhere)
    cx.unknown(`sets ${name}: ${found.steers}`, { span: options.span, help: "leave the variable out" });
}

/** `for path in a.txt b.txt` and `options=-l` are common in bash; a file is no folder of programs. */
function steersZsh({ world }: Context, name: string, value: ShellVariable): boolean {
  if (isArray(value)) return true;
  // `functions[ls]=…`: what one element gets is not kept.
  if (!name.endsWith("path"))
    return value.atoms.some((atom) => typeof atom !== "string" && "hole" in atom && atom.why === `an element of $${name}`);
  const text = textOf(value);
  return text === undefined || !/^[\w.-]+(\/[\w.-]+)*$/.test(text) || world.kind(world.canonical(`${world.cwd}/${text}`)) !== "file";
}

/** Where the system and its package managers keep programs: nothing an agent could put one into. */
const SYSTEM_FOLDER = /^\/(?:bin|sbin|usr|lib|opt|nix|snap|gnu|etc\/alternatives|run\/current-system|System|Library|Applications)(?:\/|$)/;

/** Stands for what PATH was before; no word has this character. */
const BEFORE = "\0";

/**
 * `PATH="$HOME/.cargo/bin:$PATH"`: folders in front that are the system's or hold a person's own tools. An empty one, also at an end, is
 * the current folder (bash(1), PATH).
 */
function extendsPath(cx: Context, atoms: readonly unknown[]): boolean {
  const { home, projectRoot, temp } = cx.world;
  const isBefore = (atom: unknown): boolean => typeof atom === "object" && atom !== null && "why" in atom && atom.why === "$PATH";
  return atoms
    .map((atom) => (typeof atom === "string" ? atom : isBefore(atom) ? BEFORE : "."))
    .join("")
    .split(":")
    .every((folder) => {
      if (folder === BEFORE) return true;
      const path = cx.world.canonical(folder);
      const inside = (root: string): boolean => path === root || path.startsWith(`${root}/`);
      if (!folder.startsWith("/") || /(^|\/)\.\.?(\/|$)/.test(folder) || temp.some(inside) || inside(projectRoot)) return false;
      if (!inside(home)) return SYSTEM_FOLDER.test(path);
      return isToolFolder(path, home);
    });
}
