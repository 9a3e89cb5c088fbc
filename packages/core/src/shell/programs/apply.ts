import { ANALYSERS, WRITERS } from "./analyse/index.ts";
import { describe, doubt, refuse, type Invocation } from "./invocation.ts";
import { applyEffect } from "./effects.ts";
import { applyEnvironment } from "./environment.ts";
import { applyKind, environmentWord } from "./kinds.ts";
import {
  grammarOf,
  type CommandEntry,
  type KnowledgeEntry,
  type EntryFields,
  type Grammar,
  type Subcommand,
} from "../knowledge/entries.ts";
import { kindName, readOptionLine, type Kind, type Option, type Slot } from "../knowledge/read-spec.ts";
import { isDryRun, settleDryRun } from "./dry-run.ts";
import { noteNeeds } from "./needs.ts";
import { fillSlots, readArguments, type Arguments, type Filled, type GivenOption } from "./options.ts";
import { applyObeyed } from "./obeyed.ts";
import { outputOf } from "./output.ts";
import { mayBegin } from "../words/paths.ts";
import { walkFilter } from "./walk-filter.ts";
import { findAbbreviated, findApart, findSubcommand, isOpen } from "./subcommands.ts";
import { concat, isName, isNetwork, literal, mayBeNone, NOTHING, textOf, type Stream, type Value } from "../words/value.ts";

/** What is known of a command after its table was applied. */
export interface Applied {
  /** `git stash list`, or undefined when the subcommand is not in the table. */
  readonly id: string | undefined;
  readonly out: Stream;
  /** Every option and operand in order, subcommand words included, for rules. */
  readonly options: Arguments["options"];
  readonly operands: readonly Value[];
  /** Words behind them that the entry does not tell apart: options and operands by their looks only. */
  readonly loose: readonly Value[];
  readonly complete: boolean;
  /** It has files among its operands, which it reads. */
  readonly reads: boolean;
  /** Of the subcommand, and where it works: the shell's place, moved by `-C`. */
  readonly upkeep: readonly string[];
  readonly places: Invocation["places"];
}

export type InvocationBase = Omit<Invocation, "grammar" | "args" | "spec" | "sources" | "only" | "ports" | "looked">;

/** Applies a knowledge entry to the words after the program name: emits all effects. */
export function applySpec(base: InvocationBase, spec: CommandEntry): Applied {
  const names = spec.names.split(" ");
  return applyLevel(base, spec, undefined, names.find((name) => name === base.name) ?? names[0] ?? "", []);
}

