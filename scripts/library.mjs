// The library's part of dist/: `library.mjs` (package export `.`), `core.mjs` (`./core`), the adapters, and `types/`.
import { build, transform } from "esbuild";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { allParts, coreParts } from "./core-parts.mjs";
import { knowledgeFolder, readKnowledge } from "./knowledge.mjs";
import { exportsOf } from "./parts.mjs";
import { nameOfSource, packageFile, SCOPE, sourceFile, specifierOf } from "./packages.mjs";
import { cutTables } from "./table-groups.mjs";
import { shakeDeclarations } from "./shake-declarations.mjs";

const ADAPTERS = ["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra", "opentelemetry"];
const CORE = "packages/library/src/sdk/core/index.ts";
const CORE_RULES = "packages/library/src/sdk/core/rules/index.ts";
/** Entries that are ES modules, by the name of the built file, as Node loads them: the analysis of commands when one occurs. */
export const LIBRARY = {
  library: "packages/library/src/sdk/index.ts",
  compat: "packages/library/src/sdk/compat/index.ts",
  ...Object.fromEntries(ADAPTERS.map((name) => [name, `packages/library/src/sdk/${name}/index.ts`])),
  mcp: "packages/library/src/sdk/mcp-transport/index.ts",
};
/** The same in one piece, for programs that are bundled with it (the condition `module`). */
export function writeWholeLibrary(out) {
  for (const name of Object.keys(LIBRARY))
    writeFileSync(join(out, `whole-${name}.mjs`), `import "./whole.mjs";\nexport * from "./${name}.mjs";\n`);
}
/** Packages that are the user's own. */
export const LIBRARY_EXTERNAL = ["langchain", "@opentelemetry/api"];

/** What is about commands alone: whoever comes to it all the same is told so, and nothing is allowed. */
const ABOUT_COMMANDS =
  /src[\\/](?:shell[\\/]index|policy[\\/](?:match[\\/]exec-words|tables[\\/]agent-commands|floor-commands|shell-builtins|named-paths|kinds[\\/](?:bash|shell|option|command)))\.ts$/;
/** What only happens where something can run confined: nothing does here. */
const ABOUT_RUNS = /src[\\/]policy[\\/]confine-all\.ts$/;

const without = (root, files, refuse) => ({
  name: `without-${refuse}`,
  setup(bundle) {
    bundle.onLoad({ filter: files }, ({ path }) => {
      const values = exportsOf(path).map(([name]) => name);
      return {
        contents: [
          `import { ${refuse} } from ${specifierOf(root, "sdk/core/no-commands.ts")};`,
          ...values.map((name) => `export const ${name} = ${refuse};`),
        ].join("\n"),
        resolveDir: dirname(path),
        loader: "ts",
      };
    });
  },
});

/** Reasons and dangers that nothing in these folders names: of supervised runs, or of commands. Whoever asks for one fails, and asks. */
const TABLES = { "policy/match/reason-table.ts": "REASONS", "action/danger.ts": "DANGERS" };

