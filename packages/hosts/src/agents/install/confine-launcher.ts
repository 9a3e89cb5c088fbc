import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync, unlinkSync } from "node:fs";
import { confineLauncher } from "@assent/core/action";
import { ensureFolder, errorCode, isOwn, type Machine, daemonFolder, writeAtomic } from "@assent/guard/state";
import { architectureOf, type LauncherArchitecture, launcherName, type Stub, withTable } from "./launcher.ts";
import { assigned, type Program, starts } from "./program.ts";

/** In the environment of what it starts: every other variable is the caller's, under another name. */
export const CALLER = "ASSENT_CALLER=renamed";
/** Room for so many of all lists in the programs. */
const MOST_LISTED = 60;

/** A program of `stubs/` and its table: lists of texts, each ended by an empty one. */
export function programWith(
  architecture: LauncherArchitecture,
  { from, folder }: Program,
  name: "confine" | "shell",
  lists: readonly (readonly string[])[],
): Buffer {
  const all = lists.flat();
  if (all.length > MOST_LISTED || all.some((text) => text === "" || text.includes("\0"))) throw new Error("this cannot be started so");
  const table = lists.map((texts) => `${texts.map((text) => `${text}\0`).join("")}\0`).join("");
  const first = name === "confine" ? "\x01" : "";
  return withTable(readFileSync(`${from ?? folder}/${name}-${architecture}`), Buffer.from(`${first}${table}`));
}

/**
 * What hosts start in the place of a command: `confine TICKET COMMAND` (`stubs/confine.c`), which becomes
 * `front node bin.cjs run --confined TICKET -- COMMAND`, with nothing of the caller's environment that could control Node, its libraries or
 * the loader. `front`: what stands in front of the run (`stubs/front.c`); `spare`: what hands it to a supervisor that waits
 * (`stubs/spare.c`).
 */
export function confineProgram(
  architecture: LauncherArchitecture,
  program: Program,
  machine: Pick<Machine, "home" | "env">,
  front?: string,
  spare?: string,
): Buffer {
  const lists = [[...assigned(machine), CALLER], runWords(program, machine, { front, spare })];
  return programWith(architecture, program, "confine", lists);
}

/** The words before those of a confined run. */
export const runWords = (
  { node, folder }: Program,
  machine: Pick<Machine, "home" | "env">,
  { front, spare }: { readonly front: string | undefined; readonly spare: string | undefined },
): readonly string[] => [
  ...(spare === undefined ? [] : [spare, `${daemonFolder(machine)}/`]),
  ...(front === undefined ? [] : [front]),
  node,
  `${folder}/bin.cjs`,
  "run",
  "--confined",
];

export type WrittenLauncher = { readonly file: string } | { readonly problem: string };

/** `confine` of the user. */
export function ensureConfineLauncher(machine: Machine, program: Program): WrittenLauncher {
  const [front, spare] = [besideProgram(program, machine, "front"), besideProgram(program, machine, "spare")];
  return ensureLauncher(machine, confineLauncher(machine.home), (architecture) => confineProgram(architecture, program, machine), {
    made: (architecture) => confineProgram(architecture, program, machine, front, spare),
    starts: () => starts(front) && starts(spare),
  });
}

/** A static program beside Assent; it may be missing. */
export const besideProgram = ({ folder }: Program, { platform }: Machine, name: Stub): string =>
  `${folder}/${launcherName(platform, process.arch, name) ?? name}`;

/** What is written in its place where what it needs starts, which is only then tried. */
interface BetterLauncher {
  readonly made: (architecture: LauncherArchitecture) => Buffer;
  readonly starts: () => boolean;
}

/**
 * Writes a launcher where it is missing or another: Assent or Node has moved, or was updated. One that does not start (the
 * home may be mounted so that nothing runs there) is taken away again.
 */
export function ensureLauncher(
  machine: Machine,
  file: string,
  made: (architecture: LauncherArchitecture) => Buffer,
  better?: BetterLauncher,
): WrittenLauncher {
  const architecture = architectureOf(machine.platform, process.arch);
  if (architecture === undefined) return { problem: "commands are sandboxed on Linux (x86-64, arm64) alone" };
  try {
    if (better !== undefined && isThere(file, better.made(architecture), machine)) return { file };
    const wanted = better?.starts() === true ? better.made(architecture) : made(architecture);
    if (isThere(file, wanted, machine)) return { file };
    ensureFolder(file.slice(0, file.lastIndexOf("/")));
    writeAtomic(file, wanted, 0o755);
    // Without words it says how it is used.
    if (spawnSync(file, [], { stdio: "ignore", env: {} }).status === CANNOT_START) return { file };
    unlinkSync(file);
    return { problem: `${file} does not start` };
  } catch (error) {
    return { problem: `${file} cannot be written: ${errorCode(error)}` };
  }
}

/** As `timeout`, `env` and `nice` use it. */
const CANNOT_START = 125;

function isThere(file: string, wanted: Buffer, { uid }: Machine): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || !isOwn(stats, uid) || (stats.mode & 0o500) !== 0o500) return false;
  return stats.size === wanted.length && readFileSync(file).equals(wanted);
}
