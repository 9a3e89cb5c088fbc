/**
 * A list of a million rows is higher than a browser lets an element be (Firefox: 17.9 million pixels; Chromium: 33.5). What
 * scrolls is lower then, and stands for the whole: a small movement moves as far as it says, so that every row can be reached,
 * and a jump of the bar goes to the same share of the whole.
 */
export interface ScrollSize {
  /** Of all rows. */
  readonly total: number;
  /** Of what is seen at a time. */
  readonly view: number;
}

/** How high the element that scrolls may be. */
export const MOST_PIXELS = 8_000_000;

/** Pixels above what is seen, of all rows, and what the element that scrolls says. */
export interface ScrollState {
  readonly top: number;
  readonly bar: number;
}

export const heightOf = ({ total }: ScrollSize): number => Math.min(total, MOST_PIXELS);

const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most));
const mostTop = ({ total, view }: ScrollSize): number => Math.max(0, total - view);
const mostBar = (size: ScrollSize): number => Math.max(0, heightOf(size) - size.view);

/** Where the bar stands for a place. */
export function barFor(size: ScrollSize, top: number): number {
  const [most, bar] = [mostTop(size), mostBar(size)];
  return most === 0 ? 0 : Math.round((clamp(top, most) / most) * bar);
}

/** The bar is somewhere else: by a wheel, a finger or a key a little, by being dragged anywhere. */
export function moved(size: ScrollSize, before: ScrollState, bar: number): ScrollState {
  const most = mostTop(size);
  if (size.total <= MOST_PIXELS) return { top: clamp(bar, most), bar };
  // At an end of the bar is an end of the list, but for a small movement, which `settle` sees to.
  const isSmall = Math.abs(bar - before.bar) <= size.view * 2;
  const top = isSmall ? before.top + bar - before.bar : (bar / mostBar(size)) * most;
  return { top: clamp(Math.round(top), most), bar };
}

/** The bar as it should stand; undefined: it stands well, and there is room to move on in both directions. */
export function settle(size: ScrollSize, { top, bar }: ScrollState): ScrollState | undefined {
  if (size.total <= MOST_PIXELS) return undefined;
  const wanted = barFor(size, top);
  return Math.abs(wanted - bar) < 1 ? undefined : { top, bar: wanted };
}

/** Whether the bar has to be set at once: it has come to an end, and the list has not. */
export function isStuck(size: ScrollSize, { top, bar }: ScrollState): boolean {
  if (size.total <= MOST_PIXELS) return false;
  const edge = size.view;
  return (bar < edge && top > bar) || (bar > mostBar(size) - edge && mostTop(size) - top > mostBar(size) - bar);
}

/** Goes to a place. */
export const movedTo = (size: ScrollSize, top: number): ScrollState => {
  const to = clamp(Math.round(top), mostTop(size));
  return { top: to, bar: size.total <= MOST_PIXELS ? to : barFor(size, to) };
};

/** The first and the last row that are seen, with some around them. */
export function rowsIn(size: ScrollSize, top: number, rowHeight: number, around = 6): { readonly from: number; readonly to: number } {
  const rows = Math.ceil(size.total / rowHeight);
  return {
    from: clamp(Math.floor(top / rowHeight) - around, Math.max(0, rows - 1)),
    to: clamp(Math.ceil((top + size.view) / rowHeight) + around, rows),
  };
}