const onlyNamed = (root, left, also = []) => ({
  name: "only-named",
  setup(bundle) {
    const isLeft = (file) => left.some((pattern) => pattern.test(file)) || Object.keys(TABLES).some((table) => file.endsWith(table));
    const text = ["action", "edit", "pattern", "patch", "path", "policy", "request", "sdk/core", "sdk/create-guard", "shell"]
      .map((folder) => sourceFile(root, folder))
      .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
      .filter((file) => file.endsWith(".ts") && !isLeft(file))
      .concat(also)
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const beginnings = [...text.matchAll(/`([a-z]+[.-](?:[a-z]+[.-])*)\$\{/g)].map(([, beginning]) => beginning);
    bundle.onLoad({ filter: /[\\/](?:policy[\\/]match[\\/]reason-table|action[\\/]danger)\.ts$/ }, async ({ path }) => {
      const table = TABLES[nameOfSource(root, path).replaceAll("\\", "/")];
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "ts", format: "esm" });
      const given = await import(`data:text/javascript,${encodeURIComponent(code)}`);
      // As `REASONS.none`, as a key, as a word of a table, and put together (`protect.net-${reach}`), too.
      const isNamed = (id) =>
        beginnings.some((beginning) => id.startsWith(beginning)) ||
        new RegExp(`["\`. ]${id.replaceAll(".", "\\.")}(?![\\w-])`).test(text) ||
        new RegExp(`^\\s*"?${id}"?: `, "m").test(text);
      const kept = Object.fromEntries(Object.entries(given[table]).filter(([id]) => isNamed(id)));
      const others = Object.keys(given).filter((name) => name !== table);
      const written = (value) => (typeof value === "function" ? String(value) : JSON.stringify(value));
      const lines = [table, ...others].map((name) => `export const ${name} = ${written(name === table ? kept : given[name])};`);
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
});

/** The core, for neither Node nor a browser: where it would need one of them it does not build. Its tables are without notes for people. */
export const buildCore = async (root, common, out) => {
  const tables = cutTables(await readKnowledge(root));
  const knowledge = readdirSync(knowledgeFolder(root), { recursive: true })
    .map((name) => join(knowledgeFolder(root), String(name)))
    .filter((file) => file.endsWith(".table"));
  const pure = [without(root, ABOUT_RUNS, "refuseRuns")];
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
  const built = await Promise.all([
    buildPure({
      ...core,
      entryPoints: { core: join(root, CORE), "core/give-parts": join(root, "packages/library/src/sdk/core/parts.ts") },
      chunkNames: "core/[hash]",
      plugins: [...pure, onlyNamed(root, [ABOUT_RUNS], knowledge), coreParts(root, tables)],
    }),
    buildPure({
      ...core,
      entryPoints: { "core-rules": join(root, CORE_RULES) },
      chunkNames: "core-rules/[hash]",
      plugins: [
        ...pure,
        without(root, ABOUT_COMMANDS, "refuseCommands"),
        onlyNamed(root, [ABOUT_RUNS, ABOUT_COMMANDS, /src[\\/]shell[\\/]/]),
        coreParts(root, undefined),
      ],
    }),
  ]);
  const outputs = Object.entries(built[0].metafile.outputs).map(([path, output]) => [`./${relative(out, join(root, path))}`, output]);
  writeFileSync(join(out, "core-given.mjs"), allParts(Object.fromEntries(outputs)));
  return built;
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

/** The declarations of what the entries export, and of nothing else. Each lies by the name of its file: whoever installs Assent has no packages of ours. */
export function declarations(root, folder) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", folder], { stdio: "inherit" });
  const texts = new Map();
  const declared = (source) => source.replace(/\.ts$/, ".d.ts");
  const placeOf = (file) => join(folder, nameOfSource(folder, file));
  const visit = (file) => {
    const place = placeOf(file);
    if (texts.has(place)) return place;
    if (!existsSync(file)) throw new Error(`no declarations: ${file}`);
    texts.set(place, "");
    const named = readFileSync(file, "utf8").replace(/((?:from |import\()")(\.[^"]+\.ts|@assent\/[^"]+)"/g, (_, head, from) => {
      const source = from.startsWith(SCOPE) ? packageFile(folder, from) : resolve(dirname(file), from);
      const target = relative(dirname(place), visit(declared(source))).replace(/\.d\.ts$/, ".js");
      return `${head}${target.startsWith(".") ? target : `./${target}`}"`;
    });
    texts.set(
      place,
      named.replace(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4)),
    );
    return place;
  };
  const entries = [CORE, CORE_RULES, ...Object.values(LIBRARY)].map((source) => visit(join(folder, declared(source))));
  rmSync(folder, { recursive: true });
  for (const [file, text] of shakeDeclarations(texts, entries)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
