import type { TreeFilter } from "../../action/index.ts";
import { escapePath } from "../../pattern/index.ts";

/**
 * What is known of one shell word after expansion. Nothing here is guessed: a part that only exists at run time
 * is a hole with the reason why.
 */
export interface Hole {
  readonly hole: true;
  /** Completes "only known at run time: …". */
  readonly why: string;
  /** Digits only (a count, a process id, arithmetic): cannot be an option, a path escape or code. */
  readonly number?: boolean;
  /** A relative path without `..` whose start is the text in front of it: names found below a folder. */
  readonly below?: boolean;
  /** Such a name may begin with `-`, whatever the folder holds: it is not one of its names (a git reference). `held`: there is one that does. */
  readonly mayDash?: boolean | "held";
  /** What is certain of the names below. */
  readonly filter?: TreeFilter;
  /** A variable that came with the environment: whoever started the shell chose it. */
  readonly ambient?: boolean;
  /** What `jobs -p` prints: process ids in bash, more than that in zsh. */
  readonly jobs?: boolean;
  /** A process that this very shell has started (`$!`). */
  readonly started?: true;
  /** It is this text or none. */
  readonly perhaps?: string;
  /** A program printed the name with this text in front of it, or printed nothing: then neither is there. */
  readonly lead?: string;
  /** Stands without quotes, alone: where nothing was printed there is no word. */
  readonly missing?: true;
  /** The program surely printed a name. */
  readonly told?: true;
  /** mktemp(1) has just made it, or has failed: which folder somebody works in is known by it, and not which file is meant. */
  readonly fresh?: true;
  /** The text came over the network in this very line. */
  readonly network?: boolean;
  /** The name of a pipe made by `<(…)` or `>(…)`, and what can be read from it. */
  readonly pipe?: Stream;
}

/** Where the shell may stand. */
export type ShellPlace =
  | { readonly is: "at"; readonly path: string }
  /** In this folder or somewhere below it. */
  | { readonly is: "below"; readonly path: string }
  | { readonly is: "unknown"; readonly why: string };

/** A pathname pattern character or bracket that the shell itself expands. */
export interface Wildcard {
  readonly glob: string;
  /** Where it was expanded: names of there are what a variable that was given them holds, wherever the shell has gone since. */
  readonly at?: readonly ShellPlace[];
  /** The pattern that was expanded there. With other text around it (`"${f}x"`) the word is none of its names any more. */
  readonly of?: string;
}

export type Atom = string | Wildcard | Hole;

/** One field, or, when `many`, any number of fields of this form. Adjacent strings are merged; `[]` is the empty text. */
export interface Value {
  readonly atoms: readonly Atom[];
  readonly many: boolean;
}

export const isHole = (atom: Atom): atom is Hole => typeof atom !== "string" && "hole" in atom;
export const isWildcard = (atom: Atom): atom is Wildcard => typeof atom !== "string" && "glob" in atom;

export function literal(text: string): Value {
  return { atoms: text === "" ? [] : [text], many: false };
}

export function unknown(why: string, many = false): Value {
  return { atoms: [{ hole: true, why }], many };
}

const NUL = "a NUL character";
/** What zsh keeps in a word, and what a program is given ends there. */
export const nul = (): Value => unknown(NUL);
/** For a builtin that takes the first character of a word: an empty one says the same. */
export const isOnlyNul = ({ atoms: [first, ...others] }: Value): boolean =>
  others.length === 0 && first !== undefined && isHole(first) && first.why === NUL;

/** The text, when all of it is known and it is exactly one field. */
export function textOf(value: Value): string | undefined {
  if (value.many) return undefined;
  if (value.atoms.length === 0) return "";
  const [first] = value.atoms;
  return value.atoms.length === 1 && typeof first === "string" ? first : undefined;
}

/** The literal text in front of the first wildcard or hole. */
export function prefixOf(value: Value): string {
  const [first] = value.atoms;
  return typeof first === "string" ? first : "";
}

export function holeOf(value: Value): Hole | undefined {
  return value.atoms.find(isHole);
}

export const isGlob = (value: Value): boolean => value.atoms.some(isWildcard) && !value.atoms.some(isHole);

