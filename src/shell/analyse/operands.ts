// Operands and values that are more than a file name, by how they are written.
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { noteLinks } from "../links.ts";
import { dropPrefix } from "../options.ts";
import { isHole, literal, prefixOf, textOf, type Value } from "../value.ts";
import { has, mayBegin, valuesOf } from "./given.ts";

/** less(1), more(1): `+COMMAND` is typed into the pager, and `!` there runs a shell. A line number or a search is not. */
export function plus(inv: Invocation): void {
  // less(1): `$` ends the text of an option and another option follows; a newline is typed into the pager.
  for (const { value } of inv.args.options) {
    if (value !== undefined && !/^[^$\p{Cc}]*$/u.test(textOf(value) ?? "$"))
      refuse(inv, `${describe(value)} may hold more options of ${inv.name}, which can start programs`, "leave out the `$`");
  }
  for (const word of inv.args.operands) {
    const text = textOf(word);
    if (text !== undefined && /^\+(\d*[gG]?|\/[\w .-]*)$/.test(text)) continue;
    if (mayBegin(inv, word, "+"))
      refuse(inv, `${describe(word)} may be a command of ${inv.name}, which can start programs`, "put ./ in front of the file name");
  }
}

/** dos2unix(1): behind a file, options that change what is done with the files behind them. */
export function lateOptions(inv: Invocation): void {
  for (const word of inv.args.operands) {
    if (mayBegin(inv, word, "-") && textOf(word) !== "-")
      refuse(inv, `${describe(word)} may be an option of ${inv.name} for the files behind it`, "put the options first");
  }
}

/** binutils: an argument `@FILE`, wherever it stands, is replaced by the arguments in that file. */
export function responseFile(inv: Invocation): void {
  for (const word of inv.words) {
    if (mayBegin(inv, word, "@"))
      refuse(inv, `${describe(word)} may name a file with more arguments for ${inv.name}`, "put ./ in front of the file name");
  }
}

/** gawk(1) "Special File Names": an operand below /inet is a connection, even where no such folder exists. */
export function awkFiles(inv: Invocation): void {
  for (const word of inv.args.operands.slice(1))
    if (/^\/inet[46]?(\/|$)/.test(prefixOf(word))) refuse(inv, `${describe(word)} is a network connection to gawk`);
}

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

/** aws(1), "Loading parameters from a file": a value that begins with `file://` or `fileb://` is that file's content. */
export function fileArguments(inv: Invocation): void {
  for (const value of [...inv.args.operands, ...inv.args.options.flatMap((given) => (given.value === undefined ? [] : [given.value]))]) {
    const match = /^fileb?:\/\//.exec(prefixOf(value));
    if (match !== null) emitFile(inv, "read", dropPrefix(value, match[0].length));
  }
}

/** aws(1), operations with a streamed answer: OUTFILE is a word of its own, often the last. */
export function intoAFile(inv: Invocation): void {
  fileArguments(inv);
  const last = inv.args.operands.at(-1);
  if (last !== undefined && !prefixOf(last).startsWith("-")) emitFile(inv, "write", last);
  doubt(inv, `${inv.name} writes what it gets into a file that one of its words names`, "write it to a folder of its own");
}

/** `aws lambda list-functions` answers with the environment of each function, unless `--query` (JMESPath) picks other fields. */
export function lambdaVariables(inv: Invocation): void {
  fileArguments(inv);
  const fields = valuesOf(inv, "--query").map((value) => textOf(value) ?? "");
  const picks =
    fields.length > 0 &&
    fields.every((text) => /^Functions\[[^\]]*\]\.(?:\w+|\[\w+(?:,\s*\w+)*\])$/.test(text) && !/environment/i.test(text));
  if (!picks)
    doubt(
      inv,
      "aws shows the environment variables of functions, which may hold secrets",
      "pick fields: --query 'Functions[].FunctionName'",
    );
}

/** split(1), csplit(1): pieces are named PREFIX and letters or digits, so `~/.bashr` becomes `~/.bashrc` in the end. */
export function prefix(inv: Invocation): void {
  if (has(inv, "--filter")) return;
  const cuts = inv.grammar.options.has("--prefix");
  const name = (cuts ? valuesOf(inv, "-f", "--prefix").at(-1) : inv.args.operands[1]) ?? literal(cuts ? "xx" : "x");
  emitFile(inv, "write", { atoms: [...name.atoms, { glob: "*" }], many: name.many });
}

/** ln(1): what later commands of the line do through the link is told when all of them are known. */
export function symbolicLinks(inv: Invocation): void {
  noteLinks(inv, { symbolic: has(inv, "-s", "--symbolic"), relative: has(inv, "-r", "--relative") });
}
