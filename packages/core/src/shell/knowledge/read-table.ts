import { isDangerId } from "../../action/index.ts";
import { matchesText } from "../../pattern/index.ts";
import { type AsideKey, isAside, mistakeIn } from "./asides.ts";
import { readConfined, readDangers, readDry, readEffects, readObeys, readOptionLine, readSlots } from "./read-spec.ts";
import { readReads } from "./reads.ts";
import { OUTPUTS, STYLES, type BsdSpec, type CommandSpec, type Examples, type SubcommandSpec } from "./spec.ts";

/** Reads `packages/core/knowledge/*.table`, whose form packages/core/knowledge/README.md explains, when Assent is built. */
export interface TableFile {
  /** The name of the file without `.table`. */
  readonly family: string;
  readonly text: string;
}

export interface TableEntry {
  readonly family: string;
  readonly line: number;
  readonly spec: CommandSpec;
}

export interface TableMistake {
  readonly family: string;
  readonly line: number;
  /** The command, with the field: `git stash: options`. */
  readonly key: string;
  readonly message: string;
}

/** A row of `asides.ts`: such a key may be given as often as needed. */
export interface TableAside {
  readonly key: AsideKey;
  /** Of programs, separated by blanks. */
  readonly names: string;
  readonly row: string;
  readonly family: string;
  readonly line: number;
}

export interface TableTexts {
  readonly entries: readonly TableEntry[];
  readonly asides: readonly TableAside[];
  /** Where the block of a command or subcommand begins. */
  readonly lines: ReadonlyMap<SubcommandSpec, number>;
  readonly mistakes: readonly TableMistake[];
}

interface TableLine {
  readonly line: number;
  readonly indent: number;
  readonly text: string;
}

interface Field {
  readonly line: number;
  readonly key: string;
  /** What stands behind the colon, or the lines below it. */
  readonly rows: readonly TableLine[];
}

/** A command, a subcommand, or a block that others share (`@NAME`). */
interface TableBlock {
  readonly family: string;
  readonly line: number;
  /** `git stash`, for messages; `@git-diff`. */
  readonly name: string;
  /** `ls dir vdir`, `stash list | stash show`, `@git-diff`: a line each. */
  readonly head: readonly string[];
  readonly fields: readonly Field[];
  readonly below: readonly TableBlock[];
  /** What is indented below `bsd`; its head are the names behind that word. */
  readonly bsd?: TableBlock;
}

type SpecDraft = { -readonly [K in keyof SubcommandSpec]: SubcommandSpec[K] };

const FLAGS = ["closed", "idle", "kinds", "abbreviates"] as const;
const VERDICTS = ["allow", "none", "ask", "deny"] as const;
/** What the name of a command may hold: others cannot be looked up. */
const NAME = /^(?::|[\w.+@[-]+)$/;

const isIn = <T extends string>(list: readonly T[], word: string): word is T => list.some((one) => one === word);

/** All tables together: what is shared in one counts in all. */
export function readTables(files: readonly TableFile[]): TableTexts {
  const reader = new TableReader();
  const blocks = files.flatMap((file) => reader.blocksOf(file));
  for (const block of blocks) reader.share(block);
  const entries = blocks.flatMap((block) => (block.name.startsWith("@") ? [] : reader.entry(block)));
  for (const name of reader.unused()) reader.complain(name, name.line, "", "nothing uses it");
  const place = ({ family, line }: TableMistake): string => `${family} ${String(line).padStart(6)}`;
  // What is wrong in a shared block is found wherever it is used.
  const mistakes = [...new Map(reader.mistakes.map((one) => [printMistake(one), one])).values()];
  return { entries, asides: reader.asides, lines: reader.lines, mistakes: mistakes.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)) };
}

export const printMistake = ({ family, line, key, message }: TableMistake): string =>
  `packages/core/knowledge/${family}.table:${line}: ${key}: ${message}`;

