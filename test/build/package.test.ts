import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import { knowledge as build } from "../../scripts/knowledge-plugin.mjs";
import { AGENT_IDS } from "../../src/agents/index.ts";
import { FAMILIES } from "../../src/shell/knowledge/index.ts";
import { entryFor } from "../../src/shell/knowledge/lookup.ts";
import { grammarOf, type Grammar, type Subcommand } from "../../src/shell/knowledge/read-spec.ts";
import type { CommandSpec, SubcommandSpec } from "../../src/shell/knowledge/spec.ts";
import { assent, DIST, run, scratch } from "../scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const knowledge = build as (root: string) => Promise<{ table: string; module: string }>;

type Grammars = (spec: SubcommandSpec, parent?: Grammar) => Grammar;

/** Every key that a table uses can be read from the hook's entry and says the same, and so does its grammar. */
function same(
  name: string,
  found: SubcommandSpec,
  wanted: SubcommandSpec,
  read: Grammars,
  above?: { found: Grammar; wanted: Grammar },
): void {
  for (const [key, value] of Object.entries(wanted)) {
    if (["examples", "summary", "options", "subcommands"].includes(key) || value === undefined) continue;
    expect([name, key, Reflect.get(found, key)]).toEqual([name, key, value]);
  }
  const { subcommands: own, ...grammar } = read(found, above?.found);
  const { subcommands, ...expected } = grammarOf(wanted, above?.wanted);
  expect([name, { ...grammar, options: new Map(grammar.options) }]).toEqual([name, expected]);
  const asked = [...expected.options.keys(), "", " ", "-", "--", "-a\n", "--no-such-option", "a", "none", '["required"]'];
  const answers = (options: Grammar["options"]): unknown => asked.map((option) => [option, options.has(option), options.get(option)]);
  expect([name, answers(grammar.options)]).toEqual([name, answers(expected.options)]);
  expect([name, [...(own?.named.keys() ?? [])].toSorted()]).toEqual([name, [...(subcommands?.named.keys() ?? [])].toSorted()]);
  const pairs = (all: readonly Subcommand[] = []): [string, readonly string[]][] => all.map(({ key, words }) => [key, words]);
  expect(pairs(own?.verbs)).toEqual(pairs(subcommands?.verbs));
  const levels = { found: { subcommands: own, ...grammar }, wanted: { subcommands, ...expected } };
  const lists = [...(subcommands?.named ?? []), ["", subcommands?.verbs ?? []] as const];
  for (const [first, all] of lists) {
    const others = first === "" ? own?.verbs : own?.named.get(first);
    expect(pairs(others)).toEqual(pairs(all));
    for (const [at, { key, spec }] of all.entries()) same(`${name} ${key}`, others?.[at]?.spec ?? {}, spec, read, levels);
  }
}

