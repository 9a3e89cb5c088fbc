import { mistake, type Mistake } from "../../pattern/index.ts";

/** What other tools call our words. */
const OTHER_WORDS = new Map([
  ["approve", "allow"],
  ["accept", "allow"],
  ["permit", "allow"],
  ["prompt", "ask"],
  ["confirm", "ask"],
  ["block", "deny"],
  ["forbid", "deny"],
  ["forbidden", "deny"],
  ["reject", "deny"],
  ["refuse", "deny"],
  ["examples", "match"],
]);

/** The candidate that a person who wrote `word` in a policy most likely meant. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const other = OTHER_WORDS.get(word.toLowerCase());
  return other !== undefined && candidates.includes(other) ? other : likest(word, candidates);
}

/** The candidate that is written most like `word`, if one is. */
export function likest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 40) return undefined;
  const folded = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = distance(folded, candidate.toLowerCase());
    if (steps < least) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}

/** The candidate of which `word`, of three letters, lacks one letter or swaps two: so short a word is a slip only then. */
export function shortSlip(word: string, candidates: readonly string[]): string | undefined {
  if (word.length !== 3) return undefined;
  const [folded, letters] = [word.toLowerCase(), [...word.toLowerCase()].toSorted().join("")];
  return candidates.find((one) => {
    const whole = one.toLowerCase();
    return distance(folded, whole) === 1 && (whole.length === 4 || letters === [...whole].toSorted().join(""));
  });
}

/** What is added to a sentence about a name that does not exist. */
export function meant(word: string, candidates: readonly string[]): string {
  const near = likest(word, candidates);
  return near === undefined ? "" : `: did you mean \`${near}\`?`;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let steps = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps = Math.min(steps, (before[j - 2] ?? 0) + 1);
      row.push(steps);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The first key that is none of `keys`. */
export function unknownKey(input: { readonly [key: string]: unknown }, keys: readonly string[]): Mistake | undefined {
  const key = Object.keys(input).find((name) => !keys.includes(name));
  if (key === undefined) return undefined;
  const near = closest(key, keys);
  return mistake(
    `unknown key \`${key}\``,
    near === undefined ? `known are ${keys.map((name) => `\`${name}\``).join(", ")}` : `did you mean \`${near}\`?`,
  );
}
