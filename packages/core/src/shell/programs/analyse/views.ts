// Programs that find other files than their words say: another one's view, a name that is put in, what lies in the project.
import { LOADS_TO_TELL } from "#knowledge/traits";
import { isBelow, normalise } from "../../../path/index.ts";
import { addCode, codeFromStream } from "../code.ts";
import { takeAway } from "../environment.ts";
import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { targetsOf } from "../../words/paths.ts";
import { concat, joinWords, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

const BINDS = /^--(?:dev-|ro-)?bind(?:-try)?$/;

/**
 * bwrap(1): what is bound under another name is found there by the command, by its loader, and by whoever looks for a program: only
 * what keeps its name is known. Empty places hide something at most.
 */
export function bwrapView(inv: Invocation): void {
  takeAway(inv.state, (name) => has(inv, "--clearenv") || valuesOf(inv, "--unsetenv").some((value) => (textOf(value) ?? name) === name));
  for (const { option, value, second } of inv.args.options) {
    const names = option?.names ?? [];
    const to = names.some((name) => BINDS.test(name)) ? (keepsName(value, second) ? undefined : second) : undefined;
    const link = names.includes("--symlink") && !isUsrMerge(value, second) ? second : undefined;
    const layer = names.some((name) => name.includes("overlay")) ? value : undefined;
    const shown = to ?? link ?? layer;
    if (shown !== undefined)
      refuse(inv, `${inv.name} shows something else at ${describe(shown)}: what the command finds there is not known`);
  }
}

function keepsName(from: Value | undefined, to: Value | undefined): boolean {
  const path = from === undefined ? undefined : textOf(from);
  return path !== undefined && path.startsWith("/") && to !== undefined && textOf(to) === path;
}

/** `--symlink usr/lib64 /lib64`: as the machine has it. */
function isUsrMerge(target: Value | undefined, link: Value | undefined): boolean {
  const name = /^\/((?:s?bin)|lib(?:32|64|x32)?)$/.exec(link === undefined ? "" : (textOf(link) ?? ""))?.[1];
  return name !== undefined && /^(?:\/|\.\/)?usr\/(\w+)$/.exec(target === undefined ? "" : (textOf(target) ?? ""))?.[1] === name;
}

/** entr(1): `/_` stands for the first file of its input that has changed. */
export function entrFile(inv: Invocation): void {
  if (inv.args.operands.some((operand) => textOf(operand) === "/_" || textOf(operand) === undefined))
    refuse(inv, `${inv.name} puts the name of a file that it reads in the place of \`/_\``, "write the file out");
}

const EXEC = /^(?:--exec|-build\.(?:full_)?bin)$/;

/** nodemon(1), air: what such an option names gets the script, its words, and options that the program itself does not know. */
export function execWithWords(inv: Invocation): void {
  const known = inv.args.options.filter(({ option }) => option !== undefined);
  const line = known.find(({ option }) => option?.names.some((name) => EXEC.test(name)) === true)?.value;
  const own = new Set<Value | string | undefined>(known.flatMap(({ option, value }) => [value, ...(option?.names ?? [])]));
  const rest = inv.words.filter(
    (word) =>
      !own.has(word) && !own.has(textOf(word) ?? word) && !/^(?:--exec|-?-build\.\w+)=/.test(prefixOf(word)) && textOf(word) !== "--",
  );
  if (line === undefined || rest.length === 0) return;
  const whole = { atoms: joinWords([line, ...rest]), many: false };
  inv.run.script(inv.cx, inv.state, whole, inv.stdin, { span: inv.span, reader: "sh" });
}

/**
 * Of their row they alone load code of the project even to tell their version or to help: the project's own copy or plugins, options of
 * the virtual machine (`-javaagent`), a configuration in code.
 */
export function loadsToTell(inv: Invocation): void {
  if (LOADS_TO_TELL.has(inv.name)) addCode(inv, "project", "project", undefined);
}

/** cargo-watch's README: what `-x` is given are words of cargo. */
export function cargoWatch(inv: Invocation): void {
  for (const value of valuesOf(inv, "--exec"))
    inv.run.script(inv.cx, inv.state, concat(literal("cargo "), value), inv.stdin, { span: inv.span, reader: "sh" });
}

const INPUT = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|thread-self)\/fd\/0)$/;
const FILE = /^--?(?:[a-z-]*file|[ftbm])$/;

/** What a program that runs code reads from its input is code, too: `just -f /dev/stdin`, `task -t -`. */
export function codeOfInput(inv: Invocation): void {
  const texts = inv.words.map((word) => textOf(word) ?? "");
  const isInput = texts.some((text, at) => {
    const [, option = texts[at - 1] ?? "", value = text] = /^(--?[\w-]+)=(.*)$/s.exec(text) ?? [];
    if (INPUT.test(normalise(value))) return true;
    return FILE.test(option) ? value === "-" : /^-[ftbm]-$/.test(text);
  });
  if (!isInput || inv.stdin.is === "none") return;
  codeFromStream(inv, inv.name, inv.stdin, { reader: inv.name });
  refuse(inv, `${inv.name} runs what stands in no file of the project`, "write it into a file");
}

const DELETES = /^--basetemp(?:=|$)/;
const WRITES = /^--(?:junit-?xml|log-file|report-log|html|json-report-file)(?:=|$)/;

/**
 * pytest --help: `--basetemp` is removed if it exists, reports are written over what is there. Inside the project and in temporary folders
 * that is a part of its tests; elsewhere it is named, whatever allows pytest.
 */
export function pytestPlaces(inv: Invocation): void {
  if (!/^(?:pytest|py\.test)$/.test(inv.name)) return;
  const { world } = inv.cx;
  const own = [world.projectRoot, ...world.temp].map((folder) => world.canonical(folder));
  for (const [at, word] of inv.words.entries()) {
    const start = prefixOf(word);
    const deletes = DELETES.test(start);
    if (!deletes && !WRITES.test(start)) continue;
    const value = start.includes("=") ? dropPrefix(word, start.indexOf("=") + 1) : inv.words[at + 1];
    if (value === undefined) continue;
    const inside = targetsOf(value, inv.places).every(
      (target) => target.kind === "path" && own.some((folder) => isBelow(world.canonical(target.path), folder)),
    );
    if (!inside) emitFile(inv, deletes ? "delete" : "write", value, deletes);
  }
}
