import { resolvePath } from "../../../path/index.ts";
import { addCode } from "../code.ts";
import type { Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import type { ObeyedFiles } from "../../knowledge/read-spec.ts";
import { applyObeyed, obeyedFile } from "../obeyed.ts";
import type { ShellPlace } from "../../words/state.ts";
import { prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** Files of the folder where it works and of those above it, whose text matters if it says this. */
const settings = (names: readonly string[], says: (text: string) => boolean): ObeyedFiles => ({
  always: true,
  where: "above",
  names,
  says,
  beside: [],
  without: [],
});

/**
 * black, ruff and isort (`include`, `extend-include`, `supported_extensions`), pycodestyle (`filename`) and pydocstyle
 * (`match`) open by their settings what they would pass by; what packages a project has is said by the same words.
 */
const widens = (text: string): boolean => {
  const kept = text
    .replace(/^packages\s*=\s*\[[^\]]*\]/gm, "")
    .replace(/^\[tool\.setuptools\.packages\.find\]\n(?:(?:where|include|exclude|namespaces)\s*=.*\n)*/gm, "");
  return /black|ruff|isort|pycodestyle|pep8|pydocstyle/.test(kept) && /include|supported_extensions|filename|\bmatch\b/.test(kept);
};
const PYTHON_WALKS: readonly ObeyedFiles[] = [
  settings(["pyproject.toml", "setup.cfg", "tox.ini", ".isort.cfg", ".pycodestyle", ".pydocstyle"], widens),
  settings(["ruff.toml", ".ruff.toml"], (text) => text.includes("include")),
];

/** It runs before the operands are read: where settings may widen the walk, it is taken to open every file. */
export const pythonWalks = (inv: Invocation): void => {
  if (
    has(inv, "--config", "--settings-path", "--settings-file", "--sp", "--filename", "--match") ||
    obeyedFile(inv, PYTHON_WALKS) !== undefined
  )
    inv.only.length = 0;
};

/**
 * npmrc(5): the settings of a project may hand its registry a variable of the environment, or the login of the user, whatever npm is
 * asked: those of folders that the line names are looked at before options are read.
 */
export function npmFolders(inv: Invocation): void {
  const folders = otherFolders(inv);
  if (folders === undefined) addCode(inv, "project", "project", undefined);
  else if (folders.length > 0) applyObeyed({ ...inv, places: [...inv.places, ...folders] }, true);
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
export function nodeManagerOptions(inv: Invocation): void {
  const isOther = (word: Value): boolean =>
    textOf(word) === undefined || /^(?:-[A-Za-z]*C|--(?:dir|cwd|prefix|config|pnpmfile|global|use-node|node))/.test(prefixOf(word));
  // cmdtest(1), packaged as `yarn` too, plays the files that it is told.
  const isPlayed = (word: Value): boolean =>
    inv.name === "yarn" &&
    inv.places.some((place) => place.is !== "at" || inv.cx.world.kind(resolvePath(place.path, textOf(word) ?? "")) === "file");
  if (inv.words.some((word) => isOther(word) || isPlayed(word))) addCode(inv, "project", "project", undefined);
}

/** The launcher of valgrind starts what stands beside its own tools, or where `..` leads from there. */
export const valgrindTool = (inv: Invocation): void => {
  for (const tool of valuesOf(inv, "--tool"))
    if (!/^(?:memcheck|cachegrind|callgrind|helgrind|drd|massif|dhat|lackey|none|exp-bbv)$/.test(textOf(tool) ?? ""))
      addCode(inv, "program", "inline", undefined);
};

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

const CONFIGS = [".cargo/config.toml", ".cargo/config"];
/** A key of that name, or one that cannot be read here. */
const FMT_ALIAS = /\bfmt["']?\s*=|\\[uUx]|\binclude\b/;
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
  else if (obeyedFile(inv, [settings(CONFIGS, (text) => FMT_ALIAS.test(text))]) !== undefined)
    addCode(inv, "project", "project", undefined);
  else inv.cx.relying.set(inv, "project");
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
