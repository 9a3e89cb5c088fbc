import { accepts, matchesWord, type Unit, type WordGlob } from "./word-glob.ts";

/** Beyond this many pairs of units two patterns are taken to overlap: the safe answer for every caller. */
const MOST_PAIRS = 1_000_000;

/**
 * True only when everything `inner` matches, `outer` matches.
 * `outer` is walked over the units of `inner` as if they were characters that only an equal or wider unit accepts.
 */
export function covers(outer: WordGlob, inner: WordGlob): boolean {
  if (inner.literal !== undefined) return matchesWord(outer, inner.literal);
  if (outer.literal !== undefined) return false;
  if (outer.raw === inner.raw) return true;
  const units = outer.units;
  const text = inner.units;
  let u = 0;
  let i = 0;
  let star = -1;
  let mark = 0;
  while (i < text.length) {
    const unit = units[u];
    const symbol = text[i];
    if (unit?.is === "run") {
      star = u++;
      mark = i;
    } else if (unit !== undefined && symbol !== undefined && unitCovers(unit, symbol)) {
      u++;
      i++;
    } else if (star === -1) {
      return false;
    } else {
      u = star + 1;
      i = ++mark;
    }
  }
  while (units[u]?.is === "run") u++;
  return u === units.length;
}

function unitCovers(outer: Unit, inner: Unit): boolean {
  if (inner.is === "run") return false;
  if (outer.is === "one") return true;
  if (inner.is === "char") return accepts(outer, inner.code);
  if (inner.is === "one" || outer.is !== "set" || outer.negated !== inner.negated) return false;
  const [narrow, wide] = inner.negated ? [outer, inner] : [inner, outer];
  return narrow.ranges.every(([low, high]) => wide.ranges.some(([from, to]) => from <= low && high <= to));
}

/** False only when no text matches both. */
export function overlaps(a: WordGlob, b: WordGlob): boolean {
  if (a.literal !== undefined) return matchesWord(b, a.literal);
  if (b.literal !== undefined) return matchesWord(a, b.literal);
  if ((a.hasSet && matchesWord(b, a.raw)) || (b.hasSet && matchesWord(a, b.raw))) return true;
  if (a.units.length * b.units.length > MOST_PAIRS) return true;
  // Row by row over a table of "the first i units of a and the first j of b can match the same text".
  let row = openRow(b.units);
  for (const unit of a.units) {
    const next: boolean[] = [unit.is === "run" && row[0] === true];
    for (const [j, other] of b.units.entries()) {
      const reached =
        (unit.is === "run" && (row[j + 1] === true || next[j] === true || row[j] === true)) ||
        (other.is === "run" && (next[j] === true || row[j + 1] === true || row[j] === true)) ||
        (row[j] === true && unitsMeet(unit, other));
      next.push(reached);
    }
    row = next;
  }
  return row.at(-1) === true;
}

function openRow(units: readonly Unit[]): boolean[] {
  const row = [true];
  for (const unit of units) row.push(row.at(-1) === true && unit.is === "run");
  return row;
}

function unitsMeet(a: Unit, b: Unit): boolean {
  if (a.is === "char") return accepts(b, a.code);
  if (b.is === "char") return accepts(a, b.code);
  if (a.is === "set" && b.is === "set" && !a.negated && !b.negated)
    return a.ranges.some(([low, high]) => b.ranges.some(([from, to]) => low <= to && from <= high));
  return true;
}