class TableReader {
  readonly mistakes: TableMistake[] = [];
  readonly asides: TableAside[] = [];
  readonly lines = new Map<SubcommandSpec, number>();
  private readonly shared = new Map<string, TableBlock>();
  private readonly used = new Set<TableBlock>();
  private readonly names = new Set<string>();
  /** What is being read: a shared block among them would use itself. */
  private readonly open = new Set<TableBlock>();

  complain(block: Pick<TableBlock, "family" | "name">, line: number, key: string, message: string): void {
    this.mistakes.push({ family: block.family, line, key: key === "" ? block.name : `${block.name}: ${key}`, message });
  }

  blocksOf({ family, text }: TableFile): readonly TableBlock[] {
    const lines = text
      .split("\n")
      .map((raw, at): TableLine => ({ line: at + 1, indent: raw.length - raw.trimStart().length, text: raw.trim() }))
      .filter((line) => line.text !== "" && !line.text.startsWith("#"));
    const blocks: TableBlock[] = [];
    for (let at = 0; at < lines.length;) {
      const [block, next] = this.readBlock(lines, at, family, undefined);
      blocks.push(block);
      at = next;
    }
    return blocks;
  }

  /** What begins at `start`: its heads, one below the other, and all that is indented more. */
  private readBlock(
    lines: readonly TableLine[],
    start: number,
    family: string,
    parent: string | undefined,
  ): readonly [TableBlock, next: number] {
    const { line, indent } = lines[start] ?? { line: 0, indent: 0 };
    const head: string[] = [];
    let at = start;
    const isHead = (one: TableLine | undefined): one is TableLine =>
      one?.indent === indent && (parent === undefined || one.text.startsWith("sub "));
    const isBsd = parent !== undefined && BSD.test(lines[at]?.text ?? "");
    if (isBsd) head.push((lines[at++]?.text ?? "").slice("bsd".length).trim());
    else
      for (let one = lines[at]; isHead(one); one = lines[++at])
        head.push(parent === undefined ? one.text : one.text.slice("sub ".length).trim());
    const first = (head[0] ?? "").split(parent === undefined ? " " : "|", 1)[0]?.trim() ?? "";
    const name = parent === undefined ? first : isBsd ? `${parent} (bsd)` : `${parent} ${first}`;
    const fields: Field[] = [];
    const below: TableBlock[] = [];
    let bsd: TableBlock | undefined;
    const inner = lines[at]?.indent ?? 0;
    for (let one = lines[at]; one !== undefined && one.indent > indent; one = lines[at]) {
      if (one.indent !== inner)
        this.complain({ family, name }, one.line, "", `\`${one.text}\` is indented by ${one.indent}, not by ${inner}`);
      if (one.text.startsWith("sub ") || BSD.test(one.text)) {
        const [block, next] = this.readBlock(lines, at, family, name);
        if (one.text.startsWith("sub ")) below.push(block);
        else {
          if (parent !== undefined || bsd !== undefined)
            this.complain({ family, name }, one.line, "bsd", "a command has one such block, and a subcommand none");
          bsd = block;
        }
        at = next;
        continue;
      }
      const [, key = one.text, value = ""] = /^([a-z]+):(?:\s+(.*))?$/.exec(one.text) ?? [];
      const rows = value === "" ? [] : [{ ...one, text: value }];
      for (let row = lines[++at]; row !== undefined && row.indent > one.indent; row = lines[++at]) rows.push(row);
      fields.push({ line: one.line, key, rows });
    }
    if (fields.length + below.length === 0) this.complain({ family, name }, line, "", "what it does is missing below it, indented");
    return [{ family, line, name, head, fields, below, ...(bsd === undefined ? {} : { bsd }) }, at];
  }

  share(block: TableBlock): void {
    if (!block.name.startsWith("@")) return;
    if (this.shared.has(block.name)) this.complain(block, block.line, "", "another block has this name");
    this.shared.set(block.name, block);
  }

