import { describe, expect, it } from "vitest";
import { obeysFiles } from "@assent/core/policy";
import { controlPrograms } from "../../packages/core/src/policy/tables/control-files.ts";
import { PARTS } from "../../tools/verify/known.ts";

const split = (words: string): readonly string[] => words.split(" ");

/** Programs that only ever run what the project holds: they are confined whatever was changed. */
const ALWAYS_CODE = new Set(split("mvn mvnw gradle gradlew msbuild nuget bundle bundler rake gem direnv nuget proxychains4 jj hg"));

describe("files that name programs for later commands", () => {
  it.each(controlPrograms().filter((program) => !ALWAYS_CODE.has(program)))("%s is known to obey files", (program) => {
    expect(obeysFiles(program, undefined)).toBe(true);
  });

  it.each(["/home/me/.asdf/shims/rg", "/home/me/.volta/bin/rg"])("%s starts what a file of the project says", (resolved) => {
    expect(obeysFiles("rg", resolved)).toBe(true);
  });

  const controlled = new Map(controlPrograms().map((program) => [program, true]));
  // What git's own configuration names is protected by itself, and python's parts start no modules of the folder.
  const starters = PARTS.flatMap(({ of, what }) =>
    of.flatMap((program) =>
      what.filter((part) => controlled.has(part) && !/^(?:git|git-lfs|python3)$/.test(part)).map((part) => [program, part] as const),
    ),
  );
  it.each(starters)("%s starts %s, and obeys what that obeys", (program, part) => {
    expect(controlPrograms()).toContain(program);
    expect([program, part].every((name) => obeysFiles(name, undefined))).toBe(true);
  });
});
