// API pages of every entry of the package: `npm run api`, then open api/out/index.html.
import { readFileSync } from "node:fs";

const { exports, version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const declarations = Object.values(exports).flatMap((entry) => (entry.types === undefined ? [] : [`../${entry.types.slice(2)}`]));

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: `Assent ${version}`,
  entryPoints: declarations,
  tsconfig: "tsconfig.json",
  basePath: "../dist/types/sdk",
  out: "out",
  readme: "../docs/library.md",
  disableSources: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  treatWarningsAsErrors: false,
};
