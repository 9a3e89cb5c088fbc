import { linkSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Numbers, objectId } from "../../../packages/supervisor/src/supervise/judge/objects.ts";

let top = "";
const idOf = (path: string): string => {
  const { dev, ino } = statSync(join(top, path), { bigint: true });
  return objectId(dev, ino);
};
const pathsOf = (numbers: Numbers, path: string): readonly string[] =>
  numbers
    .pathsOf(idOf(path))
    .map((found) => found.slice(top.length + 1))
    .toSorted();

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "assent-numbers-")));
  for (const folder of ["a/b/c", "a/node_modules/x", "other"]) mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(top, "a/secret"), "s");
  writeFileSync(join(top, "a/node_modules/x/file"), "f");
  for (const name of ["a/again", "a/b/c/deep\n name", "other/far"]) linkSync(join(top, "a/secret"), join(top, name));
  symlinkSync("../other", join(top, "a/link"));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

it("finds every name below the folders, and only there", () => {
  const numbers = new Numbers();
  numbers.add(join(top, "a"), 1000);
  expect(pathsOf(numbers, "a/secret")).toEqual(["a/again", "a/b/c/deep\n name", "a/secret"]);
  expect(pathsOf(numbers, "a/node_modules/x/file")).toEqual(["a/node_modules/x/file"]);
});

it("takes a file by itself, leaves out folders that it is told to, and what is not there", () => {
  const numbers = new Numbers();
  numbers.add(join(top, "other/far"), 1000);
  numbers.add(join(top, "nowhere"), 1000);
  numbers.add(join(top, "a"), 1000, new Set(["node_modules", "b"]));
  expect(pathsOf(numbers, "a/secret")).toEqual(["a/again", "a/secret", "other/far"]);
  expect(pathsOf(numbers, "a/node_modules/x/file")).toEqual([]);
});

it("tells the names as they are when it is asked", () => {
  const numbers = new Numbers();
  numbers.add(join(top, "a/b"), 1000);
  renameSync(join(top, "a/b/c/deep\n name"), join(top, "a/b/c/now"));
  expect(pathsOf(numbers, "a/secret")).toEqual(["a/b/c/now"]);
});
