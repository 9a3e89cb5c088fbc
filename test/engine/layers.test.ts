import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Outcome } from "@assent/guard/engine";
import { engine, scratch, type Scratch } from "../scratch.ts";

const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;

function judged(
  place: Scratch,
  command: string,
  more: { cwd?: string; sessionRoot?: string; policyFiles?: string[]; machine?: Scratch["machine"] } = {},
): Outcome {
  const { cwd = place.project, sessionRoot, policyFiles = [], machine = place.machine } = more;
  return decide(
    { tool: "Bash", facts: claude.tools["Bash"], input: { command }, cwd, sessionRoot, host: HOST, point: "test", agent: "claude" },
    { machine, ...engine, policyFiles, audit: false },
  );
}

const rules = (effect: "allow" | "ask" | "deny", ...texts: string[]): string => JSON.stringify({ permissions: { [effect]: texts } });

function trust(place: Scratch, file: string, text: string): void {
  const pin = createHash("sha256").update(text).digest("hex");
  const state = join(place.home, ".local/state/assent");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  chmodSync(place.write("~/.local/state/assent/trust.json", JSON.stringify({ version: 1, projects: { [file]: pin } })), 0o600);
}

describe("policy files", () => {
  it("an untrusted project denies and asks, and allows nothing", () => {
    const place = scratch();
    place.write(
      ".agent-permissions.jsonc",
      JSON.stringify({ mode: "full-auto", permissions: { allow: ["Bash(make:*)"], deny: ["Bash(ls:*)"] } }),
    );
    expect(judged(place, "make").verdict.decision).toBe("none");
    expect(judged(place, "ls").verdict.decision).toBe("deny");
    expect(judged(place, "touch a").verdict.decision).toBe("ask");
    expect(judged(place, "make").warnings.join()).toMatch(/not trusted/);
  });

  it("a trusted one allows inside its root, until its text changes or others could have written the trust", () => {
    const place = scratch();
    const text = rules("allow", "Bash(make:*)");
    const file = place.write(".agent-permissions.jsonc", text);
    trust(place, file, text);
    expect(judged(place, "make").verdict.decision).toBe("allow");
    expect(judged(place, "make", { cwd: "/usr", sessionRoot: place.project }).verdict.decision).not.toBe("allow");
    place.write(".agent-permissions.jsonc", `${text} `);
    expect(judged(place, "make").verdict.decision).toBe("none");
    place.write(".agent-permissions.jsonc", text);
    expect(judged(place, "make").verdict.decision).toBe("allow");
    chmodSync(join(place.home, ".local/state/assent/trust.json"), 0o666);
    expect(judged(place, "make").verdict.decision).toBe("none");
  });

  it("a broken trusted project breaks the policy", () => {
    const place = scratch();
    const text = "{ broken";
    trust(place, place.write(".agent-permissions.jsonc", text), text);
    expect(judged(place, "ls").verdict).toMatchObject({ decision: "ask", basis: "protection" });
  });

  it("`cd` does not shed the rules above the cwd, the session's root or a path touched", () => {
    const place = scratch();
    place.write("packages/a/.agent-permissions.jsonc", rules("deny", "Bash(ls:*)"));
    place.write("~/other/.agent-permissions.jsonc", rules("deny", "Bash(cat:*)"));
    place.write("~/other/x.txt", "");
    mkdirSync(join(place.project, "packages/a/src"), { recursive: true });
    expect(judged(place, "ls").verdict.decision).toBe("allow");
    expect(judged(place, "ls", { cwd: join(place.project, "packages/a/src") }).verdict.decision).toBe("deny");
    expect(judged(place, "ls", { cwd: place.home, sessionRoot: join(place.project, "packages/a") }).verdict.decision).toBe("deny");
    expect(judged(place, "cat ../other/x.txt").verdict.decision).toBe("deny");
    expect(judged(place, "cat x.txt").verdict.decision).toBe("allow");
  });

  it("managed and explicit files add layers", () => {
    const place = scratch();
    expect(judged(place, "ls").verdict.decision).toBe("allow");
    const extra = place.write("~/extra.jsonc", rules("deny", "Bash(ls:*)"));
    expect(judged(place, "ls", { policyFiles: [extra] }).verdict.decision).toBe("deny");
    expect(judged(place, "ls", { policyFiles: ["../extra.jsonc"] }).verdict.decision).toBe("deny");
    expect(
      judged(place, "ls", { machine: { ...place.machine, env: { ...place.machine.env, ASSENT_POLICY: extra } } }).verdict.decision,
    ).toBe("deny");
    place.write(place.machine.managedPolicy, rules("deny", "Bash(ls:*)"));
    expect(judged(place, "ls").verdict.rule?.file).toBe(place.machine.managedPolicy);
  });

  it("a request that touches too many folders to look for policies is asked", () => {
    const place = scratch();
    const many = Array.from({ length: 2100 }, (_, at) => `/x/${at}/f`).join(" ");
    expect(judged(place, `cat ${many}`).verdict.decision).not.toBe("allow");
  });

  it("protects its own files: policy, state, program", () => {
    const place = scratch();
    for (const path of [
      "~/.agent-permissions.jsonc",
      "~/.local/state/assent/trust.json",
      "/opt/assent/dist/hook.cjs",
      place.machine.managedPolicy,
    ]) {
      expect([path, judged(place, `echo > ${path}`).verdict]).toMatchObject([path, { decision: "deny", basis: "floor" }]);
    }
    expect(judged(place, "echo > .agent-permissions.jsonc").verdict).toMatchObject({ decision: "ask", basis: "floor" });
  });

  it("the compiled policy says what the reader says, and changes with any source", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", rules("deny", "Bash(ls:*)"));
    let reads = 0;
    const counting = { ...engine, reader: () => ((reads += 1), engine.reader()) };
    const ask = (): string =>
      decide(
        {
          tool: "Bash",
          facts: claude.tools["Bash"],
          input: { command: "ls" },
          cwd: place.project,
          host: HOST,
          point: "t",
          agent: "claude",
        },
        { machine: place.machine, ...counting, audit: false },
      ).verdict.decision;
    expect([ask(), ask(), reads]).toEqual(["deny", "deny", 1]);
    place.write("~/.agent-permissions.jsonc", rules("ask", "Bash(ls:*)"));
    expect([ask(), reads]).toEqual(["ask", 2]);
    expect(readdirSync(join(place.home, ".local/state/assent")).filter((name) => name.startsWith("policy-"))).toHaveLength(1);
  });

  it("an error anywhere is a question, never an allow", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", "{}");
    const failing = {
      machine: place.machine,
      own: [],
      audit: false,
      reader: () => {
        throw new Error("boom\n    at x");
      },
    };
    for (const host of [HOST, { ...HOST, bypassed: true }, { ...HOST, asks: false }]) {
      const { verdict, answer, warnings } = decide(
        { tool: "Bash", facts: claude.tools["Bash"], input: { command: "ls" }, cwd: place.project, host, point: "t", agent: "claude" },
        failing,
      );
      expect(verdict.decision).toBe("ask");
      expect(answer.decision).toBe(host.asks ? "ask" : "deny");
      expect(warnings.join()).toBe("Assent could not judge this: boom");
    }
  });
});
