import { describe, expect, it } from "vitest";
import { joinLayers } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import type { LayerName } from "../../packages/core/src/policy/match/types.ts";

/** Who may say what people of a team answer remotely (`team`), and how. What it means for a request: test/cli/held-remote.test.ts. */

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

const [one, two] = [
  { person: "Ada", id: "aWQx", key: "a2V5MQ" },
  { person: "Grace", id: "aWQy", key: "a2V5Mg" },
];
const KEYS = { rules: ["Bash(npm publish:*)"], site: "https://assent.example.com", credentials: [one, two] };

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
    ["whose passkeys", [["user", { ...ANY, passkeys: KEYS }]], { ...ANY, twoPeople: [], passkeys: KEYS }],
    [
      "the managed policy, that no passkey is needed",
      [
        ["managed", ANY],
        ["user", { ...ANY, passkeys: KEYS }],
      ],
      { ...ANY, twoPeople: [] },
    ],
    [
      "a site on this machine, to try it",
      [["user", { ...ANY, passkeys: { ...KEYS, site: "http://localhost:8414" } }]],
      { ...ANY, twoPeople: [], passkeys: { ...KEYS, site: "http://localhost:8414" } },
    ],
    [
      "how long a question waits",
      [["user", { ...ANY, waits: [{ rules: ["Bash(npm publish:*)"], wait: "90s" }, { wait: "1h" }, { rules: [], wait: "0s" }] }]],
      {
        ...ANY,
        twoPeople: [],
        waits: [{ rules: ["Bash(npm publish:*)"], milliseconds: 90_000 }, { milliseconds: 3_600_000 }, { rules: [], milliseconds: 0 }],
      },
    ],
    [
      "more than an hour of seconds is an hour",
      [["user", { waits: [{ wait: "9999s" }] }]],
      { answers: [], twoPeople: [], waits: [{ milliseconds: 3_600_000 }] },
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
    ...["2h", "60m", "-1s", "1.5m", "5", "s", "1 m", "00001s", ""].map((wait): [string, unknown, string] => [
      `a question that waits ${wait}`,
      { waits: [{ wait }] },
      "wait",
    ]),
    ["a wait without a time", { waits: [{ rules: ["Bash"] }] }, "wait"],
    ["a wait for a text that is no rule", { waits: [{ rules: ["Bash(npm"], wait: "1m" }] }, "waits"],
    ["waits that are no list", { waits: { wait: "1m" } }, "waits"],
    ["a passkey's rule that is none", { passkeys: { ...KEYS, rules: ["Bash(npm"] } }, "passkeys"],
    ["passkeys without rules", { passkeys: { site: KEYS.site, credentials: [] } }, "rules"],
    ["passkeys without a site", { passkeys: { rules: ["Bash"], credentials: [] } }, "site"],
    ["passkeys without credentials", { passkeys: { rules: ["Bash"], site: KEYS.site } }, "credentials"],
    ...[
      "http://assent.example.com",
      "https://assent.example.com/",
      "https://assent.example.com:443",
      "https://10.0.0.1",
      "https://[::1]",
      "https://a@assent.example.com",
      "https://Assent.example.com",
      "http://127.0.0.1:8414",
      "assent.example.com",
    ].map((site): [string, unknown, string] => [`the site ${site}`, { passkeys: { ...KEYS, site } }, "site"]),
    ["an id twice", { passkeys: { ...KEYS, credentials: [one, { ...two, id: one.id }] } }, "another passkey has this id"],
    ["a key of two people", { passkeys: { ...KEYS, credentials: [one, { ...two, key: one.key }] } }, "another passkey has this key"],
    ["a name that turns text", { passkeys: { ...KEYS, credentials: [{ ...one, person: "Ada\u202eecarG" }] } }, "person"],
    ["no name", { passkeys: { ...KEYS, credentials: [{ ...one, person: "" }] } }, "person"],
    ["a key that is not coded", { passkeys: { ...KEYS, credentials: [{ ...one, key: "a b" }] } }, "key"],
    ["more about a passkey", { passkeys: { ...KEYS, credentials: [{ ...one, role: "x" }] } }, "role"],
  ])("%s", (_, team, key) => {
    const read = file("user", team);
    expect(read.ok).toBe(false);
    if (!read.ok) expect(`${read.problems[0]?.key} ${read.problems[0]?.message}`).toContain(key);
  });
});
