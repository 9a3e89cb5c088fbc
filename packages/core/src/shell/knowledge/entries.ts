import { readIndex, readNotes, readRecord } from "./records.ts";
import { readEffects, readOptionLine, readSlots, type TableEffect, type Option, type Slot } from "./read-spec.ts";
import type { Examples, STYLES, SubcommandSpec } from "./spec.ts";

/**
 * Knowledge as every bundle reads it. `write-records.ts` has put the tables into one text when Assent was built; an entry is read
 * when its command occurs, a subcommand when it is chosen, an option when it is given: a fresh hook needs few of them.
 */
export type EntryFields = Omit<SubcommandSpec, "options" | "subcommands" | "summary" | "examples" | "bsd">;

/** A command or a subcommand as it lies in the records. */
export interface KnowledgeEntry extends EntryFields {
  readonly rows: EntryRows;
  /** Where that lies which is for people: see `aboutEntry`. */
  readonly about: number;
}

/** With all names of the command, separated by blanks. */
export interface CommandEntry extends KnowledgeEntry {
  readonly names: string;
}

export interface EntryRows {
  /** A row for each option: a blank, its names with a blank behind each, and after a tab what more its row in the table says. */
  readonly options?: string;
  readonly digits?: true;
  /** No option of its own does more than read and print. */
  readonly inert?: true;
  /** Nor does any of them change what is read. */
  readonly steady?: true;
  /** A row for each entry: `|KEY|KEY…`, and after a tab its place. */
  readonly subcommands?: string;
  /** Names with a blank around each, and after a tab the place of what programs of BSD with these names do. */
  readonly bsd?: string;
}

/** How the arguments of a command are read, and what always happens. */
export interface Grammar {
  readonly style: (typeof STYLES)[number];
  readonly options: OptionTable;
  /** `-5` is an option. */
  readonly digits: boolean;
  readonly slots: readonly Slot[] | undefined;
  readonly effects: readonly TableEffect[];
  /** No option that is listed does more than read and print. */
  readonly inert: boolean;
  /** See `CommandSpec.closed`: an unknown word in operand position cannot do harm as an option. */
  readonly harmless: boolean;
  /** Nor does any of them change what is read. */
  readonly steady: boolean;
  readonly subcommands: Subcommands | undefined;
}

/** By name. */
export interface OptionTable extends Iterable<[string, Option]> {
  /** Those of the entry itself, without the options of the command above. */
  own(): Iterable<[string, Option]>;
  has(name: string): boolean;
  get(name: string): Option | undefined;
  keys(): Iterable<string>;
  values(): Iterable<Option>;
}

/** Subcommands by their first word; `verbs` are those that begin with a verb pattern (`describe-*`). */
export interface Subcommands {
  readonly named: {
    get(first: string): readonly Subcommand[] | undefined;
    keys(): Iterable<string>;
    values(): Iterable<readonly Subcommand[]>;
  };
  readonly verbs: readonly Subcommand[];
  /** See `CommandSpec.kinds`. */
  readonly kinds: boolean;
}

export interface Subcommand {
  readonly key: string;
  readonly words: readonly string[];
  readonly spec: KnowledgeEntry;
}

/** What is for people, and for tests. */
export interface EntryNotes {
  /** Of a command: its table. */
  readonly family?: string;
  /** Where its block begins there. */
  readonly line?: number;
  readonly summary?: string;
  readonly examples?: Examples;
}

/** A subcommand with all the keys that lead to it. */
export interface EntryBelow {
  readonly keys: readonly string[];
  readonly entry: KnowledgeEntry;
}

function readEntry(place: string): KnowledgeEntry {
  const [start, to] = place.split(/[:+]/).map(Number);
  // Of a subcommand it says how long the record is: that is shorter.
  const end = start !== undefined && to !== undefined && place.includes("+") ? start + to : to;
  if (start === undefined || end === undefined) throw new Error("the knowledge tables are damaged");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by write-records.ts at build time
  return { ...(JSON.parse(readRecord(start, end)) as Omit<KnowledgeEntry, "about">), about: start };
}

