import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}
interface Manifest {
  readonly version: string;
  readonly man: unknown;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly name: string; readonly group?: string; readonly version: string; readonly scope: string }[];
}
const manifest = JSON.parse(textOf("package.json")) as Manifest;

const pack = (): Packed => (JSON.parse(run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], ROOT)) as [Packed])[0];

describe("a release", () => {
  it("has the manual page where npm links it from: npm looks at a list only", () => {
    const { man } = manifest;
    expect(man).toEqual([expect.stringMatching(/\.1\.gz$/)]);
    expect(pack().files.map(({ path }) => path)).toEqual(expect.arrayContaining(man as string[]));
  });

  it("is no larger than it was", () => {
    const packed = pack();
    // To come down to 2.5: hook, run, commands and core each bring the judge along.
    expect(packed.size / 1e6).toBeLessThan(2.65);
    expect(packed.unpackedSize / 1e6).toBeLessThan(7.8);
    // Code caches fit one version of Node on one kind of processor; each machine makes its own.
    expect(packed.files.filter(({ path }) => /\.cache$|^docs\/pictures\//.test(path))).toEqual([]);
  });

  it("has a list of parts that names all that is bundled, and all that is installed with it", () => {
    const sbom = JSON.parse(run("node", ["scripts/sbom.mjs"], ROOT)) as Sbom;
    expect(sbom.bomFormat).toBe("CycloneDX");
    const parts = sbom.components.map(
      ({ group, name, version, scope }) => `${scope} ${group === undefined ? "" : `${group}/`}${name}@${version}`,
    );
    const bundled = [...textOf("dist/THIRD-PARTY-LICENSES.txt").matchAll(/^(@?[\w./-]+) (\d[\w.-]*) \(/gm)].map(
      ([, name = "", version = ""]) => `required ${name}@${version}`,
    );
    expect(bundled.length).toBeGreaterThan(2);
    const installed = Object.entries(manifest.optionalDependencies).map(([name, version]) => `optional ${name}@${version}`);
    expect(parts.toSorted()).toEqual([...new Set([...bundled, ...installed])].toSorted());
  });

  it("has one version, in the devcontainer feature too", () => {
    const feature = JSON.parse(textOf("packaging/devcontainer/assent/devcontainer-feature.json")) as Record<string, unknown>;
    expect(feature).toMatchObject({ id: "assent", version: manifest.version });
    // What the feature offers is what its script reads.
    const script = textOf("packaging/devcontainer/assent/install.sh");
    for (const option of Object.keys(feature["options"] as object)) expect(script).toContain(`\${${option.toUpperCase()}:-`);
  });

  it("has an image that runs as nobody special, whose base can be pinned", () => {
    const lines = textOf("packaging/Dockerfile").split("\n");
    expect(lines.filter((line) => line.startsWith("FROM"))).toEqual(["FROM ${BASE} AS installed", "FROM ${BASE}"]);
    expect(lines.find((line) => line.startsWith("ARG"))).toMatch(/^ARG BASE=node:\d+\.\d+\.\d+-/);
    expect(lines.filter((line) => line.startsWith("USER"))).toEqual(["USER 1000:1000"]);
    expect(lines.filter((line) => /npm install/.test(line)).every((line) => line.includes("--ignore-scripts"))).toBe(true);
  });

  it("is written down step by step, with provenance", () => {
    const steps = textOf("packaging/README.md");
    for (const step of ["npm publish --provenance", "npm run sbom", "npm pack", "id-token: write"]) expect(steps).toContain(step);
  });
});
