import { isNumeric, readNames, readSubscript } from "../../words/arithmetic.ts";
import { assignTo, evaluateAsArithmetic } from "../../words/evaluated.ts";
import { leftOf, takeAround, takeInput, takeLine, sharedInput } from "../../words/input.ts";
import { mayBegin } from "../../words/paths.ts";
import { isSecretName } from "../../programs/secret-words.ts";
import { isArray, sameVariable, type ShellState } from "../../words/state.ts";
import {
  concat,
  holeOf,
  isHole,
  isOnlyNul,
  literal,
  NOTHING,
  onePath,
  prefixOf,
  textOf,
  torn,
  unknown,
  type Stream,
  type Value,
} from "../../words/value.ts";
import { assignVariable, isArrayFromStart, setNumber, controlling } from "../../words/variables.ts";
import { expansion } from "../walk.ts";
import { done, type Builtin, type BuiltinCall } from "./index.ts";
import { numberInZsh } from "./talking.ts";

const NUMBER: Value = { atoms: [{ hole: true, why: "a number", number: true }], many: false };

const declare: Builtin = (call) => {
  const { cx, state, name, given } = call;
  const has = (letter: string): boolean => given.letters.includes(letter);
  // `+F` shows no function: it makes variables, and in zsh evaluates their subscripts.
  const isShown = (letter: string): boolean => given.options.some(({ written }) => written === `-${letter}`);
  const exported = name === "export" || has("x") || state.options.has("allexport");
  const at = { span: call.span };
  if (/f/i.test(given.letters) && (name === "export" || has("x") || has("u")))
    cx.unknown("an exported function can replace a program in every shell started later", at);
  if (given.rest.length === 0 && !isShown("f") && !isShown("F"))
    cx.unknown(`${name} shows variables, which may hold secrets`, { ...at, exec: call.exec });
  const shown = { is: "unknown", why: `what ${name} shows`, network: false } as const;
  if (isShown("f") || (isShown("F") && !given.rest.some((word) => prefixOf(word).includes("=")))) return done(state, shown);
  // A number in zsh, the name of a function in bash.
  if (has("F")) cx.unknown(`bash and zsh read ${name} -F differently`, at);
  for (const word of given.rest) {
    // With -p it declares nothing (bash(1), declare).
    if (!isShown("p")) declareOne(call, word, exported, given.letters);
    else if (textOf(word)?.includes("=") !== false) cx.unknown(`${name} -p is given a value`, at);
    // A subscript is evaluated by some shells (mksh, lksh, posh).
    else if (!/^[A-Za-z_]\w*$/.test(textOf(word) ?? "")) cx.unknown(`${name} -p is given something that is not the name of a variable`, at);
  }
  // zsh shows a variable that is named without a value.
  const shows = has("p") || (cx.maybeZsh && given.rest.some((word) => !prefixOf(word).includes("=")));
  if (has("p"))
    for (const word of given.rest)
      if (isSecretName(textOf(word) ?? ""))
        cx.unknown(`shows $${textOf(word) ?? ""}, whose name says that it is a secret`, { ...at, exec: call.exec });
  return done(state, shows ? shown : NOTHING);
};

