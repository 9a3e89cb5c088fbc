import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, symlinkSync, chmodSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lowerPatch, patchPaths, readPatch, readUnifiedDiff } from "@assent/core/patch";

const shown = (text: string): unknown => {
  const read = readPatch(text);
  return read.ok ? read.changes.map((change) => [change.does, ...patchPaths(change)].join(" ")) : read;
};
const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;
const HUNK = ["@@ -1 +1 @@", "-a", "+b"];

describe("unified diffs", () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["a change", ["--- a/x", "+++ b/x", ...HUNK], ["update x"]],
    ["names without prefixes", ["--- x", "+++ x", ...HUNK], ["update x"]],
    ["two names", ["--- x.orig", "+++ x", ...HUNK], ["update x.orig", "update x"]],
    ["times", ["--- x\t2026-01-01 00:00:00", "+++ x\t2026-01-01", ...HUNK], ["update x"]],
    ["a new file", ["--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+a"], ["add x"]],
    ["a deleted file", ["--- a/x", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"], ["delete x"]],
    ["an index", ["Index: y", "=".repeat(67), "--- x", "+++ x", ...HUNK], ["update y", "update x"]],
    ["a rename", ["diff --git a/x b/y", "similarity index 100%", "rename from x", "rename to /etc/y"], ["move x /etc/y"]],
    ["a copy", ["diff --git a/x b/y", "copy from x", "copy to y"], ["copy x y"]],
    ["a mode", ["diff --git a/x b/x", "old mode 100644", "new mode 100755"], ["mode x"]],
    ["an empty new file", ["diff --git a/x b/x", "new file mode 100644", "index 0000000..e69de29"], ["add x"]],
    ["an empty deleted file", ["diff --git a/x b/x", "deleted file mode 100644", "index e69de29..0000000"], ["delete x"]],
    [
      "a new link",
      ["diff --git a/x b/x", "new file mode 120000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+/etc", "\\ No newline at end of file"],
      ["link x"],
    ],
    [
      "a binary change",
      ["diff --git a/x b/x", "index 1..2 100644", "GIT binary patch", "literal 1", "IcmZPo000310RR91", "", "literal 0", "HcmV?d00001", ""],
      ["update x"],
    ],
    ["binary files that differ", ["diff --git a/x b/x", "index 1..2", "Binary files a/x and b/x differ"], ["update x"]],
    ["a quoted name", ['--- "a/a\\303\\244\\tb"', '+++ "b/a\\303\\244\\tb"', ...HUNK], []],
    [
      "content that reads like headers",
      ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "--- /etc/passwd", "+++ /etc/passwd", " c"],
      ["update x"],
    ],
    [
      "a message in front",
      ["From abc", "Subject: x", "", "---", " x | 2 +-", "", "diff --git a/x b/x", "--- a/x", "+++ b/x", ...HUNK, "-- ", "2.39"],
      ["update x"],
    ],
    ["two files", ["--- a/x", "+++ b/x", ...HUNK, "--- a/y", "+++ b/y", ...HUNK], ["update x", "update y"]],
  ])("%s", (name, text, expected) => {
    expect(shown(lines(...text))).toEqual(name === "a quoted name" ? expect.objectContaining({ ok: false }) : expected);
  });

  it("names in quotes", () => {
    expect(shown(lines('--- "a/\\303\\244 b"', '+++ "b/\\303\\244 b"', ...HUNK))).toEqual(["update ä b"]);
  });

  it.each<readonly [string, readonly string[]]>([
    ["nothing", []],
    ["only text", ["hello"]],
    ["a hunk alone", HUNK],
    ["a hunk with too few lines", ["--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", "-a", "+b"]],
    ["a hunk with too many lines", ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b", "+c"]],
    ["headers hidden behind a wrong count", ["--- a/x", "+++ b/x", "@@ -1,9 +1,9 @@", "-a", "+b", "--- a/y", "+++ /etc/passwd", ...HUNK]],
    ["one side only", ["--- a/x", ...HUNK]],
    ["a name without an end", ['--- "a/x', '+++ "b/x', ...HUNK]],
    ["a wrong escape", ['--- "a/\\q"', '+++ "b/\\q"', ...HUNK]],
    ["bytes that are not text", ['--- "a/\\377"', '+++ "b/\\377"', ...HUNK]],
    ["a context diff", ["*** x", "--- y", "***************", "*** 1 ****"]],
    ["a normal diff", ["1c1", "< a", "---", "> b"]],
    ["an ed script, which patch(1) runs", ["1d", "!id", "w", "q"]],
    ["an ed script between files", ["--- a/x", "+++ b/x", ...HUNK, "1d", "!id"]],
    ["a rename without its end", ["diff --git a/x b/y", "rename from x"]],
    ["names that cannot be told", ["diff --git a b c d", "new file mode 100644"]],
    ["a file without any change", ["diff --git a/x b/x"]],
    [
      "a submodule",
      ["diff --git a/x b/x", "index 1..2 160000", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-Subproject commit 1", "+Subproject commit 2"],
    ],
    ["from nothing to nothing", ["--- /dev/null", "+++ /dev/null", ...HUNK]],
  ])("malformed: %s", (_, text) => expect(readUnifiedDiff(lines(...text))).toMatchObject({ ok: false }));
});

