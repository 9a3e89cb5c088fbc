// The parts of dist/. A part is made of modules that are evaluated when something of them is first called; it is named by the text in which it
// lies (`start.languages` in start.cjs), and each text has one code cache.
import { transform } from "esbuild";
import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { nameOfSource, sourceFile, specifierOf } from "./packages.mjs";
import { seeThrough } from "./see-through.mjs";

const require = createRequire(import.meta.url);
const files = (folder, names) => names.split(" ").map((name) => `${folder}/${name}.ts`);

/** Called by few requests, whoever judges them. sed is in every other command, so its reader is in `shell`. */
export const SELDOM = {
  shell: ["shell/index.ts"],
  "more.survey": ["shell/survey/index.ts"],
  "more.patch": ["patch/index.ts"],
  "more.consents": ["engine/consents/find.ts"],
  "more.extensions": ["engine/extensions/run.ts"],
  "hook.server": ["request/server-fields.ts"],
};
/** Of most runs, and of few other requests. */
export const OF_FILES = {
  // Where a command is confined: what git shows of its history, what a known program obeys, what failed before, and where refs led.
  "shell.obeyed": ["engine/obeyed-files.ts", "engine/git-history.ts", ...files("state", "confined-failures session-refs at-hand")],
  "hook.ignore": ["policy/git-ignore.ts"],
};
export const LANGUAGES = {
  "start.languages": files(
    "shell/languages",
    "amounts awk base64 javascript jq library-calls perl python python-library roff ruby sed sql",
  ),
};
/** Of hosts that do not say who they are; policy files that have changed. */
const STARTS = { "hook.auto": ["agents/auto.ts"], "more.reader": ["engine/reader/index.ts"] };
/** Of what hosts start. */
export const HOOKS = {
  hook: ["cli/hook.ts"],
  "hook.edit-keeper": ["cli/edit-keeper.ts"],
  "hook.watch": ["cli/watch.ts"],
  "hook.fleet-start": ["cli/fleet-start.ts"],
  "start.confiner": ["agents/install/confiner.ts"],
  "start.shell": ["cli/shell-start.ts"],
  "more.session": ["cli/session.ts"],
  "more.held": ["cli/held.ts"],
  "more.held-question": ["cli/held-question.ts"],
  "more.held-advice": ["cli/held-advice.ts"],
  ...STARTS,
};
/** Of `assent run`, with what it loads by `import()`. */
export const RUNS = {
  run: ["cli/run.ts"],
  "run.spare": ["cli/spare.ts"],
  "run.more": [
    ...files("cli", "check judge-afresh run-learn"),
    "engine/given/index.ts",
    "policy-edit/index.ts",
    "sdk/machine/index.ts",
    "suggest/index.ts",
    "supervise/sandbox/filter.ts",
  ],
  "run.listen": ["supervise/try/listen.ts"],
  try: files("cli", "try-main try try-confined"),
  apply: files("cli", "try-end try-settle"),
  ...STARTS,
};
const LATER_IN_RUNS = files("cli", "parse program-frame program-run receipt profile run-background");
/** What commands do by `assent run` itself. */
const BY_RUNS = { run: ["cli/run.ts", "supervise/index.ts", "supervise/learn/refused.ts"], try: ["cli/try.ts"] };
/** Of such a file: what needs no run. */
const BESIDE = { "supervise/index.ts": ["RunRecords", "supervise/records.ts"] };

/** What a module exports, types left out, by name: where it is declared here, how. */
export function exportsOf(file) {
  const found = readFileSync(file, "utf8").matchAll(
    /^export (?:(?:async )?function (\w+)|const (\w+)[^=\n]*= (new Set|(?:".*"|\d+);$)?|\{([^}]*)\})/gm,
  );
  return [...found].flatMap(([, declared, constant, value, list]) => {
    if (list === undefined) return [[declared ?? constant, value]];
    const names = list.split(",").map((name) => name.trim());
    return names.filter((name) => name !== "" && !name.startsWith("type ")).map((name) => [name, undefined]);
  });
}

/** A module of functions that ask `from`, an expression; of a set nothing is asked but whether it has something, of a class what is of it. */
export function forward(root, file, from) {
  const [beside, home] = BESIDE[nameOfSource(root, file)] ?? [];
  const lines = exportsOf(file).map(([name, value]) => {
    if (name === beside) return `export { ${name} } from ${specifierOf(root, home)};`;
    if (value !== undefined && value !== "new Set") return `export const ${name} = ${value}`;
    if (value !== undefined) return `export const ${name} = { has: (each) => ${from}.${name}.has(each) };`;
    if (/^[A-Z]/.test(name)) return `export const ${name} = { [Symbol.hasInstance]: (each) => each instanceof ${from}.${name} };`;
    return `export const ${name} = (...given) => ${from}.${name}(...given);`;
  });
  return lines.join("\n");
}