function declareOne(call: BuiltinCall, word: Value, exported: boolean, letters: string): void {
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
  const integer = letters.includes("i");
  const before = state.variables.get(variable);
  const attributes = state.attributesOf(variable);
  const scope = scopeOf(call, letters);
  const own = state.frames.at(-1)?.get(variable);
  // `x=… f` hands its value to `local x` in f and below (bash(1), Functions).
  const mayInherit = own?.maybe === true || state.environment.has(variable);
  if (scope === "function") enterScope(state, variable);
  else if (scope === "perhaps") state.hide(variable, true);
  const marks = letters.replace(/[^aAiul]/g, "");
  if (equals < 0) {
    if (marks !== "") state.addAttributes(variable, marks);
    // In a function the name starts anew; outside it, and where it is the function's already, it keeps what it has.
    if (state.inTrap && state.frames.length === 0 && call.name !== "export")
      state.blur(variable, `$${variable}, which a trap may declare inside a function`);
    else if ((scope === "function" || scope === "perhaps") && own?.maybe !== false) {
      // Programs are then looked for in the working directory.
      if (variable === "PATH") controlling(cx, variable, literal(""), { exported: true, span: call.span });
      if (scope === "perhaps") state.blur(variable, `$${variable}, which starts anew in one of the shells`);
      else {
        const anew = mayInherit ? unknown(`$${variable}, which may be what it is outside of the function`, true) : literal("");
        assignVariable(cx, state, variable, anew, { exported: false, span: call.span });
      }
    }
    if (exported) {
      const now = state.variables.get(variable);
      controlling(cx, variable, now ?? unknown(`$${variable}`), { exported: now !== undefined, span: call.span });
      state.hand(variable, { value: now, span: call.span });
    }
    if (call.name === "readonly" || letters.includes("r")) state.addAttributes(variable, "r");
    // A text that becomes an array is its first element, in zsh gone.
    if (/[aA]/.test(marks) && before !== undefined && !isArray(before) && (scope !== "function" || own?.maybe === false))
      assignVariable(cx, state, variable, before, { exported: false, span: call.span });
    // What it holds is read anew.
    if (marks !== "" && before !== undefined && (scope !== "function" || own?.maybe === false) && /[iul]/.test(marks))
      assignVariable(cx, state, variable, before, { exported: false, span: call.span });
    return;
  }
  const value =
    structured?.name === variable && isArray(structured.value)
      ? structured.value
      : {
          atoms:
            typeof first === "string" && first.length > equals + 1
              ? [first.slice(equals + 1), ...word.atoms.slice(1)]
              : word.atoms.slice(1),
          many: false,
        };
  const isArrayNow = /[aA]/.test(letters + attributes) || isArrayFromStart(variable) || (before !== undefined && isArray(before));
  if (!isArray(value) && isArrayNow && mayBeCompound(value)) {
    readAgain(call, variable, value);
    state.addAttributes(variable, `${marks}a`);
    return;
  }
  // zsh gives the declaration up there, and the rest of a sourced text with it.
  if (cx.maybeZsh && !isArray(value) && /[aA]/.test(letters))
    cx.unknown(`${call.name} gives the array $${variable} one text, which zsh refuses`, {
      span: call.span,
      help: "put the value in brackets",
    });
  if (integer && !isArray(value)) evaluateAsArithmetic(expansion(cx, state), value, `the value of ${variable}`);
  if (marks !== "" || isArray(value)) state.addAttributes(variable, isArray(value) ? `${marks}a` : marks);
  assignVariable(cx, state, variable, integer ? NUMBER : value, { exported, span: call.span });
  if (scope === "nowhere" && !(before !== undefined && !isArray(value) && sameVariable(before, value)))
    state.setVariable(variable, unknown(`$${variable}, which \`local\` sets only inside a function`, true));
  // What stands before a function or `eval` is nearer than the global one, too.
  const hidden =
    state.frames.some((frame) => frame.has(variable)) || (letters.includes("g") && (state.inTrap || state.environment.has(variable)));
  if (scope === "global" && hidden) state.blur(variable, `$${variable}, of which a function may have one of its own`);
  if (call.name === "readonly" || letters.includes("r")) state.addAttributes(variable, "r");
}

/** Where the variable is made; `nowhere`: bash refuses `local` outside a function, zsh does not. */
function scopeOf({ name, cx, state }: BuiltinCall, letters: string): "function" | "global" | "perhaps" | "nowhere" {
  const inside = state.frames.length > 0;
  // `local -g` makes it global in bash.
  if (name === "local") return inside ? (letters.includes("g") ? "perhaps" : "function") : "nowhere";
  if (!inside || letters.includes("g") || name === "export") return "global";
  // With -x a variable is global in zsh (GLOBAL_EXPORT).
  if (letters.includes("x") && cx.maybeZsh) return "perhaps";
  // In zsh `readonly` is `typeset -r`, which is local; with POSIX_BUILTINS it is not.
  return name === "readonly" ? (cx.maybeZsh ? "perhaps" : "global") : "function";
}

/** A variable of the function's own has no attributes yet; one that is readonly outside cannot be hidden. */
function enterScope(state: ShellState, name: string): void {
  const own = state.frames.at(-1)?.get(name)?.maybe === false;
  state.hide(name, false);
  if (!own && !state.attributesOf(name).includes("r")) state.dropAttributes(name);
}

