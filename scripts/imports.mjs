// The import directions of docs/architecture.md, as a lint rule: `node scripts/imports.mjs`.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A folder may import from folders of a smaller rank. Equal ranks do not import each other. */
export const RANK = {
  data: 0,
  path: 0,
  action: 0,
  pattern: 1,
  edit: 1,
  policy: 2,
  shell: 3,
  patch: 4,
  state: 5,
  audit: 6,
  approve: 6,
  engine: 7,
  inspect: 8,
  "policy-edit": 8,
  "policy-test": 8,
  suggest: 8,
  lint: 9,
  import: 9,
  supervise: 10,
  verify: 11,
  agents: 11,
  sdk: 12,
  cli: 13,
};
/** Pure folders: no file, clock, environment or process access. */
export const PURE = ["data", "path", "action", "pattern", "edit", "policy", "shell", "patch"];

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]+)\1/g;
const IMPURE =
  /(?<![.\w"'`])(?:process\s*\.\s*\w|Date\s*\.\s*now\b|new\s+Date\s*\(\s*\)|Math\s*\.\s*random\b|performance\s*\.\s*now\b|globalThis\s*\.\s*process)/;

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, (c) => c.replace(/[^\n]/g, " ")).replace(/(^|\s)\/\/[^\n]*/g, "$1");

/**
 * What is wrong with the imports of one file.
 * @param {string} path relative to `src/`, with forward slashes
 * @param {string} text
 * @returns {{ path: string, line: number, message: string }[]}
 */
export function importProblems(path, text) {
  const folder = path.split("/")[0];
  const problems = [];
  const code = withoutComments(text);
  const report = (index, message) => problems.push({ path, line: code.slice(0, index).split("\n").length, message });
  if (!path.includes("/")) report(0, "a source file belongs to a folder of docs/architecture.md");
  else if (!(folder in RANK)) report(0, `folder \`${folder}\` is not in docs/architecture.md`);

  for (const match of code.matchAll(IMPORT)) {
    const target = match[2];
    // As a module it opens the standard streams, which makes pipes non-blocking, also for the programs that share them.
    if (target === "node:process") report(match.index, "use the global `process`, not the module");
    if (!target.startsWith(".")) {
      if (PURE.includes(folder) && target.startsWith("node:"))
        report(match.index, `\`${folder}\` is pure: it may not import \`${target}\``);
      continue;
    }
    const resolved = relative("/", resolve("/", dirname(path), target))
      .split(sep)
      .join("/");
    const [other = "", ...rest] = resolved.split("/");
    if (other === folder || resolved.endsWith(".json")) continue;
    if (!(other in RANK)) report(match.index, `\`${target}\` leaves src/`);
    else if (RANK[other] >= RANK[folder]) report(match.index, `\`${folder}\` may not import \`${other}\`: imports point the other way`);
    if (rest.at(-1) !== "index.ts") report(match.index, `import \`${other}\` through an index.ts, not \`${target}\``);
  }
  const impure = PURE.includes(folder) ? IMPURE.exec(code) : null;
  if (impure) report(impure.index, `\`${folder}\` is pure: \`${impure[0]}\` must be passed in`);
  return problems;
}

export function allProblems(root) {
  return readdirSync(root, { recursive: true })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => /\.[cm]?ts$/.test(file))
    .sort()
    .flatMap((file) => importProblems(file, readFileSync(join(root, file), "utf8")));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = allProblems(join(dirname(fileURLToPath(import.meta.url)), "..", "src"));
  for (const { path, line, message } of problems) process.stderr.write(`src/${path}:${line}: ${message}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
