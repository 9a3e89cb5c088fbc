// Runs a TypeScript file of this repository on any supported Node: `node scripts/run.mjs bench/decide.ts [args]`.
import { build } from "esbuild";
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { knowledgeNow } from "./knowledge.mjs";
import { nameOfSource, packageFile, SCOPE, sourceFile } from "./packages.mjs";

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  process.stderr.write("usage: node scripts/run.mjs FILE.ts [args]\n");
  process.exit(2);
}
const root = fileURLToPath(new URL("..", import.meta.url));
// Another tree's sources in the place of these, for benchmarks that compare.
const sources = process.env.ASSENT_ROOT ?? root;
const elsewhere = {
  name: "elsewhere",
  setup(bundle) {
    if (resolve(sources) === resolve(root)) return;
    bundle.onResolve({ filter: /^(?:\.\.?\/(?:.*\/)?src\/|@assent\/)/ }, ({ path, resolveDir }) => {
      const file = path.startsWith(SCOPE) ? packageFile(root, path) : resolve(resolveDir, path);
      const name = nameOfSource(root, file);
      return { path: name === undefined ? join(sources, relative(root, file)) : sourceFile(sources, name) };
    });
  },
};
const folder = join(root, "node_modules/.cache/assent");
mkdirSync(folder, { recursive: true });
// Static programs lie beside what starts them, in `dist/` as well.
for (const stub of readdirSync(join(root, "stubs")).filter((file) => file.endsWith(`-${process.arch}`)))
  copyFileSync(join(root, "stubs", stub), join(folder, stub));
// One a process: the same script may run twice at once, and in namespaces that count processes by themselves.
const outfile = join(folder, `${entry.replaceAll(/[^\w]+/g, "-")}-${process.pid}-${randomUUID()}.mjs`);
process.once("exit", () => rmSync(outfile, { force: true }));
await build({
  entryPoints: [resolve(entry)],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
  plugins: [elsewhere, knowledgeNow(sources)],
});
process.argv = [process.argv[0] ?? "node", entry, ...rest];
await import(pathToFileURL(outfile).href);
