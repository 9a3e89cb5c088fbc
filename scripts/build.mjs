// Builds dist/: `npm run build`, and before `npm pack`.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { filtersMade, makeFilters } from "./filters.mjs";
import { joinChunks } from "./join-chunks.mjs";
import { builtKnowledge, knowledgeBeside, knowledgeFiles, knowledgeFromFile, knowledgeNow, writeParts } from "./knowledge.mjs";
import {
  deferred,
  HOOKS,
  imported,
  importedBuiltins,
  LANGUAGES,
  lazyBuiltins,
  moduleParts,
  OF_FILES,
  protocols,
  RUNS,
  SELDOM,
  sourceOf,
  wholeParts,
} from "./parts.mjs";
import { sourceFile, sourceFolders } from "./packages.mjs";
import { shareModules } from "./shared-parts.mjs";
import { buildCore, declarations, LIBRARY, LIBRARY_EXTERNAL, writeWholeLibrary } from "./library.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = resolve(process.argv[2] ?? join(root, "dist"));
/** Where a build is made before it takes the place of the last one: an interrupted one leaves nothing behind that counts. */
mkdirSync(join(root, "node_modules/.cache/assent"), { recursive: true });
// node_modules may be a link, and esbuild says of a file where it really is.
const cache = realpathSync(join(root, "node_modules/.cache/assent"));
const fresh = join(cache, `build-${process.pid}`);
const old = join(cache, `old-${process.pid}`);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Changes with any source: caches written by another build are not read. */
function fingerprint() {
  const hash = createHash("sha256").update(version);
  for (const source of sourceFolders(root))
    for (const file of readdirSync(join(root, source), { recursive: true }).sort())
      if (/\.(?:tsx?|css|json)$/.test(file)) hash.update(join(source, file)).update(readFileSync(join(root, source, file)));
  for (const file of knowledgeFiles(root)) hash.update(file).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

/** Browsers that know `light-dark()`. */
const PAGE_TARGETS = ["chrome123", "firefox120", "safari17.5"];
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  alias: await writeParts(root, join(fresh, "knowledge")),
  define: { ASSENT_BUILD: JSON.stringify(fingerprint()), ASSENT_VERSION: JSON.stringify(version) },
};

/** A part, in the form in which node wraps modules: load-part.ts compiles the text in which it lies as it is. node:url takes half a millisecond. */
const FUNCTION = "function(exports,require,module,__filename,__dirname){";
const MODULE_URL = 'const moduleUrl="file://"+__filename.replace(/[^\\w./-]+/g,encodeURIComponent);';
const part = {
  ...common,
  format: "cjs",
  minify: true,
  external: ["./*.cjs"],
  define: { ...common.define, "import.meta.url": "moduleUrl" },
  banner: { js: FUNCTION },
  footer: { js: "}" },
};

/** What Node is started with. */
const starter = {
  ...common,
  minify: true,
  outdir: fresh,
  format: "cjs",
  external: ["./*.cjs", "./assent.mjs"],
  banner: { js: "#!/usr/bin/env node" },
  outExtension: { ".js": ".cjs" },
};

/** ES modules that share their chunks. */
const modules = {
  ...common,
  outdir: fresh,
  format: "esm",
  target: ["node20", "es2022"],
  splitting: true,
  minify: true,
  chunkNames: "chunks/[name]-[hash]",
  external: LIBRARY_EXTERNAL,
  outExtension: { ".js": ".mjs" },
};
const inRoot = (entries) => Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, join(root, source)]));

/** Whose modules each part takes, where they are the same. */
const TAKES = {
  "more.judge": ["hook"],
  "shell.obeyed": ["hook"],
  "more.reader": ["hook"],
  "start.confiner": ["hook"],
  "more.session": ["start.confiner"],
  "more.held-question": ["more.session", "more.reader"],
  "more.held-advice": ["more.held-question", "more.session", "more.reader"],
  "run.more": ["run"],
  "run.spare": ["run"],
  run: ["try"],
  "run.listen": ["run"],
  apply: ["try"],
};

/**
 * Each kilobyte of the hook is read at every call, and it has no reading of rules. Of a decision a run has a constant alone; all of it would
 * drag in what judges a tool's call.
 */
const HALVES = {
  hook: /^(?:policy\/(?:kinds\/|match\/tool-fields|layers|tables\/agent-table)|pattern\/regex|action\/call|state\/(?:live-runs|grants))/,
  "start.confiner": /^(?:state\/(?:replace|grants)|action\/call|agents\/install\/own)\.ts$/,
  run: /^engine\/decide\.ts$/,
};

