import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** All that a build reads. A folder counts, too: a file of it may be gone. */
const SOURCES = ["src", "knowledge", "scripts", "team/src", "man", "package.json", "package-lock.json", "node_modules/.package-lock.json"];
/** What a build makes, its first files and, with the caches, its last. */
const MADE = ["dist", "team/dist"];
const LAST = ["dist/bin.cjs", "dist/hook.cache", "team/dist/team.mjs"];

/** The suites that start processes run what is built: build it once, from what is there now. */
export default function buildOnce(): void {
  if (!isBuilt(ROOT)) execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: ROOT, stdio: "inherit" });
}

/** Everything that was made is newer than everything that it was made of: a source that changed while it was read is not. */
export function isBuilt(root: string): boolean {
  if (LAST.some((file) => !existsSync(join(root, file)))) return false;
  const newest = Math.max(...SOURCES.flatMap((name) => timesOf(join(root, name))));
  const oldest = Math.min(...MADE.flatMap((name) => filesIn(join(root, name)).map(changedAt)));
  return oldest > newest;
}

function timesOf(path: string): readonly number[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [changedAt(path)];
  const inside = readdirSync(path, { recursive: true, encoding: "utf8" });
  return [changedAt(path), ...inside.map((name) => changedAt(join(path, name)))];
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));

const changedAt = (path: string): number => statSync(path).mtimeMs;
