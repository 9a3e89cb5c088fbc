// `npm run plots`: draws the plots of the docs from what was measured last (bench/*.json), by the code that makes the page's plots, and
// writes the table of growth into evidence/performance.md.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { growthTable, plotPictures, writeGrowthTable } from "../test/docs/plots.ts";

const root = process.cwd();
for (const { file, svg } of plotPictures(root)) {
  writeFileSync(join(root, file), svg);
  console.log(`wrote ${file}`);
}
writeGrowthTable(join(root, "evidence/performance.md"), growthTable(root));
