// For the hook's bundle: the knowledge tables as one text, of which an entry is read when its command occurs.
// A fresh hook would otherwise build some hundred tables to use three. Examples are for tests and documents only.
import { build } from "esbuild";
import { join } from "node:path";

async function families(root) {
  const { outputFiles } = await build({ entryPoints: [join(root, "src/shell/knowledge/index.ts")], bundle: true, format: "esm", platform: "neutral", write: false, logLevel: "warning" });
  const { FAMILIES } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  return FAMILIES;
}

const FOR_PEOPLE = new Set(["examples", "summary"]);
const compact = (spec) => JSON.stringify(spec, (key, value) => (FOR_PEOPLE.has(key) ? undefined : value));

/** The source of a module that stands in for src/shell/knowledge/index.ts. */
export async function knowledgeModule(root) {
  const specs = (await families(root)).flat();
  let table = "";
  const index = specs.map((spec) => {
    const { names, ...rest } = spec;
    const start = table.length;
    table += compact(rest);
    return `${names}:${start}:${table.length}`;
  });
  const keys = [...new Set(specs.flatMap((spec) => Object.keys(spec)))].filter((key) => key !== "names" && !FOR_PEOPLE.has(key));
  return `
const TABLE = ${JSON.stringify(table)};
class Entry {
  constructor(row) {
    const [names, start, end] = row.split(":");
    this.names = names;
    this.start = start;
    this.end = end;
    this.read = undefined;
  }
  get full() {
    return (this.read ??= JSON.parse(TABLE.slice(+this.start, +this.end)));
  }
${keys.map((key) => `  get ${key}() { return this.full.${key}; }`).join("\n")}
}
export const FAMILIES = [${JSON.stringify(index.join("\n"))}.split("\\n").map((row) => new Entry(row))];
`;
}

export const lazyKnowledge = (root) => ({
  name: "lazy-knowledge",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]knowledge[\\/]index\.ts$/ }, async () => ({ contents: await knowledgeModule(root), loader: "js" }));
  },
});
