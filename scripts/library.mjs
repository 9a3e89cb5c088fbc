// The library's part of dist/: `library.mjs` (package export `.`), `core.mjs` (`./core`), the adapters, and `types/`.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { coreParts, cutTables } from "./core-parts.mjs";
import { readKnowledge } from "./knowledge.mjs";

const ADAPTERS = ["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra", "opentelemetry"];
const CORE = "src/sdk/core/index.ts";
const CORE_RULES = "src/sdk/core/rules/index.ts";
/** Entries that are ES modules, by the name of the built file, as Node loads them: the analysis of commands when one occurs. */
export const LIBRARY = {
  library: "src/sdk/index.ts",
  ...Object.fromEntries(ADAPTERS.map((name) => [name, `src/sdk/${name}/index.ts`])),
  mcp: "src/sdk/mcp-transport/index.ts",
};
/** The same in one piece, for programs that are bundled with it (the condition `module`). */
export const WHOLE_LIBRARY = Object.fromEntries(Object.entries(LIBRARY).map(([name, file]) => [`whole-${name}`, file]));
/** Packages that are the user's own. */
export const LIBRARY_EXTERNAL = ["langchain", "@opentelemetry/api"];

/** What is about commands alone: whoever comes to it all the same is told so, and nothing is allowed. */
const ABOUT_COMMANDS =
  /src[\\/](?:shell[\\/]index|policy[\\/](?:exec-words|agent-commands|shell-builtins|named-paths|kinds[\\/](?:bash|shell|option|command)))\.ts$/;

const withoutCommands = (root) => ({
  name: "without-commands",
  setup(bundle) {
    bundle.onLoad({ filter: ABOUT_COMMANDS }, ({ path }) => {
      const names = [...readFileSync(path, "utf8").matchAll(/^export (?:(?:const|function) (\w+)|\{([^}]*)\})/gm)].flatMap(
        ([, one, list]) => (one === undefined ? list.split(",").map((name) => name.trim()) : [one]),
      );
      const values = names.filter((name) => name !== "" && !name.startsWith("type "));
      return {
        contents: [
          `import { refuseCommands } from ${JSON.stringify(join(root, "src/sdk/core/no-commands.ts"))};`,
          ...values.map((name) => `export const ${name} = refuseCommands;`),
        ].join("\n"),
        resolveDir: dirname(path),
        loader: "ts",
      };
    });
  },
});

/** The core, for neither Node nor a browser: where it would need one of them it does not build. Its tables are without notes for people. */
export const buildCore = async (root, common, out) => {
  const tables = cutTables(await readKnowledge(root));
  const core = {
    ...common,
    platform: "neutral",
    format: "esm",
    target: ["node20", "es2022"],
    minify: true,
    splitting: true,
    outdir: out,
    outExtension: { ".js": ".mjs" },
  };
  return await Promise.all([
    buildPure({ ...core, entryPoints: { core: join(root, CORE) }, chunkNames: "core/[hash]", plugins: [coreParts(root, tables)] }),
    buildPure({
      ...core,
      entryPoints: { "core-rules": join(root, CORE_RULES) },
      chunkNames: "core-rules/[hash]",
      plugins: [withoutCommands(root), coreParts(root, undefined)],
    }),
  ]);
};

/**
 * An import of a file of which nothing is taken is left out: here no file does anything when it is loaded (`sideEffects`). Whoever bundles
 * the core would have to load it all the same, or would be warned of it.
 */
async function buildPure(options) {
  const result = await build({ ...options, write: false });
  for (const { path, text } of result.outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replace(/(?<=^|[;\n])import"\.[^"]*\.mjs";/g, ""));
  }
  return result;
}

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
  for (const source of [CORE, CORE_RULES, ...Object.values(LIBRARY)]) visit(join(folder, source.replace(/^src\/(.*)\.ts$/, "$1.d.ts")));
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
