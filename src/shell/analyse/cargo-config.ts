import { addCode } from "../code.ts";
import type { Invocation } from "../invocation.ts";

const CONFIGS = [".cargo/config.toml", ".cargo/config"];
const TOOLCHAINS = ["rust-toolchain.toml", "rust-toolchain"];

/** The Cargo Book, Configuration: `build.rustc` and its wrappers are looked for in every folder from here upwards. */
export function cargoConfig(inv: Invocation): void {
  if (isAbove(inv, CONFIGS)) addCode(inv, "cargo", "project", undefined);
}

/** The rustup book, "The toolchain file": `path` names a folder whose rustc, cargo and rustfmt run, whatever they are asked. */
export function rustToolchain(inv: Invocation): void {
  if (isAbove(inv, TOOLCHAINS)) addCode(inv, "cargo", "project", undefined);
}

function isAbove(inv: Invocation, names: readonly string[]): boolean {
  const { world } = inv.cx;
  return inv.places.some((place) => {
    if (place.is !== "at") return true;
    for (let folder = place.path; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
      if (folder !== world.home && names.some((name) => world.kind(`${folder}/${name}`) !== "missing")) return true;
      if (folder === "" || folder === "/") return false;
    }
  });
}
