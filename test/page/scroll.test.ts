import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  barFor,
  heightOf,
  isStuck,
  MOST_PIXELS,
  moved,
  movedTo,
  rowsIn,
  type ScrollState,
  settle,
} from "../../packages/page/src/page/ui/parts/virtual-list.tsx";

const VIEW = 600;
const SMALL = { total: 5000, view: VIEW };
const LARGE = { total: 48_000_000, view: VIEW };
const END = { top: LARGE.total - VIEW, bar: MOST_PIXELS - VIEW };

describe("the bar of a list", () => {
  it.each<[string, ScrollState, ScrollState]>([
    ["a list that fits is as high as it is", moved(SMALL, { top: 0, bar: 0 }, 123), { top: 123, bar: 123 }],
    ["a small movement moves as far as it says", moved(LARGE, { top: 1_000_000, bar: 166_656 }, 166_756), { top: 1_000_100, bar: 166_756 }],
    [
      "a jump goes to the same share of the whole",
      moved(LARGE, { top: 0, bar: 0 }, (MOST_PIXELS - VIEW) / 2),
      { top: 23_999_700, bar: 3_999_700 },
    ],
    ["the end of the bar is the end of the list", moved(LARGE, { top: 0, bar: 0 }, MOST_PIXELS - VIEW), END],
    ["beyond the end is the end", movedTo(LARGE, 1e12), END],
    ["before the beginning is the beginning", movedTo(LARGE, -5), { top: 0, bar: 0 }],
    ["a place in a list that fits", movedTo(SMALL, 777), { top: 777, bar: 777 }],
  ])("%s", (_, state, expected) => expect(state).toEqual(expected));

  it("is never higher than browsers allow", () => {
    expect(heightOf(SMALL)).toBe(5000);
    expect(heightOf(LARGE)).toBe(MOST_PIXELS);
    expect(rowsIn({ total: 0, view: VIEW }, 0, 48)).toEqual({ from: 0, to: 0 });
    expect(rowsIn(SMALL, 4400, 48, 0)).toEqual({ from: 91, to: 105 });
  });

  it("reaches every row by small steps, in both directions, from wherever it stands", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 600, max: 300_000_000 }),
        fc.integer({ min: 0, max: MOST_PIXELS }),
        fc.boolean(),
        (total, start, isDown) => {
          const size = { total, view: VIEW };
          const most = heightOf(size) - VIEW;
          let state = moved(size, { top: 0, bar: 0 }, Math.min(start, most));
          const by = isDown ? 100 : -100;
          for (let step = 0; step < 200; step += 1) {
            const before = state.top;
            // As a browser does: no further than the ends.
            const bar = Math.max(0, Math.min(most, state.bar + by));
            state = moved(size, state, bar);
            if (isStuck(size, state)) state = settle(size, state) ?? state;
            const isEnd = isDown ? before >= total - VIEW : before <= 0;
            expect(isEnd || state.top !== before).toBe(true);
          }
          expect(state.top).toBe(Math.max(0, Math.min(state.top, total - VIEW)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("stands where the list is, once it is quiet", () => {
    fc.assert(
      fc.property(fc.integer({ min: MOST_PIXELS + 1, max: 300_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (total, share) => {
        const size = { total, view: VIEW };
        const top = Math.round(share * (total - VIEW));
        const state = settle(size, { top, bar: 17 }) ?? { top, bar: 17 };
        expect([state.top, Math.abs(state.bar - barFor(size, top)) < 1]).toEqual([top, true]);
      }),
    );
  });
});
