import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DIST } from "./scratch.ts";

export const EXAMPLES = join(DIST, "../examples/ci");

/** The lines of shell in a job's file: those of each `run`, or of each entry of a `script`. */
export function stepsOf(file: string): readonly string[] {
  const lines = readFileSync(join(EXAMPLES, file), "utf8").split("\n");
  const found: string[] = [];
  let list = false;
  for (const [at, line] of lines.entries()) {
    const [, indent = "", run] = /^(\s*)(?:- )?run: (.*)$/.exec(line) ?? [];
    if (run === "|") {
      const rest = lines.slice(at + 1);
      const end = rest.findIndex((next) => next.trim() !== "" && next.search(/\S/) <= indent.length);
      found.push(rest.slice(0, end).join("\n"));
    } else if (run !== undefined) found.push(run);
    if (/^\s*(?:before_|after_)?script:$/.test(line)) list = true;
    else if (list && /^\s*- /.test(line)) found.push(line.replace(/^\s*- /, ""));
    else list = false;
  }
  return found;
}
