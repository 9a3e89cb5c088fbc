import { quotedEnd, unquote } from "./quoted-name.ts";

/** The name on a `---` or `+++` line. */
export type Named = { readonly is: "file"; readonly name: string } | { readonly is: "nothing" };

/**
 * The name that a line carries; undefined where its quotes are wrong. A tab ends it (a time follows). `a/` and `b/` are
 * git's and are taken away when both sides have them.
 */
export function nameOn(written: string, other?: string, prefixed = true): Named | undefined {
  const name = plain(written);
  if (name === undefined) return undefined;
  if (name === "/dev/null") return { is: "nothing" };
  const opposite = other === undefined ? undefined : plain(other);
  const both = prefixed && hasPrefix(name) && (opposite === "/dev/null" || (opposite !== undefined && hasPrefix(opposite)));
  return { is: "file", name: both ? name.slice(2) : name };
}

/** `a/`, `b/`, and those of `diff.mnemonicPrefix`. */
const hasPrefix = (name: string): boolean => /^[abciow]\//.test(name);

function plain(written: string): string | undefined {
  if (!written.startsWith('"')) return written.split("\t")[0]?.replace(/ +$/, "");
  const end = quotedEnd(written);
  if (end === undefined || !/^(?:\t.*|\s*)$/.test(written.slice(end))) return undefined;
  return unquote(written.slice(0, end));
}

/**
 * The names of a `diff --git` line, where they can be told: blanks are not quoted, so two plain names can be told apart
 * only when they are the same but for the prefix. Empty: other headers have to name the file.
 */
export function gitNames(rest: string): readonly string[] {
  if (rest.startsWith('"')) {
    const end = quotedEnd(rest);
    const first = end === undefined ? undefined : unquote(rest.slice(0, end));
    const second = end === undefined ? undefined : rest.slice(end + 1);
    if (first === undefined || second === undefined) return [];
    const other = second.startsWith('"') ? unquote(second) : second;
    return other === undefined ? [] : strip(first, other);
  }
  const quote = rest.indexOf(' "');
  if (quote >= 0) {
    const other = unquote(rest.slice(quote + 1));
    return other === undefined ? [] : strip(rest.slice(0, quote), other);
  }
  const half = (rest.length - 1) / 2;
  if (!Number.isInteger(half) || rest[half] !== " ") return [];
  const [first, second] = [rest.slice(0, half), rest.slice(half + 1)];
  if (first !== second && !(hasPrefix(first) && hasPrefix(second) && first.slice(2) === second.slice(2))) return [];
  return strip(first, second);
}

function strip(first: string, second: string): readonly string[] {
  const both = hasPrefix(first) && hasPrefix(second);
  return [...new Set(both ? [first.slice(2), second.slice(2)] : [first, second])];
}
