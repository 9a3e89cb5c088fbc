// The library's part of dist/: `library.mjs` with its chunks (package export `.`), `core.mjs` (`./core`) and `types/`.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { knowledgeBeside } from "./knowledge.mjs";

/** Entries that are ES modules for node, by the name of the built file; `external` packages are the user's own. */
const ADAPTERS = ["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra"];
const ENTRIES = { library: "src/sdk/index.ts", ...Object.fromEntries(ADAPTERS.map((name) => [name, `src/sdk/${name}/index.ts`])) };
const EXTERNAL = ["koffi", "langchain"];
const CORE = "src/sdk/core/index.ts";

/**
 * @param {{ root: string, out: string, common: import("esbuild").BuildOptions }} options
 * @returns {Promise<readonly { metafile: import("esbuild").Metafile }[]>}
 */
export async function buildLibrary({ root, out, common }) {
  const shared = {
    ...common,
    outdir: out,
    format: "esm",
    minifySyntax: true,
    outExtension: { ".js": ".mjs" },
    plugins: [knowledgeBeside(out)],
  };
  const entries = Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, join(root, source)]));
  const results = await Promise.all([
    build({ ...shared, entryPoints: entries, splitting: true, chunkNames: "chunks/[name]-[hash]", external: EXTERNAL }),
    // Neither node nor a browser: what would need one of them does not build.
    build({ ...shared, entryPoints: { core: join(root, CORE) }, platform: "neutral", target: "es2022" }),
  ]);
  declarations(root, join(out, "types"));
  return results;
}

/** The declarations of what the entries export, and of nothing else. */
function declarations(root, folder) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", folder], { stdio: "inherit" });
  const wanted = new Set();
  const visit = (file) => {
    if (wanted.has(file)) return;
    if (!existsSync(file)) throw new Error(`no declarations: ${file}`);
    wanted.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, target] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g)) visit(`${resolve(dirname(file), target)}.d.ts`);
    writeFileSync(file, text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
  };
  for (const source of [...Object.values(ENTRIES), CORE]) visit(join(folder, source.replace(/^src\/(.*)\.ts$/, "$1.d.ts")));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).toReversed()) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !wanted.has(path)) rmSync(path);
  }
  prune(folder);
}

function prune(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) prune(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
