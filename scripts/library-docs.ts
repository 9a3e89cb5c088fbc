// site/generated/library-api.md, made of the doc comments of what the package exports: `npm run generate`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
// @ts-expect-error -- a plain script
import * as packages from "./packages.mjs";

const { SCOPE, packageFile } = packages as { readonly SCOPE: string; readonly packageFile: (root: string, specifier: string) => string };

/** One export as the declarations have it. */
export interface Exported {
  readonly name: string;
  readonly kind: string;
  /** The doc comment without its stars; empty for none. */
  readonly doc: string;
  readonly declaration: string;
}

/** One entry of the package and what it exports. */
interface LibraryEntry {
  readonly title: string;
  readonly exports: readonly Exported[];
}

const ENTRIES = [
  { title: '`import { … } from "assent"`', file: "sdk/index.d.ts" },
  { title: '`import { … } from "assent/compat"`', file: "sdk/compat/index.d.ts" },
  { title: '`import { … } from "assent/ai-sdk"`', file: "sdk/ai-sdk/index.d.ts" },
  { title: '`import { … } from "assent/openai-agents"`', file: "sdk/openai-agents/index.d.ts" },
  { title: '`import { … } from "assent/claude-agent-sdk"`', file: "sdk/claude-agent-sdk/index.d.ts" },
  { title: '`import { … } from "assent/langchain"`', file: "sdk/langchain/index.d.ts" },
  { title: '`import { … } from "assent/mastra"`', file: "sdk/mastra/index.d.ts" },
  { title: '`import { … } from "assent/opentelemetry"`', file: "sdk/opentelemetry/index.d.ts" },
  { title: '`import { … } from "assent/mcp"`', file: "sdk/mcp-transport/index.d.ts" },
  { title: '`import { … } from "assent/core"`', file: "sdk/core/index.d.ts" },
  { title: '`import { … } from "assent/core/rules"`', file: "sdk/core/rules/index.d.ts" },
] as const;

/** Everything that each entry exports, by name; read from declarations that tsc has just made. */
export function libraryExports(root: string): readonly LibraryEntry[] {
  const folder = mkdtempSync(join(tmpdir(), "assent-types-"));
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", folder]);
    return ENTRIES.map(({ title, file }) => ({
      title,
      exports: [...exportsOf(folder, join(folder, "packages/library/src", file)).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function exportsOf(folder: string, file: string): Map<string, Exported> {
  const text = readFileSync(file, "utf8");
  const found = new Map<string, Exported>();
  for (const [, from = ""] of text.matchAll(/^export (?:type )?\* from "([^"]+)"/gm))
    for (const [name, one] of exportsOf(folder, declarations(folder, file, from))) found.set(name, one);
  for (const [, list = "", from = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)) {
    const all = exportsOf(folder, declarations(folder, file, from));
    for (const item of list.split(",").map((each) => each.trim().replace(/^type /, ""))) {
      const one = all.get(item);
      if (one !== undefined) found.set(item, one);
      else if (item !== "") throw new Error(`${file}: no declaration of ${item} in ${from}`);
    }
  }
  for (const one of declaredIn(text)) found.set(one.name, one);
  return found;
}

const declarations = (folder: string, file: string, from: string): string =>
  (from.startsWith(SCOPE) ? packageFile(folder, from) : resolve(dirname(file), from)).replace(/\.ts$/, ".d.ts");

const DECLARATION =
  /(?:^|\n)((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)export (?:declare )?(?:abstract )?(class|function|interface|type|const) (\w+)/g;

function declaredIn(text: string): readonly Exported[] {
  return [...text.matchAll(DECLARATION)].map((match) => {
    const [whole, comment = "", kind = "", name = ""] = match;
    const start = match.index + whole.length - whole.trimStart().length + comment.length;
    return { name, kind, doc: plain(comment), declaration: declarationAt(text, start) };
  });
}

/** Up to the end of the statement: a semicolon or closing brace outside all brackets. */
function declarationAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if (text.startsWith("//", at)) at = text.indexOf("\n", at);
    else if (/["'`]/.test(text[at] ?? "")) at = text.indexOf(text[at] ?? "", at + 1);
    else if (/[{([]/.test(text[at] ?? "")) depth += 1;
    else if (/[})\]]/.test(text[at] ?? "")) {
      depth -= 1;
      if (depth === 0 && text[at] === "}" && /^\s*(?:\n|$)/.test(text.slice(at + 1))) return tidy(text.slice(start, at + 1));
    } else if (text[at] === ";" && depth === 0) return tidy(text.slice(start, at + 1));
  }
  return tidy(text.slice(start));
}

const tidy = (text: string): string =>
  text
    .replace(/^export (?:declare )?/, "")
    .replace(/\n {4}#private;/g, "")
    .replaceAll("    ", "  ");

function plain(comment: string): string {
  return comment
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}

function section({ name, kind, doc, declaration }: Exported): string {
  return `### ${name}\n\n*${kind}*\n\n${doc === "" ? "" : `${doc}\n\n`}\`\`\`ts\n${declaration}\n\`\`\`\n`;
}

const HEAD = `# The library: every export

Made from the doc comments by \`npm run generate\`. Where to begin: [the library](library.md).
`;

/** The page about these entries. */
export function libraryPage(entries: readonly LibraryEntry[]): string {
  const known = new Set<string>();
  const parts = entries.map(({ title, exports }) => {
    // What an entry shares with one above it stands there.
    const own = exports.filter(({ name }) => !known.has(name));
    for (const { name } of own) known.add(name);
    return `\n## ${title}\n\n${own.map(section).join("\n")}`;
  });
  return HEAD + parts.join("");
}

export const libraryDocs = [{ file: "site/generated/library-api.md", update: (): string => libraryPage(libraryExports(process.cwd())) }];
