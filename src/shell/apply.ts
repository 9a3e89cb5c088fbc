import { ANALYSERS } from "./analyse/index.ts";
import { describe, doubt, refuse, walkFilter, type Invocation } from "./invocation.ts";
import { applyEffect, applyKind } from "./kinds.ts";
import { grammarOf, kindName, type Grammar, type Option, type Slot, type Subcommand } from "./knowledge/read-spec.ts";
import type { CommandSpec, SubcommandSpec } from "./knowledge/spec.ts";
import { readArguments, type Arguments } from "./options.ts";
import { concat, holeOf, isGlob, isNetwork, join, literal, prefixOf, textOf, type Hole, type Stream, type Value } from "./value.ts";

/** What is known of a command after its table was applied. */
export interface Applied {
  /** `git stash list`, or undefined when the subcommand is not in the table. */
  readonly id: string | undefined;
  readonly out: Stream;
  /** Every option and operand in order, subcommand words included, for rules. */
  readonly options: Arguments["options"];
  readonly operands: readonly Value[];
  readonly complete: boolean;
}

type Base = Omit<Invocation, "grammar" | "args" | "spec" | "sources" | "only" | "without" | "looked" | "output">;

/** Applies a knowledge entry to the words after the program name: emits all effects. */
export function applySpec(base: Base, spec: CommandSpec): Applied {
  return applyLevel(base, spec, undefined, spec.names.split(" ")[0] ?? "", []);
}

function applyLevel(base: Base, spec: CommandSpec | SubcommandSpec, parent: Grammar | undefined, id: string, before: readonly Value[]): Applied {
  const grammar = grammarOf(spec, parent);
  const args = readArguments(base.words, grammar, { stopAtOperand: grammar.subcommands !== undefined, globMayBeOption: (value) => globMayBeOption(base, value) });
  const inv: Invocation = { ...base, spec, grammar, args, sources: [], only: [], without: [], looked: [] };
  const stopped = applyOptions(inv);
  const [first] = args.operands;
  if (grammar.subcommands !== undefined && first !== undefined && !stopped) {
    const inner = applySubcommand(inv, grammar, first, id, before);
    return { ...inner, options: [...args.options, ...inner.options], complete: inner.complete && args.doubts.length === 0 };
  }
  for (const reason of args.doubts) doubt(inv, `${reason} of ${inv.name}`, "put -- in front of it, or start it with ./");
  if (!stopped) {
    for (const effect of grammar.effects) applyEffect(inv, effect);
    if (spec.analyse === undefined || grammar.slots !== undefined) applyOperands(inv);
    for (const { option, value } of args.options) if (option?.kind.is === "dest" && value !== undefined) applyKind(inv, option.kind, value);
    if (spec.analyse !== undefined) {
      const analyse = ANALYSERS[spec.analyse];
      if (analyse === undefined) refuse(inv, `no analyser named ${spec.analyse}`);
      else analyse(inv);
    }
  }
  const known = args.options.every((given) => given.option !== undefined);
  return {
    id,
    out: stopped ? { is: "unknown", why: `the help of ${inv.name}`, network: false } : outputOf(inv),
    options: args.options,
    operands: [...before, ...args.operands],
    complete: known && args.doubts.length === 0,
  };
}

/** Options that are not in the table are doubts; true when one of them only prints help or a version. */
function applyOptions(inv: Invocation): boolean {
  let stopped = false;
  for (const given of inv.args.options) {
    const { option } = given;
    if (option === undefined) {
      doubt(inv, `${inv.name} has no known option \`${given.written}\``);
      continue;
    }
    // `cp -t DIR`: where things go is known only with what goes there.
    if (given.value !== undefined && option.argument !== "none" && option.kind.is !== "dest") applyKind(inv, option.kind, given.value);
    if (given.second !== undefined && option.second !== undefined) applyKind(inv, option.second, given.second);
    for (const consequence of option.consequences) {
      if (consequence.then === "effect") applyEffect(inv, consequence.effect);
      if (consequence.then === "stop" && given.afterOperand !== true) stopped = true;
    }
  }
  return stopped;
}