function applyLevel(
  base: InvocationBase,
  spec: KnowledgeEntry,
  parent: Grammar | undefined,
  id: string,
  before: readonly Value[],
): Applied {
  const grammar = grammarOf(spec, parent);
  const help = parent === undefined ? undefined : helpAmong(spec.helps ?? base.helps, base.words);
  if (help !== undefined) return showHelp({ ...base, spec, grammar }, help, id, before);
  const args = readArguments(base.words, grammar, {
    stopAtOperand: grammar.subcommands !== undefined,
    // No option of a harmless program does harm by itself. It may change what is read, so that names are looked at: other text is not.
    mayBeOption: (value) => !grammar.steady && (!grammar.harmless || (isName(value) && isSomewhere(base))) && mayBegin(base, value, "-"),
  });
  const reads = spec.reads === undefined ? base.reads : [spec.reads, ...(base.reads ?? [])];
  // Of one form for every program, and made in one step: a line of thousands of commands makes thousands of these.
  const inv: Invocation = {
    cx: base.cx,
    state: base.state,
    run: base.run,
    exec: base.exec,
    name: base.name,
    words: base.words,
    stdin: base.stdin,
    span: base.span,
    places: base.places,
    output: base.output,
    reads,
    helps: spec.helps ?? base.helps,
    stranger: spec.stranger ?? base.stranger,
    confined: spec.confined ?? base.confined,
    obeys: joinRows(base.obeys, spec.obeys),
    spec,
    grammar,
    args,
    sources: [],
    only: spec.walks?.split(" ") ?? [],
    ports: [],
    looked: [],
  };
  if (spec.before !== undefined) ANALYSERS[spec.before]?.(inv);
  const [first] = args.operands;
  // Another program of the same name may ignore `-h` or `-V`, give it a meaning of its own (`mkfs.fat -h 0 DEVICE`), or print its version
  // and go on (compilers): beside an operand, an option that only prints is not believed.
  const stopped = applyOptions(inv, parent) && first === undefined;
  if (grammar.subcommands !== undefined && first !== undefined && !stopped) {
    const track = spec.tracks?.split(" ").find((word) => word === textOf(first));
    const inner =
      track === undefined
        ? applySubcommand(inv, grammar, first, id, before)
        : applyLevel({ ...inv, words: args.operands.slice(1) }, spec, undefined, `${id} ${track}`, [...before, first]);
    if (inner.id === undefined) {
      handVariables(inv);
      noteNeeds(inv.cx, inv.exec, inv.confined, inv.name, inv.words);
    }
    return { ...inner, options: [...args.options, ...inner.options], complete: inner.complete && args.doubts.length === 0 };
  }
  // A group of subcommands, which takes no operands itself.
  const takesNone = (grammar.slots?.length ?? 0) === 0 && spec.analyse === undefined;
  if (inv.stranger !== undefined && takesNone && first !== undefined && !stopped) inv.cx.addDanger(inv.exec, inv.stranger);
  applyObeyed(inv, stopped);
  for (const reason of args.doubts) doubt(inv, `${reason} of ${inv.name}`, "put -- in front of it, or start it with ./");
  if (!stopped) {
    const isDry = spec.dry !== undefined && isDryRun(inv, spec.dry);
    const before = inv.cx.actions.length;
    noteNeeds(inv.cx, inv.exec, inv.confined, inv.name, inv.words, spec.idle === true && first === undefined);
    for (const effect of grammar.effects) applyEffect(inv, effect);
    if (spec.analyse === undefined || grammar.slots !== undefined) applyOperands(inv);
    for (const { option, value } of args.options) if (option?.kind.is === "dest" && value !== undefined) applyKind(inv, option.kind, value);
    if (spec.analyse !== undefined) (ANALYSERS[spec.analyse] ?? refuseUnnamed)(inv);
    if (isDry) settleDryRun(inv, before);
  }
  handVariables(inv);
  const known = args.options.every((given) => given.option !== undefined);
  const told = grammar.style !== "none" || spec.analyse !== undefined;
  return {
    id,
    out: stopped ? { is: "unknown", why: `the help of ${inv.name}`, network: false } : outputOf(inv),
    options: args.options,
    operands: told ? [...before, ...args.operands] : before,
    loose: told ? [] : args.operands,
    complete: known && args.doubts.length === 0,
    reads: inv.sources.some((source) => args.operands.includes(source) && textOf(source) !== "-"),
    upkeep: spec.upkeep ?? [],
    places: inv.places,
  };
}

/** What the table says of a builtin: of one that has `own` code, what its options do alone. */
export function applyBuiltin(
  base: InvocationBase,
  spec: KnowledgeEntry,
  grammar: Grammar,
  { options, operands }: Pick<Arguments, "options" | "operands">,
  own: boolean,
): Stream {
  const known = options.filter(
    ({ option }) => option !== undefined && (!own || option.kind.is === "refuse" || option.consequences.length > 0),
  );
  if (own && known.length === 0) return NOTHING;
  const args = { options: known, operands, firstOperand: 0, rest: [], doubts: [] };
  const inv: Invocation = { ...base, spec, grammar, args, sources: [], only: [], ports: [], looked: [] };
  applyOptions(inv, undefined);
  if (own) return NOTHING;
  for (const effect of grammar.effects) applyEffect(inv, effect);
  if (grammar.slots !== undefined) applyOperands(inv);
  return outputOf(inv);
}

const refuseUnnamed = (inv: Invocation): void => refuse(inv, `no analyser named ${inv.spec.analyse}`);

const joinRows = (above: string | undefined, own: string | undefined): string | undefined =>
  above === undefined || own === undefined || above === own ? (own ?? above) : `${above}\n${own}`;

function handVariables(inv: Invocation): void {
  if (inv.state.environment.size > 0) applyEnvironment({ ...inv, whole: inv });
}

const INERT: ReadonlySet<string> = new Set(["text", "word", "number", "name", "only", "without", "withoutfile", "withoutfolder"]);
const isLook = (file: { readonly operation: string }): boolean => file.operation === "read" || file.operation === "list";

