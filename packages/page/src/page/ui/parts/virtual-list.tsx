import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** What a row shows; the text of it is read as one. */
  readonly row: (at: number) => ComponentChildren;
  /** Says of a row what makes it that row, however many come before it. */
  readonly keyOf: (at: number) => string | number;
  readonly classOf?: (at: number) => string;
  readonly selected: number;
  readonly onSelect: (at: number) => void;
  readonly onOpen: (at: number) => void;
  /** These rows are seen, or are near. */
  readonly onRange: (from: number, to: number) => void;
  /** So many rows have come before the first: who has scrolled stays where he was. */
  readonly added: number;
}

const SETTLE_MS = 150;

/** A list of any length, of which only what is seen is in the document. */
export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, selected, onSelect, onOpen, onRange, added } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState(400);
  const size: ScrollSize = { total: count * rowHeight, view };
  const state = useRef<ScrollState>({ top: 0, bar: 0 });
  const [, paint] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const known = useRef(added);

  const place = useCallback((next: ScrollState) => {
    state.current = next;
    const { current } = box;
    if (current !== null && Math.abs(current.scrollTop - next.bar) >= 1) current.scrollTop = next.bar;
    paint((round) => round + 1);
  }, []);

  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const watch = new ResizeObserver(() => setView(current.clientHeight));
    watch.observe(current);
    setView(current.clientHeight);
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(() => {
    const more = added - known.current;
    known.current = added;
    const { top } = state.current;
    // Who looks at the newest sees what comes.
    if (more !== 0 && top > 0) place(movedTo(size, top + more * rowHeight));
    else if (top > Math.max(0, size.total - view)) place(movedTo(size, top));
  }, [added, count, view]);

  const { from, to } = rowsIn(size, state.current.top, rowHeight);
  useEffect(() => onRange(from, to), [from, to, count]);

  const scroll = (): void => {
    const { current } = box;
    if (current === null || Math.abs(current.scrollTop - state.current.bar) < 1) return;
    state.current = moved(size, state.current, current.scrollTop);
    if (isStuck(size, state.current)) place(settle(size, state.current) ?? state.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => place(settle(size, state.current) ?? state.current), SETTLE_MS);
    paint((round) => round + 1);
  };

  const select = (wanted: number): void => {
    const at = Math.max(0, Math.min(count - 1, wanted));
    if (at < 0) return;
    onSelect(at);
    const { top } = state.current;
    if (at * rowHeight < top) place(movedTo(size, at * rowHeight));
    else if ((at + 1) * rowHeight > top + view) place(movedTo(size, (at + 1) * rowHeight - view));
  };

  const screen = Math.max(1, Math.floor(view / rowHeight) - 1);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => select(selected + 1),
    ArrowUp: () => select(selected - 1),
    j: () => select(selected + 1),
    k: () => select(selected - 1),
    PageDown: () => select(selected + screen),
    PageUp: () => select(selected - screen),
    Home: () => select(0),
    End: () => select(count - 1),
    Enter: () => selected >= 0 && onOpen(selected),
    " ": () => selected >= 0 && onOpen(selected),
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    keys[event.key]?.();
    event.preventDefault();
  };

  const shift = state.current.bar - state.current.top;
  return (
    <div
      ref={box}
      class="virtual"
      role="listbox"
      aria-label={props.label}
      tabIndex={0}
      aria-activedescendant={selected >= from && selected < to ? `row-${selected}` : undefined}
      onScroll={scroll}
      onKeyDown={press}
      onFocus={() => selected < 0 && count > 0 && onSelect(rowsIn(size, state.current.top, rowHeight, 0).from)}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${heightOf(size)}px` }}>
        {Array.from({ length: Math.max(0, to - from) }, (_, index) => {
          const at = from + index;
          return (
            <div
              key={props.keyOf(at)}
              id={`row-${at}`}
              role="option"
              aria-selected={at === selected}
              aria-setsize={count}
              aria-posinset={at + 1}
              class={`virtual-row ${props.classOf?.(at) ?? ""}`}
              style={{ height: `${rowHeight}px`, transform: `translateY(${at * rowHeight + shift}px)` }}
              onClick={() => {
                onSelect(at);
                onOpen(at);
              }}
            >
              {props.row(at)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/**
 * A list of a million rows is higher than a browser lets an element be (Firefox: 17.9 million pixels; Chromium: 33.5). What
 * scrolls is lower then, and stands for the whole: a small movement moves as far as it says, so that every row can be reached,
 * and a jump of the bar goes to the same share of the whole.
 */
interface ScrollSize {
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
