import { readNames, readSubscript } from "../subscript.ts";
import { evaluateAsArithmetic } from "../expand.ts";
import { concat, literal, NOTHING, prefixOf, textOf, torn, unknown, type Stream, type Value } from "../value.ts";
import { assignVariable, integerMark, steering } from "../variables.ts";
import { expansion } from "../walk.ts";
import { done, type Builtin, type BuiltinCall } from "./index.ts";
import { assignTo } from "./talking.ts";

const NUMBER: Value = { atoms: [{ hole: true, why: "a number", number: true }], many: false };

/** Splits leading `-x` words from the rest. `valued` letters take the next word. */
function options(
  words: readonly Value[],
  valued = "",
): { readonly letters: string; readonly values: ReadonlyMap<string, Value>; readonly rest: readonly Value[]; readonly sure: boolean } {
  let letters = "";
  const values = new Map<string, Value>();
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const text = word === undefined ? undefined : textOf(word);
    if (text === undefined) return { letters, values, rest: words.slice(i), sure: false };
    if (text === "--") return { letters, values, rest: words.slice(i + 1), sure: true };
    if (!/^[-+]./.test(text)) return { letters, values, rest: words.slice(i), sure: true };
    for (let at = 1; at < text.length; at++) {
      const letter = text.charAt(at);
      letters += letter;
      if (!valued.includes(letter)) continue;
      const value = at + 1 < text.length ? literal(text.slice(at + 1)) : words[++i];
      if (value !== undefined) values.set(letter, value);
      break;
    }
  }
  return { letters, values, rest: [], sure: true };
}

const declare: Builtin = (call) => {
  const { cx, state, name } = call;
  const given = options(call.words);
  const exported = name === "export" || given.letters.includes("x") || state.variables.has("-a");
  const at = { span: call.span };
  if (given.letters.includes("n") && name !== "export") cx.unknown(`${name} -n makes one variable stand for another`, at);
  if (/f/i.test(given.letters) && (name === "export" || given.letters.includes("x")))
    cx.unknown("an exported function can replace a program in every shell started later", at);
  if (given.rest.length === 0 && !/[fF]/.test(given.letters))
    cx.unknown(`${name} shows variables, which may hold secrets`, { ...at, exec: call.exec });
  if (/[fF]/.test(given.letters)) return done(state);
  for (const word of given.rest) declareOne(call, word, exported, given.letters.includes("i"));
  // zsh shows a variable that is named without a value.
  const shows = given.letters.includes("p") || (cx.maybeZsh && given.rest.some((word) => !prefixOf(word).includes("=")));
  return done(state, shows ? { is: "unknown", why: `what ${name} shows`, network: false } : NOTHING);
};

function declareOne(call: BuiltinCall, word: Value, exported: boolean, integer: boolean): void {
  const { cx, state } = call;
  const structured = call.assigned?.find((item) => prefixOf(word).startsWith(`${item.name}=`));
  const [first] = word.atoms;
  const equals = typeof first === "string" ? first.indexOf("=") : -1;
  const variable = equals < 0 ? textOf(word) : typeof first === "string" ? first.slice(0, equals) : undefined;
  if (variable === undefined || !/^[A-Za-z_]\w*$/.test(variable)) {
    cx.unknown(
      variable === undefined
        ? `${call.name} sets a variable that is only known at run time`
        : `${call.name} evaluates the subscript in \`${variable}\``,
      { span: call.span },
    );
    return;
  }
  if (call.name === "local" || ((call.name === "declare" || call.name === "typeset") && cx.locals.length > 0)) {
    const frame = cx.locals.at(-1);
    if (frame !== undefined && !frame.has(variable)) frame.set(variable, state.variables.get(variable));
  }
  if (equals < 0) {
    const now = state.variables.get(variable);
    if (exported) steering(cx, variable, now ?? unknown(`$${variable}`), { exported: now !== undefined, span: call.span });
    // In a function the name starts anew; outside it keeps what it has.
    else if (cx.locals.length > 0 && call.name !== "readonly") {
      // Programs are then looked for in the working directory.
      if (variable === "PATH") steering(cx, variable, literal(""), { exported: true, span: call.span });
      state.variables.set(variable, literal(""));
    }
    if (integer) state.variables.set(integerMark(variable), literal("1"));
    return;
  }
  const value =
    structured?.name === variable
      ? structured.value
      : {
          atoms:
            typeof first === "string" && first.length > equals + 1
              ? [first.slice(equals + 1), ...word.atoms.slice(1)]
              : word.atoms.slice(1),
          many: false,
        };
  if (integer && "atoms" in value) evaluateAsArithmetic(expansion(cx, state), value, `the value of ${variable}`);
  if (integer) state.variables.set(integerMark(variable), literal("1"));
  assignVariable(cx, state, variable, integer ? NUMBER : value, { exported, span: call.span });
}

