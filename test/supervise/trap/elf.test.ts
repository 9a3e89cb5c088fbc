import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readElf } from "../../../packages/supervisor/src/supervise/trap/elf.ts";
import { loadedElsewhere } from "../../../packages/supervisor/src/supervise/trap/starts.ts";
import { scratch } from "../../scratch.ts";

/** A file with one row, of this type, and what it names behind it. */
function elf({ wide = true, little = true, type = 3, named = "/p/denied\0", rows = 1, at = 0x200 } = {}): Buffer {
  const bytes = Buffer.alloc(at + named.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const number = (to: number, value: number): void =>
    wide ? view.setBigUint64(to, BigInt(value), little) : view.setUint32(to, value, little);
  bytes.write("\x7fELF", "latin1");
  number(wide ? 32 : 28, 0x80);
  view.setUint16(wide ? 54 : 42, wide ? 56 : 32, little);
  view.setUint16(wide ? 56 : 44, rows, little);
  view.setUint32(0x80, type, little);
  number(0x80 + (wide ? 8 : 4), at);
  number(0x80 + (wide ? 32 : 16), named.length);
  bytes.write(named, at, "latin1");
  return bytes;
}

function read(bytes: Buffer): ReturnType<typeof readElf> {
  const file = join(scratch().root, "file");
  writeFileSync(file, bytes);
  const fd = openSync(file, "r");
  try {
    return readElf(fd, bytes.subarray(0, 0x100));
  } finally {
    closeSync(fd);
  }
}

const flags = (value: number): string => Buffer.from(new BigUint64Array([0x6ffffffbn, BigInt(value), 0n, 0n]).buffer).toString("latin1");

it.each([
  ["64 bits", elf(), ["/p/denied"]],
  ["32 bits", elf({ wide: false }), ["/p/denied"]],
  ["64 bits, of another byte order", elf({ little: false }), ["/p/denied"]],
  ["32 bits, of another byte order", elf({ wide: false, little: false }), ["/p/denied"]],
  ["not terminated", elf({ named: "/p/denied" }), ["/p/denied"]],
  ["something behind the end", elf({ named: "/p/denied\0/lib/ld.so\0" }), ["/p/denied"]],
  ["a relative path", elf({ named: "../denied\0" }), ["../denied"]],
  ["far behind", elf({ at: 100_000 }), ["/p/denied"]],
  ["none", elf({ type: 1 }), []],
  ["no rows", elf({ rows: 0 }), []],
  ["a file that ends before", elf().subarray(0, 0x90), []],
  ["a script", Buffer.from(`#!/bin/sh\n${"x".repeat(100)}`), []],
])("the program that starts in the place of one: %s", (_, bytes, named) => {
  expect(read(bytes).interpreters).toEqual(named);
});

it.each([
  ["a shared object", elf({ type: 2, named: flags(1) }), true],
  ["a program that needs none", elf({ type: 2, named: flags(0x08000001) }), false],
  ["a program with a loader", elf(), false],
  ["a static program", elf({ type: 1 }), false],
])("what loads other programs: %s", (_, bytes, isLoader) => {
  expect(read(bytes).isLoader).toBe(isLoader);
});

const program = { id: "8:1:100", path: "/p/own" };
const loader = { id: "8:1:200", path: "/lib/ld.so" };
const far = { id: "0:40:3.7", path: "/p/a\nb" };
const line = (device: string, inode: string, path: string): string => `55d8-55d9 r--p 00001000 ${device} ${inode}    ${path}\n`;

it.each([
  ["by its number", [line("08:01", "100", "/p/own"), line("08:01", "200", "/elsewhere"), line("00:00", "0", "[stack]")], undefined],
  ["another", [line("08:01", "100", "/p/own"), line("08:01", "300", "/p/denied")], "/p/denied"],
  ["by its name, where devices differ (btrfs, overlayfs)", [line("00:1f", "100", "/p/own"), line("00:1f", "200", "/lib/ld.so")], undefined],
  ["another of the same number, elsewhere", [line("00:1f", "100", "/p/denied")], "/p/denied"],
  ["another that has got the name", [line("00:1f", "300", "/lib/ld.so")], "/lib/ld.so"],
  ["layers on several disks", [line("00:1f", "7", "/p/a\\012b")], undefined],
  ["a number of more than 32 bits", [line("00:28", "12884901895", "/p/x")], undefined],
  ["none", ["55d8-55d9 r-xp 00000000 00:00 0 [vdso]\n"], undefined],
])("the loader that the kernel has started: %s", (_, lines, other) => {
  expect(loadedElsewhere(lines.join(""), [program, loader, far])).toBe(other);
});
