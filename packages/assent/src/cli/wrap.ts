import { spawnSync } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { constants as system } from "node:os";
import { visible } from "@assent/core/action";
import { launcherName } from "@assent/hosts/agents/install";
import { isObject } from "@assent/core/data";
import { baseName, isWithin } from "@assent/core/path";
import { errorCode, thisMachine, type Machine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, failing, refuseUse } from "./policy-target.ts";
import { findProgram } from "./run-program.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import {
  firstLine,
  headOf,
  interpreterOf,
  isName,
  launcherPath,
  launchers,
  shimFolder,
  wrapped,
  writeLauncher,
  type Launcher,
  type Own,
} from "./wrap-launcher.ts";

const COMMAND = "wrap";
const fail = failing(COMMAND);

export interface WrapOptions {
  readonly profile?: string;
  readonly shim?: boolean;
  readonly inPlace?: boolean;
  readonly with?: "npm" | "pipx";
  readonly json?: boolean;
}

/** The word without its folders. */
/** `assent` as launchers start it, wherever PATH leads then. */
const own = (): Own => {
  const folder = engine.own[0] ?? "";
  const front = launcherName(process.platform, process.arch, "front");
  return { node: process.execPath, bin: `${folder}/bin.cjs`, front: front === undefined ? undefined : startable(`${folder}/${front}`) };
};

function startable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}