/** `(…)` in one word: bash makes elements of it as if it stood in the line (bash(1), declare -a). */
const mayBeCompound = ({ atoms: [first, ...rest], many }: Value): boolean => {
  if (first === undefined) return false;
  if (typeof first !== "string") return many || !("hole" in first) || first.number !== true;
  return /^\s*\(/.test(first) && (rest.length > 0 || first.trimEnd().endsWith(")"));
};

function readAgain(call: BuiltinCall, variable: string, value: Value): void {
  const text = textOf(value);
  if (text === undefined)
    call.cx.unknown(`${call.name} makes an array of the text of $${variable}, which is expanded once more and can run code`, {
      span: call.span,
      help: "write the elements out",
    });
  else call.runner.script(call.cx, call.state, literal(`${variable}=${text}`), call.stdin, { span: call.span, keep: true });
  const at = { exported: false, span: call.span };
  assignVariable(call.cx, call.state, variable, unknown(`$${variable}`, true), at);
}

const unset: Builtin = (call) => {
  const { cx, state, given } = call;
  for (const word of given.rest) {
    const name = textOf(word);
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
      if (name === undefined || /[^\w.:-]/.test(name))
        cx.unknown(`unset evaluates the subscript in ${name === undefined ? "a name only known at run time" : `\`${name}\``}`, {
          span: call.span,
        });
      else forgetFunction(call, name, true);
      cx.mayGiveUp(state);
      continue;
    }
    if (!given.letters.includes("f")) unsetVariable(call, name);
    // Without -f a function goes only where there is no variable of its name.
    if (!given.letters.includes("v")) forgetFunction(call, name, given.letters.includes("f"));
  }
  return done(state);
};

function unsetVariable({ cx, state, span }: BuiltinCall, name: string): void {
  if (name === "PATH") controlling(cx, name, literal(""), { exported: true, span });
  const readonly = state.attributesOf(name).includes("r");
  assignVariable(cx, state, name, literal(""), { exported: false, span });
  // The variable of a function further out, or what stands before a command: with that gone, what it hid is seen again.
  if (state.inTrap || state.frames.slice(0, -1).some((frame) => frame.has(name)) || state.environment.has(name))
    state.blur(name, `$${name}, which a function takes away`);
  else if (state.frames.length === 0 && !readonly) state.dropAttributes(name);
}

function forgetFunction({ cx, state }: BuiltinCall, name: string, surely: boolean): void {
  const bodies = state.functions.get(name);
  if (bodies === undefined) return;
  for (const node of bodies) {
    const definition = node === undefined ? undefined : cx.defined.get(node);
    if (definition !== undefined) definition.called = false;
  }
  if (surely) state.dropFunction(name);
  else if (!bodies.includes(undefined)) state.setFunction(name, [...bodies, undefined]);
}

/** Letters and names of `set` that change neither what later words mean nor where the shell goes (bash(1), zshoptions(1)). */
const QUIET_LETTERS = /^[abCeEfhmnopPtuvx]$/;
const QUIET_OPTIONS = new RegExp(
  "^(allexport|errexit|errtrace|functrace|hashall|ignoreeof|interactive-comments|monitor|noclobber|noexec|noglob|nolog|" +
    "notify|nounset|onecmd|physical|chaselinks|pipefail|privileged|verbose|vi|emacs|xtrace|err_?exit|no_?unset|pipe_?fail)$",
  "i",
);

const set: Builtin = (call) => {
  const { cx, state, words } = call;
  cx.changed.push("@");
  // Words that may be none leave it alone.
  const mayBeNone = ({ atoms, many }: Value): boolean => many && (state.options.has("nullglob") || atoms.every(isHole));
  if (words.every(mayBeNone)) cx.unknown("set shows variables, which may hold secrets", { span: call.span, exec: call.exec });
  const shown = { is: "unknown", why: "what set shows", network: false } as const;
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const text = word === undefined ? undefined : textOf(word);
    if (text === "--" || text === "-") {
      if (text === "--" || i + 1 < words.length) state.positional = words.slice(i + 1);
      return done(state);
    }
    if (text === undefined || !/^[-+]./.test(text)) {
      state.positional = words.slice(i);
      if (word !== undefined && text === undefined && word.many) state.positional = [unknown("the positional parameters", true)];
      // It may begin with `-`, and then names options.
      if (word !== undefined && text === undefined && holeOf(word)?.ambient !== true && mayBegin({ cx, places: state.places }, word, "-+"))
        cx.unknown("set is given a word that may be an option", { span: call.span, help: "write `set --`" });
      return done(state);
    }
    for (const letter of text.slice(1)) {
      if (letter === "o") {
        const option = words[++i] === undefined ? undefined : textOf(words[i] ?? literal(""));
        if (option === undefined && words[i] === undefined) return done(state, shown);
        setOption(call, option, text.startsWith("-"));
      } else if (!QUIET_LETTERS.test(letter) || (letter === "P" && cx.maybeZsh))
        cx.unknown(`set ${text} changes how the rest of the line is read`, { span: call.span });
      else if (letter === "a") state.setOption("allexport");
      else if (letter === "P") state.setOption("physical");
      else if (letter === "e") state.setOption("errexit");
      else if (letter === "u") state.setOption("nounset");
      else if ("bmnt".includes(letter)) mayStop(call);
    }
  }
  return done(state);
};

/** `set -o NAME`, `shopt -o NAME`. */
export function setOption(call: BuiltinCall, option: string | undefined, on: boolean): void {
  if (option === undefined || !QUIET_OPTIONS.test(option))
    call.cx.unknown(`the shell option ${option ?? "that is only known at run time"} changes how the rest of the line is read`, {
      span: call.span,
    });
  if (option === "physical" || option === "chaselinks") call.state.setOption("physical");
  if (/^err_?exit$/i.test(option ?? "")) call.state.setOption("errexit");
  if (/^(nounset|no_?unset|unset)$/i.test(option ?? "")) call.state.setOption("nounset");
  if (option === "allexport" && on) call.state.setOption("allexport");
  if (/^(no_?exec|onecmd|single_?command|errtrace|functrace|interactive-comments|monitor)$/i.test(option ?? "")) mayStop(call);
}

/** From here on nothing runs, or only the rest of the line; or zsh takes no such option, and gives up what it is told. */
function mayStop({ cx, state }: BuiltinCall): void {
  cx.cuts++;
  cx.mayGiveUp(state);
}

const shift: Builtin = (call) => {
  const { state, words } = call;
  numberInZsh(call);
  const text = words[0] === undefined ? "1" : textOf(words[0]);
  if (text === undefined || !/^\d+$/.test(text) || state.positional.some((value) => value.many))
    state.positional = state.positional.length === 0 ? [] : [unknown("the positional parameters after shift", true)];
  // Fewer than that stay as they are.
  else if (Number(text) <= state.positional.length) state.positional = state.positional.slice(Number(text));
  return done(state);
};

const read: Builtin = (call) => {
  const { given } = call;
  const array = given.values.get("a");
  const names = array === undefined ? given.rest : [array];
  const delimiter = given.values.get("d");
  const tears =
    /[nNkqtu]/.test(given.letters) || !(delimiter === undefined || isOnlyNul(delimiter) || ["", "\n"].includes(textOf(delimiter) ?? "?"));
  if (given.letters.includes("u")) takeAround(call.cx, call.state, "pieces");
  const left = tears ? leftOf(call.cx, call.state, call.stdin) : takeLine(call.cx, call.state, call.stdin);
  if (tears) takeInput(call.cx, call.state, call.stdin, "pieces");
  const line =
    left === "pieces" || (tears && left !== "whole")
      ? unknown("a line of the input")
      : lineOf(tears && delimiter !== undefined ? torn(call.stdin) : call.stdin);
  // In zsh -t may stand without a value, and -n, -p and -i never have one: the word behind is then a name.
  if (call.cx.maybeZsh)
    for (const letter of "tnNpi") {
      const word = given.values.get(letter);
      if (word !== undefined && (/^[A-Za-z_]\w*(\[|$)/.test(textOf(word) ?? "") || (textOf(word) === undefined && !isPlainNumber(word))))
        assignTo(call, word, unknown("a word of the input"));
      // A number is then a positional parameter.
      else if (word !== undefined && /[np]/.test(letter)) call.state.positional = [unknown("the positional parameters after read", true)];
      if (word !== undefined && letter === "t") evaluateAsArithmetic(expansion(call.cx, call.state), word, "the time of read -t, in zsh,");
    }
  const { separators, plain } = lineWithin(call, line, given.letters.includes("r"));
  const whole = separators ? unknown("a line of the input") : !/[^rspe]/.test(given.letters) && plain ? line : inexact(line);
  const several = names.length > 1 || array !== undefined;
  const give = (to: BuiltinCall, value: Value): void => {
    for (const name of names) assignTo(to, name, several ? unknown("a word of the input", array !== undefined) : value);
    if (names.length === 0) assignVariable(to.cx, to.state, "REPLY", value, { exported: false, span: to.span });
    const list = array === undefined ? undefined : textOf(array);
    if (list !== undefined) to.state.addAttributes(list, "a");
  };
  // Where nothing is left the names are given nothing, which is a failure.
  const fail = left === "lines" || call.stdin.is === "paths" ? call.state.fork() : call.state;
  give(call, whole);
  if (fail === call.state) return done(call.state);
  give(
    { ...call, state: fail },
    call.stdin.is === "text" && !endsLine(call.stdin) ? unknown("a line of the input, or nothing") : literal(""),
  );
  return { out: NOTHING, ok: call.state, fail };
};

const endsLine = (stdin: Stream): boolean => {
  const last = stdin.is === "text" ? stdin.value.atoms.at(-1) : undefined;
  return typeof last === "string" && last.endsWith("\n");
};

const isPlainNumber = (word: Value): boolean => holeOf(word)?.number === true || holeOf(word)?.ambient === true;

/**
 * Whether the line goes into the variable as it is: without -r backslashes are read, blanks at the ends go with IFS, and options take
 * a part of the line. `separators`: IFS holds others than blanks, and what is not known of the line may end in one.
 */
function lineWithin(call: BuiltinCall, line: Value, raw: boolean): { readonly separators: boolean; readonly plain: boolean } {
  const text = textOf(line);
  const given = call.state.variables.get("IFS");
  const separated = given !== undefined || call.env.some(({ name }) => name === "IFS");
  const separators = given === undefined || isArray(given) ? undefined : textOf(given);
  if (text === undefined) return { separators: separated && separators?.trim() !== "", plain: true };
  const whole = !separated || (separators !== undefined && /^[\w./-]*$/.test(text) && ![...separators].some((one) => text.includes(one)));
  return { separators: false, plain: (raw || !text.includes("\\")) && text.trim() === text && whole };
}

const inexact = (line: Value): Value => (textOf(line) === undefined ? line : unknown("a line of the input"));

/** One line of standard input. */
function lineOf(stdin: Stream): Value {
  if (stdin.is === "paths") return onePath(stdin.values) ?? unknown("a line of the input");
  const text = stdin.is === "text" ? textOf(stdin.value) : undefined;
  if (text !== undefined && !text.replace(/\n$/, "").includes("\n")) return literal(text.replace(/\n$/, ""));
  return stdin.is === "unknown" && stdin.network
    ? { atoms: [{ hole: true, why: "a line of the input", network: true }], many: false }
    : unknown("a line of the input");
}

const mapfile: Builtin = (call) => {
  const { cx, state, given } = call;
  const callback = given.values.get("C");
  if (callback !== undefined)
    call.runner.script(cx, state, concat(callback, literal(' "$1" "$2"')), sharedInput(call.stdin), {
      span: call.span,
      keep: true,
      positional: [NUMBER, unknown("a line of the input")],
    });
  takeInput(cx, state, call.stdin, "pieces");
  const name = given.rest[0] === undefined ? literal("MAPFILE") : given.rest[0];
  assignTo(call, name, unknown("a line of the input", true));
  state.addAttributes(textOf(name) ?? "", "a");
  return done(state);
};

const letBuiltin: Builtin = (call) => {
  for (const word of call.words) {
    const text = textOf(word);
    if (!isNumeric(word)) call.cx.unknown("let evaluates its argument as arithmetic, which can run code", { span: call.span });
    if (text === undefined || !readSubscript(text)) continue;
    readNames(call, text);
    for (const [, name] of text.matchAll(/([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|\*\*|<<|>>)?=(?!=)/g))
      if (name !== undefined) setNumber(call.cx, call.state, name, call.span);
    for (const [, before, behind] of text.matchAll(/(?:\+\+|--)\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*(?:\+\+|--)/g))
      setNumber(call.cx, call.state, before ?? behind ?? "", call.span);
  }
  return done(call.state);
};

const getopts: Builtin = (call) => {
  const [letters, name] = call.given.rest;
  // Where the first may be no word, or several, the name is not certain.
  assignTo(call, letters?.many === true ? letters : name, unknown("an option letter"));
  const at = { exported: false, span: call.span };
  assignVariable(call.cx, call.state, "OPTARG", unknown("$OPTARG", true), at);
  assignVariable(call.cx, call.state, "OPTIND", NUMBER, at);
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
