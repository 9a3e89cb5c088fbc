import { kill as signal } from "../analyse/kill.ts";
import { dispatch } from "../command.ts";
import { codeFromStream } from "../code.ts";
import { parseShell } from "../parse.ts";
import { targetsOf } from "../paths.ts";
import { concat, holeOf, isNetwork, literal, NOTHING, textOf, type Value } from "../value.ts";
import { runStatements, type ShellOutcome } from "../walk.ts";
import { done, type Builtin, type BuiltinCall } from "./index.ts";

const evalBuiltin: Builtin = (call) => {
  const { state, words } = call;
  const args = textOf(words[0] ?? literal("")) === "--" ? words.slice(1) : words;
  if (args.length === 0) return done(state);
  const value: Value = args.reduce((a, b) => concat(concat(a, literal(" ")), b));
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
  const parsed = parseShell(text);
  if (!parsed.ok) {
    cx.unknown(`${parsed.reason} (in ${what})`, { span: call.span });
    return done(state);
  }
  if (!cx.enter()) return done(state);
  const outer = cx.outerSpan;
  cx.outerSpan = call.span ?? outer;
  const outcome = runStatements(cx, state, parsed.script.commands, call.stdin);
  cx.outerSpan = outer;
  cx.leave();
  return outcome;
}

const source: Builtin = (call) => {
  const { cx, state } = call;
  const words = textOf(call.words[0] ?? literal("")) === "--" ? call.words.slice(1) : call.words;
  const [file] = words;
  if (file === undefined) return done(state);
  const pipe = holeOf(file)?.pipe;
  const text = textOf(file);
  const stream = pipe ?? (text === "/dev/stdin" || text === "/dev/fd/0" ? call.stdin : undefined);
  if (stream?.is === "text") return runInPlace(call, stream.value, "a sourced script");
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
    options: new Map(),
    digits: false,
    slots: undefined,
    effects: [],
    inert: true,
    harmless: true,
    subcommands: undefined,
  },
  args: { options: [], operands: call.words, firstOperand: 0, rest: [], doubts: [] },
  words: call.words,
  stdin: call.stdin,
  span: call.span,
  places: call.state.places,
  sources: [],
  only: [],
  without: [],
  looked: [],
});

/** Drops `exec`'s own options: `-c`, `-l`, `-a NAME`. Undefined when they cannot be told. */
function afterOptions(words: readonly Value[], plain: string, valued: string): readonly Value[] | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const text = word === undefined ? undefined : textOf(word);
    if (text === "--") return words.slice(i + 1);
    if (text === undefined || !/^-./.test(text)) return words.slice(i);
    for (let at = 1; at < text.length; at++) {
      const letter = text.charAt(at);
      if (valued.includes(letter)) {
        if (at + 1 === text.length) i++;
        break;
      }
      if (!plain.includes(letter)) return undefined;
    }
  }
  return [];
}

const exec: Builtin = (call) => {
  const words = afterOptions(call.words, "cl", "a");
  if (words === undefined) {
    call.cx.unknown("exec has an option that is not known", { span: call.span });
    return done(call.state);
  }
  if (words.length === 0) return done(call.state);
  const { out } = dispatch({ ...call, argv: words, env: [], external: true });
  return { out, ok: undefined, fail: undefined };
};

const command: Builtin = (call) => {
  const first = textOf(call.words[0] ?? literal("")) ?? "";
  if (/^-p?[vV]+p?$/.test(first)) return done(call.state, { is: "unknown", why: "the path of a program", network: false });
  const words = afterOptions(call.words, "p", "");
  if (words === undefined) {
    call.cx.unknown("command has an option that is not known", { span: call.span });
    return done(call.state);
  }
  return dispatch({ ...call, argv: words, env: [], plain: true });
};

const builtin: Builtin = (call) =>
  dispatch({ ...call, argv: textOf(call.words[0] ?? literal("")) === "--" ? call.words.slice(1) : call.words, env: [], plain: true });