/** PATH without the folder of shims, so that a wrapped program is found and not what starts it. */
function pathOf(machine: Machine): string {
  const shims = shimFolder(machine);
  return (machine.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
    .split(":")
    .filter((folder) => folder.replace(/\/+$/, "") !== shims)
    .join(":");
}

/** `assent wrap NAME`: from now on the program runs under its profile. */
export function wrap(word: string, options: WrapOptions): number {
  const machine = thisMachine();
  const found = findProgram(word, pathOf(machine), absolute("."));
  if (found.is === "none") return refuseUse(COMMAND, `${visible(word)}: ${found.why}`, "name a program that can be started, or its path");
  const name = baseName(word);
  if (!isName(name))
    return fail(`\`${visible(name)}\` cannot be the name of a wrapped program`, "letters, digits and . _ @ + - may stand in it");
  const file = realpathSync.native(found.path);
  if (wrapped(machine, file) !== undefined) return fail(`${visible(word)} is wrapped already`, "`assent wrap --list` shows what is");
  const other = launchers(machine).all.find((one) => one.name === name);
  if (other !== undefined && stateOf(machine, other) === "wrapped")
    return fail(`another \`${name}\` is wrapped already: ${visible(other.file)}`, `\`assent unwrap ${name}\` first`);
  if (engine.own.some((folder) => file.startsWith(`${folder}/`)) || file === process.execPath)
    return fail(`${visible(word)} is what Assent itself runs on`, "wrap the scripts that it starts");

  const inPlace = options.shim !== true && (options.inPlace === true ? headOf(file) !== undefined : canRewrite(machine, file));
  if (options.inPlace === true && !inPlace)
    return fail(`${visible(file)} is not a script, so it has no first line to change`, "leave --in-place out");
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
    install(machine, launcher, own());
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

/** `assent unwrap NAME`: the program is again as it was, byte for byte. */
export function unwrap(word: string): number {
  const machine = thisMachine();
  const name = baseName(word);
  const { all } = launchers(machine);
  const found = all.filter((one) => one.name === name || one.file === word);
  if (found.length === 0) return refuseUse(COMMAND, `no program \`${visible(word)}\` is wrapped`, "`assent wrap --list` shows what is");
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

/** `assent wrap --list`. */
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
    writeJson({ programs });
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

/** Longest `#!` line that every kernel takes, without the end (Linux before 5.1: 127 bytes). */
const LONGEST_LINE = 126;

/** True for a script in the user's own home, whose first line can be changed. Elsewhere it is the system's, and other users run it. */
function canRewrite(machine: Machine, file: string): boolean {
  const line = headOf(file);
  if (line === undefined || interpreterOf(line) === undefined) return false;
  const path = launcherPath(machine, { name: "x".repeat(20), how: "line" });
  return isWithin(file, machine.home) && !/\s/.test(path) && path.length <= LONGEST_LINE && statSync(file).uid === machine.uid;
}

/** The line that a wrapped script begins with. */
const lineFor = (machine: Machine, launcher: Launcher): Buffer => Buffer.from(`#!${launcherPath(machine, launcher)}\n`);

/** Puts a launcher in place: first the launcher, then what leads to it, so that nothing ever leads nowhere. */
export function install(machine: Machine, launcher: Launcher, own: Own): void {
  writeLauncher(machine, launcher, own);
  if (launcher.how === "shim") return;
  try {
    swapLine(launcher.file, firstLine(launcher), lineFor(machine, launcher));
  } catch (error) {
    unlinkSync(launcherPath(machine, launcher));
    throw error;
  }
}

/** @returns `changed` when the script is no longer the one that was wrapped: it is left as it is. */
function remove(machine: Machine, launcher: Launcher): "restored" | "changed" | "missing" {
  const state = stateOf(machine, launcher);
  if (launcher.how === "line" && state === "wrapped") swapLine(launcher.file, lineFor(machine, launcher), firstLine(launcher));
  unlinkSync(launcherPath(machine, launcher));
  return state === "wrapped" ? "restored" : state;
}

function stateOf(machine: Machine, launcher: Launcher): "wrapped" | "changed" | "missing" {
  if (statSync(launcher.file, { throwIfNoEntry: false })?.isFile() !== true) return "missing";
  if (launcher.how === "shim") return "wrapped";
  return headOf(launcher.file)?.equals(lineFor(machine, launcher)) === true ? "wrapped" : "changed";
}

/** Exchanges the first line of a file in one step; every other byte, mode and owner stay. `file` is canonical. */
function swapLine(file: string, was: Buffer, next: Buffer): void {
  const before = readFileSync(file);
  if (!before.subarray(0, was.length).equals(was)) throw new Error("its first line has changed meanwhile");
  const stats = statSync(file);
  const temporary = `${file}.assent-${process.pid}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(temporary, flags, 0o600);
  try {
    // A script that is nothing but its first line may lack the end of it.
    for (const part of [next, before.subarray(was.length)]) for (let at = 0; at < part.length;) at += writeSync(descriptor, part, at);
    if (stats.uid !== process.getuid?.() || stats.gid !== process.getgid?.()) fchownSync(descriptor, stats.uid, stats.gid);
    fchmodSync(descriptor, stats.mode & 0o7777);
    fsyncSync(descriptor);
    if (!readFileSync(file).equals(before)) throw new Error("it has changed meanwhile");
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

const problemOf = (error: unknown): string => {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM" ? "permission denied" : code;
};

type Installer = "npm" | "pipx";

type InstalledPrograms =
  | { readonly is: "installed"; /** Absolute paths, as PATH would lead to them. */ readonly programs: readonly string[] }
  | { readonly is: "wrong"; readonly status: number; readonly message: string; readonly help?: string };

interface ProgramPath {
  readonly path: string;
  readonly cwd: string;
}

/** Installs a package for the user and says which programs it brought. */
function programsOf(name: string, rest: readonly string[], chosen: Installer | undefined, place: ProgramPath): InstalledPrograms {
  const there = (["pipx", "npm"] as const).filter((tool) => findProgram(tool, place.path, place.cwd).is === "program");
  if (chosen !== undefined && !there.includes(chosen)) return wrong(1, `${chosen} is not installed`);
  if (there.length === 0)
    return wrong(1, "neither pipx nor npm is installed", "install one of them, or wrap a program that is there: `assent wrap NAME`");
  const [tool] = chosen === undefined ? there : [chosen];
  if (tool === undefined || (chosen === undefined && there.length > 1))
    return wrong(2, "both pipx and npm are installed", "say --with pipx or --with npm");

  const folder = ask(tool, tool === "npm" ? ["prefix", "--global"] : ["environment", "--value", "PIPX_BIN_DIR"]);
  if (folder === undefined) return wrong(1, `${tool} does not say where it puts programs`);
  const bin = tool === "npm" ? `${folder}/bin` : folder;
  const before = stamps(bin);
  const { status, signal, error } = spawnSync(tool, ["install", ...(tool === "npm" ? ["--global"] : []), name, ...rest], {
    stdio: "inherit",
  });
  if (error !== undefined) return wrong(1, `${tool} cannot be started: ${visible(error.message)}`);
  if (status !== 0) return wrong(status ?? 128 + (signal === null ? 0 : system.signals[signal]), `${tool} failed`);
  const after = stamps(bin);
  const programs = new Set([...after].filter(([entry, stamp]) => before.get(entry) !== stamp).map(([entry]) => entry));
  // Nothing new to link: the package was there.
  for (const program of tool === "npm" ? npmPrograms(name) : pipxPrograms(name)) if (after.has(program)) programs.add(program);
  return { is: "installed", programs: [...programs].sort().map((program) => `${bin}/${program}`) };
}

const wrong = (status: number, message: string, help?: string): InstalledPrograms => ({
  is: "wrong",
  status,
  message,
  ...(help === undefined ? {} : { help }),
});

function ask(tool: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(tool, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const line = stdout?.trim() ?? "";
  return status === 0 && line.startsWith("/") ? line : undefined;
}

/** What tells that an entry of a folder was made anew. */
function stamps(folder: string): ReadonlyMap<string, string> {
  try {
    return new Map(
      readdirSync(folder).map((name) => {
        const { ino, ctimeMs } = lstatSync(`${folder}/${name}`);
        return [name, `${ino} ${ctimeMs}`];
      }),
    );
  } catch {
    return new Map();
  }
}

/** `bin` of an installed npm package: a path named after the package, or names with paths (package.json(5)). */
function npmPrograms(spec: string): readonly string[] {
  const name = /^(?:@[^/@]+\/)?[^/@]+/.exec(spec)?.[0];
  const root = ask("npm", ["root", "--global"]);
  if (name === undefined || root === undefined) return [];
  const described = json(() => readFileSync(`${root}/${name}/package.json`, "utf8"));
  const bin = described?.["bin"];
  if (typeof bin === "string") return [name.replace(/^@[^/]+\//, "")];
  return isObject(bin) ? Object.keys(bin) : [];
}

/** The apps of a pipx environment. */
function pipxPrograms(spec: string): readonly string[] {
  const name = /^[\w.-]+/
    .exec(spec)?.[0]
    ?.toLowerCase()
    .replace(/[-_.]+/g, "-");
  const { stdout } = spawnSync("pipx", ["list", "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const venvs = json(() => stdout)?.["venvs"];
  const venv = isObject(venvs) && name !== undefined ? venvs[name] : undefined;
  const metadata = isObject(venv) ? venv["metadata"] : undefined;
  const main = isObject(metadata) ? metadata["main_package"] : undefined;
  const apps: unknown = isObject(main) ? main["apps"] : undefined;
  return Array.isArray(apps) ? apps.filter((app) => typeof app === "string") : [];
}

function json(read: () => string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(read());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
