import { copyFileSync, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ensureFolder, type Machine, messageOf, writeAtomic } from "@assent/guard/state";
import { architectureOf, launcherName } from "./launcher.ts";
import { type Program, starts } from "./program.ts";

/**
 * What hooks start: a copy of the program in a folder that stays. A package lies in a folder of one Node (nvm) or in a clone, and goes or
 * changes with it; hosts have its path in their settings, and refuse everything, or nothing, once it is gone. `install` brings the copy up
 * to date. Beside it stands `node`, a script that finds Node again when the one of the installation is gone.
 */
export const copyFolder = ({ home }: Pick<Machine, "home">): string => `${home}/.local/share/assent/app`;

/** The name of the script that stands for Node. */
export const NODE_FINDER = "node";

/** No declarations, and nothing that only bundlers load. */
const LEFT_OUT = /^(?:types|whole.*|THIRD-PARTY-LICENSES\.txt|assent\.1\.gz)$/;

/** Where hooks find Assent: the copy, where it stands or is `planned`; else the package itself. */
export function installedProgram(machine: Machine, own: string, isPlanned = false): Program {
  const folder = `${realOf(copyFolder(machine))}/dist`;
  const node = `${folder}/${NODE_FINDER}`;
  if (isPlanned) return { node, folder, from: own };
  return existsSync(node) ? { node, folder } : { node: process.execPath, folder: own };
}

/** What runs start: its Node is the one that runs, and is written anew with each hook call. */
export const runProgram = (program: Program): Program => ({ ...program, node: process.execPath });

/** What the copy was made of; undefined: there is none. */
export function copiedVersion(machine: Machine): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(`${copyFolder(machine)}/package.json`, "utf8"));
    return typeof value === "object" && value !== null && "version" in value && typeof value.version === "string"
      ? value.version
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the copy, or brings it up to date: file by file, so that a hook that starts meanwhile finds each of them, and what is left over
 * last. Returns whether anything changed, or a problem.
 */
export function writeCopy(machine: Machine, own: string, version: string): { readonly changed: boolean } | { readonly problem: string } {
  const folder = realOf(copyFolder(machine));
  if (own === `${folder}/dist`) return { changed: false };
  try {
    const native = `node_modules/@koromix/koffi-${process.platform}-${process.arch}`;
    const from = nativeFolder(own, native);
    const files = [
      ...filesBelow(own, "").map((name) => [`${own}/${name}`, `dist/${name}`] as const),
      ...(from === undefined ? [] : filesBelow(from, "").map((name) => [`${from}/${name}`, `${native}/${name}`] as const)),
    ];
    const text = JSON.stringify({
      name: "assent-copy",
      version,
      private: true,
      copyOf: own,
      imports: { "#knowledge": "./dist/knowledge.mjs" },
    });
    const finder = nodeFinder(process.execPath);
    let changed = putText(`${folder}/package.json`, text, 0o600);
    changed = putText(`${folder}/dist/${NODE_FINDER}`, finder, 0o700) || changed;
    for (const [source, name] of files) changed = putFile(source, `${folder}/${name}`) || changed;
    const kept = new Set([...files.map(([, name]) => name), "package.json", `dist/${NODE_FINDER}`]);
    for (const name of filesBelow(folder, "")) if (!kept.has(name)) rmSync(`${folder}/${name}`, { force: true });
    const launcher = launcherName(process.platform, process.arch);
    // A home where nothing may run (mount(8), noexec).
    if (architectureOf(process.platform, process.arch) !== undefined && launcher !== undefined && !starts(`${folder}/dist/${launcher}`))
      return { problem: "no program may start from there" };
    return { changed };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** After the last agent was taken out. */
export const removeCopy = (machine: Machine): void => rmSync(copyFolder(machine), { recursive: true, force: true });

function nativeFolder(own: string, name: string): string | undefined {
  for (let folder = own; folder.length > 1; folder = dirname(folder)) {
    if (existsSync(`${folder}/${name}`)) return `${folder}/${name}`;
  }
  return undefined;
}

function filesBelow(folder: string, inside: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(`${folder}/${inside}`, { withFileTypes: true }).flatMap((entry) => {
    const name = inside === "" ? entry.name : `${inside}/${entry.name}`;
    if (inside === "" && LEFT_OUT.test(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(folder, name) : [name];
  });
}

function putText(path: string, text: string, mode: number): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path, "utf8") === text) return false;
  ensureFolder(dirname(path));
  writeAtomic(path, text, mode);
  return true;
}

function putFile(from: string, to: string): boolean {
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isFile() === true && there.size === statSync(from).size && readFileSync(to).equals(readFileSync(from))) return false;
  ensureFolder(dirname(to));
  const temporary = `${to}.${process.pid}.new`;
  copyFileSync(from, temporary);
  renameSync(temporary, to);
  return true;
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : `${realOf(above)}/${folder.slice(above.length + (above === "/" ? 0 : 1))}`;
  }
}

/**
 * For `sh`, which finds no variable of anybody's here: the launcher has cleared them. Folders of version managers and of systems, and never
 * PATH, in which a repository may have a place.
 */
const nodeFinder = (node: string): string => `#!/bin/sh
# Starts Node for Assent's hooks: the one it was installed with, or another one of this machine. Written by \`assent install\`.
node='${node.replaceAll("'", "'\\''")}'
[ ! -x "$node" ] || exec "$node" "$@"
for node in "$HOME"/.nvm/versions/node/*/bin/node "$HOME"/.local/share/fnm/node-versions/*/installation/bin/node \\
  "$HOME"/.fnm/node-versions/*/installation/bin/node "$HOME"/.volta/tools/image/node/*/bin/node "$HOME"/.nodenv/versions/*/bin/node \\
  "$HOME"/.asdf/installs/nodejs/*/bin/node "$HOME"/.local/share/mise/installs/node/*/bin/node \\
  "$HOME"/.local/bin/node /usr/local/bin/node /opt/homebrew/bin/node /usr/bin/node; do
  [ -x "$node" ] && "$node" -e 'process.exit(+(parseInt(process.versions.node, 10) < 20))' < /dev/null > /dev/null 2>&1 && exec "$node" "$@"
done
echo 'Node is missing; refused: sh ~/.local/share/assent/rescue' >&2
exit 2
`;
