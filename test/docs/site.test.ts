import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("every page of docs/ has one place in the site's sidebar, and the sidebar names no other", () => {
  const kinds = JSON.parse(readFileSync(join(import.meta.dirname, "../../site/sidebar.json"), "utf8")) as [kind: string, paths: string[]][];
  const there = readdirSync(join(import.meta.dirname, "../../docs"), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [`${entry.name}/`] : entry.name.endsWith(".md") ? [entry.name] : []))
    .filter((name) => name !== "pictures/");
  expect(kinds.flatMap(([, paths]) => paths).toSorted()).toEqual(there.toSorted());
});
