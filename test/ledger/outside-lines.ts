import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface OutsideLine {
  readonly way: "ahead" | "ask" | "inside";
  /** It can be run with no network beyond loopback. */
  readonly runs: boolean;
  readonly line: string;
}

/** `test/cases/outside.txt`. A row without an expectation is an error. */
export const outsideLines = (): readonly OutsideLine[] =>
  readFileSync(join(import.meta.dirname, "../cases/outside.txt"), "utf8")
    .split("\n")
    .filter((row) => row !== "" && !row.startsWith("#"))
    .map((row) => {
      const [, way, runs, line = ""] = /^(ahead|ask|inside)(\+?): (.+)$/.exec(row) ?? [];
      if (way !== "ahead" && way !== "ask" && way !== "inside") throw new Error(`no expectation: ${row}`);
      return { way, runs: runs === "+", line };
    });
