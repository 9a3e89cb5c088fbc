import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const DOCS = join(import.meta.dirname, "../../docs");

/** What mkdtemp(3) makes for a script that plays a page. */
const SCRATCH = /\/[\w./-]*assent-[a-z-]+-\w{6}\//g;

it("no page shows the folder in which it was played", () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  expect(pages.flatMap((name) => readFileSync(join(DOCS, name), "utf8").match(SCRATCH) ?? [])).toEqual([]);
});