/** By where the record begins. */
let notes: ReadonlyMap<string, string> | undefined;

export function aboutEntry({ about }: KnowledgeEntry): EntryNotes {
  notes ??= new Map(rowsOf(readNotes()).map((row) => [row.slice(0, row.indexOf("\t")), row.slice(row.indexOf("\t") + 1)]));
  const said = notes.get(String(about));
  if (said === undefined) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const { allow, none, ask, deny, ...others } = JSON.parse(said) as Omit<EntryNotes, "examples"> & Examples;
  const examples = Object.fromEntries(Object.entries({ allow, none, ask, deny }).filter(([, commands]) => commands !== undefined));
  return Object.keys(examples).length === 0 ? others : { ...others, examples };
}

const rowsOf = (text: string): readonly string[] => text.split("\n").filter((row) => row !== "");

/** What can be looked up: other names hold characters of the index. */
const NAME = /^[\w.+@[-]+$/;

/** By their rows in the index: all names of an entry lead to one object. */
const commands = new Map<string, CommandEntry>();

function commandOf(row: string): CommandEntry {
  let entry = commands.get(row);
  if (entry === undefined) {
    const [names = "", place = ""] = row.split("\t");
    commands.set(row, (entry = { ...readEntry(place), names: names.trim() }));
  }
  return entry;
}

/** So many names are looked up in the text, which costs a fresh process less than a map of all; whoever asks more gets the map. */
const SEARCHES = 40;
let searches = 0;
let rowsByName: ReadonlyMap<string, string> | undefined;

function rowOf(name: string): string | undefined {
  if (rowsByName === undefined && searches++ < SEARCHES) {
    const text = readIndex();
    const at = text.indexOf(` ${name} `);
    return at === -1 ? undefined : text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at));
  }
  rowsByName ??= new Map(
    rowsOf(readIndex()).flatMap((row) =>
      row
        .slice(1, row.indexOf(" \t"))
        .split(" ")
        .map((one) => [one, row] as const),
    ),
  );
  return rowsByName.get(name);
}

/** The entry for a basename. */
export function entryFor(name: string): CommandEntry | undefined {
  const row = NAME.test(name) ? rowOf(name) : undefined;
  return row === undefined ? undefined : commandOf(row);
}

let packages: ReadonlyMap<string, string> | undefined;

/** The program that a package, or a module, of another name starts: `cdk` of `aws-cdk`. */
export function programOfPackage(name: string): string | undefined {
  packages ??= new Map(
    rowsOf(readIndex()).flatMap((row) =>
      (row.split("\t")[2]?.split(" ") ?? []).map((one) => {
        const [package_ = "", program = ""] = one.split("=");
        return [package_, program] as const;
      }),
    ),
  );
  return packages.get(name.toLowerCase());
}

let builtins: ReadonlyMap<string, Subcommand> | undefined;

/** The builtin of this name that a shell has: a subcommand of `builtin`. Every command's name is asked for here. */
export function builtinEntryFor(name: string): KnowledgeEntry | undefined {
  if (builtins === undefined) {
    const all = entryFor("builtin");
    const single =
      all === undefined
        ? []
        : belowOf(all)
            .keys()
            .filter(({ words }) => words.length === 1);
    builtins = new Map(single.map((one) => [one.key, one]));
  }
  return builtins.get(name)?.spec;
}

const readings = new Map<string, CommandEntry>();

/** What the program of BSD and macOS does that has this name, where that is another than the one of GNU. */
export function bsdEntryFor(entry: CommandEntry, name: string): CommandEntry | undefined {
  const row = entry.rows.bsd;
  if (row === undefined || !row.includes(` ${name} `)) return undefined;
  let bsd = readings.get(row);
  if (bsd === undefined) readings.set(row, (bsd = { ...readEntry(row.slice(row.indexOf("\t") + 1)), names: entry.names }));
  return bsd;
}