/** zsh: `noglob CMD`, `nocorrect CMD`, `- CMD`. In bash they are programs that do not exist. */
const precommand: Builtin = (call) => {
  if (call.words.length > 0) dispatch({ ...call, argv: call.words, env: [] });
  call.cx.unknown(`${call.name} means something only in zsh`, { span: call.span });
  return done(call.state);
};

const repeat: Builtin = (call) => {
  if (call.words.length > 1) dispatch({ ...call, argv: call.words.slice(1), env: [] });
  call.cx.unknown("repeat means something only in zsh", { span: call.span });
  return done(call.state);
};

const trap: Builtin = (call) => {
  const words = textOf(call.words[0] ?? literal("")) === "--" ? call.words.slice(1) : call.words;
  const [action] = words;
  const text = action === undefined ? undefined : textOf(action);
  if (action === undefined || text === "" || text === "-" || (text !== undefined && /^-[lpP]+$/.test(text))) return done(call.state);
  if (words.length === 1 && text !== undefined && /^(\d+|[A-Z]+)$/.test(text)) return done(call.state);
  const out = call.runner.script(call.cx, call.state, action, NOTHING, { span: call.span, keep: true });
  // It prints when the trap is sprung, wherever the output goes then.
  return done(call.state, out.is === "none" ? NOTHING : { is: "unknown", why: "what a trap prints", network: isNetwork(out) });
};

const alias: Builtin = (call) => {
  const { cx, state } = call;
  for (const word of call.words) {
    const [first] = word.atoms;
    const text = textOf(word);
    if (text !== undefined && (text.startsWith("-") || !text.includes("="))) continue;
    const equals = typeof first === "string" ? first.indexOf("=") : -1;
    if (text === undefined || equals < 0 || typeof first !== "string") {
      cx.unknown("an alias whose text is only known at run time", { span: call.span });
      continue;
    }
    state.aliases.set(first.slice(0, equals), [...(state.aliases.get(first.slice(0, equals)) ?? []), text.slice(equals + 1)]);
    call.runner.script(cx, state, literal(text.slice(equals + 1)), NOTHING, { span: call.span, keep: true });
  }
  return done(state);
};

const refuseWith =
  (reason: string): Builtin =>
  (call) => {
    if (call.words.length > 0) call.cx.unknown(`${call.name} ${reason}`, { span: call.span });
    return done(call.state, { is: "unknown", why: `the output of ${call.name}`, network: false });
  };

/** complete -C, compgen -C and -F run code (bash(1), Programmable Completion). */
const complete: Builtin = (call) => {
  call.words.forEach((word, i) => {
    const text = textOf(word);
    if (text === undefined || /^-[a-zA-Z]*F/.test(text)) call.cx.unknown(`${call.name} runs a function`, { span: call.span });
    const next = call.words[i + 1];
    if (text !== undefined && /^-[a-zA-Z]*C$/.test(text) && next !== undefined)
      call.runner.script(call.cx, call.state, next, NOTHING, { span: call.span });
    else if (text !== undefined && /^-[a-zA-Z]*C/.test(text)) call.cx.unknown(`${call.name} runs a command`, { span: call.span });
    if (text !== undefined && /^-[a-zA-Z]*W$/.test(text) && next !== undefined && /[$`]/.test(textOf(next) ?? "$"))
      call.cx.unknown(`${call.name} -W expands its words`, { span: call.span });
  });
  return done(call.state, { is: "unknown", why: `the output of ${call.name}`, network: false });
};

const kill: Builtin = (call) => (signal(call) ? done(call.state) : done(call.state, unknownText));

const unknownText = { is: "unknown", why: "a list of signals", network: false } as const;

const exit: Builtin = () => ({ out: NOTHING, ok: undefined, fail: undefined });

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
  enable: refuseWith("loads or hides builtins"),
  bind: refuseWith("binds keys to code"),
  fc: refuseWith("edits and runs commands from the history"),
  complete,
  compgen: complete,
  kill,
  exit,
  logout: exit,
};
