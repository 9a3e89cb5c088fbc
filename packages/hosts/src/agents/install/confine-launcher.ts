import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync, unlinkSync } from "node:fs";
import { confineLauncher } from "@assent/core/action";
import { ensureFolder, errorCode, isOwn, type Machine, residentFolder, writeAtomic } from "@assent/guard/state";
import { architectureOf, type LauncherArchitecture, launcherName, staticProgram } from "./launcher.ts";
import { assigned, type Program, starts } from "./program.ts";

/**
 * What hosts start in the place of a command: `confine TICKET COMMAND`, a program of a few hundred bytes that becomes
 * `front node bin.cjs run --confined TICKET -- COMMAND`, with nothing of the caller's environment that could steer Node, its
 * libraries or the loader. `confine.x64.s` and `confine.arm64.s` are its source (a test assembles and compares).
 */
const CODE: Readonly<Record<LauncherArchitecture, string>> = {
  x64:
    "4c8b24244c8d6c24084f8d74e508488d35b60100000fb62e48ffc6488d45024939c40f82e700000031c949833cce00740548ffc1ebf44a8d44214048" +
    "c1e0034829c44883e4f04989e731db803e007412498934df48ffc348ffc6807eff0075f7ebe948ffc6498b3e4983c6084885ff741c8a073c5f740a0c" +
    "203c6172e83c7a77e480374049893cdf48ffc3ebd849c704df0000000048ffc34d8d34df803e007412498934df48ffc348ffc6807eff0075f7ebe985" +
    "ed74134983c508498b4500498904df48ffc3ffcdebe9488d05f7000000498904df48ffc34983c508498b4500498904df48ffc34885c075ec498b3e4c" +
    "89f64c89fab83b0000000f05bf02000000488d352b000000ba56000000eb11bf02000000488d356e000000ba3f000000b8010000000f05bf7d000000" +
    "b8e70000000f05617373656e743a207468697320636f6d6d616e6420776173206e6f7420737461727465642c206265636175736520417373656e7420" +
    "636f756c64206e6f742062653b2072756e3a20617373656e7420646f63746f720a617373656e743a207468697320737461727473206120636f6d6d61" +
    "6e6420636f6e66696e65643a20636f6e66696e65205449434b455420434f4d4d414e440a2d2d00",
  arm64:
    "f30340f9f4230091950e138bb5220091010f001038144038000b00917f0200ebc3080054020080d2a07a62f8600000b442040091fdffff174000138b" +
    "0004019100fc41d300ec7cd3e2030091420000cb5f000091f60302aa170080d220004039c0000034c17a37f8f706009120144038e0ffff35faffff17" +
    "21040091a38640f8c30100b4600040391f7c0171c000005402001b325f84017123ffff545fe80171e8feff5400001a5260000039c37a37f8f7060091" +
    "f2ffff17df7a37f8f7060091d50e178b20004039c0000034c17a37f8f706009120144038e0ffff35faffff17d8000034808e40f8c07a37f8f7060091" +
    "18070051fbffff17a0070030c07a37f8f7060091808e40f8c07a37f8f7060091a0ffffb5a00240f9e10315aae20316aaa81b80d2010000d4400080d2" +
    "61010010c20a80d204000014400080d281030050e20780d2080880d2010000d4a00f80d2c80b80d2010000d4617373656e743a207468697320636f6d" +
    "6d616e6420776173206e6f7420737461727465642c206265636175736520417373656e7420636f756c64206e6f742062653b2072756e3a2061737365" +
    "6e7420646f63746f720a617373656e743a207468697320737461727473206120636f6d6d616e6420636f6e66696e65643a20636f6e66696e65205449" +
    "434b455420434f4d4d414e440a2d2d00",
};

/** The routine, as bytes. */
export const confineCode = (architecture: LauncherArchitecture): Buffer => Buffer.from(CODE[architecture], "hex");

/** In the environment of what it starts: every other variable is the caller's, under another name. */
export const CALLER = "ASSENT_CALLER=renamed";
/** Room for so many of all lists in the routines. */
const MOST_LISTED = 60;

/** A file of a routine and its table: lists of texts, each ended by an empty one. */
export function programWith(
  architecture: LauncherArchitecture,
  code: Buffer,
  first: Buffer,
  lists: readonly (readonly string[])[],
): Buffer {
  const all = lists.flat();
  if (all.length > MOST_LISTED || all.some((text) => text === "" || text.includes("\0"))) throw new Error("this cannot be started so");
  const table = lists.map((texts) => `${texts.map((text) => `${text}\0`).join("")}\0`).join("");
  return staticProgram(architecture, Buffer.concat([code, first, Buffer.from(table)]));
}

/**
 * The file: the routine, then how many words come before `--`, the variables and the words it starts with. `front`: what stands in front of
 * the run (front.ts); `spare`: what hands it to a supervisor that waits (spare-client.ts).
 */
export function confineProgram(
  architecture: LauncherArchitecture,
  program: Program,
  machine: Pick<Machine, "home" | "env">,
  front?: string,
  spare?: string,
): Buffer {
  const lists = [[...assigned(machine), CALLER], runWords(program, machine, { front, spare })];
  return programWith(architecture, confineCode(architecture), Buffer.of(1), lists);
}

/** The words before those of a confined run. */
export const runWords = (
  { node, folder }: Program,
  machine: Pick<Machine, "home" | "env">,
  { front, spare }: { readonly front: string | undefined; readonly spare: string | undefined },
): readonly string[] => [
  ...(spare === undefined ? [] : [spare, `${residentFolder(machine)}/`]),
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
export const besideProgram = ({ folder }: Program, { platform }: Machine, name: "ask" | "front" | "spare"): string =>
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
