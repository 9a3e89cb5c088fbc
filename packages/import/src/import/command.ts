import { shellWord } from "@assent/core/data";
import { escapeWord } from "@assent/core/pattern";
import type { Converted, Loss, NativeOrigin } from "./types.ts";

/**
 * Rules of other programs about commands, as rules of ours.
 *
 * They compare the text of a command, we compare its words. INVARIANT: an allow never means more here than there, a
 * deny never less; what cannot be said so is a loss.
 */

const MOST_EXPANDED = 64;

/** A list of words, each with its alternatives; `open`: more may follow. */
export function wordsRule(
  origin: NativeOrigin,
  words: readonly (readonly string[])[],
  open: boolean,
  keep?: Converted["keep"],
): readonly Converted[] | Loss {
  let lists: readonly (readonly string[])[] = [[]];
  for (const choices of words) {
    lists = lists.flatMap((list) => choices.map((word) => [...list, word]));
    if (lists.length > MOST_EXPANDED) return { why: `stands for more than ${MOST_EXPANDED} rules` };
  }
  if (lists.some((list) => list.length === 0 || list[0] === "")) return { why: "names no program" };
  return lists.flatMap((list) => oneList(origin, list, open, keep));
}

function oneList(origin: NativeOrigin, words: readonly string[], open: boolean, keep: Converted["keep"]): readonly Converted[] {
  const line = words.map(shellWord).join(" ");
  const more = `${line} x1`;
  const last = words.at(-1) ?? "";
  // A wide rule may take another spelling for the same command: only an allow must surely not match.
  const others = origin.effect === "allow" ? [`${words.slice(0, -1).concat(`${last}x1`).map(shellWord).join(" ")}`] : [];
  const facts = {
    match: open ? [line, more] : [line],
    notMatch: open || origin.effect !== "allow" ? others : [...others, more],
    ...(keep === undefined ? {} : { keep: ofThisList(keep, words) }),
  };
  if (words.every((word, at) => isToken(word, at === words.length - 1)))
    return [made(origin, { list: "permissions", rule: `Bash(${words.join(" ")}${open ? ":*" : ""})` }, facts)];
  // Only the text of a command can hold words with blanks. For an allow they are compared in their quotes.
  const text = words.map((word) => escapeWord(origin.effect === "allow" && /\s/.test(word) ? `'${word}'` : word)).join(" ");
  const whole = made(origin, { list: "execute", pattern: text }, { match: [line], notMatch: others });
  return open ? [whole, made(origin, { list: "execute", pattern: `${text} *` }, { match: [more], notMatch: others })] : [whole];
}

/** Of the examples of a rule with alternatives, those that speak of this one. */
function ofThisList(keep: NonNullable<Converted["keep"]>, words: readonly string[]): NonNullable<Converted["keep"]> {
  const start = words.map(shellWord).join(" ");
  const match = keep.match?.filter((example) => example === start || example.startsWith(`${start} `)) ?? [];
  return {
    ...(match.length === 0 ? {} : { match }),
    ...(keep.notMatch === undefined || keep.notMatch.length === 0 ? {} : { notMatch: keep.notMatch }),
  };
}

/** A word that `Bash(...)` takes for itself. */
function isToken(word: string, last: boolean): boolean {
  return !/\s/.test(word) && word !== "" && !/^\*{1,2}$/.test(word) && !(last && word.endsWith(":*"));
}

export function made(
  { effect, text, line, reason }: NativeOrigin,
  into: Converted["into"],
  facts: Partial<Pick<Converted, "match" | "notMatch" | "keep">> = {},
): Converted {
  return { effect, into, text, line, match: [], notMatch: [], ...facts, ...(reason === undefined || reason === "" ? {} : { reason }) };
}

