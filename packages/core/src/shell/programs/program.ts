import { BOUNDED, PREFIXED, SAMPLES } from "#knowledge/traits";
import {
  type Action,
  type Argument,
  type CommandShape,
  confineLauncher,
  type ExecAction,
  type OwnCommands,
  type Span,
  type Unknown,
} from "../../action/index.ts";
import { baseName, resolvePath } from "../../path/index.ts";
import { copiesInput, holdsInput, isLinelessFile, makesMuch, printsWithoutEnd } from "./sizes.ts";
import type { Applied } from "./apply.ts";
import { BY_SHELL, type Context, type ExecDraft } from "../words/context.ts";
import { applyEnvironment } from "./environment.ts";
import { describe, type CommandRunner } from "./invocation.ts";
import { entryFor } from "../knowledge/entries.ts";
import { noteDangerWords } from "./danger-words.ts";
import { readHandedCommands } from "./handed-commands.ts";
import { linesOf, nameWords } from "./named-paths.ts";
import { leftBy, takeInput } from "../words/input.ts";
import type { GivenOption } from "./options.ts";
import { foldersOf } from "../words/paths.ts";
import { applyReadings, readingsOf } from "./readings.ts";
import { emitUpkeep } from "./upkeep.ts";
import type { ShellState } from "../words/state.ts";
import {
  endless,
  holeOf,
  isEndless,
  isGlob,
  isLineless,
  isNetwork,
  literal,
  patternOf,
  prefixOf,
  textOf,
  type Stream,
  type Value,
} from "../words/value.ts";

export interface ProgramCall {
  readonly cx: Context;
  readonly state: ShellState;
  readonly run: CommandRunner;
  /** `argv[0]` included; its text is known. */
  readonly argv: readonly Value[];
  readonly env: ExecAction["env"];
  readonly stdin: Stream;
  readonly span: Span | undefined;
}

/** Starts a program: emits the exec action and, from knowledge, everything it does. Returns what it prints. */
export function startProgram(given: ProgramCall): Stream {
  const { cx } = given;
  const { state, run, argv, env, span } = given;
  const call: ProgramCall = { cx, state, run, argv, env, stdin: takeInput(cx, state, given.stdin, "lines"), span };
  const [out, leaves] = judgeProgram(call);
  takeInput(cx, state, given.stdin, cx.taken.get(call.stdin) === "pieces" ? "pieces" : leaves);
  return out;
}

type LeavesInput = "lines" | "pieces";

