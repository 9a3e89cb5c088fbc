// esbuild plugins for the parts of dist/ that are loaded when something of them is first used.
import { transform } from "esbuild";
import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { nameOfSource, sourceFile, specifierOf } from "./packages.mjs";
import { seeThrough } from "./see-through.mjs";

const require = createRequire(import.meta.url);

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

/** Readers of languages, with what they export: a part of their own. sed is in every other command, so it stays. */
const LANGUAGES = {
  awk: ["readAwk"],
  javascript: ["readJavascript"],
  jq: ["readJq", "readYq"],
  "library-calls": ["readLibraryCalls"],
  perl: ["readPerl"],
  python: ["readPython"],
  ruby: ["readRuby"],
  sql: ["readSql", "readAnySql"],
};
/** Sets of names. */
const SETS = { "python-library": ["LIBRARY"] };

export const languages = Object.keys({ ...LANGUAGES, ...SETS })
  .map((name) => `export * from "./${name}.ts";`)
  .join("\n");

const forwarded = (part) => (name) => `export const ${name} = (...given) => require("./${part}.cjs").${name}(...given);`;
const askedFor = (part) => (name) => `export const ${name} = { has: (each) => require("./${part}.cjs").${name}.has(each) };`;

/** For the shell part: what reads other languages is loaded when one occurs. */
export const lazyLanguages = {
  name: "lazy-languages",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]languages[\\/][\w-]+\.ts$/ }, ({ path }) => {
      const name = /([\w-]+)\.ts$/.exec(path)?.[1];
      const lines = LANGUAGES[name]?.map(forwarded("languages")) ?? SETS[name]?.map(askedFor("languages"));
      return lines === undefined ? undefined : { contents: lines.join("\n"), loader: "js" };
    });
  },
};

/** For `assent run`: what is said about commands in general is looked up when somebody asks. */
export const lazySurvey = {
  name: "lazy-survey",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]survey[\\/]index\.ts$/ }, () => ({
      contents: ["hasSubcommands", "takesOption", "isKnown", "namingWords", "examplesOf", "runsAnything", "carriesCode"]
        .map(forwarded("survey"))
        .join("\n"),
      loader: "js",
    }));
  },
};

/** Few agents send patches. */
export const lazyPatch = {
  name: "lazy-patch",
  setup(bundle) {
    bundle.onLoad({ filter: /patch[\\/]index\.ts$/ }, () => ({
      contents: ["lowerPatch", "readPatch"].map(forwarded("patch")).join("\n"),
      loader: "js",
    }));
  },
};

/** For the hook: what is in the input of a server's tool is looked for when one is called. */
export const lazyServer = {
  name: "lazy-server",
  setup(bundle) {
    bundle.onLoad({ filter: /request[\\/]server-fields\.ts$/ }, () => ({ contents: forwarded("server")("serverFields"), loader: "js" }));
  },
};

/** For the hook: what git ignores is looked at for searches that leave it out. */
export const lazyIgnore = {
  name: "lazy-ignore",
  setup(bundle) {
    bundle.onLoad({ filter: /policy[\\/]git-ignore\.ts$/ }, () => ({
      contents: ["isIgnored", "isSearchedOver", "isTakenInAgain"].map(forwarded("ignore")).join("\n"),
      loader: "js",
    }));
  },
};

/** For the hook: the analysis of commands is loaded when one is to be judged. */
export const lazyShell = {
  name: "lazy-shell",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]index\.ts$/ }, () => ({
      contents: [
        "lowerShell",
        "lowerArgv",
        "inTwo",
        "isInertGitKey",
        "gitConfigEntries",
        "gitEntries",
        "isForge",
        "readWith",
        "isGitsOwnKey",
        "typeNames",
        "whatVariableSteers",
      ]
        .map(forwarded("shell"))
        .join("\n"),
      loader: "js",
    }));
  },
};

/** For the hook: what git shows of its history where a rule denies some of it, what a known program obeys in a project, what failed before, and where refs led, is looked at where something is confined. */
export const lazyObeyed = {
  name: "lazy-obeyed",
  setup(bundle) {
    bundle.onLoad({ filter: /engine[\\/]obeyed-files\.ts$/ }, () => ({
      contents: ["whyKeepsWall", "whyUnseen", "noteEdits", "looksAtPlain"].map(forwarded("obeyed")).join("\n"),
      loader: "js",
    }));
    bundle.onLoad({ filter: /engine[\\/]git-history\.ts$/ }, () => ({ contents: forwarded("obeyed")("gitPathsShown"), loader: "js" }));
    bundle.onLoad({ filter: /state[\\/]session-refs\.ts$/ }, () => ({
      contents: ["commonOf", "noteRefs", "refsBefore", "refsBeforeAll", "topOf"].map(forwarded("obeyed")).join("\n"),
      loader: "js",
    }));
    bundle.onLoad({ filter: /state[\\/]at-hand\.ts$/ }, () => ({
      contents: forwarded("obeyed")("isMissing"),
      loader: "js",
    }));
    bundle.onLoad({ filter: /state[\\/]confined-failures\.ts$/ }, () => ({
      contents: ["confinedFailure", "askedAboutFailure", "noteConfinedFailure", "forgetConfinedFailure"]
        .map(forwarded("obeyed"))
        .join("\n"),
      loader: "js",
    }));
  },
};

