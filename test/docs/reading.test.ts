import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { pages } from "./blocks.ts";
import { anchorsOf, gradeOf, linksOf, prose } from "./reading.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const easy = [
  "README.md",
  ...pages(ROOT).filter((file) => /^docs\/(?:how-to\/|first-hour|library\.md|troubleshooting|faq|threat-model)/.test(file)),
];

describe("README, tutorial and how-tos are easy to read: Flesch–Kincaid grade of at most 9", () => {
  it.each(easy)("%s", (file) => {
    const text = prose(read(file));
    expect(text.split(/\s+/).length).toBeGreaterThan(10);
    expect(gradeOf(text)).toBeLessThanOrEqual(9);
  });

  it("counts as the formula does", () => {
    expect(gradeOf("The cat sat on the mat.")).toBeLessThan(1);
    expect(
      gradeOf("Notwithstanding unprecedented organisational considerations, administrators systematically deprioritise accessibility."),
    ).toBeGreaterThan(15);
    expect(
      prose(
        "# Title\n\nOne `x y z` two.\n\n```sh\nnever\n```\n\n| a | b |\n|---|---|\n\n<!-- not run: never -->\n- Three [four](five.md).",
      ),
    ).toBe("One x two. Three four.");
  });
});

it("what a user has to read is at most 45,000 words", () => {
  const aboutTheCode = /^docs\/(?:architecture|decisions)/;
  const words = pages(ROOT).flatMap(
    (file) => (file.startsWith("docs/") && !aboutTheCode.test(file) ? read(file).match(/\S+/g) : null) ?? [],
  );
  expect(words.length).toBeLessThanOrEqual(45_000);
});

describe("every link leads somewhere", () => {
  const others = ["evidence", "contributing"].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith(".md") ? [`${folder}/${name}`] : [])),
  );
  const files = [
    ...pages(ROOT),
    ...others,
    "CONTRIBUTING.md",
    "packages/team-server/PROTOCOL.md",
    "packages/core/knowledge/README.md",
    "examples/README.md",
  ];
  it.each(files)("%s", (file) => {
    const dead = linksOf(read(file)).filter((link) => {
      if (/^(?:https?|mailto):/.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(ROOT, target))) return true;
      return (
        anchor !== undefined && statSync(join(ROOT, target)).isFile() && target.endsWith(".md") && !anchorsOf(read(target)).includes(anchor)
      );
    });
    expect(dead).toEqual([]);
  });

  it("each page is reached from the README", () => {
    const reached = new Set(["README.md"]);
    for (const file of reached)
      for (const link of file.endsWith(".md") ? linksOf(read(file)) : []) {
        const target = normalize(join(dirname(file), link.split("#")[0] ?? ""));
        if (!/^https?:/.test(link) && existsSync(join(ROOT, target)) && statSync(join(ROOT, target)).isFile()) reached.add(target);
      }
    expect(pages(ROOT).filter((file) => !reached.has(file))).toEqual([]);
  });
});

describe("docs/security.md", () => {
  const rows = read("docs/security.md")
    .split("\n")
    .flatMap((line) => {
      const [, id = "", severity = "", limit = "", holds = "", ...more] = line.split(/ ?(?<!\\)\| ?/);
      return /^[A-Z]\d+$/.test(id) ? [{ id, severity, limit, holds, rest: more.join("") }] : [];
    });

  it("gives each limit an id of its own, a severity, and what holds by default", () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id, severity, limit, holds, rest } of rows) {
      expect([id, severity]).toEqual([id, expect.stringMatching(/^(?:high|medium|low)$/)]);
      expect([id, limit.length > 20, holds.length > 10, rest]).toEqual([id, true, true, ""]);
    }
  });
});
