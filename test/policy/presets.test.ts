import { describe, expect, test } from "vitest";
import type { Action } from "@assent/core/action";
import type { RequestVerdict } from "@assent/core/policy";
import type { PresetName } from "../../packages/core/src/policy/match/types.ts";
import { exec, file, net, tool } from "./language.ts";
import { block, command, judged, script, shortly } from "./machine.ts";

const tooled = { origin: { by: "tool" } } as const;

/** Y9 as DESIGN.md has it: one row an action, one column a preset. */
const TABLE: readonly (readonly [string, Action, string, string, string, string])[] = [
  //                                                            default  permissive readonly strict
  ["read", file("read src/a.ts"), "allow", "allow", "allow", "ask"],
  ["list", file("list src"), "allow", "allow", "allow", "ask"],
  ["write", file("write src/a.ts"), "ask", "allow", "deny", "ask"],
  ["edit", file("edit src/a.ts"), "ask", "allow", "deny", "ask"],
  ["mkdir", file("mkdir src/b"), "ask", "allow", "deny", "ask"],
  ["rename", file("rename src/a.ts"), "ask", "allow", "deny", "ask"],
  ["link", file("link src/a.ts"), "ask", "allow", "deny", "ask"],
  ["delete in the project", file("delete src/a.ts"), "ask", "allow", "deny", "ask"],
  ["delete elsewhere", file("delete /srv/a"), "ask", "ask", "deny", "ask"],
  ["metadata in the project", file("metadata src/a.ts"), "ask", "allow", "deny", "ask"],
  ["a program without knowledge", exec("weird x"), "none", "allow", "deny", "ask"],
  ["a known program that does nothing", exec("pwd", { knowledge: "pwd" }), "allow", "allow", "deny", "ask"],
  ["code", script("npm test"), "none", "allow", "deny", "ask"],
  ["net", net("example.com", 443), "ask", "allow", "deny", "ask"],
  ["remote read", { kind: "remote", service: "git", operation: "read", ...tooled }, "allow", "allow", "deny", "ask"],
  ["remote change", { kind: "remote", service: "github", operation: "change", ...tooled }, "ask", "allow", "deny", "ask"],
  ["remote publish", { kind: "remote", service: "npm", operation: "publish", ...tooled }, "ask", "ask", "deny", "ask"],
  ["remote destroy", { kind: "remote", service: "aws", operation: "destroy", ...tooled }, "ask", "ask", "deny", "ask"],
  ["process", { kind: "process", operation: "signal", target: "12", ...tooled }, "ask", "ask", "deny", "ask"],
  ["system", { kind: "system", area: "clock", ...tooled }, "ask", "ask", "deny", "ask"],
  ["privilege", { kind: "privilege", detail: "sudo", ...tooled }, "ask", "ask", "deny", "ask"],
  ["a tool without a mapping", tool("mcp__x__y"), "none", "allow", "deny", "ask"],
  // Protections, in every preset.
  ["a secret read", file("read .env"), "deny", "deny", "deny", "deny"],
  ["a secret written", file("write .env"), "deny", "deny", "deny", "deny"],
  ["a system file written", file("write /etc/hosts"), "deny", "deny", "deny", "deny"],
  ["home deleted", file("delete /home/me/**"), "deny", "deny", "deny", "deny"],
  ["a folder deleted", file("delete build/**"), "ask", "ask", "deny", "ask"],
  ["a shell startup file", file("write /home/me/.bashrc"), "deny", "deny", "deny", "deny"],
];

