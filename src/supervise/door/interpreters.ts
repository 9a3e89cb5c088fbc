import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { alloc, pathText } from "../kernel/index.ts";

/** BINPRM_BUF_SIZE: so much of a file the kernel looks at. */
const LOOKED_AT = 256;
const BINFMT_MISC = "/proc/sys/fs/binfmt_misc";

/** What the kernel starts in the place of a file that another program interprets. */
export interface Interpreter {
  readonly path: string;
  /** Words in front of the file's name. */
  readonly arguments: readonly string[];
  /** The first word of the command stays behind the file's name (binfmt_misc, flag P). */
  readonly keepsFirst: boolean;
  /** The kernel has it open since it was registered (binfmt_misc, flag F): its path may lead elsewhere, or nowhere. */
  readonly opened: boolean;
}

/** The interpreter of a file, as the kernel finds it: binfmt_misc, then `#!`. `name`: by which the file is started. */
export function interpreterOf(file: string, name: string): Interpreter | undefined {
  const start = startOf(file);
  return registered(start, name) ?? lineOf(start);
}

/** `#!`, as binfmt_script(load_script) reads it. */
function lineOf(start: Buffer): Interpreter | undefined {
  if (start[0] !== 0x23 || start[1] !== 0x21) return undefined;
  const end = start.indexOf(0x0a);
  // Without a newline the last byte looked at is lost to the NUL that ends the text.
  const text = pathText(Buffer.from(start.subarray(2, end < 0 ? LOOKED_AT - 1 : end))).replace(/\0[^]*$/, "");
  const [, path, argument] = /^[ \t]*([^ \t]+)[ \t]*([^]*?)[ \t]*$/.exec(text) ?? [];
  if (path === undefined) return undefined;
  return { path, arguments: argument === undefined || argument === "" ? [] : [argument], keepsFirst: false, opened: false };
}

/** As much of a file as the kernel looks at; nothing where it cannot be read. */
function startOf(file: string): Buffer {
  try {
    const fd = openSync(file, "r");
    try {
      const start = alloc(LOOKED_AT);
      return start.subarray(0, readSync(fd, start, 0, LOOKED_AT, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return alloc(0);
  }
}

interface Format {
  readonly interpreter: Interpreter;
  readonly matches: (start: Buffer, name: string) => boolean;
}

let formats: readonly Format[] | undefined;

/** Kernel documentation, admin-guide/binfmt-misc.rst. Nothing supervised can register another. */
function registered(start: Buffer, name: string): Interpreter | undefined {
  formats ??= readFormats();
  return formats.find(({ matches }) => matches(start, name))?.interpreter;
}

function readFormats(): readonly Format[] {
  try {
    if (!readFileSync(`${BINFMT_MISC}/status`, "latin1").startsWith("enabled")) return [];
    return readdirSync(BINFMT_MISC)
      .filter((name) => name !== "status" && name !== "register")
      .flatMap((name) => parseFormat(readFileSync(`${BINFMT_MISC}/${name}`, "latin1")) ?? []);
  } catch {
    return [];
  }
}

export function parseFormat(text: string): Format | undefined {
  const field = (name: string): string | undefined => new RegExp(`^${name}:? (.*)$`, "m").exec(text)?.[1];
  const path = field("interpreter");
  if (!text.startsWith("enabled") || path === undefined) return undefined;
  const flags = field("flags") ?? "";
  const interpreter: Interpreter = { path, arguments: [], keepsFirst: flags.includes("P"), opened: flags.includes("F") };
  const extension = field("extension");
  if (extension !== undefined) return { interpreter, matches: (_, name) => name.slice(name.lastIndexOf(".")) === extension };
  const magic = Buffer.from(field("magic") ?? "", "hex");
  const mask = Buffer.from(field("mask") ?? "", "hex");
  const offset = Number(field("offset") ?? 0);
  if (magic.length === 0) return undefined;
  return {
    interpreter,
    matches: (start) => magic.every((byte, at) => (((start[offset + at] ?? 0) ^ byte) & (mask[at] ?? 0xff)) === 0),
  };
}