function applySubcommand(inv: Invocation, grammar: Grammar, first: Value, id: string, before: readonly Value[]): Applied {
  const word = textOf(first);
  const nothing: Applied = { id: undefined, out: { is: "unknown", why: `the output of ${inv.name}`, network: isNetwork(inv.stdin) }, options: [], operands: [...before, ...inv.args.operands], complete: false };
  if (word === undefined) {
    refuse(inv, `the subcommand of ${inv.name} is only known at run time: ${describe(first)}`, "write it out");
    return nothing;
  }
  const rest = inv.args.operands.slice(1);
  const match = findSubcommand(grammar, word, rest);
  if (match === "unknown") {
    refuse(inv, `the subcommand of ${inv.name} ${word} is only known at run time`, "write it out");
    return nothing;
  }
  if (match === undefined) return nothing;
  const used = match.words.length;
  const effectsOfParent = grammar.effects;
  for (const effect of effectsOfParent) applyEffect(inv, effect);
  return applyLevel(
    { ...inv, words: inv.args.operands.slice(used) },
    match.spec,
    grammar,
    `${id} ${match.key}`,
    [...before, ...inv.args.operands.slice(0, used)],
  );
}

/** The entry with the most words that fits; an exact first word comes before a verb pattern. */
function findSubcommand({ subcommands }: Grammar, word: string, rest: readonly Value[]): Subcommand | "unknown" | undefined {
  let best: Subcommand | undefined;
  let hidden = false;
  const candidates = [...(subcommands?.named.get(word) ?? []), ...(subcommands?.verbs.filter(({ words }) => matchesVerb(words[0] ?? "", word)) ?? [])];
  for (const candidate of candidates) {
    const fits = candidate.words.slice(1).every((wanted, i) => {
      const value = rest[i];
      const text = value === undefined ? undefined : textOf(value);
      if (value !== undefined && text === undefined && (prefixOf(value) === "" || wanted.startsWith(prefixOf(value)))) hidden = true;
      return text !== undefined && (text === wanted || matchesVerb(wanted, text));
    });
    if (fits && (best === undefined || candidate.words.length > best.words.length)) best = candidate;
  }
  return hidden && (best === undefined || best.words.length === 1) ? "unknown" : best;
}

/** `describe-*` in a table: a verb with anything after it. */
const matchesVerb = (pattern: string, word: string): boolean => pattern.endsWith("*") && word.startsWith(pattern.slice(0, -1));

/** A word that starts with a wildcard, or is a name printed by another command, is an option only if the folder holds a name that starts with `-`. */
function globMayBeOption(base: Base, value: Value): boolean {
  const [first] = value.atoms;
  const bare = first !== undefined && typeof first !== "string" && "hole" in first && first.below === true;
  if (holeOf(value) !== undefined && !bare) return true;
  return base.places.some((place) => {
    const names = place.is === "at" ? base.cx.world.names(place.path) : undefined;
    return names === undefined ? base.places.every((p) => p.is === "at" && base.cx.world.kind(p.path) !== "missing") : names.some((name) => name.startsWith("-"));
  });
}

interface Filled {
  readonly slot: Slot;
  readonly values: readonly Value[];
}

