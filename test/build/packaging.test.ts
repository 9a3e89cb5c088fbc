import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { run, scratch } from "../scratch.ts";

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

interface PageLink {
  readonly from: string;
  readonly text: string;
  readonly leadsTo: string;
  readonly isPicture: boolean;
}

/** Links of a page to files: `[text](file#part)`, `![what it shows](picture)`, `[name]: file`, and those in HTML. */
function linksOf(folder: string, from: string): readonly PageLink[] {
  const page = readFileSync(join(folder, from), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  const inline = [...page.matchAll(/(!?)\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g)].map(([, mark, text = "", to = ""]) => ({ mark, text, to }));
  const named = [...page.matchAll(/^\[([^\]]+)\]: (\S+)/gm)].map(([, text = "", to = ""]) => ({ mark: "", text, to }));
  const html = [...page.matchAll(/<(?:a|img) [^>]*?(?:href|src)="([^"]+)"/g)].map(([, to = ""]) => ({ mark: "", text: to, to }));
  return [...inline, ...named, ...html].flatMap(({ mark, text, to }) =>
    /^(?:https?:|mailto:|#)/.test(to)
      ? []
      : [{ from, text, leadsTo: posix.join(posix.dirname(from), to.replace(/#.*/, "")), isPicture: mark === "!" }],
  );
}

describe("a release", () => {
  it("has the manual page where npm links it from: npm looks at a list only", () => {
    const { man } = manifest;
    expect(man).toEqual([expect.stringMatching(/\.1\.gz$/)]);
    expect(pack().files.map(({ path }) => path)).toEqual(expect.arrayContaining(man as string[]));
  });

  it("is no larger than it was", () => {
    const packed = pack();
    // To come down to 2.5: hook, run, commands and core each bring the judge along.
    expect(packed.size / 1e6).toBeLessThan(2.85);
    expect(packed.unpackedSize / 1e6).toBeLessThan(8.36);
    // Code caches fit one version of Node on one kind of processor; each machine makes its own.
    expect(packed.files.filter(({ path }) => /\.cache$|^docs\/pictures\//.test(path))).toEqual([]);
  });

  it("holds whatever its pages lead to: what stays in the repository is named by its path, and is no link", () => {
    const place = scratch();
    run("tar", ["-xzf", run("node", ["scripts/pack.mjs", place.root], ROOT).trim()], place.root);
    const folder = join(place.root, "package");
    const packed = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const links = packed.filter((path) => path.endsWith(".md")).flatMap((page) => linksOf(folder, page));
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ leadsTo }) => !packed.includes(leadsTo.replace(/\/$/, "")))).toEqual([]);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain("(`CONTRIBUTING.md` in the repository)");
  });

  it("has words for each picture of its pages", () => {
    const pages = pack().files.flatMap(({ path }) => (path.endsWith(".md") ? linksOf(ROOT, path) : []));
    expect(pages.filter(({ text, isPicture }) => isPicture && text === "")).toEqual([]);
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
    for (const step of ["npm publish --provenance", "npm run sbom", "npm run pack", "id-token: write"]) expect(steps).toContain(step);
  });
});
