import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { agentsDocs } from "../../scripts/agents-docs.ts";
import { toolServiceDocs } from "../../scripts/service-table.ts";
import { libraryDocs } from "../../scripts/library-docs.ts";
import { policyDocs } from "../../scripts/policy-docs.ts";
import { reasonsDocs } from "../../scripts/reasons-docs.ts";

it("every page of docs/, and every page that is made for it, has one place in the site's sidebar, and the sidebar names no other", () => {
  const kinds = JSON.parse(readFileSync(join(import.meta.dirname, "../../site/sidebar.json"), "utf8")) as [kind: string, paths: string[]][];
  const there = readdirSync(join(import.meta.dirname, "../../docs"), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [`${entry.name}/`] : entry.name.endsWith(".md") ? [entry.name] : []))
    .filter((name) => name !== "pictures/");
  const made = [...agentsDocs, ...toolServiceDocs, ...libraryDocs, ...policyDocs, ...reasonsDocs].flatMap(({ file }) =>
    file.startsWith("site/generated/") ? [basename(file)] : [],
  );
  expect(kinds.flatMap(([, paths]) => paths).toSorted()).toEqual([...there, ...made].toSorted());
});
