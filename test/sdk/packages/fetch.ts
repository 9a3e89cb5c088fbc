import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** For vitest. */
export default function fetchPackages(): void {
  fetchInto(import.meta.dirname);
}

/** The SDKs of a folder's own lockfile, without their install scripts; nothing where they are there already. */
export function fetchInto(folder: string): void {
  const lock = join(folder, "package-lock.json");
  const fetched = join(folder, "node_modules/.fetched.json");
  if (existsSync(fetched) && readFileSync(fetched, "utf8") === readFileSync(lock, "utf8")) return;
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 300_000,
  });
  copyFileSync(lock, fetched);
}
