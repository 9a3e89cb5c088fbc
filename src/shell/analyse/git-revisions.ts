import { doubt, emitFile, type Invocation } from "../invocation.ts";
import { concat, literal, prefixOf, textOf, type Atom, type Value } from "../value.ts";
import { gitDiffNames, gitLogNames } from "./git-names.ts";
import { drops, has, valuesOf } from "./given.ts";

/**
 * gitrevisions(7): `REV:PATH` and `:N:PATH` name a file of a commit or the index; `:(magic)PATH`, `:/PATH` are pathspecs.
 * What such a file holds is what the file of that name holds, so it counts as read.
 */
export function gitRevisions(inv: Invocation): void {
  const pattern = inv.grammar.slots?.[0]?.name === "pattern" && !drops(inv, "pattern") ? 1 : 0;
  for (const operand of inv.args.operands.slice(pattern)) {
    revisionPath(inv, operand);
    // Wildcards in quotes are git's own to expand.
    const text = textOf(operand);
    if (
      text !== undefined &&
      /[*?[]/.test(text) &&
      !text.includes(":") &&
      inv.grammar.slots?.some(({ kind }) => kind.is === "file") === true
    )
      emitFile(inv, "read", pathspec(text));
  }
  // git-log(1): -L START,END:FILE and -L :FUNCTION:FILE.
  for (const range of valuesOf(inv, "-L")) {
    const file = behindLastColon(range);
    if (file !== undefined) emitFile(inv, "read", file);
  }
  if (has(inv, "--batch", "--batch-command")) batch(inv);
  gitLogNames(inv);
  gitDiffNames(inv);
}

/** Emits the read of the file that a revision names, if it names one. */
export function revisionPath(inv: Invocation, value: Value): void {
  const text = textOf(value);
  if (text?.startsWith(":") === true) {
    const magic = /^:\(([^)]*)\)(.*)$/s.exec(text);
    const [, words = "", rest = ""] = magic ?? [];
    if (magic !== null) {
      if (!/\b(exclude|attr)\b/.test(words)) emitFile(inv, "read", words.includes("top") ? fromTop(inv, pathspec(rest)) : pathspec(rest));
      return;
    }
    if (/^:[!^]/.test(text)) return;
    emitFile(inv, "read", fromTop(inv, pathspec(text.replace(/^:(\/|[0-3]:)?/, ""))));
    return;
  }
  const file = behindFirstColon(value);
  if (file === undefined) return;
  // `REV:./x` means the working directory, anything else the top of the repository.
  emitFile(inv, "read", /^\.{1,2}\//.test(prefixOf(file)) ? file : fromTop(inv, file));
}

const fromTop = (inv: Invocation, path: Value): Value => concat(literal(`${inv.cx.world.projectRoot}/`), path);

/** A pathspec as the pattern it is. */
function pathspec(text: string): Value {
  const atoms: Atom[] = text
    .split(/([*?]|\[[^\]]*\])/)
    .filter((piece) => piece !== "")
    .map((piece) => (/^([*?]|\[.*\])$/s.test(piece) ? { glob: piece } : piece));
  return { atoms, many: false };
}

function behindFirstColon(value: Value): Value | undefined {
  const at = value.atoms.findIndex((atom) => typeof atom === "string" && atom.includes(":"));
  const atom = value.atoms[at];
  if (typeof atom !== "string" || (at === 0 && /^[a-z+]+:\/\//.test(atom))) return undefined;
  const rest = atom.slice(atom.indexOf(":") + 1);
  return { atoms: [...(rest === "" ? [] : [rest]), ...value.atoms.slice(at + 1)], many: value.many && value.atoms.length > at + 1 };
}

function behindLastColon(value: Value): Value | undefined {
  const reversed = value.atoms.findLastIndex((atom) => typeof atom === "string" && atom.includes(":"));
  const atom = value.atoms[reversed];
  if (typeof atom !== "string") return undefined;
  const rest = atom.slice(atom.lastIndexOf(":") + 1);
  return { atoms: [...(rest === "" ? [] : [rest]), ...value.atoms.slice(reversed + 1)], many: value.many };
}

/** git-cat-file(1): the objects to print are named on standard input. */
function batch(inv: Invocation): void {
  const text = inv.stdin.is === "text" ? textOf(inv.stdin.value) : undefined;
  if (text === undefined)
    doubt(inv, "which objects git cat-file prints is only known at run time", "name the object: git cat-file -p NAME");
  else for (const line of text.split("\n")) revisionPath(inv, literal(line.replace(/^(contents|info) /, "")));
}
