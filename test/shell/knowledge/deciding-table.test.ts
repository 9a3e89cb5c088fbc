import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Action } from "@assent/core/action";
import type { ReasonId } from "@assent/core/policy";
import { decidingTable } from "../../../packages/assent/src/cli/deciding-table.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The line of the table that is named; undefined: none is. */
function lineOf(action: Action, builtin?: ReasonId): string | undefined {
  const verdict = { decision: "deny", basis: "protection", reason: "", ...(builtin === undefined ? {} : { builtin }) } as const;
  const table = decidingTable({ action, verdict }, "/home/me");
  if (table === undefined) return undefined;
  const [file = "", line] = table.split(":");
  return readFileSync(join(ROOT, file), "utf8").split("\n")[Number(line) - 1]?.trim();
}

const origin = { by: "tool" } as const;
const exec = (knowledge: string | undefined): Action => ({
  kind: "exec",
  program: knowledge?.split(" ")[0] ?? "mytool",
  argv: [],
  trusted: true,
  env: [],
  origin,
  ...(knowledge === undefined ? {} : { knowledge }),
});
const read = (path: string): Action => ({ kind: "file", operation: "read", target: { kind: "path", path }, origin });

describe("explain names the table and the line that decided", () => {
  it.each([
    ["git", "git"],
    ["git worktree list", "sub worktree list"],
    ["ls", "ls dir vdir"],
  ])("of the program `%s`", (id, line) => {
    expect(lineOf(exec(id))).toBe(line);
  });

  it.each([
    ["/home/me/.aws/config", "protect.secrets", /^private: .*\.aws\//],
    ["/home/me/project/.npmrc", "protect.secrets", /^private: .*\.npmrc/],
    ["/etc/shadow", "protect.secrets", /^private: .*\/etc\/shadow/],
    ["/home/me/.zshrc", "danger.persistence", /^startup: \[zsh\] ~\/\.zshrc/],
    ["/home/me/.cargo/bin/x", "danger.persistence", /^programs: daily ~\/\.cargo\/bin\//],
  ] as const)("of the file %s", (path, builtin, line) => {
    expect(lineOf(read(path), builtin)).toMatch(line);
  });

  it.each([
    [exec(undefined), undefined],
    [read("/home/me/server.pem"), "protect.secrets"],
    [read("/home/me/.aws/config"), "protect.git-config"],
  ] as const)("and none where no row says so: %j", (action, builtin) => {
    expect(lineOf(action, builtin)).toBeUndefined();
  });
});
