import { expect, it } from "vitest";
import { Nearness } from "../../../packages/supervisor/src/supervise/door/nearness.ts";

/** Hands over so often, where it takes so long apart and near; how many of the last hundred were near. */
function hands(nearness: Nearness, times: number, apart: number, near: number): number {
  let kept = 0;
  for (let at = 0; at < times; at++) {
    const way = nearness.next();
    if (way.measured) nearness.took(way.near, way.near ? near : apart);
    if (at >= times - 100 && way.near) kept += 1;
  }
  return kept;
}

it.each([
  ["another processor sleeps", 0.05, 0.008, true],
  ["every processor works", 0.004, 0.009, false],
  ["both take the same: it stays as it is", 0.005, 0.005, true],
])("the quicker way is kept: %s", (_, apart, near, kept) => {
  const taken = hands(new Nearness(2), 1000, apart, near);
  expect(taken > 50).toBe(kept);
  // The other way is looked at again.
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(100);
});

it("what changes is noticed", () => {
  const nearness = new Nearness(2);
  expect(hands(nearness, 1000, 0.05, 0.008)).toBeGreaterThan(90);
  expect(hands(nearness, 2000, 0.004, 0.009)).toBeLessThan(10);
  expect(hands(nearness, 2000, 0.05, 0.008)).toBeGreaterThan(90);
});

it("one that had to wait for its turn decides nothing for long", () => {
  const nearness = new Nearness(2);
  hands(nearness, 1000, 0.004, 0.009);
  nearness.took(false, 4000);
  expect(hands(nearness, 1000, 0.004, 0.009)).toBeLessThan(10);
});

it("with one processor there is no other to be woken", () => {
  expect(hands(new Nearness(1), 500, 0.05, 0.008)).toBe(0);
});
