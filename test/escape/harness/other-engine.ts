import { mkdirSync, writeFileSync } from "node:fs";
import type { World } from "./world.ts";

/** `ESCAPE_ENGINE=sandbox-runtime`: the same attempts against the engine of macOS, over bubblewrap. */
export const OTHER_ENGINE = process.env["ESCAPE_ENGINE"] === "sandbox-runtime";

/** How it is started: its Node, and no option that only our own engine has. */
export const OTHER_COMMAND = [
  "/usr/bin/env",
  "ASSENT_ENGINE=sandbox-runtime",
  "/media/node",
  "/media/assent/dist/bin.cjs",
  "run",
  "-P",
  "--",
];

/** A person has chosen it. */
export function chooseOther(world: World): void {
  mkdirSync(world.at("$HOME/state/assent"), { recursive: true, mode: 0o700 });
  writeFileSync(world.at("$HOME/state/assent/engine"), "sandbox-runtime\n");
}
