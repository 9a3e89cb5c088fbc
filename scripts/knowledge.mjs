// What `#knowledge` names is made of packages/core/knowledge/*.table: dist/knowledge.mjs, and files of the core. What judging a command does
// not need is a module of its own (`#knowledge/services`), which is bundled with those who read it. Here are their makers and the plugins
// of those who bundle (esbuild) or run (vitest) the source.
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { specifierOf } from "./packages.mjs";
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
const PARTS = ["services", "variables"];

/** The reader of tables and the writer of records: the source is TypeScript. */
async function loadReader(root) {
  const outfile = join(root, "node_modules/.cache/assent", `tables-${process.pid}-${performance.now()}.mjs`);
  await build({
    stdin: {
      contents: [
        'export { mistakesInVariables } from "./asides.ts";',
        'export { printMistake, readTables } from "./read-table.ts";',
        'export { writeRecords } from "./write-records.ts";',
        `export { readToolServices } from ${specifierOf(root, "supervise/services/read.ts")};`,
      ].join("\n"),
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
  const { printMistake, readTables, readToolServices, mistakesInVariables, writeRecords } = await loadReader(root);
  const textsIn = (folder) => tablesOf(root, folder).map((file) => ({ name: basename(file, ".table"), text: readFileSync(file, "utf8") }));
  const { entries, asides, lines, mistakes } = readTables(textsIn("").map(({ name, text }) => ({ family: name, text })));
  const wrong = [
    ...mistakes.map(printMistake),
    ...readToolServices(textsIn("services")).mistakes,
    ...textsIn("variables").flatMap(({ name, text }) =>
      mistakesInVariables(text).map(([line, key, message]) => printMistake({ family: `variables/${name}`, line, key, message })),
    ),
  ];
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return { entries, asides, lines, writeRecords };
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

/**
 * The blocks of variables as the hook reads them, at every call of a host: an empty line between two, `=` for `harmless: `, `-` for `is: `,
 * alone where it is that of the block before.
 */
function brief(blocks) {
  let before = "";
  const lineOf = (line) => {
    if (line.startsWith("harmless: ")) return line.replace("harmless: ", "=");
    if (!line.startsWith("is: ")) return line;
    const said = line === before ? "-" : line.replace("is: ", "-");
    before = line;
    return said;
  };
  return blocks.map((lines) => lines.map(lineOf).join("\n")).join("\n\n");
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

/** All programs of which such a row is. */
const namesWith = (asides, key) => ` ${[...new Set(asides.flatMap((one) => (one.key === key ? one.names.split(" ") : [])))].join(" ")} `;

/** What rows `KIND WHAT` say, by their kinds. */
function byKind(asides, key, what) {
  const found = {};
  for (const one of asides) {
    const [, kind, rest] = /^(\S+) (.*)$/.exec(one.row) ?? [];
    if (one.key === key) (found[kind] ??= []).push(...what(rest, one.names));
  }
  return found;
}

/** A list for each of what commands of git do: whoever reads one does not bring along the others. */
const makeGit = (asides) =>
  Object.entries(byKind(asides, "does", (rest, names) => rest.split(" | ").map((words) => `${names} ${words}`)))
    .map(([kind, commands]) => constant(kind.toUpperCase(), commands))
    .join("");

/** Hosts of `public`. */
function makeHosts(asides) {
  const rows = asides.flatMap(({ key, row }) => (key === "public" ? [row] : []));
  const list = (some) => ` ${[...new Set(some.flatMap((row) => row.replace(/^forge | ->/, "").split(" ")))].join(" ")} `;
  const isForge = (row) => row.startsWith("forge ");
  const on = rows.map((row) => row.split(" -> ")).filter(({ length }) => length > 1);
  return [
    constant("FORGES", list(rows.filter(isForge))),
    constant("HANDED_OUT", list(rows.filter((row) => !isForge(row)))),
    constant("SENDS_ON", Object.fromEntries(on.map(([host, others]) => [host, others.split(" ")]))),
  ].join("");
}

/** Folders in which many places lie: they are written once. */
const COMMON = ["", ".config/", ".local/share/", "application support/", "library/", "/etc/", "/library/", "/var/lib/"];
const commonOf = ([path]) => COMMON.findLastIndex((folder) => path.startsWith(folder));

/** Paths of `private`, `startup` and `programs` by their form, each once and with the row that says it; those at home without the home folder. */
function placesIn(asides) {
  const found = {};
  const add = (name, path, row) => (found[name] ??= new Map()).has(path) || found[name].set(path, row);
  for (const row of asides.filter(({ key }) => ["private", "startup", "programs"].includes(key)))
    for (const path of row.row.replace(/^daily /, "").split("; ")) {
      const bare = path.replace(/^~\//, "").replace(/\/$/, "");
      const form = path.startsWith("/") ? "PLACES" : path.startsWith("~/") ? "AT_HOME" : path.endsWith("/") ? "FOLDERS" : "FILES";
      if (row.key === "private") add(`PRIVATE_${form}`, bare, row);
      else if (row.key === "startup")
        add(form === "PLACES" ? "STARTUP_PLACES" : path.endsWith("/") ? "STARTUP_AT_HOME" : "STARTUP_FILES", bare, row);
      else add("TOOL_FOLDERS", bare, row);
      if (row.row.startsWith("daily ")) add("PROGRAM_FOLDERS", bare, row);
    }
  return Object.entries(found).map(([name, paths]) => [name, [...paths].toSorted((a, b) => commonOf(a) - commonOf(b))]);
}

const makePlaces = (asides) =>
  [
    'const under = (folder, names) => names.split("; ").map((name) => folder + name);\n',
    ...placesIn(asides).map(([name, paths]) => {
      const lists = COMMON.map((folder, at) => [
        folder,
        paths.filter((one) => commonOf(one) === at).map(([path]) => path.slice(folder.length)),
      ]);
      const parts = lists.flatMap(([folder, names]) =>
        names.length === 0 ? [] : `...under(${JSON.stringify(folder)}, ${JSON.stringify(names.join("; "))})`,
      );
      return `export const ${name} = /* @__PURE__ */ (() => [${parts.join(", ")}])();\n`;
    }),
  ].join("");

/** Where the rows stand that say the places of a list, in its order: `TABLE LINE LINE; TABLE LINE`. */
function sourcesOf(paths) {
  const found = [];
  for (const [, { family, line }] of paths) {
    if (found.at(-1)?.[0] !== family) found.push([family]);
    found.at(-1).push(line);
  }
  return found.map((one) => one.join(" ")).join("; ");
}

function makeShellVariables(asides) {
  const { decides, ...others } = byKind(asides, "variables", (rest) => (rest.includes(" -- ") ? [rest.split(" -- ")] : rest.split(" ")));
  const rows = decides.map(([names, why]) => [names.split(" "), why]);
  return constant("SHELL_VARIABLES", others) + constant("DECIDING", rows);
}

/** A set of programs for each word of `is`, and rows `[name, value]` for each of `with`: whoever reads one does not bring along the others. */
function makeTraits(asides, entries) {
  const named = Object.entries(byKind(asides, "with", (value, names) => [[names, value]]));
  const traits = {};
  for (const { key, row, names } of asides)
    for (const trait of key === "is" ? row.split(" ") : []) (traits[trait] ??= []).push(...names.split(" "));
  // What bash has: the others say which shells do (`only`).
  const { subcommands } = entries.find(({ spec }) => spec.names === "builtin").spec;
  traits.builtin = Object.entries(subcommands).flatMap(([names, { only }]) => (only === undefined ? names.split("|") : []));
  return [
    ...Object.entries(traits).map(([trait, names]) => [
      trait,
      `/* @__PURE__ */ new Set(/* @__PURE__ */ ${JSON.stringify([...new Set(names)].join(" "))}.split(" "))`,
    ]),
    ...named.map(([what, rows]) => {
      const lines = {};
      for (const [names, value] of rows) lines[names] = `${lines[names] ?? names}\t${value}`;
      return [what, `/* @__PURE__ */ readRows(${JSON.stringify(Object.values(lines).join("\n"))})`];
    }),
  ]
    .map(([name, value]) => `export const ${name.toUpperCase().replaceAll("-", "_")} = ${value};\n`)
    .concat(String(readRows))
    .join("");
}

/** In the module itself: lines of names and what goes with them become rows `[name, value]`, which would be three times as long. */
function readRows(text) {
  return text.split("\n").flatMap((line) => {
    const [names, ...values] = line.split("\t");
    return names.split(" ").flatMap((name) => values.map((value) => [name, value]));
  });
}

/** The packs that are made of the tables (`npm run generate`), what all lines of one have in common written once. */
function makePacks(root) {
  const folder = join(root, "packages/core/packs");
  const packs = readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const same = [/ +\{"rule":"Shell\(/, /\)","reason":.*?,"match":\["/, /"\]\},/].map((form) => form.exec(text)?.[0] ?? "");
    const short = same.reduce((rest, part, at) => rest.replaceAll(part, `\t${at}`), text);
    const long = same.map((part, at) => `.replaceAll(${JSON.stringify(`\t${at}`)}, ${JSON.stringify(part)})`).join("");
    return `${JSON.stringify(basename(file, ".jsonc"))}: ${JSON.stringify(short)}${long}`;
  });
  return `export const PACKS = { ${packs.join(", ")} };\n`;
}

const constant = (name, value) => `export const ${name} = ${JSON.stringify(value)};\n`;
const HABITS = ["starts", "looks", "changes", "links", "reaches"];

/** What judging a command does not need, as modules by name. */
async function makeParts(root) {
  const { asides, entries } = await readKnowledge(root);
  return {
    "#knowledge/services": constant("TOOL_SERVICES", blocksIn(root, "services")),
    "#knowledge/following": constant("FOLLOWING", namesWith(asides, "follows")),
    "#knowledge/follows": constant(
      "FOLLOWS",
      asideRows(
        asides.filter(({ row }) => row !== "settings"),
        "follows",
      ),
    ),
    "#knowledge/git": makeGit(asides),
    "#knowledge/hosts": makeHosts(asides),
    "#knowledge/habits": HABITS.map((key) => constant(key.toUpperCase(), asideRows(asides, key))).join(""),
    "#knowledge/logins": constant("LOGINS", asideRows(asides, "login")),
    "#knowledge/packs": makePacks(root),
    "#knowledge/places": makePlaces(asides),
    "#knowledge/secrets": constant("SECRETS", asideRows(asides, "secret")),
    "#knowledge/shell-variables": makeShellVariables(asides),
    "#knowledge/sources": constant("SOURCES", Object.fromEntries(placesIn(asides).map(([name, paths]) => [name, sourcesOf(paths)]))),
    "#knowledge/steered": constant("STEERED", asideRows(asides, "steered")),
    "#knowledge/traits": makeTraits(asides, entries),
    "#knowledge/variables": constant("VARIABLES", brief(blocksIn(root, "variables"))),
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
