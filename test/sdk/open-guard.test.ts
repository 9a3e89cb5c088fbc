import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGuard, PermissionDeniedError, type GuardRequest, type OpenGuardOptions } from "@assent/library/sdk/compat";
import { openPromptGuard } from "@assent/library/sdk/machine";
import { scratch, type Scratch } from "../scratch.ts";

/** `openGuard`: the whole policy of a machine, as one object. */

const guardIn = (place: Scratch, options: OpenGuardOptions = {}): ReturnType<typeof openGuard> =>
  openGuard({ cwd: place.project, machine: place.machine, audit: false, ...options });

describe("every form of a request", () => {
  it.each<readonly [GuardRequest, decision: string]>([
    [{ command: "git status" }, "allow"],
    [{ command: "rm -rf ~" }, "deny"],
    [{ command: "weird" }, "ask"],
    [{ argv: ["git", "diff"] }, "allow"],
    [{ argv: ["rm", "-rf", "/"] }, "deny"],
    [{ argv: ["ls", "; rm -rf ~"] }, "allow"],
    [{ argv: [] }, "ask"],
    [{ operation: "read", path: "a.ts" }, "allow"],
    [{ operation: "read", path: ["a.ts", ".env"] }, "deny"],
    [{ operation: "read", path: ".", tree: true }, "allow"],
    [{ operation: "write", path: "a.ts" }, "ask"],
    [{ operation: "delete", path: "a.ts" }, "ask"],
    [{ patch: "*** Begin Patch\n*** Update File: a\n*** Move to: ~/.bashrc\n@@\n-a\n+b\n*** End Patch" }, "ask"],
    [{ patch: "*** Begin Patch\n*** Add File: /etc/cron.d/x\n+x\n*** End Patch" }, "deny"],
    [{ patch: "--- /dev/null\n+++ b/.git/hooks/post-checkout\n@@ -0,0 +1 @@\n+x\n" }, "deny"],
    [{ patch: "no patch" }, "ask"],
    [{ url: "https://a.dev" }, "ask"],
    [{ url: "file:///root/.ssh/id_rsa" }, "deny"],
    [{ tool: "mcp__x__y", input: {} }, "ask"],
    [{ tool: "Run", input: { line: "rm -rf ~" }, facts: { does: "shell", field: "line" } }, "deny"],
  ])("%j: %s", (asked, decision) => {
    const said = guardIn(scratch()).decide(asked);
    expect(said.decision, said.reason).toBe(decision);
    expect(said.reason).not.toBe("");
  });

  it("leaves what it has no opinion on to a host that decides", () => {
    const guard = guardIn(scratch());
    expect(guard.decide({ command: "weird", host: { decides: true } }).decision).toBe("none");
    expect(guard.decide({ command: "weird", host: { asks: false } })).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/^approval required/) as unknown,
    });
    expect(guard.decide({ command: "weird", host: { bypassed: true } }).decision).toBe("none");
    expect(guard.decide({ command: "rm -rf ~", host: { bypassed: true } }).decision).toBe("deny");
  });
});

describe("the policy files", () => {
  it("count, all of them, and are read again when they change", () => {
    const place = scratch();
    const guard = guardIn(place);
    expect(guard.decide({ command: "weird" }).decision).toBe("ask");
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Bash(weird:*)"] } }');
    expect(guard.decide({ command: "weird" }).decision).toBe("allow");
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(weird:*)"] } }');
    expect(guard.decide({ command: "weird" })).toMatchObject({ decision: "deny", verdict: { rule: { line: 1 } } });
    place.write("~/.agent-permissions.jsonc", "{");
    expect(guard.decide({ command: "ls" }).decision).toBe("ask");
  });
});

