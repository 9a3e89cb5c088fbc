// Parts of dist/ that take modules from another part instead of bringing them along once more.
import { build } from "esbuild";
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { nameOfSource } from "./packages.mjs";

/** What a module exports by name, types left out; and whether it does nothing but hand on what others have. */
function readModule(file) {
  const { module, errors } = parseSync(file, readFileSync(file, "utf8"));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const entries = module.staticExports.flatMap((one) => one.entries).filter(({ isType }) => !isType);
  return {
    exports: entries.flatMap(({ exportName: { name } }) => name ?? []),
    isOnlyBarrel: module.staticImports.length === 0 && entries.some(({ moduleRequest }) => moduleRequest?.value.startsWith(".")),
  };
}

/** The inputs of what `options` would build, by path, with what each imports; `isOwn` where a plugin put something else in its place. */
async function inputsOf(options) {
  const root = options.absWorkingDir;
  const { metafile } = await build({ ...options, write: false, outdir: undefined, outfile: join(root, "part.cjs") });
  const [output] = Object.values(metafile.outputs);
  return new Map(
    Object.entries(metafile.inputs)
      .filter(([path]) => path.endsWith(".ts") && nameOfSource(root, join(root, path)) !== undefined)
      .map(([path, { bytes, imports }]) => {
        const file = join(root, path);
        const isUsed = (output.inputs[path]?.bytesInOutput ?? 0) > 0;
        return [file, { isUsed, isOwn: bytes !== statSync(file).size, bytes, imports: imports.map((one) => join(root, one.path)) }];
      }),
  );
}

/** From whom a part takes, those first that the others take from themselves. */
function giversOf(takes, name) {
  return [...new Set((takes[name] ?? []).flatMap((giver) => [...giversOf(takes, giver), giver]))];
}

/**
 * `parts`: what esbuild is given for each, by name, with one entry and one output; `takes`: from which others each takes. INVARIANT: a
 * module is taken only where it is the same in both, and so is all that it imports, and then all of that comes from the same place, too.
 * So nothing of it differs but that it is there once. `halves`: by giver, the names of modules of which it has the lesser part and others need more.
 * Nothing in them is remembered: who needs one brings it along, beside the one that what is taken uses.
 */
export async function shareModules(parts, takes, halves = {}) {
  const names = Object.keys(parts);
  const { absWorkingDir: root } = parts[names[0]];
  const inputs = new Map(await Promise.all(names.map(async (name) => [name, await inputsOf(parts[name])])));
  const modules = new Map();
  const moduleOf = (file) => modules.get(file) ?? modules.set(file, readModule(file)).get(file);

  const isLeft = (giver, file) => moduleOf(file).isOnlyBarrel || halves[giver]?.test(nameOfSource(root, file)) === true;

  /** For each part: the files it takes, and from whom. */
  const taken = new Map(names.map((name) => [name, new Map()]));
  const order = [...new Set(names.flatMap((name) => [...giversOf(takes, name), name]))];
  for (const name of order) {
    const own = inputs.get(name);
    for (const giver of giversOf(takes, name)) {
      const given = inputs.get(giver);
      const wherefrom = (file) => taken.get(giver).get(file) ?? giver;
      const isElsewhere = (file) => taken.get(name).has(file) && taken.get(name).get(file) !== wherefrom(file);
      const differ = new Set(
        [...given].filter(([file, { bytes }]) => (own.get(file)?.bytes ?? bytes) !== bytes || isElsewhere(file)).map(([file]) => file),
      );
      for (let before = -1; before !== differ.size;) {
        before = differ.size;
        for (const [file, { imports }] of given) if (imports.some((one) => differ.has(one))) differ.add(file);
      }
      for (const [file, { isUsed }] of given)
        if (isUsed && wherefrom(file) === giver && own.has(file) && !differ.has(file) && !isLeft(giver, file))
          taken.get(name).set(file, giver);
    }
  }

  /** For each part: the names it hands out, by file. Who takes is built before those it takes from. */
  const given = new Map(names.map((name) => [name, new Map()]));
  const used = new Map();
  const sharing = {};
  for (const name of order.toReversed()) {
    const own = { ...parts[name], ...givingSource(parts[name], given.get(name)) };
    const from = taken.get(name);
    used.set(name, await namesUsed(own, from, moduleOf));
    for (const [file, all] of used.get(name)) {
      const gives = given.get(from.get(file));
      gives.set(file, new Set([...(gives.get(file) ?? []), ...all]));
    }
    sharing[name] = own;
  }
  for (const name of names) {
    const from = taken.get(name);
    if (from.size === 0) continue;
    const whole = takingModules(sharing[name], from, moduleOf, (file) => {
      const asked = used.get(name).get(file);
      // What only taken modules import is not asked for.
      if (asked === undefined) return [];
      const gives = given.get(from.get(file));
      const list = namesGiven(gives.get(file)).map((one) => (asked.has(one) ? one : ""));
      const last = list.findLastIndex((one) => one !== "");
      const at = [...gives.keys()].indexOf(file);
      return [[...asked], `export const [${list.slice(0, last + 1).join(",")}] = require("./${from.get(file)}.cjs").shared(${at});`];
    });
    sharing[name] = { ...whole, plugins: [nothingMissing(name), ...whole.plugins] };
  }
  return sharing;
}