function applyOperands(inv: Invocation): void {
  const slots = effectiveSlots(inv);
  const operands = inv.args.operands;
  if (slots === undefined) {
    if (operands.length > 0) doubt(inv, `what ${inv.name} does with ${describe(operands[0] ?? literal(""))} is not known`);
    return;
  }
  const filled = fillSlots(slots, operands);
  const used = filled.reduce((count, one) => count + one.values.length, 0);
  if (used < operands.length) doubt(inv, `${inv.name} is given more operands than its knowledge entry lists`);
  filled.forEach(({ slot, values }, at) => {
    const given = values.length > 0 ? values : slot.fallback === undefined ? [] : [literal(slot.fallback)];
    // Wrappers such as watch(1) join all their words to one shell line.
    if (slot.kind.is === "shell" && given.length > 1) {
      inv.output = inv.run.script(inv.cx, placed(inv), given.reduce((a, b) => concat(concat(a, literal(" ")), b)), inv.stdin, { span: inv.span });
      return;
    }
    if (slot.kind.is === "argv" && inv.spec.analyse !== "xargs") {
      if (given.length > 0) inv.output = inv.run.argv(inv.cx, placed(inv), given, inv.stdin);
      return;
    }
    if (slot.kind.is === "argv") return;
    for (const value of given) {
      applyKind(inv, slot.kind, value);
      if (slot.kind.is === "file" && (slot.kind.operation === "read" || slot.kind.operation === "list")) {
        const { tree: walk, visible } = slot.kind;
        inv.looked.push({ value, operand: values.length > 0, walk, filter: walkFilter(inv, visible === true) });
      }
      // An unquoted word may become several, and so reach the slots after it.
      if (value.many && holeOf(value) !== undefined) for (const later of filled.slice(at + 1)) if (later.slot.kind.is !== slot.kind.is || later.slot.kind.is === "file") applyLater(inv, later.slot, value);
    }
  });
}

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

/** The slots after what the given options change. */
function effectiveSlots(inv: Invocation): readonly Slot[] | undefined {
  let slots = inv.grammar.slots;
  if (slots === undefined) return undefined;
  const options = new Set<Option>(inv.args.options.flatMap((given) => (given.option === undefined ? [] : [given.option])));
  for (const option of options) {
    for (const c of option.consequences) {
      if (c.then === "drop") slots = slots.filter((slot) => slot.name !== c.slot);
      if (c.then === "become") slots = slots.map((slot) => (kindName(slot.kind) === c.from || slot.name === c.from ? { ...slot, kind: c.to } : slot));
      if (c.then === "default") slots = slots.map((slot, i) => (i === (slots ?? []).length - 1 ? { ...slot, fallback: c.path } : slot));
    }
  }
  return slots;
}

export function fillSlots(slots: readonly Slot[], operands: readonly Value[]): readonly Filled[] {
  const argv = slots.findIndex((slot) => slot.kind.is === "argv");
  const repeated = slots.findIndex((slot) => slot.count === "any" || slot.count === "some");
  // NAME=VALUE words come in front of a wrapped command.
  if (argv >= 0 && repeated >= 0 && repeated < argv && slots[repeated]?.kind.is === "env") {
    const head = fillInOrder(slots.slice(0, repeated), operands);
    const rest = operands.slice(head.used);
    const end = rest.findIndex((value) => !/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(prefixOf(value)));
    const count = end < 0 ? rest.length : end;
    const slot = slots[repeated];
    const tail = slots[argv];
    return [...head.filled, ...(slot === undefined ? [] : [{ slot, values: rest.slice(0, count) }]), ...(tail === undefined ? [] : [{ slot: tail, values: rest.slice(count) }])];
  }
  if (argv >= 0) {
    const head = fillInOrder(slots.slice(0, argv), operands);
    const tail = slots[argv];
    return [...head.filled, ...(tail === undefined ? [] : [{ slot: tail, values: operands.slice(head.used) }])];
  }
  if (repeated < 0) return fillInOrder(slots, operands).filled;
  const tailSlots = slots.slice(repeated + 1);
  const head = fillInOrder(slots.slice(0, repeated), operands, tailSlots.length);
  const rest = operands.slice(head.used);
  const tailCount = Math.min(tailSlots.length, Math.max(0, rest.length - (slots[repeated]?.count === "some" ? 1 : 0)));
  const middle = slots[repeated];
  return [
    ...head.filled,
    ...(middle === undefined ? [] : [{ slot: middle, values: rest.slice(0, rest.length - tailCount) }]),
    ...tailSlots.map((slot, i) => ({ slot, values: rest.slice(rest.length - tailCount + i, rest.length - tailCount + i + 1) })),
  ];
}

