import { builtinEntryFor } from "../../knowledge/entries.ts";
import { kill as signal } from "../../programs/analyse/processes.ts";
import { dispatch } from "../command.ts";
import { codeFromStream, isDescriptor } from "../../programs/code.ts";
import { takeAway } from "../../programs/environment.ts";
import { takeInput, sharedInput } from "../../words/input.ts";
import { parseShell } from "../../words/parse.ts";
import { targetsOf } from "../../words/paths.ts";
import { doubtScript } from "../portable.ts";
import { joinStates, type ShellState } from "../../words/state.ts";
import { setTrap } from "../traps.ts";
import { concat, holeOf, literal, NOTHING, prefixOf, textOf, unknown, type Value } from "../../words/value.ts";
import { failing, leaving, rejoin, runStatements, type ShellOutcome } from "../walk.ts";
import { done, isLookup, type Builtin, type BuiltinCall } from "./index.ts";
import { numberInZsh } from "./talking.ts";

const evalBuiltin: Builtin = (call) => {
  const { state, given } = call;
  if (given.rest.length === 0) return done(state);
  const value: Value = given.rest.reduce((a, b) => concat(concat(a, literal(" ")), b));
  return runInPlace(call, value, "the text of eval");
};

/** Text that this very shell runs: what it sets stays. */
function runInPlace(call: BuiltinCall, value: Value, what: string): ShellOutcome {
  const { cx, state } = call;
  const text = textOf(value);
  if (text === undefined) {
    if (holeOf(value)?.network === true) cx.addDanger(call.exec, "download-exec");
    call.runner.script(cx, state, value, call.stdin, { span: call.span, keep: true });
    return done(state, { is: "unknown", why: `the output of ${what}`, network: false });
  }
  if (!cx.carry(text)) return done(state);
  const parsed = parseShell(text);
  if (!parsed.ok) {
    cx.unknown(`${parsed.reason} (in ${what})`, { span: call.span });
    return done(state);
  }
  doubtScript(cx, state, parsed.script, call.span);
  if (!cx.enter()) return done(state);
  const outer = cx.outerSpan;
  cx.outerSpan = call.span ?? outer;
  const [outcome, failed] = failing(cx, () => runStatements(cx, state, parsed.script.commands, call.stdin));
  cx.outerSpan = outer;
  cx.leave();
  return { ...outcome, fail: rejoin(outcome.fail, failed, state) };
}

const source: Builtin = (call) => {
  const { cx, state } = call;
  const words = call.given.rest;
  const [file] = words;
  if (file === undefined) return done(state);
  const pipe = holeOf(file)?.pipe;
  const text = textOf(file);
  if (isDescriptor(text) && text !== "/dev/stdin" && text !== "/dev/fd/0")
    cx.unknown(`runs what is open as ${text ?? ""}`, { span: call.span, help: "write the commands out" });
  const stream = pipe ?? (text === "/dev/stdin" || text === "/dev/fd/0" ? takeInput(cx, state, call.stdin, "pieces") : undefined);
  if (stream?.is === "text") {
    const states: ShellState[] = [];
    call.cx.escapes.push({ from: "function", states });
    const outer = state.positional;
    const args = words.slice(1);
    if (args.length > 0) state.positional = args;
    const run = leaving(runInPlace(call, stream.value, "a sourced script"), states);
    call.cx.escapes.pop();
    if (args.length === 0) return run;
    // Unless the script itself has set them, which stays, in bash.
    for (const end of new Set([state, run.ok, run.fail]))
      if (end !== undefined)
        end.positional = end.positional === args ? outer : [unknown("the positional parameters after a sourced script", true)];
    return run;
  }
  if (stream !== undefined) {
    codeFromStream({ ...invocation(call), stdin: stream }, "sh", stream);
    return done(state, { is: "unknown", why: "the output of a sourced script", network: false });
  }
  for (const target of targetsOf(file, state.places))
    cx.add({ kind: "file", operation: "read", target, origin: { by: "shell" }, ...(call.span === undefined ? {} : { span: call.span }) });
  cx.add({
    kind: "code",
    language: "sh",
    source: text === undefined ? "data" : "file",
    detail: text ?? "a file only known at run time",
    origin: { by: "command", exec: call.exec },
    ...(call.span === undefined ? {} : { span: call.span }),
  });
  // Whoever lets the script run trusts it with the folder, but what it leaves in variables is not known.
  for (const name of state.variables.keys()) state.blur(name, `$${name}, which a sourced script may have set`);
  return done(state, { is: "unknown", why: "the output of a sourced script", network: false });
};

