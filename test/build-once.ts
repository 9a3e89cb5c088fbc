import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** All that a build reads, beside its own scripts. A folder counts, too: a file of it may be gone. */
const SOURCES = ["packages", "tsconfig.json", "man", "stubs", "package.json", "package-lock.json", "node_modules/.package-lock.json"];
const SCRIPTS = ["scripts/build.mjs", "scripts/warm.mjs"];
/** What a build makes, its first files and, with the caches, its last. */
const MADE = ["dist", "packages/team-server/dist"];
const LAST = ["dist/bin.cjs", "dist/hook.cache", "packages/team-server/dist/team.mjs"];

/** The suites that start processes run what is built: build it once, from what is there now. */
export default function buildOnce(): void {
  if (!isBuilt(ROOT)) execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: ROOT, stdio: "inherit" });
}

/** Everything that was made is newer than everything that it was made of: a source that changed while it was read is not. */
export function isBuilt(root: string): boolean {
  if (LAST.some((file) => !existsSync(join(root, file)))) return false;
  const sources = [...SOURCES.map((name) => join(root, name)), ...withImports(SCRIPTS.map((name) => join(root, name)))];
  const newest = Math.max(...sources.flatMap(timesOf));
  const oldest = Math.min(...MADE.flatMap((name) => filesIn(join(root, name)).map(changedAt)));
  return oldest > newest;
}

/** These scripts, and those that they import. */
function withImports(files: readonly string[]): readonly string[] {
  const found = new Set(files.filter((file) => existsSync(file)));
  for (const file of found) {
    const named = [...readFileSync(file, "utf8").matchAll(/ from "(\.\/[\w.-]+\.mjs)"/g)].map(([, name = ""]) => join(dirname(file), name));
    for (const other of named) if (existsSync(other)) found.add(other);
  }
  return [...found];
}

/** Of what is made, or the folder that it is made in. */
const isMade = (path: string): boolean => MADE.some((folder) => `${path}/`.includes(`/${folder}/`) || path.endsWith(`/${dirname(folder)}`));

function timesOf(path: string): readonly number[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [changedAt(path)];
  const inside = readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
  return [path, ...inside].filter((name) => !isMade(name)).map(changedAt);
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));

const changedAt = (path: string): number => statSync(path).mtimeMs;
