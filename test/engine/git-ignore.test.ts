import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { realWorld } from "../../packages/guard/src/engine/world.ts";
import { isIgnored } from "../../packages/core/src/policy/git-ignore.ts";
import { scratch, type Scratch } from "../scratch.ts";

/** What git ignores, asked of git itself. */
function repository(): Scratch & {
  readonly ignored: (files: readonly string[]) => readonly string[];
  readonly ours: (files: readonly string[]) => readonly string[];
} {
  const place = scratch();
  const env = { PATH: process.env["PATH"] ?? "", HOME: place.home };
  rmSync(join(place.project, ".git"), { recursive: true, force: true });
  execFileSync("git", ["-C", place.project, "init", "-q"], { env });
  const ignored = (files: readonly string[]): readonly string[] =>
    spawnSync("git", ["-C", place.project, "check-ignore", "--no-index", "-z", "--stdin"], {
      env,
      input: files.join("\0"),
      encoding: "utf8",
    })
      .stdout.split("\0")
      .filter((name) => name !== "");
  const ours = (files: readonly string[]): readonly string[] => {
    const world = realWorld(place.machine, place.project, undefined);
    return files.filter((file) => isIgnored(join(place.project, file), world));
  };
  return { ...place, ignored, ours };
}

const FILES = [".env", "a/.env", "a/b/.env", "a/b/c.key", "b/.env", "b/c.key", "x", "A/.ENV", "a b/.env", "[a]", "#x", "!x", "a/b/x"];

describe("what git ignores", () => {
  it.each([
    [".env", [".env", "a/.env", "a/b/.env", "b/.env", "a b/.env"]],
    ["/.env", [".env"]],
    ["a/", ["a/.env", "a/b/.env", "a/b/c.key", "a/b/x"]],
    ["a/*", ["a/.env", "a/b/.env", "a/b/c.key", "a/b/x"]],
    ["*.key\n!c.key", []],
    ["a/**/.env", ["a/.env", "a/b/.env"]],
    ["**/b/*.key", ["a/b/c.key", "b/c.key"]],
    ["b/**", ["b/.env", "b/c.key"]],
    ["*\n!.ENV", FILES.filter((file) => file !== ".env")],
    ["\\#x\n\\!x\n#y", ["#x", "!x"]],
    ["[ab]/.env\r\n", ["a/.env", "b/.env"]],
    ["x   ", ["x", "a/b/x"]],
    [".env\n!/.env", ["a/.env", "a/b/.env", "b/.env", "a b/.env"]],
    ["a\\ b/", ["a b/.env"]],
  ])("%j", (list, expected) => {
    const place = repository();
    for (const file of FILES) place.write(file, "");
    place.write(".gitignore", list);
    expect(place.ours(FILES)).toEqual(expected);
    // Where Assent says so, git does.
    expect(place.ignored(FILES)).toEqual(expect.arrayContaining(expected));
  });

  it("a list that is a link counts for nothing, as for git", () => {
    const place = repository();
    place.write("list", ".env\n");
    rmSync(join(place.project, ".gitignore"), { force: true });
    symlinkSync("list", join(place.project, ".gitignore"));
    expect([place.ours([".env"]), place.ignored([".env"])]).toEqual([[], []]);
  });

  it("whatever is written: what is said to be ignored is", () => {
    const place = repository();
    const word = fc.string({
      unit: fc.constantFrom(
        "a",
        "b",
        "c",
        "x",
        ".",
        "env",
        ".env",
        "key",
        "*",
        "?",
        "[ab]",
        "[!b]",
        "\\",
        "/",
        "**",
        "**/",
        "/**",
        " ",
        "A",
      ),
      maxLength: 5,
    });
    const list = fc
      .array(
        fc.tuple(fc.constantFrom("", "", "", "!", "#", "/"), word, fc.constantFrom("", "", "/", " ")).map((parts) => parts.join("")),
        { maxLength: 5 },
      )
      .map((lines) => lines.join("\n"));
    const names = fc
      .array(fc.constantFrom("a", "b", "A", "a b", ".env", "c.key", "x", "xenv"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join("/"));
    let agreed = 0;
    fc.assert(
      fc.property(list, list, list, fc.array(names, { minLength: 8, maxLength: 8 }), (top, below, exclude, files) => {
        for (const [file, text] of [
          [".gitignore", top],
          ["a/.gitignore", below],
          [".git/info/exclude", exclude],
        ] as const) {
          mkdirSync(dirname(join(place.project, file)), { recursive: true });
          writeFileSync(join(place.project, file), text);
        }
        const git = place.ignored(files);
        const ours = place.ours(files);
        agreed += ours.length;
        expect(git, JSON.stringify({ top, below, exclude })).toEqual(expect.arrayContaining([...ours]));
      }),
      { numRuns: 150 },
    );
    expect(agreed).toBeGreaterThan(100);
  });
});
