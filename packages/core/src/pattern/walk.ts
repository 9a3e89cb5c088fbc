/**
 * The two walks behind all patterns. A pattern is a row of elements, of which some are runs: a run takes any number of
 * items, every other element one. What elements and items are, each kind of pattern says by its `Steps`.
 */
export interface Steps<E, I> {
  readonly isRun: (element: E) => boolean;
  /** Whether an element that is no run takes the item. */
  readonly accepts: (element: E, item: I, meter?: Meter) => boolean;
}

/** Counts steps, so that tests can bound the work instead of the time. */
export interface Meter {
  steps: number;
}

interface Walk<E, I> extends Steps<E, I> {
  /** Where a run does not take everything. */
  readonly passes?: (run: E, item: I) => boolean;
}

/**
 * Whether the elements take all the items. Only the last run needs another try, because an earlier one that takes more
 * could not help a later part: two pointers, and at most (elements) x (items) steps.
 */
export function walk<E, I>(elements: readonly E[], items: readonly I[], { isRun, accepts, passes }: Walk<E, I>, meter?: Meter): boolean {
  let at = 0;
  let next = 0;
  let run: E | undefined;
  let afterRun = 0;
  let mark = 0;
  for (;;) {
    const item = items[next];
    if (item === undefined) break;
    if (meter !== undefined) meter.steps++;
    const element = elements[at];
    if (element !== undefined && isRun(element)) {
      run = element;
      afterRun = ++at;
      mark = next;
      if (passes === undefined && at === elements.length) return true;
    } else if (element !== undefined && accepts(element, item, meter)) {
      at++;
      next++;
    } else {
      const passed = items[mark];
      if (run === undefined || passed === undefined || passes?.(run, passed) === false) return false;
      at = afterRun;
      next = ++mark;
    }
  }
  for (let element = elements[at]; element !== undefined && isRun(element); element = elements[at]) at++;
  return at === elements.length;
}

export interface SetWalk<E, I> extends Steps<E, I> {
  /**
   * For an item that may stand for several: how many elements it takes at least, the one it meets being given. Undefined
   * for any other item, and where it does not fit.
   */
  readonly spreads?: (item: I, element: E | undefined) => number | undefined;
  /** Items that may stand for nothing. */
  readonly skips?: (item: I) => boolean;
}

/** All the positions among the elements that can be reached when the items are used up: the set of states of an automaton. */
export function positionsAfter<E, I>(
  elements: readonly E[],
  items: readonly I[],
  { isRun, accepts, spreads, skips }: SetWalk<E, I>,
  meter?: Meter,
): ReadonlySet<number> {
  const closed = (positions: Set<number>): Set<number> => {
    // A set visits what is added while it is walked.
    for (const position of positions) {
      const element = elements[position];
      if (element !== undefined && isRun(element)) positions.add(position + 1);
    }
    return positions;
  };
  let positions = closed(new Set([0]));
  for (const item of items) {
    const next = new Set<number>(skips?.(item) === true ? positions : []);
    for (const position of positions) {
      if (meter !== undefined) meter.steps++;
      const element = elements[position];
      if (element !== undefined && isRun(element)) next.add(position);
      else if (element !== undefined && accepts(element, item, meter)) next.add(position + 1);
      const least = spreads?.(item, element);
      if (least !== undefined) for (let later = position + least; later <= elements.length; later++) next.add(later);
    }
    positions = closed(next);
    if (positions.size === 0) break;
  }
  return positions;
}