/** `tables`: files by their parts; those of the part itself, `own`, are read as they are. `imports`: what the functions need to ask another part. */
export const deferred = (root, tables, own, imports = "") => ({
  name: "deferred",
  setup(bundle) {
    const parts = new Map();
    for (const [part, names] of tables.flatMap((table) => Object.entries(table)))
      if (part !== own) for (const name of names) parts.set(sourceFile(root, name), part);
    bundle.onLoad({ filter: /[\\/]src[\\/].*\.ts$/, namespace: "file" }, ({ path }) => {
      if (!parts.has(path)) return undefined;
      return { contents: `${imports}${forward(root, path, `require("./${parts.get(path)}.cjs")`)}`, loader: "js", resolveDir: root };
    });
  },
});

/** Hosts' own rules are read by commands alone; what a run loads by `import()` is in another part. */
export const imported = (root, own) => ({
  name: "imported",
  setup(bundle) {
    const later = LATER_IN_RUNS.map((name) => sourceFile(root, name));
    bundle.onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      if (path.endsWith("/rules.ts")) return { path, external: true };
      return /^(?:run|try|apply)$/.test(own) && later.includes(join(resolveDir, path))
        ? { path: "./run.more.cjs", external: true }
        : undefined;
    });
  },
});

/** An agent is evaluated when it calls. */
export const protocols = (root) => ({
  name: "protocols",
  setup(bundle) {
    bundle.onLoad({ filter: /agents[\\/]protocols[\\/]index\.ts$/ }, () => ({
      contents: `export { recognise } from ${specifierOf(root, "agents/auto.ts")};
export function protocolOf(id) {
  const part = "./hook.agent-" + id + ".cjs";
  return require(part).protocol;
}`,
      loader: "js",
      resolveDir: root,
    }));
  },
});

/** What a part of several files, or of the files that a run loads later, hands out. */
export const sourceOf = (root, part) =>
  [
    ...Object.values([SELDOM, OF_FILES, LANGUAGES, HOOKS, RUNS]).flatMap((table) => table[part] ?? []),
    ...(part === "run.more" ? LATER_IN_RUNS : []),
  ]
    .filter((name, at, all) => all.indexOf(name) === at)
    .map((name) => `export * from ${specifierOf(root, name)};`)
    .join("\n");

/** Modules of node's own that take milliseconds to load, and that most runs have no need of. */
const LAZY = ["child_process", "crypto", "dgram", "module", "net", "readline/promises", "string_decoder", "tty", "zlib"];

/**
 * esbuild: such a module is loaded when something of it is first used, and not with whoever names it. Each function stands in for the
 * module's own, a class in the place of its constructor; what else is named of these modules does not build.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(?:node:)?(?:${LAZY.join("|")})$`) }, ({ path, namespace }) =>
      namespace === "lazy-builtin" ? { path, external: true } : { path: path.replace(/^node:/, ""), namespace: "lazy-builtin" },
    );
    build.onLoad({ filter: /.*/, namespace: "lazy-builtin" }, ({ path }) => {
      const functions = Object.entries(require(`node:${path}`)).filter(
        ([name, value]) => typeof value === "function" && /^[A-Za-z]\w*$/.test(name),
      );
      const called = (name) => (/^[A-Z]/.test(name) ? `new (require("node:${path}").${name})` : `require("node:${path}").${name}`);
      return { contents: functions.map(([name]) => `export function ${name}(...given){return ${called(name)}(...given)}`).join("\n") };
    });
  },
};

/**
 * For modules: packages in the old form (commander) ask for node's own modules by `require`, which a module does not have. The
 * module of `process` opens the standard streams; the object is the same.
 */
export const importedBuiltins = {
  name: "imported-builtins",
  setup(bundle) {
    bundle.onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path) ? { path: path.replace(/^node:/, ""), namespace: "imported-builtin" } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: "imported-builtin" }, ({ path }) => ({
      contents: path === "process" ? "module.exports = globalThis.process;" : `export * from "node:${path}";`,
    }));
  },
};

/** Where the folder of the built program is found: the modules lie in it, and their chunks below. */
const PARTS = "assent-parts";
const loader = (root) => `import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { partsOf } from ${specifierOf(root, "cli/load-part.ts")};
let given = {};
let parts;
const partsHere = () => {
  const folder = fileURLToPath(new URL(".", import.meta.url)).replace(/\\/(?:chunks\\/)?$/, "");
  return partsOf(folder, createRequire(folder + "/"));
};
export const giveParts = (all) => { given = all; };
export const loadPart = (id) => given[id] ?? (parts ??= partsHere()).load(id);`;

