// `npm run setup`: builds Assent, packs it, and installs the archive for this user. A copy: npm links a folder that it installs from, and
// what changed in this clone would then change what runs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const prefix = process.argv[2] ?? join(homedir(), ".local");
const folder = mkdtempSync(join(tmpdir(), "assent-setup-"));

/** @param {readonly string[]} words */
function npm(...words) {
  const { status } = spawnSync("npm", words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`npm ${words.join(" ")} failed`);
}

try {
  npm("run", "--silent", "pack", "--", folder);
  const [archive = ""] = readdirSync(folder);
  npm("install", "--silent", "--global", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", prefix, join(folder, archive));
  const onPath = (process.env.PATH ?? "").split(":").includes(join(prefix, "bin"));
  console.log(`${join(prefix, "bin/assent")} is ready: assent install`);
  if (!onPath) console.log(`add it to your PATH: export PATH="${join(prefix, "bin")}:$PATH"`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
