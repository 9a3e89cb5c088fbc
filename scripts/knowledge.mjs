// What `#knowledge` names is made of packages/core/knowledge/*.table: dist/knowledge.mjs, and files of the core. What judging a command does
// not need is a module of its own (`#knowledge/errands`), which is bundled with those who read it. Here are their makers and the plugins
// of those who bundle (esbuild) or run (vitest) the source.
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { cutTables, findPieces } from "./table-groups.mjs";

/** Where the tables lie. */
export const knowledgeFolder = (root) => join(root, "packages/core/knowledge");

/** Those of commands, or those in a folder beside them. */
export const tablesOf = (root, folder = "") =>
  readdirSync(join(knowledgeFolder(root), folder))
    .filter((file) => file.endsWith(".table"))
    .toSorted()
    .map((file) => join(knowledgeFolder(root), folder, file));

/** All files that knowledge is made of. */
export const knowledgeFiles = (root) => [...tablesOf(root), ...PARTS.flatMap((part) => tablesOf(root, part))];
const PARTS = ["errands", "variables"];

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

/** All entries of all tables, and what is said beside them; throws with file, line and key of everything that is wrong. */
export async function readKnowledge(root) {
  const { printMistake, readTables, writeRecords } = await loadReader(root);
  const files = tablesOf(root).map((file) => ({ family: /([\w-]+)\.table$/.exec(file)[1], text: readFileSync(file, "utf8") }));
  const { entries, asides, mistakes } = readTables(files);
  if (mistakes.length > 0) throw new Error(mistakes.map(printMistake).join("\n"));
  return { entries, asides, writeRecords };
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

/** A row for each block of the tables in a folder: what stands in its first lines, then a field each, examples left out. */
const blocksIn = (root, folder) =>
  tablesOf(root, folder)
    .flatMap((file) => readFileSync(file, "utf8").split(/\n{2,}/))
    .map((block) => block.split("\n").filter((line) => !/^\s*(?:#|allow:|ask:|$)/.test(line)))
    .filter((lines) => lines.length > 0)
    .map((lines) => [
      lines.filter((line) => !line.startsWith(" ")).join(" "),
      ...lines.filter((line) => line.startsWith(" ")).map((line) => line.trim()),
    ]);

/** A row each: the names of programs with a blank around each, a tab, and what is said. The same is said once. */
function asideRows(asides, key) {
  const named = new Map();
  for (const one of asides) if (one.key === key) named.set(one.row, `${named.get(one.row) ?? " "}${one.names} `);
  return [...named].map(([row, names]) => `${names}\t${row}\n`).join("");
}

const constant = (name, value) => `export const ${name} = ${JSON.stringify(value)};\n`;
const HABITS = ["starts", "looks", "changes", "links", "reaches"];

/** What judging a command does not need, as modules by name. */
async function makeParts(root) {
  const { asides } = await readKnowledge(root);
  return {
    "#knowledge/errands": constant("ERRANDS", blocksIn(root, "errands")),
    "#knowledge/habits": HABITS.map((key) => constant(key.toUpperCase(), asideRows(asides, key))).join(""),
    "#knowledge/secrets": constant("SECRETS", asideRows(asides, "secret")),
    "#knowledge/steered": constant("STEERED", asideRows(asides, "steered")),
    "#knowledge/variables": constant("VARIABLES", blocksIn(root, "variables")),
  };
}

/** Writes them into a folder: esbuild's `alias`. */
export async function writeParts(root, folder) {
  mkdirSync(folder, { recursive: true });
  const parts = Object.entries(await makeParts(root)).map(([name, text]) => {
    const file = join(folder, `${basename(name)}.mjs`);
    writeFileSync(file, text);
    return [name, file];
  });
  return Object.fromEntries(parts);
}

const makeModule = async (root, name) => (name === "#knowledge" ? makeKnowledge(root) : (await makeParts(root))[name]);

/** vitest and scripts: the tables as they are now, not as they were when dist/ was built. */
export const knowledgeNow = (root) => ({
  name: "knowledge-now",
  setup(bundle) {
    bundle.onResolve({ filter: /^#knowledge(?:\/|$)/ }, ({ path }) => ({ path, namespace: "knowledge" }));
    bundle.onLoad({ filter: /.*/, namespace: "knowledge" }, async ({ path }) => ({ contents: await makeModule(root, path), loader: "js" }));
  },
});

export const knowledgeForVitest = (root) => ({
  name: "knowledge",
  enforce: /** @type {const} */ ("pre"),
  resolveId: (id) => (/^#knowledge(?:\/|$)/.test(id) ? `\0${id}` : undefined),
  async load(id) {
    if (!id.startsWith("\0#knowledge")) return undefined;
    for (const file of knowledgeFiles(root)) this.addWatchFile(file);
    return makeModule(root, id.slice(1));
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
