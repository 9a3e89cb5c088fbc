import { lstatSync, readdirSync, statSync } from "node:fs";
import { joinPath } from "../../path/index.ts";
import { errorCode, isOwn, type Machine } from "../../state/index.ts";

/** A file in the folder of extensions. */
export interface ExtensionFile {
  readonly name: string;
  readonly path: string;
  /** Why it is not run. */
  readonly problem?: string;
}

const ENDING = /\.(?:js|mjs|cjs|ts|mts)$/;
const DECLARATIONS = /\.d\.m?ts$/;
/** Each costs a process a request. */
const MOST = 16;

/** Whatever `XDG_CONFIG_HOME` says: a variable must not be able to shed them. */
export const extensionsFolder = ({ home }: Pick<Machine, "home">): string => joinPath(home, ".config/assent/extensions");

/** The user's extensions, by name. Where there is no folder, which is nearly everywhere, this is one look at it. */
export function findExtensions(machine: Machine): readonly ExtensionFile[] {
  const folder = extensionsFolder(machine);
  let names: readonly string[];
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    const wrong = notOwn(folder, machine) ?? notOwn(folder.slice(0, folder.lastIndexOf("/")), machine);
    if (wrong !== undefined) return [{ name: "extensions", path: folder, problem: wrong }];
    names = readdirSync(folder)
      .filter((name) => ENDING.test(name) && !DECLARATIONS.test(name))
      .toSorted();
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return [];
    return [{ name: "extensions", path: folder, problem: `the folder cannot be read: ${errorCode(error)}` }];
  }
  if (names.length > MOST) return [{ name: "extensions", path: folder, problem: `there are more than ${MOST} of them` }];
  return names.map((name) => {
    const path = `${folder}/${name}`;
    const problem = notOwn(path, machine);
    return problem === undefined ? { name, path } : { name, path, problem };
  });
}

/** Code that runs as the user must be the user's. A link leads to where nothing protects it. */
function notOwn(path: string, { uid }: Machine): string | undefined {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return "it is a link: put the file itself there";
    return isOwn(stats, uid) ? undefined : "others could have written it: it must be yours, and writable for nobody else";
  } catch (error) {
    return `it cannot be looked at: ${errorCode(error)}`;
  }
}
