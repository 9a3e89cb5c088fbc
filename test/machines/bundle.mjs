// `node test/machines/bundle.mjs FOLDER FILE…`: suites as one file each that node runs alone, beside what they read of their own folder.
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { knowledgeNow } from "../../scripts/knowledge.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [folder = "", ...files] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const all = files.some((file) => file.startsWith("test/supervise/sandbox/")) ? [...files, "test/supervise/sandbox/inside.ts"] : files;
for (const file of all)
  await build({
    entryPoints: [resolve(root, file)],
    // In the folders they have here: what they name by import.meta.dirname is found.
    outfile: join(folder, dirname(file), `${basename(file, ".ts")}.mjs`),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["*.node"],
    alias: { vitest: join(root, "test/machines/vitest.mjs"), esbuild: join(root, "test/machines/bundled.mjs") },
    banner: { js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);' },
    logLevel: "error",
    plugins: [knowledgeNow(root)],
  });
// The harness's own first process lies beside its module, which is now part of each suite.
if (existsSync(join(folder, "test/escape"))) cpSync(join(root, "test/escape/harness/inside.sh"), join(folder, "test/escape/inside.sh"));
