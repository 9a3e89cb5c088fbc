import { OPEN } from "#knowledge/traits";
import { parse, type Command, type Assignment } from "unbash";
import type { ExecAction, Span } from "../../action/index.ts";
import { bracesOf } from "../words/brace.ts";
import { isBuiltin, runBuiltin } from "./builtins/index.ts";
import { DEEPEST_NESTING, type Context } from "../words/context.ts";
import { evaluateAsArithmetic } from "../words/evaluated.ts";
import { expandFields, expandText } from "../words/expand.ts";
import type { CommandRunner } from "../programs/invocation.ts";
import { parseShell } from "../words/parse.ts";
import { inputOf, replaceInput, takeInput, withOwnInput } from "../words/input.ts";
import { secretHanded } from "../programs/secret-words.ts";
import { startProgram, startUnknown } from "../programs/program.ts";
import { isSpecialInSh } from "./portable.ts";
import { doubtAmount, readRedirections } from "./redirect.ts";
import { RUNNER } from "./runner.ts";
import { either, joinStates, type Handed, type ShellState, type ShellVariable } from "../words/state.ts";
import {
  concat,
  holeOf,
  isEndless,
  isGlob,
  isHole,
  isNetwork,
  literal,
  NOTHING,
  prefixOf,
  textOf,
  unknown,
  type Stream,
  type Value,
} from "../words/value.ts";
import { readNames } from "../words/arithmetic.ts";
import { assignVariable, giveValue, handOn, controlling } from "../words/variables.ts";
import { expansion, leaving, redirectedOutcome, runStatements, same, type ShellOutcome } from "./walk.ts";

