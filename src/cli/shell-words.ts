/** Splits the value of $EDITOR as a shell would: quotes and backslashes, nothing else. Undefined when a quote is not closed. */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === "'" || c === '"') {
      const part = quoted(text, at);
      if (part === undefined) return undefined;
      word = (word ?? "") + part.text;
      at = part.end;
    } else {
      if (c === "\\") at++;
      word = (word ?? "") + text.charAt(at);
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** The text in the quotes at `start`; `end` is at the closing one. */
function quoted(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = text.charAt(start);
  let out = "";
  for (let at = start + 1; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === quote) return { text: out, end: at };
    const next = text.charAt(at + 1);
    // Between double quotes a backslash is itself, except before these.
    if (c === "\\" && quote === '"' && next !== "" && '"\\$`'.includes(next)) at++;
    out += text.charAt(at);
  }
  return undefined;
}
