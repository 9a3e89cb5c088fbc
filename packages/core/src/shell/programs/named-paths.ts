import { attempt } from "../../data/index.ts";
import type { NamedPath } from "../../action/index.ts";
import { normaliseHost, possibleHosts } from "../../pattern/index.ts";
import { reachOfHost } from "../../policy/index.ts";
import type { Context } from "../words/context.ts";
import { targetsOf } from "../words/paths.ts";
import type { ShellPlace } from "../words/state.ts";
import { isGlob, isHole, isWildcard, literal, prefixOf, textOf, type Stream, type Value } from "../words/value.ts";

/**
 * What the words of a command could mean as paths, where nobody says what the program does with them: the words themselves,
 * values written into them (`--opt=PATH`, `-fPATH`, `@PATH`, `file:PATH`, `NAME=PATH`, `a:b`, `{PATH}`) and texts inside
 * code. Judging compares them with secrets and with what is written (`policy/named-paths.ts`), and only ever narrows by it.
 */

/** More of them in one command are not compared: a person is asked. */
const MOST_NAMED = 4000;
/** Longer words are not looked through. */
const LONGEST_WORD = 65_536;
/** What stands in front of a value, or around it. */
const DELIMITERS = /[\s'"`(){}[\]<>,;=:@|&]+/;
/** Addresses of other machines, and files of other machines as scp and rsync write them. */
const ELSEWHERE =
  /\b(?:https?|wss?|ftps?|sftp|ssh|git|s3|gs|oci|docker|postgres(?:ql)?|mysql|rediss?|mongodb(?:\+srv)?|amqps?):\/\/[^\s'"`<>]*/gi;
const REMOTE_FILE = /^(?:--?[\w-]+=)?[\w.-]+@[\w.-]+:/;
/** Options that name what is written. */
const OUTPUT =
  /^(?:-[oO]|-{0,2}(?:of|out(?:file|dir|put)?(?:[-_]?(?:file|dir|path|folder|to))?|dest(?:ination)?|save(?:[-_](?:to|as))?|write[-_]to|log[-_]?file))$/i;
/** Options that name what is left out. */
const LEAVES_OUT = /^--(?:exclude|exclude-dir|ignore|ignore-pattern|skip)(?:=|$)/;

/** The texts in a word that could be paths. */
export function pathTexts(word: string): readonly { readonly text: string; readonly part: boolean }[] {
  if (word === "" || word.length > LONGEST_WORD || REMOTE_FILE.test(word)) return [];
  const text = word.replace(ELSEWHERE, " ");
  const isText = /\s/.test(text.trim());
  const found = new Map<string, boolean>();
  const add = (part: string, cut: boolean): void => {
    const tidy = part.replace(/^file(?:b)?:(?:\/\/(?:localhost(?=\/))?)?/i, "");
    if (tidy !== "" && tidy !== "." && tidy !== "-") found.set(tidy, (found.get(tidy) ?? true) && cut);
  };
  add(text, isText);
  if (text.startsWith("-")) {
    // `-fPATH`, `-xfPATH`: where the value begins is not known.
    const short = /^-[^-]/.test(text) ? text.slice(2).replace(/^=/, "") : "";
    add(short, isText);
    add(short.replace(/^[A-Za-z]*(?=[~./])/, ""), isText);
  }
  for (let at = 0, count = 0; at < text.length && count < 32; at += 1) {
    if (!/[=:@,]/.test(text.charAt(at))) continue;
    add(text.slice(at + 1), isText);
    count += 1;
  }
  for (const piece of text.split(DELIMITERS)) if (!isText || /[./]|^id_/.test(piece)) add(piece, isText);
  // Escapes of URLs, and paths written into strings of code.
  if (/%[0-9a-f]{2}/i.test(text) && !isText) add(decoded(text.replace(/^[^/]*:\/\//, "")), false);
  // The shortest first: it is what a person is told.
  return [...found].map(([path, part]) => ({ text: path, part })).toSorted((a, b) => a.text.length - b.text.length);
}

function decoded(text: string): string {
  return attempt(() => decodeURIComponent(text), "");
}

/** Adds what these words could name to the command at `exec`. */
export function nameWords(cx: Context, exec: number, words: readonly Value[], places: readonly ShellPlace[]): void {
  const action = cx.actions[exec];
  // Of a tool that is tried only its dangers are kept.
  if (words.length === 0 || cx.triesTool || action?.kind !== "exec") return;
  // A folder that is only known at run time: a name that is secret wherever it lies is found all the same.
  const known = places.map((place): ShellPlace =>
    place.is === "unknown" ? { is: "at", path: cx.world.cwd } : { is: "at", path: place.path },
  );
  const named: NamedPath[] = [...(action.named ?? [])];
  const seen = new Set(named.map((one) => JSON.stringify(one)));
  let written = false;
  const add = (value: Value, word: string, part: boolean): void => {
    for (const target of targetsOf(value, known)) {
      const one: NamedPath = { target, word, ...(part ? { part } : {}), ...(written && !part ? { written } : {}) };
      const key = JSON.stringify(one);
      if (!seen.has(key)) named.push(one);
      seen.add(key);
    }
  };
  const looked = new Set<string>();
  const addText = (text: string, folder = ""): void => {
    const key = `${written ? ">" : ""}${folder}\0${text}`;
    if (looked.has(key)) return;
    looked.add(key);
    for (const { text: path, part } of pathTexts(text))
      add(literal(fromHome(path, cx.world.home)), `${folder}${path}`, part || folder !== "");
  };
  const connectsTo = (text: string): void => {
    for (const host of metadataIn(text))
      cx.add({ kind: "net", operation: "connect", host, port: undefined, origin: { by: "command", exec } });
  };
  for (const [at, word] of words.entries()) {
    const text = textOf(word);
    const before = words[at - 1];
    const option = textOf(before ?? literal("")) ?? "";
    written =
      (option.startsWith("-") && OUTPUT.test(option)) || OUTPUT.test(/^(?:-[oO](?=[~./])|[\w-]+(?==))/.exec(prefixOf(word))?.[0] ?? "");
    if (before !== undefined && LEAVES_OUT.test(textOf(before) ?? "") && !textOf(before)?.includes("=")) continue;
    if (text !== undefined) {
      connectsTo(text);
      if (!LEAVES_OUT.test(text)) addText(text);
      continue;
    }
    // Brackets of an address are a pattern to the shell, which leaves it as it is where no file matches.
    if (isGlob(word)) connectsTo(word.atoms.map((atom) => (typeof atom === "string" ? atom : isWildcard(atom) ? atom.glob : "")).join(""));
    if (word.atoms.some(isWildcard) && !word.atoms.some(isHole)) add(afterDelimiter(word), "", false);
    // Around what is only known at run time: `--key=$DIR/id_rsa`, `~/.ssh/$NAME`.
    for (const [i, atom] of word.atoms.entries()) {
      if (typeof atom !== "string") continue;
      const next = word.atoms[i + 1];
      const folder = next !== undefined && isHole(next) ? atom.slice(0, atom.lastIndexOf("/") + 1) : "";
      if (i === 0) addText(folder === "" ? atom : folder);
      else if (i > 0 && next === undefined) addText(atom.replace(/^\/+/, ""), "…/");
    }
  }
  if (named.length > MOST_NAMED) cx.unknown("the command has too many words to compare with what is protected");
  if (named.length > 0) cx.actions[exec] = { ...action, named: named.slice(0, MOST_NAMED) };
}

/** Who holds the keys of a cloud's machine, whatever program is told the address: `mytool http://169.254.169.254/`, `--host=metadata.google.internal`. */
function metadataIn(word: string): readonly string[] {
  if (word.length > LONGEST_WORD || !/[.:]/.test(word)) return [];
  const addresses = [...word.matchAll(/\bhttps?:[\\/]+[^\s'"`<>]*/gi)].flatMap(([url]) => possibleHosts(url));
  // Attached to an option, or behind somebody's name: `-h169.254.169.254`, `root@169.254.169.254:x`.
  const numbers = [...word.matchAll(/(?<![\d.])(?:\d+\.){3}\d+(?![\d.])/g)].map(([host]) => host);
  const name = word.replace(/^--?[\w-]+=|^[^@/]+@/, "").replace(/[:/].*$/, "");
  const hosts = [...addresses, ...(/\s/.test(word) ? [] : [name, ...numbers])];
  return [...new Set(hosts.map((host) => normaliseHost(host) ?? ""))].filter((host) => host !== "" && reachOfHost(host) === "metadata");
}

/** `--opt=~/.ssh/*` and `@*.pem`: the pattern itself. */
function afterDelimiter(word: Value): Value {
  const [first, ...rest] = word.atoms;
  if (typeof first !== "string") return word;
  const cut = /^(?:--?[\w-]+=|@|[\w-]+=)/.exec(first)?.[0].length ?? 0;
  const kept = first.slice(cut);
  return cut === 0 ? word : { ...word, atoms: kept === "" ? rest : [kept, ...rest] };
}

/** What programs do themselves with a `~`, and code with variables of the environment. */
const fromHome = (text: string, home: string): string =>
  text.replace(/^(?:~|\$HOME|\$\{HOME\}|%HOME%|\$\{?env:HOME\}?)(?=\/|$)/, () => home);

/** The lines of a known text that a program reads, as words: lists of files. */
export function linesOf(stream: Stream): readonly Value[] {
  if (stream.is === "paths") return stream.values;
  const text = stream.is === "text" ? textOf(stream.value) : undefined;
  return text === undefined || text.length > LONGEST_WORD
    ? []
    : text
        .split(/[\n\0]/)
        .map((line) => line.trim())
        .filter((line) => line !== "" && !/\s/.test(line))
        .map(literal);
}