function judgeProgram(call: ProgramCall): readonly [Stream, LeavesInput] {
  const { cx, argv } = call;
  const written = argv[0] === undefined ? "" : (textOf(argv[0]) ?? "");
  const words = argv.slice(1);
  const who = identify(call, written);
  const confined = who.resolved === confineLauncher(cx.world.home) ? confinedCall(call) : undefined;
  if (confined !== undefined) return [confined(), "lines"];
  // git(1), `--exec-path`: each subcommand is a program of that folder, too.
  const part = /^\/usr\/(?:local\/)?lib(?:exec)?\/git-core\/git-(\w[\w-]*)$/.exec(who.resolved ?? "")?.[1];
  if (part !== undefined && entryFor(who.basename) === undefined)
    return [call.run.argv(cx, call.state, ["git", part].map(literal).concat(words), call.stdin), "pieces"];
  const found = entryFor(who.basename) ?? entryFor(who.basename.toLowerCase());
  const spec = found?.only === undefined ? found : undefined;
  const exec = cx.add(execAction(call, who));
  if (spec !== undefined) noteDangerWords(cx, spec, call.stdin.is === "text" ? [...words, call.stdin.value] : words, exec);
  const before = { actions: cx.actions.length, unknowns: cx.unknowns.length };
  const own = spec === undefined ? startOwn(call, who, exec) : undefined;
  if (own !== undefined) return [own, "pieces"];
  if (spec === undefined) {
    applyEnvironment({ cx, state: call.state, exec, name: who.basename, span: call.span });
    cx.refineExec(exec, { shape: looseShape(cx, words) });
    if (isAdministrators(call, who) && !onlyAsksForHelp(words)) cx.addDanger(exec, "host-effect");
    nameWords(cx, exec, [...words, ...environmentOf(call), ...linesOf(call.stdin)], call.state.places);
    readHandedCommands(call, who.basename.toLowerCase(), words, undefined, exec);
    return [{ is: "unknown", why: `the output of ${written}`, network: isNetwork(call.stdin) }, "pieces"];
  }
  // `env NAME=VALUE` sets variables for what it starts, not for the rest of the line.
  const { environment } = call.state;
  const applied = applyReadings(
    {
      cx,
      state: call.state,
      run: call.run,
      exec,
      name: who.basename.toLowerCase(),
      words,
      stdin: call.stdin,
      span: call.span,
      places: call.state.places,
    },
    readingsOf(cx.world, who, spec),
  );
  call.state.environment = environment;
  const tail = looseShape(cx, applied.loose);
  cx.refineExec(exec, {
    shape: {
      options: [...applied.options.map((given) => optionShape(cx, given)), ...tail.options],
      operands: [...applied.operands.map((value) => argumentOf(cx, value)), ...tail.operands],
      complete: applied.complete && tail.options.length === 0,
    },
    ...(who.trusted && applied.id !== undefined && !who.folded ? { knowledge: applied.id } : {}),
  });
  const understood = isUnderstood(cx, exec, applied, before);
  if (spec.otherwise !== undefined && !isUnderstood(cx, exec, applied, before, cx.ofStarted)) cx.addDanger(exec, spec.otherwise);
  const isCompared = !who.trusted || who.folded || !understood;
  const compared = words.filter((word) => !isSentence(word) && (isCompared || MARKS_A_FILE.test(prefixOf(word))));
  nameWords(cx, exec, [...compared, ...(isCompared ? [...environmentOf(call), ...linesOf(call.stdin)] : [])], call.state.places);
  // Of some the table knows nothing but that they run code of the project by default.
  const runs = applied.id === undefined ? spec.operands?.startsWith("code/project") === true : runsProject(cx, exec, before.actions);
  if (runs && isOwnTool(call, who, written)) cx.refineExec(exec, { ownTool: true });
  const folders = applied.options.flatMap(({ option, value }) => (option?.kind.is === "dir" && value !== undefined ? [value] : []));
  const installs = writesItself(cx, before.actions);
  const doubted = applied.id !== undefined && (!applied.complete || isDoubted(cx, exec, before.unknowns));
  const values = applied.options.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const known = { id: applied.id, runs, understood, doubted, values, folders: who.trusted ? folders : [], installs };
  readHandedCommands(call, who.basename.toLowerCase(), words, known, exec);
  if (spec.upkeep !== undefined || applied.upkeep.length > 0)
    for (const upkeep of new Set([...(spec.upkeep ?? []), ...applied.upkeep])) emitUpkeep({ cx, words }, exec, applied.places, upkeep);
  const isPlain = who.trusted && understood && !readsDevice(cx, before.actions);
  const leaves = isPlain ? leftBy(who.basename, applied.reads, words) : "pieces";
  return [lengthOf(call, who.basename, applied.out, exec, before.actions), leaves];
}

/**
 * A program of which the user's own policy says what it starts. `knowledge`: nothing else is to be asked of it, so its name has to lie where no
 * agent may write.
 */
function startOwn(call: ProgramCall, who: ProgramIdentity, exec: number): Stream | undefined {
  const { cx, state, run, argv, stdin, span } = call;
  const name = who.basename;
  // Where the system's are others, those of GNU have a g in front (Homebrew, ports).
  const isGnu = PREFIXED.some(([, names]) => new RegExp(`^${names}$`).test(name));
  const command = isGnu ? [literal(name.slice(1)), ...argv.slice(1)] : commandOfOwn(cx.world.ownCommands, name, argv.slice(1));
  if (command === undefined || who.folded || !who.trusted || who.resolved === undefined || isAdministrators(call, who)) return undefined;
  applyEnvironment({ cx, state, exec, name, span });
  cx.refineExec(exec, { knowledge: name, shape: looseShape(cx, argv.slice(1)) });
  return run.argv(cx, state, command, stdin, exec);
}

