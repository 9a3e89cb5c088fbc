import { shellQuoted } from "../../data/index.ts";
import { HOME } from "./finding.ts";
import { FUNCTIONS } from "./library-names.ts";

/** What is known of the values in a program, and what becomes of them when they are put together. */

/** Values one variable is followed with. */
export const MOST_VALUES = 16;

export type KnownValue =
  | { readonly is: "text"; readonly text: string }
  /** An object that stands for a path (pathlib, Pathname). */
  | { readonly is: "path"; readonly text: string }
  | { readonly is: "glob"; readonly text: string }
  | { readonly is: "number"; readonly text: string }
  | { readonly is: "list"; readonly items: readonly KnownValue[] }
  | { readonly is: "object"; readonly fields: ReadonlyMap<string, KnownValue>; readonly raw: string }
  /** A module, a class or a function by its full name. */
  | { readonly is: "name"; readonly name: string }
  | { readonly is: "method"; readonly of: KnownValue; readonly name: string }
  | { readonly is: "bound"; readonly to: KnownValue; readonly args: readonly KnownValue[] }
  /** One of several. */
  | { readonly is: "any"; readonly of: readonly KnownValue[] }
  | { readonly is: "unknown" };

export interface CallArguments {
  readonly all: readonly KnownValue[];
  readonly named: ReadonlyMap<string, KnownValue>;
}

export interface ReadValue {
  readonly value: KnownValue;
  readonly end: number;
}

export const UNKNOWN: KnownValue = { is: "unknown" };
export const text = (value: string): KnownValue => ({ is: "text", text: value });
export const NO_NAMES: ReadonlyMap<string, KnownValue> = new Map();

/** `child_process`, `fs`, … by whichever name they are asked for. */
export const moduleName = (given: string): string =>
  given.replace(/^node:/, "").replace(/^(?:fs\/promises|graceful-fs|original-fs)$/, "fs");

/** What fs-extra has of fs goes by the same names. */
export const fileModule = (name: string): string => (FUNCTIONS.javascript.has(name) ? name : name.replace(/^(?:fs-extra|fse)\./, "fs."));

export const alternatives = (value: KnownValue): readonly KnownValue[] => (value.is === "any" ? value.of.flatMap(alternatives) : [value]);

/** Every text that a value may be. */
export function texts(value: KnownValue): readonly string[] {
  return alternatives(value).flatMap((one) =>
    one.is === "text" || one.is === "path" ? [one.text] : one.is === "list" ? one.items.flatMap(texts) : [],
  );
}

export const asPath = (value: KnownValue): KnownValue =>
  value.is === "any"
    ? { is: "any", of: value.of.map(asPath) }
    : value.is === "text" || value.is === "path"
      ? { is: "path", text: value.text }
      : value.is === "glob"
        ? value
        : UNKNOWN;

/** Two texts one after the other; with `/` between them an absolute second one stands alone. */
export function joined(a: KnownValue, b: KnownValue, between: string): KnownValue {
  if (a.is === "any" || b.is === "any") {
    const of = alternatives(a).flatMap((one) => alternatives(b).map((two) => joined(one, two, between)));
    return { is: "any", of: of.slice(0, MOST_VALUES) };
  }
  if (a.is === "list" && b.is === "list" && between === "") return { is: "list", items: [...a.items, ...b.items] };
  const [left, right] = [plainText(a), plainText(b)];
  if (left === undefined || right === undefined) {
    // `"*.txt"` below a folder, or a text beside something that only exists at run time.
    return UNKNOWN;
  }
  const path = between === "/" && (right.startsWith("/") || right.startsWith(HOME)) ? right : `${left}${between}${right}`;
  return a.is === "path" || (b.is === "path" && between === "/")
    ? { is: "path", text: path }
    : a.is === "glob" || b.is === "glob"
      ? { is: "glob", text: path }
      : text(path);
}

export const plainText = (value: KnownValue): string | undefined =>
  value.is === "text" || value.is === "path" || value.is === "number" || value.is === "glob" ? value.text : undefined;

export const home = (value: KnownValue | undefined): KnownValue => {
  const [given] = value === undefined ? [] : texts(value);
  return given === undefined ? UNKNOWN : text(given.replace(/^~(?=\/|$)/, () => HOME));
};

/** `"%s/x" % "a"`, `"{}/x".format("a")`, where all that is put in is known. */
export function fill(pattern: string, values: readonly KnownValue[]): KnownValue {
  let at = 0;
  let whole = true;
  const filled = pattern.replace(/%s|\{\d*\}/g, () => {
    const value = values[at++];
    const given = value === undefined ? undefined : plainText(value);
    whole &&= given !== undefined;
    return given ?? "";
  });
  return whole ? text(filled) : UNKNOWN;
}

const NAMES: readonly (readonly string[])[] = [
  ["path", "file", "filename", "name", "src", "args", "cmd", "command", "target", "url", "database", "root", "format"],
  ["dst", "mode", "flag", "to"],
  ["root_dir"],
];

export const namedArgument = ({ named }: CallArguments, index: number): KnownValue =>
  (NAMES[index] ?? []).map((name) => named.get(name)).find((value) => value !== undefined) ?? UNKNOWN;

/** `{ recursive: true }`; options that are not written here may say so. */
export const isRecursive = ({ all }: CallArguments): boolean =>
  all.slice(1).some((value) => (value.is === "object" ? /recursive:(?:true|!0|1)/.test(value.raw) : value.is === "unknown"));

export const folderOf = ({ all, named }: CallArguments): string | undefined => {
  const given = named.get("cwd") ?? named.get("chdir") ?? all.find((value) => value.is === "object" && value.fields.has("cwd"));
  const value = given?.is === "object" ? given.fields.get("cwd") : given;
  return value === undefined ? undefined : texts(value)[0];
};

export const numberOf = (value: KnownValue): string | undefined =>
  value.is === "number" || value.is === "text"
    ? value.text
    : value.is === "name"
      ? /(?:^|\.)SIG([A-Z0-9]+)$/.exec(value.name)?.[1]
      : undefined;

export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : word
        .split(HOME)
        .map((part) => (part === "" ? "" : shellQuoted(part)))
        .join(HOME);