describe("the package", () => {
  it("packs, installs in an empty folder without scripts, and runs", () => {
    const place = scratch();
    const [{ filename, files }] = JSON.parse(
      run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", place.root], ROOT),
    ) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    for (const needed of [
      "dist/bin.cjs",
      "dist/hook.cjs",
      "dist/hook.cache",
      "dist/shell.cjs",
      "dist/shell.cache",
      "dist/languages.cjs",
      "dist/own-caches.cjs",
      "dist/run-front.cjs",
      "dist/run.cjs",
      "dist/survey.cjs",
      "dist/knowledge.txt",
      "dist/reader.cjs",
      "dist/assent.mjs",
      "dist/library.mjs",
      "dist/core.mjs",
      "dist/ai-sdk.mjs",
      "dist/openai-agents.mjs",
      "dist/claude-agent-sdk.mjs",
      "dist/langchain.mjs",
      "dist/mastra.mjs",
      "dist/types/sdk/index.d.ts",
      "dist/types/sdk/core/index.d.ts",
      "dist/THIRD-PARTY-LICENSES.txt",
      "README.md",
      "LICENSE",
    ])
      expect(paths).toContain(needed);
    expect(paths.filter((path) => /^(?:src|test|bench|scripts)\//.test(path))).toEqual([]);
    const folder = join(place.root, "empty");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), "{}");
    run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", join(place.root, filename)], folder);
    const command = join(folder, "node_modules/.bin/assent");
    expect(run(command, ["explain", "--json", "ls"], folder)).toMatch(/"verdict":"allow"/);
    expect(run(command, ["--version"], folder)).toMatch(/^\d/);
  });

  it("has one runtime dependency, which brings its native half with it, and a lockfile without addresses", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest["dependencies"]).toEqual({ koffi: "3.3.4" });
    expect(Object.keys(manifest["exports"] as object)).toEqual([
      ".",
      "./core",
      ...["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra"].map((name) => `./${name}`),
      "./policy.schema.json",
      "./package.json",
    ]);
    // What an adapter is for is the user's own.
    const peers = Object.keys(manifest["peerDependencies"] as object);
    expect(peers).toEqual(["@anthropic-ai/claude-agent-sdk", "@mastra/core", "@openai/agents", "ai", "langchain"]);
    expect(manifest["peerDependenciesMeta"]).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
    expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(
      /"resolved"|https?:\/\/(?!(?:www\.)?(?:github|opencollective|patreon|tidelift|paypal|buymeacoffee|feross|eslint|vitest)\b)[^"]*\.tgz/,
    );
  });

  it("the hook loads nothing but what it needs at start", () => {
    const requiredBy = (file: string): (string | undefined)[] =>
      [...new Set([...readFileSync(join(DIST, file), "utf8").matchAll(/require[\w$]*\("([^"]+)"\)/g)].map((match) => match[1]))].toSorted(
        (a = "", b = "") => (a < b ? -1 : 1),
      );
    expect(requiredBy("bin.cjs")).toEqual(["./run-front.cjs", "node:fs", "node:vm"]);
    expect(requiredBy("hook.cjs")).toEqual([
      "./agent-auto.cjs",
      "./extensions.cjs",
      "./patch.cjs",
      "./reader.cjs",
      "./server.cjs",
      "./session.cjs",
      "./shell.cjs",
      "./watch.cjs",
      "node:fs",
    ]);
    expect(requiredBy("watch.cjs")).toEqual(["node:worker_threads"]);
    for (const agent of ["auto", ...AGENT_IDS]) expect([agent, requiredBy(`agent-${agent}.cjs`)]).toEqual([agent, []]);
    expect(requiredBy("shell.cjs")).toEqual(["./languages.cjs", "node:fs"]);
    expect(requiredBy("languages.cjs")).toEqual([]);
  });

  it("the parts of the hook hold what their requests need", () => {
    // Every kilobyte is read and every table made at each call of a host: a jump means that an import drags something along.
    const kilobytes = (file: string): number => readFileSync(join(DIST, file)).length / 1024;
    expect(kilobytes("bin.cjs")).toBeLessThan(3);
    expect(kilobytes("hook.cjs")).toBeLessThan(240);
    expect(kilobytes("shell.cjs")).toBeLessThan(420);
    for (const agent of ["auto", ...AGENT_IDS]) expect([agent, kilobytes(`agent-${agent}.cjs`) < 8]).toEqual([agent, true]);
  });

  it("a damaged installation refuses by the exit code that hosts understand", () => {
    const place = scratch();
    const copy = join(place.root, "bin.cjs");
    writeFileSync(copy, readFileSync(join(DIST, "bin.cjs")));
    const damaged = (agent: string) =>
      spawnSync(process.execPath, [copy, "check", "--agent", agent], { cwd: place.root, encoding: "utf8" });
    expect(damaged("codex")).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("damaged") as unknown });
    expect(JSON.parse(damaged("cline").stdout)).toMatchObject({ cancel: true });
  });
});

describe("the hook's knowledge", () => {
  it("is the tables without what is for people", async () => {
    const place = scratch();
    const { table, module } = await knowledge(ROOT);
    expect(table).toMatch(/^[\x20-\x7e]*$/);
    writeFileSync(join(place.root, "knowledge.txt"), table);
    writeFileSync(join(place.root, "knowledge.mjs"), `const __dirname = ${JSON.stringify(place.root)};\n${module}`);
    const lazy = (await import(join(place.root, "knowledge.mjs"))) as {
      entryFor: (name: string) => CommandSpec | undefined;
      grammarOfEntry: Grammars;
      NAMES: () => string[];
    };
    const wanted = FAMILIES.flat().flatMap((spec) => spec.names.split(" ").map((name) => [name, spec] as const));
    expect(lazy.NAMES()).toEqual(wanted.map(([name]) => name));
    for (const [name] of wanted) {
      const [found, spec] = [lazy.entryFor(name), entryFor(name)];
      if (found === undefined || spec === undefined) throw new Error(`${name} is missing`);
      same(name, found, spec, lazy.grammarOfEntry);
    }
    for (const name of ["", "no-such-program", "ls:", "\n", "git\n", "0", "constructor", "__proto__"])
      expect(lazy.entryFor(name)).toBe(entryFor(name));
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
