// Makes the archive that is published: `npm run pack -- [FOLDER]`. The root is private, a workspace; what it lists as `files` goes out under
// a package.json without workspaces, scripts and what only builds: the packages of the workspace are in what was built. Prints the archive's path.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const OF_THE_CLONE = ["private", "workspaces", "scripts", "devDependencies", "allowScripts"];

const pack = (folder, into) =>
  JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", into], { cwd: folder, encoding: "utf8" }))[0]
    .filename;

const at = mkdtempSync(join(tmpdir(), "assent-pack-"));
try {
  execFileSync("tar", ["-xzf", join(at, pack(root, at)), "-C", at]);
  const file = join(at, "package/package.json");
  const manifest = Object.entries(JSON.parse(readFileSync(file, "utf8"))).filter(([key]) => !OF_THE_CLONE.includes(key));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
  const into = resolve(process.argv[2] ?? ".");
  process.stdout.write(`${join(into, pack(join(at, "package"), into))}\n`);
} finally {
  rmSync(at, { recursive: true, force: true });
}
