// What several entries share esbuild cuts into a chunk for each set of entries that reach it: dozens of small files for one import. Here
// those that the same few entries reach become one file each.
import { build } from "esbuild";
import { rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** An import for nothing but its effects, of which a chunk has none. */
const SILENT = { "ignored-bare-import": "silent" };

/** All that is loaded with `output` at once. */
function loadedWith(outputs, output, seen = new Set()) {
  if (seen.has(output)) return seen;
  seen.add(output);
  for (const { path, kind } of outputs[output].imports)
    if (kind === "import-statement" && outputs[path] !== undefined) loadedWith(outputs, path, seen);
  return seen;
}

/**
 * `made`: what esbuild built and wrote, by `options`; `few`: the entries. INVARIANT: who loads a file loads all that it imports, so a
 * joined file imports only such as more of the few load, and there is no circle. No chunk does anything when it is loaded.
 */
export async function joinChunks(made, options, few) {
  const { absWorkingDir: root, outdir, entryPoints } = options;
  const { outputs } = made.metafile;
  const at = (name) => relative(root, join(outdir, name));
  const reached = few.map((name) => loadedWith(outputs, at(`${name}.mjs`)));
  const entries = new Set(Object.keys(entryPoints).map((name) => at(`${name}.mjs`)));
  const groups = new Map();
  const groupOf = new Map();
  for (const [output, { entryPoint }] of Object.entries(outputs)) {
    if (entries.has(output) || entryPoint !== undefined) continue;
    const key = few.filter((_, index) => reached[index].has(output)).join("+");
    if (key === "") continue;
    groups.set(key, [...(groups.get(key) ?? []), output]);
    groupOf.set(output, key);
  }
  // What a chunk exports has a name of one or two letters, of which each chunk has its own.
  const names = new Map(
    [...groupOf.keys()]
      .flatMap((output) => outputs[output].exports.map((name) => `${output} ${name}`))
      .map((one, at) => [one, `$${at.toString(36)}`]),
  );
  const fileOf = (key) => join(outdir, "chunks", `${key}.mjs`);
  const given = (output, as) => outputs[output].exports.map((name) => as(name, names.get(`${output} ${name}`))).join(", ");

  /** For the building of `inside`, a group or undefined: what is in other groups comes from their files. */
  const joining = (inside) => ({
    name: "join-chunks",
    setup(bundle) {
      bundle.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind, resolveDir }) => {
        if (kind === "entry-point") return undefined;
        const file = join(importer === "" || kind === "import-statement" ? resolveDir : dirname(importer), path);
        const group = groupOf.get(relative(root, file));
        if (group === undefined) return { path, external: true, sideEffects: false };
        return group === inside ? { path: file, sideEffects: false } : { path: file, namespace: "joined", sideEffects: false };
      });
      bundle.onLoad({ filter: /.*/, namespace: "joined" }, ({ path }) => {
        const output = relative(root, path);
        const from = JSON.stringify(`joined:${groupOf.get(output)}`);
        return { contents: `export { ${given(output, (name, there) => `${there} as ${name}`)} } from ${from};`, loader: "js" };
      });
      bundle.onResolve({ filter: /^joined:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
    },
  });
  const common = { ...options, splitting: false, write: false, metafile: false, define: {}, packages: "external", logOverride: SILENT };
  const built = await Promise.all([
    ...[...groups].map(([key, all]) =>
      build({
        ...common,
        entryPoints: undefined,
        outdir: undefined,
        outfile: fileOf(key),
        stdin: {
          contents: all
            .map((one) => `export { ${given(one, (name, there) => `${name} as ${there}`)} } from "./${basename(one)}";`)
            .join("\n"),
          resolveDir: join(outdir, "chunks"),
        },
        plugins: [joining(key)],
      }),
    ),
    build({
      ...common,
      entryPoints: Object.fromEntries(
        Object.keys(outputs)
          .filter((output) => !groupOf.has(output))
          .map((output) => [relative(outdir, join(root, output)).replace(/\.mjs$/, ""), join(root, output)]),
      ),
      plugins: [joining(undefined)],
    }),
  ]);
  for (const output of groupOf.keys()) rmSync(join(root, output));
  return built
    .flatMap(({ outputFiles }) => outputFiles)
    .map(({ path, text }) => {
      const target = (key) => {
        const found = relative(dirname(path), fileOf(key));
        return JSON.stringify(found.startsWith(".") ? found : `./${found}`);
      };
      return { path, text: text.replace(/"joined:([^"]+)"/g, (_, key) => target(key)) };
    });
}
