import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { probeSandbox } from "@assent/library/sdk";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

/** `openGuard` in a program under `assent run`: the supervisor judges, by what lies out of the program's reach. */

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

/** What a guard inside a run says to each request; `before` is what the program does first, `options` what it opens the guard with. */
function inside(
  place: Scratch,
  requests: readonly object[],
  before = "",
  options: object = {},
): readonly { decision: string; reason: string }[] {
  place.write(
    "x.mjs",
    `${before}
import { openGuard } from ${JSON.stringify(join(DIST, "compat.mjs"))};
const guard = openGuard(${JSON.stringify({ agent: "inner", ...options })});
console.log(JSON.stringify(${JSON.stringify(requests)}.map((request) => guard.decide(request))));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [join(DIST, "bin.cjs"), "run", "-P", "--quiet", "--", process.execPath, "x.mjs"], {
    cwd: place.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: place.home },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as readonly { decision: string; reason: string }[];
}

describe("openGuard inside a run", () => {
  it("is judged by the trust, the policy and the log of outside", () => {
    if (!supervised) return;
    const place = scratch();
    place.write(".agent-permissions.jsonc", '{ "permissions": { "allow": ["Bash(weird:*)"] } }');
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(never:*)"] } }');
    const requests = [{ command: "weird" }, { command: "never" }, { command: "ls" }, { command: "other" }];
    const untrusted = inside(place, requests);
    expect(untrusted.map(({ decision }) => decision)).toEqual(["ask", "deny", "allow", "ask"]);
    expect(assent(place, ["trust", "--yes"]).status).toBe(0);
    // A home of its own making, with a policy in it, is no home to the supervisor.
    place.write("home/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Bash(never:*)", "Bash(other:*)"] } }');
    const before = `process.env.HOME = process.cwd() + "/home";
process.env.ASSENT_POLICY = process.cwd() + "/home/.agent-permissions.jsonc";`;
    expect(inside(place, requests, before).map(({ decision }) => decision)).toEqual(["allow", "deny", "allow", "ask"]);
    const log = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
    expect(log.map((line) => JSON.parse(line) as { agent?: string; point?: string })).toContainEqual(
      expect.objectContaining({ agent: "inner", point: "library" }),
    );
  });

  it("is only tightened by files that are named inside", () => {
    if (!supervised) return;
    const place = scratch();
    const file = place.write("more.jsonc", '{ "permissions": { "allow": ["Bash(weird:*)"], "deny": ["Bash(ls:*)"] } }');
    const said = inside(place, [{ command: "weird" }, { command: "ls" }, { command: "pwd" }], "", { policyFiles: [file] });
    expect(said.map(({ decision }) => decision)).toEqual(["ask", "deny", "allow"]);
  });

  it("gives no answer but a question to what cannot be one", () => {
    if (!supervised) return;
    const said = inside(scratch(), [{}, { command: 1 }, { operation: "read", path: [{}] }, { command: "x".repeat(5 << 20) }]);
    expect(said.map(({ decision }) => decision)).not.toContain("allow");
  });
});
