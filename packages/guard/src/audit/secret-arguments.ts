import { SECRETS } from "#knowledge/secrets";
import { baseName } from "@assent/core/path";
import { isSecretName } from "./secret-names.ts";

type SecretInput = "all" | "manifest" | "login" | "named";

interface SecretEntry {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** Operands that are secrets, from 1. */
  readonly operands: ReadonlySet<number>;
  readonly operandsFrom: number;
  /** An operand behind which the secret stands. */
  readonly behind: ReadonlySet<string>;
  readonly pairs: boolean;
  readonly keys: boolean;
  /** An operand cut at this sign: `user/secret`. */
  readonly operandSign: string | undefined;
  /** Of what is piped in; `manifest`: where it says so (`kind: Secret`), `login`: words of a protocol, `named`: for a name that does. */
  readonly input: SecretInput | undefined;
  /** The input counts only with one of these. */
  readonly inputOptions: readonly string[];
  /** Letters without a value that may stand in one word before an option: `-su me:secret`. */
  readonly cluster: string | undefined;
}

const read = new Map<string, readonly SecretEntry[] | undefined>();

/** Only the rows that name the program are read: a process that logs one line needs few of them. */
function entriesOf(program: string): readonly SecretEntry[] | undefined {
  if (!read.has(program))
    read.set(program, /^[\w.-]+$/.test(program) && SECRETS.includes(` ${program} `) ? readEntries(program) : undefined);
  return read.get(program);
}

function readEntries(program: string): readonly SecretEntry[] | undefined {
  const rows = SECRETS.split("\n").map((row) => row.split("\t"));
  const own = rows.flatMap(([names = "", row = ""]) => (names.includes(` ${program} `) ? [row] : []));
  if (own.length === 0) return undefined;
  return own.flatMap((row) => {
    const [, subcommands = "", what = ""] = /^(?:(.+?) -> )?(.+)$/.exec(row) ?? [];
    return subcommands.split(" | ").map((words) => entry(words === "" ? [] : words.split(" "), what.split(" ")));
  });
}

function entry(words: readonly string[], what: readonly string[]): SecretEntry {
  const options = new Map<string, string>();
  const operands = new Set<number>();
  const behind = new Set<string>();
  let operandsFrom = Infinity;
  let operandSign: string | undefined;
  let input: SecretEntry["input"];
  let cluster: string | undefined;
  const inputOptions: string[] = [];
  for (const one of what) {
    const number = /^#(\d+)(\+|\/)?$/.exec(one);
    if (one === "<") input = "all";
    else if (one === "<secret") input = "manifest";
    else if (one === "<login") input = "login";
    else if (one === "<named") input = "named";
    else if (/^-.*<$/.test(one)) {
      input = "all";
      inputOptions.push(one.slice(0, -1));
    } else if (one.startsWith("~")) cluster = one.slice(1);
    else if (number?.[2] === "+") operandsFrom = Number(number[1]);
    else if (number !== null) {
      operands.add(Number(number[1]));
      if (number[2] === "/") operandSign = "/";
    } else if (one.startsWith("#")) behind.add(one.slice(1));
    else if (/^[-/]/.test(one)) {
      const [, name = one, sign = ""] = /^(.*?)([:;%,/=~.!+]|>\d?)?$/.exec(one) ?? [];
      options.set(name, sign);
    }
  }
  return {
    words,
    options,
    operands,
    operandsFrom,
    behind,
    operandSign,
    input,
    inputOptions,
    cluster,
    pairs: what.includes("k=v"),
    keys: what.includes("key"),
  };
}

export interface Word {
  /** Without quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What of a text is a secret: from where to where. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

interface CommandWords {
  readonly words: Word[];
  /** It is read from by the next one. */
  piped: boolean;
  /** Its output is an argument or the input of the one before: `<(…)`. */
  feeds: boolean;
  readonly input: Word[];
  /** Files it is written to. */
  readonly into: string[];
}

