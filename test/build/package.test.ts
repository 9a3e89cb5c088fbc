import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { describe, expect, it } from "vitest";
import { AGENT_IDS } from "@assent/hosts/agents";
import type { KnowledgeEntry, Grammar } from "@assent/core/shell/knowledge";
import * as Knowledge from "@assent/core/shell/knowledge";
import { assent, DIST, run, scratch } from "../scratch.ts";
import { PART_TEXTS } from "./part-texts.ts";

const ROOT = join(import.meta.dirname, "../..");

interface KnowledgeScripts {
  readonly builtKnowledge: (root: string, dist: string) => Promise<{ readonly module: string; readonly places: unknown }>;
  readonly knowledgeFromFile: (root: string) => Plugin;
}
/** All that can be read of an entry and of what is below it. */
function whole(read: typeof Knowledge, entry: KnowledgeEntry, parent?: Grammar): unknown {
  const { style, options, digits, slots, effects, inert, harmless } = read.grammarOf(entry, parent);
  const grammar = { style, options: [...options], digits, slots, effects, inert, harmless };
  const below = read.entriesBelow(entry).map((one) => [one.keys, whole(read, one.entry, read.grammarOf(entry, parent))]);
  return [entry, grammar, read.aboutEntry(entry), below];
}

const partText = (part: string): string => PART_TEXTS.get(part) ?? "";

