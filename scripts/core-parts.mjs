// esbuild's plugin for `assent/core`: what few calls need is fetched by `import()` when one needs it. A program that is bundled without
// code splitting has all of it in its one file, as before.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nameOfSource, packageFile, SCOPE, sourceFile, specifierOf } from "./packages.mjs";
import { forward } from "./parts.mjs";
import { tablePart } from "./table-groups.mjs";

/** What is in a part, by the file in whose place functions stand that ask the part. They are called when a call is judged, and never before. */
const FUNCTIONS = {
  shell: ["shell/index.ts", "policy/tables/agent-commands.ts"],
  languages: [
    "shell/languages/amounts.ts",
    "shell/languages/awk.ts",
    "shell/languages/javascript.ts",
    "shell/languages/jq.ts",
    "shell/languages/library-calls.ts",
    "shell/languages/perl.ts",
    "shell/languages/python-library.ts",
    "shell/languages/python.ts",
    "shell/languages/ruby.ts",
    "shell/languages/sql.ts",
    "shell/languages/foreign-calls.ts",
    "shell/programs/analyse/interpreters.ts",
  ],
  common: [
    "shell/languages/sed.ts",
    ...["find", "operands", "processes", "shell", "text-tools", "xargs"].map((name) => `shell/programs/analyse/${name}.ts`),
  ],
  git: ["git", "git-config", "git-remote", "git-worktree", "patch"].map((name) => `shell/programs/analyse/${name}.ts`),
  programs: [
    "archives",
    "bsd",
    "compilers",
    "containers",
    "environment",
    "fetch",
    "forges",
    "hosts",
    "includes",
    "only-shows",
    "package-run",
    "parallel",
    "project-config",
    "remote-copy",
    "views",
  ].map((name) => `shell/programs/analyse/${name}.ts`),
  variables: ["shell/knowledge/environment.ts"],
  patches: ["patch/index.ts"],
  servers: ["request/server-fields.ts"],
  ignored: ["policy/git-ignore.ts"],
};

/** A row says how long its records are, its own and all: where they begin is where those before them end. `recordsFrom` reads it back. */
function shortIndex(index) {
  let before = 0;
  const rows = index.split("\n").filter((row) => row !== "");
  const short = rows.map((row) => {
    const [names, place, ...packages] = row.split("\t");
    const [start, end] = place.split(":").map(Number);
    const all = end - before;
    before = end;
    return `${[`${names}\t${end - start}${all === end - start ? "" : `:${all}`}`, ...packages].join("\t")}\n`;
  });
  return short.join("");
}

const PART = "core-part";
const OWN = "core-own";
const asking = (root) => `import { partOf } from ${specifierOf(root, "sdk/core/parts.ts")};`;

/** `tables`: of `cutTables`; undefined where commands are not understood. */
export const coreParts = (root, tables) => ({
  name: "core-parts",
  setup(bundle) {
    const partOfFile = new Map(Object.entries(FUNCTIONS).flatMap(([part, files]) => files.map((file) => [sourceFile(root, file), part])));
    const commands = ["shell", "languages", "common", "git", "programs", "variables"];
    // Without commands the reading of ignore files is smaller than what a file of its own would cost: the patterns would be in another.
    const left = tables === undefined ? [...commands, "ignored"] : [];
    const functions = Object.keys(FUNCTIONS).filter((part) => !left.includes(part));
    const groups = tables === undefined ? [] : tables.pieces.map(({ group }) => tablePart(group));
    const names = [...functions, ...groups];
    const virtual = (contents) => ({ contents, resolveDir: root, loader: "js" });

    // INVARIANT: what a part consists of is read as it is; whoever else names it gets what asks the part.
    bundle.onResolve({ filter: new RegExp(`^${PART}:`) }, ({ path }) => ({ path: path.slice(PART.length + 1), namespace: PART }));
    bundle.onLoad({ filter: /.*/, namespace: PART }, ({ path }) => {
      if (nameOfSource(root, path) !== undefined) return { contents: readFileSync(path, "utf8"), resolveDir: dirname(path), loader: "ts" };
      const piece = tables?.pieces.find(({ group }) => tablePart(group) === path);
      if (piece !== undefined) return virtual(`export const RECORDS = String.raw\`${piece.text}\`;`);
      return virtual(FUNCTIONS[path].map((file) => `export * from ${JSON.stringify(`${PART}:${sourceFile(root, file)}`)};`).join("\n"));
    });

    bundle.onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
      const name = nameOfSource(root, path) ?? "";
      const part = partOfFile.get(path);
      if (part !== undefined && functions.includes(part)) return virtual(`${asking(root)}\n${forward(root, path, `partOf("${part}")`)}`);
      if (name === "shell/knowledge/records.ts" && tables !== undefined) return virtual(recordsFrom(root, tables));
      if (name === "sdk/core/part-loaders.ts")
        return virtual(`export const PART_LOADERS = {${names.map((one) => `"${one}": () => import("${PART}:${one}")`).join(",")}};`);
      return undefined;
    });

    // What the entry exports of patches is there at once, in files of its own: bundlers leave them out where nobody uses them.
    const patches = sourceFile(root, "patch/");
    const entry = sourceFile(root, "sdk/core/index.ts");
    bundle.onResolve({ filter: /^(?:\.{1,2}\/.*\.ts$|@assent\/)/ }, ({ path, importer, namespace }) => {
      const file = path.startsWith(SCOPE) ? packageFile(root, path) : join(dirname(importer), path);
      const own = namespace === OWN || importer === entry;
      return own && file.startsWith(patches) ? { path: file, namespace: OWN } : undefined;
    });
    bundle.onLoad({ filter: /.*/, namespace: OWN }, ({ path }) => ({
      contents: readFileSync(path, "utf8"),
      resolveDir: dirname(path),
      loader: "ts",
    }));
  },
});

/**
 * A module that has all parts from the start, and hands out those that the library in one piece asks. `outputs`: what the core was built
 * into, by its path from that module. INVARIANT: they are given before one of them is asked.
 */
export function allParts(outputs) {
  const parts = Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint?.startsWith(`${PART}:`) === true ? [[entryPoint.slice(PART.length + 1), path]] : [],
  );
  return [
    'import { giveParts } from "./core/give-parts.mjs";',
    ...parts.map(([, path], at) => `import * as part${at} from ${JSON.stringify(path)};`),
    `const parts = { ${parts.map(([name], at) => `"${name}": part${at}`).join(", ")} };`,
    "giveParts(parts);",
    "export const { shell, patches, servers, ignored } = parts;\n",
  ].join("\n");
}

/** `shell/knowledge/records.ts`, with each record where its part begins. */
const recordsFrom = (root, { index, pieces }) => `${asking(root)}
const PIECES = [${pieces.map(({ group, start }) => `[${start},"${tablePart(group)}"]`).join(",")}];
const SHORT = String.raw\`${shortIndex(index)}\`;
let whole;
export const readIndex = () => {
  let end = 0;
  return (whole ??= SHORT.replace(/ \\t(\\d+)(?::(\\d+))?/g, (_, own, all = own) => \` \\t\${(end += +all) - own}:\${end}\`));
};
export const readRecord = (start, end) => {
  const [before, part] = PIECES.findLast(([from]) => from <= start);
  return partOf(part).RECORDS.slice(start - before, end - before);
};
// Nobody asks here what is said to people.
export const readNotes = () => "\\n";`;
