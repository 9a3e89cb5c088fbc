import { parse, type Word, type WordPart } from "unbash";
import { expandBraces } from "./brace.ts";
import type { Expansion } from "./expand.ts";

/** The words that brace expansion makes of one word, each read anew. */
export function bracesOf(ex: Expansion, word: Word): readonly Word[] {
  if (!word.text.includes("{") || !word.text.includes("}")) return [word];
  const masked = maskParts(word);
  const texts = masked === undefined ? undefined : expandBraces(masked.text)?.map((text) => masked.restore(text));
  if (texts === undefined) {
    ex.cx.unknown("a brace expansion that is too large to write out", { span: ex.cx.span(word) });
    return [word];
  }
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
