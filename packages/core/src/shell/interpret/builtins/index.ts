import { INERT } from "#knowledge/traits";
import { BY_SHELL } from "../../words/context.ts";
import type { Dispatch } from "../command.ts";
import { doubtBuiltin } from "../portable.ts";
import { applyBuiltin } from "../../programs/apply.ts";
import { builtinEntryFor, grammarOf } from "../../knowledge/entries.ts";
import { argumentOf } from "../../programs/program.ts";
import { holdsInput, makesMuch } from "../../programs/sizes.ts";
import { isEndless, NOTHING, textOf, type Stream, type Value } from "../../words/value.ts";
import type { ShellState } from "../../words/state.ts";
import type { ShellOutcome } from "../walk.ts";
import { MOVING } from "./moving.ts";
import { readOptions, type GivenOptions } from "./options.ts";
import { RUNNING } from "./running.ts";
import { setOption, SETTING } from "./setting.ts";
import { TALKING } from "./talking.ts";

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

/** bash refuses what printf has not, zsh prints it; where cd goes is then not known. */
const DOUBTS_ITSELF = new Set(["printf", "cd", "chdir", "pushd"]);

/** The shell does it itself: bash, or each of the shells that may read the line. */
export const isBuiltin = (name: string): boolean => {
  const entry = builtinEntryFor(name);
  return entry !== undefined && entry.only === undefined;
};

/** Runs the builtin of this name; undefined when there is none. */
export function runBuiltin(d: Dispatch, name: string, words: readonly Value[]): ShellOutcome | undefined {
  const entry = builtinEntryFor(name);
  if (entry === undefined) return undefined;
  const grammar = grammarOf(entry);
  if (entry.only !== undefined) {
    const where = d.cx.maybeZsh && /\bzsh\b/.test(entry.only) ? "in zsh" : d.state.portable ? "in some sh" : undefined;
    if (where !== undefined && grammar.effects.some(({ is }) => is === "refuse"))
      d.cx.unknown(`${where} ${name} changes the shell in ways that are not followed`, { span: d.span });
    return undefined;
  }
  doubtBuiltin(d, name, words, entry.portable);
  const given = readOptions({ ...d, name, words }, entry, grammar);
  if (given.doubt !== undefined && given.ambient !== true && !DOUBTS_ITSELF.has(name))
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
      : INERT.has(name) && name !== "unset"
        ? { inert: "builtin" as const }
        : name === "type" || isLookup(name, given)
          ? { inert: "lookup" as const }
          : {}),
  });
  const call: BuiltinCall = { ...d, name, words, given, exec };
  if ((isEndless(d.stdin) && holdsInput(name, words, d.stdin)) || makesMuch(name, words)) d.cx.addDanger(exec, "resource-bomb");
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  const { cx, state, stdin, span } = d;
  const base = { cx, state, run: d.runner, exec, name, words, stdin, span, places: state.places };
  const out = applyBuiltin(base, entry, grammar, { options: given.options, operands: given.rest }, builtin !== undefined);
  return builtin === undefined ? done(state, out) : builtin(call);
}

export const isLookup = (name: string, { letters }: GivenOptions): boolean => name === "command" && /[vV]/.test(letters);

const shown = ({ name, state }: BuiltinCall): ShellOutcome => done(state, { is: "unknown", why: `the output of ${name}`, network: false });

const hash: Builtin = (call) => {
  const texts = call.given.rest.map((word) => textOf(word));
  if (texts.some((text) => text === undefined || text.includes("=")))
    call.cx.unknown("hash makes a name start another program", { span: call.span });
  return shown(call);
};

/** What is made later may then be written by everybody. */
const umask: Builtin = (call) => {
  const texts = call.given.rest.map((word) => textOf(word));
  if (texts.some((text) => text === undefined || /^0*[0-7]?[0-7]?[0145]$/.test(text) || /[oa][=+]\S*w/.test(text)))
    call.cx.addDanger(call.exec, "open-to-all");
  return shown(call);
};

const jobs: Builtin = (call) => {
  const { cx, state, given } = call;
  // From here on words are another command's.
  if (given.letters.includes("x")) return done(state, call.runner.argv(cx, state, given.rest, call.stdin));
  const ids = given.letters === "p" ? ({ jobs: true } as const) : {};
  return done(state, { is: "unknown", why: "the output of jobs", network: false, ...ids });
};

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

const shopt: Builtin = (call) => {
  const { cx, state, span } = call;
  const flags = call.given.letters;
  const names = call.given.rest.map((word) => textOf(word));
  if (names.includes(undefined)) cx.unknown("a shell option that is only known at run time", { span, exec: call.exec });
  if (names.includes(undefined) || !/[su]/.test(flags)) return shown(call);
  for (const name of names) {
    if (flags.includes("o")) setOption(call, name, flags.includes("s"));
    else if (name === "nullglob") state.setOption("nullglob");
    else if (!QUIET_OPTIONS.has(name ?? "") && (flags.includes("s") || !SET_ONLY.has(name ?? "")))
      cx.unknown(`shopt ${name ?? ""} changes what words, patterns or folders mean`, { span, help: "write the names out" });
  }
  return shown(call);
};

const BUILTINS: Readonly<Record<string, Builtin>> = { ...MOVING, ...RUNNING, ...SETTING, ...TALKING, hash, umask, jobs, shopt };
