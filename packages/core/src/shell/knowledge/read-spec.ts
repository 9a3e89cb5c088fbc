import { type ConfinedNeed, FILE_OPERATIONS, isConfinedNeed, isDangerId, type DangerId, type FileOperation } from "../../action/index.ts";
import { words } from "../../data/index.ts";
import { OUTPUTS } from "./spec.ts";

// The notations of `spec.ts`, read. Reading throws on anything it does not understand: a wrong table is a bug.

export interface Option {
  readonly names: readonly string[];
  readonly argument: "none" | "required" | "optional";
  readonly kind: Kind;
  /** A second value, for options that take two words (`jq --arg NAME VALUE`). */
  readonly second?: Kind;
  readonly consequences: readonly Consequence[];
}

export interface Slot {
  readonly name: string;
  readonly kind: Kind;
  readonly count: "one" | "optional" | "any" | "some";
  readonly fallback?: string;
}

const TREES = [
  ["tree", "read"],
  ["listtree", "list"],
  ["writetree", "write"],
  ["deletetree", "delete"],
  ["metatree", "metadata"],
] as const;
const PLAIN = words(
  "text word dest dir url host port shell argv env sed awk jq yq sql pid refuse number amount width name only",
  "without withoutfile withoutfolder gitkey secret setting terminal variable sum names",
);
const CODE = ["code", "script", "foreign", "lasting"] as const;

export type Kind =
  /** `visible`: a walk that leaves out names that begin with a dot. */
  | {
      readonly is: "file";
      readonly operation: FileOperation;
      readonly tree: boolean;
      readonly visible?: boolean;
      readonly certificate?: true;
      /** Written; `-` is standard output. */
      readonly stdout?: true;
    }
  | { readonly is: (typeof PLAIN)[number] }
  | { readonly is: (typeof CODE)[number]; readonly language: string };

export type Consequence =
  | { readonly then: "drop"; readonly slot: string }
  | { readonly then: "become"; readonly from: string; readonly to: Kind }
  | { readonly then: "default"; readonly path: string }
  | { readonly then: "stop" }
  | { readonly then: "rest" }
  | { readonly then: "output"; readonly output: (typeof OUTPUTS)[number] | "none" }
  | { readonly then: "effect"; readonly effect: TableEffect };

export type TableEffect =
  | { readonly is: "remote"; readonly operation: "read" | "change" | "publish" | "destroy"; readonly service: string }
  | { readonly is: "code"; readonly source: "project" | "stdin"; readonly language: string }
  | { readonly is: "system"; readonly area: string }
  | { readonly is: "danger"; readonly danger: DangerId }
  | { readonly is: "needs"; readonly need: ConfinedNeed }
  | { readonly is: "file"; readonly operation: FileOperation; readonly path: string; readonly tree: boolean }
  | { readonly is: (typeof EFFECTS)[number] };

const EFFECTS = ["net", "listen", "process", "privilege", "environment", "secrets", "terminal", "repository", "refuse", "names"] as const;

const isIn = <T extends string>(list: readonly T[], word: string): word is T => (list as readonly string[]).includes(word);

export function readKind(text: string): Kind {
  if (isIn(PLAIN, text)) return { is: text };
  if (isIn(FILE_OPERATIONS, text)) return { is: "file", operation: text, tree: false };
  if (text === "visibletree") return { is: "file", operation: "read", tree: true, visible: true };
  if (text === "stdout") return { is: "file", operation: "write", tree: false, stdout: true };
  if (text === "certificate") return { is: "file", operation: "read", tree: false, certificate: true };
  const walk = TREES.find(([name]) => name === text);
  if (walk !== undefined) return { is: "file", operation: walk[1], tree: true };
  const [head = "", language = ""] = text.split("/");
  if (isIn(CODE, head) && language !== "") return { is: head, language };
  throw new Error(`unknown operand kind \`${text}\``);
}

export const kindName = (kind: Kind): string => {
  if (kind.is !== "file") return kind.is;
  if (kind.visible === true) return "visibletree";
  if (kind.certificate === true) return "certificate";
  if (kind.stdout === true) return "stdout";
  return kind.tree ? (TREES.find(([, operation]) => operation === kind.operation)?.[0] ?? "") : kind.operation;
};

