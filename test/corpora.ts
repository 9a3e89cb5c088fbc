import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The corpora of shell commands: test/cases. */
export const CORPORA = ["hostile.txt", "benign.txt", "dangerous.txt", "everyday.txt", "attacks.txt"] as const;

// The browser's test is bundled and runs in the project's folder.
const CASES = resolve("test/cases");

/** The commands of one, as they are typed. */
export const commandsOf = (name: (typeof CORPORA)[number]): readonly string[] =>
  readFileSync(join(CASES, name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) =>
      line
        .replace(/^(?:allow|ask|deny|none): /, "")
        .replaceAll("⏎", "\n")
        .replaceAll("⇥", "\t")
        .replaceAll("␣nb", "\u00a0")
        .replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    );