  unused(): readonly TableBlock[] {
    return [...this.shared.values()].filter((block) => !this.used.has(block));
  }

  /** The block that `@NAME` in `block` stands for. */
  private useShared(block: TableBlock, line: number, key: string, name: string): TableBlock | undefined {
    const found = this.shared.get(name);
    if (found === undefined) this.complain(block, line, key, `unknown ${name}`);
    else this.used.add(found);
    if (found === undefined || !this.open.has(found)) return found;
    this.complain(block, line, key, "it uses itself");
    return undefined;
  }

  /** None where a block says nothing of what its programs do. */
  entry(block: TableBlock): readonly TableEntry[] {
    const names = block.head.join(" ").split(/\s+/);
    for (const name of names) {
      if (!NAME.test(name)) this.complain(block, block.line, "", `\`${name}\` is not the name of a command`);
      if (this.names.has(name)) this.complain(block, block.line, "", `${name} has an entry elsewhere`);
      this.names.add(name);
    }
    const fields = block.fields.filter((field) => !this.readAside(block, field, names));
    if (fields.length + block.below.length === 0 && block.fields.length > 0) return [];
    const spec = { names: names.join(" "), ...this.readSpec({ ...block, fields }) };
    this.lines.set(spec, block.line);
    return [{ family: block.family, line: block.line, spec }];
  }