/**
 * Options that are not in the table are doubts; true when one of them only prints help or a version. Behind a subcommand the
 * program's own `-v` may be another option (`git branch -v`, `npm publish -v`) or none: only its help is believed there.
 */
function applyOptions(inv: Invocation, parent: Grammar | undefined): boolean {
  let stopped = false;
  for (const given of inv.args.options) {
    const { option } = given;
    if (option === undefined) {
      const reason = `${inv.name} has no known option \`${given.written}\``;
      // Whether it takes the next word decides which word is the command: an allow for the wrapper is none for that.
      const answered = startsCommand(inv) ? {} : { exec: inv.exec };
      inv.cx.unknown(reason, { span: inv.span, ...answered, unlisted: true });
      continue;
    }
    // `cp -t DIR`: where things go is known only with what goes there.
    // `--setenv NAME VALUE`.
    if (option.kind.is === "env" && given.second !== undefined && given.value !== undefined)
      environmentWord(inv, concat(concat(given.value, literal("=")), given.second));
    else if (given.value !== undefined && option.argument !== "none" && option.kind.is !== "dest") applyKind(inv, option.kind, given.value);
    // It is the last word: a program that wants no value after all does what the value would have decided.
    else if (option.argument === "required" && given.value === undefined && RUNS.has(option.kind.is))
      refuse(inv, `${inv.name} may do without a value of ${given.written}`);
    if (given.second !== undefined && option.second !== undefined) applyKind(inv, option.second, given.second);
    for (const consequence of option.consequences) {
      if (consequence.then === "effect") applyEffect(inv, consequence.effect);
      const isInherited = (): boolean => option.names.some((name) => parent?.options.get(name) === option);
      if (consequence.then === "stop" && given.afterOperand !== true && (isHelp(option) || !isInherited())) stopped = true;
    }
  }
  return stopped;
}

const isHelp = ({ names }: Option): boolean => names.some((name) => /^--?help$/.test(name));

/** A wrapper: the first word that is no option, or option's value, is a program. */
const startsCommand = ({ spec, grammar }: Invocation): boolean =>
  grammar.slots?.some(({ kind }) => kind.is === "argv") === true ||
  spec.analyse === "xargs" ||
  spec.analyse === "parallel" ||
  spec.analyse === "flock";

function applySubcommand(inv: Invocation, grammar: Grammar, first: Value, id: string, before: readonly Value[]): Applied {
  const word = textOf(first);
  const nothing: Applied = {
    id: undefined,
    out: { is: "unknown", why: `the output of ${inv.name}`, network: isNetwork(inv.stdin) },
    options: [],
    operands: [...before, ...inv.args.operands],
    loose: [],
    complete: false,
    reads: false,
    upkeep: [],
    places: inv.places,
  };
  if (word === undefined) {
    refuse(inv, `the subcommand of ${inv.name} is only known at run time: ${describe(first)}`, "write it out");
    return nothing;
  }
  const rest = inv.args.operands.slice(1);
  const match = findSubcommand(grammar, word, rest) ?? (isAbbreviated(inv.spec) ? findAbbreviated(grammar, word, rest) : undefined);
  if (match === undefined || match === "unknown" || (word === "help" && match.words.length === 1)) {
    const help = helpOfGroup(inv, grammar, word, rest);
    if (help !== undefined) return showHelp(inv, help, `${id} ${word}`, before);
  }
  if (match === "unknown") {
    refuse(inv, `the subcommand of ${inv.name} ${word} is only known at run time`, "write it out");
    return nothing;
  }
  const enter = ({ spec, key }: Subcommand, words: readonly Value[], tail: readonly Value[]): Applied => {
    for (const effect of grammar.effects) applyEffect(inv, effect);
    return applyLevel({ ...inv, words: tail }, spec, grammar, `${id} ${key}`, [...before, ...words]);
  };
  // The word behind an option that nobody knows may be its value: what the next one does counts, too.
  const [last] = inv.args.options.slice(-1);
  if (match === undefined && last !== undefined && isOpen(last) && rest[0] !== undefined)
    applySubcommand({ ...inv, args: { ...inv.args, options: [], operands: rest } }, grammar, rest[0], id, before);
  const apart = findApart(grammar, first, rest);
  if (apart !== undefined && apart.words.length > (match?.words.length ?? 0)) {
    const { found, words, tail } = apart;
    const options = apart.options.filter(({ option }) => option !== undefined);
    applyOptions({ ...inv, args: { ...inv.args, options } }, undefined);
    const inner = enter(found, words, tail);
    // A group takes no operands itself. Where there is another reading both count, and nothing is known for sure.
    if (options.length === apart.options.length && (match === undefined || match.spec.operands === ""))
      return { ...inner, options: [...options, ...inner.options] };
  }
  if (match === undefined) {
    if (inv.stranger !== undefined && grammar.subcommands?.kinds !== true && !isGroup(grammar, [word, ...rest.map(textOf)]))
      inv.cx.addDanger(inv.exec, inv.stranger);
    return nothing;
  }
  const used = match.words.length;
  return enter(match, inv.args.operands.slice(0, used), inv.args.operands.slice(used));
}