/** Of one command: wrappers stand in front of it, and its words may be names of others. */
const MOST_PROGRAMS = 8;
/** Quotes in quotes: `ssh h 'bash -c "…"'`. */
const DEEPEST = 3;

/** Secrets among the arguments and the input of the commands of a text. Linear in its length. */
export function secretArguments(text: string, depth = 0): readonly Cut[] {
  const commands = commandsIn(text);
  const cuts: Cut[] = [];
  for (const [at, command] of commands.entries()) {
    let programs = 0;
    for (let from = 0; from < command.words.length && programs < MOST_PROGRAMS; from++) {
      const entries = entriesOf(baseName(command.words[from]?.text ?? ""));
      if (entries === undefined) continue;
      programs += 1;
      const args = command.words.slice(from + 1);
      for (const one of entries) {
        if (!hasWords(one, args)) continue;
        cuts.push(...cutsIn(one, args, text));
        if (one.input !== undefined && (one.inputOptions.length === 0 || args.some((word) => hasOption(one, word))))
          cuts.push(...inputOf(commands, at, one.input, text));
      }
    }
    if (programs === 0) cuts.push(...loginOf(command, text));
    cuts.push(...formatOf(command, text), ...keptIn(commands, at, text));
    // A shell, another machine or a container may be told it.
    if (depth < DEEPEST) for (const word of [...command.words, ...command.input]) cuts.push(...withinQuotes(word, text, depth));
  }
  return cuts;
}

const hasOption = ({ inputOptions, cluster = "" }: SecretEntry, { text }: Word): boolean =>
  inputOptions.some((option) => {
    if (text.startsWith(option)) return true;
    const letters = /^-([A-Za-z]+)$/.exec(text)?.[1] ?? "";
    return (
      option.length === 2 &&
      letters.endsWith(option.slice(1)) &&
      Array.from(letters.slice(0, -1)).every((letter) => cluster.includes(letter))
    );
  });