  /** `[NAME…] ROW` is of these names alone; in a name `*`: of those that begin as one of the entry does, or that are like it. */
  private readAside(block: TableBlock, { key, rows, line }: Field, names: readonly string[]): boolean {
    if (!isAside(key)) return false;
    if (rows.length === 0) this.complain(block, line, key, "its value is missing");
    for (const { text, line: at } of rows) {
      const [, some = names.join(" "), row = ""] = /^(?:\[([^\]]+)\] )?(.+)$/.exec(text) ?? [];
      for (const name of some.split(" "))
        if (!names.some((one) => matchesText(name, one) || (name.includes("*") && name.startsWith(one))))
          this.complain(block, at, key, `${name} is not a name of this entry`);
      const wrong = mistakeIn(key, row);
      if (wrong !== undefined) this.complain(block, at, key, wrong);
      this.asides.push({ key, names: some, row, family: block.family, line: at });
    }
    return true;
  }

  private readSpec(block: TableBlock): SubcommandSpec {
    this.open.add(block);
    const spec = this.readFields(block);
    this.open.delete(block);
    return spec;
  }

  private readFields(block: TableBlock): SubcommandSpec {
    const like = block.fields.find(({ key }) => key === "like");
    const shared = like && this.useShared(block, like.line, "like", like.rows.map(({ text }) => text).join(" "));
    const { examples: _, ...draft }: SpecDraft = shared === undefined ? {} : this.readSpec(shared);
    const spec: SpecDraft = draft;
    const examples: { -readonly [K in keyof Examples]: string[] } = {};
    const seen = new Set<string>();
    for (const field of block.fields) {
      const { key, line, rows } = field;
      const text = rows.map((row) => row.text).join(isIn(VERDICTS, key) ? "\n" : " ");
      if (isIn(VERDICTS, key)) {
        if (text === "") this.complain(block, line, key, "a command line is missing");
        if (rows.length > 1 && rows[0]?.line === line)
          this.complain(block, line, key, "an example of several lines begins below its verdict");
        (examples[key] ??= []).push(text);
        continue;
      }
      if (seen.has(key) && key !== "upkeep") this.complain(block, line, key, "it is given twice");
      try {
        this.readField(block, field, text, spec, seen.has(key));
      } catch (error) {
        this.complain(block, line, key, error instanceof Error ? error.message : String(error));
      }
      seen.add(key);
    }
    if (Object.keys(examples).length > 0) spec.examples = examples;
    else if (!block.name.startsWith("@")) this.complain(block, block.line, "", "it has no example: `allow:`, `none:`, `ask:` or `deny:`");
    if (block.below.length > 0) spec.subcommands = this.readSubcommands(block);
    if (block.bsd !== undefined) spec.bsd = this.readBsd(block, block.bsd, spec);
    return spec;
  }

  /** The other reading: options and style are its own, and what it does not say is as in the entry. */
  private readBsd(block: TableBlock, bsd: TableBlock, entry: SpecDraft): BsdSpec {
    const all = block.head.join(" ").split(/\s+/);
    const [head = ""] = bsd.head;
    const names = head === "" ? all : head.split(/\s+/);
    for (const name of names) if (!all.includes(name)) this.complain(bsd, bsd.line, "bsd", `${name} is not a name of this entry`);
    const { options: _, subcommands: __, examples: ___, bsd: ____, ...inherited } = entry;
    return { names: names.join(" "), spec: { ...inherited, style: "posix", ...this.readSpec(bsd) } };
  }

  private readField(block: TableBlock, field: Field, text: string, spec: SpecDraft, again: boolean): void {
    const { key } = field;
    if (isIn(FLAGS, key)) {
      if (text !== "") throw new Error("it takes no value");
      spec[key] = true;
      return;
    }
    if (text === "" && key !== "like") throw new Error("its value is missing");
    const value = text === "none" ? "" : text;
    switch (key) {
      case "like":
        return;
      case "options":
        spec.options = this.readRows(block, field, "options").join("\n");
        return;
      case "reads":
        spec.reads = this.readRows(block, field, "reads").join("\n");
        readReads(spec.reads);
        return;
      case "upkeep":
        spec.upkeep = [...(again ? (spec.upkeep ?? []) : []), text];
        return;
      case "style":
        if (!isIn(STYLES, text)) throw new Error(`it is one of ${STYLES.join(", ")}`);
        spec.style = text;
        return;
      case "output":
        if (!isIn(OUTPUTS, text)) throw new Error(`it is one of ${OUTPUTS.join(", ")}`);
        spec.output = text;
        return;
      case "otherwise":
      case "stranger":
        if (!isDangerId(text)) throw new Error("unknown danger");
        spec[key] = text;
        return;
      case "operands":
        readSlots(value);
        spec.operands = value;
        return;
      case "effects":
        readEffects(value);
        spec.effects = value;
        return;
      case "confined":
        readConfined(text, "", () => false);
        spec.confined = text;
        return;
      case "dangers":
        spec.dangers = this.readRows(block, field, "dangers").join(";");
        readDangers(spec.dangers);
        return;
      case "obeys":
        spec.obeys = this.readRows(block, field, "obeys").join("\n");
        readObeys(spec.obeys);
        return;
      case "package":
        spec.package = readPackages(text, block.head);
        return;
      case "dry":
        readDry(text);
        spec.dry = text;
        return;
      case "helps":
        if (value !== "") readOptionLine(value);
        spec.helps = value;
        return;
      case "summary":
      case "analyse":
      case "before":
      case "elsewhere":
      case "tracks":
      case "walks":
      case "filters":
      case "portable":
      case "only":
        spec[key] = text;
        return;
      default:
        throw new Error("unknown field");
    }
  }

  /** The rows of a field, those it shares included: a row that is there already is not taken over. */
  private readRows(block: TableBlock, { key, rows }: Field, what: "options" | "reads" | "dangers" | "obeys"): readonly string[] {
    const written: { readonly row: string; readonly line: number; readonly shared: boolean }[] = [];
    for (const { text, line } of rows) {
      // A pattern may hold anything.
      for (const row of what === "obeys" ? [text] : text.split(";").map((one) => one.trim())) {
        if (row === "") continue;
        if (!row.startsWith("@")) {
          written.push({ row, line, shared: false });
          continue;
        }
        const found = this.useShared(block, line, key, row);
        const field = found?.fields.find((one) => one.key === what);
        if (found !== undefined && field === undefined) this.complain(block, line, key, `${row} has no ${what}`);
        if (found !== undefined && field !== undefined)
          written.push(...this.readRows(found, field, what).map((one) => ({ row: one, line, shared: true })));
      }
    }
    if (what !== "options") return written.map(({ row }) => row);
    const seen = new Map<string, boolean>();
    const out: string[] = [];
    for (const { row, line, shared } of written) {
      for (const one of withNegations(row)) {
        const names = namesOf(one);
        for (const name of names) if (seen.get(name) === false && !shared) this.complain(block, line, key, `${name} is listed twice`);
        const left = names.filter((name) => !seen.has(name));
        for (const name of left) seen.set(name, shared);
        if (left.length === 0) continue;
        const kept = `${left.join(" ")}${one.slice(endOfNames(one))}`;
        try {
          if (!DIGITS.test(kept)) readOptionLine(kept);
        } catch (error) {
          this.complain(block, line, key, error instanceof Error ? error.message : String(error));
        }
        out.push(kept);
      }
    }
    return out;
  }

  private readSubcommands(block: TableBlock): Readonly<Record<string, SubcommandSpec>> {
    const seen = new Set<string>();
    return Object.fromEntries(
      block.below.map((one) => {
        const keys = one.head.flatMap((head) => head.split("|")).flatMap((key) => expandBraces(key.trim().replaceAll(/\s+/g, " ")));
        for (const key of keys) {
          if (seen.has(key)) this.complain(one, one.line, "", `the subcommand \`${key}\` is listed twice`);
          seen.add(key);
        }
        const spec = this.readSpec(one);
        this.lines.set(spec, one.line);
        return [keys.join("|"), spec];
      }),
    );
  }
}

