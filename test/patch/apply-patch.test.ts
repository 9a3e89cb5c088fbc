import { describe, expect, it } from "vitest";
import { lowerPatch, patchPaths, readPatch } from "@assent/core/patch";

/** Patches in codex' format. Every path is seen; what some reader would read otherwise is malformed. */

const patch = (...lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

describe("C13: paths", () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["an added file", ["*** Add File: a/b.txt", "+x", "+"], ["add a/b.txt"]],
    ["an empty added file", ["*** Add File: a"], ["add a"]],
    ["a deleted file", ["*** Delete File: a b.txt"], ["delete a b.txt"]],
    ["an updated file", ["*** Update File: /etc/x", "@@", " a", "-b", "+c", "", "*** End of File"], ["update /etc/x"]],
    ["CW3: a file that is moved", ["*** Update File: a", "*** Move to: ../b", "@@", "-a", "+b"], ["move a ../b"]],
    ["a file that is only moved", ["*** Update File: a", "*** Move to: b"], ["move a b"]],
    ["several", ["*** Add File: a", "+x", "*** Delete File: b", "*** Update File: c", "@@ x", " y"], ["add a", "delete b", "update c"]],
    ["blanks behind a header: the name that codex takes, and that others do", ["*** Add File: a ", "+x"], ["add a", "add a "]],
    ["blanks in front of a name, which belong to it for codex", ["*** Add File:  /etc/x", "+x"], ["add /etc/x", "add  /etc/x"]],
    [
      "blanks in front of a header",
      ["  *** Delete File: a", "\t*** Add File: b", "+x", " *** Delete File: c"],
      ["delete a", "add b", "delete c"],
    ],
    ["blanks behind a Move to", ["*** Update File: a", "*** Move to: b ", "@@", "-a"], ["move a b", "move a b "]],
    [
      "a header with blanks behind a change",
      ["*** Update File: a", "@@", "-x", "*** Delete File: b  "],
      ["update a", "delete b", "delete b  "],
    ],
    ["context that has lost its blank", ["*** Update File: a", "@@", "x", "\ty", "-b", "", "c"], ["update a"]],
    ["a change without @@", ["*** Update File: a", "-x", "+y"], ["update a"]],
    ["an end of file with blanks", ["*** Update File: a", "@@", "-x", "*** End of File  "], ["update a"]],
    ["content that reads like a header", ["*** Add File: a", "+*** Delete File: b", "+*** End Patch"], ["add a"]],
  ])("%s", (_, lines, expected) => {
    const read = readPatch(patch(...lines));
    expect(read.ok ? read.changes.map((change) => [change.does, ...patchPaths(change)].join(" ")) : read).toEqual(expected);
    const windows = readPatch(patch(...lines).replaceAll("\n", "\r\n"));
    expect(windows).toEqual(read);
  });
});

