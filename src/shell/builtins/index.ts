import { BY_SHELL } from "../context.ts";
import type { Dispatch } from "../command.ts";
import { doubtBuiltin } from "../portable.ts";
import { argumentOf } from "../program.ts";
import { holdsInput } from "../analyse/sizes.ts";
import { isEndless, NOTHING, textOf, unknown, type Stream, type Value } from "../value.ts";
import type { ShellState } from "../state.ts";
import type { ShellOutcome } from "../walk.ts";
import { MOVING } from "./moving.ts";
import { readOptions, type GivenOptions } from "./options.ts";
import { RUNNING } from "./running.ts";
import { setOption, SETTING } from "./setting.ts";
import { assignTo, TALKING } from "./talking.ts";

/** A builtin of bash and zsh: gets its action's index and its words, returns what it leaves behind. */
export type Builtin = (call: BuiltinCall) => ShellOutcome;

export interface BuiltinCall extends Dispatch {
  readonly name: string;
  /** Words after the name. */
  readonly words: readonly Value[];
  /** What options of it are among them. */
  readonly given: GivenOptions;
  readonly exec: number;
}

export const done = (state: ShellState, out: Stream = NOTHING): ShellOutcome => ({ out, ok: state, fail: state });

/** Builtins that change nothing that matters here and print nothing. */
const SILENT = new Set(["true", "false", ":", "wait", "disown", "suspend", "sleep"]);
/** Builtins that change nothing that matters here; what they print is not followed. */
const QUIET = new Set([...SILENT, ..."fg bg umask ulimit times caller dirs help compopt shopt type hash jobs history".split(" ")]);

/** Builtins of zsh alone that set variables, names, options or the folder, or run code (zshbuiltins(1), zshmodules(1)). */
const ZSH_ALONE = new Set(
  (
    "autoload bindkey bye disable emulate float functions getln integer print pushln rehash sched setopt unfunction unhash unsetopt vared " +
    "zcompile zformat zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstat zstyle zsystem ztcp zutil sysopen sysread " +
    "sysseek syswrite strftime zcurses zgdbmpath zdelattr zgetattr zsetattr cap getcap setcap private limit unlimit ttyctl echotc echoti"
  ).split(" "),
);
const INERT = new Set(["true", "false", ":", "read", "echo", "printf"]);

const BUILTINS: Readonly<Record<string, Builtin>> = { ...MOVING, ...RUNNING, ...SETTING, ...TALKING };

export const isBuiltin = (name: string): boolean => Object.hasOwn(BUILTINS, name) || QUIET.has(name);

/** Runs the builtin of this name; undefined when there is none. */
export function runBuiltin(d: Dispatch, name: string, words: readonly Value[]): ShellOutcome | undefined {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined && !QUIET.has(name)) {
    if (d.cx.maybeZsh && ZSH_ALONE.has(name))
      d.cx.unknown(`in zsh ${name} changes the shell in ways that are not followed`, { span: d.span });
    return undefined;
  }
  doubtBuiltin(d.cx, d.state, name, words, d.span);
  const given = readOptions({ ...d, name, words });
  // bash refuses what printf has not, zsh prints it.
  if (given.doubt !== undefined && given.ambient !== true && name !== "printf")
    d.cx.unknown(given.doubt, { span: d.span, help: "put -- in front of the first operand" });
  // zsh precommand words and lookups emit what they stand in front of, not themselves.
  const exec = d.cx.add({
    kind: "exec",
    program: name,
    argv: d.argv.map((value) => argumentOf(d.cx, value)),
    trusted: true,
    knowledge: name,
    builtin: true,
    env: d.env,
    origin: BY_SHELL,
    shape: { options: [], operands: words.map((word) => argumentOf(d.cx, word)), complete: false },
    ...(d.span === undefined ? {} : { span: d.span }),
    ...(name === "[" || name === "test"
      ? { inert: "predicate" as const }
      : INERT.has(name)
        ? { inert: "builtin" as const }
        : name === "type" || isLookup(name, given)
          ? { inert: "lookup" as const }
          : {}),
  });
  const call: BuiltinCall = { ...d, name, words, given, exec };
  if (isEndless(d.stdin) && holdsInput(name, words, d.stdin)) d.cx.addDanger(exec, "resource-bomb");
  return builtin === undefined ? quiet(call) : builtin(call);
}

