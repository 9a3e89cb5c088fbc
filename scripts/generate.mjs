// `npm run generate`: writes what is generated from the code. Node 20 does not run TypeScript, so esbuild bundles it first.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { format } from "oxfmt";
import { knowledgeNow } from "./knowledge.mjs";
import { packPages } from "./packs.mjs";

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

const { printWidth } = JSON.parse(await readFile(join(root, ".oxfmtrc.json"), "utf8"));

/** Sources as oxfmt has them. */
async function write(pages) {
  for (const { file, update } of pages) {
    const target = join(root, file);
    const before = await readFile(target, "utf8").catch(() => "");
    const written = update(before);
    const after = file.endsWith(".ts") ? (await format(file, written, { printWidth })).code : written;
    await mkdir(dirname(target), { recursive: true });
    if (after !== before) await writeFile(target, after);
    console.log(`${after === before ? "up to date" : "wrote"} ${file}`);
  }
}

// First, as the other pages are made from sources that read them.
await write(await packPages(root));
await write((await load("agent-table")).agentTableDocs);
await write((await load("service-table")).toolServiceDocs);
await write((await load("policy-docs")).policyDocs);
await write((await load("cli-docs")).cliDocs);
await write((await load("agents-docs")).agentsDocs);
await write((await load("library-docs")).libraryDocs);
await write((await load("reasons-docs")).reasonsDocs);
await write((await load("machines-docs")).machinesDocs);