function fillInOrder(slots: readonly Slot[], operands: readonly Value[], reserved = 0): { readonly filled: readonly Filled[]; readonly used: number } {
  let used = 0;
  const filled = slots.map((slot, i) => {
    const needed = slots.slice(i + 1).filter((later) => later.count === "one").length + reserved;
    const take = used < operands.length && (slot.count !== "optional" || operands.length - used > needed);
    return { slot, values: take ? operands.slice(used, ++used) : [] };
  });
  return { filled, used };
}

function outputOf(inv: Invocation): Stream {
  if (inv.output !== undefined) return inv.output;
  const network = isNetwork(inv.stdin) || inv.cx.actions.some((action) => action.kind === "net" && action.origin.by === "command" && action.origin.exec === inv.exec);
  const unknownText = { is: "unknown", why: `the output of ${inv.name}`, network } as const;
  const operands = inv.args.operands;
  const changed = inv.args.options.flatMap((given) => given.option?.consequences ?? []).findLast((c) => c.then === "output");
  switch (changed?.then === "output" ? changed.output : inv.spec.output) {
    case undefined:
    case "none":
      return unknownText;
    case "number":
      return { is: "unknown", why: `the output of ${inv.name}`, network: false, ...(operands.length === 0 || inv.name !== "wc" ? { number: true } : {}) };
    case "operands": {
      const text = operands.map((value) => textOf(value));
      if (text.some((one) => one === undefined)) return { is: "text", value: { atoms: operands.flatMap((value, i) => (i === 0 ? value.atoms : [" ", ...value.atoms])), many: false } };
      return { is: "text", value: literal(`${text.join(" ")}\n`) };
    }
    case "input": {
      const reads = inv.sources.length > 0;
      if (reads) return { is: "unknown", why: `the content of ${describe(inv.sources[0] ?? literal(""))}`, network };
      if (inv.stdin.is === "text" && inv.name !== "cat" && inv.name !== "tee") return { ...unknownText, network };
      return inv.stdin;
    }
    case "paths":
      return { is: "paths", values: pathsBelow(inv) };
    default:
      return unknownText;
  }
}

/** Names below the path operands, as the command prints them. */
function pathsBelow(inv: Invocation): readonly Value[] {
  const others = inv.args.options.some(({ option, written }) => option === undefined || /^(-o|--others|-i|--ignored|-u|--unmerged)$/.test(written));
  const filter = inv.name === "git" && !others ? { tracked: true as const } : inv.looked[0]?.filter;
  const below: Hole = { hole: true, why: `a name that ${inv.name} prints`, below: true, ...(filter === undefined ? {} : { filter }) };
  const bare: Value = { atoms: [below], many: false };
  if (inv.looked.length === 0) return [bare];
  const values = inv.looked.map(({ value, operand }): Value | undefined => {
    const text = textOf(value);
    if (!operand) return bare;
    if (text === undefined) return isGlob(value) && !prefixOf(value).includes("..") ? { atoms: [prefixOf(value).replace(/[^/]*$/, ""), below], many: false } : undefined;
    if (/(^|\/)\.\.(\/|$)/.test(text)) return undefined;
    return { atoms: [text.replace(/\/?$/, "/"), below], many: false };
  });
  if (values.some((value) => value === undefined)) return [{ atoms: [{ hole: true, why: `a name that ${inv.name} prints` }], many: false }];
  const known = values.flatMap((value) => (value === undefined ? [] : [{ ...value, atoms: join(value.atoms) }]));
  // What lies in a folder that ls is given is printed without the folder.
  return inv.looked.every(({ walk }) => walk) ? known : [bare, ...known];
}
