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

interface Group {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
  readonly list: boolean;
}

/** The first `{…}` that is one: a comma list or a sequence. */
function findGroup(text: string, from: number): Group | undefined {
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
