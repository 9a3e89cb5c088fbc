import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { addTomlTable, removeTomlKey, removeTomlTable, setTomlKey } from "@assent/core/edit/toml";

/** [text, with `features.hooks = true`] */
const SET: readonly (readonly [before: string, after: string])[] = [
  ["", "[features]\nhooks = true\n"],
  ["a = 1", "a = 1\n\n[features]\nhooks = true\n"],
  ["a = 1\n", "a = 1\n\n[features]\nhooks = true\n"],
  ["[features]\nhooks = false # why\n", "[features]\nhooks = true # why\n"],
  ["[features]\nhooks=true\n", "[features]\nhooks=true\n"],
  ["# c\n[ features ] # mine\nother = 1\n\n[z]\n", "# c\n[ features ] # mine\nhooks = true\nother = 1\n\n[z]\n"],
  ["[features]", "[features]\nhooks = true\n"],
  ["features = { other = 1 }\n", "features = { hooks = true, other = 1 }\n"],
  ["features = {}\n", "features = { hooks = true }\n"],
  ["a = 1\nfeatures.other = 1\n[z]\nk = 1\n", "a = 1\nfeatures.hooks = true\nfeatures.other = 1\n[z]\nk = 1\n"],
  ["features.hooks = false\n", "features.hooks = true\n"],
  ['x = """\n[features]\n"""\n', 'x = """\n[features]\n"""\n\n[features]\nhooks = true\n'],
  ["[a]\r\nk = 1\r\n", "[a]\r\nk = 1\r\n\r\n[features]\r\nhooks = true\r\n"],
];

/** [text, without `features.codex_hooks`] */
const REMOVE: readonly (readonly [before: string, after: string])[] = [
  ["[features]\ncodex_hooks = true\nb = 1\n", "[features]\nb = 1\n"],
  ["[features]\nb = 1\ncodex_hooks = true # old", "[features]\nb = 1\n"],
  ["a = 1\n", "a = 1\n"],
];

describe("TOML keys", () => {
  it.each(SET)("%j gets the key", (before, after) => {
    const changed = setTomlKey(before, ["features", "hooks"], true);
    expect(changed).toEqual({ ok: true, text: after });
    expect((parse(after) as { features: { hooks: boolean } }).features.hooks).toBe(true);
  });

  it.each(REMOVE)("%j loses the key", (before, after) => {
    expect(removeTomlKey(before, ["features", "codex_hooks"])).toEqual({ ok: true, text: after });
  });

  it.each([
    ["[features", 0],
    ["a = 1\nfeatures = 7\n", undefined],
    ["[[features]]\na = 1\n", undefined],
    ["features = { codex_hooks = true }", undefined],
  ])("%j is left as it is", (text, offset) => {
    const changed = text.includes("codex")
      ? removeTomlKey(text, ["features", "codex_hooks"])
      : setTomlKey(text, ["features", "hooks"], true);
    expect(changed.ok).toBe(false);
    expect(!changed.ok && changed.fault === undefined).toBe(offset === undefined);
  });
});

/** [text, with a table `[[hooks]]` at the end] */
const ADD: readonly (readonly [before: string, after: string])[] = [
  ["", '[[hooks]]\nevent = "E"\ncommand = "a \\"b\\" || c"\ntimeout = 30\n'],
  ["a = 1\n", 'a = 1\n\n[[hooks]]\nevent = "E"\ncommand = "a \\"b\\" || c"\ntimeout = 30\n'],
  [
    '[[hooks]]\nevent = "X"\n\n[z]\nk = 1\n',
    '[[hooks]]\nevent = "X"\n\n[z]\nk = 1\n\n[[hooks]]\nevent = "E"\ncommand = "a \\"b\\" || c"\ntimeout = 30\n',
  ],
];

describe("TOML lists of tables", () => {
  const value = { event: "E", command: 'a "b" || c', timeout: 30 };
  it.each(ADD)("%j gets a table, and is as before without it", (before, after) => {
    expect(addTomlTable(before, "hooks", value)).toEqual({ ok: true, text: after });
    const { hooks } = parse(after) as { hooks: object[] };
    expect(hooks.at(-1)).toEqual(value);
    expect(removeTomlTable(after, "hooks", hooks.length - 1)).toEqual({ ok: true, text: before });
  });

  it("a table in the middle goes with its lines, and the comments of the next one stay", () => {
    const text = '[[hooks]]\nevent = "A"\n\n[[hooks]] # ours\nevent = "B"\n\n# of C\n[[hooks]]\nevent = "C"\n';
    expect(removeTomlTable(text, "hooks", 1)).toEqual({ ok: true, text: '[[hooks]]\nevent = "A"\n\n# of C\n[[hooks]]\nevent = "C"\n' });
  });

  it.each(["hooks = []\n", 'hooks = [{ event = "A" }]\n', "hooks = 7\n", "[hooks]\na = 1\n", "[[hooks\n"])(
    "%j is left as it is",
    (text) => {
      expect(addTomlTable(text, "hooks", value).ok).toBe(false);
      expect(removeTomlTable(text, "hooks", 0).ok).toBe(false);
    },
  );
});
