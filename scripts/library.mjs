// The library's part of dist/: `library.mjs` (package export `.`), `core.mjs` (`./core`), the adapters, and `types/`.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const ADAPTERS = ["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra", "opentelemetry"];
const CORE = "src/sdk/core/index.ts";
/** Entries that are ES modules, by the name of the built file, as Node loads them: the analysis of commands when one occurs. */
export const LIBRARY = {
  library: "src/sdk/index.ts",
  ...Object.fromEntries(ADAPTERS.map((name) => [name, `src/sdk/${name}/index.ts`])),
  mcp: "src/sdk/mcp-transport/index.ts",
};
/** The same in one piece, for programs that are bundled with it (the condition `module`), and the core, which needs no Node. */
export const WHOLE_LIBRARY = { core: CORE, ...Object.fromEntries(Object.entries(LIBRARY).map(([name, file]) => [`whole-${name}`, file])) };
/** Packages that are the user's own. */
export const LIBRARY_EXTERNAL = ["langchain", "@opentelemetry/api"];

/** Neither node nor a browser: where the core would need one of them it does not build. */
export const checkCore = (root, common) =>
  build({ ...common, entryPoints: [join(root, CORE)], platform: "neutral", write: false, external: ["#knowledge"] });

/** The declarations of what the entries export, and of nothing else. */
export function declarations(root, folder) {
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
  for (const source of [CORE, ...Object.values(LIBRARY)]) visit(join(folder, source.replace(/^src\/(.*)\.ts$/, "$1.d.ts")));
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
