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

/** How a row comes out there that our own engine refuses call by call. */
export type OtherOutcome =
  /** A rule about commands: nothing is started. */
  | "not started"
  /** What it tries reaches nothing outside, nor the secret. */
  | "harmless"
  /** What doctor says that this engine does not do. */
  | "open";

/** Every other row comes out as it does with our own engine. */
export const OTHER_OUTCOMES: Readonly<Record<string, readonly [OtherOutcome, why: string]>> = {
  ...Object.fromEntries(
    ["61", "61a", "61b", "69", "69a", "69b", "69c", "71", "73", "77c"].map((row) => [row, ["not started", "the row denies a program"]]),
  ),
  "47": ["harmless", "an empty folder lies in the place of the secret one"],
  "47a": ["harmless", "an empty folder lies in the place of the secret one, and what is written there is gone afterwards"],
  "47b": ["harmless", "an empty folder lies in the place of the secret one, and what is written there is gone afterwards"],
  "17": ["harmless", "access mode 3 neither reads nor writes, and the file system is mounted for reading"],
  "79c": ["harmless", "it limits a process of its own"],
  "81": ["harmless", "it handles page faults of its own memory"],
  "111a": ["harmless", "keys and personality are of its own processes"],
  "7": ["open", "paths are closed, not files: the secret has another name already"],
  "49": ["open", "paths are closed, not files: the secret is mounted a second time"],
  "113": ["open", "over bubblewrap what is not there yet is not closed: a repository made in the run has hooks"],
  "115": ["open", "over bubblewrap what is not there yet is not closed: a repository made in the run has hooks"],
};
