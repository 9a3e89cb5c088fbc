import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Asked, place, shown } from "./place.ts";

/** `.env.example` is in every repository, and agents look there for the names of settings: it is no secret, tracked or not. */
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
const here = place(
  Object.fromEntries([...FILES, "loose/.env.example", "config/secrets.example.yml", "fresh/a", "a.txt"].map((file) => [file, "KEY="])),
);
const git = (...args: readonly string[]): unknown => execFileSync("git", ["-C", here.project, ...args], { stdio: "ignore" });
git("init", "-q");
git("add", "-f", ...FILES);

const read = (path: string): Asked => ({ tool: "Read", input: { file_path: path } });
const write = (path: string): Asked => ({ tool: "Write", input: { file_path: path, content: "x" } });

describe("an example of settings", () => {
  const rows: readonly (readonly [expected: "allow" | "ask" | "deny", ...asked: readonly Asked[]])[] = [
    [
      "allow",
      read(".env.example"),
      "cat .env.example",
      "grep -n KEY web/.env.local.example",
      "head -3 < .env.sample",
      "diff .env.dist .env.template",
    ],
    ["allow", read("loose/.env.example"), "cat loose/.env.example", "cat config/secrets.example.yml"],
    // Tracked, but the name does not say that its values are left out.
    ["deny", read(".env"), "cat .env", "cat .env.test", "cat .env.example.bak", "cat .env.example .env", "diff .env.example .env"],
    ["deny", "cat ~/.aws/credentials.example", "cat ~/.ssh/id_rsa.sample", "cat .env.example.local", "cat loose/.env.*"],
    // An ordinary edit.
    [
      "ask",
      write(".env.example"),
      write("config/credentials.json.dist"),
      "echo A= >> .env.example",
      "rm loose/.env.example",
      "git add loose/.env.example",
    ],
    // The first step of many READMEs: nothing is there yet.
    ["ask", "cp .env.example fresh/.env", "cp -n .env.example fresh/.env", "cp config/secrets.example.yml config/secrets.yml"],
    ["deny", "cp .env.example .env", "cp -b .env.example fresh/.env", "cp a.txt fresh/.env", "cp .env.sample fresh/id_rsa"],
    ["deny", "cp config/secrets.example.yml ~/.aws/credentials", "mv .env.example fresh/.env"],
    ["deny", "mv .env .env.example", "cp .env .env.example", "ln -s .env .env.sample2", "ln .env fresh/.env.example"],
  ];
  for (const [expected, ...asked] of rows)
    it.each(asked.map((one) => [shown(one), one] as const))(`${expected}: %s`, (_, one) => {
      expect(here.verdict(one).decision).toBe(expected);
    });
});
