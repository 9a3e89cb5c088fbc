import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { joinPath } from "@assent/core/path";
import { ensureFolder, writeAtomic, type Machine, namesIn, realPath } from "@assent/guard/state";
import { OUTER_PATH } from "@assent/supervisor/supervise/outer";
import { shellQuoted } from "@assent/core/data";

/**
 * A launcher starts a program under `assent run`: a small shell script that carries all that is known of the wrapping.
 * - `line`: the program is a script whose first line names the launcher as its interpreter; the original line is kept here.
 * - `shim`: the launcher stands in a folder that comes first in PATH and starts the program, which is left as it is.
 */
export interface Launcher {
  readonly name: string;
  readonly how: "line" | "shim";
  /** The program itself, links resolved. */
  readonly file: string;
  readonly profile: string;
  /** First line of the script as it was, its end included; base64, because it may be any bytes. */
  readonly line?: string;
}

/** Readable by supervised programs, which may start wrapped ones; changed by nobody but Assent (packages/core/src/policy/floor.ts). */
export const dataFolder = ({ home }: Pick<Machine, "home">): string => joinPath(home, ".local/share/assent");
export const shimFolder = (machine: Pick<Machine, "home">): string => `${dataFolder(machine)}/bin`;

export function launcherPath(machine: Pick<Machine, "home">, { name, how }: Pick<Launcher, "name" | "how">): string {
  return how === "shim" ? `${shimFolder(machine)}/${name}` : `${dataFolder(machine)}/wrap/${name}`;
}

/** A name that is one path segment and no option. */
export const isName = (name: string): boolean => /^[A-Za-z0-9_][\w.@+-]{0,99}$/.test(name);

const MARK = "# assent-wrap: ";

/** The program of Assent that launchers start. */
export interface Own {
  readonly node: string;
  readonly bin: string;
  /** The static program that stands in front of a run, where there is one: else that is another Node. */
  readonly front: string | undefined;
}

export function writeLauncher(machine: Machine, launcher: Launcher, { node, bin, front }: Own): void {
  const start = startOf(launcher);
  const line = (words: readonly string[]): string => `exec ${words.map(shellQuoted).join(" ")} "$@"`;
  const text = [
    "#!/bin/sh",
    "# Starts a program under `assent run`. `assent unwrap` takes this away again; do not edit it.",
    `${MARK}${JSON.stringify(launcher)}`,
    "# Only a supervisor lets this be opened: inside a run the program is supervised already.",
    `if true 2> /dev/null <> ${OUTER_PATH}; then ${line(start)}; fi`,
    line([...(front === undefined ? [] : [front]), node, bin, "run", "--profile", launcher.profile, "--", ...start]),
    "",
  ].join("\n");
  const path = launcherPath(machine, launcher);
  ensureFolder(path.slice(0, path.lastIndexOf("/")));
  writeAtomic(path, text, 0o755);
}

/** What comes before the arguments: the program of a shim, the interpreter of a script. */
function startOf(launcher: Launcher): readonly string[] {
  return launcher.how === "shim" ? [launcher.file] : (interpreterOf(firstLine(launcher)) ?? []);
}

export function firstLine({ line = "" }: Launcher): Buffer {
  return Buffer.from(line, "base64");
}

/** The words of a `#!` line as the kernel reads it: the interpreter, and everything after it as one argument (execve(2)). */
export function interpreterOf(line: Uint8Array): readonly string[] | undefined {
  const text = Buffer.from(line).toString("latin1");
  const [, interpreter, argument = ""] = /^#![ \t]*([^ \t\n\0]+)[ \t]*([^\n\0]*)/.exec(text) ?? [];
  if (interpreter === undefined) return undefined;
  const rest = argument.replace(/[ \t]+$/, "");
  return [interpreter, ...(rest === "" ? [] : [rest])].map((word) => Buffer.from(word, "latin1").toString("utf8"));
}

/** Every launcher there is, and the names of those that cannot be read. */
export function launchers(machine: Pick<Machine, "home">): { readonly all: readonly Launcher[]; readonly broken: readonly string[] } {
  const all: Launcher[] = [];
  const broken: string[] = [];
  for (const how of ["line", "shim"] as const) {
    const folder = launcherPath(machine, { name: "", how });
    for (const name of namesIn(folder).filter(isName).sort()) {
      const launcher = readLauncher(`${folder}${name}`);
      if (launcher === undefined) broken.push(`${folder}${name}`);
      else all.push(launcher);
    }
  }
  return { all, broken };
}

export function readLauncher(path: string): Launcher | undefined {
  try {
    const line = readFileSync(path, "utf8")
      .split("\n")
      .find((one) => one.startsWith(MARK));
    const value: unknown = line === undefined ? undefined : JSON.parse(line.slice(MARK.length));
    return isLauncher(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLauncher(value: unknown): value is Launcher {
  if (typeof value !== "object" || value === null || !("how" in value)) return false;
  const text = (key: string): boolean => typeof Object.entries(value).find(([name]) => name === key)?.[1] === "string";
  return ["name", "file", "profile"].every(text) && (value.how === "shim" || (value.how === "line" && text("line")));
}

/** First bytes of a file; enough for any `#!` line a kernel reads. */
const LINE_BYTES = 4096;

/**
 * The launcher that a program starts through, if it is wrapped: its command without the wrapping, so that a run inside
 * a run is not needed.
 */
export function wrapped(
  machine: Pick<Machine, "home">,
  file: string,
): { readonly launcher: Launcher; readonly start: readonly string[] } | undefined {
  const shim = realPath(shimFolder(machine));
  const real = realPath(file);
  if (real.startsWith(`${shim}/`)) {
    const launcher = readLauncher(real);
    return launcher?.how === "shim" ? { launcher, start: startOf(launcher) } : undefined;
  }
  const line = headOf(real);
  const [interpreter] = line === undefined ? [] : (interpreterOf(line) ?? []);
  if (interpreter?.startsWith(launcherPath(machine, { name: "", how: "line" })) !== true) return undefined;
  const launcher = readLauncher(interpreter);
  return launcher?.how === "line" ? { launcher, start: [...startOf(launcher), file] } : undefined;
}

/** The first line of a file, its end included; undefined where it has none that a kernel would look at. */
export function headOf(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(LINE_BYTES);
    const head = bytes.subarray(0, readSync(descriptor, bytes, 0, LINE_BYTES, 0));
    if (head.length < 3 || head[0] !== 0x23 || head[1] !== 0x21) return undefined;
    const end = head.indexOf(0x0a);
    return end === -1 ? (head.length < LINE_BYTES ? head : undefined) : head.subarray(0, end + 1);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
