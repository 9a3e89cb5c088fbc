// esbuild's plugin for builds that are split: imports name the file that has a thing, and not the index through which its folder gives
// it. Which chunk a file comes into is decided by who reaches it, and through an index everybody reaches all of the folder.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { nameOfSource, packageFile, SCOPE } from "./packages.mjs";

/** Where the imports and exports of a module stand, types left out. */
function readStatements(file, text) {
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const nameOf = ({ kind, name }) => (kind === "Default" ? "default" : kind === "Name" ? name : undefined);
  const imports = module.staticImports.map(({ start, end, moduleRequest, entries }) => ({
    start,
    end,
    from: moduleRequest.value,
    names: entries.filter(({ isType }) => !isType).map(({ importName, localName }) => [nameOf(importName), localName.value]),
  }));
  const exports = module.staticExports.flatMap(({ start, end, entries }) =>
    entries
      .filter(({ isType, moduleRequest }) => !isType && moduleRequest !== null)
      .map(({ moduleRequest, importName, exportName }) => ({
        start,
        end,
        // What is imported first and given on later stands where it is imported.
        isStatement: text.startsWith("export", start),
        from: moduleRequest.value,
        name: nameOf(importName),
        as: exportName.name ?? undefined,
      })),
  );
  const own = module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ moduleRequest }) => moduleRequest === null).map(({ exportName }) => exportName.name),
  );
  return { imports, exports, own: new Set(own) };
}

function byStart(all) {
  const groups = new Map();
  for (const one of all) groups.set(one.start, [...(groups.get(one.start) ?? []), one]);
  return groups;
}

/** `stops`: files in whose place another plugin puts something else. */
export function seeThrough(root, stops) {
  const known = new Map();
  const statementsOf = (file) => known.get(file) ?? known.set(file, readStatements(file, readFileSync(file, "utf8"))).get(file);
  const isOurs = (file) => nameOfSource(root, file) !== undefined && file.endsWith(".ts") && existsSync(file);
  /** Undefined: a package of others. */
  const fileOf = (file, from) =>
    from.startsWith(".") ? join(dirname(file), from) : from.startsWith(SCOPE) ? packageFile(root, from) : undefined;

  /** The file that has `name`, and how it is called there. */
  const home = (file, name) => {
    if (!isOurs(file) || stops(file)) return [file, name];
    const { own, exports } = statementsOf(file);
    if (own.has(name)) return [file, name];
    const named = exports.find(({ as }) => as === name);
    if (named !== undefined) {
      const next = fileOf(file, named.from);
      return named.name === undefined || next === undefined ? [file, name] : home(next, named.name);
    }
    for (const { from, name: there, as } of exports) {
      const next = fileOf(file, from);
      if (next === undefined || there !== undefined || as !== undefined) continue;
      const found = home(next, name);
      if (has(...found)) return found;
    }
    return [file, name];
  };
  const has = (file, name) =>
    isOurs(file) && (statementsOf(file).own.has(name) || statementsOf(file).exports.some(({ as }) => as === name));

  return (file, text) => {
    const { imports, exports } = readStatements(file, text);
    const statements = imports.map((one) => ({ ...one, word: "import" }));
    for (const [start, all] of byStart(exports.filter(({ isStatement }) => isStatement)))
      statements.push({ start, end: all[0].end, from: all[0].from, names: all.map(({ name, as }) => [name, as]), word: "export" });
    const replaced = statements.filter(
      ({ from, names }) => fileOf(file, from) !== undefined && names.length > 0 && names.every((pair) => !pair.includes(undefined)),
    );
    replaced.sort((one, other) => other.start - one.start);
    return replaced.reduce((all, { start, end, from, names, word }) => {
      const lines = names.map(([name, as]) => {
        const [at, there] = home(fileOf(file, from), name);
        const path = relative(dirname(file), at);
        return `${word} { ${there} as ${as} } from ${JSON.stringify(path.startsWith(".") ? path : `./${path}`)};`;
      });
      return all.slice(0, start) + lines.join("") + all.slice(end);
    }, text);
  };
}