const pageSource = join(root, "packages/page/src/page/ui");
const entry = (name) => join(root, "packages/assent/src/cli", `${name}.ts`);
mkdirSync(fresh, { recursive: true });
try {
  // First: all others read its tables.
  const core = await buildCore(root, common, fresh);
  const knowledge = await builtKnowledge(root, fresh);
  const filters = await makeFilters(root, common, fresh);
  writeFileSync(join(fresh, "knowledge.mjs"), knowledge.module);
  const parts = partsToBuild(filters, { ASSENT_KNOWLEDGE: JSON.stringify(knowledge.places) });
  const results = await Promise.all([
    buildParts(parts),
    build({ ...starter, entryPoints: [entry("load-hook")] }),
    // What starts has to be read by an older Node, too, which it says that it is; an `import()` is read by such a Node, and not run.
    build({ ...starter, target: "node12", supported: { "dynamic-import": true }, entryPoints: [entry("bin")] }),
    buildModules(),
    buildTeam(),
    // What `assent open` shows in a browser.
    build({
      ...common,
      entryPoints: { page: join(pageSource, "main.tsx"), enter: join(pageSource, "enter.ts"), style: join(pageSource, "page.css") },
      entryNames: "[name]",
      outdir: join(fresh, "page"),
      platform: "browser",
      mainFields: ["browser", "module", "main"],
      format: "iife",
      target: PAGE_TARGETS,
      minify: true,
      jsx: "automatic",
      jsxImportSource: "preact",
    }),
  ]);
  renameSync(join(fresh, "page/style.css"), join(fresh, "page/page.css"));
  for (const file of ["page.html", "enter.html", "icon.svg"]) copyFileSync(join(pageSource, file), join(fresh, "page", file));
  writeWholeLibrary(fresh);
  declarations(root, join(fresh, "types"));
  chmodSync(join(fresh, "bin.cjs"), 0o755);
  await writeStubs();
  copyFileSync(join(root, "packages/hosts/src/agents/install/ask.bash"), join(fresh, "ask.bash"));
  writeFileSync(join(fresh, "assent.1.gz"), gzipSync(readFileSync(join(root, "man/assent.1")), { level: 9 }));
  writeFileSync(
    join(fresh, "THIRD-PARTY-LICENSES.txt"),
    licences([...core, ...results].flat().flatMap((result) => Object.keys(result.metafile.inputs))),
  );
  // In one step, as far as a folder allows: a hook may run meanwhile.
  try {
    renameSync(out, old);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
  const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "/a" }, cwd: "/" });
  execFileSync(process.execPath, [join(root, "scripts/warm.mjs"), out], { input, stdio: ["pipe", "ignore", "inherit"] });
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** The command, what hosts load that load JavaScript, and the library: they share their chunks. */
async function buildModules() {
  const options = {
    ...modules,
    entryPoints: {
      assent: entry("main"),
      "team-sender": entry("team-sender"),
      "policy-preview": entry("policy-preview"),
      ...agentPlugins(),
      ...inRoot(LIBRARY),
      whole: wholeParts,
    },
    plugins: [knowledgeBeside(fresh), importedBuiltins, moduleParts(root)],
  };
  const made = await build(options);
  for (const { path, text } of await joinChunks(made, options, ["assent", "library", "ai-sdk", "langchain", "openai-agents"]))
    writeFileSync(path, text);
  return made;
}

/** What esbuild is given for each part. */
function partsToBuild(filters, tables) {
  const hooks = [SELDOM, OF_FILES, HOOKS];
  const runs = [SELDOM, RUNS];
  const made = (name, source, deferring, plugins = [], more = {}) => [
    name,
    { ...part, ...source, ...more, plugins: [...plugins, imported(root, name), protocols(root), deferred(root, deferring, name)] },
  ];
  const own = (name) => ({ stdin: { contents: sourceOf(root, name), resolveDir: root } });
  const cli = (name) => ({ entryPoints: [entry(name)] });
  const agent = (name, file) => [
    `hook.agent-${name}`,
    { ...part, stdin: { contents: `export { protocol } from ${JSON.stringify(file)};`, resolveDir: root }, plugins: [imported(root, "")] },
  ];
  const running = { supported: { "dynamic-import": false } };
  return Object.fromEntries([
    made("shell", own("shell"), [LANGUAGES], [knowledgeFromFile(root)], { define: { ...part.define, ...tables } }),
    made("more.survey", own("more.survey"), [{ shell: SELDOM.shell }], [knowledgeFromFile(root)], {
      define: { ...part.define, ...tables },
    }),
    ...["start.languages", "more.patch", "more.extensions", "hook.server", "hook.ignore", "hook.auto"].map((name) =>
      made(name, own(name), []),
    ),
    ...["more.consents", "shell.obeyed"].map((name) => made(name, own(name), [SELDOM, OF_FILES])),
    ...agentFiles().map(([name, file]) => agent(name, file)),
    made("hook", cli("hook"), hooks),
    ...["edit-keeper", "watch", "fleet-start"].map((name) => made(`hook.${name}`, cli(name), hooks)),
    made("start.confiner", { entryPoints: [sourceFile(root, "agents/install/confiner.ts")] }, hooks),
    made("more.reader", { entryPoints: [sourceFile(root, "engine/reader/index.ts")] }, hooks),
    ...["session", "held", "held-question", "held-advice"].map((name) => made(`more.${name}`, cli(name), hooks)),
    made("more.judge", cli("serve-daemon"), hooks),
    // `assent run`. Parts are loaded by `require`.
    made("run", cli("run-main"), runs, [filtersMade(filters.run), lazyBuiltins], running),
    made("run.more", own("run.more"), runs, [lazyBuiltins], running),
    made("run.spare", cli("spare"), runs, [lazyBuiltins], running),
    made("run.listen", own("run.listen"), runs, [filtersMade(filters.run), lazyBuiltins], running),
    ...["try", "apply"].map((name) => made(name, own(name), runs, [filtersMade(filters.try), lazyBuiltins], running)),
    made("start.front", cli("run-front"), [], [knowledgeFromFile(root), lazyBuiltins]),
    made("start.shell", cli("shell-start"), hooks),
    made("start.ended", cli("ended"), hooks),
    made("start.line", cli("line-main"), hooks),
    made("start.own-caches", cli("own-caches"), []),
  ]);
}

