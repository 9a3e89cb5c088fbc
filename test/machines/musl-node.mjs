// For test/machines/musl-node.sh. `program FROM TO`: a program that has Node and one script in it, as Node alone. `visible FILE…`: what is
// hidden in object files of a static library is seen by others.
import { readFileSync, writeFileSync } from "node:fs";

const [what, ...files] = process.argv.slice(2);
if (what === "program") {
  const [from, to] = files;
  const bytes = readFileSync(from);
  // Node looks for a script of its own only where this mark says 1 (doc/api/single-executable-applications.md).
  const mark = Buffer.from("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1");
  let found = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    bytes.write("0", at + mark.length - 1);
    found++;
  }
  if (found === 0) throw new Error(`${from} is no Node with a script in it`);
  writeFileSync(to, bytes, { mode: 0o755 });
} else if (what === "visible") {
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const { offset, size } of symbolTables(bytes))
      for (let at = offset; at < offset + size; at += 24)
        // Local ones stay as they are (elf(5): st_info, st_other).
        if (bytes[at + 4] >> 4 !== 0) bytes[at + 5] = 0;
    writeFileSync(file, bytes);
  }
} else throw new Error("program or visible");

/** Where the symbol tables of an object file of 64 bits lie (elf(5): e_shoff, SHT_SYMTAB). */
function symbolTables(bytes) {
  const sections = Number(bytes.readBigUInt64LE(40));
  return Array.from({ length: bytes.readUInt16LE(60) }, (_, at) => sections + at * 64)
    .filter((at) => bytes.readUInt32LE(at + 4) === 2)
    .map((at) => ({ offset: Number(bytes.readBigUInt64LE(at + 24)), size: Number(bytes.readBigUInt64LE(at + 32)) }));
}