/** `docker volume`: it begins subcommands, and prints which. */
const isGroup = ({ subcommands }: Grammar, words: readonly (string | undefined)[]): boolean =>
  subcommands?.named
    .get(words[0] ?? "")
    ?.some((one) => one.words.length > words.length && words.every((name, at) => one.words[at] === name)) === true;

/** The help word of a row of `helps`, where it is the only word there is. */
function helpAmong(helps: string | undefined, words: readonly Value[]): GivenOption | undefined {
  const [only] = words;
  const written = only === undefined || words.length > 1 ? undefined : textOf(only);
  if (helps === undefined || helps === "" || written === undefined) return undefined;
  const option = readOptionLine(helps);
  return option.names.includes(written) ? { written, option, at: 0 } : undefined;
}

/** `gh pr --help`, where `pr` only begins subcommands, and `docker help rm`. Nothing else: an unknown name may be a plugin or an alias. */
function helpOfGroup(inv: Invocation, grammar: Grammar, word: string, rest: readonly Value[]): GivenOption | undefined {
  const words = [word, ...rest.map(textOf)];
  if (word === "help") {
    const [name, ...others] = words.slice(1);
    if (rest.length === 0) return helpAmong(inv.helps, [literal("+help")]);
    const match = name === undefined ? undefined : findSubcommand(grammar, name, rest.slice(1));
    if (match === undefined || match === "unknown" || match.words.length !== others.length + 1) return undefined;
    return helpAmong(match.spec.helps ?? inv.helps, [literal("+help")]);
  }
  const path = words.slice(0, -1);
  const group = grammar.subcommands?.named.get(word)?.filter((one) => path.every((name, at) => one.words[at] === name)) ?? [];
  if (group.length === 0 || group.some((one) => one.spec.helps === "")) return undefined;
  return helpAmong(inv.helps, rest.slice(-1));
}

/** Nothing of what the subcommand would do happens. */
function showHelp(
  base: InvocationBase & Pick<Invocation, "spec" | "grammar">,
  help: GivenOption,
  id: string,
  before: readonly Value[],
): Applied {
  const inv: Invocation = {
    ...base,
    obeys: joinRows(base.obeys, base.spec.obeys),
    args: { options: [help], operands: [], firstOperand: 0, rest: [], doubts: [] },
    sources: [],
    only: [],
    ports: [],
    looked: [],
  };
  applyObeyed(inv, true);
  for (const consequence of help.option?.consequences ?? []) if (consequence.then === "effect") applyEffect(inv, consequence.effect);
  handVariables(inv);
  return {
    id,
    out: { is: "unknown", why: `the help of ${inv.name}`, network: false },
    options: [help],
    operands: before,
    loose: [],
    complete: true,
    reads: false,
    upkeep: [],
    places: inv.places,
  };
}

const isAbbreviated = (spec: EntryFields): boolean => spec.abbreviates === true;

/** What is read in a folder that nobody knows is a question of its own. */
const isSomewhere = ({ places }: InvocationBase): boolean => places.every(({ is }) => is !== "unknown");

