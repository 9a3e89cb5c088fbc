import { describe, expect, it } from "vitest";
import { withOthers } from "../../packages/guard/src/approve/extent.ts";
import { ruleOf } from "@assent/guard/approve";
import type { Extent } from "../../packages/guard/src/approve/types.ts";
import { question } from "./question.ts";

const HOME = "/home/me";
const write = (path: string, more: Partial<Extent[number]> = {}): Extent[number] => ({ does: "write", path, ...more });

describe("the rule for what a question is about", () => {
  it.each<readonly [rule: string | undefined, extent: Extent]>([
    ["Edit(~/f)", [write("/home/me/f")]],
    ["Edit(/srv/f)", [write("/srv/f")]],
    ["Delete(~/f)", [{ does: "delete", path: "/home/me/f" }]],
    ["Edit(~/p/**)", [write("/home/me/p", { below: true })]],
    ["Edit(~/keep/XX??????)", [write("/home/me/keep/XXabcdef", { name: "XX??????" })]],
    ["Edit(~/{a,b/c,d/**})", [write("/home/me/a"), write("/home/me/b/c"), write("/home/me/d", { below: true })]],
    ["Edit(~/x/{a,b})", [write("/home/me/x/a"), write("/home/me/x/b")]],
    [String.raw`Edit(~/my \(own\)\, \{a\}.txt)`, [write("/home/me/my (own), {a}.txt")]],
    // What nobody would read, or can see, is named by the call.
    [undefined, Array.from({ length: 9 }, (_, at) => write(`/home/me/${at}`))],
    [undefined, [write("/home/me/a\u001bb")]],
    [undefined, [write("/home/me/a"), { does: "delete", path: "/home/me/b" }]],
    [undefined, []],
  ])("%s", (rule, extent) => {
    expect(ruleOf(extent, HOME)?.rule).toBe(rule);
  });

  it("of a group is about all of it", () => {
    const [one, two, three] = ["a", "b", "c"].map((name, at) => ({ ...question(at + 1), extent: [write(`/home/me/x/${name}`)] }));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no question");
    expect(withOthers(one, [two, three], HOME).proposals.map(({ rule }) => rule)).toEqual([
      "Edit(~/x/{a,b,c})",
      ...one.proposals.map(({ rule }) => rule),
    ]);
    expect(withOthers(one, [], HOME)).toBe(one);
    expect(withOthers(one, [question(9)], HOME)).toBe(one);
  });
});
