import { resolvePath } from "../../path/index.ts";
import { addCode } from "../code.ts";
import { doubt, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import type { ShellPlace } from "../state.ts";
import { prefixOf, textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";
import { atFiles, valuesIn } from "./operands.ts";

/**
 * Programs that only look, as long as no configuration of the project tells them to run something. What they would find is
 * looked up as it is now; where the same line may change files, `settleSurroundings` makes code of it after all.
 */
interface Configuration {
  /** Files that are code, or name code, by being there. */
  readonly files: readonly string[];
  /** Files that do only if their text says so. What cannot be read says so. */
  readonly texts: readonly (readonly [names: readonly string[], says: { readonly test: (text: string) => boolean }])[];
  /** Looked for in the folders above, too. */
  readonly above: boolean;
  /** Of the folders above, only those that hold one of these. */
  readonly beside?: readonly string[];
  /** A folder that holds this file is one, whatever its name. */
  readonly inside?: string;
}

/** npmrc(5): `${NAME}` is the value of an environment variable. What the public registries themselves are told is meant for them. */
const NPMRC_LEAKS = /^(?!\s*(?:[#;]|\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com)\/)).*\$\{/m;
/** Of npm's own settings: those that choose no program and no place. */
const NPMRC_LINE = new RegExp(
  String.raw`^\s*(?:[#;].*|(?:@[\w.-]+:)?registry\s*=.*|\/\/.*|(?:save-exact|save-prefix|engine-strict|auto-install-peers|` +
    String.raw`strict-peer-dependencies|shamefully-hoist|hoist|(?:public-)?hoist-pattern(?:\[\])?|node-linker|link-workspace-packages|` +
    "prefer-workspace-packages|fund|audit|legacy-peer-deps|loglevel|progress|always-auth|package-lock|lockfile|" +
    "ignore-scripts|prefer-offline|offline|color|save|save-dev|omit|include|workspaces|include-workspace-root|install-links|" +
    "install-strategy|git-tag-version|tag-version-prefix|access|tag|min-release-age|maxsockets|" +
    String.raw`update-notifier|resolution-mode|dedupe-peer-dependents|side-effects-cache|fetch-retries|fetch-timeout)(?:\[\])?\s*=.*)?$`,
);
const NPMRC_CHOOSES = new RegExp(`^(?!(?:${NPMRC_LINE.source.slice(1, -1)})$)`, "m");
const NPMRC = { test: (text: string): boolean => NPMRC_CHOOSES.test(text) || NPMRC_LEAKS.test(text) };

/** Facts: pnpm.io/settings (`pmOnFail`, `pnpmfile`, `configDependencies`), yarnpkg.com/configuration (`yarnPath`), Corepack's README. */
const NODE_MANAGER: Configuration = {
  files: [
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".pnpmfile.js",
    "pnpmfile.js",
    "pnpmfile.cjs",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnp.cjs",
    ".pnp.js",
    ".corepack.env",
    "bunfig.toml",
  ],
  texts: [
    [["package.json", "package.yaml", "package.json5"], /packageManager|devEngines|\\u/],
    // Anything but a plain list of folders.
    [["pnpm-workspace.yaml"], /^(?!packages:\s*$|\s+-\s|\s*#|\s*$)/m],
    [[".npmrc"], NPMRC],
  ],
  above: true,
};

/** A virtual environment's python runs what lies beside it (site, .pth); a toolchain file chooses another one. */
const PYTHON_ENVIRONMENT: Configuration = {
  files: [".venv", "venv", "pyvenv.cfg", ".python-version", ".python-versions", "uv.toml", "poetry.toml", ".poetry"],
  texts: [[["pyproject.toml"], /requires-plugins|\[\s*tool\s*\.\s*uv\b|\\u/]],
  above: true,
  inside: "pyvenv.cfg",
};

const CONFIGS = [".cargo/config.toml", ".cargo/config"];
/** A key of that name, or one that cannot be read here. */
const FMT_ALIAS = /\bfmt["']?\s*=|\\[uUx]|\binclude\b/;

const PROJECTS: Readonly<Record<string, Configuration>> = {
  "cargo-fmt": { files: [], texts: [[CONFIGS, FMT_ALIAS]], above: true },
  "node-manager": NODE_MANAGER,
  "python-environment": PYTHON_ENVIRONMENT,
  // python-poetry.org/docs/plugins, "Project plugins".
  poetry: { files: [".poetry"], texts: [[["pyproject.toml"], /requires-plugins|\\u/]], above: true },
  // prettier.io/docs/configuration, plugins.
  prettier: {
    files: [
      ".prettierrc",
      ...["json", "json5", "yml", "yaml", "toml", "js", "cjs", "mjs", "ts", "cts", "mts"].map((end) => `.prettierrc.${end}`),
      ...["js", "cjs", "mjs", "ts", "cts", "mts"].map((end) => `prettier.config.${end}`),
    ],
    texts: [[["package.json", "package.yaml"], /prettier"?\s*:\s*["{]|\\u/]],
    above: true,
  },
  // oxc.rs, "JS plugins": `jsPlugins` of a configuration, also of one that it extends.
  oxlint: {
    files: ["oxlint.config.ts", "oxlint.config.mts", "oxlint.config.js", "oxlint.config.mjs"],
    texts: [[[".oxlintrc.json", ".oxlintrc.jsonc", "oxlintrc.json", "oxlint.json"], /jsPlugins|extends|\\u/]],
    above: true,
  },
  valgrind: { files: [".valgrindrc"], texts: [], above: false },
  codespell: {
    files: [],
    texts: [[[".codespellrc", "setup.cfg", "pyproject.toml"], /write[-_]?c|check[-_]?hidden|interactive|(?:^|\s|")[wHi]["']?\s*=|\\u/im]],
    above: false,
  },
  // github.com/unifiedjs/unified-engine, "Configuration files".
  alex: { files: [".alexrc.js", ".alexrc.cjs", ".alexrc.mjs"], texts: [], above: true },
  // The rustup book, "The toolchain file": `show` runs the rustc of a toolchain that is named by its path.
  rustup: {
    files: [],
    texts: [[["rust-toolchain.toml", "rust-toolchain"], /path\s*["']?\s*=|\\u|^[^#\n="]*[/\\]/im]],
    above: true,
  },
  // learn.microsoft.com, "global.json overview": `sdk.paths` may lie in the project.
  dotnet: { files: ["global.json"], texts: [], above: true },
  // docs.ansible.com, "Ansible Configuration Settings": ansible.cfg of the working folder.
  ansible: { files: ["ansible.cfg", "library", "filter_plugins", "collections"], texts: [], above: false },
  // getcomposer.org, "Plugins": those of the project lie in vendor.
  composer: { files: ["vendor"], texts: [[["composer.json"], /vendor-dir|\\u/]], above: false },
};

/**
 * black, ruff and isort (`include`, `extend-include`, `supported_extensions`), pycodestyle (`filename`) and pydocstyle
 * (`match`) open by their settings what they would pass by; what packages a project has is said by the same words.
 */
const WIDENS = {
  test: (text: string): boolean => {
    const kept = text
      .replace(/^packages\s*=\s*\[[^\]]*\]/gm, "")
      .replace(/^\[tool\.setuptools\.packages\.find\]\n(?:(?:where|include|exclude|namespaces)\s*=.*\n)*/gm, "");
    return /black|ruff|isort|pycodestyle|pep8|pydocstyle/.test(kept) && /include|supported_extensions|filename|\bmatch\b|\\u/.test(kept);
  },
};
const PYTHON_WALKS: Configuration = {
  files: [],
  texts: [
    [["pyproject.toml", "setup.cfg", "tox.ini", ".isort.cfg", ".pycodestyle", ".pydocstyle"], WIDENS],
    [["ruff.toml", ".ruff.toml"], /include|\\u/],
  ],
  above: true,
};

/** It runs before the operands are read: where settings may widen the walk, it is taken to open every file. */
export const pythonWalks = (inv: Invocation): void => {
  if (has(inv, "--config", "--settings-path", "--settings-file", "--sp", "--filename", "--match") || mayRunCode(inv, PYTHON_WALKS))
    inv.only.length = 0;
};

const code = (inv: Invocation, name: string): void => {
  const configuration = PROJECTS[name];
  if (configuration !== undefined && mayRunCode(inv, configuration)) addCode(inv, "project", "project", undefined);
  else inv.cx.relying.set(inv, "project");
};

/** npm-prefix(1), and the root of a workspace. */
const NPM_SETTINGS: Configuration = { files: [], texts: [[[".npmrc"], NPMRC]], above: true, beside: ["package.json", "node_modules"] };

/**
 * npmrc(5): the settings of a project may hand its registry a variable of the environment, or the login of the user by a proxy that is
 * believed (`https-proxy`, `strict-ssl`, `cafile`), whatever npm is asked.
 */
export function npmSettings(inv: Invocation): void {
  // What runs the project's code may do so anyway.
  if (inv.grammar.effects.some((effect) => effect.is === "code")) return;
  const folders = otherFolders(inv);
  if (folders === undefined || mayRunCode({ ...inv, places: [...inv.places, ...folders] }, NPM_SETTINGS))
    addCode(inv, "project", "project", undefined);
}

/** nopt(3): `-C x`, `--prefix=x`, an abbreviation. */
const OTHER_FOLDER = /^(?:-[A-Za-z]*C|--prefix?|--cwd)(?:=([^]*))?$/;

/** The folders that options name, before those are read; undefined where one is not known. */
function otherFolders({ words, places, cx: { world } }: Invocation): Invocation["places"] | undefined {
  const folders: ShellPlace[] = [];
  for (const [at, word] of words.entries()) {
    const option = OTHER_FOLDER.exec(textOf(word) ?? prefixOf(word));
    if (option === null) continue;
    const next = words[at + 1];
    const path = option[1] ?? (next === undefined ? "" : textOf(next));
    if (path === undefined || textOf(word) === undefined) return undefined;
    for (const place of places)
      folders.push(place.is === "at" ? { ...place, path: world.canonical(resolvePath(place.path, path)) } : place);
  }
  return folders;
}

/** It runs before the options are read: another folder, or another configuration, is code. */
export const nodeManagerConfig = (inv: Invocation): void => {
  if (
    inv.words.some(
      (word) =>
        textOf(word) === undefined || /^(?:-[A-Za-z]*C|--(?:dir|cwd|prefix|config|pnpmfile|global|use-node|node))/.test(prefixOf(word)),
    )
  )
    addCode(inv, "project", "project", undefined);
  else code(inv, "node-manager");
};
export const pythonEnvironment = (inv: Invocation): void => code(inv, "python-environment");
/** It runs before the options are read, too: what help and a version are asked about in another folder is not looked up. */
export const poetryPlugins = (inv: Invocation): void => {
  const texts = inv.words.map((word) => textOf(word));
  const isHelp = texts.some((text) => text === undefined || /^(?:-\w*[hV]\w*|--help|--version)$/.test(text));
  if (isHelp && texts.some((text) => text === undefined || /^(?:-[A-Za-z]*[CP]|--(?:dir|proj))/.test(text)))
    addCode(inv, "project", "project", undefined);
  else code(inv, "poetry");
};
export const dotnetConfig = (inv: Invocation): void => code(inv, "dotnet");
/** Ansible's "Patterns": `@FILE` stands for the hosts in that file, which are shown. */
export const ansibleConfig = (inv: Invocation): void => {
  code(inv, "ansible");
  atFiles(inv, valuesIn(inv));
};
export const prettierConfig = (inv: Invocation): void => code(inv, "prettier");
export const composerPlugins = (inv: Invocation): void => {
  if (!has(inv, "--no-plugins")) code(inv, "composer");
};

/** A folder below has a configuration of its own. */
export function oxlintPlugins(inv: Invocation): void {
  code(inv, "oxlint");
  const { world } = inv.cx;
  const isCode = (path: string): boolean =>
    /\/\.oxlintrc\.jsonc?$/.test(path) && !/\/node_modules\//.test(path) && /jsPlugins|extends|\\u/.test(world.text?.(path) ?? "jsPlugins");
  const mayHold = (path: string): boolean => {
    const search = world.find(path, isCode);
    return search.found !== undefined || !search.complete;
  };
  if (inv.places.some((place) => place.is !== "at" || mayHold(place.path))) addCode(inv, "project", "project", undefined);
}
/** valgrind(1), "Setting default Options"; the launcher starts what stands beside its own tools, or where `..` leads from there. */
export const valgrindTool = (inv: Invocation): void => {
  code(inv, "valgrind");
  for (const tool of valuesOf(inv, "--tool"))
    if (!/^(?:memcheck|cachegrind|callgrind|helgrind|drd|massif|dhat|lackey|none|exp-bbv)$/.test(textOf(tool) ?? ""))
      addCode(inv, "program", "inline", undefined);
};
/** codespell's README, "Using a config file": any option, `write-changes` too. */
export const codespellConfig = (inv: Invocation): void => {
  const own = PROJECTS["codespell"];
  if (own !== undefined && mayRunCode(inv, own)) doubt(inv, "the settings of codespell may say that files are rewritten");
  else inv.cx.relying.set(inv, "project");
};
export const alexConfig = (inv: Invocation): void => code(inv, "alex");
export const rustupToolchain = (inv: Invocation): void => code(inv, "rustup");

/**
 * Terraform's "CLI: validate, graph, state": they start the providers in `.terraform`, which `init` fetched, and git leaves out. What the
 * repository brings along is its author's.
 */
export function terraformProviders(inv: Invocation): void {
  const { world } = inv.cx;
  const isOwn = (folder: string): boolean => {
    const data = resolvePath(folder, ".terraform");
    if (world.kind(data) === "missing") return true;
    if (world.canonical(data) !== data) return false;
    // Folders are among what is found: of a submodule the repository lists nothing else.
    const search = world.find(data, (path, link) => link === true || world.tracked(path) !== false);
    return search.complete && search.found === undefined && leavesOut(inv, folder);
  };
  if (inv.places.every((place) => place.is === "at" && isOwn(world.canonical(place.path)))) inv.cx.relying.set(inv, "project");
  else addCode(inv, "project", "project", undefined);
}

/** A `.gitignore` of the folder, or of one above it, speaks of `.terraform`. */
function leavesOut({ cx: { world } }: Invocation, from: string): boolean {
  for (let folder = from; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/")))
    if (/^[^#!\n]*\.terraform\b/m.test(world.text?.(`${folder}/.gitignore`) ?? "")) return true;
  return false;
}

/** packer's manual, "Plugin Loading Workflow": older versions start `packer-*` programs of the working folder. */
export function packerPlugins(inv: Invocation): void {
  const { world } = inv.cx;
  const plain = inv.places.every(
    (place) =>
      place.is === "at" &&
      (world.kind(place.path) === "missing" || world.names(place.path)?.every((name) => !name.startsWith("packer-")) === true),
  );
  if (plain) inv.cx.relying.set(inv, "project");
  else addCode(inv, "project", "project", undefined);
}

/** npm-diff(1): both sides fetched is a look; a side that is the project is packed, which runs its `prepare` script. */
export function npmDiff(inv: Invocation): void {
  if (valuesOf(inv, "--diff").length < 2) addCode(inv, "project", "project", undefined);
}

/** brew(1): a name is a formula of a tap; a path, an address and `USER/TAP/NAME` may be Ruby that nobody has tapped. */
export function brewNames(inv: Invocation): void {
  for (const value of inv.args.operands)
    if (!/^[A-Za-z0-9][\w@+-]*(?:\.\d+)*$/.test(textOf(value) ?? "")) applyKind(inv, { is: "script", language: "ruby" }, value);
}

/** Settings by name: one that speaks of credentials is shown with its value. */
export function secretKey(inv: Invocation): void {
  for (const value of inv.args.operands)
    if (textOf(value) === undefined || /auth|token|passw|secret|credential|api-?key|login|^_|:_|private/i.test(prefixOf(value)))
      applyKind(inv, { is: "secret" }, value);
}

function mayRunCode(inv: Invocation, { files, texts, above, beside, inside }: Configuration): boolean {
  const { world } = inv.cx;
  const isThere = (folder: string, name: string): boolean => world.kind(resolvePath(folder, name)) !== "missing";
  const holds = (folder: string): boolean => {
    if (inside === undefined || !`${folder}/`.startsWith(`${world.canonical(world.projectRoot)}/`)) return false;
    const names = world.names(folder);
    return names === undefined || names.some((name) => world.kind(resolvePath(resolvePath(folder, name), inside)) !== "missing");
  };
  const says = (folder: string): boolean =>
    holds(folder) ||
    files.some((name) => isThere(folder, name)) ||
    texts.some(([names, pattern]) =>
      names.some((name) => {
        if (!isThere(folder, name)) return false;
        const text = world.text?.(resolvePath(folder, name));
        return text === undefined || pattern.test(text);
      }),
    );
  return inv.places.some((place) => {
    if (place.is !== "at") return true;
    const start = world.canonical(place.path);
    const counts = (folder: string): boolean => folder === start || beside === undefined || beside.some((name) => isThere(folder, name));
    for (let folder = start; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
      const named = folder === "" ? "/" : folder;
      if (folder !== world.home && counts(named) && says(named)) return true;
      if (!above || folder === "" || folder === "/") return false;
    }
  });
}

const TOOLCHAINS = ["rust-toolchain.toml", "rust-toolchain"];

/** The Cargo Book, Configuration: `build.rustc` and its wrappers are looked for in every folder from here upwards. */
export function cargoConfig(inv: Invocation): void {
  if (isAbove(inv, CONFIGS)) addCode(inv, "cargo", "project", undefined);
}

/** The Cargo Book, `alias`: one comes before a program of its name (`cargo-fmt`), from here upwards and in CARGO_HOME, where rustup lies. */
export function cargoAlias(inv: Invocation): void {
  const { world } = inv.cx;
  const homes = [`${world.home}/.cargo`, (world.lookup("cargo").path ?? "").replace(/\/bin\/cargo$/, "")];
  const files = homes.flatMap((folder) => ["config.toml", "config"].map((name) => `${folder}/${name}`));
  const says = (path: string): boolean => world.kind(path) !== "missing" && FMT_ALIAS.test(world.text?.(path) ?? "include");
  if (files.some(says)) addCode(inv, "project", "project", undefined);
  else code(inv, "cargo-fmt");
}

/** The rustup book, "The toolchain file": `path` names a folder whose rustc, cargo and rustfmt run, whatever they are asked. */
export function rustToolchain(inv: Invocation): void {
  if (isAbove(inv, TOOLCHAINS)) addCode(inv, "cargo", "project", undefined);
}

/** `pip list` asks an index, and before that `rustc`, for these only. */
export function pipRust(inv: Invocation): void {
  const asks = has(inv, "--outdated", "--uptodate");
  if (asks) rustToolchain(inv);
}

function isAbove(inv: Invocation, names: readonly string[]): boolean {
  const { world } = inv.cx;
  return inv.places.some((place) => {
    if (place.is !== "at") return true;
    for (let folder = place.path; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
      if (folder !== world.home && names.some((name) => world.kind(`${folder}/${name}`) !== "missing")) return true;
      if (folder === "" || folder === "/") return false;
    }
  });
}