/** Writes the texts: each an object of functions, by the name of the part, of which none is read before it is called. */
async function buildParts(parts) {
  const folder = join(fresh, "parts");
  const outfile = (name) => join(folder, `${name}.cjs`);
  const sharing = await shareModules(
    Object.fromEntries(Object.entries(parts).map(([name, options]) => [name, { ...options, outfile: outfile(name) }])),
    TAKES,
    HALVES,
  );
  const built = await Promise.all(Object.values(sharing).map((options) => build(options)));
  for (const text of new Set(Object.keys(parts).map((name) => name.replace(/\..*/, "")))) {
    const own = Object.keys(parts).filter((name) => name === text || name.startsWith(`${text}.`));
    const functions = own.map((name) => {
      const code = readFileSync(outfile(name), "latin1").trim();
      return `${JSON.stringify(name)}:${code.includes("moduleUrl") ? code.replace(FUNCTION, () => FUNCTION + MODULE_URL) : code}`;
    });
    writeFileSync(join(fresh, `${text}.cjs`), `({${functions.join(",\n")}})\n`, "latin1");
  }
  rmSync(folder, { recursive: true });
  return built;
}

/** The package `assent-team`, in its own folder: what it takes from npm is installed with it. */
async function buildTeam() {
  const outfile = join(fresh, "team.mjs");
  const made = await build({
    ...common,
    entryPoints: [join(root, "packages/team-server/src/serve/index.ts")],
    outfile,
    format: "esm",
    packages: "external",
  });
  const folder = join(root, "packages/team-server/dist");
  mkdirSync(folder, { recursive: true });
  renameSync(outfile, join(folder, "team.mjs"));
  await build({
    ...common,
    entryPoints: [join(root, "packages/team-server/src/web/style.css")],
    outfile: join(folder, "style.css"),
    target: PAGE_TARGETS,
    minify: true,
  });
  // Nothing of it is a part of `assent`.
  return { ...made, metafile: { ...made.metafile, inputs: {} } };
}

/** The static programs of stubs/, which start hooks, ask and stand in front; the launcher with its table. */
async function writeStubs() {
  const outfile = join(fresh, "launcher.mjs");
  const entryPoints = [join(root, "packages/hosts/src/agents/install/launcher.ts")];
  await build({ ...common, alias: {}, plugins: [knowledgeNow(root)], entryPoints, outfile, format: "esm" });
  const { launcherTable, withTable } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  for (const name of readdirSync(join(root, "stubs")).filter((file) => /-(?:x64|arm64)$/.test(file))) {
    const program = readFileSync(join(root, "stubs", name));
    writeFileSync(join(fresh, name), name.startsWith("launch-") ? withTable(program, launcherTable()) : program);
    chmodSync(join(fresh, name), 0o755);
  }
}

/** Every agent's file: `NAME.ts`, or `NAME/index.ts` where an agent has a folder. */
function agentFiles() {
  const folder = join(root, "packages/hosts/src/agents");
  return readdirSync(folder, { recursive: true })
    .map((file) => [/^(\w+)(?:\/index)?\.ts$/.exec(file)?.[1], join(folder, file)])
    .filter(([name, file]) => name !== undefined && /^export const protocol\b/m.test(readFileSync(file, "utf8")));
}

/** What an agent that loads JavaScript loads of us: `NAME/plugin.ts`. */
function agentPlugins() {
  const files = agentFiles().map(([name, file]) => [`plugin-${name}`, join(dirname(file), "plugin.ts")]);
  return Object.fromEntries(files.filter(([, file]) => existsSync(file)));
}

/** The licences of what the bundles contain: a text that is the same for several stands there once. */
function licences(inputs) {
  const packages = new Set(inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/.][^/]*)\//.exec(file)?.[1] ?? []));
  const texts = new Map();
  for (const folder of [...packages].sort()) {
    const { name, version: own, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((found) => /^licen[cs]e/i.test(found));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(root, folder, file), "utf8").trim();
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${own} (${license})`]);
  }
  return [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`).join(`\n${"-".repeat(78)}\n\n`);
}
