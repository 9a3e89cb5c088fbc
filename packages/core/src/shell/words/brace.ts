import { parse, type ParameterExpansionPart, type Word, type WordPart } from "unbash";
import type { Expansion } from "./expand.ts";

/** More words than this from one brace expansion are not enumerated. */
const MOST_WORDS = 256;

/**
 * Brace expansion on the raw text of a word, quotes and expansions left in place (bash(1), Brace Expansion).
 * Undefined when it would make too many words.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  const group = findGroup(text, 0);
  if (group === undefined) return [text];
  const words: string[] = [];
  const tails = expandBraces(text.slice(group.end));
  if (tails === undefined) return undefined;
  for (const choice of group.choices) {
    const middles = group.list ? expandBraces(choice) : [choice];
    if (middles === undefined || words.length + middles.length * tails.length > MOST_WORDS) return undefined;
    for (const middle of middles) for (const tail of tails) words.push(text.slice(0, group.start) + middle + tail);
  }
  return words;
}

interface BraceGroup {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
  readonly list: boolean;
}

/** The first `{…}` that is one: a comma list or a sequence. */
function findGroup(text: string, from: number): BraceGroup | undefined {
  for (let i = from; i < text.length; i = next(text, i)) {
    if (text[i] !== "{") continue;
    const commas: number[] = [];
    let depth = 0;
    let end = -1;
    for (let j = next(text, i); j < text.length; j = next(text, j)) {
      const c = text[j];
      if (c === "{") depth++;
      else if (c === "}" && depth > 0) depth--;
      else if (c === "}") {
        end = j;
        break;
      } else if (c === "," && depth === 0) commas.push(j);
    }
    if (end < 0) continue;
    if (commas.length > 0) {
      const cuts = [i, ...commas, end];
      return { start: i, end: end + 1, list: true, choices: cuts.slice(1).map((cut, k) => text.slice((cuts[k] ?? i) + 1, cut)) };
    }
    const choices = readSequence(text.slice(i + 1, end));
    if (choices !== undefined) return { start: i, end: end + 1, list: false, choices };
  }
  return undefined;
}

/** The index after the character at `i`, quotes, escapes and `$…` constructs taken whole. */
function next(text: string, i: number): number {
  const c = text[i];
  if (c === "\\") return i + 2;
  if (c === "'" || c === "`") return closing(text, i, c);
  if (c === '"') return closing(text, i, c);
  if (c === "$" && (text[i + 1] === "{" || text[i + 1] === "(")) return balanced(text, i + 1);
  if ((c === "<" || c === ">") && text[i + 1] === "(") return balanced(text, i + 1);
  return i + 1;
}

function closing(text: string, from: number, quote: string): number {
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === "\\" && quote !== "'") i++;
    else if (text[i] === quote) return i + 1;
    else if (quote === '"' && text[i] === "$" && (text[i + 1] === "{" || text[i + 1] === "(")) i = balanced(text, i + 1) - 1;
  }
  return text.length;
}

function balanced(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length;) {
    const c = text[i];
    if (c === "(" || c === "{") depth++;
    if (c === ")" || c === "}") {
      depth--;
      if (depth === 0) return i + 1;
    }
    i = c === "(" || c === "{" || c === "$" ? i + 1 : next(text, i);
  }
  return text.length;
}

function readSequence(text: string): readonly string[] | undefined {
  const numbers = /^([-+]?\d+)\.\.([-+]?\d+)(?:\.\.([-+]?\d+))?$/.exec(text);
  const letters = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.([-+]?\d+))?$/.exec(text);
  const match = numbers ?? letters;
  if (match === null) return undefined;
  const [, first = "", last = "", stepText = "1"] = match;
  const from = numbers === null ? first.charCodeAt(0) : Number(first);
  const to = numbers === null ? last.charCodeAt(0) : Number(last);
  const step = Math.max(1, Math.abs(Number(stepText)));
  if (Math.abs(to - from) / step > MOST_WORDS || [first, last, stepText].some((number) => number.length > 15))
    return Array.from({ length: MOST_WORDS + 1 }, () => "");
  const width = numbers !== null && [first, last].some((end) => /^-?0\d/.test(end)) ? Math.max(first.length, last.length) : 0;
  const out: string[] = [];
  for (let n = from; from <= to ? n <= to : n >= to; n += from <= to ? step : -step) {
    out.push(
      numbers === null ? String.fromCharCode(n) : n < 0 ? `-${String(-n).padStart(width - 1, "0")}` : String(n).padStart(width, "0"),
    );
  }
  return out;
}

