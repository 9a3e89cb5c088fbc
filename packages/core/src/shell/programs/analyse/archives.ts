// Archives: what is packed, what is unpacked where, and what stands in the place of a file that is compressed.
import { SUFFIX } from "#knowledge/traits";
import { toldOf } from "../../../policy/index.ts";
import { resolvePath } from "../../../path/index.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { readArguments, type Arguments } from "../options.ts";
import { changePlaces, mayBegin } from "../../words/paths.ts";
import type { ShellPlace } from "../../words/state.ts";
import { concat, isGlob, literal, prefixOf, sameValue, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** A member or file operand, and the folder that the -C options in front of it lead to. */
interface ArchiveMember {
  readonly value: Value;
  readonly places: readonly ShellPlace[];
}

/**
 * tar(1). The first word may be old style: letters without a dash, whose values are the next words in turn.
 * `-C` moves what follows it, each from where the one before led (GNU tar 1.34: a member in front of it stays).
 */
export function tar(given: Invocation): void {
  const words = withDashes(given);
  const args =
    words === given.words ? given.args : readArguments(words, given.grammar, { mayBeOption: (value) => mayBegin(given, value, "-") });
  const inv: Invocation = { ...given, args };
  if (words !== given.words && applyNew(given, args)) return;
  const { members, places } = readMembers(inv, words);
  const creates = has(inv, "-c", "--create");
  const adds = has(inv, "-r", "--append", "-u", "--update");
  const extracts = has(inv, "-x", "--extract", "--get");
  const looks = has(inv, "-t", "--list", "--test-label");
  const compares = has(inv, "-d", "--diff", "--compare");
  const changes = adds || has(inv, "-A", "--catenate", "--concatenate", "--delete");
  for (const file of valuesOf(inv, "-f", "--file")) archive(inv, file, creates ? "write" : changes ? "edit" : "read");
  if (creates || adds) for (const member of members) pack(inv, member);
  if (has(inv, "-A", "--catenate", "--concatenate"))
    for (const member of members) emitFile({ ...inv, places: member.places }, "read", member.value);
  if (compares)
    for (const member of members.length > 0 ? members : [{ value: literal("."), places }])
      emitFile({ ...inv, places: member.places }, "read", member.value, true);
  // bsdtar(1): the next word is how -s renames members, whatever it begins with.
  if (has(inv, "-s")) doubt(inv, "-s renames what is unpacked in some versions of tar");
  if (extracts) unpack(inv, members, places);
  if (!creates && !changes && !extracts && !looks && !compares) doubt(inv, `what ${inv.name} does is not told by its options`);
}

/** Old style written as options: `xzf a.tgz` is `-x -z -f a.tgz`. */
function withDashes(inv: Invocation): readonly Value[] {
  const [first, ...rest] = inv.words;
  const letters = first === undefined ? undefined : textOf(first);
  if (first === undefined || letters === undefined || letters.startsWith("-") || letters === "") {
    if (first !== undefined && letters === undefined && !prefixOf(first).startsWith("-"))
      doubt(inv, `what ${inv.name} does is only known at run time: ${describe(first)}`, "write the options out");
    return inv.words;
  }
  const words: Value[] = [];
  let next = 0;
  for (const letter of letters) {
    words.push(literal(`-${letter}`));
    const value = rest[next];
    if (inv.grammar.options.get(`-${letter}`)?.argument !== "required" || value === undefined) continue;
    words.push(value);
    next++;
  }
  return [...words, ...rest.slice(next)];
}

/** Applies the options that only the old style shows; true when one of them means help. */
function applyNew(given: Invocation, args: Arguments): boolean {
  let stopped = false;
  for (const reason of args.doubts) doubt(given, `${reason} of ${given.name}`);
  for (const { option, value, written } of args.options) {
    if (
      given.args.options.some(
        (one) =>
          one.option === option &&
          one.written === written &&
          (one.value === value || (one.value !== undefined && value !== undefined && sameValue(one.value, value))),
      )
    )
      continue;
    if (option === undefined) doubt(given, `${given.name} has no known option \`${written}\``);
    else {
      if (value !== undefined && option.argument !== "none") applyKind(given, option.kind, value);
      for (const consequence of option.consequences) {
        if (consequence.then === "effect") applyEffect(given, consequence.effect);
        if (consequence.then === "stop") stopped = true;
      }
    }
  }
  return stopped;
}

/** Operands in order, each with the folder it is taken in. */
function readMembers(
  inv: Invocation,
  words: readonly Value[],
): { readonly members: readonly ArchiveMember[]; readonly places: readonly ShellPlace[] } {
  const members: ArchiveMember[] = [];
  let places = inv.places;
  // Operands and the values of -C are told apart by reading ever longer beginnings of the line.
  let operands = 0;
  let moves = 0;
  let added = 0;
  for (let end = 1; end <= words.length && moves + operands < words.length; end++) {
    const part = readArguments(words.slice(0, end), inv.grammar, { mayBeOption: () => false });
    const folders = valuesOf({ args: part }, "-C");
    for (; moves < folders.length; moves++) places = changePlaces(places, folders[moves] ?? literal("."));
    for (; operands < part.operands.length; operands++) members.push({ value: part.operands[operands] ?? literal(""), places });
    // tar(1): an operand that may begin with a dash.
    const files = valuesOf({ args: part }, "--add-file");
    for (; added < files.length; added++) members.push({ value: files[added] ?? literal(""), places });
  }
  return { members, places };
}

/** `-` is standard input or output; `HOST:FILE` is reached through a remote shell. */
function archive(inv: Invocation, file: Value, operation: "read" | "write" | "edit"): void {
  if (textOf(file) === "-") return;
  const host = /^([^/:]+):/.exec(prefixOf(file));
  if (host !== null && !has(inv, "--force-local")) {
    applyKind(inv, { is: "host" }, literal(host[1] ?? ""));
    applyEffect(inv, { is: "remote", operation: operation === "read" ? "read" : "change", service: "ssh" });
    return;
  }
  emitFile(inv, operation, file);
}

function pack(inv: Invocation, { value, places }: ArchiveMember): void {
  const there = { ...inv, places };
  emitFile(there, "read", value, !has(inv, "--no-recursion"));
  // bsdtar(1): `@ARCHIVE` takes the entries of another archive.
  if (prefixOf(value).startsWith("@")) emitFile(there, "read", literal((textOf(value) ?? "").slice(1)));
  if (has(inv, "--remove-files")) emitFile(there, "delete", value, true);
}

/** Members that are named are written under these names, all others are only known to the archive. */
function unpack(inv: Invocation, members: readonly ArchiveMember[], places: readonly ShellPlace[]): void {
  if (has(inv, "-O", "--to-stdout", "--to-command")) return;
  const [below] = valuesOf(inv, "--one-top-level");
  const named =
    members.length > 0 &&
    below === undefined &&
    !has(inv, "--strip-components", "--wildcards", "--one-top-level", "-P", "--absolute-names");
  for (const member of members) {
    if (named && textOf(member.value) !== undefined && !/[*?[\\]/.test(textOf(member.value) ?? ""))
      emitFile({ ...inv, places: member.places }, "write", concat(literal("./"), member.value), true);
    else inArchive(inv, member.places, below);
  }
  if (members.length === 0) inArchive(inv, places, below);
}

function inArchive(inv: Invocation, places: readonly ShellPlace[], below: Value | undefined): void {
  const anywhere = has(inv, "-P", "--absolute-names");
  const there = { ...inv, places: below === undefined ? places : changePlaces(places, below) };
  emitFile(there, "write", {
    atoms: [{ hole: true, why: "a name that the archive holds", ...(anywhere ? {} : { below: true }) }],
    many: false,
  });
}

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
  const suffix = format === undefined ? toldOf(SUFFIX, inv.name) : text === undefined ? undefined : FORMATS[text];
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

/** unzip(1): unless it only looks, it writes names that the archive holds below -d or the working directory. */
export function unzip(inv: Invocation): void {
  const folder = valuesOf(inv, "-d").at(-1);
  if (has(inv, "-l", "-t", "-p", "-c", "-v", "-z", "-Z") || inv.args.operands.length === 0) {
    if (folder !== undefined) emitFile(inv, "mkdir", folder);
    return;
  }
  const places = folder === undefined ? inv.places : changePlaces(inv.places, folder);
  emitFile({ ...inv, places }, "write", { atoms: [{ hole: true, why: "a name that the archive holds", below: true }], many: false });
}
