// esbuild plugins for parts of dist/ that take modules from run.cjs instead of bringing them along once more.
import { build } from "esbuild";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";

/** What a module imports, exports and hands on, types left out. */
function readModule(file) {
  const { module, errors } = parseSync(file, readFileSync(file, "utf8"));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const at = ({ value }) => (value.startsWith(".") ? join(dirname(file), value) : undefined);
  const nameOf = ({ kind, name }) => (kind === "Default" ? "default" : kind === "NamespaceObject" || kind === "All" ? "*" : name);
  const imports = [];
  const handedOn = [];
  const exports = [];
  for (const { moduleRequest, entries } of module.staticImports)
    for (const { isType, importName } of entries)
      if (!isType && at(moduleRequest) !== undefined) imports.push({ from: at(moduleRequest), name: nameOf(importName) });
  for (const { entries } of module.staticExports)
    for (const { isType, moduleRequest, importName, exportName } of entries) {
      if (isType) continue;
      const as = exportName.name ?? "*";
      if (as !== "*") exports.push(as);
      if (moduleRequest !== null && at(moduleRequest) !== undefined)
        handedOn.push({ from: at(moduleRequest), name: nameOf(importName), as });
    }
  return { imports, handedOn, exports, isOnlyBarrel: module.staticImports.length === 0 && handedOn.length > 0 };
}

/** The inputs of what `options` would build, by path, with what each imports; `isOwn` where a plugin put something else in its place. */
async function inputsOf(options) {
  const root = options.absWorkingDir;
  const { metafile } = await build({ ...options, write: false, outdir: undefined, outfile: join(root, "part.cjs") });
  const [output] = Object.values(metafile.outputs);
  return new Map(
    Object.entries(metafile.inputs)
      .filter(([path]) => path.startsWith("src/"))
      .map(([path, { bytes, imports }]) => {
        const file = join(root, path);
        const isUsed = (output.inputs[path]?.bytesInOutput ?? 0) > 0;
        return [file, { isUsed, isOwn: bytes !== statSync(file).size, bytes, imports: imports.map((one) => join(root, one.path)) }];
      }),
  );
}

/** Of these a run has a constant alone; all of it would drag in what judges a tool's call. Nothing in them is remembered. */
const EACH_ITS_OWN = ["src/engine/decide.ts"];

/**
 * `giver` and `takers`: what esbuild is given for each, by name. INVARIANT: a module is taken only where it is the same in both, and so
 * is all that it imports; so nothing of it differs but that it is there once.
 */
export async function sharedModules(giver, takers) {
  const given = await inputsOf(giver);
  for (const file of EACH_ITS_OWN) given.get(join(giver.absWorkingDir, file)).isUsed = false;
  const wanted = new Map();
  const modules = new Map();
  const moduleOf = (file) => modules.get(file) ?? modules.set(file, readModule(file)).get(file);
  const has = (file, name) =>
    moduleOf(file).exports.includes(name) || moduleOf(file).handedOn.some(({ from, as }) => as === "*" && has(from, name));
  const takes = new Map();
  for (const [name, options] of Object.entries(takers)) {
    const own = await inputsOf(options);
    const differ = new Set([...given].filter(([file, { bytes }]) => (own.get(file)?.bytes ?? bytes) !== bytes).map(([file]) => file));
    for (let before = -1; before !== differ.size;) {
      before = differ.size;
      for (const [file, { imports }] of given) if (imports.some((one) => differ.has(one))) differ.add(file);
    }
    const taken = new Set(
      [...given].flatMap(([file, { isUsed }]) =>
        isUsed && own.has(file) && !differ.has(file) && !moduleOf(file).isOnlyBarrel ? [file] : [],
      ),
    );
    takes.set(name, taken);
    const want = (file, as) => {
      if (taken.has(file)) {
        wanted.set(file, (wanted.get(file) ?? new Set()).add(as));
        return;
      }
      if (!own.has(file) || own.get(file).isOwn) return;
      for (const { from, name: there, as: here } of moduleOf(file).handedOn) {
        if (here === as) want(from, there);
        else if (here === "*" && has(from, as)) want(from, as);
      }
    };
    for (const [file, { isOwn }] of own) {
      if (isOwn || taken.has(file) || moduleOf(file).isOnlyBarrel) continue;
      for (const one of moduleOf(file).imports) want(one.from, one.name);
    }
  }
  const files = [...wanted.keys()].toSorted();
  for (const file of files) if (wanted.get(file).has("*")) throw new Error(`${file} is taken as a whole: name what is taken`);
  return { files, wanted, takes, exportsOf: (file) => moduleOf(file).exports };
}

/** Stands where nobody should ask: it is not to be found in what is built. */
const MISSING = "assentMissing";

/** For the giver: a source that gives `shared`, beside what `entry` exports. Nothing is made of it before somebody asks. */
export const givesModules = ({ files, wanted }, root, entry) => {
  const names = files.map((file) => [...wanted.get(file)].toSorted());
  const path = (file) => JSON.stringify(`./${relative(root, file)}`);
  return [
    `export * from ${path(entry)};`,
    ...files.map((file, at) => `import { ${names[at].map((name) => `${name} as ${name}_${at}`).join(", ")} } from ${path(file)};`),
    "export function shared(which) {\n  switch (which) {",
    ...names.map((list, at) => `    case ${at}: return { ${list.map((name) => `${name}: ${name}_${at}`).join(", ")} };`),
    "  }\n}",
  ].join("\n");
};

/** For a taker. */
export const takesModules = (name, { files, wanted, takes, exportsOf }, part) => ({
  name: "takes-modules",
  setup(bundle) {
    const taken = takes.get(name);
    bundle.onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
      if (!taken.has(path)) return undefined;
      const names = [...(wanted.get(path) ?? [])];
      const lines = exportsOf(path)
        .filter((one) => !names.includes(one))
        .map((one) => `export const ${one} = /* @__PURE__ */ ${MISSING}("${relative(dirname(dirname(path)), path)}: ${one}");`);
      // What only taken modules import has no number.
      if (names.length > 0) lines.push(`export const { ${names.join(", ")} } = require("./${part}.cjs").shared(${files.indexOf(path)});`);
      return { contents: lines.join("\n"), loader: "js" };
    });
    bundle.onEnd(({ errors }) => {
      if (errors.length > 0) return;
      const [, missing] = new RegExp(`${MISSING}\\("([^"]*)`).exec(readFileSync(bundle.initialOptions.outfile, "utf8")) ?? [];
      if (missing !== undefined) throw new Error(`${name} uses what run.cjs does not give: ${missing}`);
    });
  },
});
