/** Line and column, both from 1, as editors count them: columns in UTF-16 units, a byte order mark not counted. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A function from offsets of `text` to places; offsets outside are moved to the nearest end. */
export function placeFinder(text: string): (offset: number) => Place {
  const starts = [text.charCodeAt(0) === 0xfeff ? 1 : 0];
  for (const { index, 0: ending } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + ending.length);
  return (offset) => {
    const inside = Math.min(Math.max(offset, starts[0] ?? 0), text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: inside - (starts[low] ?? 0) + 1 };
  };
}
