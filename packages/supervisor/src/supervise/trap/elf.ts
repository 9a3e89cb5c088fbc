import { readSync } from "node:fs";
import { pathText } from "../kernel/index.ts";

/** What an ELF file says of how it starts. */
export interface ElfFile {
  /** Programs that the kernel starts in its place (PT_INTERP), one by each reading of the file. */
  readonly interpreters: readonly string[];
  /** A shared object that starts by itself: it loads other programs (ld.so(8)). */
  readonly isLoader: boolean;
}

export const NO_ELF: ElfFile = { interpreters: [], isLoader: false };

const MAGIC = 0x7f454c46;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_FLAGS_1 = 0x6ffffffb;
const DF_1_PIE = 0x08000000;
const PATH_MAX = 4096;
/** So many bytes of rows the kernel takes. */
const MOST = 65_536;
const READINGS = [true, false].flatMap((little) => [true, false].map((wide) => ({ little, wide })));

/**
 * elf(5). The kernel (fs/binfmt_elf.c) asks for neither the class nor the byte order that a file names, but for the size of its rows, and
 * qemu-user reads those of other machines: so every reading counts whose rows have their size. `start`: of the file, 64 bytes at least.
 */
export function readElf(fd: number, start: Buffer): ElfFile {
  if (start.length < 64 || start.readUInt32BE(0) !== MAGIC) return NO_ELF;
  const head = viewOf(start);
  const interpreters: string[] = [];
  let isLoader = false;
  for (const { little, wide } of READINGS) {
    const [word, row] = wide ? [8, 56] : [4, 32];
    if (head.getUint16(wide ? 54 : 42, little) !== row) continue;
    const number = (from: DataView, at: number): number => {
      if (!wide) return from.getUint32(at, little);
      return from.getUint32(little ? at : at + 4, little) + from.getUint32(little ? at + 4 : at, little) * 0x1_0000_0000;
    };
    const rows = viewOf(piece(fd, start, number(head, wide ? 32 : 28), Math.min(MOST, row * head.getUint16(wide ? 56 : 44, little))));
    const first = (type: number, most: number): Buffer | undefined => {
      for (let at = 0; at + row <= rows.byteLength; at += row)
        if (rows.getUint32(at, little) === type)
          return piece(fd, start, number(rows, at + word), Math.min(most, number(rows, at + 4 * word)));
      return undefined;
    };
    const named = first(PT_INTERP, PATH_MAX);
    if (named !== undefined) interpreters.push(pathText(named, 0, named.includes(0) ? named.indexOf(0) : named.length));
    const links = named === undefined ? first(PT_DYNAMIC, MOST) : undefined;
    if (links === undefined) continue;
    const entries = viewOf(links);
    isLoader = true;
    for (let at = 0; at + 2 * word <= entries.byteLength; at += 2 * word)
      if (number(entries, at) === DT_FLAGS_1 && (number(entries, at + word) & DF_1_PIE) !== 0) isLoader = false;
  }
  return { interpreters, isLoader };
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

/** Bytes of a file, as far as it has them. */
function piece(fd: number, start: Buffer, at: number, length: number): Buffer {
  if (at + length <= start.length) return start.subarray(at, at + length);
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, Number.isSafeInteger(at) ? readSync(fd, bytes, 0, length, at) : 0);
}
