// Interpreters: where their code comes from, and what they open besides.
import { DATABASE_FILE } from "../../../action/index.ts";
import { baseName, resolvePath } from "../../../path/index.ts";
import { addCode, codeFromStream, inlineCode } from "../code.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { fromBase64 } from "../../languages/index.ts";
import { LIBRARY } from "../../languages/python-library.ts";
import type { ProgramSurroundings } from "../../languages/finding.ts";
import { noteRenamed, noteServices } from "../services.ts";
import { surroundingsOf } from "../surroundings.ts";
import { concat, isGlob, isHole, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { drops, has, valuesOf } from "../given.ts";

/** What pip imports besides Python's own library and itself: some systems take its copies of these out. */
const PIP =
  "pip cachecontrol certifi chardet charset_normalizer colorama dependency_groups distlib distro html5lib idna keyring " +
  "msgpack packaging pep517 pkg_resources platformdirs progress pygments pyparsing pyproject_hooks requests resolvelib " +
  "retrying rich setuptools six tenacity toml tomli tomli_w truststore typing_extensions urllib3 webencodings wheel";
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
    const at = inv.cx.actions.length;
    inv.output = inv.run.argv(inv.cx, inv.state, [literal("pip"), ...inv.args.rest], inv.stdin);
    const pip = inv.cx.actions[at];
    if (pip?.kind === "exec") inv.cx.actions[at] = { ...pip, inProcess: inv.exec };
  } else {
    if (name === undefined || SERVERS.test(name)) applyEffect(inv, { is: "listen" });
    addCode(inv, "python-module", name === undefined ? "data" : "inline", name ?? describe(module));
    noteServices(inv, [module, ...inv.args.rest], inv.exec);
    noteRenamed(inv, [module, ...inv.args.rest], module, inv.exec);
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
function loadsNone(here: ProgramSurroundings | undefined, more: ReadonlySet<string>): boolean {
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

/** Without a program or script it runs what it reads from standard input. Asked for its version with `-v` it does not. */
function reads(inv: Invocation, language: string): void {
  if (drops(inv, "script") || inv.args.operands.length > 0 || has(inv, "-v")) return;
  codeFromStream(inv, language, inv.stdin);
}

export const rubyInput = (inv: Invocation): void => reads(inv, "ruby");
export const luaInput = (inv: Invocation): void => reads(inv, "lua");

/** sqlite3(1), duckdb: the first operand is the database, the others are SQL; without any they read it from standard input. */
function readsSql(inv: Invocation, language: string): void {
  if (drops(inv, "script") || inv.args.operands.length > 1) return;
  codeFromStream(inv, language, inv.stdin);
}

/** Where there is no database they make an empty one, whatever the SQL is. */
function makesDatabase(inv: Invocation): void {
  const [database] = inv.args.operands;
  const text = database === undefined ? "" : (textOf(database) ?? "");
  if (text === "" || text.startsWith(":") || has(inv, "-readonly")) return;
  // sqlite.org/uri.html: the shell takes addresses, and this mode makes no file.
  const uri = inv.name.startsWith("sqlite") ? /^file:([\w./ -]+)\?mode=ro$/.exec(text)?.[1] : undefined;
  if (uri?.startsWith("//") === false) return emitFile(inv, "read", literal(uri));
  if (text.startsWith("file:")) doubt(inv, `${inv.name} may take the address ${text} for another file`, "name the file itself");
  const { world } = inv.cx;
  for (const place of inv.places) {
    if (place.is !== "at") continue;
    const path = resolvePath(place.path, text);
    if (world.kind(path) !== "missing") continue;
    inv.cx.add({
      kind: "file",
      operation: "write",
      target: { kind: "path", path },
      absent: true,
      origin: { by: "command", exec: inv.exec },
    });
  }
}

export function sqliteInput(inv: Invocation): void {
  readsSql(inv, "sqlite");
  makesDatabase(inv);
  const [database] = inv.args.operands;
  const changes = inv.cx.actions.some(
    (action) =>
      action.kind === "remote" && action.service === DATABASE_FILE && action.origin.by === "command" && action.origin.exec === inv.exec,
  );
  if (changes && database !== undefined && !/^(?::.*)?$/.test(textOf(database) ?? "?")) emitFile(inv, "edit", database);
}

export function duckdbInput(inv: Invocation): void {
  readsSql(inv, "duckdb");
  makesDatabase(inv);
}

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

/** pwsh(1): names of options in any case and as short as one likes; all that follows `-Command` is the command. */
export function powershell(inv: Invocation): void {
  for (const [at, word] of inv.words.entries()) {
    const name = (textOf(word) ?? "").replace(/^(?:--|\/)/, "-").toLowerCase();
    const rest = inv.words.slice(at + 1);
    if (/^-c(?:o(?:m(?:m(?:a(?:n(?:d(?:witharg\w*)?)?)?)?)?)?)?$/.test(name) || name === "-cwa") {
      const [first = literal(""), ...more] = rest;
      inv.run.script(
        inv.cx,
        inv.state,
        more.reduce((a, b) => concat(concat(a, literal(" ")), b), first),
        inv.stdin,
        { span: inv.span },
      );
      return;
    }
    if (/^-e(?:c|nc?\w*)?$/.test(name)) {
      const given = rest[0] === undefined ? undefined : textOf(rest[0]);
      if (given === undefined) refuse(inv, `the code that ${inv.name} runs is only known at run time: ${describe(rest[0] ?? word)}`);
      // UTF-16, little end first.
      else inv.run.script(inv.cx, inv.state, literal(fromBase64(given).replaceAll("\0", "")), inv.stdin, { span: inv.span });
      return;
    }
    if (!name.startsWith("-") || /^-f(?:i(?:l(?:e)?)?)?$/.test(name)) return;
  }
}
