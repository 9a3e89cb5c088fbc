// The filters of supervised runs, assembled when Assent is built: to assemble one takes a fresh process four milliseconds.
import { build } from "esbuild";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const either = [false, true];

/** What runs are started with where the kernel has what Landlock needs; others are assembled when they start. */
export const VARIANTS = either.flatMap((trapKill) =>
  either.map((ownIpc) => ({ observeReads: true, udp: false, trapSignals: false, trapKill, ownIpc })),
);

const names = Object.keys(VARIANTS[0]);
const keyOf = (architecture, options) => [architecture, ...names.map((name) => Number(options[name]))].join(" ");

/** Their texts, by what they are for. */
export async function makeFilters(root, common, folder) {
  const outfile = join(folder, "filter.mjs");
  await build({ ...common, entryPoints: [join(root, "packages/supervisor/src/supervise/wall/filter.ts")], outfile, format: "esm" });
  const { buildFilter } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return ["x64", "arm64"].flatMap((architecture) =>
    VARIANTS.map((options) => [keyOf(architecture, options), buildFilter(architecture, options).toString("base64")]),
  );
}

/** For `assent run`: in the place of the assembler. Options that it does not know are the assembler's. */
export const filtersMade = (filters) => ({
  name: "filters-made",
  setup(bundle) {
    bundle.onLoad({ filter: /src\/supervise\/wall\/filter\.ts$/ }, () => ({
      contents: `import { alloc } from "../kernel/index.ts";
export const INSTRUCTION_BYTES = 8;
const made = (key) => {
  switch (key) {
${filters.map(([key, text]) => `    case ${JSON.stringify(key)}: return ${JSON.stringify(text)};`).join("\n")}
  }
};
const names = ${JSON.stringify(names)};
export function buildFilter(architecture, options) {
  const known = Object.keys(options).every((name) => names.includes(name));
  const text = known ? made([architecture, ...names.map((name) => Number(options[name]))].join(" ")) : undefined;
  if (text === undefined) return require("./run.more.cjs").buildFilter(architecture, options);
  const bytes = Buffer.from(text, "base64");
  const filter = alloc(bytes.length);
  filter.set(bytes);
  return filter;
}`,
      loader: "js",
    }));
  },
});