/** Every command of every table. */
export const allEntries = (): readonly CommandEntry[] => rowsOf(readIndex()).map(commandOf);

/** The subcommands in the order of the table. */
export const entriesBelow = (entry: KnowledgeEntry): readonly EntryBelow[] =>
  entry.rows.subcommands === undefined ? [] : belowOf(entry).all();

const grammars = new WeakMap<KnowledgeEntry, Grammar>();

/** How the arguments of an entry are read. `parent`: of the command this is a subcommand of; its options count here too. */
export function grammarOf(entry: KnowledgeEntry, parent?: Grammar): Grammar {
  const known = grammars.get(entry);
  if (known !== undefined) return known;
  const inert = entry.rows.inert === true && parent?.inert !== false;
  const grammar: Grammar = {
    style: entry.style ?? (parent === undefined || parent.style === "posix" ? "gnu" : parent.style),
    options: new OptionRows(entry.rows.options ?? "", parent?.options),
    digits: entry.rows.digits === true,
    slots: entry.operands === undefined ? undefined : readSlots(entry.operands),
    effects: readEffects(entry.effects ?? ""),
    inert,
    harmless: entry.closed === true && inert,
    steady: entry.closed === true && entry.rows.steady === true && parent === undefined,
    subcommands: entry.rows.subcommands === undefined ? undefined : belowOf(entry),
  };
  grammars.set(entry, grammar);
  return grammar;
}

/** A map of options by name that looks them up in the rows, then among those of the command above. */
class OptionRows {
  private readonly read = new Map<number, Option>();
  /** Where the rows begin of names that were found. */
  private readonly starts = new Map<string, number>();
  private whole: ReadonlyMap<string, Option> | undefined;
  private readonly rows: string;
  private readonly parent: Grammar["options"] | undefined;

  constructor(rows: string, parent: Grammar["options"] | undefined) {
    this.rows = rows;
    this.parent = parent;
  }

  has(name: string): boolean {
    return this.rowOf(name) !== -1 || this.parent?.has(name) === true;
  }

  get(name: string): Option | undefined {
    const start = this.rowOf(name);
    return start === -1 ? this.parent?.get(name) : this.optionAt(start);
  }

  keys(): MapIterator<string> {
    return this.all().keys();
  }

  values(): MapIterator<Option> {
    return this.all().values();
  }

  [Symbol.iterator](): MapIterator<[string, Option]> {
    return this.all().entries();
  }

  /** Where the row begins that has the name; -1: none. */
  private rowOf(name: string): number {
    const known = this.starts.get(name);
    if (known !== undefined) return known;
    // What is given on a command line may hold anything.
    if (/\s/.test(name)) return -1;
    for (let at = this.rows.indexOf(` ${name} `); at !== -1; at = this.rows.indexOf(` ${name} `, at + 1)) {
      const start = this.rows.lastIndexOf("\n", at) + 1;
      const tab = this.rows.indexOf("\t", start);
      if (tab !== -1 && tab < at) continue;
      this.starts.set(name, start);
      return start;
    }
    return -1;
  }

  private optionAt(start: number): Option {
    let option = this.read.get(start);
    if (option === undefined) this.read.set(start, (option = readOptionLine(this.rows.slice(start, this.rows.indexOf("\n", start)))));
    return option;
  }

  private all(): ReadonlyMap<string, Option> {
    if (this.whole !== undefined) return this.whole;
    const all = new Map<string, Option>(this.parent);
    for (const [name, option] of this.own()) all.set(name, option);
    this.whole = all;
    return all;
  }

