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
  importedBuiltins,
  languages,
  lazyBuiltins,
  lazyExtensions,
  lazyIgnore,
  lazyLanguages,
  lazyObeyed,
  lazyPatch,
  lazyShell,
  lazyReader,
  lazyRun,
  lazyRunItself,
  lazyServer,
  lazySurvey,
  moduleParts,
  runMore,
  wholeParts,
} from "./lazy-parts.mjs";
import { sourceFile, sourceFolders, specifierOf } from "./packages.mjs";
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

/** What the hook is made of, in the form in which node wraps modules: load-hook.ts compiles it as it lies there. */
const part = {
  ...common,
  format: "cjs",
  minify: true,
  external: ["./*.cjs"],
  banner: { js: "(function(exports,require,module,__filename,__dirname){" },
  footer: { js: "})" },
};

/** `import.meta.url` of a part; node:url takes a fresh process half a millisecond for it. */
const MODULE_URL = 'const moduleUrl="file://"+__filename.replace(/[^\\w./-]+/g,encodeURIComponent);';

/** Agents' own rules are read by commands alone. */
const withoutRules = [...part.external, "./rules.ts", "./*/rules.ts"];

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

/** A part that may ask where it lies. */
const placed = { ...part, define: { ...part.define, "import.meta.url": "moduleUrl" }, banner: { js: `${part.banner.js}${MODULE_URL}` } };

/** Whose modules each part takes, where they are the same. */
const TAKES = {
  resident: ["hook"],
  obeyed: ["hook"],
  reader: ["hook"],
  confiner: ["hook"],
  session: ["confiner"],
  "held-question": ["session", "reader"],
  "held-advice": ["held-question", "session", "reader"],
  "run-more": ["run"],
  spare: ["run"],
};

/**
 * Each kilobyte of the hook is read at every call, and it has no reading of rules. Of a decision a run has a constant alone; all of it would
 * drag in what judges a tool's call.
 */
