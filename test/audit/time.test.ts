import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoTime } from "../../packages/guard/src/audit/time.ts";

describe("isoTime", () => {
  it("is what Date says", () => {
    for (const at of [0, 1, 951_782_399_999, 951_782_400_000, 1_709_164_800_000, 4_107_542_399_999])
      expect(isoTime(at)).toBe(new Date(at).toISOString());
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8_000_000_000_000 }), (at) => isoTime(at) === new Date(at).toISOString()),
      { numRuns: 5000 },
    );
  });
});
