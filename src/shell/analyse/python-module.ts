import { addCode, codeFromStream, inlineCode } from "../code.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import type { Surroundings } from "../languages/surroundings.ts";
import { LIBRARY } from "../languages/python-library.ts";
import { surroundingsOf } from "../surroundings.ts";
import { literal, prefixOf, textOf, type Value } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** What pip imports besides Python's own library and itself: some systems take its copies of these out. */
const PIP =
  "pip cachecontrol certifi chardet charset_normalizer colorama dependency_groups distlib distro html5lib idna keyring msgpack packaging pep517 pkg_resources platformdirs progress pygments pyparsing pyproject_hooks requests resolvelib retrying rich setuptools six tenacity toml tomli tomli_w truststore typing_extensions urllib3 webencodings wheel";
const PIP_MODULES: ReadonlySet<string> = new Set(PIP.split(" "));
const NOTHING_MORE: ReadonlySet<string> = new Set();

/** `python -m MODULE`: code, unless we know the module and the working directory holds nothing that takes its place. */
export function pythonModule(inv: Invocation): void {
  for (const value of [...valuesOf(inv, "-W"), ...valuesOf(inv, "-X")])
    if (!isHarmless(textOf(value))) doubt(inv, `what ${describe(value)} makes ${inv.name} do`);
  const [module] = valuesOf(inv, "-m");
  if (module === undefined) return;
  const name = textOf(module);
  const here = surroundingsOf(inv, "python");
  // Options in front of -m may change where modules are looked up, or start a session afterwards.
  const plain = inv.args.options.length === 1 && !has(inv, "-c");
  if (plain && name === "json.tool" && loadsNone(here, NOTHING_MORE)) jsonTool(inv);
  else if (plain && name === "pip" && loadsNone(here, PIP_MODULES)) {
    inv.output = inv.run.argv(inv.cx, inv.state, [literal("pip"), ...inv.args.rest], inv.stdin);
  } else {
    if (name === undefined || SERVERS.test(name)) applyEffect(inv, { is: "listen" });
    addCode(inv, "python-module", name === undefined ? "data" : "inline", name ?? describe(module));
    if (name !== undefined) moduleArguments(inv, name);
  }
}

/** `uv run -m MODULE`, `uv run -` and `uv run ADDRESS`: Python by another name. */
export function uvRun(inv: Invocation): void {
  if (has(inv, "-m")) pythonModule(inv);
  const [first] = inv.args.operands;
  const text = first === undefined ? undefined : textOf(first);
  if (text === "-") codeFromStream(inv, "python", inv.stdin);
  else if (/^https?:/i.test(text ?? "")) inv.cx.addDanger(inv.exec, "download-exec");
}

/** What modules of the library do with the words behind their name. */
function moduleArguments(inv: Invocation, name: string): void {
  const words = inv.args.rest;
  const behind = (letters: RegExp): Value | undefined => words[words.findIndex((word) => letters.test(textOf(word) ?? "")) + 1];
  const given = (letters: RegExp): boolean => words.some((word) => letters.test(textOf(word) ?? ""));
  const plain = words.filter((word) => !/^-./.test(textOf(word) ?? ""));
  const [first, second] = plain;
  switch (name) {
    case "timeit":
    case "pdb":
      for (const word of plain) {
        const code = textOf(word);
        if (code !== undefined && /[(=\s]/.test(code)) inlineCode(inv, "python", literal(code.replace(/^!/, "")), false);
      }
      return;
    case "zipfile":
    case "tarfile":
      if (given(/^(?:-e|--extract)$/) && second !== undefined) emitFile(inv, "write", second, true);
      if (given(/^(?:-c|--create)$/) && first !== undefined) emitFile(inv, "write", first);
      return;
    case "venv":
    case "virtualenv":
      if (given(/^--clear$/)) for (const folder of plain) if (prefixOf(folder).startsWith("/")) emitFile(inv, "delete", folder, true);
      return;
    case "zipapp":
    case "cProfile":
    case "profile":
    case "trace":
      if (given(/^(?:-o|--output|--outfile|-f|--file)$/)) {
        const file = behind(/^(?:-o|--output|--outfile|-f|--file)$/);
        if (file !== undefined) emitFile(inv, "write", file);
      }
      return;
    case "sqlite3":
      if (first !== undefined && textOf(first) !== ":memory:") emitFile(inv, "edit", first);
      return;
    case "gzip":
      for (const file of plain) emitFile(inv, "read", file);
      return;
  }
}

/** Modules that serve. */
const SERVERS =
  /^(?:http\.server|SimpleHTTPServer|CGIHTTPServer|smtpd|aiosmtpd|wsgiref\.simple_server|xmlrpc\.server|pydoc|notebook|jupyterlab)$/;

/** `-W action:message:category`: a category with a dot is imported. `-X pycache_prefix=FOLDER` writes there. */
function isHarmless(text: string | undefined): boolean {
  return text !== undefined && !text.startsWith("pycache_prefix") && text.split(":")[2]?.includes(".") !== true;
}

/** True when nothing in the working directory takes the place of a module of the library, or of one of `more`. */
function loadsNone(here: Surroundings | undefined, more: ReadonlySet<string>): boolean {
  const names = here?.names(".");
  if (here === undefined || names === undefined) return false;
  return names.every((name) => {
    const [stem = ""] = name.split(".", 1);
    if (!LIBRARY.has(stem) && !more.has(stem)) return true;
    if (/\.(py[cow]?|so|pyd)$/.test(name)) return false;
    return name !== stem || here.names(name)?.some((part) => part.startsWith("__init__.")) === false;
  });
}

/** python -m json.tool [INFILE [OUTFILE]] */
function jsonTool(inv: Invocation): void {
  const files: Value[] = [];
  const words = inv.args.rest;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = textOf(word);
    if (text === "--indent") at++;
    else if (text !== undefined && /^--(?:sort-keys|no-ensure-ascii|json-lines|indent=\d+|tab|no-indent|compact)$/.test(text)) continue;
    else if (text === undefined || word.many || /^-./.test(text))
      return doubt(inv, `python -m json.tool has no known option ${describe(word)}`);
    else files.push(word);
  }
  const [from, to, ...others] = files;
  if (from !== undefined && textOf(from) !== "-") emitFile(inv, "read", from);
  if (to !== undefined && textOf(to) !== "-") emitFile(inv, "write", to);
  if (others.length > 0) doubt(inv, "python -m json.tool takes two files at most");
}
