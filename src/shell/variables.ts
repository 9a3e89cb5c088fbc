import type { Context } from "./context.ts";
import { readVariable } from "./knowledge/environment.ts";
import type { ShellState, Variable } from "./state.ts";
import { isArray } from "./state.ts";
import { isNumeric, readNames } from "./subscript.ts";
import { textOf } from "./value.ts";
import type { Span } from "../action/index.ts";

/** Variables that the shell itself, or a program started later, takes code or trust from even when nobody exports them. */
const ALWAYS_EXPORTED =
  /^(PATH|IFS|ENV|BASH_ENV|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|HOME|LD_.*|DYLD_.*|PAGER|EDITOR|VISUAL|GIT_.*|PYTHON(PATH|STARTUP|HOME|INSPECT)|NODE_OPTIONS|NODE_PATH|PERL5(OPT|LIB)|RUBY(OPT|LIB)|MANPAGER|LESSOPEN|LESSCLOSE|BASH_FUNC_.*|FPATH|fpath|path|module_path|MODULE_PATH|ZDOTDIR|precmd_functions|preexec_functions|chpwd_functions|SHELL|TMPDIR|TMPPREFIX|NULLCMD|READNULLCMD|KEYTIMEOUT|WORDCHARS|FCEDIT|MAIL|MAILPATH|EXECIGNORE|HISTFILE|HISTCONTROL|POSIXLY_CORRECT|TERMINFO|TERM_PROGRAM|BROWSER|SSH_ASKPASS|GIT_ASKPASS|http_proxy|https_proxy|all_proxy|no_proxy|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY)$/;

/** Associative arrays and array twins of PATH through which zsh changes names (zshmodules(1), zsh/parameter; zshparam(1)). */
const ZSH_TABLES =
  /^((dis_)?(functions|aliases|galiases|saliases|builtins)|commands|nameddirs|options|path|cdpath|fpath|manpath|module_path)$/;

/** Variables that have the integer attribute from the start: what they are given is evaluated as arithmetic. */
const INTEGERS =
  /^(RANDOM|SRANDOM|SECONDS|OPTIND|HISTCMD|LINENO|COLUMNS|LINES|HISTSIZE|SAVEHIST|SHLVL|UID|EUID|GID|EGID|PPID|TMOUT|FUNCNEST|BASHPID)$/;

/** Under this name the state remembers that `declare -i`, or in zsh its first use in arithmetic, made a variable an integer. */
export const integerMark = (name: string): string => `-i ${name}`;

/** Gives a variable a value, and says so when that steers what later commands do. */
export function assignVariable(
  cx: Context,
  state: ShellState,
  name: string,
  value: Variable,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  steering(cx, name, value, options);
  if (INTEGERS.test(name) || isMarked(state, name))
    for (const one of isArray(value) ? value : [value]) {
      if (isNumeric(one)) readNames({ cx, state }, textOf(one) ?? "");
      else cx.unknown(`$${name} is an integer: its text is evaluated as arithmetic, which can run code`, { span: options.span });
    }
  const born = state.variables.get(integerMark(name));
  if (born !== undefined && !isArray(born) && textOf(born) === "zsh" && !isDigits(value))
    cx.unknown(`zsh keeps $${name} a number, as arithmetic made it; bash makes it text`, { span: options.span, help: "use another name" });
  state.variables.set(name, value);
}

const isDigits = (value: Variable): boolean =>
  !isArray(value) &&
  value.atoms.every((atom) => (typeof atom === "string" ? /^-?\d+$/.test(atom) : "hole" in atom && atom.number === true));

function isMarked(state: ShellState, name: string): boolean {
  const mark = state.variables.get(integerMark(name));
  return mark !== undefined && !isArray(mark) && textOf(mark) !== "zsh";
}

/** Says so when this variable, set for one command or for the rest of the line, makes programs run or trust something else. */
export function steering(
  cx: Context,
  name: string,
  value: Variable,
  options: { readonly exported: boolean; readonly span?: Span | undefined },
): void {
  if (!options.exported && !ALWAYS_EXPORTED.test(name) && !ZSH_TABLES.test(name)) return;
  const text = isArray(value) ? undefined : textOf(value);
  if (cx.maybeZsh && ZSH_TABLES.test(name) && steersZsh(cx, name, value))
    cx.unknown(`sets ${name}, which in zsh decides what names stand for`, { span: options.span, help: "use another name" });
  if (name === "PATH" && text === undefined && !isArray(value) && extendsPath(cx, value.atoms)) return;
  const found = readVariable(name, text);
  if (found !== "harmless") cx.unknown(`sets ${name}: ${found.steers}`, { span: options.span, help: "leave the variable out" });
}

/** `for path in a.txt b.txt` and `options=-l` are common in bash; a file is no folder of programs. */
function steersZsh({ world }: Context, name: string, value: Variable): boolean {
  if (isArray(value)) return true;
  // `functions[ls]=…`: what one element gets is not kept.
  if (!name.endsWith("path"))
    return value.atoms.some((atom) => typeof atom !== "string" && "hole" in atom && atom.why === `an element of $${name}`);
  const text = textOf(value);
  return text === undefined || !/^[\w.-]+(\/[\w.-]+)*$/.test(text) || world.kind(world.canonical(`${world.cwd}/${text}`)) !== "file";
}

/** Where the system and its package managers keep programs: nothing an agent could put one into. */
const SYSTEM_FOLDER = /^\/(?:bin|sbin|usr|lib|opt|nix|snap|gnu|etc\/alternatives|run\/current-system|System|Library|Applications)(?:\/|$)/;

/** Below home: folders of a person's own tools, all of which are write-protected (src/policy/startup-paths.ts). */
const TOOL_FOLDER =
  /^\/(?:bin|go\/bin|\.(?:local|cargo|bun|deno|volta|krew|rvm|linuxbrew)\/bin|\.(?:nvm|pyenv|rbenv|nodenv)\/versions\/.+\/bin|\.(?:pyenv|rbenv|nodenv|asdf)\/shims|\.dotnet\/tools|\.local\/share\/(?:mise\/shims|pnpm))$/;

/** `PATH="$HOME/.cargo/bin:$PATH"`: folders in front that are the system's or hold a person's own tools. */
function extendsPath(cx: Context, atoms: readonly unknown[]): boolean {
  const { home, projectRoot, temp } = cx.world;
  return atoms.every((atom) => {
    if (typeof atom !== "string") return typeof atom === "object" && atom !== null && "why" in atom && atom.why === "$PATH";
    return atom
      .split(":")
      .filter((folder) => folder !== "")
      .every((folder) => {
        const path = cx.world.canonical(folder);
        const inside = (root: string): boolean => path === root || path.startsWith(`${root}/`);
        if (!folder.startsWith("/") || /(^|\/)\.\.?(\/|$)/.test(folder) || temp.some(inside) || inside(projectRoot)) return false;
        if (!inside(home)) return SYSTEM_FOLDER.test(path);
        return TOOL_FOLDER.test(path.slice(home.length).replace(/\/$/, ""));
      });
  });
}
