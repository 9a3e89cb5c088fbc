import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { isHole, literal, prefixOf, textOf, type Value } from "../value.ts";

/**
 * ffmpeg(1) "Protocols", ImageMagick's "Filename references", sox(1) "File types", exiftool(1): a name may be an address, a
 * protocol or coder with a colon, `@list`, `|command` or `command |`. A plain name is read or written as the table says.
 */
export function plainFile(inv: Invocation): void {
  const values = inv.args.options.flatMap(({ value, option }) => (value === undefined || option === undefined ? [] : [value]));
  for (const word of values) check(inv, word, /^[@|]/);
  for (const word of inv.args.operands) check(inv, word, /^[@|]|^[^/]*:/);
  for (const { value, option } of inv.args.options) if (value !== undefined && option?.kind.is === "file") check(inv, value, /^[^/]*:/);
}

function check(inv: Invocation, word: Value, strange: RegExp): void {
  const text = textOf(word) ?? prefixOf(word);
  const open =
    textOf(word) === undefined && text === "" && word.atoms.some((atom) => isHole(atom) && atom.below !== true && atom.number !== true);
  const match = strange.exec(text);
  if (!open && match === null && !text.trimEnd().endsWith("|")) return;
  // `@FILE` and `CODER:FILE` read it.
  const path = match === null ? "" : text.slice(match[0].length);
  if (path !== "" && !path.startsWith("//")) emitFile(inv, "read", literal(path));
  doubt(inv, `${describe(word)} may be more than the name of a file to ${inv.name}`, "put ./ in front of the file name");
}
