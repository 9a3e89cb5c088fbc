// What `#knowledge` names is made of packages/core/knowledge/*.table: dist/knowledge.mjs, and files of the core. Here are its maker
// and the plugins of those who bundle (esbuild) or run (vitest) the source.
import { build } from "esbuild";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { cutTables, findPieces } from "./table-groups.mjs";

/** Where the tables lie. */
export const knowledgeFolder = (root) => join(root, "packages/core/knowledge");

export const tablesOf = (root) =>
  readdirSync(knowledgeFolder(root))
    .filter((file) => file.endsWith(".table"))
    .toSorted()
    .map((file) => join(knowledgeFolder(root), file));

/** The reader of tables and the writer of records: the source is TypeScript. */
async function loadReader(root) {
  const outfile = join(root, "node_modules/.cache/assent", `tables-${process.pid}-${performance.now()}.mjs`);
  await build({
    stdin: {
      contents: 'export { printMistake, readTables } from "./read-table.ts"; export { writeRecords } from "./write-records.ts";',
      resolveDir: join(root, "packages/core/src/shell/knowledge"),
    },
    bundle: true,
    format: "esm",
    platform: "neutral",
    outfile,
    logLevel: "warning",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** All entries of all tables; throws with file, line and key of everything that is wrong. */
export async function readKnowledge(root) {
  const { printMistake, readTables, writeRecords } = await loadReader(root);
  const files = tablesOf(root).map((file) => ({ family: /([\w-]+)\.table$/.exec(file)[1], text: readFileSync(file, "utf8") }));
  const { entries, mistakes } = readTables(files);
  if (mistakes.length > 0) throw new Error(mistakes.map(printMistake).join("\n"));
  return { entries, writeRecords };
}

const raw = (name, text) => `export const ${name} = String.raw\`${text}\`;\n`;

/** All tables as one module. */
export async function makeKnowledge(root) {
  const { index, records, notes } = cutTables(await readKnowledge(root));
  return raw("INDEX", index) + raw("RECORDS", records) + raw("NOTES", notes);
}

/**
 * `module` is the file beside a built core, whose files have the records. All texts are ASCII without a backquote, so what is between two
 * bytes of a file is the same as what is between two characters of a text: `places` says where they begin and end, for the hook, which
 * reads pieces of the files.
 */
export async function builtKnowledge(root, dist) {
  const { index, notes, pieces } = cutTables(await readKnowledge(root));
  const found = findPieces(dist, pieces);
  const text = raw("INDEX", index) + raw("NOTES", notes);
  const place = (part) => [text.indexOf(part), text.indexOf(part) + part.length];
  const module = [
    text,
    ...found.map(({ file }, at) => `import { RECORDS as r${at} } from "./${file}";\n`),
    `export const RECORDS = ${found.map((_, at) => `r${at}`).join(" + ")};\n`,
  ].join("");
  return { module, places: { index: place(index), notes: place(notes), pieces: found.map(({ start, file, at }) => [start, file, at]) } };
}

/** vitest and scripts: the tables as they are now, not as they were when dist/ was built. */
export const knowledgeNow = (root) => ({
  name: "knowledge-now",
  setup(bundle) {
    bundle.onResolve({ filter: /^#knowledge$/ }, ({ path }) => ({ path, namespace: "knowledge" }));
    bundle.onLoad({ filter: /.*/, namespace: "knowledge" }, async () => ({ contents: await makeKnowledge(root), loader: "js" }));
  },
});

export const knowledgeForVitest = (root) => ({
  name: "knowledge",
  enforce: /** @type {const} */ ("pre"),
  resolveId: (id) => (id === "#knowledge" ? "\0knowledge" : undefined),
  async load(id) {
    if (id !== "\0knowledge") return undefined;
    for (const file of tablesOf(root)) this.addWatchFile(file);
    return makeKnowledge(root);
  },
});

/** Modules in dist/: all import the one file. */
export const knowledgeBeside = (out, name = "knowledge.mjs") => ({
  name: "knowledge-beside",
  setup(bundle) {
    bundle.onResolve({ filter: /^#knowledge$/ }, ({ path }) => ({ path, external: true }));
    bundle.onEnd(({ metafile, errors }) => {
      if (errors.length > 0) return;
      for (const [file, { imports }] of Object.entries(metafile.outputs)) {
        if (!imports.some(({ path }) => path === "#knowledge")) continue;
        const path = join(bundle.initialOptions.absWorkingDir, file);
        const target = relative(dirname(path), join(out, name));
        const text = readFileSync(path, "utf8");
        writeFileSync(path, text.replaceAll('"#knowledge"', JSON.stringify(target.startsWith(".") ? target : `./${target}`)));
      }
    });
  },
});

/** The hook: it reads from the file what it needs of it. */
export const knowledgeFromFile = (root) => ({
  name: "knowledge-from-file",
  setup(bundle) {
    bundle.onResolve({ filter: /\/records\.ts$/ }, () => ({ path: join(root, "packages/assent/src/cli/knowledge-file.ts") }));
  },
});
