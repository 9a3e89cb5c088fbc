import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * rg and fd pass over names with a dot in front, unless an ignore file takes such a name in again: then a search of the whole
 * project opens `.env` (measured with rg 13 and fd 8.6). `where`: the list, and what it says.
 */
const ROWS: readonly (readonly [where: string, says: string, command: string, expected: "allow" | "ask"])[] = [
  [".ignore", "!.env", "rg KEY", "ask"],
  [".gitignore", "*.log\n!.env\n", "rg KEY", "ask"],
  [".rgignore", "!.env", "rg KEY .", "ask"],
  [".fdignore", "!.env", "fd -x cat", "ask"],
  [".git/info/exclude", "!.env", "rg -n KEY", "ask"],
  [".ignore", "!.e*", "rg KEY", "ask"],
  [".ignore", "!**/.env", "rg KEY", "ask"],
  [".ignore", "!/.env\r\n", "rg --no-hidden KEY", "ask"],
  [".ignore", "!.*", "rg -l KEY | head", "ask"],
  [".ignore", "!.[e]nv", "ag KEY", "ask"],
  [".ignore", "!.env", "fd . -X cat", "ask"],
  [".ignore", "\ufeff!.env", "rg KEY", "ask"],
  // What cannot be read says nothing, and may say anything.
  [".ignore", `${"#".repeat(2 << 20)}\n!.env\n`, "rg KEY", "ask"],
  [".ignore", "!.env", "rg KEY src", "allow"],
  [".gitignore", "!.env.example\n!*.md\n", "rg KEY", "allow"],
  [".gitignore", ".env\n", "rg KEY", "allow"],
  [".gitignore", "# !.env\n", "fd -x cat", "allow"],
  [".ignore", "!.env", "rg KEY -g '*.ts'", "allow"],
];

describe("what an ignore file takes in again", () => {
  for (const [where, says, command, expected] of ROWS)
    it(`${where} with ${JSON.stringify(says.slice(-20))}: ${command} is ${expected}`, () => {
      const here = place({ ".env": "KEY=1", [where]: says });
      expect(here.verdict(command).decision).toBe(expected);
    });
});
