// `npm run sbom`: the parts of the package as CycloneDX: what is installed with it, and what is bundled into dist/, which `npm sbom`
// by itself takes for tools of the build.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const all = JSON.parse(
  execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const licences = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
const bundled = new Set([...licences.matchAll(/^(@?[\w./-]+) (\d[\w.-]*) \([^)]*\)$/gm)].map(([, name, version]) => `${name}@${version}`));
const installed = new Set(Object.entries(manifest.optionalDependencies).map(([name, version]) => `${name}@${version}`));

const nameOf = ({ group, name, version }) => `${group === undefined ? "" : `${group}/`}${name}@${version}`;
const found = new Map(all.components.map((part) => [nameOf(part), part]));
const missing = [...bundled].filter((name) => !found.has(name));
if (missing.length > 0) throw new Error(`bundled and not installed: ${missing.join(", ")}`);
const parts = [...bundled].map((name) => ({ ...found.get(name), scope: "required" }));
// Packages for other machines are not installed here.
const optional = [...installed].map(
  (name) =>
    found.get(name) ?? {
      type: "library",
      name: name.slice(0, name.lastIndexOf("@")),
      version: name.slice(name.lastIndexOf("@") + 1),
      "bom-ref": name,
    },
);
const components = [...parts, ...optional.map((part) => ({ ...part, scope: "optional" }))];
const kept = new Set(components.map((part) => part["bom-ref"]));
const own = all.metadata.component;
const metadata = { ...all.metadata, component: { ...own, name: manifest.name, "bom-ref": own["bom-ref"] } };
const dependencies = [
  { ref: own["bom-ref"], dependsOn: [...kept] },
  ...all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
];
process.stdout.write(`${JSON.stringify({ ...all, metadata, components, dependencies }, null, 2)}\n`);
