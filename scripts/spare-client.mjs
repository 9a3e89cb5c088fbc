// Makes the bytes of the client that hands commands over (packages/hosts/src/agents/install/spare.c) for both architectures: the compiler's assembly
// beside it, and its bytes in spare-client.ts. Run by who changes the C; needs gcc and aarch64-linux-gnu-gcc.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../packages/hosts/src/agents/install", import.meta.url));
const source = join(folder, "spare.c");
const module = join(folder, "spare-client.ts");
const TOOLS = {
  x64: { prefix: "x86_64-linux-gnu-", options: ["-march=x86-64", "-mno-red-zone", "-fcf-protection=none", "-fpie"] },
  arm64: { prefix: "aarch64-linux-gnu-", options: ["-march=armv8-a", "-mno-outline-atomics", "-mcmodel=tiny", "-fno-pie"] },
};
const COMMON =
  "-Os -S -std=gnu11 -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-stack-protector -fno-asynchronous-unwind-tables " +
  "-fno-unwind-tables -fno-jump-tables -fno-tree-loop-distribute-patterns -fno-merge-constants -fno-ident -fno-toplevel-reorder " +
  "-mgeneral-regs-only";

const scratch = mkdtempSync(join(tmpdir(), "assent-spare-"));
try {
  const sum = createHash("sha256").update(readFileSync(source)).digest("hex");
  let text = readFileSync(module, "utf8");
  for (const [architecture, { prefix, options }] of Object.entries(TOOLS)) {
    const [made, object, bytes] = ["s", "o", "bin"].map((name) => join(scratch, `${architecture}.${name}`));
    execFileSync(`${prefix}gcc`, [...COMMON.split(" "), ...options, "-o", made, source], { stdio: "inherit" });
    // Everything lies in one section, so that nothing is left to a linker.
    const lines = readFileSync(made, "utf8")
      .split("\n")
      // Nor where the source lay when it was compiled.
      .filter((line) => !/^\t\.(?:file|ident)\t|^(?:#|\/\/) \d+ "/.test(line))
      .map((line) => (line.startsWith("\t.section\t.rodata") ? "\t.text" : line));
    const kept = join(folder, `spare.${architecture}.s`);
    writeFileSync(kept, `# Made from spare.c (sha256 ${sum})\n# by scripts/spare-client.mjs: change that, not this.\n${lines.join("\n")}`);
    execFileSync(`${prefix}as`, ["-o", object, kept]);
    const relocations = execFileSync(`${prefix}objdump`, ["-r", object], { encoding: "utf8" });
    if (/^[0-9a-f]+ R_/m.test(relocations)) throw new Error(`${kept} would need a linker:\n${relocations}`);
    execFileSync(`${prefix}objcopy`, ["-O", "binary", "-j", ".text", object, bytes]);
    const hex = readFileSync(bytes).toString("hex");
    const rows = hex.match(/.{1,120}/g).map((row) => `    "${row}"`);
    text = text.replace(new RegExp(`(\\n  ${architecture}:)[^,]*,`), `$1\n${rows.join(" +\n")},`);
    console.log(`${architecture}: ${hex.length / 2} bytes`);
  }
  writeFileSync(module, text);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
