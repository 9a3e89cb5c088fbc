// Sources that take in other files and show them: what an author of such a file names is read by whoever converts it.
import { resolvePath } from "../../../path/index.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { matchesOf } from "../../words/paths.ts";
import { literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** What a file of the project says now; nothing where it is missing, undefined where that is not known. */
function sourceText(inv: Invocation, name: string | undefined): string | undefined {
  const [place, ...others] = inv.places;
  if (name === undefined || place?.is !== "at" || others.length > 0) return undefined;
  const { world } = inv.cx;
  const path = world.canonical(resolvePath(place.path, name));
  inv.cx.relying.set(inv, "project");
  return world.kind(path) === "missing" ? "" : world.text?.(path);
}

const ROFF = /[.'][ \t]*(?:so|mso|pso)\b|\\\*/;
/** Readers of pandoc that include other files, and what a text says that does (pandoc(1), `--sandbox`). */
const INCLUDING: Readonly<Record<string, RegExp>> = {
  rst: /include\s*::|:(?:file|url):/i,
  latex: /\\(?:input|include|subfile|import|lst|verbatim|bibliography|addbib|usepackage\{[^}]*\/)|csname|\^\^/i,
  context: /\\(?:input|environment|component)|csname|\^\^/i,
  org: /#\+(?:include|setupfile|bibliography)/i,
  typst: /\b(?:include|import|read|csv|json|yaml|toml|xml|cbor|bibliography|eval|plugin)\b/,
  docbook: /<!ENTITY|include/i,
  asciidoc: /include::/,
  muse: /<include|#include/i,
  man: ROFF,
  ms: ROFF,
  mdoc: ROFF,
};
const ENDINGS: Readonly<Record<string, string>> = {
  rst: "rst",
  tex: "latex",
  latex: "latex",
  ltx: "latex",
  context: "context",
  ctx: "context",
  org: "org",
  typ: "typst",
  db: "docbook",
  dbk: "docbook",
  docbook: "docbook",
  xml: "docbook",
  adoc: "asciidoc",
  asciidoc: "asciidoc",
  muse: "muse",
  ms: "ms",
  roff: "ms",
  man: "man",
  mdoc: "mdoc",
  rest: "rst",
};

function formatOf(name: string): string | undefined {
  const ending = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return /^[1-9]$/.test(ending) ? "man" : Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}

export function pandocIncludes(inv: Invocation): void {
  if (has(inv, "--sandbox")) return;
  citations(inv);
  const given = valuesOf(inv, "--from")
    .map((value) =>
      textOf(value)
        ?.toLowerCase()
        .replace(/[+-].*$/, ""),
    )
    .at(-1);
  const files = inv.args.operands;
  const named = files.map((file) => ({ file, names: namesOf(inv, file) }));
  // The first name whose ending is known decides for all of them; which of them comes first is not followed.
  const formats = given === undefined ? named.flatMap(({ names }) => names?.map(formatOf) ?? []) : [given];
  const says = formats.flatMap((format) => {
    const reader = format === "tex" ? "latex" : (format ?? "");
    return Object.hasOwn(INCLUDING, reader) ? (INCLUDING[reader] ?? []) : [];
  });
  const isOpen = given === undefined && named.some(({ names }) => names === undefined);
  if (says.length === 0 && !isOpen) return;
  const takes = (name: string): boolean => {
    const text = name === "-" ? undefined : sourceText(inv, name);
    return text === undefined || says.some((one) => one.test(text));
  };
  if (files.length === 0) doubt(inv, "the source on standard input may take in any file", "add --sandbox");
  for (const { file, names } of named)
    if (names?.some(takes) !== false) doubt(inv, `the source ${describe(file)} may take in any file`, "add --sandbox");
}

/** pandoc(1), "Specifying bibliographic data": what names a style and lists of sources, files or addresses. */
const CITATIONS = /^(?:bibliography|csl|citation-style|citation-abbreviations)$/;
/** Its writers whose result holds the pictures that the text names, files or addresses. */
const HOLDS_PICTURES = /^(?:docx|odt|pptx|epub[23]?|fb2|rtf|opendocument)\b|\.(?:docx|odt|pptx|epub|fb2|rtf)$/i;
const PICTURE =
  /!\[|<(?:img|image|embed|object|video|audio|source|iframe|input)\b|\b(?:image|figure):|image\(|includegraphics|fileref|\[\[|cover|![^\s!]+!/i;

/** What the text and the words of the line say by metadata, and the pictures that are put into the result. */
function citations(inv: Invocation): void {
  for (const value of valuesOf(inv, "--metadata")) {
    const text = textOf(value);
    const [, name = "", file] = /^([^=:]*)[=:]?([^]*)$/.exec(text ?? prefixOf(value)) ?? [];
    if (!CITATIONS.test(name)) continue;
    if (text === undefined || file === undefined || file.includes(":"))
      doubt(inv, `pandoc fetches what ${describe(value)} names`, "add --sandbox");
    else emitFile(inv, "read", literal(file));
  }
  const saysCitations = (text: string): boolean => /bibliography|csl|citation/i.test(text);
  const cites = has(inv, "--citeproc");
  const holds = [...valuesOf(inv, "--to"), ...valuesOf(inv, "--output")].some((value) => HOLDS_PICTURES.test(textOf(value) ?? ".docx"));
  if (!cites && !holds) return;
  const takes = (name: string): boolean => {
    const text = name === "-" ? undefined : sourceText(inv, name);
    return text === undefined || (cites && saysCitations(text)) || (holds && PICTURE.test(text));
  };
  const files = [...inv.args.operands, ...valuesOf(inv, "--metadata-file")];
  if (inv.args.operands.length === 0) doubt(inv, "the source on standard input may name files and addresses", "add --sandbox");
  for (const file of files)
    if (namesOf(inv, file)?.some(takes) !== false) doubt(inv, `the source ${describe(file)} may name files and addresses`, "add --sandbox");
}

/** What the word stands for; undefined where that is only known at run time. */
function namesOf(inv: Invocation, word: Value): readonly string[] | undefined {
  const text = textOf(word);
  if (text !== undefined) return [text];
  const found = inv.places.map((place) => matchesOf(inv.cx.world, place, word));
  return found.some((names) => names === undefined) ? undefined : found.flatMap((names) => names ?? []);
}

const MAX_SOURCES = 64;

/** gcc(1), cpp(1): a source shows what it includes, or a line of it in a message. Headers of the project are followed. */
export function sourceIncludes(inv: Invocation): void {
  const todo: string[] = [];
  for (const file of [...inv.args.operands, ...valuesOf(inv, "-include", "-imacros")]) {
    const names = namesOf(inv, file);
    if (names === undefined) doubt(inv, `what ${describe(file)} includes is not known`);
    else todo.push(...names.filter((name) => name !== "-"));
  }
  const folders = valuesOf(inv, "-I", "-isystem", "-iquote", "-idirafter").map((value) => textOf(value) ?? "");
  const seen = new Set<string>();
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    // What the system has is nobody's trap.
    if (seen.has(name) || (/^\/(?:usr|opt|Library)\//.test(name) && !name.includes(".."))) continue;
    seen.add(name);
    const text = sourceText(inv, name);
    if (text === undefined || seen.size > MAX_SOURCES) {
      doubt(inv, `what ${name} includes is not known`);
      continue;
    }
    // Where a comment ends is not followed, as a text may look like one: whatever a directive may be, in one or not, is one.
    const joined = text.replace(/\?\?=/g, "#").replace(/(?:\\|\?\?\/)[ \t]*\r?\n/g, "");
    if (/(?:#|%:)[ \t\f\v]*\/\*/.test(joined)) doubt(inv, `which file ${name} includes is not known`);
    const lines = joined.matchAll(/(?:^|\*\/)[ \t\f\v]*(?:#|%:)[ \t\f\v]*(?:include|include_next|import|embed)\b[ \t]*(.*)$/gm);
    // Messages show lines of the file that a line marker names (cpp(1), "Preprocessor Output"), and read it from the disk.
    for (const [, what = ""] of joined.matchAll(/(?:^|\*\/)[ \t\f\v]*(?:#|%:)[ \t\f\v]*(?:line\b|(?=\d))[ \t]*(.*)$/gm)) {
      const file = /^\d+[ \t]+"([^"\\\n]*)"/.exec(what)?.[1];
      if (file !== undefined) emitFile(inv, "read", literal(file));
      else if (!/^\d+\s*$/.test(what)) doubt(inv, `which file ${name} speaks of is not known`);
    }
    for (const [, what = ""] of lines) {
      const target = /^"([^"\n]*)"|^<([^>\n]*)>/.exec(what);
      const file = target?.[1] ?? target?.[2];
      if (file === undefined || file.includes("\\")) doubt(inv, `which file ${name} includes is not known`);
      else follow(inv, name, file, folders, todo);
    }
  }
}

function follow(inv: Invocation, from: string, file: string, folders: readonly string[], todo: string[]): void {
  if (file.startsWith("/")) emitFile(inv, "read", literal(file));
  else
    for (const folder of [from.replace(/[^/]*$/, ""), ...folders.map((name) => `${name.replace(/\/+$/, "")}/`)]) {
      const path = `${folder}${file}`;
      const isThere = exists(inv, path);
      if (isThere || path.includes("..")) emitFile(inv, "read", literal(path));
      if (isThere) todo.push(path);
    }
}

function exists(inv: Invocation, name: string): boolean {
  return inv.places.some((place) => place.is !== "at" || inv.cx.world.kind(resolvePath(place.path, name)) !== "missing");
}

/** packer prints the values of variables and locals, which may be those of the environment and of any file. */
export function packerValues(inv: Invocation): void {
  const folderOrFile = inv.args.operands.map((word: Value) => textOf(word));
  const texts = folderOrFile.flatMap((name) => {
    const [place] = inv.places;
    if (name === undefined || place?.is !== "at") return [undefined];
    const path = inv.cx.world.canonical(resolvePath(place.path, name));
    if (inv.cx.world.kind(path) !== "directory") return [sourceText(inv, name)];
    const names = inv.cx.world.names(path);
    return names === undefined
      ? [undefined]
      : names.filter((each) => /\.(?:hcl|json)$/.test(each)).map((each) => sourceText(inv, `${name}/${each}`));
  });
  if (texts.some((text) => text === undefined || /\b(?:env|file\w*|templatefile|vault|consul_key|aws_\w+)\s*\(|\{\{/.test(text)))
    applyEffect(inv, { is: "secrets" });
}
