// The pages as the site takes them: docs/ and what `npm run generate` made as they are, the README as the first page.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
rmSync(at("pages"), { recursive: true, force: true });
rmSync(at("_site"), { recursive: true, force: true });
for (const folder of ["../docs", "generated"]) cpSync(at(folder), at("pages"), { recursive: true, dereference: true });
const first = readFileSync(at("../README.md"), "utf8");
writeFileSync(
  at("pages/index.md"),
  first.replaceAll("](docs/", "](").replaceAll(/\]\((CONTRIBUTING|SECURITY|evidence\/[a-z]+)\.md/g, "](../$1.md"),
);