/** What a shell would act on: no single command has these in its text. */
const SHELL = /[|&;<>()$`#\n{}]/;

/**
 * A pattern over the text of one command. `glob` is written in our notation (`*` any text, `?` one character, sets,
 * `\` quotes). `bare`: a ` *` at the end also matches nothing.
 */
export function textRule(origin: NativeOrigin, glob: string, { bare }: { readonly bare: boolean }): readonly Converted[] | Loss {
  const text = glob.trim();
  if (text === "") return { why: "the pattern is empty" };
  if (/^\*+$/.test(text)) return [made(origin, { list: "permissions", rule: "Bash" }, { match: ["git status", "x1"] })];
  const literal = literalOf(text);
  if (SHELL.test(literal))
    return {
      why: "each command of a line is judged by itself here, so a pattern with shell operators, substitutions or groups matches nothing",
      help: "write a rule for the command that matters",
    };
  if (/^[A-Za-z_]\w*\+?=/.test(literal)) return { why: "begins with a variable", help: "write a rule for the command after it" };
  if (/["'\\]/.test(literal)) {
    const open = bare && / \*+$/.test(text);
    const start = open ? text.replace(/ \*+$/, "") : text;
    const words = isWild(start) ? undefined : splitWords(plain(start));
    return words === undefined
      ? { why: "quotes and wildcards together" }
      : wordsRule(
          origin,
          words.map((word) => [word]),
          open,
        );
  }
  if (/\[[^\]]*\s[^\]]*\]/.test(text)) return { why: "a set with a blank" };
  if (/(?:^| )~/.test(text)) return { why: "`~` in a pattern", help: "write the folder itself" };
  const tokens = text.replace(/\*{2,}/g, "*").split(/\s+/);
  if (!tokens.some(isWild))
    return wordsRule(
      origin,
      tokens.map((token) => [plain(token)]),
      false,
    );
  const tail = tokens.at(-1) === "*";
  const head = tail ? tokens.slice(0, -1) : tokens;
  if (tail && bare && !head.some(isWild))
    return wordsRule(
      origin,
      head.map((token) => [plain(token)]),
      true,
    );
  const first = tokens[0] ?? "";
  // The same spelling after `cd` is another program: words are compared with what they really lead to, text is not.
  if (origin.effect === "allow" && (first.includes("/") ? !first.startsWith("/") : first.startsWith(".")))
    return { why: "a program named by a relative path, with a wildcard in its words", help: "name the program by its absolute path" };
  return tokens.every((token) => token === "*" || !isWild(token)) ? [byWords(origin, tokens, bare)] : byText(origin, tokens, bare);
}

/** Whole-word wildcards: one word or more, as no text between two blanks is no words. */
function byWords(origin: NativeOrigin, tokens: readonly string[], bare: boolean): Converted {
  const tail = tokens.at(-1) === "*" && bare;
  const head = (tail ? tokens.slice(0, -1) : tokens).map((token) => (token === "*" ? "* **" : plain(token)));
  const sample = (word: string): string => tokens.map((token, at) => (token === "*" ? (at === 0 ? "git" : word) : plain(token))).join(" ");
  const into = { list: "permissions", rule: `Bash(${head.join(" ")}${tail ? ":*" : ""})` } as const;
  return made(origin, into, {
    match: [sample("x1"), sample("x1 x2")],
    notMatch: origin.effect === "allow" ? [`x1 ${sample("x1")} x2x`] : [],
  });
}

function byText(origin: NativeOrigin, tokens: readonly string[], bare: boolean): readonly Converted[] {
  const patterns = [tokens.join(" ")];
  if (bare && tokens.at(-1) === "*") patterns.push(tokens.slice(0, -1).join(" "));
  return patterns.map((pattern) => made(origin, { list: "execute", pattern }, { match: samplesOf(pattern), notMatch: [] }));
}

/** Texts that a pattern matches. */
function samplesOf(pattern: string): readonly string[] {
  if (pattern.includes("[")) return [];
  // A word that is only a wildcard, and a program that begins with one, has to be something.
  const fill = (run: string): string =>
    pattern
      .split(" ")
      .map((word, at) =>
        plain(word.replace(/(?<!\\)\*/g, word === "*" || (at === 0 && word.startsWith("*")) ? "x1" : run).replace(/(?<!\\)\?/g, "x")),
      )
      .join(" ");
  return [...new Set([fill("x1"), fill("")])];
}

const isWild = (token: string): boolean => /(?:^|[^\\])(?:\\\\)*[*?[]/.test(token);
const plain = (token: string): string => token.replace(/\\(.)/gsu, "$1");

function literalOf(glob: string): string {
  let text = "";
  for (let i = 0; i < glob.length; i++) {
    const char = glob.charAt(i);
    if (char === "\\") text += glob.charAt(++i);
    else if (char !== "*" && char !== "?" && char !== "[" && char !== "]") text += char;
  }
  return text;
}

/** Words of a text with quotes and nothing else that a shell acts on; undefined when a quote is not closed. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "'" || char === '"') {
      let end = i + 1;
      let inner = "";
      for (; end < text.length && text.charAt(end) !== char; end++) {
        if (char === '"' && text.charAt(end) === "\\") end++;
        inner += text.charAt(end);
      }
      if (end >= text.length) return undefined;
      word = (word ?? "") + inner;
      i = end;
    } else if (char === "\\") {
      word = (word ?? "") + text.charAt(++i);
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}
