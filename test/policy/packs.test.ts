import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPolicy } from "@assent/core/policy/read";
import { createGuard } from "../../packages/library/src/sdk/index.ts";
import { OUR_PACKS, packsBy } from "@assent/guard/engine/reader";
import { lowerExample } from "@assent/core/request";

/** `extends`: packs of rules that only forbid. */

const read = (extended: readonly string[], text?: string) =>
  readPolicy(JSON.stringify({ extends: extended }), {
    file: "policy",
    layer: "user",
    examples: lowerExample,
    packs: text === undefined ? OUR_PACKS : packsBy((name) => ({ file: `/home/${name}`, text })),
  });
const problems = (result: ReturnType<typeof read>): readonly string[] =>
  (result.ok ? result.warnings : result.problems).map(
    ({ file, line, column, key, message }) => `${file}:${line}:${column} ${key}: ${message}`,
  );

/** Prints what `npm run generate` would write. */
const MAKE = `
  import { packPages } from "./scripts/packs.mjs";
  const pages = await packPages(process.cwd());
  console.log(JSON.stringify(pages.map(({ file, update }) => ({ file, text: update() }))));
`;

describe("our packs", () => {
  it("are what the tables make of them", () => {
    const made = execFileSync(process.execPath, ["--input-type=module", "--eval", MAKE], { encoding: "utf8" });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `MAKE` prints it
    const pages = JSON.parse(made) as readonly { readonly file: string; readonly text: string }[];
    expect(pages.map(({ file }) => file)).toEqual(["packages/core/packs/databases.jsonc", "packages/core/packs/cloud.jsonc"]);
    for (const { file, text } of pages) expect(readFileSync(file, "utf8") === text, `npm run generate writes ${file}`).toBe(true);
  });

  it.each(["assent:databases", "assent:cloud"])("%s denies, gives a reason for each rule, and its examples hold", (name) => {
    const result = read([name]);
    expect(problems(result)).toEqual([]);
    if (!result.ok) return;
    expect(result.policy.rules.length).toBeGreaterThan(100);
    for (const { effect, reason, source, untrusted } of result.policy.rules)
      expect({ effect, file: source.file, untrusted, why: reason?.startsWith(name) }).toEqual({
        effect: "deny",
        file: name,
        untrusted: undefined,
        why: true,
      });
    expect(result.examples.length).toBe(result.policy.rules.length);
    expect(result.examples.filter(({ file, problem }) => file !== name || problem !== undefined)).toEqual([]);
  });

  it("count once where they are named twice", () => {
    const [once, twice] = [read(["assent:cloud"]), read(["assent:cloud", "assent:cloud"])];
    expect(twice.ok && once.ok && twice.policy.rules.length === once.policy.rules.length).toBe(true);
  });
});

it("a guard of a program takes them in its policy, and no files", async () => {
  const guard = createGuard({ policy: { extends: ["assent:databases"] }, cwd: "/" });
  expect((await guard.check({ shell: "dropdb shop" })).verdict).toBe("deny");
  expect(() => createGuard({ policy: { extends: ["a.jsonc"] }, cwd: "/" })).toThrow("`a.jsonc` is a file");
});

describe("a pack that is a file", () => {
  it("forbids, and what its writer says of that is for people only", () => {
    const result = read(["a.jsonc"], '{ "permissions": { "deny": [{ "rule": "Bash(zap:*)", "reason": "do as I say" }] } }');
    expect(result.ok && result.policy.rules).toMatchObject([
      { effect: "deny", untrusted: true, layer: "user", source: { file: "/home/a.jsonc", line: 1 } },
    ]);
  });

  it.each([
    ['{ "permissions": { "allow": ["Bash(x)"] } }', "1:20 permissions.allow: a pack may not have `permissions.allow`"],
    ['{ "permissions": {\n  "ask": ["Bash(x)"] } }', "2:3 permissions.ask: a pack may not have `permissions.ask`"],
    ['{ "mode": "auto-edit" }', "1:3 mode: a pack may not have `mode`"],
    ['{ "operations": {} }', "1:3 operations: a pack may not have `operations`"],
    ['{ "aliases": { "x": "ls" } }', "1:3 aliases: a pack may not have `aliases`"],
    ['{ "team": {} }', "1:3 team: a pack may not have `team`"],
    ['{ "extends": [] }', "1:3 extends: a pack may not have `extends`"],
    ['{ "denny": [] }', "1:3 denny: unknown key `denny`"],
    ['{ "permissions": { "deny": ["Bash("] } }', "1:29 permissions.deny[0]: "],
    [
      '{ "permissions": { "deny": [{ "rule": "Bash(x:*)", "match": ["y"] }] } }',
      "1:62 permissions.deny[0].match[0]: the rule does not match `y`",
    ],
    ["{", "1:"],
  ])("is refused with its place: %s", (text, problem) => {
    const result = read(["a.jsonc"], text);
    expect(result.ok).toBe(false);
    expect(problems(result)[0]).toContain(`/home/a.jsonc:${problem}`);
  });

  it("extends no other pack, whoever it names", () => {
    for (const name of ["assent:cloud", "a.jsonc"])
      expect(
        problems(read(["a.jsonc"], `{ "extends": ["${name}"] }`)).some((one) => one.includes("extends: a pack may not have `extends`")),
      ).toBe(true);
  });
});

describe("a name that leads to no pack", () => {
  it.each(["assent:../databases", "assent:", "assent:Databases", "assent:__proto__", "assent:constructor", "databases", "a.jsonc"])(
    "%s breaks the file that names it",
    (name) => {
      const result = read([name]);
      expect(result.ok).toBe(false);
      expect(problems(result)[0]).toMatch(/^policy:1:13 extends\[0\]: /);
    },
  );

  it("takes none of their own rules away from those whom nobody trusts", () => {
    const text = '{ "extends": ["a.jsonc"], "permissions": { "deny": ["Bash(zap:*)"] } }';
    const result = readPolicy(text, { file: "policy", layer: "project", untrusted: true, packs: OUR_PACKS });
    expect(result.ok && result.policy.rules.map(({ source }) => source.text)).toEqual(["Bash(zap:*)"]);
    expect(problems(result)).toEqual(["policy:1:15 extends[0]: `a.jsonc` is a file"]);
  });
});