describe("a link that the patch itself makes", () => {
  const link = ["diff --git a/l b/l", "new file mode 120000", "--- /dev/null", "+++ b/l", "@@ -0,0 +1 @@", "+/etc"];
  const moved = ["diff --git a/k b/l", "similarity index 100%", "rename from k", "rename to l"];
  const below = (path: string): readonly string[] => [`--- a/${path}`, `+++ b/${path}`, ...HUNK];
  it.each<readonly [string, readonly string[], number]>([
    ["is not written through", [...link, ...below("l/passwd")], 1],
    ["nor by another name", [...link, ...below("./x/../l//deep/passwd")], 1],
    ["nor when it is only moved there", [...moved, ...below("l/passwd")], 1],
    ["nor in front of it", [...below("l/passwd"), ...link], 1],
    ["something beside it is", [...link, ...below("lx/y")], 0],
    ["a file becomes a folder", ["diff --git a/l b/l/x", "similarity index 100%", "rename from l", "rename to l/x"], 0],
  ])("%s", (_, text, unknowns) => expect(lowerPatch(lines(...text), { cwd: "/p" }).unknowns).toHaveLength(unknowns));
});

describe("what git itself writes", () => {
  let folder = "";
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: folder },
    });
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "assent-patch-"));
    git("init", "-q");
    for (const name of ["plain", "a b", "ä", "tab\tname", "gone", "moved", "mode", "binary", 'quo"te', "empty-gone"])
      writeFileSync(
        join(folder, name),
        name === "binary" ? Buffer.from([0, 1, 2]) : name === "empty-gone" ? "" : `${name}\n--- a/fake\n`.repeat(9),
      );
    git("add", "-A");
    git("commit", "-qm", "x");
    for (const name of ["plain", "a b", "ä", 'quo"te']) writeFileSync(join(folder, name), "new\n");
    writeFileSync(join(folder, "binary"), Buffer.from([0, 9, 9, 9]));
    for (const name of ["gone", "empty-gone"]) rmSync(join(folder, name));
    renameSync(join(folder, "moved"), join(folder, "moved here"));
    chmodSync(join(folder, "mode"), 0o755);
    writeFileSync(join(folder, "added"), "x");
    symlinkSync("/etc", join(folder, "link"));
    git("add", "-A");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([["diff"], ["diff", "--binary"], ["diff", "--no-prefix"], ["diff", "-M", "--binary"], ["diff", "--no-renames"]])(
    "git %s %s",
    (...args) => {
      const read = readPatch(git(...args, "--cached"));
      expect(read.ok ? [...new Set(read.changes.flatMap(patchPaths))].toSorted() : read).toEqual(
        ["a b", "added", "binary", "empty-gone", "gone", "link", "mode", "moved", "moved here", "plain", 'quo"te', "ä"].toSorted(),
      );
    },
  );

  it("format-patch", () => {
    git("commit", "-qm", "y");
    const read = readPatch(git("format-patch", "--stdout", "HEAD~1"));
    expect(read.ok ? read.changes.some(({ does }) => does === "link") : read).toBe(true);
  });
});