/** One simple command: words, redirections and assignments in bash's order, then whatever the name means. */
export function runSimple(cx: Context, state: ShellState, node: Command, stdin: Stream): ShellOutcome {
  const ex = expansion(cx, state);
  const words: Value[] = node.name === undefined ? [] : [...expandFields(ex, node.name)];
  if (cx.maybeZsh && node.name?.text.startsWith("{") === true && node.name.text !== "{}")
    cx.unknown("zsh reads a command that begins with `{` as a group", { span: cx.span(node.name) });
  const named = words.length > 0;
  const assigned: Assigned[] = [];
  for (const arg of node.args) {
    if (arg.type === "Word") words.push(...expandFields(ex, arg));
    else words.push(...assignmentWord(cx, state, arg, assigned));
  }
  const redirected = readRedirections(ex, node.redirects);
  const undone = redirected.uncertain ? state.fork() : undefined;
  // Where one fails in front of a special builtin, sh ends.
  if (state.portable && node.redirects.length > 0) {
    if (words[0] !== undefined && isSpecialInSh(textOf(words[0]) ?? "")) cx.mayEnd(state);
    else cx.cuts++;
  }
  const env: { name: string; value: string | undefined }[] = [];
  const handed = new Map<string, Handed>();
  const span = cx.span(node);
  const outside = new Map<string, ShellVariable | undefined>();
  for (const item of node.prefix) {
    if (item.type !== "Assignment") continue;
    const value = assignmentValue(cx, state, item);
    const at = cx.span(item);
    if (words.length === 0) {
      assignVariable(cx, state, item.name, value, { exported: state.options.has("allexport"), span: at });
      if (item.index !== undefined || item.value.type === "ArrayValue") state.addAttributes(item.name, "a");
    } else {
      if (!splitsOneLine(state, words, item.name, value)) controlling(cx, item.name, value, { exported: true, span: at });
      handed.set(item.name, { value, span: at });
      env.push({ name: item.name, value: "atoms" in value ? textOf(value) : undefined });
      // The next of them sees it already.
      if (!outside.has(item.name)) outside.set(item.name, state.variables.get(item.name));
      state.setVariable(item.name, value);
    }
  }
  for (const [name, value] of outside)
    if (value === undefined) state.dropVariable(name);
    else state.setVariable(name, value);
  const input = inputOf(cx, stdin, redirected.stdin);
  if (words.length === 0) {
    // `$(<file)` prints the file; a lone assignment prints nothing.
    if (node.name !== undefined && !named) return same(NOTHING, state);
    if (node.prefix.some((item) => item.type === "Assignment")) return redirectedOutcome(same(NOTHING, state), redirected, undone);
    // zsh runs cat there (zshparam(1), NULLCMD): what a pipe brings goes on, and into the files.
    if (cx.maybeZsh && node.redirects.length > 0) takeInput(cx, state, stdin, "lines");
    const read = redirected.stdin ?? NOTHING;
    const passed = cx.maybeZsh && node.redirects.length > 0 && !isEndless(read) ? input : read;
    const certain = passed.is === "none" || isEndless(passed) || cx.shell === "zsh";
    const out: Stream = certain ? passed : { is: "unknown", why: "what redirections alone print", network: isNetwork(passed) };
    return redirectedOutcome(same(out, state), redirected, undone);
  }
  if (state.options.has("nullglob") && words.some((word) => isGlob(word)) && !OPEN.has(textOf(words[0] ?? literal("")) ?? ""))
    cx.unknown("with nullglob a pattern that matches nothing goes away", { span, help: "write the names out" });
  const secret = secretHanded(state, words, redirected.stdin);
  const before = cx.actions.length;
  const { environment } = state;
  const variables = lend(cx, state, handed, words[0] === undefined ? undefined : textOf(words[0]));
  // Where `time` is no word of the shell (dash), `time -f %e rm x` is the program with its options; in bash `-f` is a command.
  if (cx.timed > 0 && words[0] !== undefined && prefixOf(words[0]).startsWith("-"))
    dispatch({ cx, state: state.fork(), argv: [literal("time"), ...words], env, stdin: input, span, assigned: [], runner: RUNNER });
  const left = cx.escapes.map(({ states }) => states.length);
  const start = (own: Stream): ShellOutcome => dispatch({ cx, state, argv: words, env, stdin: own, span, assigned, runner: RUNNER });
  const outcome = withOwnInput(cx, stdin, redirected.stdin, start);
  const lasting = words[0] === undefined || mayKeep(state, textOf(words[0]));
  if (handed.size > 0)
    // `return` and `break` leave with what stands before them, too.
    for (const end of new Set([state, outcome.ok, outcome.fail, ...cx.escapes.flatMap(({ states }, i) => states.slice(left[i]))]))
      takeBack(end, handed, { environment, variables, lasting });
  const exec = secret === undefined ? -1 : cx.actions.findIndex((action, i) => i >= before && action.kind === "exec");
  if (exec >= 0) cx.unknown(`shows or hands on $${secret ?? ""}, whose name says that it is a secret`, { span, exec });
  doubtAmount(ex, { out: outcome.out, redirected, input, words: node.args, redirects: node.redirects, first: before });
  const run = redirectedOutcome(outcome, redirected, undone);
  if (node.redirects.length === 0 || !isExecAlone(words)) return run;
  // From here on the shell itself reads and prints elsewhere (bash(1), exec).
  replaceInput(cx, state);
  const kept = redirected.piped ? new Set([...redirected.kept, 1]) : redirected.kept;
  for (const end of [state, run.ok, run.fail]) if (end !== undefined) end.kept = kept;
  return { ...run, out: { is: "unknown", why: "what the shell prints after exec", network: false } };
}

/** `exec > file`: no program is started. */
const isExecAlone = (words: readonly Value[]): boolean => {
  const texts = words.map((word) => textOf(word));
  return texts.includes("exec") && texts.every((text) => text !== undefined && /^(exec|command|builtin|-p|--)$/.test(text));
};

/** Without a name they list or read what they are given, or print. */
/** What a command is given in front of its name, functions and builtins see as variables. Returns what was there. */
function lend(
  cx: Context,
  state: ShellState,
  handed: ReadonlyMap<string, Handed>,
  to: string | undefined,
): ReadonlyMap<string, ShellVariable | undefined> {
  const before = new Map<string, ShellVariable | undefined>();
  if (handed.size === 0) return before;
  for (const [name, { value, span }] of handed) {
    before.set(name, state.variables.get(name));
    if (value !== undefined) giveValue(cx, state, name, value, span);
  }
  // Within a function or builtin a trap may be sprung.
  const inShell = mayKeep(state, to) || (to !== undefined && isBuiltin(to));
  for (const [name, given] of handed)
    if (inShell) state.hand(name, given);
    else handOn(state, name, given);
  return before;
}

