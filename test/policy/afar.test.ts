import { describe, expect, it } from "vitest";
import { joinLayers } from "../../src/policy/index.ts";
import { readPolicy } from "../../src/policy/read/index.ts";
import type { LayerName } from "../../src/policy/types.ts";

/** Who may say what people of a team answer from afar (`team`), and how. What it means for a request: test/cli/held-afar.test.ts. */

const file = (layer: LayerName, team: unknown) => readPolicy(JSON.stringify({ team }), { file: layer, layer });
const joined = (...files: readonly (readonly [LayerName, unknown, boolean?])[]) =>
  joinLayers(
    files.map(([layer, team, trusted = false]) => {
      const read = file(layer, team);
      if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join());
      return { ...read, trusted };
    }),
  ).settings.team;

const ANY = { answers: ["Bash(npm publish:*)"] };
const OTHER = { answers: ["Bash(make:*)"], twoPeople: ["Bash(make deploy:*)"] };

describe("who may say it", () => {
  it.each<[string, readonly (readonly [LayerName, unknown, boolean?])[], unknown]>([
    ["nobody says it: nothing from afar", [], undefined],
    ["the person", [["user", ANY]], { ...ANY, twoPeople: [] }],
    [
      "the managed policy, whatever the person says",
      [
        ["managed", OTHER],
        ["user", ANY],
      ],
      OTHER,
    ],
    [
      "the managed policy, that it is nothing",
      [
        ["managed", {}],
        ["user", ANY],
      ],
      { answers: [], twoPeople: [] },
    ],
    ["no project", [["project", ANY]], undefined],
    ["no trusted project", [["project", ANY, true]], undefined],
    ["no explicit file", [["explicit", ANY]], undefined],
    ["no profile", [["profile", ANY]], undefined],
    [
      "no project beside the person",
      [
        ["user", ANY],
        ["project", OTHER, true],
        ["explicit", OTHER],
      ],
      { ...ANY, twoPeople: [] },
    ],
  ])("%s", (_, files, expected) => {
    expect(joined(...files)).toEqual(expected);
  });
});

describe("is wrong, and the whole file with it", () => {
  it.each<[string, unknown, string]>([
    ["a text that is no rule", { answers: ["Bash(npm"] }, "answers"],
    ["a text that is no rule for two", { answers: ["Bash"], twoPeople: ["Bash(npm"] }, "twoPeople"],
    ["an empty text", { answers: [""] }, "answers"],
    ["a rule with conditions", { answers: [{ rule: "Bash", when: { user: "ann" } }] }, "answers"],
    ["a word", { answers: "Bash" }, "answers"],
    ["an unknown key", { answer: ["Bash"] }, "answer"],
    ["a list", [], "team"],
  ])("%s", (_, team, key) => {
    const read = file("user", team);
    expect(read.ok).toBe(false);
    if (!read.ok) expect(`${read.problems[0]?.key} ${read.problems[0]?.message}`).toContain(key);
  });
});
