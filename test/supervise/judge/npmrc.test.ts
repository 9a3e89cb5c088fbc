import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isNpmrcWithoutLogin } from "../../../packages/supervisor/src/supervise/judge/secrets.ts";
import { assent, scratch } from "../../scratch.ts";

/** A project's own `.npmrc`, and whether its package manager may read it in a run that nobody is asked about. */
const TEXTS: readonly (readonly [text: string, isFree: boolean])[] = [
  ["", true],
  ["save-exact=true\nengine-strict = true\n", true],
  ["registry=https://registry.example/\n@ours:registry=https://npm.example/x/\n", true],
  ["//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n", true],
  ["//registry.npmjs.org/:_authToken = ${NPM_TOKEN?}\nfund=false\n", true],
  ["//registry.npmjs.org/:_authToken=npm_abc\n", false],
  ["//registry.npmjs.org/:_authToken=${NPM_TOKEN}x\n", false],
  ["//registry.npmjs.org/:_authToken=${A}\n//other/:_authToken=abc\n", false],
  ["_auth=YTpi\n", false],
  ["//r/:username=me\n//r/:_password=cHc=\n", false],
  ["registry=https://me:pw@registry.example/\n", false],
  ["key=-----BEGIN\n", false],
  ["//r/:certfile=/x\n", false],
  ['"\\u005fauth"=x\n', false],
  ["otp=123456\n", false],
];

describe("a project's own .npmrc", () => {
  it.each(TEXTS)("%j: %s", (text, isFree) => {
    const place = scratch();
    const file = place.write(".npmrc", text);
    expect(["npm", "pnpm", "yarn", "bun"].map((name) => isNpmrcWithoutLogin(file, [name]))).toEqual(
      Array.from({ length: 4 }, () => isFree),
    );
    expect([isNpmrcWithoutLogin(file, ["cat"]), isNpmrcWithoutLogin(file, []), isNpmrcWithoutLogin(`${file}.x`, ["npm"])]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("a FIFO of that name is none, and nobody waits for what it would say", () => {
    const file = join(scratch().project, ".npmrc");
    execFileSync("mkfifo", [file]);
    expect(isNpmrcWithoutLogin(file, ["npm"])).toBe(false);
  });

  it.skipIf(!existsSync("/usr/bin/npm") && !existsSync("/usr/local/bin/npm"))(
    "in a run: npm reads its settings, and nobody reads a login",
    () => {
      const place = scratch();
      const run = (...words: readonly string[]): string => {
        const { stdout, stderr } = assent(place, ["run", "-P", "--", ...words]);
        return `${stdout.trim()}|${stderr.includes("refused: read")}`;
      };
      place.write(".npmrc", "save-exact=true\n");
      expect([run("npm", "config", "get", "save-exact"), run("cat", ".npmrc")]).toEqual(["true|false", "|true"]);
      place.write(".npmrc", "save-exact=true\n//r/:_authToken=abc\n");
      expect(run("npm", "config", "get", "save-exact")).toBe("false|true");
      // The login of the home folder under another name.
      place.write("~/.npmrc", "save-exact=true\n//r/:_authToken=abc\n");
      place.write(".npmrc", "x");
      expect(run("sh", "-c", "rm .npmrc; ln -s ~/.npmrc .npmrc; cat .npmrc")).toBe("|true");
    },
  );
});
