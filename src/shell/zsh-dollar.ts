import type { ParameterOperation, Word, WordPart } from "unbash";

/** Raw text without what single quotes and backslashes hide. */
const bare = (text: string): string =>
  text.replace(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, (piece) => (piece.startsWith('"') ? piece.slice(1, -1).replace(/\\[^]/g, "") : ""));

/**
 * True for `$=x`, `$~x`, `$^x` and `$+x`, which are parameters in zsh and text in bash: split, taken for a pattern whose qualifiers
 * can run code, joined word by word, or a number (zshexpn(1), Parameter Expansion). `following`: more of the word comes behind.
 */
export function hasZshDollar(raw: string, following: boolean): boolean {
  const text = /[\\'"]/.test(raw) ? bare(raw) : raw;
  return /\$[=~^+]+(?:[\w{@*!?$#-])/.test(text) || (following && /\$[=~^+]+$/.test(text));
}

/** `$#x` is a length in zsh, `$#` and an `x` in bash. */
export const isZshLength = (part: WordPart, following: WordPart | undefined): boolean =>
  part.type === "SimpleExpansion" && part.text === "$#" && following !== undefined && /^[\w{@*?!$#[-]/.test(following.text);

/** `${x:-*(e:code:)}`: in zsh the operand is a pattern, and its qualifiers can run code (zshexpn(1), Glob Qualifiers). */
export function hasQualifier(operation: ParameterOperation): boolean {
  return operation.type === "Default" && piecesOf(operation.operand).some((text) => text.includes("("));
}

const piecesOf = ({ parts, text }: Word): readonly string[] =>
  parts === undefined
    ? [text.replace(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, "")]
    : parts.flatMap((part) =>
        part.type === "Literal" || part.type === "Glob" || part.type === "ExtendedGlob" || part.type === "BraceExpansion"
          ? [part.text.replace(/\\[^]/g, "")]
          : [],
      );