/** In the order in which a giver gives them. */
const namesGiven = (names) => [...names].toSorted();

/** What a giver is made of: its entry, and a function for what others take. Nothing is made of it before somebody asks. */
function givingSource({ absWorkingDir: root, entryPoints, stdin }, given) {
  if (given.size === 0) return {};
  const path = (file) => JSON.stringify(`./${relative(root, file)}`);
  const all = [...given].map(([file, names], at) => ({ file, at, names: namesGiven(names) }));
  const contents = [
    stdin?.contents ?? `export * from ${path(entryPoints[0])};`,
    ...all.map(({ file, at, names }) => `import { ${names.map((name) => `${name} as ${name}_${at}`).join(", ")} } from ${path(file)};`),
    "export function shared(which) {\n  switch (which) {",
    ...all.map(({ at, names }) => `    case ${at}: return [${names.map((name) => `${name}_${at}`).join(", ")}];`),
    "  }\n}",
  ].join("\n");
  return { entryPoints: undefined, stdin: { contents, resolveDir: root } };
}

/** Stands in the place of what is taken. */
const TAKEN = "assentTaken";

/** Which names of the modules of `from` are left in what is built, by file. */
async function namesUsed(options, from, moduleOf) {
  const used = new Map();
  if (from.size === 0) return used;
  const { outputFiles } = await build({ ...takingModules(options, from, moduleOf, () => []), write: false });
  const files = [...from.keys()];
  for (const [, at, name] of outputFiles[0].text.matchAll(new RegExp(`${TAKEN}\\("(\\d+):([\\w$]+)"`, "g"))) {
    const file = files[Number(at)];
    used.set(file, (used.get(file) ?? new Set()).add(name));
  }
  return used;
}

/** `options` of a part that has other modules in the place of those of `from`. `giverOf`: names that a file gives, and the line for them. */
function takingModules(options, from, moduleOf, giverOf) {
  const files = [...from.keys()];
  const plugin = {
    name: "taking-modules",
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
        if (!from.has(path)) return undefined;
        const [names = [], line = ""] = giverOf(path);
        const lines = moduleOf(path)
          .exports.filter((one) => !names.includes(one))
          .map((one) => `export const ${one} = /* @__PURE__ */ ${TAKEN}("${files.indexOf(path)}:${one}");`);
        return { contents: [...lines, line].join("\n"), loader: "js" };
      });
    },
  };
  return { ...options, plugins: [plugin, ...(options.plugins ?? [])] };
}

const nothingMissing = (name) => ({
  name: "nothing-missing",
  setup(bundle) {
    bundle.onEnd(({ errors }) => {
      if (errors.length === 0 && readFileSync(bundle.initialOptions.outfile, "utf8").includes(TAKEN))
        throw new Error(`${name} uses what it is not given`);
    });
  },
});