describe("the package", () => {
  it("packs, installs in an empty folder without scripts, and runs", () => {
    const place = scratch();
    const archive = run(process.execPath, ["scripts/pack.mjs", place.root], ROOT).trim();
    const paths = run("tar", ["-tzf", archive], place.root)
      .split("\n")
      .map((path) => path.replace(/^package\//, ""));
    const manifest: unknown = JSON.parse(run("tar", ["-xzOf", archive, "package/package.json"], place.root));
    for (const key of ["private", "workspaces", "scripts", "devDependencies"]) expect(manifest).not.toHaveProperty(key);
    for (const needed of [
      "bin/assent.cjs",
      "dist/bin.cjs",
      "dist/hook.cjs",
      "dist/shell.cjs",
      "dist/more.cjs",
      "dist/run.cjs",
      "dist/start.cjs",
      "dist/knowledge.mjs",
      "dist/assent.mjs",
      "dist/library.mjs",
      "dist/compat.mjs",
      "dist/core.mjs",
      "dist/ai-sdk.mjs",
      "dist/openai-agents.mjs",
      "dist/claude-agent-sdk.mjs",
      "dist/langchain.mjs",
      "dist/mastra.mjs",
      "dist/opentelemetry.mjs",
      "dist/mcp.mjs",
      "dist/types/sdk/index.d.ts",
      "dist/types/sdk/core/index.d.ts",
      "dist/THIRD-PARTY-LICENSES.txt",
      "README.md",
      "LICENSE",
    ])
      expect(paths).toContain(needed);
    expect(paths.filter((path) => /^(?:packages|src|test|bench|scripts)\//.test(path))).toEqual([]);
    const folder = join(place.root, "empty");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), "{}");
    run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", archive], folder);
    const command = join(folder, "node_modules/.bin/assent");
    expect(run(command, ["explain", "--json", "ls"], folder)).toMatch(/"verdict":"allow"/);
    expect(run(command, ["--version"], folder)).toMatch(/^\d/);
  });

  it("has the packages of this repository in itself: nothing built or declared looks for one", () => {
    const files = readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((file) => /\.(?:[cm]?js|d\.ts)$/.test(file));
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => readFileSync(join(DIST, file), "utf8").includes("@assent/"))).toEqual([]);
    expect(readFileSync(join(ROOT, "packages/team-server/dist/team.mjs"), "utf8")).not.toContain("@assent/");
  });

  it("has one runtime dependency, a package for each platform, and a lockfile without addresses", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest["dependencies"]).toBeUndefined();
    expect(manifest["optionalDependencies"]).toEqual({ "@koromix/koffi-linux-arm64": "3.3.4", "@koromix/koffi-linux-x64": "3.3.4" });
    expect(Object.keys(manifest["exports"] as object)).toEqual([
      ".",
      "./compat",
      "./core",
      "./core/rules",
      ...["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra", "opentelemetry", "mcp"].map((name) => `./${name}`),
      "./policy.schema.json",
      "./package.json",
    ]);
    const peers = Object.keys(manifest["peerDependencies"] as object);
    // What an adapter is for is the user's own.
    const sdks = ["@anthropic-ai/claude-agent-sdk", "@mastra/core", "@openai/agents", "@opentelemetry/api", "ai", "langchain"];
    // What holds a run on macOS.
    expect(peers.toSorted()).toEqual(["@anthropic-ai/sandbox-runtime", ...sdks].toSorted());
    expect(manifest["peerDependenciesMeta"]).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
    // Workspaces lie in this repository: that is their folder.
    expect(readFileSync(join(ROOT, "package-lock.json"), "utf8").replace(/"resolved": "(?:team|packages\/[\w-]+)",/g, "")).not.toMatch(
      /"resolved"|https?:\/\/(?!(?:www\.)?(?:github|opencollective|patreon|tidelift|paypal|buymeacoffee|feross|eslint|vitest)\b)[^"]*\.tgz/,
    );
  });

  it("the hook loads nothing but what it needs at start", () => {
    const requiredIn = (text: string): (string | undefined)[] =>
      [...new Set([...text.matchAll(/require[\w$]*\("([^"]+)"\)/g)].map((match) => match[1]))].toSorted((a = "", b = "") =>
        a < b ? -1 : 1,
      );
    expect(requiredIn(readFileSync(join(DIST, "bin.cjs"), "utf8"))).toEqual(["fs", "vm"]);
    expect(requiredIn(partText("hook"))).toEqual([
      "./hook.auto.cjs",
      "./hook.edit-keeper.cjs",
      "./hook.fleet-start.cjs",
      "./hook.ignore.cjs",
      "./hook.server.cjs",
      "./hook.watch.cjs",
      "./more.consents.cjs",
      "./more.extensions.cjs",
      "./more.held-advice.cjs",
      "./more.held.cjs",
      "./more.patch.cjs",
      "./more.reader.cjs",
      "./more.session.cjs",
      "./shell.cjs",
      "./shell.obeyed.cjs",
      "./start.confiner.cjs",
      "node:fs",
    ]);
    expect(requiredIn(partText("hook.watch"))).toEqual(["node:worker_threads"]);
    for (const agent of AGENT_IDS) expect([agent, requiredIn(partText(`hook.agent-${agent}`))]).toEqual([agent, []]);
    expect(requiredIn(partText("shell"))).toEqual(["./start.languages.cjs", "node:fs"]);
    expect(requiredIn(partText("start.languages"))).toEqual([]);
  });

  it("the parts of the hook hold what their requests need", () => {
    // Every table is made at each call of a host: a jump means that an import drags something along.
    const kilobytes = (part: string): number => partText(part).length / 1024;
    const inFile = (file: string): number => readFileSync(join(DIST, file)).length / 1024;
    expect(inFile("bin.cjs")).toBeLessThan(4);
    // What a hook does not evaluate costs it the reading alone, 3 ms for a megabyte: all of the text, and V8's cache of what hooks mostly call.
    // Another host brings some 4 along.
    expect(inFile("hook.cjs")).toBeLessThan(434);
    expect(inFile("hook.cache")).toBeLessThan(670);
    // Reasons have a text for the person and one for the model; rules may be about some people only. 2.7 of it hand modules out, 17 are facts of hosts.
    expect(kilobytes("hook")).toBeLessThan(309);
    expect(kilobytes("shell")).toBeLessThan(502);
    for (const agent of AGENT_IDS) expect([agent, kilobytes(`hook.agent-${agent}`) < 8.5]).toEqual([agent, true]);
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
  it("is what everybody else reads: pieces of the same files", async () => {
    // @ts-expect-error -- a plain script
    const { builtKnowledge, knowledgeFromFile } = (await import("../../scripts/knowledge.mjs")) as KnowledgeScripts;
    const place = scratch();
    const { module, places } = await builtKnowledge(ROOT, DIST);
    expect(readFileSync(join(DIST, "knowledge.mjs"), "latin1")).toBe(module);
    writeFileSync(join(place.root, "knowledge.mjs"), module);
    symlinkSync(join(DIST, "core"), join(place.root, "core"));
    const outfile = join(place.root, "entries.cjs");
    await build({
      entryPoints: [join(ROOT, "packages/core/src/shell/knowledge/index.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      define: { ASSENT_KNOWLEDGE: JSON.stringify(places) },
      plugins: [knowledgeFromFile(ROOT)],
    });
    const hook = createRequire(import.meta.url)(outfile) as typeof Knowledge;
    const all = (read: typeof Knowledge): unknown => read.allEntries().map((entry) => [entry.names, whole(read, entry)]);
    expect(all(hook)).toEqual(all(Knowledge));
  });

  it("decides as the source does", () => {
    const place = scratch();
    for (const command of [
      "git log --oneline | head",
      "tar xzf a.tgz",
      "find . -name x -exec rm {} \\;",
      "npm publish",
      "sed -i s/a/b/ f",
      "kubectl get pods,services",
    ]) {
      const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: place.project });
      const hook = assent(place, ["check"], input).stdout;
      const { answer } = JSON.parse(assent(place, ["explain", "--json", command]).stdout) as { answer: string };
      expect([command, hook === "{}\n" ? "none" : /"permissionDecision":"(\w+)"/.exec(hook)?.[1]]).toEqual([command, answer]);
    }
  });
});
