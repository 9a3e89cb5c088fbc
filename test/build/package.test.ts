import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import { knowledgeModule as build } from "../../scripts/knowledge-plugin.mjs";
import { FAMILIES } from "../../src/shell/knowledge/index.ts";
import { assent, DIST, run, scratch } from "../scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const knowledgeModule = build as (root: string) => Promise<string>;

describe("the package", () => {
  it("packs, installs in an empty folder without scripts or network, and runs", () => {
    const place = scratch();
    const [{ filename, files }] = JSON.parse(
      run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", place.root], ROOT),
    ) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    for (const needed of [
      "dist/bin.cjs",
      "dist/hook.cjs",
      "dist/hook.cache",
      "dist/reader.cjs",
      "dist/assent.mjs",
      "dist/THIRD-PARTY-LICENSES.txt",
      "README.md",
      "LICENSE",
    ])
      expect(paths).toContain(needed);
    expect(paths.filter((path) => /^(?:src|test|bench|scripts)\//.test(path))).toEqual([]);
    const folder = join(place.root, "empty");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), "{}");
    run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", join(place.root, filename)], folder);
    const command = join(folder, "node_modules/.bin/assent");
    expect(run(command, ["explain", "--json", "ls"], folder)).toMatch(/"verdict":"allow"/);
    expect(run(command, ["--version"], folder)).toMatch(/^\d/);
  });

  it("has no runtime dependencies, and a lockfile without addresses", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest["dependencies"]).toBeUndefined();
    expect(Object.keys(manifest["exports"] as object)).toEqual(["./policy.schema.json", "./package.json"]);
    expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(
      /"resolved"|https?:\/\/(?!(?:www\.)?(?:github|opencollective|patreon|tidelift|paypal|buymeacoffee|feross|eslint|vitest)\b)[^"]*\.tgz/,
    );
  });

  it("the hook loads nothing but what it needs at start", () => {
    const text = readFileSync(join(DIST, "hook.cjs"), "utf8") + readFileSync(join(DIST, "bin.cjs"), "utf8");
    const required = new Set([...text.matchAll(/require[\w$]*\("([^"]+)"\)/g)].map((match) => match[1]));
    expect([...required].toSorted((a = "", b = "") => (a < b ? -1 : 1))).toEqual(["./reader.cjs", "node:fs", "node:vm"]);
  });

  it("a damaged installation asks", () => {
    const place = scratch();
    const copy = join(place.root, "bin.cjs");
    writeFileSync(copy, readFileSync(join(DIST, "bin.cjs")));
    expect(run(process.execPath, [copy, "check"], place.root)).toMatch(/"permissionDecision":"ask"/);
  });
});

describe("the hook's knowledge", () => {
  it("is the tables without what is for people", async () => {
    const source = await knowledgeModule(ROOT);
    const lazy = (await import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`)) as {
      FAMILIES: (typeof FAMILIES)[number][];
    };
    const bare = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === "examples" || key === "summary" ? undefined : part)));
    const found = lazy.FAMILIES.flat();
    const wanted = FAMILIES.flat();
    expect(found.map(({ names }) => names)).toEqual(wanted.map(({ names }) => names));
    for (const [at, spec] of wanted.entries()) {
      // Every key that a table uses can be read from the hook's entry.
      for (const key of Object.keys(spec).filter((name) => name !== "examples" && name !== "summary")) {
        expect([spec.names, key, bare(Reflect.get(found[at] ?? {}, key))]).toEqual([spec.names, key, bare(Reflect.get(spec, key))]);
      }
    }
  });

  it("decides as the source does", () => {
    const place = scratch();
    for (const command of [
      "git log --oneline | head",
      "tar xzf a.tgz",
      "find . -name x -exec rm {} \\;",
      "npm publish",
      "sed -i s/a/b/ f",
    ]) {
      const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: place.project });
      const hook = assent(place, ["check"], input).stdout;
      const { answer } = JSON.parse(assent(place, ["explain", "--json", command]).stdout) as { answer: string };
      expect([command, hook === "{}\n" ? "none" : /"permissionDecision":"(\w+)"/.exec(hook)?.[1]]).toEqual([command, answer]);
    }
  });
});
