import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../packages/core/src/data/sha256.ts";

const own = (...parts: readonly Uint8Array[]): string => sha256(parts).toString("hex");
const nodes = (...parts: readonly Uint8Array[]): string => createHash("sha256").update(Buffer.concat(parts)).digest("hex");

describe("sha256 is node's", () => {
  it("for every length around the ends of blocks", () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Buffer.alloc(length, length);
      expect(own(bytes)).toBe(nodes(bytes));
    }
  });

  it("for any parts", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 5 }), (parts) => {
        expect(own(...parts)).toBe(nodes(...parts));
      }),
    );
  });

  it("for a megabyte", () => {
    const bytes = Buffer.alloc(1 << 20, "assent");
    expect(own(bytes)).toBe(nodes(bytes));
  });
});
