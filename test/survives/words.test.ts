import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPolicy } from "@assent/core/policy/read";
import { program } from "../../packages/assent/src/cli/program.ts";
import { readBlocks } from "../docs/blocks.ts";
import { scratch, type Scratch } from "../scratch.ts";

/** Before there was one setting and sentences: its words go on, and it refuses a file that has newer ones. */
const BEFORE = "d59c0dc5";
const ROOT = join(import.meta.dirname, "../..");
const git = (...words: readonly string[]): string => execFileSync("git", ["-C", ROOT, ...words], { encoding: "utf8", maxBuffer: 1 << 26 });
const isThere = spawnSync("git", ["-C", ROOT, "cat-file", "-e", `${BEFORE}^{tree}`]).status === 0;

describe.skipIf(!isThere)(`the docs of ${BEFORE} (left out where the history does not reach so far)`, () => {
  const pages = isThere
    ? git("ls-tree", "-r", "--name-only", BEFORE, "README.md", "docs")
        .split("\n")
        .filter((name) => name.endsWith(".md"))
    : [];
  const blocks = pages.flatMap((page) => readBlocks(page, git("show", `${BEFORE}:${page}`)));
  let place: Scratch;
  let readBefore: typeof readPolicy;

  beforeAll(async () => {
    place = scratch({ keep: true });
    const tree = join(place.root, "before");
    mkdirSync(tree);
    execFileSync("tar", ["-x", "-C", tree], {
      input: execFileSync("git", ["-C", ROOT, "archive", BEFORE, "src", "package.json"], { maxBuffer: 1 << 28 }),
    });
    symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
    const outfile = join(place.root, "reader.mjs");
    await build({
      entryPoints: [join(tree, "src/policy/read/index.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader as it was
    readBefore = ((await import(pathToFileURL(outfile).href)) as { readonly readPolicy: typeof readPolicy }).readPolicy;
  }, 120_000);
  afterAll(() => rmSync(place.root, { recursive: true, force: true }));

  const said = (read: typeof readPolicy, text: string, layer: "user" | "project" | "profile") => {
    const found = read(text, { file: "p", layer });
    return found.ok
      ? {
          settings: found.policy.settings,
          rules: found.policy.rules.map(({ effect, source, confined }) => ({ effect, text: source.text, confined })),
        }
      : { problems: found.problems.map(({ message }) => message) };
  };

  it("have policies, each of which sets and rules the same", () => {
    let policies = 0;
    for (const { file, line, language, text } of blocks)
      for (const layer of ["user", "project", "profile"] as const) {
        if (!/^jsonc?$/.test(language)) continue;
        const before = said(readBefore, text, layer);
        if ("problems" in before) continue;
        policies += 1;
        expect([`${file}:${line}`, said(readPolicy, text, layer)]).toMatchObject([`${file}:${line}`, before]);
      }
    expect(policies).toBeGreaterThan(60);
  });

  it("name commands and options, all of which are there", () => {
    const lines = blocks
      .filter(({ language }) => /^(?:console|sh)$/.test(language))
      .flatMap(({ file, line, text }) =>
        [...text.matchAll(/^(?:\$ )?assent +([^#|\n]+)/gm)].map(([, words = ""]) => ({ where: `${file}:${line}`, words })),
      );
    expect(lines.length).toBeGreaterThan(200);
    const unknown = lines.map(({ where, words }) => [where, unknownWord(program(), words.trim().split(/\s+/))]);
    expect(unknown.filter(([, word]) => word !== undefined)).toEqual([]);
  });

  it.each([
    ['{ "consents": [{ "consent": "fetch", "root": "/r", "origin": "https://a.example" }] }', "unknown key `consents`"],
    ['{ "unknown": "confine", "consents": [] }', "unknown key `consents`"],
  ])("an Assent of then refuses %s, and so allows nothing", (text, why) =>
    expect(said(readBefore, text, "user")).toEqual({ problems: [why] }),
  );
});

/** The first word that no command, or no option of one, has. */
function unknownWord(command: Command, words: readonly string[]): string | undefined {
  const [word = "", ...others] = words;
  const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
  if (next !== undefined) return unknownWord(next, others);
  // It is a tool of the repository since (tools/verify).
  if (word === "verify" && command.parent === null) return undefined;
  const options = command.options.flatMap(({ short, long }) => [short, long]);
  if (/^--?[a-z]/.test(word)) return options.includes(word.replace(/=.*$/, "")) ? undefined : `${command.name()} ${word}`;
  return command.commands.length > 0 && /^[a-z-]+$/.test(word) && command.registeredArguments.length === 0
    ? `${command.name()} ${word}`
    : undefined;
}
