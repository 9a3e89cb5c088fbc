import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const FOLDER = import.meta.dirname;
const LOCK = join(FOLDER, "package-lock.json");
const FETCHED = join(FOLDER, "node_modules/.fetched.json");

/** The SDKs of this folder's own lockfile, without their install scripts; nothing where they are there already. */
export default function fetchPackages(): void {
  if (existsSync(FETCHED) && readFileSync(FETCHED, "utf8") === readFileSync(LOCK, "utf8")) return;
  rmSync(join(FOLDER, "node_modules"), { recursive: true, force: true });
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 300_000,
  });
  copyFileSync(LOCK, FETCHED);
}
