import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, emitTarget, refuse, type Invocation } from "../invocation.ts";
import { environmentWord } from "../kinds.ts";
import { concat, isHole, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { mayBegin, targetsOf } from "../../words/paths.ts";
import { parentOf, resolvePath } from "../../../path/index.ts";
import { applyObeyed } from "../obeyed.ts";
import type { ShellPlace } from "../../words/state.ts";
import { responseFile } from "./operands.ts";
import { has, valuesOf } from "../given.ts";

/** What compilers write, which their words seldom say: the names follow from those of the sources. */

const PROJECT_CODE = { is: "code", source: "project", language: "project" } as const;

/** Some name in a folder that the compiler chooses. */
const someIn = (folder: string, ending: string): Value => ({
  atoms: [...(folder === "" ? [] : [folder]), { glob: "*" }, ending],
  many: false,
});

/** `src/a.c` gives `a` with this ending, in the working directory; a name only known at run time gives any. */
function besides(source: Value, ending: string, folder: "here" | "its own" = "here"): Value {
  const text = textOf(source);
  if (text === undefined) return someIn("", ending);
  const at = text.lastIndexOf("/") + 1;
  const name = text.slice(at).replace(/(?<=.)\.[^.]*$/, "");
  return literal(`${folder === "here" ? "" : text.slice(0, at)}${name}${ending}`);
}

const HEADER = /\.(?:h|hh|hpp|hxx|h\+\+|H|tcc)$/;
const FORTRAN = /\.(?:f|for|ftn|fpp|f90|f95|f03|f08)$/i;

/**
 * gcc(1) "Overall Options", "Preprocessor Options", clang(1): without `-o` the output is named after the source, in the working
 * directory; dependencies are named after the output; a header gives a precompiled one beside it, Fortran modules their `.mod`.
 * An argument `@FILE` holds more arguments, and what is read from standard input can include any file.
 */
export function compiler(inv: Invocation): void {
  responseFile(inv);
  const { operands } = inv.args;
  if (operands.some((word) => textOf(word) === "-") && !isEmptyInput(inv))
    doubt(inv, `what ${inv.name} reads from standard input may include any file`, "name the source file");
  if (operands.length === 0) {
    // `gcc -v` and `gcc -print-file-name=x` tell about the compiler.
    const tells = inv.args.options.every(({ option }) => option?.names.some((name) => TELLS.test(name)) === true);
    if (!tells || inv.args.options.length === 0) doubt(inv, `${inv.name} is given nothing to work on: an option may have taken the source`);
    return;
  }
  const outputs = valuesOf(inv, "-o");
  const out = outputs.at(-1);
  dependencies(inv, out);
  const looksOnly = has(inv, "-fsyntax-only", "-E", "-M", "-MM", "-###");
  if (operands.some((word) => FORTRAN.test(textOf(word) ?? "")) || inv.name.includes("fortran")) {
    emitFile(inv, "write", someIn("", ".mod"));
    emitFile(inv, "write", someIn("", ".smod"));
  }
  if (looksOnly || out !== undefined) return;
  const headers = operands.filter(
    (word) => HEADER.test(textOf(word) ?? "") || valuesOf(inv, "-x").some((kind) => textOf(kind)?.endsWith("-header") !== false),
  );
  for (const header of headers) emitFile(inv, "write", { atoms: [...header.atoms, { glob: "*ch" }], many: header.many });
  if (headers.length === operands.length) return;
  if (!has(inv, "-c", "-S")) {
    emitFile(inv, "write", literal("a.out"));
    // emcc(1), nvcc(1): a program, its loader and its data.
    if (/^(?:em|nv)/.test(inv.name)) emitFile(inv, "write", { atoms: ["a.out", { glob: "*" }], many: false });
    return;
  }
  for (const source of operands) for (const ending of has(inv, "-S") ? [".s"] : [".o"]) emitFile(inv, "write", besides(source, ending));
}

/** Nothing but blanks comes in: `< /dev/null`, `echo |`. */
const isEmptyInput = ({ stdin }: Invocation): boolean => stdin.is === "text" && /^\s*$/.test(textOf(stdin.value) ?? "?");

/** cpp(1): as above, but that a second operand is the output, and that nothing is compiled. */
export function preprocessor(inv: Invocation): void {
  responseFile(inv);
  const [source] = inv.args.operands;
  if ((source === undefined || textOf(source) === "-") && !isEmptyInput(inv))
    doubt(inv, `what ${inv.name} reads from standard input may include any file`, "name the source file");
  dependencies(inv, valuesOf(inv, "-o").at(-1) ?? inv.args.operands[1]);
}

const TELLS = /^-(?:v|print-.*|dump.*|m.*|###|Q)$/;

/** `-MD` and `-MMD` write a list of what was included, unless `-MF` names the file. */
function dependencies(inv: Invocation, out: Value | undefined): void {
  if (!has(inv, "-MD", "-MMD") || valuesOf(inv, "-MF").length > 0) return;
  for (const source of inv.args.operands) emitFile(inv, "write", besides(source, ".d"));
  if (out === undefined) return;
  // With -E the output itself is the list (gcc(1)); linking, `x` gives `x-a.d`.
  emitFile(inv, "write", besides(out, ".d", "its own"));
  const stem = besides(out, "", "its own");
  emitFile(inv, "write", { atoms: [...stem.atoms, { glob: "*" }, ".d"], many: false });
}

/** javac(1) and its kin: without sources -version only prints; with some it compiles them all the same. Classes lie beside the sources unless -d says where. */
export function javac(inv: Invocation): void {
  const { operands } = inv.args;
  if (operands.length === 0 && has(inv, "-version") && inv.args.options.length === 1) return;
  applyEffect(inv, PROJECT_CODE);
  if (operands.length === 0) doubt(inv, `${inv.name} is given no source: an option may have taken it`);
  if (valuesOf(inv, "-d").length > 0) return;
  applyEffect(inv, { is: "file", operation: "write", path: ".", tree: false });
  for (const source of operands) emitFile(inv, "write", someIn((textOf(source) ?? "").replace(/[^/]*$/, ""), ".class"));
}

/** `cargo fmt -- --check`: what follows `--` is for rustfmt. */
export function cargoFmt(inv: Invocation): void {
  const words = inv.args.operands.map((word) => textOf(word));
  if (
    words.some(
      (word) => word === undefined || !/^(?:--check|-l|--files-with-diff|-q|--quiet|-v|--verbose|--color=\w+|--edition=\d+)$/.test(word),
    )
  )
    doubt(inv, "what follows -- is for rustfmt, and not known");
  // The sources of a package lie where its manifest does, which may be above.
  const folder = manifestFolder(inv, has(inv, "--all"));
  emitFile(inv, has(inv, "--check") || words.includes("--check") ? "read" : "edit", literal(folder), true);
  const manifest = inv.cx.world.text?.(`${folder}/Cargo.toml`) ?? "";
  for (const [, path = ""] of manifest.matchAll(/\bpath\s*=\s*["']([^"'\n]*)["']/g))
    if (!path.endsWith(".rs")) emitFile(inv, "read", literal(path.startsWith("/") ? path : `${folder}/${path}`));
}

/** Where cargo finds the manifest: in the nearest folder that has one, a workspace's in the outermost. */
function manifestFolder(inv: Invocation, outermost: boolean): string {
  const [place] = inv.places;
  if (place?.is !== "at" || inv.places.length > 1) return ".";
  let found = ".";
  for (let folder = place.path; folder !== "" && folder !== inv.cx.world.home; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    if (inv.cx.world.kind(`${folder}/Cargo.toml`) === "missing") continue;
    found = folder;
    if (!outermost) break;
  }
  return found;
}

/** rustfmt(1) follows `mod name;` from each source into the files beside it and below. */
export function rustModules(inv: Invocation): void {
  for (const source of inv.args.operands) {
    const text = textOf(source);
    if (text === undefined) doubt(inv, `${describe(source)} may name any source, whose modules are formatted with it`);
    else emitFile(inv, has(inv, "--check") ? "read" : "edit", literal(text.replace(/[^/]*$/, "") || "."), true);
  }
}

/** rustc --print KIND tells without a source; `KIND=FILE` writes. Anything else compiles into the working directory, -o or --out-dir. */
export function rustc(inv: Invocation): void {
  const { operands } = inv.args;
  const told = valuesOf(inv, "--print").map((value) => textOf(value));
  const tells = told.every((kind) => /^(?:sysroot|target-list|target-cpus|target-features|target-libdir|host-tuple|cfg)$/.test(kind ?? ""));
  if (told.length > 0 && tells && operands.length === 0) return;
  applyEffect(inv, PROJECT_CODE);
  if (operands.length === 0) doubt(inv, "rustc is given no source: an option may have taken it");
  // `--emit KIND=FILE` writes that file.
  for (const emit of valuesOf(inv, "--emit")) {
    const text = textOf(emit);
    if (text === undefined) doubt(inv, `${describe(emit)} may name a file that rustc writes`);
    for (const part of (text ?? "").split(",")) if (part.includes("=")) emitFile(inv, "write", literal(part.slice(part.indexOf("=") + 1)));
  }
  if (valuesOf(inv, "-o", "--out-dir").length > 0) return;
  applyEffect(inv, { is: "file", operation: "write", path: ".", tree: false });
  for (const source of operands) {
    const name = textOf(besides(source, ""));
    if (name === undefined) emitFile(inv, "write", { atoms: [{ glob: "*" }], many: false });
    else for (const file of [name, `lib${name}.rlib`, `lib${name}.so`]) emitFile(inv, "write", literal(file));
  }
}

/** go(1) "go build": one main package gives a program in the working directory; several, or `./...`, are only checked. */
export function goBuild(inv: Invocation): void {
  if (valuesOf(inv, "-o").length > 0 || has(inv, "-n")) return;
  const packages = inv.args.operands.filter((word) => !(textOf(word) ?? "").endsWith(".go"));
  if (packages.length > 1 || packages.some((word) => textOf(word)?.includes("...") === true)) return;
  const [first = inv.args.operands[0]] = packages;
  const text = first === undefined ? "." : textOf(first);
  for (const place of inv.places) {
    const path = text === undefined || place.is !== "at" ? undefined : text.startsWith(".") ? `${place.path}/${text}` : text;
    const name = path
      ?.replace(/\/\.?$|(?<=\/)\.\/?$/g, "")
      .replace(/\.go$/, "")
      .split("/")
      .findLast((part) => part !== "" && part !== "." && part !== "..");
    emitFile(inv, "write", name === undefined || text?.includes("..") === true ? { atoms: [{ glob: "*" }], many: false } : literal(name));
  }
}

/** What tsc writes; JSON that is imported is copied. */
const COMPILED = "*.js *.jsx *.mjs *.cjs *.d.ts *.d.mts *.d.cts *.d.json.ts *.map *.tsbuildinfo *.json".split(" ");

/** `-p` names a file of settings, or the folder where one lies. */
function inFolderOf(inv: Invocation, word: Value): Invocation {
  const { world } = inv.cx;
  const text = textOf(word);
  const places = inv.places.map((place): ShellPlace => {
    const path = place.is === "at" && text !== undefined ? world.canonical(resolvePath(place.path, text)) : undefined;
    if (place.is === "at" && path !== undefined && world.kind(path) === "directory") return { ...place, path };
    // Of other names `obeys` knows nothing.
    if (place.is === "at" && path !== undefined && /\/tsconfig[\w.-]*\.json$/.test(path)) return { ...place, path: parentOf(path) };
    return { is: "unknown", why: "settings that are not known" };
  });
  return { ...inv, places };
}

/** tsc(1): with --outDir there, else beside the sources, which its configuration names; a build with references may write in theirs. */
export function tsc(inv: Invocation): void {
  responseFile(inv);
  for (const project of valuesOf(inv, "-project")) applyObeyed(inFolderOf(inv, project), false);
  const { operands } = inv.args;
  if (has(inv, "-noEmit", "-listFilesOnly", "-showConfig", "-init", "-clean", "-dry") || valuesOf(inv, "-outFile").length > 0) return;
  if (valuesOf(inv, "-outDir").length > 0) return;
  if (operands.length === 0 || has(inv, "-b", "-build")) {
    for (const target of targetsOf(literal("dist"), inv.places))
      emitTarget(inv, "write", target.kind === "path" ? { kind: "tree", path: target.path, filter: { only: COMPILED } } : target, true);
    return;
  }
  for (const source of operands)
    for (const ending of [".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".js.map"]) emitFile(inv, "write", besides(source, ending, "its own"));
}

/** ar(1): the first word is what to do (`rcs`, `-x`); what is taken out lands in the working directory, under names that the archive holds. */
export function archive(inv: Invocation): void {
  responseFile(inv);
  const [only] = inv.args.operands;
  if (inv.args.operands.length === 1 && only !== undefined && /^(?:--version|--help|-V|-h)$/.test(textOf(only) ?? "")) return;
  if (inv.args.operands.some((word) => prefixOf(word).startsWith("--"))) doubt(inv, `what the options of ${inv.name} do is not known`);
  const [verb, library, ...members] = inv.args.operands;
  const text = verb === undefined ? undefined : textOf(verb);
  const letters = text === undefined ? undefined : /^-?([dmpqrstx])?[a-zA-Z]*$/.exec(text)?.[0].replace("-", "");
  const action = letters === undefined ? undefined : /[dmpqrstx]/.exec(letters.replace(/^[^dmpqrstx]+/, ""))?.[0];
  if (verb === undefined || action === undefined || library === undefined || !/^-?[a-zA-Z]+$/.test(text ?? "")) {
    doubt(inv, `what ${inv.name} is to do is not understood`);
    return;
  }
  // A position (`a`, `b`, `i`) or a count (`N`) puts a word in front of the archive.
  if (/[abiN]/.test(letters ?? "")) doubt(inv, `${inv.name} ${text ?? ""} takes another word in front of the archive`);
  emitFile(inv, "read", library);
  if (action === "t" || action === "p") return;
  if (action === "x") {
    emitFile(inv, "write", { atoms: [{ hole: true, why: "a name that the archive holds", below: true }], many: false });
    return;
  }
  emitFile(inv, "write", library);
  if (action === "r" || action === "q") for (const member of members) emitFile(inv, "read", member);
}

/** java(1): sizes and choices among what the machine does itself. Others write logs (-Xlog) or run a command (-XX:OnError). */
const INERT =
  /^((mx|ms|ss|mn)\d+[kmgt]?|int|rs|share:\w+|verify:\w+|showSettings(:\w+)?|X:[+-]Use\w+|X:(Max|Min|Initial)\w+=[\d.]+[kmgt]?)$/i;

export function javaOptions(inv: Invocation): void {
  const [first] = inv.args.operands;
  if (first !== undefined && mayBegin(inv, first, "@"))
    doubt(inv, `${describe(first)} may name a file with more options of java`, "put ./ in front of it");
  for (const value of valuesOf(inv, "-X")) {
    if (!INERT.test(textOf(value) ?? "")) doubt(inv, `java -X${textOf(value) ?? ""} is not known: ${describe(value)}`);
  }
}

const DEVICES = /^\/(?:dev|proc)(?:\/|$)/;
/** It leads to what a process is given, by whatever name. */
const mayBeDevice = (inv: Invocation, value: Value): boolean =>
  targetsOf(value, inv.places).some((target) => (target.kind === "path" ? DEVICES.test(target.path) : target.kind === "unknown"));

/**
 * make(1): `NAME=VALUE` among the operands is a variable of every recipe, and goes before what the Makefile says. `NAME!=CODE` runs the
 * code, a name is expanded as a value is, and those that begin with a dot are make's own (`.SHELLFLAGS`).
 */
export function makeVariables(inv: Invocation): void {
  for (const file of valuesOf(inv, "--file"))
    if (
      file.atoms.some((atom) => isHole(atom) && atom.pipe !== undefined) ||
      textOf(file) === "-" ||
      [file, ...valuesOf(inv, "--directory")].some((one) => mayBeDevice(inv, one))
    )
      refuse(inv, "make runs recipes that stand in no file of the project", "write them into a file");
  for (const operand of inv.args.operands) {
    const match = /^\s*([^\s:#=?+!]*)\s*(\?|\+|:{1,3}|!)?=/.exec(prefixOf(operand));
    const [first] = operand.atoms;
    if (/^[^=]*\$[^]*=/.test(prefixOf(operand))) {
      refuse(inv, `make expands the name in \`${prefixOf(operand)}\``);
      continue;
    }
    if (match === null || typeof first !== "string") continue;
    if (match[2] === "!" || !/^[A-Za-z_][\w.-]*$/.test(match[1] ?? "")) {
      refuse(inv, `make runs or expands what \`${match[0]}\` sets`);
      continue;
    }
    const rest: Value = {
      atoms: [first.slice(match[0].length), ...operand.atoms.slice(1)].filter((atom) => atom !== ""),
      many: operand.many,
    };
    environmentWord(inv, concat(literal(`${(match[1] ?? "").replaceAll(/[.-]/g, "_")}=`), rest));
  }
}
