import { BY_SHELL } from "../context.ts";
import type { Dispatch } from "../command.ts";
import { argumentOf } from "../program.ts";
import { NOTHING, prefixOf, textOf, unknown, type Stream, type Value } from "../value.ts";
import type { ShellState } from "../state.ts";
import type { ShellOutcome } from "../walk.ts";
import { MOVING } from "./moving.ts";
import { RUNNING } from "./running.ts";
import { SETTING } from "./setting.ts";
import { assignTo, TALKING } from "./talking.ts";

/** A builtin of bash and zsh: gets its action's index and its words, returns what it leaves behind. */
export type Builtin = (call: BuiltinCall) => ShellOutcome;

export interface BuiltinCall extends Dispatch {
  readonly name: string;
  /** Words after the name. */
  readonly words: readonly Value[];
  readonly exec: number;
}

export const done = (state: ShellState, out: Stream = NOTHING): ShellOutcome => ({ out, ok: state, fail: state });

/** Builtins that change nothing that matters here and print nothing of interest. */
const QUIET = new Set([
  "true",
  "false",
  ":",
  "wait",
  "fg",
  "bg",
  "disown",
  "umask",
  "ulimit",
  "times",
  "caller",
  "dirs",
  "help",
  "compopt",
  "suspend",
  "return",
  "break",
  "continue",
  "shopt",
  "type",
  "hash",
  "jobs",
  "history",
  "sleep",
]);
const INERT = new Set(["true", "false", ":", "read", "echo", "printf"]);

const BUILTINS: Readonly<Record<string, Builtin>> = { ...MOVING, ...RUNNING, ...SETTING, ...TALKING };

/** Runs the builtin of this name; undefined when there is none. */
export function runBuiltin(d: Dispatch, name: string, words: readonly Value[]): ShellOutcome | undefined {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined && !QUIET.has(name)) return undefined;
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
        : isLookup(name, words)
          ? { inert: "lookup" as const }
          : {}),
  });
  return builtin === undefined ? quiet(d, name, words, exec) : builtin({ ...d, name, words, exec });
}

const isLookup = (name: string, words: readonly Value[]): boolean => {
  const first = words[0] === undefined ? "" : (textOf(words[0]) ?? "");
  return name === "type" || (name === "command" && /^-p?[vV]+p?$/.test(first));
};

function quiet(d: Dispatch, name: string, words: readonly Value[], exec: number): ShellOutcome {
  const texts = words.map((word) => textOf(word));
  const at = { span: d.span };
  if (name === "hash" && texts.some((text) => text === undefined || /^-[a-z]*p|=/.test(text)))
    d.cx.unknown("hash makes a name start another program", at);
  if (name === "history" && texts.some((text) => text === undefined || /^-[a-z]*[anrwsp]/.test(text)))
    d.cx.unknown("history reads or writes the history file", { ...at, exec });
  if (name === "jobs" && texts[0] === "-x") return done(d.state, d.runner.argv(d.cx, d.state, words.slice(1), NOTHING));
  if (name === "jobs" && texts[0]?.startsWith("-x") === true) d.cx.unknown("jobs -x runs a command", at);
  if (name === "wait")
    words.forEach((word, i) => {
      if (texts[i] === "-p") assignTo({ ...d, name, words, exec }, words[i + 1], unknown("a process id"));
      else if (texts[i] === undefined ? prefixOf(word).startsWith("-") : /^-[a-z]*p./.test(texts[i] ?? ""))
        d.cx.unknown("wait -p sets a variable", at);
    });
  if (
    name === "shopt" &&
    texts.some((text) => text === "dotglob" || text === "nocaseglob") &&
    texts.some((text) => /^-[a-z]*s/.test(text ?? ""))
  )
    d.cx.unknown("shopt changes what patterns match", { ...at, help: "write the names out" });
  if (name === "shopt" && texts.some((text) => text === undefined))
    d.cx.unknown("a shell option that is only known at run time", { ...at, exec });
  return done(
    d.state,
    name === "type" || name === "history" || name === "jobs" || name === "help"
      ? { is: "unknown", why: `the output of ${name}`, network: false }
      : NOTHING,
  );
}
