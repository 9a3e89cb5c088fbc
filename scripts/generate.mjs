// `npm run generate`: writes what is generated from the code. Node 20 does not run TypeScript, so esbuild bundles it first.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: [new URL("./policy-docs.ts", import.meta.url).pathname],
  bundle: true,
  format: "esm",
  platform: "node",
  mainFields: ["module", "main"],
  write: false,
});
const { policyDocs } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

const top = new URL("../", import.meta.url);
for (const { file, update } of policyDocs) {
  const target = new URL(file, top);
  const before = await readFile(target, "utf8").catch(() => "");
  const after = update(before);
  if (after !== before) await writeFile(target, after);
  console.log(`${after === before ? "up to date" : "wrote"} ${file}`);
}