/** The pattern of a glob value, literal parts quoted. */
export function patternOf(value: Value): string {
  return value.atoms.map((atom) => (typeof atom === "string" ? escapePath(atom) : isWildcard(atom) ? atom.glob : "*")).join("");
}

/** Text that is known and is read as a pattern. Where a bracket ends is for who matches it to say: from the first to the last is one. */
export function patternAtoms(text: string): readonly Atom[] {
  const [open, close] = [text.indexOf("["), text.lastIndexOf("]")];
  if (open >= 0 && close > open)
    return [...runsOf(text.slice(0, open)), { glob: text.slice(open, close + 1) }, ...runsOf(text.slice(close + 1))];
  return runsOf(text);
}

const runsOf = (text: string): readonly Atom[] =>
  text.split(/(\*+|\?)/).flatMap((part, i): readonly Atom[] => (i % 2 === 1 ? [{ glob: part }] : part === "" ? [] : [part]));

export function join(parts: readonly Atom[]): readonly Atom[] {
  const out: Atom[] = [];
  for (const part of parts) {
    if (part === "") continue;
    const last = out.at(-1);
    if (typeof part === "string" && typeof last === "string") out[out.length - 1] = last + part;
    else out.push(part);
  }
  return out;
}

const MOST_PERHAPS = 3;

/** With and without each text that may not be there; of more than `most` all are there, none, or whichever. */
export function alternativesOf(value: Value, most = MOST_PERHAPS): readonly Value[] {
  const some = value.atoms.filter((atom) => isHole(atom) && atom.perhaps !== undefined).length;
  if (some === 0) return [value];
  const filled = (fill: (atom: Atom) => Atom): Value => ({ atoms: join(value.atoms.map(fill)), many: value.many });
  const textIn = (atom: Atom): string | undefined => (isHole(atom) ? atom.perhaps : undefined);
  if (some > most)
    return [
      filled((atom) => textIn(atom) ?? atom),
      filled((atom) => (textIn(atom) === undefined ? atom : "")),
      filled((atom) => {
        if (!isHole(atom)) return atom;
        const { perhaps: _, ...hole } = atom;
        return hole;
      }),
    ];
  let ways: readonly (readonly Atom[])[] = [[]];
  for (const atom of value.atoms) {
    const here = isHole(atom) && atom.perhaps !== undefined ? [atom.perhaps, ""] : [atom];
    ways = ways.flatMap((way) => here.map((one) => [...way, one]));
  }
  const all = ways.map((atoms) => ({ atoms: join(atoms), many: value.many }));
  // The empty word names no file.
  return all.filter(({ atoms }) => atoms.length > 0);
}

/** What a program printed: the names, or nothing at all. */
export function printedNames({ atoms }: Value): readonly Atom[] {
  const at = atoms.findIndex((atom) => isHole(atom) && atom.below === true);
  const lead = at === 0 ? "" : at === 1 ? atoms[0] : undefined;
  return atoms.map((atom, i) =>
    i === at && isHole(atom) ? { ...atom, ...(typeof lead === "string" ? { lead } : { below: false }) } : atom,
  );
}

/** Whether there may be no word at all. */
export const mayBeNone = ({ atoms, many }: Value): boolean =>
  many && (atoms.every((atom) => typeof atom === "string") || atoms.some((atom) => isHole(atom) && atom.missing === true));

/** One of such words, which is there. */
export const oneWord = ({ atoms }: Value): Value => ({
  atoms: atoms.map((atom) => {
    if (!isHole(atom) || atom.missing !== true) return atom;
    const { missing: _, ...there } = atom;
    return there;
  }),
  many: false,
});

/** The word where the first of such programs printed nothing; undefined where there is none. */
export function withoutNames({ atoms, many }: Value): Value | undefined {
  const at = atoms.findIndex((atom) => isHole(atom) && atom.lead !== undefined);
  const [hole, before] = [atoms[at], atoms[at - 1]];
  if (hole === undefined || typeof hole === "string" || !isHole(hole) || hole.lead === undefined) return undefined;
  const rest = atoms.slice(at + 1);
  if (hole.lead === "") return { atoms: join([...atoms.slice(0, at), ...rest]), many };
  const isThere = typeof before === "string" && before.endsWith(hole.lead);
  const kept = isThere ? before.slice(0, before.length - hole.lead.length) : { hole: true as const, why: hole.why };
  return { atoms: join([...atoms.slice(0, at - 1), kept, ...rest]), many };
}

