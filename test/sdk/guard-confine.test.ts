import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { judgeCall } from "../../packages/library/src/sdk/adapters/judge.ts";
import { probeSandbox } from "@assent/library/sdk";
import { openGuard, type AskQuestion, type GuardDecision, type GuardRequest, type OpenGuardOptions } from "@assent/library/sdk/compat";
import { here, type Here } from "../cli/run-place.ts";

/** `confine: true` of a guard: what is to be started in the place of a command that nobody can know. */

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

function guardIn(place: Here, options: OpenGuardOptions = {}) {
  const { machine, project: cwd } = place;
  return openGuard({ machine, cwd, audit: false, confine: true, ...options });
}

function start(
  place: Here,
  { confined }: GuardDecision,
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const [program = "", ...args] = confined?.argv ?? [];
  const env = { ...place.machine.env, OUT: place.outside, NODE_OPTIONS: "--require /nowhere.js" };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: place.project, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("a guard that confines", () => {
  const ROWS: readonly (readonly [asked: GuardRequest, decision: string, confined: boolean])[] = [
    [{ command: "ls" }, "allow", false],
    [{ command: "sh x.sh" }, "allow", true],
    [{ argv: ["sh", "x.sh"] }, "allow", true],
    [{ command: "sh x.sh", shell: "zsh" }, "ask", false],
    [{ command: "git push --force" }, "ask", false],
    [{ command: "cat ~/.ssh/id_rsa" }, "deny", false],
    [{ operation: "write", path: "a" }, "ask", false],
    // Whoever runs tools is not known to start something else.
    [{ tool: "bash", input: { command: "sh x.sh" }, facts: { does: "shell", field: "command" } }, "ask", false],
    [{ tool: "bash", input: { command: "sh x.sh" }, facts: { does: "shell", field: "command" }, host: { confines: true } }, "ask", false],
  ];
  it.each(ROWS)("%j: %s, confined: %s", async (asked, decision, confined) => {
    if (!supervised) return;
    const place = here();
    const questions: AskQuestion[] = [];
    const guard = guardIn(place, { onAsk: (question) => questions.push(question) > 0 });
    const said = guard.decide(asked);
    expect([said.decision, said.confined !== undefined]).toEqual([decision, confined]);
    const checked = await guard.check(asked).catch(() => undefined);
    expect([checked?.confined !== undefined, questions.length]).toEqual([confined, decision === "ask" ? 1 : 0]);
  });

  it("without the option says nothing of it, whatever the request claims of its host", () => {
    const place = here();
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine" }');
    const said = guardIn(place, { confine: false }).decide({ command: "sh x.sh", host: { confines: true } });
    expect([said.decision, said.confined]).toEqual(["ask", undefined]);
  });

  it("gives what runs the command confined, once", () => {
    if (!supervised) return;
    const place = here();
    place.write("~/.ssh/id_rsa", "SECRET");
    place.write("x.sh", `echo hello; cat ~/.ssh/id_rsa; echo x > "$OUT/x"; echo x > made; exit "$1"`);
    const ran = start(place, guardIn(place).decide({ argv: ["sh", "x.sh", "5"] }));
    expect([ran.status, ran.stdout]).toEqual([5, "hello\n"]);
    expect(ran.stderr).toMatch(/assent: refused: read "[^"]*id_rsa"/);
    expect([existsSync(join(place.project, "made")), existsSync(join(place.outside, "x"))]).toEqual([true, false]);
    const line = guardIn(place).decide({ command: "echo $((1 + 1)) 'a b'; sh x.sh 0 2>/dev/null" }).confined?.line ?? "";
    expect(spawnSync("sh", ["-c", line], { cwd: place.project, env: { ...place.machine.env }, encoding: "utf8" }).stdout).toBe(
      "2 a b\nhello\n",
    );
  });

  it("asks, and says why, with policy files that would not reach the run, and where a file denies what nobody can know", () => {
    if (!supervised) return;
    const place = here();
    const file = place.write("more.jsonc", "{}");
    expect(guardIn(place, { policyFiles: [file] }).decide({ command: "sh x.sh" })).toMatchObject({
      decision: "ask",
      reason: expect.stringMatching(/was not sandboxed: the guard's own policy files/) as unknown,
    });
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "deny" }');
    expect(guardIn(place).decide({ command: "sh x.sh" }).decision).toBe("deny");
  });

  it("is the same for an adapter as without", () => {
    const place = here();
    const facts = { bash: { does: "shell", field: "command" } } as const;
    expect(judgeCall(guardIn(place), { facts }, { tool: "bash", input: { command: "sh x.sh" } }).decision).toBe("ask");
  });

  it("writes the decision into the log as confined", () => {
    if (!supervised) return;
    const place = here();
    guardIn(place, { audit: true }).decide({ command: "sh x.sh" });
    expect(readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8")).toContain('"confined"');
  });
});