/** What users hold is seen by name, in traces and where it is printed: esbuild's own function for it, once. */
const NAMES = "assent-names";
const NAMED = 'const __name = (target, value) => Object.defineProperty(target, "name", { value, configurable: true });';

/** The file of a part itself, in whose place functions stand elsewhere. */
const ITSELF = "assent-itself";

/** What the core has of the parts, for the library in one piece. */
const OF_CORE = { shell: "shell", "more.patch": "patches", "hook.server": "servers", "hook.ignore": "ignored" };

/** What the library in one piece brings along in the place of the parts: of the core what is in it, the rest itself. */
function wholeSource() {
  const lines = Object.entries({ ...SELDOM, ...OF_FILES }).map(([part, names], at) => {
    const id = JSON.stringify(`./${part}.cjs`);
    if (OF_CORE[part] !== undefined) return ["", `${id}: core.${OF_CORE[part]}`];
    const modules = names.map((name, which) => [`part${at}_${which}`, `${ITSELF}:${name}`]);
    const imports = modules.map(([as, from]) => `import * as ${as} from ${JSON.stringify(from)};`);
    return [imports.join("\n"), `${id}: { ${modules.map(([as]) => `...${as}`).join(", ")} }`];
  });
  return `import { giveParts } from "${PARTS}";
import * as core from "./core-given.mjs";
${lines.map(([imports]) => imports).join("\n")}
giveParts({ ${lines.map(([, part]) => part).join(", ")} });`;
}
/** The entry that gives them: whoever bundles the library imports it before the library. */
export const wholeParts = `${ITSELF}:all`;

/**
 * For modules: the analysis of commands and what few calls need are the hook's own parts with their code caches, loaded when something of
 * them is first used. Three quarters of what an import of the whole costs is V8 reading it. A program that is bundled has no parts
 * beside it, so `wholeParts` gives them.
 */
export const moduleParts = (root) => ({
  name: "module-parts",
  setup(bundle) {
    bundle.onResolve({ filter: new RegExp(`^${PARTS}$`) }, ({ path }) => ({ path, namespace: PARTS }));
    bundle.onLoad({ filter: /.*/, namespace: PARTS }, () => ({ contents: loader(root), resolveDir: root, loader: "js" }));
    bundle.onResolve({ filter: new RegExp(`^${ITSELF}:`) }, ({ path }) => ({
      path: path === wholeParts ? path : sourceFile(root, path.slice(`${ITSELF}:`.length)),
      namespace: ITSELF,
      sideEffects: path === wholeParts,
    }));
    bundle.onResolve({ filter: /^\.\/core-given\.mjs$/ }, ({ path }) => ({ path, external: true }));
    bundle.onLoad({ filter: /.*/, namespace: ITSELF }, ({ path }) =>
      path === wholeParts
        ? { contents: wholeSource(), resolveDir: root, loader: "js" }
        : { contents: throughIndexes(path, readFileSync(path, "utf8")), resolveDir: dirname(path), loader: "ts" },
    );
    const tables = [SELDOM, OF_FILES, BY_RUNS];
    const stops = new Set(tables.flatMap((table) => Object.values(table).flat()).map((name) => sourceFile(root, name)));
    const throughIndexes = seeThrough(root, (file) => stops.has(file));
    deferred(root, tables, "", `import { loadPart as require } from "${PARTS}";\n`).setup(bundle);
    const held = join(root, "packages/library/src/sdk/");
    bundle.onResolve({ filter: new RegExp(`^${NAMES}$`) }, ({ path }) => ({ path, namespace: NAMES }));
    bundle.onLoad({ filter: /.*/, namespace: NAMES }, () => ({ contents: `export ${NAMED}`, loader: "js" }));
    bundle.onLoad({ filter: /[\\/]src[\\/].*\.ts$/, namespace: "file" }, async ({ path }) => {
      if (nameOfSource(root, path) === undefined) return undefined;
      const contents = throughIndexes(path, readFileSync(path, "utf8"));
      if (!path.startsWith(held)) return { contents, loader: "ts" };
      const { code } = await transform(contents, { loader: "ts", format: "esm", target: "es2022", keepNames: true });
      return { contents: code.replace(/^var __defProp.*\nvar __name = .*$/m, `import { __name } from "${NAMES}";`), loader: "js" };
    });
  },
});