describe("malformed patches are refused", () => {
  it.each<readonly [string, string]>([
    ["empty", ""],
    ["CW3: no file at all", patch()],
    ["only text", patch("hello")],
    ["no end", "*** Begin Patch\n*** Delete File: a"],
    ["text after the end", `${patch("*** Delete File: a")}\nrm -rf x`],
    ["a second patch", `${patch("*** Delete File: a")}\n${patch("*** Delete File: b")}`],
    ["a header without a name", patch("*** Add File: ", "+x")],
    ["a name of blanks", patch("*** Add File:   ", "+x")],
    ["a tab behind the name: one of its readings is not a name", patch("*** Add File: a\t", "+x")],
    ["an odd blank behind the name", patch("*** Add File: a\u00a0", "+x")],
    ["an odd blank in front of a header", patch("\u00a0*** Add File: a", "+x")],
    ["a control character in the name", patch("*** Add File: a\u001bb", "+x")],
    ["a NUL in the name", patch("*** Add File: a\0b", "+x")],
    ["a header behind what ends a line for some", patch("*** Add File: a", "+x\u2028*** Delete File: b")],
    ["or for Python", patch("*** Add File: a", "+x\f*** Delete File: b")],
    ["or a lone CR", patch("*** Update File: a", "@@", "+x\r*** Move to: /etc/x")],
    ["an unknown header", patch("*** Copy File: a")],
    ["another case", patch("*** add file: a", "+x")],
    ["Move to without a file", patch("*** Move to: a")],
    ["Move to for an added file", patch("*** Add File: a", "*** Move to: b", "+x")],
    ["a second Move to", patch("*** Update File: a", "*** Move to: b", "*** Move to: c", "@@", "-a")],
    ["Move to after content", patch("*** Update File: a", "@@", "-a", "*** Move to: b")],
    ["content of a deleted file", patch("*** Delete File: a", "+x")],
    ["content of an added file without +", patch("*** Add File: a", "x")],
    ["stars in a change that are no header", patch("*** Update File: a", "@@", "*** x")],
    ["blanks in front of a Move to", patch("*** Update File: a", " *** Move to: b", "@@", "-a")],
    ["context without its blank that some readers take for a header", patch("*** Update File: a", "@@", "\t*** Delete File: b")],
    ["a lost blank, and behind it what ends a line for some", patch("*** Update File: a", "@@", "x\u2028*** Move to: /etc/x")],
    ["a blank line in an added file", patch("*** Add File: a", "+x", "", "*** Delete File: b")],
    ["a blank line behind a deleted file", patch("*** Delete File: a", "", "*** Delete File: b")],
    ["a context line that some readers take for a header", patch("*** Update File: a", "@@", " *** Delete File: b")],
    ["an indented header", patch("*** Update File: a", "@@", " x", "  *** Move to: b")],
    ["an end inside", patch("*** Update File: a", "@@", " x", "*** End Patch", "*** Delete File: b")],
    ["an environment", patch("*** Environment ID: x", "*** Delete File: a")],
  ])("%s", (_, text) => {
    expect(readPatch(text)).toMatchObject({ ok: false });
    const lowered = lowerPatch(text, { cwd: "/" });
    expect(lowered.actions).toEqual([]);
    expect(lowered.unknowns.map(({ reason }) => reason).join()).toMatch(/malformed in line \d+/);
  });
});

it("blanks around the first and the last line", () => {
  const text = "\n \t\n  *** Begin Patch \n*** Delete File: a\n *** End Patch\t\n\n";
  expect(readPatch(text)).toMatchObject({ ok: true, changes: [{ does: "delete", path: "a" }] });
});

describe("strict: nothing is forgiven", () => {
  it.each<[string, string, "is read" | number]>([
    [
      "as it should be",
      patch("*** Update File: a b", "*** Move to: c", "@@", "@@ def x", " x", "-y", "+z", "+", " ", "*** End of File"),
      "is read",
    ],
    ["with a last line break", `${patch("*** Delete File: a")}\n`, "is read"],
    ["an empty line in front", `\n${patch("*** Delete File: a")}`, 1],
    ["blanks around the first line", patch("*** Delete File: a").replace("Patch\n", "Patch \n"), 1],
    ["blanks around the last line", `${patch("*** Delete File: a")} `, 3],
    ["empty lines behind", `${patch("*** Delete File: a")}\n\n`, 3],
    ["blanks behind a header", patch("*** Delete File: a "), 2],
    ["blanks in front of a name", patch("*** Delete File:  a"), 2],
    ["no blank in front of a name", patch("*** Delete File:a"), 2],
    ["blanks in front of a header", patch("  *** Delete File: a"), 2],
    ["blanks behind a Move to", patch("*** Update File: a", "*** Move to: b ", "@@", "-a"), 3],
    ["context that has lost its blank", patch("*** Update File: a", "@@", "x", "-b"), 4],
    ["an empty line of context", patch("*** Update File: a", "@@", "-b", "", " c"), 5],
    ["an end of file with blanks", patch("*** Update File: a", "@@", "-x", "*** End of File  "), 5],
    ["a line that ends with a carriage return", patch("*** Update File: a", "@@", "-x\r"), 4],
    ["an odd chunk", patch("*** Update File: a", "@@x", "-x"), 3],
  ])("%s", (_, text, line) => {
    const strict = readPatch(text, { strict: true });
    expect(strict.ok ? "is read" : strict.line).toBe(line);
    // All of these are forgiven otherwise.
    expect(readPatch(text).ok).toBe(true);
    if (strict.ok) expect(readPatch(text)).toEqual(strict);
  });
});