export function concat(a: Value, b: Value): Value {
  return { atoms: join([...a.atoms, ...b.atoms]), many: a.many || b.many };
}

/** Words with a blank between each two. Words of unknown number are one hole that takes its blanks along. */
export function joinWords(values: readonly Value[]): readonly Atom[] {
  const out: Atom[] = [];
  let blank = false;
  for (const value of values) {
    if (value.many) {
      const hole = value.atoms.find(isHole);
      out.push({ hole: true, why: hole?.why ?? "names that a pattern matches", ...(hole?.network === true ? { network: true } : {}) });
      blank = false;
      continue;
    }
    out.push(...(blank ? [" "] : []), ...value.atoms);
    blank = true;
  }
  return join(out);
}

/** A name that lies in a folder, as a pattern or a program tells it. */
export function isName({ atoms: [first] }: Value): boolean {
  return first !== undefined && typeof first !== "string" && (isWildcard(first) || (first.below === true && first.mayDash !== true));
}

/** True for values that are the same text in every run, or the same unknown. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.many !== b.many || a.atoms.length !== b.atoms.length) return false;
  return a.atoms.every((atom, i) => {
    const other = b.atoms[i];
    if (typeof atom === "string" || typeof other === "string" || other === undefined) return atom === other;
    if (isWildcard(atom))
      return isWildcard(other) && atom.glob === other.glob && atom.of === other.of && JSON.stringify(atom.at) === JSON.stringify(other.at);
    return (
      isHole(other) &&
      atom.why === other.why &&
      atom.number === other.number &&
      atom.below === other.below &&
      atom.lead === other.lead &&
      atom.missing === other.missing &&
      atom.network === other.network
    );
  });
}

/** What one command hands to the next through a pipe or a substitution. */
export type Stream =
  /** Nothing, or the host's own standard input. */
  | { readonly is: "none" }
  /** Text as far as it is known; several lines in one value. */
  | { readonly is: "text"; readonly value: Value }
  /** One path a line, each below one of these prefixes. */
  /** `perhaps`: or nothing, as who prints it may not run. `told`: at least one of them, as it comes from who prints it. */
  | { readonly is: "paths"; readonly values: readonly Value[]; readonly perhaps?: true; readonly told?: true }
  | {
      readonly is: "unknown";
      readonly why: string;
      readonly network: boolean;
      readonly number?: boolean;
      /** None, one or several numbers. */
      readonly several?: true;
      /** See `Hole.jobs`. */
      readonly jobs?: true;
      readonly endless?: boolean;
      readonly lineless?: true;
      /** A pipe or a file of its own: who reads it takes nothing of another input. */
      readonly apart?: true;
    };

/** Any one of these paths: below what all of them begin with, up to the last slash. */
export function onePath(values: readonly Value[]): Value | undefined {
  const [first, ...others] = values;
  if (first === undefined || others.length === 0) return first;
  const heads = values.map((value) => {
    const [head, hole, ...more] = typeof value.atoms[0] === "string" ? value.atoms : ["", ...value.atoms];
    const inner = hole === undefined || (typeof hole !== "string" && isHole(hole) && hole.below === true && more.length === 0);
    return typeof head === "string" && inner && !value.many && !/^-|(?:^|\/)\.\.(?:\/|$)/.test(head) ? head : undefined;
  });
  const [start = ""] = heads;
  if (heads.some((head) => head === undefined || head.startsWith("/") !== start.startsWith("/"))) return undefined;
  let common = start.replace(/[^/]*$/, "");
  while (!heads.every((head) => head?.startsWith(common))) common = common.replace(/[^/]*\/$/, "");
  const holes = values.flatMap((value) => holeOf(value) ?? []);
  const dashes = holes.flatMap((hole) => hole.mayDash ?? []);
  const mayDash = dashes.includes("held") ? "held" : dashes.includes(true);
  const filter = commonFilter(
    holes.map((hole) => hole.filter),
    values.flatMap((value) => textOf(value) ?? []),
  );
  const below: Hole = {
    hole: true,
    why: holes[0]?.why ?? "one of several names",
    below: true,
    ...(mayDash === false ? {} : { mayDash }),
    ...(filter === undefined ? {} : { filter }),
  };
  return { atoms: common === "" ? [below] : [common, below], many: false };
}