/** Few have extensions; node's part that starts processes takes milliseconds to load. */
export const lazyExtensions = {
  name: "lazy-extensions",
  setup(bundle) {
    bundle.onLoad({ filter: /engine[\\/]extensions[\\/]run\.ts$/ }, () => ({
      contents: forwarded("extensions")("askExtension"),
      loader: "js",
    }));
    bundle.onLoad({ filter: /engine[\\/]consents[\\/]find\.ts$/ }, () => ({
      contents: ["findConsents", "sayConsent", "consentId"].map(forwarded("consents")).join("\n"),
      loader: "js",
    }));
  },
};

/** For `assent run`: policy files are read again only when one has changed. */
export const lazyReader = {
  name: "lazy-reader",
  setup(bundle) {
    bundle.onLoad({ filter: /engine[\\/]reader[\\/]index\.ts$/ }, () => ({ contents: forwarded("reader")("read"), loader: "js" }));
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

/** What the library in one piece brings along in the place of the hook's parts: of the core what is in it, the rest itself. */
const WHOLE = `import { giveParts } from "${PARTS}";
import { shell, patches as patch, servers as server, ignored as ignore } from "./core-given.mjs";
import * as survey from "${ITSELF}:shell/survey/index.ts";
import * as extensions from "${ITSELF}:engine/extensions/run.ts";
import * as consents from "${ITSELF}:engine/consents/find.ts";
import * as obeyedFiles from "${ITSELF}:engine/obeyed-files.ts";
import * as gitHistory from "${ITSELF}:engine/git-history.ts";
import * as confinedFailures from "${ITSELF}:state/confined-failures.ts";
import * as sessionRefs from "${ITSELF}:state/session-refs.ts";
import * as atHand from "${ITSELF}:state/at-hand.ts";
const parts = { shell, patch, server, ignore, survey, extensions, consents, obeyed: { ...obeyedFiles, ...gitHistory, ...confinedFailures, ...sessionRefs, ...atHand } };
giveParts(Object.fromEntries(Object.entries(parts).map(([name, part]) => ["./" + name + ".cjs", part])));`;
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
    const asModule = (contents) => `import { loadPart as require } from "${PARTS}";\n${contents}`;
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
        ? { contents: WHOLE, resolveDir: root, loader: "js" }
        : { contents: throughIndexes(path, readFileSync(path, "utf8")), resolveDir: dirname(path), loader: "ts" },
    );
    const stops = [];
    const throughIndexes = seeThrough(root, (file) => stops.some((filter) => filter.test(file)));
    const lazy = [lazyShell, lazySurvey, lazyServer, lazyPatch, lazyExtensions, lazyObeyed, lazyIgnore, lazySupervisor(root)];
    for (const { setup } of lazy)
      setup({
        onLoad: ({ filter }, load) => {
          stops.push(filter);
          bundle.onLoad({ filter, namespace: "file" }, (file) => {
            const { contents, loader } = load(file);
            return { contents: asModule(contents), loader, resolveDir: root };
          });
        },
      });
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

/** What commands do by `assent run` itself, by the file that has it: functions of run.cjs, which is loaded when one of them is called. */
const BY_RUNS = {
  "cli/run.ts": ["run"],
  "supervise/index.ts": ["foreseeGit", "superviseRun", "killTree", "isGroupOfTree", "lineOfGroup"],
  "supervise/learn/refused.ts": ["rulesForRefused"],
};
/** Of the same files: a class that is looked for, and one that needs no run. */
const BESIDE_RUNS = {
  "supervise/index.ts": [
    () => 'export const RunError = { [Symbol.hasInstance]: (error) => error instanceof require("./run.cjs").RunError };',
    (root) => `export { RunRecords } from ${specifierOf(root, "supervise/records.ts")};`,
  ],
};

/** For commands: the supervisor is there once, in run.cjs. */
const lazySupervisor = (root) => ({
  setup(bundle) {
    for (const [file, names] of Object.entries(BY_RUNS))
      bundle.onLoad({ filter: new RegExp(`src/${file.replace(".", "\\.")}$`) }, () => ({
        contents: [...names.map(forwarded("run")), ...(BESIDE_RUNS[file] ?? []).map((line) => line(root))].join("\n"),
        loader: "js",
      }));
  },
});

/** Agents' own rules are read by commands alone. */
const withoutRules = (bundle) =>
  bundle.onResolve({ filter: /\/rules\.ts$/ }, ({ path, kind }) => (kind === "dynamic-import" ? { path, external: true } : undefined));

/** What few runs need, by the file that has it: functions of a part of their own, loaded at their first call. */
const SELDOM_IN_RUNS = {
  "cli/check.ts": ["innerCheck"],
  "cli/judge-afresh.ts": ["judgeAfresh"],
  "engine/given/index.ts": ["isGiven", "runPolicies"],
  "cli/run-learn.ts": ["proposeProfile"],
  "policy-edit/index.ts": [
    "addRule",
    "editPolicy",
    "rememberInProfile",
    "policyPlace",
    "readPlace",
    "starterPolicy",
    "ruleEntries",
    "addToProfile",
    "minute",
    "addConsent",
    "consentText",
    "declineConsent",
    "isDeclined",
  ],
  "sdk/machine/index.ts": ["answerGuard"],
};
/** What a run loads by `import()`. */
const LATER_IN_RUNS = ["parse", "program-frame", "program-run", "receipt", "profile", "run-background"];
const MORE = "run-more";

/** What `dist/run-more.cjs` has. */
export const runMore = (root) =>
  [
    ...LATER_IN_RUNS.map((name) => `export * from ${specifierOf(root, `cli/${name}.ts`)};`),
    ...Object.entries(SELDOM_IN_RUNS).map(([file, names]) => `export { ${names.join(", ")} } from ${specifierOf(root, file)};`),
    `export { engine, judgeOnly } from ${specifierOf(root, "look/index.ts")};`,
    `export { buildFilter } from ${specifierOf(root, "supervise/wall/filter.ts")};`,
  ].join("\n");

/** For `assent run`: what is loaded by `import()`, and what few runs need, comes from run-more.cjs. */
export const lazyRun = {
  name: "lazy-run",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/[\w-]+\.ts$/ }, ({ path, kind }) =>
      kind === "dynamic-import" && LATER_IN_RUNS.includes(path.slice(2, -3)) ? { path: `./${MORE}.cjs`, external: true } : undefined,
    );
    withoutRules(bundle);
    for (const [file, names] of Object.entries(SELDOM_IN_RUNS))
      bundle.onLoad({ filter: new RegExp(`src/${file.replace(".", "\\.")}$`) }, () => ({
        contents: names.map(forwarded(MORE)).join("\n"),
        loader: "js",
      }));
    bundle.onLoad({ filter: /src\/look\/engine\.ts$/ }, () => ({ contents: ENGINE_OF_RUNS, loader: "js" }));
  },
};

