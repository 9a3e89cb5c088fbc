import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentMark } from "@assent/core/policy";
import { scratch } from "../scratch.ts";

const ASSENT = join(import.meta.dirname, "../../dist/bin.cjs");
const REFUSED = 125;

/** What a line that was typed keeps for later commands, which nobody supervises; there is nobody to ask. */
const KEPT: readonly (readonly [words: string, status: number])[] = [
  ["git config core.fsmonitor ./x", REFUSED],
  ["git config core.hooksPath hk", REFUSED],
  ["git config alias.x !x", REFUSED],
  ["git config filter.x.clean x", REFUSED],
  ["git config credential.helper x", REFUSED],
  ["git config --global core.pager x", REFUSED],
  ["git config -f .git/config core.sshCommand x", REFUSED],
  ["git remote add x ext::x", REFUSED],
  ["git clone -q -c core.fsmonitor=./x . other", REFUSED],
  ["git config user.name me", 0],
  ["git remote add x https://example.com/x.git", 0],
  ["git branch -q --set-upstream-to=main side", 0],
  ["git clone -q . other", 0],
  ["git init -q other", 0],
  ["git worktree add -q ../other side", 0],
  ["git sparse-checkout set a", 0],
];

describe("a typed line, with nobody to ask", () => {
  it.each(KEPT)("%s → %i", (words, status) => {
    const { home, project, machine, root } = scratch();
    const env = { ...machine.env, PATH: process.env.PATH, XDG_STATE_HOME: join(root, "state"), GIT_CONFIG_NOSYSTEM: "1" };
    rmSync(join(project, ".git"), { recursive: true });
    const made =
      "git init -q -b main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git branch side && sha1sum .git/config";
    const before = spawnSync("sh", ["-c", made], { cwd: project, env, encoding: "utf8" });
    expect(before.status, before.stderr).toBe(0);
    const found = spawnSync(process.execPath, [ASSENT, "run", "-P", "--", ...words.split(" ")], { cwd: project, env, encoding: "utf8" });
    expect(found.status, found.stderr).toBe(status);
    if (status !== REFUSED) return;
    expect(found.stderr).toMatch(/may not be started: .*(?:git|helper)/);
    expect(spawnSync("sh", ["-c", `sha1sum .git/config; ls ${home}/.gitconfig`], { cwd: project, env, encoding: "utf8" }).stdout).toBe(
      before.stdout,
    );
  });
});

it.each<readonly [env: Record<string, string>, agents: boolean]>([
  [{}, false],
  [{ CLAUDECODE: "1" }, true],
  [{ CLAUDECODE: "" }, false],
  [{ CLAUDECODE: "0" }, false],
  [{ GEMINI_CLI: "1", PATH: "/bin" }, true],
  [{ CODEX_SANDBOX: "seatbelt" }, true],
  [{ CURSOR_AGENT: "1" }, true],
  [{ SSH_AGENT_PID: "7", GPG_AGENT_INFO: "x" }, false],
])("who wrote a line: %o", (env, agents) => {
  expect(agentMark(env) !== undefined).toBe(agents);
});
