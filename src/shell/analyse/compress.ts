import { resolvePath } from "../../path/index.ts";
import { emitFile, type Invocation } from "../invocation.ts";
import { concat, isGlob, literal, textOf, type Value } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** What each program appends, and what it takes away again. */
const SUFFIX: Readonly<Record<string, string>> = {
  gzip: ".gz",
  gunzip: ".gz",
  pigz: ".gz",
  unpigz: ".gz",
  bzip2: ".bz2",
  bunzip2: ".bz2",
  xz: ".xz",
  unxz: ".xz",
  lzma: ".lzma",
  unlzma: ".lzma",
  lzip: ".lz",
  lz4: ".lz4",
  unlz4: ".lz4",
  compress: ".Z",
  uncompress: ".Z",
  zstd: ".zst",
  zstdmt: ".zst",
  pzstd: ".zst",
  unzstd: ".zst",
};
const FORMATS: Readonly<Record<string, string>> = {
  gzip: ".gz",
  xz: ".xz",
  lzma: ".lzma",
  alone: ".lzma",
  lz4: ".lz4",
  zstd: ".zst",
  lzip: ".lz",
  auto: ".xz",
};
/** gzip(1), bzip2(1): names that become `.tar`. */
const TAR = /\.(tgz|taz|tbz2?|txz|tlz|tzst)$/;
const KNOWN = /(\.(gz|z|Z|bz2?|xz|lzma|lz|lz4|zst|zz|zip)|[-_]g?z)$/;

/** The file that appears beside the operand: its name with the suffix on, or off. */
export function compress(inv: Invocation): void {
  if (has(inv, "-c", "--stdout", "-t", "--test", "-l", "--list") || valuesOf(inv, "-o").length > 0) return;
  const { operands } = inv.args;
  // lz4(1): the second operand is the output.
  if (inv.name.endsWith("lz4")) {
    const [, output] = operands;
    if (output !== undefined) emitFile(inv, "write", output);
  }
  const back = inv.name.startsWith("un") || inv.name.startsWith("gun") || inv.name.startsWith("bun") || has(inv, "-d", "--decompress");
  const recursive = has(inv, "-r", "--recursive");
  for (const operand of operands) {
    if (textOf(operand) === "-") continue;
    if (recursive) {
      emitFile(inv, "write", operand, true);
      if (isFolder(inv, operand)) continue;
    }
    for (const name of back ? unpacked(inv, operand) : [packed(inv, operand)]) emitFile(inv, "write", name);
  }
}

const isFolder = (inv: Invocation, operand: Value): boolean =>
  inv.places.every(
    (place) =>
      place.is === "at" && inv.cx.world.kind(inv.cx.world.canonical(resolvePath(place.path, textOf(operand) ?? ""))) === "directory",
  );

function packed(inv: Invocation, operand: Value): Value {
  const [format] = valuesOf(inv, "-F", "--format");
  const text = format === undefined ? undefined : textOf(format);
  const suffix = format === undefined ? SUFFIX[inv.name] : text === undefined ? undefined : FORMATS[text];
  return suffix === undefined ? { atoms: [...operand.atoms, { glob: "*" }], many: operand.many } : concat(operand, literal(suffix));
}

/** A name without suffix is looked for with the suffix on, and comes out as it was written. */
function unpacked(inv: Invocation, operand: Value): readonly Value[] {
  const last = operand.atoms.at(-1);
  const cut = typeof last === "string" ? last.replace(TAR, ".tar").replace(KNOWN, "") : undefined;
  const name: Value =
    cut === undefined
      ? operand
      : { atoms: cut === "" ? operand.atoms.slice(0, -1) : [...operand.atoms.slice(0, -1), cut], many: operand.many };
  // -N: the name that is stored in the file.
  if (!has(inv, "-N", "--name")) return [name];
  const folder = isGlob(operand) || textOf(operand) === undefined ? undefined : (textOf(operand) ?? "").replace(/[^/]*$/, "");
  return [
    folder === undefined
      ? { atoms: [{ hole: true, why: "a name that the compressed file holds" }], many: false }
      : {
          atoms: [...(folder === "" ? [] : [folder]), { hole: true, why: "a name that the compressed file holds", below: true }],
          many: false,
        },
  ];
}
