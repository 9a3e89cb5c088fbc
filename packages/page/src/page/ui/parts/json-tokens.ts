/** The parts of a JSON5 text that look different from one another. */
export interface JsonToken {
  readonly is: "comment" | "key" | "text" | "word" | "plain";
  readonly text: string;
}

const TOKEN = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\b(?:true|false|null)\b|-?\b\d[\w.+-]*/g;

/** A text as tokens: together they are the text again, whatever it is. */
export function jsonTokens(text: string): readonly JsonToken[] {
  const out: JsonToken[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) out.push({ is: "plain", text: text.slice(at, match.index) });
    const [found] = match;
    at = match.index + found.length;
    out.push({ is: kindOf(found, text, at), text: found });
  }
  if (at < text.length) out.push({ is: "plain", text: text.slice(at) });
  return out;
}

function kindOf(found: string, text: string, end: number): JsonToken["is"] {
  if (found.startsWith("/")) return "comment";
  if (!/^["']/.test(found)) return "word";
  let next = end;
  while (" \t\r\n".includes(text[next] ?? "x")) next += 1;
  return text[next] === ":" ? "key" : "text";
}