const HALVES = {
  hook: /^(?:policy\/(?:kinds\/|match\/tool-fields|layers|tables\/agent-table)|pattern\/regex|action\/call|state\/(?:live-runs|grants))/,
  confiner: /^(?:state\/(?:replace|grants)|action\/call|agents\/install\/own)\.ts$/,
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
  const fromFile = { define: { ...part.define, ASSENT_KNOWLEDGE: JSON.stringify(knowledge.places) } };
  const sharing = await shareModules(sharingParts(filters), TAKES, HALVES);
  const results = await Promise.all([
    ...Object.values(sharing).map((options) => build(options)),
    build({
      ...part,
      entryPoints: { server: join(root, "packages/core/src/request/server-fields.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
    }),
    build({
      ...part,
      ...fromFile,
      entryPoints: { shell: join(root, "packages/core/src/shell/index.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
      plugins: [knowledgeFromFile(root), lazyLanguages],
    }),
    build({
      ...part,
      ...fromFile,
      entryPoints: { survey: join(root, "packages/core/src/shell/survey/index.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
      plugins: [knowledgeFromFile(root), lazyShell],
    }),
    build({
      ...part,
      stdin: { contents: languages, resolveDir: join(root, "packages/core/src/shell/languages") },
      outfile: join(fresh, "languages.cjs"),
    }),
    build({
      ...part,
      entryPoints: { ignore: join(root, "packages/core/src/policy/git-ignore.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
    }),
    build({
      ...part,
      entryPoints: { patch: join(root, "packages/core/src/patch/index.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
    }),
    ...agentParts(),
    build({
      ...part,
      entryPoints: { consents: join(root, "packages/guard/src/engine/consents/find.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
      plugins: [lazyShell],
    }),
    build({
      ...part,
      entryPoints: { extensions: join(root, "packages/guard/src/engine/extensions/run.ts") },
      outdir: fresh,
      outExtension: { ".js": ".cjs" },
    }),
    build({
      ...part,
      entryPoints: [entry("shell-start")],
      outfile: join(fresh, "shell-start.cjs"),
      external: withoutRules,
      plugins: [lazyShell, lazySurvey],
    }),
    build({ ...part, entryPoints: [entry("ended")], outfile: join(fresh, "ended.cjs"), external: withoutRules }),
    build({
      ...part,
      entryPoints: [entry("line-main")],
      outfile: join(fresh, "line.cjs"),
      plugins: [lazyShell, lazySurvey],
      // It stands in a module of which nothing is taken over.
      logOverride: { "empty-import-meta": "silent" },
    }),
    build({ ...part, entryPoints: [entry("watch")], outfile: join(fresh, "watch.cjs") }),
    build({ ...part, entryPoints: [entry("edit-keeper")], outfile: join(fresh, "edit-keeper.cjs") }),
    build({ ...part, entryPoints: [entry("held")], outfile: join(fresh, "held.cjs") }),
    build({ ...part, entryPoints: [entry("fleet-start")], outfile: join(fresh, "fleet-start.cjs") }),
    build({
      ...common,
      minify: true,
      entryPoints: [entry("load-hook"), entry("watched")],
      outdir: fresh,
      format: "cjs",
      external: ["./*.cjs", "./assent.mjs"],
      banner: { js: "#!/usr/bin/env node" },
      outExtension: { ".js": ".cjs" },
    }),
    build({ ...part, entryPoints: [entry("own-caches")], outfile: join(fresh, "own-caches.cjs") }),
    build({
      ...part,
      entryPoints: [entry("run-front")],
      outfile: join(fresh, "run-front.cjs"),
      plugins: [lazyBuiltins],
      define: { ...part.define, "import.meta.url": "moduleUrl" },
      banner: { js: `${part.banner.js}${MODULE_URL}` },
    }),
    // What starts has to be read by an older Node, too: it says that it is one.
    build({
      ...common,
      target: "node12",
      // Read by such a Node, and not run.
      supported: { "dynamic-import": true },
      minify: true,
      entryPoints: [entry("bin")],
      outdir: fresh,
      format: "cjs",
      external: ["./*.cjs", "./assent.mjs"],
      banner: { js: "#!/usr/bin/env node" },
      outExtension: { ".js": ".cjs" },
    }),
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

/** Parts that share modules. */
function sharingParts(filters) {
  const lazyInHooks = [lazyShell, lazySurvey, lazyPatch, lazyServer, lazyExtensions, lazyObeyed, lazyIgnore];
  const lazyInRuns = [lazyShell, lazySurvey, lazyReader, lazyPatch, lazyServer, lazyExtensions, lazyBuiltins];
  // Parts are loaded by `require`.
  const running = { ...placed, supported: { "dynamic-import": false } };
  const parts = {
    hook: { ...part, entryPoints: [entry("hook")], plugins: lazyInHooks },
    // The judge that stays: the system calls that it needs beside the hook.
    resident: { ...placed, entryPoints: [entry("resident")], plugins: lazyInHooks },
    obeyed: {
      ...part,
      stdin: {
        contents: [
          "engine/obeyed-files.ts",
          "engine/git-history.ts",
          "state/confined-failures.ts",
          "state/session-refs.ts",
          "state/at-hand.ts",
        ]
          .map((file) => `export * from ${specifierOf(root, file)};`)
          .join("\n"),
        resolveDir: root,
      },
      plugins: [lazyShell],
    },
    reader: { ...part, entryPoints: [sourceFile(root, "engine/reader/index.ts")] },
    confiner: { ...part, entryPoints: [sourceFile(root, "agents/install/confiner.ts")], plugins: lazyInHooks },
    session: { ...part, entryPoints: [entry("session")], external: withoutRules, plugins: lazyInHooks },
    // `assent run`.
    run: { ...running, entryPoints: [entry("run-main")], plugins: [filtersMade(filters), lazyRun, ...lazyInRuns] },
    "run-more": {
      ...running,
      stdin: { contents: runMore(root), resolveDir: root },
      plugins: [lazyRunItself, ...lazyInRuns],
    },
    "held-question": { ...placed, entryPoints: [entry("held-question")], plugins: [...lazyInHooks, lazyReader] },
    "held-advice": { ...placed, entryPoints: [entry("held-advice")], plugins: [...lazyInHooks, lazyReader] },
    // The supervisor that waits: it loads `assent run` before there is a command.
    spare: { ...placed, entryPoints: [entry("spare")], plugins: [lazyShell] },
  };
  return Object.fromEntries(Object.entries(parts).map(([name, options]) => [name, { ...options, outfile: join(fresh, `${name}.cjs`) }]));
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

/** What the hook needs of each agent: its envelopes, without what is only said about it. */
function agentParts() {
  const parts = [
    ["auto", join(root, "packages/hosts/src/agents/auto.ts"), "recognise"],
    ...agentFiles().map((agent) => [...agent, "protocol"]),
  ];
  return parts.map(([name, file, what]) =>
    build({
      ...part,
      stdin: { contents: `export { ${what} } from ${JSON.stringify(file)};`, resolveDir: root },
      external: withoutRules,
      outfile: join(fresh, `agent-${name}.cjs`),
    }),
  );
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