/** The words that brace expansion makes of one word, each read anew. */
export function bracesOf(ex: Expansion, word: Word): readonly Word[] {
  if (!word.text.includes("{") || !word.text.includes("}")) return [word];
  const masked = maskParts(word);
  const texts = masked === undefined ? undefined : expandBraces(masked.text)?.map((text) => masked.restore(text));
  if (texts === undefined) {
    ex.cx.unknown("a brace expansion that is too large to write out", { span: ex.cx.span(word) });
    return [word];
  }
  if (masked?.text.includes("{") === true && (word.parts ?? []).some(hidesBrace))
    ex.cx.unknown("a `{` inside ${…} inside a brace expansion", { span: ex.cx.span(word), help: "quote it" });
  if (ex.cx.maybeZsh && hasOddRange(masked?.text ?? ""))
    ex.cx.unknown("a range in braces that bash and zsh read differently", { span: ex.cx.span(word), help: "write the words out" });
  // `{v..v}` is one word, and another one than it was.
  if (texts.length === 1 && texts[0] === word.text) return [word];
  // A word that braces made is no assignment: the `~` in it stays.
  if (texts.some((text) => /=[^]*~|:~/.test(text))) ex.cx.unknown("a `~` behind `=` inside a brace expansion", { span: ex.cx.span(word) });
  // bash looks for braces in the text: the `)` of a case pattern ends a substitution there.
  if (/\bcase\b/.test(word.text)) ex.cx.unknown("a case inside a brace expansion", { span: ex.cx.span(word) });
  if (ex.cx.maybeZsh && (word.parts ?? []).some(hasBareExpansion))
    ex.cx.unknown("bash drops an empty variable inside {…}, zsh keeps it", { span: ex.cx.span(word), help: "quote the variable" });
  const words: Word[] = [];
  for (const text of texts) {
    if (text === "") continue;
    const script = parse(`: ${text}`);
    const [statement] = script.commands;
    const [inner, ...more] = statement?.command.type === "Command" ? statement.command.args : [];
    if (script.errors !== undefined || script.commands.length !== 1 || inner?.type !== "Word" || more.length > 0) {
      ex.cx.unknown("a brace expansion that cannot be read", { span: ex.cx.span(word) });
      return [word];
    }
    words.push(inner);
  }
  return words;
}

/** zsh takes any two characters for the ends of a range, quoted ones and variables too (zshexpn(1), Brace Expansion); bash letters alone. */
const hasOddRange = (masked: string): boolean =>
  [...masked.matchAll(/\{([^{},\s]*?)\.\.([^{},\s]*)\}/g)].some(
    ([, from = "", to = ""]) =>
      (/^(?:\\?.|[^]*[\ue000-\uf8ff][^]*)$/u.test(from) || /[\ue000-\uf8ff]/.test(to)) &&
      !/^(?:[a-zA-Z] [a-zA-Z]|[-+]?\d+ [-+]?\d+(?:\.\.[-+]?\d+)?)$/.test(`${from} ${to}`),
  );

/** A `{` in the word of `${x:-word}` and its like. */
const hasBareBrace = (part: ParameterExpansionPart): boolean => part.operation !== undefined && /(?<![$\\])\{/.test(part.text.slice(2));

/** bash counts the braces of `${x#{}` one way when it looks for words, and another when it expands them. */
const hidesBrace = (part: WordPart): boolean =>
  part.type === "BraceExpansion" ? (part.parts ?? []).some(hidesBrace) : part.type === "ParameterExpansion" && hasBareBrace(part);

const hasBareExpansion = (part: WordPart): boolean =>
  part.type === "BraceExpansion"
    ? (part.parts ?? []).some(hasBareExpansion)
    : part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "CommandExpansion";

/** Quoted parts and expansions are one character each for brace expansion: braces inside them do not count. */
function maskParts(word: Word): { readonly text: string; readonly restore: (text: string) => string } | undefined {
  const opaque: string[] = [];
  let text = "";
  let at = word.pos;
  const visit = (parts: readonly WordPart[]): void => {
    for (const part of parts) {
      if (part.type === "BraceExpansion") visit(part.parts ?? []);
      else if (part.type !== "Literal" && part.type !== "Glob") {
        text += word.text.slice(at - word.pos, part.pos - word.pos) + String.fromCharCode(FIRST_MARK + opaque.length);
        opaque.push(part.text);
        at = part.end;
      }
    }
  };
  visit(word.parts ?? []);
  text += word.text.slice(at - word.pos);
  if (opaque.length > 1000 || /[\ue000-\uf8ff]/.test(word.text)) return undefined;
  return { text, restore: (one) => one.replace(/[\ue000-\uf8ff]/g, (mark) => opaque[mark.charCodeAt(0) - FIRST_MARK] ?? mark) };
}

/** Private use characters stand for parts. */
const FIRST_MARK = 0xe000;