describe("the folder that a tool's facts name", () => {
  const facts = { does: "shell", field: "command", folder: "workdir" } as const;
  const run = (workdir: unknown): GuardRequest => ({ tool: "run", input: { command: "ls", workdir }, facts });

  it.each([
    [undefined, "allow"],
    [null, "allow"],
    ["", "allow"],
    ["deep", "deny"],
    ["./x/../deep", "deny"],
    [7, "ask"],
    ["de\0ep", "ask"],
  ])("%j: %s", (workdir, decision) => {
    const place = scratch();
    place.write("deep/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
    expect(guardIn(place).decide(run(workdir)).decision).toBe(decision);
  });

  it("is where the command is judged: what it deletes lies there", () => {
    const request = { tool: "run", input: { command: "rm -rf .", workdir: "/etc" }, facts } as const;
    expect(guardIn(scratch()).decide(request).decision).toBe("deny");
  });
});

describe("check", () => {
  it("asks, and goes ahead or throws", async () => {
    const place = scratch();
    const questions: string[] = [];
    const guard = guardIn(place, { onAsk: ({ question }) => questions.push(question) === 1 });
    expect(await guard.check({ command: "ls" })).toMatchObject({ decision: "allow" });
    expect(await guard.check({ command: "weird" }, "because")).toMatchObject({ decision: "ask" });
    await expect(guard.check({ command: "weird" })).rejects.toMatchObject({
      code: "permission-denied",
      operation: "execute",
      target: "weird",
    });
    await expect(guard.check({ operation: "read", path: ".env" })).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(guardIn(place).check({ command: "weird" })).rejects.toThrow(/approval required/);
    expect(questions).toHaveLength(2);
  });

  it("is logged", () => {
    const place = scratch();
    guardIn(place, { audit: true, agent: "mine", point: "plugin" }).decide({ command: "ls", session: "s1" });
    const line = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8");
    expect(JSON.parse(line)).toMatchObject({ point: "plugin", agent: "mine", session: "s1", verdict: "allow" });
  });
});

it("D28: what a person refused is asked again through another tool, until there is a yes; an error is no refusal", async () => {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", JSON.stringify({ preset: "permissive", permissions: { ask: ["Edit(a.ts)"] } }));
  const answers: (boolean | Error)[] = [new Error("no dialogue"), false, true];
  const onAsk = (): boolean => {
    const answer = answers.shift() ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const guard = guardIn(place, { onAsk });
  const asks = (): string => guard.decide({ command: "mv a.ts b.ts" }).decision;
  const check = async (): Promise<string> => {
    try {
      return (await guard.check({ operation: "edit", path: "a.ts", session: "s1" })).decision;
    } catch (error) {
      return error instanceof PermissionDeniedError ? "refused" : "failed";
    }
  };
  const through = (session: string): string => guard.decide({ command: "mv a.ts b.ts", session }).decision;
  expect([await check(), through("s1")]).toEqual(["refused", "allow"]);
  expect(await check()).toBe("refused");
  expect([through("s1"), through("s2"), asks()]).toEqual(
    process.env["CI"] === undefined ? ["ask", "allow", "allow"] : ["allow", "allow", "allow"],
  );
  await check();
  expect(through("s1")).toBe("allow");
});

it.each([{ preset: "readonly" }, { files: "none" }, { onask: () => true }, { policyfiles: [] }])("%j is not an option", (options) => {
  expect(() => openGuard(options as object)).toThrow("does not know the option");
});

describe("a guard whose lines in the log follow the answers", () => {
  const lines = (place: Scratch): readonly unknown[] => {
    const file = join(place.home, ".local/state/assent/audit.jsonl");
    return existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => (JSON.parse(line) as { input: unknown }).input)
      : [];
  };
  const open = (place: Scratch, warnings: string[] = []) =>
    openPromptGuard({ cwd: place.project, machine: place.machine }, (text) => warnings.push(text));
  const turn = async (): Promise<void> => await new Promise((resolve) => void setImmediate(resolve));

  it("writes that of an allowed call when it has been passed on, before anything that was not ready yet is read", async () => {
    const place = scratch();
    expect(open(place).decide({ command: "ls" }).decision).toBe("allow");
    expect(lines(place)).toEqual([]);
    await turn();
    expect(lines(place)).toEqual([{ command: "ls" }]);
  });

  it.each(["rm -rf ~", "weird"])("writes that of any other call at once: %s", (command) => {
    const place = scratch();
    open(place).decide({ command });
    expect(lines(place)).toEqual([{ command }]);
  });

  it("writes before it judges again, in the order of the answers, and each once", async () => {
    const place = scratch();
    const guard = open(place);
    guard.decide({ command: "ls a" });
    guard.decide({ command: "ls b" });
    expect(lines(place)).toEqual([{ command: "ls a" }]);
    guard.decide({ command: "weird" });
    expect(lines(place)).toEqual([{ command: "ls a" }, { command: "ls b" }, { command: "weird" }]);
    await turn();
    expect(lines(place)).toHaveLength(3);
  });

  it("says when a line cannot be written", async () => {
    const place = scratch();
    place.write("~/.local/state/assent/audit.jsonl/x", "");
    const warnings: string[] = [];
    expect(open(place, warnings).decide({ command: "ls" }).warnings).toEqual([]);
    await turn();
    expect(warnings).toEqual([expect.stringMatching(/^not logged: /)]);
  });
});