/** What a wrapper starts begins behind its words, or behind `--`: an option of its own is none of which anybody has said something. */
function commandOfOwn(own: OwnCommands | undefined, name: string, words: readonly Value[]): readonly Value[] | undefined {
  if (own === undefined) return undefined;
  const alias = Object.entries(own.aliases).find(([one]) => one === name)?.[1];
  if (alias !== undefined) return [...alias.split(" ").map(literal), ...words];
  for (const wrapper of own.wrappers) {
    const [first, ...fixed] = wrapper.split(" ");
    if (first !== name || fixed.some((word, at) => words[at] === undefined || textOf(words[at]) !== word)) continue;
    const rest = words.slice(fixed.length);
    const command = rest[0] !== undefined && textOf(rest[0]) === "--" ? rest.slice(1) : rest;
    const [begins] = command;
    if (begins !== undefined && textOf(begins) !== undefined && !prefixOf(begins).startsWith("-")) return command;
  }
  return undefined;
}

/** Its subcommand keeps something here, as those do that add and remove packages. */
const writesItself = (cx: Context, before: number): boolean =>
  cx.actions
    .slice(before)
    .some((action) => action.kind === "file" && action.upkeep !== true && (action.operation === "write" || action.operation === "edit"));

/** What is read may be the input under another name: `/dev/stdin`, a link to it. */
function readsDevice(cx: Context, before: number): boolean {
  const isDevice = (path: string): boolean => /^\/(?:dev|proc)\//.test(path) && path !== "/dev/null";
  return cx.actions
    .slice(before)
    .some(
      (action) =>
        action.kind === "file" &&
        action.operation === "read" &&
        action.target.kind === "path" &&
        (cx.links.length > 0 || isDevice(action.target.path) || isDevice(cx.world.canonical(action.target.path))),
    );
}

/** What hosts start in the place of a command does what that command does, or less. */
function confinedCall(call: ProgramCall): (() => Stream) | undefined {
  const { cx, state, run, argv, env, stdin } = call;
  const [, ticket, command] = argv;
  if (argv.length !== 3 || ticket === undefined || command === undefined || textOf(ticket) === undefined) return undefined;
  // Variables in front of it are judged as they are for any shell.
  if (env.length > 0) return () => startProgram({ ...call, argv: [literal("bash"), literal("-c"), command] });
  return () => run.script(cx, state, command, stdin);
}

/** Whether what it prints has an end; what has none and goes into a file fills the disk. */
function lengthOf({ cx, argv, stdin }: ProgramCall, name: string, out: Stream, exec: number, before: number): Stream {
  const words = argv.slice(1);
  const all = cx.actions.slice(before);
  const read = pathsRead(all);
  // `--random-source`: they take a few bytes of it.
  const samples = SAMPLES.has(name) ? words.map((word) => /^--ran[a-z-]*=(.+)$/s.exec(textOf(word) ?? "")) : [];
  const [, sampled] = samples.find((match) => match !== null) ?? [];
  if (sampled !== undefined && read.includes(sampled)) read.splice(read.indexOf(sampled), 1);
  const isLong = printsWithoutEnd(name, words, read, stdin);
  if ((holdsInput(name, words, stdin, read) && (isEndless(stdin) || isLong)) || makesMuch(name, words, stdin))
    cx.addDanger(exec, "resource-bomb");
  // What is read to its end and kept in another file, by whatever program: cp, tar, split. What it starts is looked at by itself.
  const own = all.filter(({ origin }) => origin.by === "command" && origin.exec === exec);
  if (!BOUNDED.has(name) && isLong && keepsFile(own) && printsWithoutEnd(name, words, pathsRead(own), stdin))
    cx.addDanger(exec, "resource-bomb");
  if (isLong) return endless(out, read.some(isLinelessFile));
  if (!isEndless(stdin)) return out;
  if (!copiesInput(name, words))
    return out === stdin ? { is: "unknown", why: "the beginning of a text without end", network: isNetwork(out) } : out;
  if (keepsFile(all)) cx.addDanger(exec, "resource-bomb");
  return endless(out, isLineless(stdin));
}

