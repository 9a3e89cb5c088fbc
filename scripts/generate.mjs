// `npm run generate`: writes what is generated from the code. Node 20 does not run TypeScript, so esbuild bundles it first.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { commandsDocs } from "./commands-docs.mjs";
import { knowledgeNow } from "./knowledge.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

/** What a TypeScript file beside this one exports. */
async function load(name) {
  const outfile = join(root, "node_modules/.cache/assent", `${name}.mjs`);
  await build({
    entryPoints: [join(root, "scripts", `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
    plugins: [knowledgeNow(root)],
  });
  return import(pathToFileURL(outfile).href);
}

const { policyDocs } = await load("policy-docs");
const { cliDocs } = await load("cli-docs");
const { agentsDocs } = await load("agents-docs");
const { libraryDocs } = await load("library-docs");
const { reasonsDocs } = await load("reasons-docs");
for (const { file, update } of [...policyDocs, ...cliDocs, ...agentsDocs, ...libraryDocs, ...reasonsDocs, ...(await commandsDocs(root))]) {
  const target = join(root, file);
  const before = await readFile(target, "utf8").catch(() => "");
  const after = update(before);
  await mkdir(dirname(target), { recursive: true });
  if (after !== before) await writeFile(target, after);
  console.log(`${after === before ? "up to date" : "wrote"} ${file}`);
}