  *own(): Generator<[string, Option]> {
    for (let start = 0; start < this.rows.length; start = this.rows.indexOf("\n", start) + 1) {
      const option = this.optionAt(start);
      for (const name of option.names) yield [name, option];
    }
  }
}

const below = new WeakMap<KnowledgeEntry, SubcommandRows>();

function belowOf(entry: KnowledgeEntry): SubcommandRows {
  let rows = below.get(entry);
  if (rows === undefined) below.set(entry, (rows = new SubcommandRows(entry.rows.subcommands ?? "", entry.kinds === true, entry.about)));
  return rows;
}

/** The subcommands of one entry. Their entries are its own: options of the command above count in them. */
class SubcommandRows {
  readonly kinds: boolean;
  readonly named = {
    get: (first: string): readonly Subcommand[] | undefined => this.beginningWith(first),
    keys: (): Iterable<string> => new Set(this.keys().flatMap(({ words: [first = ""] }) => (first.endsWith("*") ? [] : [first]))),
    values: (): Iterable<readonly Subcommand[]> => [...this.named.keys()].map((first) => this.beginningWith(first) ?? []),
  };
  private readonly rows: string;
  private readonly entries = new Map<string, KnowledgeEntry>();
  private readonly read = new Map<string, readonly Subcommand[]>();
  private patterns: readonly Subcommand[] | undefined;

  /** Of each record the rows say how far behind the one before it lies, of the first how far behind that of its command. */
  constructor(rows: string, kinds: boolean, about: number) {
    let at = about;
    this.rows = rows.replaceAll(/\t(-?\d+)\+(\d+)\n/g, (_, gap: string, length: string) => {
      const start = at + Number(gap);
      at = start + Number(length);
      return `\t${start}+${length}\n`;
    });
    this.kinds = kinds;
  }

  get verbs(): readonly Subcommand[] {
    return (this.patterns ??= this.rows.includes("*") ? this.keys().filter(({ words: [first = ""] }) => first.endsWith("*")) : []);
  }

  all(): readonly EntryBelow[] {
    return this.groups().map(({ keys, place }) => ({ keys, entry: this.entryAt(place) }));
  }

  private groups(): readonly { readonly keys: readonly string[]; readonly place: string }[] {
    return rowsOf(this.rows).map((row) => {
      const [keys = "", place = ""] = row.split("\t");
      return { keys: keys.slice(1).split("|"), place };
    });
  }

  keys(): readonly Subcommand[] {
    return this.groups().flatMap(({ keys, place }) => keys.map((key) => this.subcommand(key, place)));
  }

  private beginningWith(first: string): readonly Subcommand[] | undefined {
    const known = this.read.get(first);
    if (known !== undefined) return known;
    const found = this.lookUp(first);
    if (found !== undefined) this.read.set(first, found);
    return found;
  }

  private lookUp(first: string): readonly Subcommand[] | undefined {
    if (/[\s|]/.test(first) || first.endsWith("*")) return undefined;
    const out: Subcommand[] = [];
    for (let at = this.rows.indexOf(`|${first}`); at !== -1; at = this.rows.indexOf(`|${first}`, at + 1)) {
      if (!/[ |\t]/.test(this.rows.charAt(at + 1 + first.length))) continue;
      const tab = this.rows.indexOf("\t", at);
      const [key = ""] = this.rows.slice(at + 1, tab).split("|", 1);
      out.push(this.subcommand(key, this.rows.slice(tab + 1, this.rows.indexOf("\n", tab))));
    }
    return out.length === 0 ? undefined : out;
  }

  private subcommand(key: string, place: string): Subcommand {
    const entryAt = (): KnowledgeEntry => this.entryAt(place);
    return {
      key,
      words: key.split(" "),
      get spec() {
        return entryAt();
      },
    };
  }

  private entryAt(place: string): KnowledgeEntry {
    let entry = this.entries.get(place);
    if (entry === undefined) this.entries.set(place, (entry = readEntry(place)));
    return entry;
  }
}