const pathsRead = (actions: readonly Action[]): string[] =>
  actions.flatMap((action) =>
    action.kind === "file" && action.operation === "read" && action.target.kind === "path" ? [action.target.path] : [],
  );

/** It writes a file, which is not that for its own use. */
const keepsFile = (actions: readonly Action[]): boolean =>
  actions.some(
    (action) =>
      action.kind === "file" &&
      (action.operation === "write" || action.operation === "edit") &&
      action.upkeep !== true &&
      !(action.target.kind === "path" && action.target.path === "/dev/null"),
  );

/** What every word means is known: nothing was left open, and no code that is not read gets any of them. */
const isDoubted = (cx: Context, exec: number, before: number, besides?: ReadonlySet<Unknown>): boolean =>
  cx.unknowns.slice(before).some((unknown) => (unknown.exec === undefined || unknown.exec === exec) && besides?.has(unknown) !== true);

function isUnderstood(
  cx: Context,
  exec: number,
  applied: Applied,
  before: { readonly actions: number; readonly unknowns: number },
  besides?: ReadonlySet<Unknown>,
): boolean {
  return (
    applied.id !== undefined &&
    applied.complete &&
    !isDoubted(cx, exec, before.unknowns, besides) &&
    !cx.actions
      .slice(before.actions)
      .some((action) => action.kind === "code" && action.origin.by === "command" && action.origin.exec === exec)
  );
}

/** What is known of the program makes this command run code of the project, so that whoever allows it allows what lies in the environment. */
const runsProject = (cx: Context, exec: number, from: number): boolean =>
  cx.actions
    .slice(from)
    .some(
      (action) =>
        action.kind === "code" &&
        (action.source === "project" ||
          action.language === "project" ||
          (action.source === "file" && /^(?:\.\/)?[\w-][\w./-]*$/.test(action.detail ?? "") && !action.detail?.includes(".."))) &&
        action.origin.by === "command" &&
        action.origin.exec === exec,
    );

/** A program that nobody knows, in a folder for the administrator's (hier(7)). */
function isAdministrators({ cx: { world } }: ProgramCall, { resolved }: ProgramIdentity): boolean {
  if (resolved === undefined || !/\/sbin\/[^/]+$/.test(resolved)) return false;
  // Where the folder is a link to `bin` it says nothing.
  return world.canonical(resolved.slice(0, resolved.lastIndexOf("/"))).endsWith("/sbin");
}

const onlyAsksForHelp = (words: readonly Value[]): boolean =>
  words.length === 1 && /^--(?:help|version)$/.test(textOf(words[0] ?? literal("")) ?? "");

/** The environment that the project's own tools lie in: of this project, under the name it has by custom, and no link out of it. */
function isOwnTool({ cx: { world } }: ProgramCall, who: ProgramIdentity, written: string): boolean {
  const path = who.resolved;
  if (path === undefined || who.trusted || !written.includes("/")) return false;
  const root = world.canonical(world.projectRoot);
  const folder = world.canonical(path.slice(0, path.lastIndexOf("/")));
  return folder.startsWith(`${root}/`) && /\/(?:\.?venv\/bin|node_modules\/\.bin)$/.test(folder);
}

/** A message or a title to a program that is known; code that is not read is looked through where it is found. */
/** Whatever a table says of a word: many programs read the file behind one of these. */
const MARKS_A_FILE = /(?:^|[=,])(?:@|fileb?:|listfile0?:|(?:sub)?include:)/i;

const isSentence = (word: Value): boolean => /\S\s+\S/.test(textOf(word) ?? "");

/** Values of variables in front of the command. */
const environmentOf = ({ env }: ProgramCall): readonly Value[] => env.flatMap(({ value }) => (value === undefined ? [] : [literal(value)]));

interface ProgramIdentity {
  readonly basename: string;
  readonly trusted: boolean;
  readonly resolved: string | undefined;
  readonly real?: string | undefined;
  /** Known only by folding case: dangers count, knowledge does not. */
  readonly folded: boolean;
}