export function readEffect(text: string): TableEffect {
  const [head = "", argument = "", ...rest] = text.trim().split(/\s+/);
  if (rest.length > 0) throw new Error(`effect \`${text}\` has too many words`);
  const [verb = "", detail = ""] = head.split(".");
  if (verb === "remote" && isIn(["read", "change", "publish", "destroy"] as const, detail) && argument !== "") {
    return { is: "remote", operation: detail, service: argument };
  }
  if (head === "code.project" || head === "code.stdin")
    return { is: "code", source: head === "code.project" ? "project" : "stdin", language: argument || "project" };
  if (head === "system" && argument !== "") return { is: "system", area: argument };
  if (head === "danger" && isDangerId(argument)) return { is: "danger", danger: argument };
  if (head === "needs" && isConfinedNeed(argument)) return { is: "needs", need: argument };
  if (isIn(EFFECTS, head) && argument === "") return { is: head };
  if (argument !== "") {
    const kind = readKind(head);
    if (kind.is === "file") return { is: "file", operation: kind.operation, path: argument, tree: kind.tree };
  }
  throw new Error(`unknown effect \`${text.trim()}\``);
}

/** `CommandSpec.confined`: what a command of this name needs; `given`: a word is among its own. */
export function readConfined(text: string, name: string, given: (word: string) => boolean): readonly ConfinedNeed[] {
  return text.split(";").flatMap((row) => {
    const [, need = "", names, when, word = ""] = /^\s*(\S+?)(?:: ([^;]*?))?(?: (unless|if) (\S+))?\s*$/.exec(row) ?? [];
    if (need === "works") return [];
    if (!isConfinedNeed(need)) throw new Error(`\`${row.trim()}\` is not a need`);
    const words = word.replace(/^\{(.*)\}$/, "$1").split(",");
    if (when !== undefined && words.some((one) => given(one)) !== (when === "if")) return [];
    return names === undefined || names.split(/\s+/).includes(name) ? [need] : [];
  });
}

/** `CommandSpec.effects`. */
export const readEffects = (text: string): readonly TableEffect[] =>
  text
    .split(",")
    .filter((one) => one.trim() !== "")
    .map(readEffect);

export interface DryRun {
  readonly names: readonly string[];
  /** Options that take it back. */
  readonly unless: readonly string[];
}

/** The tables hold few such texts, and commands come again: each is read once. */
function readOnce<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) known.set(text, (value = read(text)));
    return value;
  };
}

/** `CommandSpec.dry`. */
export function readDry(text: string): DryRun {
  const [names = "", unless = ""] = text.split(" unless ");
  const split = (list: string): readonly string[] => list.split(/\s+/).filter((name) => name !== "");
  for (const name of [...split(names), ...split(unless)]) if (!name.startsWith("-")) throw new Error(`\`${name}\` is not an option`);
  return { names: split(names), unless: split(unless) };
}

/** A row of `CommandSpec.dangers`. */
export interface DangerRow {
  /** A word of the command for each, in this order. */
  readonly words: readonly RegExp[];
  readonly danger: DangerId;
}

/** `CommandSpec.dangers`. */
export const readDangers = readOnce((text): readonly DangerRow[] =>
  text.split(";").flatMap((row) => {
    if (row.trim() === "") return [];
    const [words = "", danger = ""] = row.split(" -> ").map((part) => part.trim());
    if (words === "") throw new Error("no words stand before `->`");
    if (!isDangerId(danger)) throw new Error(`\`${danger}\` is not one of the dangers`);
    return [{ words: words.split(/\s+/).map(dangerWord), danger }];
  }),
);

