// Where the source lies: the folders of the packages of this repository, `packages/NAME/src/`. A file goes by the
// name below its folder's parent (`policy/judge.ts`), wherever that is. Others import a package's folder as `@assent/NAME/FOLDER`
// (tsconfig.json): a file of this tree, whatever the link of the workspace in `node_modules` leads to.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export const SCOPE = "@assent/";

export const packagesOf = (root) => (existsSync(join(root, "packages")) ? readdirSync(join(root, "packages")).toSorted() : []);

/** Below the root. */
export const sourceFolders = (root) => packagesOf(root).map((name) => `packages/${name}/src`);

/** Every folder of the source, by its name. */
export function foldersOf(root) {
  const found = new Map();
  for (const source of sourceFolders(root))
    for (const entry of readdirSync(join(root, source), { withFileTypes: true }))
      if (entry.isDirectory()) found.set(entry.name, join(root, source, entry.name));
  return found;
}

/** The file that goes by `name`. */
export function sourceFile(root, name) {
  const [folder = ""] = name.split("/");
  const found = foldersOf(root).get(folder);
  if (found === undefined) throw new Error(`no folder of the source is called ${folder}`);
  return join(found, name.slice(folder.length + 1));
}

/** How a module that the build writes names that file. */
export const specifierOf = (root, name) => JSON.stringify(sourceFile(root, name));

/** `path` begins with `root`. Undefined: no file of the source. */
export function nameOfSource(root, path) {
  const source = sourceFolders(root)
    .map((folder) => join(root, folder, "/"))
    .find((folder) => path.startsWith(folder));
  return source === undefined ? undefined : path.slice(source.length);
}

/** The file that `@assent/NAME/FOLDER` names. */
export function packageFile(root, specifier) {
  const [name, ...folders] = specifier.slice(SCOPE.length).split("/");
  return join(root, "packages", name, "src", ...folders, "index.ts");
}
