import { realpathSync, statSync, unlinkSync } from "node:fs";
import { visible } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import { type Machine, thisMachine } from "../state/index.ts";
import { engine } from "./engine.ts";
import { JSON_VERSION } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { findProgram } from "./run-program.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { canRewrite, install, problemOf, remove, stateOf } from "./wrap-file.ts";
import { programsOf } from "./wrap-install.ts";
import { headOf, isName, launcherPath, launchers, shimFolder, wrapped, type Launcher } from "./wrap-launcher.ts";

const COMMAND = "wrap";

export interface WrapOptions {
  readonly profile?: string;
  readonly shim?: boolean;
  readonly inPlace?: boolean;
  readonly with?: "npm" | "pipx";
  readonly json?: boolean;
}

function fail(message: string, help?: string): number {
  complain(COMMAND, message, help);
  return 1;
}

/** The word without its folders. */
/** `assent` as launchers start it, wherever PATH leads then. */
const own = { node: process.execPath, bin: `${engine.own[0] ?? ""}/bin.cjs` };

/** PATH without the folder of shims, so that a wrapped program is found and not what starts it. */
function pathOf(machine: Machine): string {
  const shims = shimFolder(machine);
  return (machine.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
    .split(":")
    .filter((folder) => folder.replace(/\/+$/, "") !== shims)
    .join(":");
}

/** `assent wrap wrap NAME`: from now on the program runs under its profile. */
export function wrap(word: string, options: WrapOptions): number {
  const machine = thisMachine();
  const found = findProgram(word, pathOf(machine), absolute("."));
  if (found.is === "none") return fail(`${visible(word)}: ${found.why}`);
  const name = baseName(word);
  if (!isName(name))
    return fail(`\`${visible(name)}\` cannot be the name of a wrapped program`, "letters, digits and . _ @ + - may stand in it");
  const file = realpathSync.native(found.path);
  if (wrapped(machine, file) !== undefined) return fail(`${visible(word)} is wrapped already`, "`assent wrap list` shows what is");
  const other = launchers(machine).all.find((one) => one.name === name);
  if (other !== undefined && stateOf(machine, other) === "wrapped")
    return fail(`another \`${name}\` is wrapped already: ${visible(other.file)}`, `\`assent wrap unwrap ${name}\` first`);
  if (engine.own.some((folder) => file.startsWith(`${folder}/`)) || file === own.node)
    return fail(`${visible(word)} is what Assent itself runs on`, "wrap the scripts that it starts");

  const inPlace = options.shim !== true && (options.inPlace === true ? headOf(file) !== undefined : canRewrite(machine, file));
  if (options.inPlace === true && !inPlace)
    return fail(`${visible(file)} is no script, so it has no first line to change`, "leave --in-place out");
  const line = inPlace ? headOf(file) : undefined;
  const launcher: Launcher = {
    name,
    how: inPlace ? "line" : "shim",
    file,
    profile: options.profile ?? name,
    ...(line === undefined ? {} : { line: line.toString("base64") }),
  };
  try {
    // An upgrade has replaced the script: the old launcher leads from nowhere.
    if (other !== undefined) unlinkSync(launcherPath(machine, other));
    install(machine, launcher, own);
  } catch (error) {
    return fail(`${visible(file)}: ${problemOf(error)}`, inPlace ? "--shim leaves the file as it is" : undefined);
  }
  const short = (path: string): string => visible(shorten(path, absolute("."), machine.home));
  writeStdout(`wrapped ${name}: it runs under the profile ${visible(launcher.profile)}\n`);
  if (inPlace) writeStdout(`  the first line of ${short(file)} was changed\n`);
  else if (!isFirst(machine, name)) {
    const folder = visible(shimFolder(machine).replace(machine.home, "$HOME"));
    writeStdout(`  put this into your shell's startup file, so that it is found first: export PATH="${folder}:$PATH"\n`);
  }
  return 0;
}

/** True when the shim is what PATH leads to. */
function isFirst(machine: Machine, name: string): boolean {
  const found = findProgram(name, machine.env["PATH"], absolute("."));
  return found.is === "program" && found.path === `${shimFolder(machine)}/${name}`;
}

/** `assent wrap unwrap NAME`: the program is again as it was, byte for byte. */
export function unwrap(word: string): number {
  const machine = thisMachine();
  const name = baseName(word);
  const { all } = launchers(machine);
  const found = all.filter((one) => one.name === name || one.file === word);
  if (found.length === 0) return fail(`no program \`${visible(word)}\` is wrapped`, "`assent wrap list` shows what is");
  let status = 0;
  for (const launcher of found) {
    try {
      const outcome = remove(machine, launcher);
      if (outcome === "restored") writeStdout(`unwrapped ${launcher.name}\n`);
      else
        writeStdout(
          `unwrapped ${launcher.name}: ${visible(launcher.file)} ${outcome === "missing" ? "is gone" : "was replaced since, and is left as it is"}\n`,
        );
    } catch (error) {
      status = fail(`${visible(launcher.file)}: ${problemOf(error)}`);
    }
  }
  return status;
}

const STATES = { wrapped: "wrapped", changed: "replaced", missing: "missing" } as const;

/** `assent wrap list`. */
export function list({ json }: WrapOptions): number {
  const machine = thisMachine();
  const { all, broken } = launchers(machine);
  const rows = all.map((launcher) => {
    const state = STATES[stateOf(machine, launcher)];
    const reached = launcher.how === "line" || isFirst(machine, launcher.name);
    return { name: launcher.name, state: state === "wrapped" && !reached ? ("not first in PATH" as const) : state, launcher };
  });
  if (json === true) {
    const programs = rows.map(({ name, state, launcher: { how, file, profile } }) => ({ name, state, how, file, profile }));
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, programs })}\n`);
  } else if (rows.length === 0) writeStdout("no program is wrapped\n");
  else
    for (const { name, state, launcher } of rows)
      writeStdout(`${name.padEnd(20)}  ${state.padEnd(17)}  ${visible(shorten(launcher.file, absolute("."), machine.home))}\n`);
  for (const path of broken) writeStderr(`assent ${COMMAND}: ${visible(path)} is not readable as a launcher\n`);
  return 0;
}

/** `assent wrap install PKG`: installs as pipx or npm does, then wraps the programs of the package. */
export function installPackage(name: string, rest: readonly string[], options: WrapOptions): number {
  const machine = thisMachine();
  const outcome = programsOf(name, rest, options.with, { path: pathOf(machine), cwd: absolute(".") });
  if (outcome.is === "wrong") {
    complain(COMMAND, outcome.message, outcome.help);
    return outcome.status;
  }
  if (outcome.programs.length === 0) return fail(`${visible(name)} has no programs to wrap`);
  let status = 0;
  for (const program of outcome.programs) {
    if (statSync(program, { throwIfNoEntry: false })?.isFile() !== true) continue;
    if (wrapped(machine, program) !== undefined) writeStdout(`${baseName(program)} is wrapped already\n`);
    else status = Math.max(status, wrap(program, { ...options, profile: options.profile ?? baseName(program) }));
  }
  return status;
}
