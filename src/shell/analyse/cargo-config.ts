import { addCode } from "../code.ts";
import type { Invocation } from "../invocation.ts";

const NAMES = [".cargo/config.toml", ".cargo/config"];

/** The Cargo Book, Configuration: `build.rustc` and its wrappers are looked for in every folder from here upwards. */
export function cargoConfig(inv: Invocation): void {
  const { world } = inv.cx;
  const configured = inv.places.some((place) => {
    if (place.is !== "at") return true;
    for (let folder = place.path; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
      if (folder !== world.home && NAMES.some((name) => world.kind(`${folder}/${name}`) !== "missing")) return true;
      if (folder === "" || folder === "/") return false;
    }
  });
  if (configured) addCode(inv, "cargo", "project", undefined);
}