function applyOperands(inv: Invocation): void {
  const slots = effectiveSlots(inv);
  const operands = inv.args.operands;
  if (slots === undefined) {
    if (operands.length > 0) doubt(inv, `what ${inv.name} does with ${describe(operands[0] ?? literal(""))} is not known`);
    return;
  }
  const filled = fillSlots(slots, operands);
  const used = filled.reduce((count, one) => count + one.values.length, 0);
  for (const why of missingOperands(inv, filled)) doubt(inv, why, "write the options behind the operands, or their values with =");
  if (used < operands.length) doubt(inv, `${inv.name} is given more operands than its knowledge entry lists`);
  filled.forEach(({ slot, values }, at) => {
    // ugrep, -r: beside `-` alone it searches the folder, too.
    const isOpen = values.length === 0 || (slot.kind.is === "file" && slot.kind.tree && values.every((value) => textOf(value) === "-"));
    const given = slot.fallback === undefined || !isOpen ? values : [...values, literal(slot.fallback)];
    // Wrappers such as watch(1) join all their words to one shell line.
    if (slot.kind.is === "shell" && given.length > 1) {
      const line = given.reduce((a, b) => concat(concat(a, literal(" ")), b));
      inv.output = inv.cx.started(() => inv.run.script(inv.cx, placed(inv), line, inv.stdin, { span: inv.span }));
      return;
    }
    if (slot.kind.is === "argv") {
      if (given.length === 0 || inv.spec.analyse === "xargs") return;
      inv.output = inv.cx.started(() => inv.run.argv(inv.cx, placed(inv), given, inv.stdin, isRunner(inv.grammar) ? inv.exec : undefined));
      return;
    }
    for (const value of given) {
      applyKind(inv, slot.kind, value);
      noteLooked(inv, slot.kind, value, values.length > 0);
      // An unquoted word may become several, and so reach the slots after it.
      if (value.many)
        for (const later of filled.slice(at + 1)) if (kindName(later.slot.kind) !== kindName(slot.kind)) applyLater(inv, later.slot, value);
    }
  });
  applyFewer(inv, slots, filled);
}

function noteLooked(inv: Invocation, kind: Kind, value: Value, operand: boolean): void {
  if (kind.is !== "file" || !isLook(kind)) return;
  inv.looked.push({ value, operand, walk: kind.tree, filter: walkFilter(inv, kind.visible === true) });
}

/** A word that may not be there leaves its place to the next one, or to what the program takes by default. */
function applyFewer(inv: Invocation, slots: readonly Slot[], whole: readonly Filled[]): void {
  const { operands } = inv.args;
  const there = operands.filter((value) => !mayBeNone(value));
  if (there.length === operands.length) return;
  for (const [at, { slot, values }] of fillSlots(slots, there).entries()) {
    const before = whole[at]?.values ?? [];
    if (slot.kind.is === "argv" || slot.kind.is === "shell") continue;
    for (const value of values) if (!before.includes(value)) applyKind(inv, slot.kind, value);
    if (values.length > 0 || before.length === 0 || slot.fallback === undefined) continue;
    const fallback = literal(slot.fallback);
    applyKind(inv, slot.kind, fallback);
    noteLooked(inv, slot.kind, fallback, false);
  }
}

/**
 * A program that needs an operand and has none left: an option of the table took the word that the program itself takes for
 * its operand (another version of it, another program of the name), or the word stands where some parsers expect none.
 */
function* missingOperands(inv: Invocation, filled: readonly Filled[]): Generator<string> {
  const isEmpty = ({ slot, values }: Filled): boolean => values.length === 0 && slot.fallback === undefined;
  if (filled.some((one) => isEmpty(one) && (one.slot.count === "one" || one.slot.count === "some"))) {
    yield `${inv.name} is given nothing to work on: what it does then is not known`;
    return;
  }
  if (inv.spec.idle === true || !filled.some(isEmpty)) return;
  const isGiven =
    inv.args.operands.length > 0 || inv.args.options.some(({ option }) => option?.kind.is === "code" || option?.kind.is === "sql");
  if (!isGiven && slotless(filled) && filled.some((one) => isEmpty(one) && RUNS.has(one.slot.kind.is))) {
    yield `what ${inv.name} does by itself is not known`;
    return;
  }
  const works = WRITERS.has(inv.spec.analyse ?? "") || filled.some(({ slot: { kind } }) => CHANGES(kind));
  if (!works) return;
  const swallowed = inv.args.operands.length > 0 ? undefined : inv.args.options.find(mayHaveTaken);
  if (swallowed !== undefined) yield `${inv.name} is given nothing to work on, unless it is the word behind ${swallowed.written}`;
  // getopt(3) of BSD and macOS, and many parsers written by hand, take an option behind an operand for the next operand.
  const late = inv.args.options.find(({ afterOperand }) => afterOperand === true);
  const next = filled.find((one) => isEmpty(one) && CHANGES(one.slot.kind));
  if (late !== undefined && next !== undefined) yield `some programs called ${inv.name} write to a file ${late.written}`;
}