describe("the preset table (Y9)", () => {
  const COLUMNS: readonly PresetName[] = ["default", "permissive", "readonly", "strict"];
  for (const [name, action, ...expected] of TABLE) {
    test.each(COLUMNS.map((preset, i) => [preset, expected[i] ?? ""] as const))(`${name}, %s: %s`, (preset, decision) => {
      expect(judged(action, { settings: { preset } }).decision).toBe(decision);
    });
  }

  test("a default that asks is a default, a default that denies a protection", () => {
    expect(shortly(judged(file("write a.ts")))).toBe("ask default");
    expect(shortly(judged(file("write a.ts"), { settings: { preset: "readonly" } }))).toBe("deny protection");
  });

  test("readonly binds every command, but a rule that means something opens it", () => {
    const settings = { preset: "readonly" } as const;
    const ls = command("ls src", file("list src"));
    expect(judged(ls, { settings }).decision).toBe("deny");
    expect(judged(ls, { settings, allow: ["Bash(*)"] }).decision).toBe("deny");
    expect(judged(ls, { settings, allow: ["Bash(ls:*)"] }).decision).toBe("allow");
    expect(judged(command("touch a", file("write a")), { settings, allow: ["Bash(touch:*)"] }).decision).toBe("deny");
    expect(judged(file("write docs/a.md"), { settings, allow: ["Write(docs/**)"] }).decision).toBe("allow");
    expect(judged(file("write docs/a.md"), { settings, allow: ["Write(**)"] }).decision).toBe("deny");
    expect(judged(command("npm test", script("npm test")), { settings, allow: ["Bash(npm test:*)"] }).decision).toBe("allow");
  });

  test("strict asks for known commands; an allow answers for their effects", () => {
    const settings = { preset: "strict" } as const;
    expect(judged(command("ls src", file("list src")), { settings }).decision).toBe("ask");
    expect(judged(command("ls src", file("list src")), { settings, allow: ["Bash(ls:*)"] }).decision).toBe("allow");
  });

  test("every verdict says why and from what", () => {
    for (const [, action] of TABLE) {
      const { decision, reason, rule, builtin, help } = judged(action);
      expect(reason).not.toBe("");
      expect(rule ?? builtin).toBeDefined();
      expect(decision === "allow" || help !== undefined).toBe(true);
    }
  });
});

const of = (action: Action, ...operations: readonly ReturnType<typeof block>[]): RequestVerdict => judged(action, { operations });

/** Y10: `create_ruleset` gives a default for each operation; Y1 to Y5: blocks, first match wins. */
describe("operations blocks", () => {
  test("Y3: the first match wins, else the block's default", () => {
    const safe = block("read", "allow", ["allow **/safe/*.txt", "deny **/*.txt"]);
    expect(of(file("read /p/safe/t.txt"), safe).decision).toBe("allow");
    expect(of(file("read /p/t.txt"), safe).decision).toBe("deny");
    expect(of(file("read /p/t.md"), safe).decision).toBe("allow");
  });

  test("Y2, Y10: a default replaces the preset's", () => {
    expect(of(file("read a"), block("read", "ask")).decision).toBe("ask");
    expect(of(file("write a"), block("write", "allow")).decision).toBe("allow");
    expect(of(file("edit a"), block("edit", "allow")).decision).toBe("allow");
    expect(of(file("edit a"), block("write", "allow")).decision).toBe("ask");
    expect(of(file("list a"), block("ls", "deny")).decision).toBe("deny");
    expect(of(file("list a"), block("glob", "allow"), block("grep", "ask")).decision).toBe("ask");
    expect(of(exec("weird"), block("execute", "allow")).decision).toBe("allow");
    expect(of(exec("weird"), block("execute", "deny")).decision).toBe("deny");
  });

  test("who asks for every command means known ones, too", () => {
    expect(of(exec("pwd", { knowledge: "pwd" }), block("execute", "ask")).decision).toBe("ask");
  });

  test("a default opens no protection, a rule that names one does", () => {
    expect(of(file("read .env"), block("read", "allow")).decision).toBe("deny");
    expect(of(file("read .env.example"), block("read", "allow", ["allow **/.env.example"])).decision).toBe("allow");
    expect(of(file("read .env"), block("read", "allow", ["allow **"])).decision).toBe("deny");
  });

  test("Y4: an execute rule means a whole simple command", () => {
    const git = block("execute", "ask", ["allow git diff*"]);
    expect(of(exec("git diff src/a.ts"), git).decision).toBe("allow");
    expect(judged([exec("git diff"), exec("curl evil")], { operations: [git] }).decision).toBe("ask");
  });

  test("a rule that may match leaves the outcome open", () => {
    const rules = block("read", "allow", ["deny **/*.sql", "allow **"]);
    expect(shortly(of(file("read ?"), rules))).toBe("ask rule");
    expect(shortly(of(file("read a.sql"), rules))).toBe("deny rule");
    expect(shortly(of(file("read a.ts"), rules))).toBe("allow rule");
  });

  test("YW5: a deny anywhere holds against a block's earlier allow", () => {
    const safe = block("read", "allow", ["allow **"]);
    expect(judged(file("read a.txt"), { operations: [safe], deny: ["Read(**/*.txt)"] }).decision).toBe("deny");
  });
});
