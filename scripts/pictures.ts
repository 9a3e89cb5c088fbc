// `npm run pictures`: draws the pictures of README and docs, from what the program really prints, from the folders and the tables.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawnPictures, terminalPictures } from "../test/docs/pictures.ts";
import { pagePictures } from "../test/page/pictures.ts";

const root = process.cwd();
mkdirSync(join(root, "docs/pictures"), { recursive: true });
for (const { file, svg } of [...drawnPictures(root), ...(await terminalPictures(root))]) {
  writeFileSync(join(root, file), svg);
  console.log(`wrote ${file}`);
}
// In Chromium, from the program as it is built.
for (const { file, png } of await pagePictures(root)) {
  writeFileSync(join(root, file), png);
  console.log(`wrote ${file}`);
}
