import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { architectureOf, type LauncherArchitecture } from "@assent/hosts/agents/install";

/** Where the static programs lie, with their sources. */
export const STUBS = join(import.meta.dirname, "../../stubs");

export const stubOf = (name: string, architecture: LauncherArchitecture): Buffer => readFileSync(join(STUBS, `${name}-${architecture}`));

/** Puts a static program at a path. */
export function putStub(name: string, architecture: LauncherArchitecture, path: string): string {
  copyFileSync(join(STUBS, `${name}-${architecture}`), path);
  chmodSync(path, 0o755);
  return path;
}

const runs = (program: string): boolean => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

/** The architecture of this machine. */
export const HERE = architectureOf(process.platform, process.arch);

/** How the static programs can be started here: [by what, for which architecture, what stands in front]. */
export const WAYS: readonly (readonly [string, LauncherArchitecture, readonly string[]])[] = [
  ...(HERE === undefined ? [] : [["itself", HERE, []] as const]),
  ...(HERE !== "arm64" && runs("qemu-aarch64-static") ? [["qemu-aarch64-static", "arm64", ["qemu-aarch64-static"]] as const] : []),
];
