import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LauncherArchitecture } from "@assent/hosts/agents/install";
import { scratch } from "../scratch.ts";

const SOURCES = join(import.meta.dirname, "../../packages/hosts/src/agents/install");
const ASSEMBLERS = [
  ["x64", "x86_64-linux-gnu-as", []],
  ["arm64", "aarch64-linux-gnu-as", []],
  ["arm64", "llvm-mc", ["-triple=aarch64-linux-gnu", "-filetype=obj"]],
] as const;

const runs = (program: string): boolean => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

/** The bytes of a launcher are what its source in assembly says, by the assemblers that are here. */
export function describeSource(name: string, code: (architecture: LauncherArchitecture) => Buffer): void {
  describe("the source", () => {
    it.each(ASSEMBLERS)("%s: the bytes are what it says (%s)", (architecture, assembler, options) => {
      const copy = assembler === "llvm-mc" ? "llvm-objcopy" : assembler.replace(/as$/, "objcopy");
      if (!runs(assembler) || !runs(copy)) return;
      const { root } = scratch();
      const [object, bytes] = [join(root, "o"), join(root, "bin")];
      execFileSync(assembler, [...options, "-o", object, join(SOURCES, `${name}.${architecture}.s`)]);
      execFileSync(copy, ["-O", "binary", "-j", ".text", object, bytes]);
      expect(code(architecture).toString("hex")).toBe(readFileSync(bytes).toString("hex"));
    });
  });
}