/** `{a,b}` is one of them, `[a-z]` a letter, `*` any text. */
function dangerWord(word: string): RegExp {
  const pattern = word
    .replace(/[.+?^$()|\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replace(/\{(.*)\}/, (_, names: string) => `(?:${names.replaceAll(",", "|")})`);
  return new RegExp(`^(?:${pattern})${/^\{?-/.test(word) ? "(?:=.*)?" : ""}$`, "i");
}

/** A row of `CommandSpec.obeys`. */
export interface ObeyedFiles {
  /** Also where only help or a version is printed. */
  readonly always: boolean;
  /** In the folder where it works, in those above it, too, or also in all below. */
  readonly where: "here" | "above" | "below";
  /** Below the folder; `*` for the first one: any. */
  readonly names: readonly string[];
  /** Whether a text matters. Absent: that the file is there says enough. */
  readonly says?: (text: string) => boolean;
  /** Of the folders above, only those with one of these. */
  readonly beside: readonly string[];
  /** Options with which the files do not count. */
  readonly without: readonly string[];
}

const OBEYS = /^(.*?)(?: beside ([^/]+?))?(?: without ([^/]+))?$/;
const OBEYED_FILES = /^(always )?(?:(here|below) )?(.+?)(?: (if|unless) \/(.+)\/(i?))?$/;

/** `CommandSpec.obeys`. */
export const readObeys = readOnce((text): readonly ObeyedFiles[] =>
  text.split("\n").map((row) => {
    const [, files = "", beside = "", without = ""] = OBEYS.exec(row) ?? [];
    const [, always, where, names = "", when, pattern = "", flags = ""] = OBEYED_FILES.exec(files) ?? [];
    if (names === "" || names.includes(" /")) throw new Error(`\`${row}\` is not understood`);
    if (/\*\S*\*/.test(names)) throw new Error(`\`${row}\` has two stars in a name`);
    if (/\{[^}]*\{/.test(names)) throw new Error(`\`${row}\` has braces within braces`);
    return {
      always: always !== undefined,
      where: where === "here" || where === "below" ? where : "above",
      names: splitWords(names).flatMap(inBraces),
      ...(when === undefined ? {} : { says: (when === "if" ? wordsIn : otherLines)(pattern, flags) }),
      beside: splitWords(beside),
      without: splitWords(without),
    };
  }),
);

function wordsIn(pattern: string, flags: string): (text: string) => boolean {
  const words = new RegExp(pattern, `m${flags}`);
  return (text) => words.test(text);
}

function otherLines(pattern: string, flags: string): (text: string) => boolean {
  const line = new RegExp(`^(?:${pattern})$`, flags);
  return (text) => text.split(/\r\n|\r|\n/).some((one) => one.trim() !== "" && !line.test(one));
}

const splitWords = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

/** `.prettierrc.{json,toml}`. */
function inBraces(name: string): readonly string[] {
  const [, before = "", words, after = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  return words === undefined ? [name] : words.split(",").flatMap((word) => inBraces(before + word + after));
}

function readConsequence(text: string): Consequence {
  const words = text.trim().split(/\s+/);
  const [first = "", second = "", third = ""] = words;
  if (first === "drop" && words.length === 2) return { then: "drop", slot: second };
  if (second === "becomes" && words.length === 3) return { then: "become", from: first, to: readKind(third) };
  if (first === "default" && words.length === 2) return { then: "default", path: second };
  if (first === "output" && words.length === 2 && isIn([...OUTPUTS, "none"] as const, second)) return { then: "output", output: second };
  if (text.trim() === "stop") return { then: "stop" };
  if (text.trim() === "rest") return { then: "rest" };
  return { then: "effect", effect: readEffect(text) };
}

export function readOptionLine(line: string): Option {
  const arrow = line.indexOf("->");
  const head = (arrow < 0 ? line : line.slice(0, arrow)).trim();
  const consequences =
    arrow < 0
      ? []
      : line
          .slice(arrow + 2)
          .split(",")
          .map(readConsequence);
  const match = /^([^=[]+)(?:=(\S+)|\[=(\S+)\])?$/.exec(head);
  if (match === null) throw new Error(`option line \`${line}\` is not understood`);
  const [, names = "", required, optional] = match;
  const list = names.trim().split(/\s+/);
  if (list.some((name) => !/^[-+]/.test(name))) throw new Error(`option line \`${line}\`: a name does not begin with - or +`);
  const [kind, second] = (required ?? optional ?? "text").split("+");
  return {
    names: list,
    argument: required !== undefined ? "required" : optional !== undefined ? "optional" : "none",
    kind: readKind(kind ?? "text"),
    ...(second === undefined ? {} : { second: readKind(second) }),
    consequences,
  };
}

/** `CommandSpec.operands`. */
export const readSlots = (text: string): readonly Slot[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(readSlot);

function readSlot(text: string): Slot {
  const match = /^(?:([a-z-]+):)?([a-z/+#-]+?)([?*+]?)(?:=(\S+))?$/i.exec(text);
  if (match === null) throw new Error(`operand slot \`${text}\` is not understood`);
  const [, name, kind = "", count = "", fallback] = match;
  return {
    name: name ?? kind,
    kind: readKind(kind),
    count: count === "?" ? "optional" : count === "*" ? "any" : count === "+" ? "some" : "one",
    ...(fallback === undefined ? {} : { fallback }),
  };
}

/** Of values that say nothing but text. */
export const INERT_KINDS: ReadonlySet<string> = new Set("text word number only without withoutfile withoutfolder gitkey".split(" "));

/** No option of these rows does more than read and print. */
export const inertOptions = (rows: readonly string[]): boolean => rows.every((row) => isInert(readOptionLine(row)));

/** Nor does any change what is read. */
export const steadyOptions = (rows: readonly string[]): boolean =>
  rows.every((row) => {
    const { kind, consequences } = readOptionLine(row);
    return INERT_KINDS.has(kind.is) && consequences.every(({ then }) => then === "stop" || then === "output");
  });

const isInert = (option: Option): boolean =>
  (INERT_KINDS.has(option.kind.is) ||
    (option.kind.is === "file" && (option.kind.operation === "read" || option.kind.operation === "list"))) &&
  option.consequences.every(
    (c) =>
      c.then === "drop" ||
      c.then === "stop" ||
      c.then === "default" ||
      c.then === "output" ||
      (c.then === "effect" && c.effect.is === "needs") ||
      (c.then === "become" && c.to.is === "file" && (c.to.operation === "read" || c.to.operation === "list")),
  );
