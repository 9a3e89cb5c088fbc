import { baseName, resolvePath } from "../../path/index.ts";
import { describe, refuse, type Invocation } from "../invocation.ts";
import { isGlob, isHole, prefixOf, textOf, type Value } from "../value.ts";
import { has } from "./given.ts";

/** perlrun(1), perlop(1) "I/O Operators": with -n and -p an operand is opened the old way, so that `cmd|` and `|cmd` run and `>x` writes. */
const OPENS = /^\s*[|<>+]|\|\s*$/;

export function perlFiles(inv: Invocation): void {
  if (!has(inv, "-n", "-p")) return;
  for (const word of inv.args.operands) {
    if (mayOpen(inv, word))
      refuse(inv, `${describe(word)} may be a command to perl, which opens it`, "put ./ in front of the file name, or pipe the file in");
  }
}

function holdsCommand({ cx: { world } }: Invocation, root: string, deep: boolean): boolean {
  const { found, complete } = world.find(root, (path) => OPENS.test(baseName(path)), deep ? undefined : 1);
  return found !== undefined || !complete;
}

function mayOpen(inv: Invocation, word: Value): boolean {
  const text = textOf(word);
  if (text !== undefined) return OPENS.test(text);
  const prefix = prefixOf(word);
  if (OPENS.test(prefix)) return true;
  const found = word.atoms.find((atom) => isHole(atom) && atom.below === true);
  // What the shell or another program found in a folder: a name there would have to look like a command.
  if (isGlob(word) || found !== undefined) {
    const ends = found !== undefined && isHole(found) ? (found.filter?.only ?? ["*"]) : [word.atoms.at(-1)];
    if (prefix !== "" && ends.every((end) => typeof end === "string" && /[^*?\]|\s]$/.test(end))) return false;
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const deep = found !== undefined || word.atoms.slice(1).some((atom) => typeof atom === "string" && atom.includes("/"));
    return inv.places.some((place) => place.is !== "at" || holdsCommand(inv, resolvePath(place.path, folder || "."), deep));
  }
  return (
    word.atoms.some((atom) => isHole(atom) && atom.number !== true && atom.pipe === undefined) && !/^(\.?\/|[\w-]+\/)/.test(prefixOf(word))
  );
}