const invocation = (call: BuiltinCall): Parameters<typeof codeFromStream>[0] => ({
  cx: call.cx,
  state: call.state,
  run: call.runner,
  exec: call.exec,
  name: call.name,
  spec: {},
  grammar: {
    style: "none",
    options: Object.assign(new Map(), { own: () => [] }),
    digits: false,
    slots: undefined,
    effects: [],
    inert: true,
    harmless: true,
    steady: true,
    subcommands: undefined,
  },
  args: { options: [], operands: call.words, firstOperand: 0, rest: [], doubts: [] },
  words: call.words,
  stdin: call.stdin,
  span: call.span,
  places: call.state.places,
  sources: [],
  only: [],
  ports: [],
  looked: [],
});

const exec: Builtin = (call) => {
  const { letters, rest } = call.given;
  if (rest.length === 0) return done(call.state);
  if (letters.includes("c")) takeAway(call.state, () => true);
  const starting = { ...call, argv: rest, env: [] };
  const { out } = dispatch({ ...starting, external: true });
  // Behind exec zsh looks for functions, builtins and `-`, too, and mksh for `command` (run).
  const [name] = rest.map((word) => textOf(word));
  if (
    (call.cx.maybeZsh || call.state.portable) &&
    name !== undefined &&
    (call.state.functions.has(name) || builtinEntryFor(name) !== undefined)
  )
    dispatch({ ...starting, state: call.state.fork() });
  call.cx.cuts++;
  return { out, ok: undefined, fail: undefined };
};

const command: Builtin = (call) => {
  if (isLookup(call.name, call.given)) return done(call.state, { is: "unknown", why: "the path of a program", network: false });
  const before = call.state.fork();
  const run = dispatch({ ...call, argv: call.given.rest, env: [], plain: true });
  // In zsh it starts a program, which leaves the shell as it was.
  return call.cx.maybeZsh ? { ...run, ok: joinStates(run.ok, before), fail: joinStates(run.fail, before) } : run;
};

const builtin: Builtin = (call) => dispatch({ ...call, argv: call.given.rest, env: [], plain: true });

/** zsh: `noglob CMD`, `nocorrect CMD`, `- CMD`. In bash they are programs that do not exist. */
const precommand: Builtin = (call) => {
  if (call.words.length > 0 && call.cx.carry(call.words)) dispatch({ ...call, argv: call.words, env: [] });
  call.cx.unknown(`${call.name} means something only in zsh`, { span: call.span });
  return done(call.state);
};

const repeat: Builtin = (call) => {
  if (call.words.length > 1 && call.cx.carry(call.words)) dispatch({ ...call, argv: call.words.slice(1), env: [] });
  call.cx.unknown("repeat means something only in zsh", { span: call.span });
  return done(call.state);
};

const trap: Builtin = (call) => {
  const { cx, state } = call;
  const [action, ...conditions] = call.given.rest;
  const text = action === undefined ? undefined : textOf(action);
  const shown = done(state, { is: "unknown", why: "the traps that are set", network: false });
  if (action === undefined) return shown;
  if (call.given.letters !== "") {
    // zsh has no options here: the word is the code (5.9, run). No program has such a name.
    const [code] = call.words;
    const meaning = code === undefined ? undefined : textOf(code);
    if (cx.maybeZsh && code !== undefined && (meaning === undefined || state.functions.has(meaning) || state.aliases.has(meaning)))
      setTrap(cx, state, code, call.span, false);
    return shown;
  }
  if (text === "" || text === "-" || (conditions.length === 0 && text !== undefined && /^(\d+|[A-Z]+)$/.test(text))) return done(state);
  // At the end of the shell nothing comes after it; in zsh a function's EXIT is its own (zshbuiltins(1), trap).
  const last = conditions.every((word) => /^(SIG)?(EXIT|0)$/i.test(textOf(word) ?? "")) && !(cx.maybeZsh && state.frames.length > 0);
  return { ...done(state, setTrap(cx, state, action, call.span, last)) };
};

