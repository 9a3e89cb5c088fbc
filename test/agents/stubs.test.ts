import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launcherTable, withTable } from "@assent/hosts/agents/install";
import { DIST, scratch } from "../scratch.ts";
import { STUBS } from "./stubs.ts";

const NAMES = readdirSync(STUBS).filter((name) => /-(?:x64|arm64)$/.test(name));

/** The compilers that stubs/build.sh names: another one makes other bytes of the same sources. */
const COMPILERS = [
  ["x64", "x86_64-linux-gnu-gcc", "(Debian 12.2.0-14+deb12u1)"],
  ["arm64", "aarch64-linux-gnu-gcc", "(Debian 12.2.0-14)"],
] as const;

const saidBy = (compiler: string): string => spawnSync(compiler, ["--version"], { encoding: "utf8" }).stdout ?? "";

describe("the static programs", () => {
  it("are there for both architectures, and lie beside the program, the launcher with its table", () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(18);
    for (const name of NAMES) {
      expect(NAMES).toContain(name.replace(/x64|arm64/, (architecture) => (architecture === "x64" ? "arm64" : "x64")));
      const own = readFileSync(join(STUBS, name));
      const wanted = name.startsWith("launch-") ? withTable(own, launcherTable()) : own;
      expect([name, readFileSync(join(DIST, name)).equals(wanted)]).toEqual([name, true]);
    }
  });

  it.each(COMPILERS)("are what their sources say, byte for byte (%s)", (architecture, compiler, version) => {
    if (!saidBy(compiler).includes(version)) return;
    const { root } = scratch();
    execFileSync("sh", [join(STUBS, "build.sh"), root, architecture], { stdio: ["ignore", "ignore", "inherit"] });
    const built = NAMES.filter((name) => name.endsWith(`-${architecture}`));
    for (const name of built) expect([name, readFileSync(join(root, name)).equals(readFileSync(join(STUBS, name)))]).toEqual([name, true]);
  });

  it.each(NAMES.filter((name) => !/^(?:try|routine)-/.test(name)))(
    "%s is one segment that cannot be written, and a stack that cannot be run",
    (name) => {
      const file = readFileSync(join(STUBS, name));
      const segments = Array.from({ length: file.readUInt16LE(56) }, (_, at) => file.readUInt32LE(64 + at * 56 + 4));
      expect(segments).toEqual([5, 6]);
      expect([file.readBigUInt64LE(96), file.readBigUInt64LE(104)]).toEqual([BigInt(file.length), BigInt(file.length)]);
    },
  );
});