export const isLookup = (name: string, { letters }: GivenOptions): boolean => name === "command" && /[vV]/.test(letters);

function quiet(call: BuiltinCall): ShellOutcome {
  const { cx, state, name, exec, given } = call;
  const texts = given.rest.map((word) => textOf(word));
  const at = { span: call.span };
  if (name === "hash" && (given.values.has("p") || texts.some((text) => text === undefined || text.includes("="))))
    cx.unknown("hash makes a name start another program", at);
  // The word behind -d is no value in zsh.
  if (name === "history" && call.words.some((word) => /^-[a-zD]*[anrwsp]/.test(textOf(word) ?? "-a")))
    cx.unknown("history reads or writes the history file", { ...at, exec });
  // mksh(1): a limit is an expression, which may run code in a subscript.
  if (name === "ulimit" && texts.some((text) => !/^(?:-[A-Za-z]+|\d+|unlimited|hard|soft)$/.test(text ?? "")))
    cx.unknown("a limit may be an expression that runs commands", { ...at, exec });
  // What is made later may then be written by everybody.
  if (name === "umask" && texts.some((text) => text === undefined || /^0*[0-7]?[0-7]?[0145]$/.test(text) || /[oa][=+]\S*w/.test(text)))
    cx.addDanger(exec, "open-to-all");
  // From here on words are another command's.
  if (name === "jobs" && given.letters.includes("x")) return done(state, call.runner.argv(cx, state, given.rest, call.stdin));
  if (name === "wait" && given.values.has("p")) assignTo(call, given.values.get("p"), unknown("a process id"));
  if (name === "shopt") shopt(call, texts);
  const jobs = name === "jobs" && given.letters === "p" ? ({ jobs: true } as const) : {};
  return done(state, SILENT.has(name) ? NOTHING : { is: "unknown", why: `the output of ${name}`, network: false, ...jobs });
}

/** Options of bash that change neither what words and names mean nor where the shell goes (bash(1), shopt). */
const QUIET_OPTIONS = new Set(
  (
    "assoc_expand_once array_expand_once checkhash checkjobs checkwinsize cmdhist complete_fullquote direxpand expand_aliases extglob " +
    "globasciiranges globstar gnu_errfmt histappend histreedit histverify hostcomplete huponexit inherit_errexit lastpipe lithist " +
    "mailwarn nocasematch no_empty_cmd_completion patsub_replacement progcomp promptvars varredir_close"
  ).split(" "),
);
/** Of these only setting them changes what patterns match. */
const SET_ONLY = new Set(["autocd", "cdable_vars", "cdspell", "dirspell", "dotglob", "extdebug", "execfail", "failglob", "nocaseglob"]);

function shopt(call: BuiltinCall, names: readonly (string | undefined)[]): void {
  const { cx, state, span } = call;
  const flags = call.given.letters;
  if (names.includes(undefined)) {
    cx.unknown("a shell option that is only known at run time", { span, exec: call.exec });
    return;
  }
  if (!/[su]/.test(flags)) return;
  for (const name of names) {
    if (flags.includes("o")) setOption(call, name, flags.includes("s"));
    else if (name === "nullglob") state.setOption("nullglob");
    else if (!QUIET_OPTIONS.has(name ?? "") && (flags.includes("s") || !SET_ONLY.has(name ?? "")))
      cx.unknown(`shopt ${name ?? ""} changes what words, patterns or folders mean`, { span, help: "write the names out" });
  }
}
