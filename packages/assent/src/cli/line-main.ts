import { spawnSync } from "node:child_process";
import { printStatus, readLineWords } from "./status-line.ts";

// `assent status --line …`, which prompts start again and again.

export function main(): void {
  const [node = "", bin = "", , ...words] = process.argv;
  const options = readLineWords(words);
  if (options !== undefined) printStatus(options);
  // In any other words the whole program reads them, which starts where `--line` does not come first.
  else
    process.exitCode =
      spawnSync(node, [bin, "status", ...words.filter((word) => word !== "--line"), "--line"], { stdio: "inherit" }).status ?? 1;
}
