import { MACHINE, MANAGER, SHORTCUT } from "#knowledge/traits";
import { codeFromStream } from "../code.ts";
import { toolOf } from "../danger-words.ts";
import { codeOfInput } from "./views.ts";
import { describe, doubt, refuse, type Invocation } from "../invocation.ts";
import { entriesBelow, entryFor, type KnowledgeEntry } from "../../knowledge/entries.ts";
import { noteNeedsOfPackage } from "../needs.ts";
import { noteRenamed } from "../services.ts";
import { literal, prefixOf, textOf, type Value } from "../../words/value.ts";

/**
 * `npx WORD …`: a package from a registry, a program of node_modules/.bin, or one of PATH (npm looks into the folder of
 * its own prefix, which is /usr on many systems; bun and yarn look along PATH). The table says that it is code nobody has
 * seen; where a program of this name is on PATH it is judged as that program, too.
 */
export function packageRun(inv: Invocation): void {
  // npm takes one `--` for itself, wherever it stands.
  const end = inv.name === "npm" ? inv.args.operands.findIndex((word) => textOf(word) === "--") : -1;
  const words = inv.args.operands.filter((_, at) => at !== end);
  // The value of an option that is not in the table may stand in front.
  const starts = inv.args.options.some(({ option }) => option === undefined) ? [0, 1] : [0];
  for (const at of starts) runPackaged(inv, words.slice(at));
  if (inv.name === "npm") npmOptions(inv, inv.args.operands);
}

/** Names that a script of package.json often has; what runs then is the script. */
const SCRIPTS: ReadonlySet<string> = new Set(["test", "install", "link", "time", "watch", "sync", "env", "info"]);

/** `yarn run WORD`, `bun run WORD`: a script of the project, else what `npx` would run. */
export function scriptOrPackage(inv: Invocation): void {
  const words = inv.words.slice(inv.words.findIndex((word) => !/^-./.test(textOf(word) ?? "")));
  const [first] = words;
  if (first !== undefined && textOf(first) === "-") codeFromStream(inv, "javascript", inv.stdin);
  else if (first !== undefined && textOf(first) !== undefined && !SCRIPTS.has(textOf(first) ?? "")) runPackaged(inv, words);
}

/** `concurrently npm:dev 'node x.js'`: each word is a line, or names a script of the project. */
export function concurrentLines(inv: Invocation): void {
  for (const word of inv.args.operands)
    if (!SHORTCUT.has(/^(.*?):/s.exec(prefixOf(word))?.[1] ?? "")) inv.run.script(inv.cx, inv.state, word, inv.stdin, { span: inv.span });
}

/** `deno run npm:NAME …`: anything else is a file. */
export function denoRun(inv: Invocation): void {
  const [first] = inv.args.operands;
  if (first !== undefined && /^(?:npm|jsr):/.test(prefixOf(first))) runPackaged(inv, inv.args.operands);
}

/** `hatch run ENVIRONMENT:COMMAND`: an environment has programs of its own, whatever is on PATH. */
export function hatchRun(inv: Invocation): void {
  const [first, ...rest] = inv.args.operands;
  const command = first === undefined ? undefined : /^[\w.+-]*:(.+)$/.exec(textOf(first) ?? "")?.[1];
  if (command !== undefined) inv.output = inv.run.argv(inv.cx, inv.state, [literal(command), ...rest], inv.stdin, inv.exec);
}