/** `aws-cdk=cdk`: a package and the program that it starts, the first of the entry where none is written. */
function readPackages(text: string, head: readonly string[]): string {
  const names = head.join(" ").split(/\s+/);
  const rows = text.split(/\s+/).map((row) => {
    const [, name = "", program = names[0] ?? ""] = /^(@?[\w.+-]+(?:\/[\w.+-]+)?)(?:=(\S+))?$/.exec(row) ?? [];
    if (name === "") throw new Error(`\`${row}\` is not the name of a package`);
    if (!names.includes(program)) throw new Error(`${program} is not a name of this entry`);
    return `${name.toLowerCase()}=${program}`;
  });
  return rows.join(" ");
}

/** The line that begins what programs of BSD do: `bsd`, or `bsd NAME…` for some names of the entry. */
const BSD = /^bsd(?:\s+[^\s:]+)*$/;

/** `-1..-9`: `-5` is an option. */
export const DIGITS = /^-[01]\.\.-9$/;

const endOfNames = (row: string): number => {
  const end = row.search(/\s*(?:\[?=|->)/);
  return end === -1 ? row.length : end;
};

const namesOf = (row: string): readonly string[] => row.slice(0, endOfNames(row)).split(/\s+/);

/** `--[no-]name` stands for `--name` with everything the row says, and for `--no-name` that takes no value and does nothing else. */
function withNegations(row: string): readonly string[] {
  const names = namesOf(row);
  const negated = names.filter((name) => name.includes("[no-]")).map((name) => name.replace("[no-]", "no-"));
  if (negated.length === 0) return [row];
  return [`${names.map((name) => name.replace("[no-]", "")).join(" ")}${row.slice(endOfNames(row))}`, negated.join(" ")];
}

/** `compute {disks,images} list`: as in a shell. */
function expandBraces(key: string): readonly string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(key);
  if (match === null) return [key];
  const [, before = "", words = "", after = ""] = match;
  return words.split(",").flatMap((word) => expandBraces(after).map((rest) => `${before}${word.trim()}${rest}`));
}