function identify(call: ProgramCall, written: string): ProgramIdentity {
  const { world } = call.cx;
  const basename = baseName(written);
  const folded = entryFor(basename) === undefined && entryFor(basename.toLowerCase()) !== undefined;
  if (!written.includes("/")) {
    const found = world.lookup(written);
    return { basename, trusted: found.trusted, resolved: found.path, real: found.real, folded };
  }
  const [place] = call.state.places;
  if (!written.startsWith("/") && (call.state.places.length !== 1 || place?.is !== "at"))
    return { basename, trusted: false, resolved: undefined, folded };
  const path = resolvePath(place?.is === "at" ? place.path : "/", written);
  return { basename, trusted: world.trustedProgram(path), resolved: path, folded };
}

function execAction(call: ProgramCall, who: ProgramIdentity): ExecAction {
  const folders = foldersOf(call.state.places, call.cx.world.cwd);
  const action: ExecDraft = {
    kind: "exec",
    program: who.trusted ? who.basename : call.argv[0] === undefined ? "" : (textOf(call.argv[0]) ?? ""),
    argv: call.argv.map((value) => argumentOf(call.cx, value)),
    trusted: who.trusted,
    env: call.env,
    origin: BY_SHELL,
  };
  if (who.resolved !== undefined) action.resolved = who.resolved;
  if (folders !== undefined) action.folders = folders;
  if (call.span !== undefined) action.span = call.span;
  return action;
}

/** The same word is the same argument, whether in argv or among the operands. */
export function argumentOf({ said }: Context, value: Value): Argument {
  let argument = said.get(value);
  if (argument === undefined) said.set(value, (argument = toArgument(value)));
  return argument;
}

function toArgument(value: Value): Argument {
  const text = textOf(value);
  if (text !== undefined) return { known: true, text };
  return {
    known: false,
    prefix: prefixOf(value),
    many: value.many,
    why: holeOf(value)?.why ?? "a pattern",
    ...(isGlob(value) ? { glob: patternOf(value) } : {}),
  };
}

function optionShape(cx: Context, given: GivenOption): CommandShape["options"][number] {
  return { names: given.option?.names ?? [given.written], ...(given.value === undefined ? {} : { value: argumentOf(cx, given.value) }) };
}

/** Options and operands of a program we know nothing of: what begins with `-` may be an option or several. */
function looseShape(cx: Context, words: readonly Value[]): CommandShape {
  const options: CommandShape["options"][number][] = [];
  const operands: Argument[] = [];
  let ended = false;
  for (const word of words) {
    const prefix = prefixOf(word);
    if (ended || !prefix.startsWith("-") || prefix === "-") operands.push(argumentOf(cx, word));
    else if (prefix === "--") ended = true;
    else if (prefix.startsWith("--")) options.push(looseLong(word, prefix));
    else {
      options.push({ names: [prefix] });
      if (prefix.length > 2) for (const letter of prefix.slice(1)) options.push({ names: [`-${letter}`] });
    }
  }
  return { options, operands, complete: false };
}

function looseLong(word: Value, prefix: string): CommandShape["options"][number] {
  const text = textOf(word);
  const equals = prefix.indexOf("=");
  if (equals < 0) return { names: [prefix] };
  return { names: [prefix.slice(0, equals)], ...(text === undefined ? {} : { value: { known: true, text: text.slice(equals + 1) } }) };
}

/** A command whose name is only known at run time. */
export function startUnknown(call: ProgramCall): Stream {
  const { cx, argv, span } = call;
  const name = argv[0];
  const shown = name === undefined ? "" : describe(name);
  cx.add({
    kind: "exec",
    program: "",
    argv: argv.map((value) => argumentOf(cx, value)),
    trusted: false,
    env: call.env,
    origin: { by: "shell" },
    shape: looseShape(cx, argv.slice(1)),
    ...(span === undefined ? {} : { span }),
  });
  nameWords(cx, cx.actions.length - 1, argv.slice(1), call.state.places);
  cx.unknown(`dynamic command name: ${shown} is only known at run time`, { span, help: "write the program's name" });
  return { is: "unknown", why: `the output of ${shown}`, network: isNetwork(call.stdin) };
}