/** What is certain of names of which each fits one of these filters, or is one of these texts. */
function commonFilter(filters: readonly (TreeFilter | undefined)[], texts: readonly string[]): TreeFilter | undefined {
  const [first] = filters;
  const follows = filters.some((filter) => filter?.follows === true) ? ({ follows: true } as const) : undefined;
  if (texts.length === 0 && filters.every((filter) => JSON.stringify(filter) === JSON.stringify(first))) return first;
  const visible = filters.every((filter) => filter?.hidden === false) && !texts.some((text) => /(?:^|\/)\./.test(text));
  return visible && filters.length > 0 ? { hidden: false, ...follows } : follows;
}

export const NOTHING: Stream = { is: "none" };

export function isNetwork(stream: Stream): boolean {
  if (stream.is === "unknown") return stream.network;
  if (stream.is === "text") return stream.value.atoms.some((atom) => isHole(atom) && atom.network === true);
  return false;
}

/** What `yes` prints: whoever keeps it keeps more than there is room for. */
export const isEndless = (stream: Stream): boolean => stream.is === "unknown" && stream.endless === true;

/** `lineless`: nor has a line of it an end. */
export const endless = (stream: Stream, lineless = isLineless(stream)): Stream => ({
  is: "unknown",
  why: "text without end",
  network: isNetwork(stream),
  endless: true,
  ...(lineless ? { lineless: true as const } : {}),
});

/** What `/dev/zero` holds: whoever waits for the end of a line keeps all of it. */
export const isLineless = (stream: Stream): boolean => stream.is === "unknown" && stream.lineless === true;

/** The streams of commands that run one after the other. */
export function sequence(streams: readonly Stream[]): Stream {
  const some = streams.filter((stream) => stream.is !== "none");
  const [first] = some;
  if (first === undefined) return NOTHING;
  if (some.length === 1) return first;
  if (some.every(isDigits) && !some.every(({ is }) => is === "text"))
    return { is: "unknown", why: "numbers that commands print", network: false, number: true, several: true };
  if (some.every((stream) => stream.is === "paths")) return { is: "paths", values: some.flatMap(({ values }) => values) };
  const atoms: Atom[] = [];
  for (const stream of some) {
    if (stream.is === "text") atoms.push(...stream.value.atoms);
    else if (some.some(isEndless)) return endless({ is: "unknown", why: "", network: some.some(isNetwork) });
    else return { is: "unknown", why: "the output of several commands", network: some.some(isNetwork) };
  }
  return { is: "text", value: { atoms: join(atoms), many: false } };
}

/** Nothing but numbers. */
export const isDigits = (stream: Stream): boolean =>
  stream.is === "text" ? /^[\d\n]+$/.test(textOf(stream.value) ?? "") : stream.is === "unknown" && stream.number === true;

/** Output of a command that may not run: known text is then text or nothing. */
export function perhaps(out: Stream): Stream {
  if (out.is !== "text") return untold(out);
  const why = "the output of a command that may not run";
  if (isDigits(out)) return { is: "unknown", why, network: false, number: true, several: true };
  const text = textOf(out.value);
  // A name, a line by itself.
  if (text !== undefined && /^[\w./@^~][\w./@^~+:,=-]*\n$/.test(text))
    return { is: "paths", values: [literal(text.trimEnd())], perhaps: true };
  return { is: "unknown", why, network: isNetwork(out) };
}

/** The same names, or none of them. */
export const untold = (out: Stream): Stream => (out.is === "paths" && out.told === true ? { is: "paths", values: out.values } : out);

/** Pieces of lines, of which nothing is certain. */
export const torn = (stream: Stream): Stream =>
  stream.is === "paths" ? { is: "unknown", why: "a piece of a name", network: false } : stream;
