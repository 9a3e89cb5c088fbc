import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { heightOf, isStuck, moved, movedTo, rowsIn, type ScrollSize, type ScrollState, settle } from "./scroll.ts";

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
