import { cpSync, existsSync, mkdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { DIST, scratch, type Run, type Scratch } from "../scratch.ts";
import { layFirstHome, untilJudged } from "./first.ts";

/** A machine that joined a team, and has no package `assent-team`: it goes on to enforce the team's policy, and keeps what it would send. */

let place: Scratch;
let program: string;
beforeAll(() => {
  place = scratch({ keep: true });
  layFirstHome(place, /^$/);
  // As an archive is unpacked: nothing of the clone is beside it.
  const app = join(place.root, "app");
  mkdirSync(app);
  for (const part of ["bin", "dist", "package.json", "schema"]) cpSync(join(DIST, "..", part), join(app, part), { recursive: true });
  program = join(app, "dist/bin.cjs");
});

function assent(words: readonly string[], input = ""): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1" },
    input,
    encoding: "utf8",
    timeout: 100_000,
  });
  return { status, stdout, stderr };
}

const call = (command: string): string =>
  JSON.stringify({
    session_id: "s2",
    cwd: place.project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });
const hook = (command: string): Run => untilJudged(() => assent(["check", "--agent", "claude", "--event", "PreToolUse"], call(command)));
const unsent = (): number =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- docs/json.md
  (JSON.parse(assent(["team", "status", "--json"]).stdout) as { readonly team: { readonly unsent: number } }).team.unsent;

it("has none", () => expect(existsSync(join(place.root, "app/node_modules"))).toBe(false));

it("the team's rule is in force, and nothing loosens it", () => {
  expect(JSON.parse(hook("nc -l 1").stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  place.write("project/.agent-permissions.jsonc", '{ "version": 1, "permissions": { "allow": ["Bash(nc:*)"] } }');
  expect(JSON.parse(hook("nc -l 1").stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(JSON.parse(assent(["explain", "--json", "nc -l 1"]).stdout)).toMatchObject({ verdict: "deny", basis: "rule" });
  expect(JSON.parse(hook("ls").stdout || "{}")).not.toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
});

it("what is decided waits to be sent, and the log is whole", () => {
  const before = unsent();
  hook("nc -l 2");
  expect(unsent()).toBe(before + 1);
  expect(assent(["log", "verify"])).toMatchObject({ status: 0 });
});

it("is a machine of the team as before", () => {
  expect(assent(["team", "status"]).stdout).toContain("http://127.0.0.1:9");
});

it("a server needs the package, and says so", () => {
  const { status, stderr } = assent(["team", "serve"]);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/the package assent-team is not installed\n.*npm install -g assent-team@/s);
});