/** The value was a word of its own, of a kind that says nothing about it. */
const mayHaveTaken = ({ option, tookWord }: GivenOption): boolean =>
  tookWord === true && option !== undefined && option.kind.is !== "number" && INERT.has(option.kind.is);

const slotless = (filled: readonly Filled[]): boolean =>
  filled.every(({ slot, values }) => values.length === 0 && slot.fallback === undefined);

/** Operands that are never only looked at: without one, the program may do what it does by default. */
const RUNS: ReadonlySet<string> = new Set(["refuse", "code", "script", "foreign", "lasting"]);

const CHANGES = (kind: Kind): boolean => kind.is === "dest" || (kind.is === "file" && !isLook(kind));

/** `uv run`, `bundle exec`: whatever follows, the project decides what runs. Who allows that allows any program. */
const isRunner = ({ effects }: Grammar): boolean => effects.some((effect) => effect.is === "code");

function applyLater(inv: Invocation, slot: Slot, value: Value): void {
  if (slot.kind.is === "argv") refuse(inv, `${describe(value)} may become the command that ${inv.name} runs`, "quote it");
  else applyKind(inv, slot.kind, value);
}

/** A wrapper that changes the folder runs its command there. */
function placed(inv: Invocation): Invocation["state"] {
  if (inv.places === inv.state.places) return inv.state;
  const state = inv.state.fork();
  state.places = inv.places;
  return state;
}

/** How much is done with an operand. */
const weightOf = (kind: Kind): number => (INERT.has(kind.is) ? 0 : kind.is !== "file" ? 3 : isLook(kind) ? 1 : 2);

/**
 * What two options make of an operand that each alone makes something else, whichever stands last: a change that one of them
 * brings stays (`codespell -w -H`), and one that one of them takes away is gone (`gzip -c -r`); who walks through folders does.
 */
function bothOf(given: Kind, one: Kind, other: Kind): Kind {
  const [weak, strong] = weightOf(one) > weightOf(other) ? [other, one] : [one, other];
  const [kept, lost] = weightOf(given) === 2 && weightOf(weak) < 2 ? [weak, strong] : [strong, weak];
  return kept.is === "file" && lost.is === "file" && lost.tree ? { ...kept, tree: true } : kept;
}

/** The slots after what the given options change. */
function effectiveSlots(inv: Invocation): readonly Slot[] | undefined {
  const { slots: first } = inv.grammar;
  if (first === undefined) return undefined;
  let slots = first;
  const options = new Set<Option>(inv.args.options.flatMap((given) => (given.option === undefined ? [] : [given.option])));
  const becomes = [...options].flatMap(({ consequences }) => consequences.flatMap((c) => (c.then === "become" ? [c] : [])));
  for (const option of options) {
    for (const c of option.consequences) {
      if (c.then === "drop") slots = slots.filter((slot) => slot.name !== c.slot);
      if (c.then === "become") {
        const asGiven = (slot: Slot): Kind => first.find(({ name }) => name === slot.name)?.kind ?? slot.kind;
        slots = slots.map((slot) => {
          // That only names are shown counts where no option shows more, whichever stands first.
          if (kindName(c.to) === "list" && becomes.some(({ from, to }) => from === kindName(c.to) && kindName(to) === c.from)) return slot;
          if (kindName(slot.kind) === c.from) return { ...slot, kind: c.to };
          const given = asGiven(slot);
          if (slot.name !== c.from && kindName(given) !== c.from) return slot;
          return { ...slot, kind: given === slot.kind ? c.to : bothOf(given, slot.kind, c.to) };
        });
      }
      if (c.then === "default") slots = slots.map((slot, i) => (i === slots.length - 1 ? { ...slot, fallback: c.path } : slot));
    }
  }
  return slots;
}
