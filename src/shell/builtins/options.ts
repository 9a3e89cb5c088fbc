import { describe } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { mayBegin } from "../paths.ts";
import { holeOf, prefixOf, textOf, type Value } from "../value.ts";
import type { BuiltinCall } from "./index.ts";

/**
 * Options of builtins, as getopt(3) writes them: those of bash (`help NAME` of 5.2), and of zsh where they do no more. Builtins of which
 * no option does more than print are left out, and those that read their words in a way of their own. A leading `±`: `+x` is an option.
 */
const OPTIONS: Readonly<Record<string, string>> = {
  alias: "p",
  builtin: "",
  command: "pVv",
  compgen: "abcdefgjksuvo:A:G:W:F:C:X:P:S:",
  complete: "abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:",
  declare: "±aAfFgilnprtux",
  exec: "cla:",
  export: "±aAfFgilnprtux",
  getopts: "",
  hash: "lrp:dt",
  history: "cd:anrwpsDEfi0123456789",
  jobs: "lnprsxd",
  local: "±aAfFgilnprtux",
  mapfile: "d:n:O:s:tu:C:c:",
  printf: "v:",
  read: "ersa:d:i:n:N:p:t:u:Akq0123456789",
  readarray: "d:n:O:s:tu:C:c:",
  readonly: "±aAfFgilnprtux",
  shopt: "pqsuo",
  trap: "lpP",
  typeset: "±aAfFgilnprtux",
  umask: "pS",
  unset: "fvn",
  wait: "fnp:",
};

export interface GivenOptions {
  /** In order. */
  readonly letters: string;
  /** The last value of each that takes one. */
  readonly values: ReadonlyMap<string, Value>;
  readonly rest: readonly Value[];
  /** Why it is not certain what they are; the word that makes it so is the first of the rest. */
  readonly doubt?: string;
  /** That word came with the environment: whoever started the shell chose it. */
  readonly ambient?: boolean;
}

/** Tells the options of a builtin from its operands, as bash's own getopt does: up to the first operand, or `--`. */
export function readOptions({ cx, state, name, words }: Pick<BuiltinCall, "cx" | "state" | "name" | "words">): GivenOptions {
  let letters = "";
  const values = new Map<string, Value>();
  const spec = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (spec === undefined) return { letters, values, rest: words };
  if (words.length === 1 && textOf(words[0] ?? NONE) === "--help") return { letters, values, rest: [] };
  const signs = spec.startsWith("±") ? "-+" : "-";
  const isWritten = (word: Value): boolean =>
    prefixOf(word) !== "" && signs.includes(prefixOf(word).charAt(0)) && textOf(word)?.length !== 1;
  // Of wait zsh has none, and in bash they are numbers.
  const isNone = (word: Value): boolean =>
    (name === "wait" && holeOf(word)?.jobs === true) || !mayBegin({ cx, places: state.places }, word, signs);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? NONE;
    const [text, prefix, rest] = [textOf(word), prefixOf(word), words.slice(i)];
    const doubted = (doubt: string, ambient = false): GivenOptions => ({ letters, values, rest, doubt, ambient });
    if (text === "--") return { letters, values, rest: words.slice(i + 1) };
    if (!isWritten(word)) {
      // Words of which there may be none leave their place to the next.
      const next = word.many ? rest.find(({ many }) => !many) : undefined;
      if (next !== undefined && isWritten(next) && textOf(next) !== "--")
        return doubted(`${describe(word)} may be no word at all, and what follows it an option of ${name}`);
      if (prefix !== "" || text !== undefined || isNone(word)) return { letters, values, rest };
      return doubted(`${describe(word)} may turn out to be an option of ${name}`, holeOf(word)?.ambient === true);
    }
    if (word.many) return doubted(`the options after \`${prefix}\` are only known at run time`);
    let at = 1;
    for (; at < prefix.length; at++) {
      const letter = prefix.charAt(at);
      const found = letter === ":" ? -1 : spec.indexOf(letter, signs.length - 1);
      if (found < 0) return doubted(`${name} has no known option \`-${letter}\``);
      letters += letter;
      if (spec.charAt(found + 1) !== ":") continue;
      const attached = at + 1 < prefix.length || word.atoms.length > 1;
      const value = attached ? dropPrefix(word, at + 1) : words[++i];
      if (value !== undefined) values.set(letter, value);
      const hole = value?.many === true ? holeOf(value) : undefined;
      if (value?.many === true && hole?.ambient !== true && hole?.number !== true)
        return doubted(`the value of ${name} -${letter} may become several words`);
      break;
    }
    if (at >= prefix.length && text === undefined) return doubted(`the options after \`${prefix}\` are only known at run time`);
  }
  return { letters, values, rest: [] };
}

const NONE: Value = { atoms: [], many: false };
