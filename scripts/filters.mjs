// The filters of supervised runs, assembled when Assent is built: to assemble one takes a fresh process four milliseconds.
import { build } from "esbuild";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const either = [false, true];

/** By the part that needs them. Runs: what they are started with where the kernel has what Landlock needs; others are assembled when they start. */
const FILTERS = {
  run: either.flatMap((trapKill) =>
    either.map((ownIpc) => ["buildFilter", { observeReads: true, udp: false, trapSignals: false, trapKill, ownIpc }]),
  ),
  try: [["buildFilter", { observeReads: false, ownIpc: true, tried: true }], ...either.map((talks) => ["buildListenedFilter", talks])],
};

const keyOf = (name, architecture, given) =>
  JSON.stringify([name, architecture, typeof given === "object" ? Object.entries(given).sort() : given]);

/** Their texts, by what they are for, by part. */
export async function makeFilters(root, common, folder) {
  const outfile = join(folder, "filter.mjs");
  await build({ ...common, entryPoints: [join(root, "packages/supervisor/src/supervise/sandbox/filter.ts")], outfile, format: "esm" });
  const makers = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  const texts = (of) =>
    ["x64", "arm64"].flatMap((architecture) =>
      of.map(([name, given]) => [keyOf(name, architecture, given), makers[name](architecture, given).toString("base64")]),
    );
  return Object.fromEntries(Object.entries(FILTERS).map(([part, of]) => [part, texts(of)]));
}

/** For such a part: in the place of the assembler. Options that it does not know are the assembler's. */
export const filtersMade = (filters) => ({
  name: "filters-made",
  setup(bundle) {
    bundle.onLoad({ filter: /src\/supervise\/sandbox\/filter\.ts$/ }, () => ({
      contents: `import { alloc } from "../kernel/index.ts";
export const INSTRUCTION_BYTES = 8;
const made = (key) => {
  switch (key) {
${filters.map(([key, text]) => `    case ${JSON.stringify(key)}: return ${JSON.stringify(text)};`).join("\n")}
  }
};
const keyOf = ${keyOf.toString()};
const find = (name) => (architecture, given) => {
  const text = made(keyOf(name, architecture, given));
  if (text === undefined) return require("./run.more.cjs")[name](architecture, given);
  const bytes = Buffer.from(text, "base64");
  const filter = alloc(bytes.length);
  filter.set(bytes);
  return filter;
};
export const buildFilter = find("buildFilter");
export const buildListenedFilter = find("buildListenedFilter");`,
      loader: "js",
    }));
  },
});