/** `IFS='|' read`: it holds for that one builtin, which splits by it and starts nothing (POSIX read; zshmisc(1), Simple Commands). */
const splitsOneLine = (state: ShellState, [command]: readonly Value[], name: string, value: ShellVariable): boolean =>
  name === "IFS" &&
  command !== undefined &&
  textOf(command) === "read" &&
  !mayKeep(state, "read") &&
  "atoms" in value &&
  textOf(value) !== undefined;

/** Functions, and builtins that in some shell or mode keep what they are given in front: POSIX's, `wait` in posh, `alias` in zsh. */
function mayKeep(state: ShellState, name: string | undefined): boolean {
  return name === undefined || state.functions.has(name) || state.aliases.has(name) || SPECIAL.has(name);
}

const SPECIAL = new Set(
  [
    "break : continue . source eval exec exit export readonly return set shift times trap unset declare typeset local command builtin",
    "alias hash noglob private wait",
  ].flatMap((names) => names.split(" ")),
);

interface Lent {
  readonly environment: ShellState["environment"];
  readonly variables: ReadonlyMap<string, ShellVariable | undefined>;
  readonly lasting: boolean;
}

/** After the command its variables are what they were, unless the command itself (a function) has set them. */
function takeBack(state: ShellState | undefined, handed: ReadonlyMap<string, Handed>, before: Lent): void {
  if (state === undefined) return;
  for (const [name, value] of before.variables) {
    const now = before.lasting ? either(name, value, state.variables.get(name)) : value;
    if (now === undefined) state.dropVariable(name);
    else state.setVariable(name, now);
  }
  const environment = new Map(state.environment);
  for (const [name, given] of handed) {
    // bash in its POSIX mode, and zsh as sh, hand on from then on what stays.
    if (environment.get(name) !== given || before.lasting) continue;
    const old = before.environment.get(name);
    if (old === undefined) environment.delete(name);
    else environment.set(name, old);
  }
  state.environment = environment;
}

/** A `NAME=value` argument of `export`, `declare` and the like, kept apart from its text. */
export interface Assigned {
  readonly name: string;
  readonly value: ShellVariable;
  readonly append: boolean;
}

function assignmentWord(cx: Context, state: ShellState, item: Assignment, assigned: Assigned[]): readonly Value[] {
  // bash expands braces there, which it does not in an assignment, and makes several words (bash(1), Brace Expansion).
  const braces =
    item.value.type === "Word" && /\{[^]*(,|\.\.)[^]*\}/.test(item.value.text) && bracesOf(expansion(cx, state), item.value).length > 1;
  const value = braces ? unknown(`$${item.name}, which braces give several values`, true) : assignmentValue(cx, state, item);
  assigned.push({ name: item.name, value, append: item.append === true });
  return ["atoms" in value ? concat(literal(`${item.name}=`), value) : literal(`${item.name}=(…)`)];
}