function withinQuotes({ start, end }: Word, text: string, depth: number): readonly Cut[] {
  const raw = text.slice(start, end);
  const quoted = /^(["'])[^]*\1$/.test(raw) && raw.length > 2;
  if (!/\s/.test(raw) || (!quoted && !raw.includes("\n"))) return [];
  const shift = start + (quoted ? 1 : 0);
  return secretArguments(quoted ? raw.slice(1, -1) : raw, depth + 1).map((cut) => ({ start: cut.start + shift, end: cut.end + shift }));
}

const USER = /^(?:-x?u|-U|--user(?:name)?|--login)$/;
const PASSWORD = /^-(?:x?p|P|pw)$/;
/** Ports, ids, places and variables. */
const NO_PASSWORD = /^(?:[-./~$]|[\d:.,]+(?:\/\w+)?$|(?:emerg|alert|crit|err|warning|notice|info|debug)$)/;

/** `-u name -p secret`, side by side, of programs that the table does not know. */
function loginOf({ words }: CommandWords, text: string): readonly Cut[] {
  return words.flatMap((word, at) => {
    if (!PASSWORD.test(word.text)) return [];
    const isUser = (option: number): boolean => USER.test(words[option]?.text ?? "") && !/^(?:-|$)/.test(words[option + 1]?.text ?? "");
    const value = words[at + 1];
    if (value === undefined || NO_PASSWORD.test(value.text) || !(isUser(at - 2) || isUser(at + 2))) return [];
    return cutValue(value, 0, "", text);
  });
}

/** `printf 'API_KEY=%s' secret`. */
function formatOf({ words }: CommandWords, text: string): readonly Cut[] {
  const at = words.findIndex((word) => baseName(word.text) === "printf");
  const format = at === -1 ? -1 : words.findIndex((word, place) => place > at && !word.text.startsWith("-"));
  const named = [...(words[format]?.text.matchAll(/([A-Za-z_][\w.-]{0,100})["']?[ \t]{0,4}[=:][ \t]{0,4}["']?%/g) ?? [])];
  return named.some(([, name = ""]) => isSecretName(name)) ? words.slice(format + 1).flatMap((word) => cutValue(word, 0, "", text)) : [];
}

/** Files that hold nothing but secrets. */
const SECRET_FILE = new RegExp(
  String.raw`^(?:\.(?:pgpass|netrc|git-credentials|vault-token|my\.cnf)|_netrc|(?:[\w.-]{0,100}[._-])?(?:secret|token|password|` +
    String.raw`passwd|passphrase|passcode|psk|credential)s?(?:\.txt)?)$`,
  "i",
);

/** What is written into such a file: by `echo`, from a here-document, through `tee`. */
function keptIn(commands: readonly CommandWords[], at: number, text: string): readonly Cut[] {
  const command = commands[at];
  if (command === undefined) return [];
  if (command.into.some((file) => SECRET_FILE.test(baseName(file))))
    return [...wordsOf(command), ...command.input].flatMap((word) => cutValue(word, 0, "", text));
  const tee = command.words.findIndex((word) => baseName(word.text) === "tee");
  const into = tee === -1 ? [] : command.words.slice(tee + 1);
  return into.some((word) => SECRET_FILE.test(baseName(word.text))) ? inputOf(commands, at, "all", text) : [];
}

/** What `echo` and `printf` say. */
function wordsOf({ words }: CommandWords): readonly Word[] {
  const program = words.findIndex((word) => ["echo", "printf", "print"].includes(baseName(word.text)));
  return program === -1 ? [] : words.slice(program + 1).filter(({ text }) => !/^-[a-zA-Z]*$|^%s(?:\\n)?$/.test(text));
}

/** Subcommands stand in order, options between them. */
function hasWords({ words }: SecretEntry, args: readonly Word[]): boolean {
  let next = 0;
  for (const { text } of args) if (next < words.length && text === words[next]) next += 1;
  return next === words.length;
}

function cutsIn(one: SecretEntry, args: readonly Word[], text: string): readonly Cut[] {
  const cuts: Cut[] = [];
  let operand = -one.words.length + 1;
  let next = 0;
  let shift = 0;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) continue;
    const option = optionOf(one, word);
    if (option !== undefined) {
      const { sign, attached } = option;
      if (sign.startsWith(">")) shift = 0;
      else if (attached !== undefined) cuts.push(...cutValue(word, attached, sign, text));
      else if (sign !== "!" && sign !== ".") {
        const value = args[at + 1];
        if (value !== undefined) cuts.push(...cutValue(value, 0, sign, text));
        at += 1;
      } else if (sign === ".") at += 1;
      continue;
    }
    if (/^-./.test(word.text)) continue;
    if (next < one.words.length && word.text === one.words[next]) {
      next += 1;
      operand += 1;
      continue;
    }
    const place = operand + shift;
    operand += 1;
    const previous = args[at - 1]?.text ?? "";
    if (one.operands.has(place) || place >= one.operandsFrom) cuts.push(...cutValue(word, 0, one.operandSign ?? "", text));
    else if (one.pairs && word.text.includes("=") && !word.text.endsWith("=-"))
      cuts.push(...cutValue(word, word.text.indexOf("=") + 1, "", text));
    else if (one.behind.has(previous)) cuts.push(...cutValue(word, 0, "", text));
    else if (one.keys && isSecretKey(previous)) cuts.push(...cutValue(word, 0, "", text));
  }
  return cuts;
}

/** `//registry/:_authToken`, `aws_secret_access_key`, `http-basic.host`, `pypi-token.pypi`. */
const isSecretKey = (key: string): boolean =>
  isSecretName(key.slice(key.lastIndexOf(":") + 1)) ||
  /(?:^|[.-])(?:oauth|token|http-basic|pypi-token|bearer|signingkey-pass)\b/i.test(key);

function optionOf(one: SecretEntry, { text }: Word): { readonly sign: string; readonly attached?: number } | undefined {
  const whole = one.options.get(text);
  if (whole !== undefined) return { sign: whole };
  if (!/^[-/]/.test(text)) return undefined;
  const equals = text.search(/[=:]/);
  if (equals > 0 && (text[equals] === "=" || text.startsWith("/"))) {
    const sign = one.options.get(text.slice(0, equals));
    if (sign !== undefined) return { sign, attached: equals + 1 };
  }
  for (const [name, sign] of one.options)
    if (/^-(?:[A-Za-z]|hp)$/.test(name) && text.startsWith(name) && text.length > name.length && sign !== "." && sign !== "+")
      return { sign, attached: name.length };
  return one.cluster === undefined ? undefined : clusteredOption(one, one.cluster, text);
}

/** `-su`, `-sume:secret`: an option behind letters that take no value. */
function clusteredOption(one: SecretEntry, cluster: string, text: string): ReturnType<typeof optionOf> {
  if (!/^-\w/.test(text)) return undefined;
  let at = 1;
  while (cluster.includes(text[at] ?? " ")) at += 1;
  const sign = at === 1 ? undefined : one.options.get(`-${text[at] ?? ""}`);
  return sign === undefined ? undefined : at + 1 === text.length ? { sign } : { sign, attached: at + 1 };
}

function cutValue(word: Word, from: number, sign: string, text: string): readonly Cut[] {
  const value = word.text.slice(from);
  if (value === "" || value === "-" || value.startsWith("@") || /^\[redacted\]?$/.test(value)) return [];
  let keep = from;
  if (/^[:;%,/]$/.test(sign)) {
    const at = value.indexOf(sign === ";" ? ":" : sign);
    if (at === -1 ? sign !== ";" : value.startsWith("://", at)) return [];
    keep += at + 1;
  } else if (sign === "=" || sign === "~") {
    const at = value.indexOf("=");
    if (at === -1) return [];
    if (sign === "=") keep += at + 1;
  }
  const raw = text.slice(word.start, word.end);
  const kept = word.text.slice(0, keep);
  // Quotes in what is kept: then nothing is.
  const found = kept === "" ? 0 : raw.indexOf(kept);
  return [{ start: found === -1 ? word.start : word.start + found + kept.length, end: word.end }];
}

/** What is piped into a command: words of `echo` and `printf`, here-strings and here-documents, of what `cat` hands on too. */
function inputOf(commands: readonly CommandWords[], at: number, kind: SecretInput, text: string): readonly Cut[] {
  const words: Word[] = [...(commands[at]?.input ?? [])];
  for (let after = at + 1; commands[after]?.feeds === true; after++) words.push(...wordsOf(commands[after] ?? BLANK));
  for (let before = at - 1; before >= 0 && commands[before]?.piped === true; before--) {
    const command = commands[before] ?? BLANK;
    words.push(...command.input, ...wordsOf(command));
  }
  if (kind === "named" && commands[at]?.words.some(({ text: name }) => isSecretName(name)) !== true) return [];
  const says =
    kind === "manifest" ? /kind: *"?Secret|"kind": *"Secret"/ : kind === "login" ? /(?<![A-Z_-])(?:AUTH|PASS|LOGIN) +\S/ : undefined;
  const secret = says === undefined ? words : words.filter((word) => says.test(word.text));
  const isSaid = ({ text: value, start }: Word): boolean => value !== "" && (!value.startsWith("$") || /['"]/.test(text[start + 1] ?? ""));
  return secret.flatMap((word) => (isSaid(word) ? cutValue(word, 0, "", text) : []));
}

const BLANK: CommandWords = { words: [], piped: false, feeds: false, input: [], into: [] };
const newCommand = (feeds = false): CommandWords => ({ words: [], piped: false, feeds, input: [], into: [] });

/** Simple words and where they stand; what a shell would make of them does not matter. */
function commandsIn(text: string): CommandWords[] {
  const commands: CommandWords[] = [newCommand()];
  const documents: { readonly end: string; readonly command: CommandWords }[] = [];
  let at = 0;
  const last = (): CommandWords => commands.at(-1) ?? newCommand();
  const next = (piped: boolean, feeds = false): void => {
    last().piped = piped;
    commands.push(newCommand(feeds));
  };
  while (at < text.length) {
    const sign = text[at] ?? "";
    if (sign === "\n") {
      at += 1;
      for (const { end, command } of documents.splice(0)) at = readDocument(text, at, end, command);
      next(false);
    } else if (/\s/.test(sign)) at += 1;
    else if (sign === "|") {
      const or = text[at + 1] === "|";
      next(!or);
      at += or || text[at + 1] === "&" ? 2 : 1;
    } else if (sign === ">" || (sign === "&" && text[at + 1] === ">")) {
      while (/[>|&]/.test(text[at] ?? "")) at += 1;
      const word = readWord(text, skipBlanks(text, at));
      if (word.text !== "") last().into.push(word.text);
      at = Math.max(word.end, at);
    } else if (text.startsWith("<(", at)) {
      next(false, true);
      at += 2;
    } else if (sign === "<" && text[at + 1] !== "<") {
      at = Math.max(readWord(text, skipBlanks(text, at + 1)).end, at + 1);
    } else if (/[;&(){}`]/.test(sign)) {
      next(false);
      at += 1;
    } else if (text.startsWith("<<<", at)) {
      const word = readWord(text, skipBlanks(text, at + 3));
      last().input.push(word);
      at = Math.max(word.end, at + 3);
    } else if (text.startsWith("<<", at)) {
      const word = readWord(text, skipBlanks(text, text[at + 2] === "-" ? at + 3 : at + 2));
      documents.push({ end: word.text, command: last() });
      at = Math.max(word.end, at + 2);
    } else {
      const word = readWord(text, at);
      if (word.end === at) at += 1;
      else {
        last().words.push(word);
        at = word.end;
      }
    }
  }
  return commands;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

function readDocument(text: string, from: number, end: string, command: CommandWords): number {
  let at = from;
  while (at < text.length) {
    const stop = text.indexOf("\n", at);
    const line = text.slice(at, stop === -1 ? text.length : stop);
    const next = stop === -1 ? text.length : stop + 1;
    if (line.trim() === end) {
      if (at > from) command.input.push({ text: text.slice(from, at - 1), start: from, end: at - 1 });
      return next;
    }
    at = next;
  }
  if (at > from) command.input.push({ text: text.slice(from), start: from, end: text.length });
  return at;
}

const BREAKS = /[\s|;&()<>`]/;

function readWord(text: string, from: number): Word {
  let out = "";
  let at = from;
  while (at < text.length && !BREAKS.test(text[at] ?? "")) {
    const sign = text[at] ?? "";
    if (sign === "\\") {
      out += text[at + 1] ?? "";
      at += 2;
    } else if (sign === "'" || sign === '"') {
      const close = closing(text, at, sign);
      out += text.slice(at + 1, close);
      at = close + 1;
    } else {
      out += sign;
      at += 1;
    }
  }
  return { text: out, start: from, end: Math.min(at, text.length) };
}

function closing(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** The cuts of a list of arguments, by its words. */
export function secretWords(words: readonly string[]): readonly string[] {
  const texts = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "’")}'`));
  const joined = texts.join(" ");
  const cuts = secretArguments(joined);
  let at = 0;
  return words.map((word, i) => {
    const start = at;
    const end = start + (texts[i]?.length ?? 0);
    at = end + 1;
    const cut = Math.min(...cuts.map((one) => one.start).filter((one) => one >= start && one < end));
    return cut === Infinity ? word : `${joined.slice(start, cut).replace(/^'/, "")}[redacted]`;
  });
}