const unset: Builtin = (call) => {
  const { cx, state } = call;
  const given = options(call.words);
  for (const word of given.rest) {
    const name = textOf(word);
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
      if (name === undefined || /[^\w.:-]/.test(name))
        cx.unknown(`unset evaluates the subscript in ${name === undefined ? "a name only known at run time" : `\`${name}\``}`, {
          span: call.span,
        });
      else state.functions.delete(name);
      continue;
    }
    if (!given.letters.includes("f")) {
      if (name === "PATH") steering(cx, name, literal(""), { exported: true, span: call.span });
      state.variables.set(name, literal(""));
    }
    for (const node of state.functions.get(name) ?? []) {
      const definition = node === undefined ? undefined : cx.defined.get(node);
      if (definition !== undefined) definition.called = false;
    }
    state.functions.delete(name);
  }
  return done(state);
};

const set: Builtin = (call) => {
  const { cx, state, words } = call;
  if (words.length === 0) cx.unknown("set shows variables, which may hold secrets", { span: call.span, exec: call.exec });
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const text = word === undefined ? undefined : textOf(word);
    if (text === "--" || text === "-") {
      state.positional = words.slice(i + 1);
      return done(state);
    }
    if (text === undefined || !/^[-+]/.test(text)) {
      state.positional = words.slice(i);
      if (word !== undefined && text === undefined && word.many) state.positional = [unknown("the positional parameters", true)];
      return done(state);
    }
    if (text.startsWith("-") && text.includes("k")) cx.unknown("set -k turns arguments into variables of the program", { span: call.span });
    // `..` then leaves the folder that was really entered.
    if (text.startsWith("-") && text.includes("P")) state.variables.set("-P", literal("1"));
    if (text.startsWith("-") && text.includes("a")) state.variables.set("-a", literal("1"));
    if (text.endsWith("o")) {
      const option = words[++i] === undefined ? "" : textOf(words[i] ?? literal(""));
      if (option === undefined || option === "keyword")
        cx.unknown("set -o with an option that changes what arguments mean", { span: call.span });
      if (option === "physical" || option === "chaselinks") state.variables.set("-P", literal("1"));
      if (option === "allexport" && text.startsWith("-")) state.variables.set("-a", literal("1"));
    }
  }
  return done(state);
};

const shift: Builtin = ({ state, words }) => {
  const text = words[0] === undefined ? "1" : textOf(words[0]);
  if (text === undefined || !/^\d+$/.test(text) || state.positional.some((value) => value.many))
    state.positional = state.positional.length === 0 ? [] : [unknown("the positional parameters after shift", true)];
  else state.positional = state.positional.slice(Number(text));
  return done(state);
};

const read: Builtin = (call) => {
  const given = options(call.words, "adinNptu");
  const names = given.values.has("a") ? [given.values.get("a")] : given.rest;
  const delimiter = given.values.get("d");
  const value = lineOf(delimiter === undefined || ["", "\n"].includes(textOf(delimiter) ?? "?") ? call.stdin : torn(call.stdin));
  // In zsh -t may stand without a value, and -n, -p and -i never have one: the word behind is then a name.
  if (call.cx.maybeZsh)
    for (const letter of "tnNpi") {
      const word = given.values.get(letter);
      if (word !== undefined && /^[A-Za-z_]\w*$/.test(textOf(word) ?? "")) assignTo(call, word, unknown("a word of the input"));
      if (word !== undefined && letter === "t") evaluateAsArithmetic(expansion(call.cx, call.state), word, "the time of read -t, in zsh,");
    }
  names.forEach((name, i) =>
    assignTo(
      call,
      name,
      names.length === 1 || i === 0 ? (names.length === 1 ? value : unknown("a word of the input")) : unknown("a word of the input"),
    ),
  );
  if (names.length === 0) call.state.variables.set("REPLY", value);
  return done(call.state);
};

/** One line of standard input. */
function lineOf(stdin: Stream): Value {
  if (stdin.is === "paths") {
    const [only] = stdin.values;
    return stdin.values.length === 1 && only !== undefined ? only : unknown("a line of the input");
  }
  const text = stdin.is === "text" ? textOf(stdin.value) : undefined;
  if (text !== undefined && !text.replace(/\n$/, "").includes("\n")) return literal(text.replace(/\n$/, ""));
  return stdin.is === "unknown" && stdin.network
    ? { atoms: [{ hole: true, why: "a line of the input", network: true }], many: false }
    : unknown("a line of the input");
}

const mapfile: Builtin = (call) => {
  const { cx, state } = call;
  const given = options(call.words, "dnOsuCc");
  const callback = given.values.get("C");
  if (callback !== undefined)
    call.runner.script(
      cx,
      state,
      concat(callback, literal(' "$1" "$2"')),
      { is: "none" },
      { span: call.span, keep: true, positional: [NUMBER, unknown("a line of the input")] },
    );
  const name = given.rest[0] === undefined ? literal("MAPFILE") : given.rest[0];
  assignTo(call, name, unknown("a line of the input", true));
  return done(state);
};

const letBuiltin: Builtin = (call) => {
  for (const word of call.words) {
    const text = textOf(word);
    if (text === undefined || !readSubscript(text)) {
      if (
        text !== undefined ||
        !word.atoms.every((atom) => (typeof atom === "string" ? readSubscript(atom) : "hole" in atom && atom.number === true))
      )
        call.cx.unknown("let evaluates its argument as arithmetic, which can run code", { span: call.span });
      continue;
    }
    readNames(call, text);
    const assigned = /^([A-Za-z_]\w*)\s*[-+*/%&|^<>]{0,2}=/.exec(text) ?? /^(?:\+\+|--)?([A-Za-z_]\w*)/.exec(text);
    if (assigned?.[1] !== undefined) assignVariable(call.cx, call.state, assigned[1], NUMBER, { exported: false, span: call.span });
  }
  return done(call.state);
};

const getopts: Builtin = (call) => {
  assignTo(call, call.words[1], unknown("an option letter"));
  call.state.variables.set("OPTARG", unknown("$OPTARG", true));
  call.state.variables.set("OPTIND", NUMBER);
  return done(call.state);
};

export const SETTING: Readonly<Record<string, Builtin>> = {
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  unset,
  set,
  shift,
  read,
  mapfile,
  readarray: mapfile,
  let: letBuiltin,
  getopts,
};