const alias: Builtin = (call) => {
  const { cx, state } = call;
  for (const word of call.given.rest) {
    const text = textOf(word);
    const equals = text?.indexOf("=") ?? -1;
    if (text !== undefined && equals < 0 && !text.startsWith("-")) continue;
    if (text === undefined || equals < 0 || text.startsWith("-")) {
      cx.unknown(text === undefined ? "an alias whose text is only known at run time" : `alias ${text} is not followed`, {
        span: call.span,
      });
      continue;
    }
    const [name, meaning] = [text.slice(0, equals), text.slice(equals + 1)];
    // A word of the grammar, and a word behind which the next is looked up too (bash(1), ALIASES).
    if (!/^[\w.+-]+$/.test(name) || RESERVED.has(name) || /\s$/.test(meaning))
      cx.unknown(`the alias ${name} changes how the rest of a line is read`, { span: call.span });
    state.addAlias(name, meaning);
    call.runner.script(cx, state, literal(meaning), sharedInput(call.stdin), { span: call.span, keep: true });
  }
  return done(state, { is: "unknown", why: "the aliases", network: false });
};

const RESERVED = new Set(
  "if then elif else fi for in do done while until case esac select function time coproc repeat foreach end nocorrect".split(" "),
);

/** `return` ends the function or the sourced script; elsewhere bash says so and goes on. */
const leaveFunction: Builtin = (call) => {
  const { cx, state } = call;
  numberInZsh(call);
  cx.cuts++;
  const around = cx.escapes.findLast(({ from }) => from !== "loop");
  if (around?.from !== "function") return done(state);
  around.states.push(state.fork());
  return isStatus(call.words) ? { out: NOTHING, ok: undefined, fail: undefined } : done(state);
};

const isStatus = (words: readonly Value[]): boolean => words.every((word) => !prefixOf(word).startsWith("-"));

const leaveLoop: Builtin = (call) => {
  const { cx, state } = call;
  numberInZsh(call);
  cx.cuts++;
  const own = cx.escapes.slice(cx.escapes.findLastIndex(({ from }) => from !== "loop") + 1);
  // In zsh it leaves the loop around the function, too.
  if (own.length === 0 && cx.maybeZsh && cx.escapes.some(({ from }) => from === "loop"))
    cx.unknown(`bash and zsh read \`${call.name}\` outside its loop differently`, { span: call.span });
  if (own.length === 0) {
    // zsh gives up the line.
    cx.mayGiveUp(state);
    return done(state);
  }
  for (const { states } of call.words.length === 0 ? own.slice(-1) : own) states.push(state.fork());
  return call.words.length === 0 || /^[1-9]\d*$/.test(textOf(call.words[0] ?? literal("")) ?? "")
    ? { out: NOTHING, ok: undefined, fail: undefined }
    : done(state);
};

/** complete -C, compgen -C and -F run code (bash(1), Programmable Completion). */
const complete: Builtin = (call) => {
  const { values } = call.given;
  const [code, list] = [values.get("C"), values.get("W")];
  if (code !== undefined) {
    // The word that is completed and the one before it are put behind the command.
    call.runner.script(call.cx, call.state, code, sharedInput(call.stdin), { span: call.span });
  }
  if (list !== undefined && /[$`]|[<>]\(/.test(textOf(list) ?? "$"))
    call.cx.unknown(`${call.name} -W expands its words`, { span: call.span });
  return done(call.state, { is: "unknown", why: `the output of ${call.name}`, network: false });
};

const kill: Builtin = (call) => {
  // It may be this shell that is killed.
  call.cx.cuts++;
  return signal(call) ? done(call.state) : done(call.state, unknownText);
};

const unknownText = { is: "unknown", why: "a list of signals", network: false } as const;

const exit: Builtin = (call) => {
  call.cx.cuts++;
  numberInZsh(call);
  return { out: NOTHING, ok: undefined, fail: undefined };
};

export const RUNNING: Readonly<Record<string, Builtin>> = {
  eval: evalBuiltin,
  source,
  ".": source,
  exec,
  command,
  builtin,
  noglob: precommand,
  nocorrect: precommand,
  "-": precommand,
  repeat,
  trap,
  alias,
  unalias: (call) => done(call.state),
  complete,
  compgen: complete,
  kill,
  exit,
  logout: exit,
  return: leaveFunction,
  break: leaveLoop,
  continue: leaveLoop,
};
