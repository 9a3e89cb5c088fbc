import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Asked, place, shown } from "./place.ts";

/** `.env.example` is in every repository, and agents look there for the names of settings: where git tracks it, it is no secret. */
const FILES = [
  ".env",
  ".env.test",
  ".env.example",
  "web/.env.local.example",
  ".env.sample",
  ".env.dist",
  ".env.template",
  ".env.example.bak",
];
const here = place(Object.fromEntries([...FILES, "loose/.env.example"].map((file) => [file, "KEY="])));
const git = (...args: readonly string[]): unknown => execFileSync("git", ["-C", here.project, ...args], { stdio: "ignore" });
git("init", "-q");
git("add", "-f", ...FILES);

const read = (path: string): Asked => ({ tool: "Read", input: { file_path: path } });
const write = (path: string): Asked => ({ tool: "Write", input: { file_path: path, content: "x" } });

describe("an example of settings", () => {
  const rows: readonly (readonly [expected: "allow" | "deny", ...asked: readonly Asked[]])[] = [
    [
      "allow",
      read(".env.example"),
      "cat .env.example",
      "grep -n KEY web/.env.local.example",
      "head -3 < .env.sample",
      "diff .env.dist .env.template",
    ],
    // Tracked, but the name does not say that its values are left out.
    ["deny", read(".env"), "cat .env", "cat .env.test", "cat .env.example.bak", "cat .env.example .env", "diff .env.example .env"],
    ["deny", read("loose/.env.example"), "cat loose/.env.example", "cat loose/.env.*"],
    // Only read: what others copy their settings from is changed by nobody unasked.
    ["deny", write(".env.example"), "mv .env .env.example", "cp .env .env.example", "cp .env.example .env"],
  ];
  for (const [expected, ...asked] of rows)
    it.each(asked.map((one) => [shown(one), one] as const))(`${expected}: %s`, (_, one) => {
      expect(here.verdict(one).decision).toBe(expected);
    });
});
