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

function mayOpen(inv: Invocation, word: Value): boolean {
  const text = textOf(word);
  if (text !== undefined) return OPENS.test(text);
  if (OPENS.test(prefixOf(word))) return true;
  const named = isGlob(word) || word.atoms.some((atom) => isHole(atom) && atom.below === true);
  // What the shell or another program found in a folder: a name there would have to look like a command.
  if (named)
    return inv.places.some((place) => place.is === "at" && inv.cx.world.names(place.path)?.some((name) => OPENS.test(name)) === true);
  return (
    word.atoms.some((atom) => isHole(atom) && atom.number !== true && atom.pipe === undefined) && !/^(\.?\/|[\w-]+\/)/.test(prefixOf(word))
  );
}