/** `[subscript]=value`, the subscript however it is quoted. */
const KEYED = /^\[[^]*\]["']?\+?["']?=/;

function assignmentValue(cx: Context, state: ShellState, item: Assignment): ShellVariable {
  const ex = expansion(cx, state);
  if (item.index !== undefined) {
    const index = expandText(ex, item.index);
    evaluateAsArithmetic(ex, index, "an array subscript");
    // Subscripts begin at 1 in zsh, and the assignment of one that is none ends the line (zshparam(1), Array Parameters).
    if (cx.maybeZsh && !/^[1-9]\d*$/.test(textOf(index) ?? "") && !state.attributesOf(item.name).includes("A")) cx.mayGiveUp(state);
  }
  if (item.value.type === "ArrayValue") {
    const values = item.value.elements.flatMap((word) => {
      // `[subscript]=value` elements are evaluated as arithmetic.
      if (/^\[[^\]]*[$`"'\\[]/.test(word.text))
        cx.unknown("an array subscript is evaluated as arithmetic, which can run code", { span: cx.span(word) });
      else readNames(ex, /^\[([^\]]*)\]\+?=/.exec(word.text)?.[1] ?? "");
      return [...expandFields(ex, word)];
    });
    // zsh gives up the command where some elements are keyed and others are not, or a value has no key (zshparam(1), Array Parameters).
    const keyed = item.value.elements.filter((word) => KEYED.test(word.text)).length;
    if (keyed < item.value.elements.length && (keyed > 0 || state.attributesOf(item.name).includes("A"))) cx.mayGiveUp(state);
    // Where each lies, and over which it is written, is not followed (bash(1), Arrays; zshparam(1), Array Parameters).
    if (item.value.elements.some((word) => KEYED.test(word.text)))
      return [unknown(`$${item.name}, some of whose elements name their place`, true)];
    const before = state.variables.get(item.name);
    if (item.append !== true) return values;
    return before === undefined
      ? [{ atoms: [{ hole: true, why: `$${item.name}`, ambient: true }], many: true }, ...values]
      : [...("atoms" in before ? [before] : before), ...values];
  }
  const value = expandText(ex, item.value, true);
  if (item.index !== undefined) return { atoms: [{ hole: true, why: `an element of $${item.name}` }], many: true };
  if (item.append !== true) return value.many ? { atoms: value.atoms, many: value.atoms.some(isHole) } : value;
  if (state.attributesOf(item.name).includes("i") && /^\d+$/.test(textOf(value) ?? ""))
    return { atoms: [{ hole: true, why: "a sum", number: true }], many: false };
  const before = state.variables.get(item.name);
  const ambient = before === undefined;
  return concat(
    before !== undefined && "atoms" in before
      ? before
      : { atoms: [{ hole: true, why: `$${item.name}`, ...(ambient ? { ambient } : {}) }], many: true },
    value,
  );
}

export interface Dispatch {
  readonly cx: Context;
  readonly state: ShellState;
  readonly argv: readonly Value[];
  readonly env: ExecAction["env"];
  readonly stdin: Stream;
  readonly span: Span | undefined;
  readonly runner: CommandRunner;
  readonly assigned?: readonly Assigned[];
  /** Started by a program or `command`: functions and aliases do not apply. */
  readonly plain?: boolean;
  /** Started by a program: builtins do not apply either. */
  readonly external?: boolean;
  /** Aliases already taken in this expansion. */
  readonly taken?: readonly string[];
}

/** Finds out what the command name means: alias, function, builtin, program. */
export function dispatch(d: Dispatch): ShellOutcome {
  const { cx, state, argv } = d;
  const [name, ...rest] = argv;
  if (name === undefined || !cx.step()) return same(NOTHING, state);
  // Another command hands it on.
  if ((d.plain === true || d.external === true) && !cx.carry(argv)) return same(NOTHING, state);
  const text = textOf(name);
  if (text === undefined) return dispatchUnknown(d, name, rest);
  if (d.plain !== true && d.external !== true) {
    const aliases = d.taken?.includes(text) === true ? undefined : state.aliases.get(text);
    const functions = state.functions.get(text);
    if (aliases !== undefined || functions !== undefined) {
      const ways: ((way: Dispatch) => ShellOutcome)[] = [];
      for (const alias of aliases ?? []) if (alias !== undefined) ways.push((way) => runAlias(way, text, alias, rest));
      for (const body of functions ?? []) if (body !== undefined) ways.push((way) => callFunction(way, text, body, rest));
      // An alias only counts for lines read after it, and in some shells; a function may not be defined on every way.
      if (functions === undefined || functions.includes(undefined)) ways.push((way) => dispatch({ ...way, plain: true }));
      const [only] = ways;
      if (ways.length === 1 && only !== undefined) return only(d);
      const outs = ways.map((way) => way({ ...d, state: state.fork() }));
      return {
        out: { is: "unknown", why: `the output of ${text}`, network: outs.some((one) => isNetwork(one.out)) },
        ok: outs.reduce<ShellState | undefined>((a, b) => joinStates(a, b.ok), undefined),
        fail: outs.reduce<ShellState | undefined>((a, b) => joinStates(a, b.fail), undefined),
      };
    }
  }
  if (d.external !== true) {
    const builtin = runBuiltin(d, text, rest);
    if (builtin !== undefined) return builtin;
  }
  return same(startProgram({ cx, state, run: RUNNER, argv, env: d.env, stdin: d.stdin, span: d.span }), state);
}

function dispatchUnknown(d: Dispatch, name: Value, rest: readonly Value[]): ShellOutcome {
  const { cx, state } = d;
  takeInput(cx, state, d.stdin, "pieces");
  const out = startUnknown({ cx, state, run: RUNNER, argv: d.argv, env: d.env, stdin: d.stdin, span: d.span });
  // An unquoted expansion may vanish, and the next word is then the command.
  if (name.many && rest.length > 0 && prefixOf(name) === "") dispatch({ ...d, argv: rest });
  const network = holeOf(name)?.network === true;
  if (network) cx.addDanger(cx.actions.length - 1, "download-exec");
  return same(out, state);
}

function runAlias(d: Dispatch, name: string, text: string, rest: readonly Value[]): ShellOutcome {
  const { cx, state } = d;
  const script = parse(text);
  const [statement] = script.commands;
  const command = statement?.command;
  const taken = [...(d.taken ?? []), name];
  if (
    parseShell(text).ok &&
    script.commands.length === 1 &&
    command?.type === "Command" &&
    command.redirects.length === 0 &&
    command.prefix.length === 0 &&
    command.name !== undefined &&
    command.args.every((arg) => arg.type === "Word") &&
    text.slice(command.end).trim() === ""
  ) {
    const ex = expansion(cx, state);
    const words = [command.name, ...command.args.filter((arg) => arg.type === "Word")].flatMap((word) => [...expandFields(ex, word)]);
    return dispatch({ ...d, argv: [...words, ...rest], taken });
  }
  RUNNER.script(cx, state, literal(text), d.stdin, { keep: true });
  cx.unknown(`the alias ${name} is more than a plain command: what it leaves, and what its arguments do, is not known`);
  return same({ is: "unknown", why: `the output of the alias ${name}`, network: false }, state);
}

function callFunction(d: Dispatch, name: string, node: Parameters<Context["defined"]["set"]>[0], args: readonly Value[]): ShellOutcome {
  const { cx, state } = d;
  const definition = cx.defined.get(node);
  if (definition !== undefined) definition.called = true;
  if (cx.calling.includes(name)) {
    const exec = cx.add({
      kind: "exec",
      program: name,
      argv: [{ known: true, text: name }],
      trusted: false,
      env: [],
      origin: { by: "shell" },
      ...(d.span === undefined ? {} : { span: d.span }),
    });
    if (cx.concurrent > 0) cx.addDanger(exec, "fork-bomb");
    cx.unknown(`the function ${name} calls itself`, { span: d.span });
    return same({ is: "unknown", why: `the output of ${name}`, network: isNetwork(d.stdin) }, state);
  }
  if (cx.calling.length >= DEEPEST_NESTING) {
    cx.unknown("functions call each other too deeply", { span: d.span });
    return same(NOTHING, state);
  }
  const outer = state.positional;
  state.positional = args;
  state.frames = [...state.frames, new Map()];
  cx.calling.push(name);
  const returns: ShellState[] = [];
  cx.escapes.push({ from: "function", states: returns });
  const outcome = runStatements(
    cx,
    state,
    [
      {
        type: "Statement",
        pos: node.pos,
        end: node.end,
        command: node.body.type === "CompoundList" ? { type: "BraceGroup", pos: node.pos, end: node.end, body: node.body } : node.body,
        background: undefined,
      },
    ],
    d.stdin,
  );
  cx.escapes.pop();
  cx.calling.pop();
  for (const end of new Set([state, outcome.ok, outcome.fail, ...returns])) {
    if (end === undefined) continue;
    end.positional = outer;
    for (const hidden of end.frames.at(-1)?.keys() ?? []) cx.changes(hidden);
    end.leaveFunction();
  }
  return leaving(outcome, returns);
}

/** Functions that are defined and never called are judged as if called with unknown arguments. */
export function runUncalled(cx: Context): void {
  for (const [node, definition] of cx.defined) {
    if (definition.called) continue;
    const state = definition.state.fork();
    state.setFunction(node.name.value, [node]);
    callFunction(
      {
        cx,
        state,
        argv: [literal(node.name.value)],
        env: [],
        stdin: { is: "unknown", why: "the input of a function", network: false },
        span: cx.span(node),
        runner: RUNNER,
      },
      node.name.value,
      node,
      [{ atoms: [{ hole: true, why: "the arguments of a function" }], many: true }],
    );
  }
}
