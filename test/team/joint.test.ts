import { describe, expect, it } from "vitest";
import { JointLookup } from "@assent/team-server/database";

/** A look-up that is answered when the test says so. */
function held() {
  const looks: { readonly keys: readonly string[]; readonly answer: (error?: Error) => void }[] = [];
  const lookup = new JointLookup(
    (keys) =>
      new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
        const found = new Map(keys.filter((key) => key !== "none").map((key) => [key, `found ${key}`]));
        looks.push({ keys, answer: (error) => (error === undefined ? resolve(found) : reject(error)) });
      }),
  );
  return { lookup, looks, turn: () => new Promise((resolve) => setTimeout(resolve, 5)) };
}

describe("what is asked for at once is looked up together", () => {
  it("those of one turn by one look-up, those that come meanwhile by the next", async () => {
    const { lookup, looks, turn } = held();
    const first = ["a", "b", "a", "none"].map((key) => lookup.get(key));
    await turn();
    const later = ["c", "a"].map((key) => lookup.get(key));
    await turn();
    expect(looks.map(({ keys }) => keys)).toEqual([["a", "b", "none"]]);
    looks[0]!.answer();
    expect(await Promise.all(first)).toEqual(["found a", "found b", "found a", undefined]);
    await turn();
    // Looked up anew: what was found before may have been taken back since.
    expect(looks.map(({ keys }) => keys)).toEqual([
      ["a", "b", "none"],
      ["c", "a"],
    ]);
    looks[1]!.answer();
    expect(await Promise.all(later)).toEqual(["found c", "found a"]);
  });

  it("a look-up that fails is one for those who wait for it, and for nobody else", async () => {
    const { lookup, looks, turn } = held();
    const failing = Promise.allSettled([lookup.get("a"), lookup.get("b")]);
    await turn();
    const next = lookup.get("a");
    looks[0]!.answer(new Error("away"));
    expect((await failing).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await turn();
    looks[1]!.answer();
    expect(await next).toBe("found a");
    const last = lookup.get("b");
    await turn();
    looks[2]!.answer();
    expect(await last).toBe("found b");
  });

  it("a crowd in parts", async () => {
    const { lookup, looks, turn } = held();
    const all = Promise.all(Array.from({ length: 1100 }, (_, at) => lookup.get(String(at))));
    for (const part of [0, 1, 2]) {
      await turn();
      looks[part]!.answer();
    }
    expect((await all).every((found, at) => found === `found ${at}`)).toBe(true);
    expect(looks.map(({ keys }) => keys.length)).toEqual([500, 500, 100]);
  });
});