/** `nix shell PACKAGE -c COMMAND ARG…`, `nix run FLAKE#PROGRAM -- ARG…`: all that follows is the command. */
export function nixRun(inv: Invocation): void {
  const flake = inv.words.findIndex((word) => /^[^#\s]*#[\w.-]+$/.test(textOf(word) ?? ""));
  const package_ = inv.words[flake];
  if (package_ !== undefined && textOf(inv.words[0] ?? package_) === "run") startRenamed(inv, package_, inv.words.slice(flake + 1));
  const at = inv.words.findIndex((word) => /^(?:-c|--command)$/.test(textOf(word) ?? ""));
  const command = at < 0 ? [] : inv.words.slice(at + 1);
  if (command.length > 0) inv.output = inv.run.argv(inv.cx, inv.state, command, inv.stdin, inv.exec);
}

/** `mise exec node@20 python@3 -- COMMAND ARG…`: tools in front, the command behind. */
export function afterDashes(inv: Invocation): void {
  const at = inv.words.findIndex((word) => textOf(word) === "--");
  const command = at <= 0 ? [] : inv.words.slice(at + 1);
  if (command.length > 0) inv.output = inv.run.argv(inv.cx, inv.state, command, inv.stdin, inv.exec);
}

/** faketime(1) compares its options as whole words: `--`, `-p5` and `-fm` are dates to it, and what follows is started. */
export function faketimeDate(inv: Invocation): void {
  let at = 0;
  for (
    let text = textOf(inv.words[at] ?? literal(""));
    text !== undefined && FAKETIME.has(text);
    text = textOf(inv.words[at] ?? literal(""))
  )
    at += FAKETIME.get(text) ?? 1;
  const date = inv.words[at];
  if (date !== undefined && prefixOf(date).startsWith("-"))
    refuse(inv, `faketime takes ${describe(date)} for the date, and starts what follows it`, "write each option as a word of its own");
}

/** A program of one name with options of its own: what the table says of that name holds for its operands alone. */
export function ownOptions(inv: Invocation): void {
  const option = inv.words.find((word) => prefixOf(word).startsWith("-") && prefixOf(word) !== "-");
  if (option !== undefined) doubt(inv, `${inv.name} reads ${describe(option)} in its own way`);
}

/** The words each option takes. */
const FAKETIME: ReadonlyMap<string, number> = new Map([
  ...["-m", "-f", "--disable-monotonic", "--exclude-monotonic", "--force-monotonic"].map((name) => [name, 1] as const),
  ...["-p", "--date-prog"].map((name) => [name, 2] as const),
  ...["-h", "--help", "-v", "--version"].map((name) => [name, Number.POSITIVE_INFINITY] as const),
]);

/** `corepack pnpm@9 dlx x` is `pnpm dlx x`. */
export function corepackRun(inv: Invocation): void {
  const [first, ...rest] = inv.args.operands;
  const manager = (first === undefined ? "" : (textOf(first) ?? "")).replace(/@.*$/, "");
  if (!MANAGER.has(manager)) return;
  const given = inv.words.slice(inv.words.indexOf(first ?? literal("")) + 1);
  inv.output = inv.run.argv(inv.cx, inv.state, [literal(manager), ...(given.length >= rest.length ? given : rest)], inv.stdin);
}

/** `go run example.org/x/tool@v1 ARG…`: the module is a package; anything else is a folder or a file of this project. */
export function goRun(inv: Invocation): void {
  const module = inv.words.find((word) => /^[\w-]+(?:\.[\w-]+)+\/\S+$/.test(textOf(word) ?? ""));
  if (module !== undefined) startRenamed(inv, module, inv.words.slice(inv.words.indexOf(module) + 1));
}

/** `nvm exec 20 npm publish`, `asdf exec`: a version may stand in front of the command. */
export function versionedRun(inv: Invocation): void {
  afterDashes(inv);
  const [first, ...command] = inv.args.operands;
  if (
    /^(?:v?\d[\w.*-]*|node|iojs|stable|unstable|system|default|current|lts\/\S+)$/.test(textOf(first ?? literal("")) ?? "") &&
    command.length > 0
  )
    inv.output = inv.run.argv(inv.cx, inv.state, command, inv.stdin, inv.exec);
}

function runPackaged(inv: Invocation, words: readonly Value[]): void {
  const [first, ...rest] = words;
  if (first === undefined) return;
  const text = textOf(first);
  if (text === undefined) {
    refuse(inv, `which program ${inv.name} runs is only known at run time: ${describe(first)}`, "write it out");
    return;
  }
  const name = text.replace(/^npm:/, "");
  // `name@1.2` and `@scope/name` are packages, `owner/name` and addresses repositories; `./name` is a file.
  const isFile = /^\.{0,2}\//.test(name);
  if (
    !isFile &&
    (/[@/:#\s]/.test(name) || (inv.cx.world.lookup(name).path === undefined && !MACHINE.has(name.replace(/^mkfs\..*/, "mkfs"))))
  ) {
    noteNeedsOfPackage(inv.cx, inv.exec, name, rest);
    const entry = startRenamed(inv, first, rest);
    if (entry === undefined) inv.cx.refineExec(inv.exec, { handed: argvLength(inv) - inv.words.length + inv.words.indexOf(first) + 1 });
    else if (startsCommands(entry)) inv.output = runAs(inv, toolOf(name), rest);
    return;
  }
  inv.output = inv.run.argv(inv.cx, stateOf(inv), [literal(name), ...rest], inv.stdin, inv.exec);
}

/** A package is a program of another name, and what that reads from its input is code here, too: `npx rust-just -f -`, `bunx tsx -`. */
function startRenamed(inv: Invocation, package_: Value, rest: readonly Value[]): KnowledgeEntry | undefined {
  noteRenamed(inv, inv.words, package_, inv.exec);
  const name = toolOf(textOf(package_) ?? "");
  const entry = entryFor(name);
  if (entry?.before === "code-of-input") codeOfInput({ ...inv, name, words: rest });
  else if (inv.stdin.is !== "none" && entry?.operands?.includes("?=-") === true && /(?:code|script)\//.test(entry.operands))
    runAs(inv, name, rest);
  return entry;
}

const runAs = (inv: Invocation, name: string, rest: readonly Value[]): Invocation["stdin"] =>
  inv.cx.packaged(inv.exec, () => inv.run.argv(inv.cx, stateOf(inv), [literal(name), ...rest], inv.stdin, inv.exec));

function argvLength({ cx, exec }: Invocation): number {
  const action = cx.actions[exec];
  return action?.kind === "exec" ? action.argv.length : 0;
}

function stateOf(inv: Invocation): Invocation["state"] {
  const state = inv.places === inv.state.places ? inv.state : inv.state.fork();
  state.places = inv.places;
  return state;
}

/** A program whose words, or some, are a command that it starts: `cross-env`, `concurrently`, `pnpm`. */
const startsCommands = (entry: KnowledgeEntry): boolean =>
  /(?:^|[\s:=])(?:argv|shell)\b|^(?:dotenv|variables-of-file|concurrent-lines)$/m.test(
    [entry.operands, entry.rows.options, entry.analyse].join("\n"),
  ) || entriesBelow(entry).some((below) => startsCommands(below.entry));

/** npm takes its own options behind the word, too, up to `--`, and however short they are written. */
function npmOptions(inv: Invocation, words: readonly Value[]): void {
  for (const [at, word] of words.slice(1).entries()) {
    const text = textOf(word);
    if (text === "--") return;
    const [, value] = /^--?c(?:al?|all)?(?:=(.*))?$/s.exec(text ?? "") ?? [undefined, null];
    const next = words[at + 2];
    if (typeof value === "string") inv.run.script(inv.cx, inv.state, literal(value), inv.stdin, { span: inv.span });
    else if (value === undefined && next !== undefined) inv.run.script(inv.cx, inv.state, next, inv.stdin, { span: inv.span });
  }
}

/** npm's own options that choose another project, another shell or what its programs load. */
const OWN = ["script-shell", "node-options", "userconfig", "globalconfig", "prefix", "shell", "workspace", "workspaces"];
const HARMLESS = new Set(["workspace", "workspaces"]);

/** npm-run(1): options in front of `--` are npm's, wherever they stand and however short they are written (nopt). */
export function npmRun(inv: Invocation): void {
  for (const word of inv.words) {
    if (textOf(word) === "--") return;
    const [, name = ""] = /^--?([a-z-]+)/.exec(prefixOf(word)) ?? [];
    const meant =
      name === "C" || prefixOf(word).startsWith("-C") ? "prefix" : name.length < 2 ? undefined : OWN.find((own) => own.startsWith(name));
    if (meant !== undefined && !HARMLESS.has(meant))
      refuse(inv, `${describe(word)} makes npm run something else than this project's script`, "leave it out, or put -- in front");
  }
}