const ENGINE_OF_RUNS = `export const engine = {
  reader: () => ({ read: (...given) => require("./reader.cjs").read(...given) }),
  protocol: (id) => require("./${MORE}.cjs").engine.protocol(id),
  recognise: (...given) => require("./${MORE}.cjs").engine.recognise(...given),
  held: (outcome) => outcome,
  advise: (...given) => require("./${MORE}.cjs").engine.advise(...given),
  own: [__dirname],
};
${forwarded(MORE)("judgeOnly")}
export const readerOf = () => undefined, ruleReader = undefined;`;

/** Of agents nothing is asked here but how they speak, and the hook has a part for each. */
const JUDGING_BY_PARTS = /src\/(?:look\/engine|cli\/judge-afresh)\.ts$/;
const AGENTS_BY_PARTS = `import { AGENT_IDS } from "@assent/core/policy";
const agentPart = (name) => "./agent-" + name + ".cjs";
const agent = (id) => ({ id, get protocol() { const part = agentPart(id); return require(part).protocol; } });
export const agentNamed = (id) => (AGENT_IDS.includes(id) ? agent(id) : undefined);
export const REFERENCE = agent("claude");
${forwarded("agent-auto")("recognise")}`;

/** For run-more.cjs: the run itself is run.cjs. */
export const lazyRunItself = {
  name: "lazy-run-itself",
  setup(bundle) {
    withoutRules(bundle);
    bundle.onLoad({ filter: /src\/cli\/run\.ts$/ }, () => ({ contents: forwarded("run")("run"), loader: "js" }));
    bundle.onResolve({ filter: /^@assent\/hosts\/agents$/ }, ({ importer }) =>
      JUDGING_BY_PARTS.test(importer) ? { path: importer, namespace: "agents-by-parts" } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: "agents-by-parts" }, ({ path }) => ({
      contents: AGENTS_BY_PARTS,
      loader: "js",
      resolveDir: dirname(path),
    }));
  },
};
