/** Names whose parts are made up anew in every run: process ids, times, hashes, the X of `mktemp`. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const PART = /[A-Za-z0-9]+/g;

/**
 * A path segment as a pattern: what is random in it is `*`, everything else literal. A name that is random as a whole
 * gives `*` only where `wholly` says so.
 *
 * @example segmentPattern("npm-x8Zk2Lq9.json", false) // "npm-*.json"
 */
export function segmentPattern(name: string, wholly: boolean): string {
  let changed = false;
  const marked = name
    .replace(UUID, () => {
      changed = true;
      return "\0";
    })
    .replace(PART, (part) => {
      if (!isRandom(part)) return part;
      changed = true;
      return "\0";
    });
  if (!changed) return escapeSegment(name);
  const pattern = escapeSegment(marked).replace(/\0(?:[-_.]?\0)*/g, "*");
  // Two letters at least say what the name is for.
  if (/[A-Za-z]{2}/.test(marked.replaceAll("\0", ""))) return pattern;
  return wholly ? pattern : escapeSegment(name);
}

/** Letters and digits in a mix that no one types: `a8f3kx`, `AbC1zQ`, `9f86d081`, `1732167792`. */
export function isRandom(part: string): boolean {
  if (/^\d+$/.test(part)) return part.length >= 5;
  if (/^[0-9a-f]+$/.test(part) || /^[0-9A-F]+$/.test(part)) return part.length >= 8 && changes(part) >= 2;
  if (part.length < 6 || part.length > 64) return false;
  // `sha256`, `python3`, `x86` change once; a random part of six and more mostly twice.
  const lower = /[a-z]/.test(part);
  const upper = /[A-Z]/.test(part);
  const digit = /\d/.test(part);
  return digit && (lower || upper) && (changes(part) >= 3 || (lower && upper && changes(part) >= 2));
}

/** How often letters and digits alternate. */
function changes(part: string): number {
  let count = 0;
  for (let i = 1; i < part.length; i++) if (isDigit(part, i) !== isDigit(part, i - 1)) count++;
  return count;
}

const isDigit = (text: string, at: number): boolean => text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57;

/** The pattern that matches exactly this name. A blank at its end, which a rule would lose, stands in brackets. */
export function escapeSegment(name: string): string {
  return name.replace(/[\\*?[\]{}(),!]/g, "\\$&").replace(/\s$/, "[$&]");
}
