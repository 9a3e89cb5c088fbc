import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, utimesSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Outcome, type Request } from "@assent/guard/engine";
import { breakers, changeConsent, type Consent, readConsent, resetBreakers, stateFolder } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

// What outlives a process: consent, who is trusted, and the breaker.

const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;

function asks(place: Scratch, command: string, more: Partial<Request> = {}, env: Record<string, string> = {}): Outcome {
  const request: Request = {
    tool: "Bash",
    facts: claude.tools["Bash"],
    input: { command },
    cwd: place.project,
    host: HOST,
    point: "test",
    agent: "claude",
    session: "s1",
    ...more,
  };
  return decide(request, { machine: { ...place.machine, env: { ...place.machine.env, ...env } }, ...engine, audit: true });
}

/** `allow`, or `ask automation.off`. */
const decision = ({ verdict }: Outcome): string =>
  `${verdict.decision} ${verdict.builtin?.startsWith("automation.") === true ? verdict.builtin : ""}`.trim();
const said = (place: Scratch, more: Partial<Consent>): void =>
  expect(changeConsent(place.machine, (consent) => ({ ...consent, ...more }))).toBeUndefined();
const sub = (type: string): Partial<Request> => ({ subagent: `${type}:a81f` });

describe("D3: how far things go ahead, and that variables only lower it", () => {
  it.each<readonly [policy: string, said: Consent["when"], env: Record<string, string>, main: string, trusted: string, other: string]>([
    ["everywhere", "everywhere", {}, "allow", "allow", "ask automation.untrusted"],
    ["everywhere", "subagents", {}, "ask automation.subagents", "allow", "ask automation.untrusted"],
    ["everywhere", "off", {}, "ask automation.off", "ask automation.off", "ask automation.off"],
    ["subagents", "everywhere", {}, "ask automation.subagents", "allow", "ask automation.untrusted"],
    ["off", "everywhere", {}, "ask automation.off", "ask automation.off", "ask automation.off"],
    [
      "off",
      "everywhere",
      { MCP_AUTO_APPROVE: "true", ASSENT_AUTO: "everywhere" },
      "ask automation.off",
      "ask automation.off",
      "ask automation.off",
    ],
    ["everywhere", "off", { MCP_AUTO_APPROVE: "1" }, "ask automation.off", "ask automation.off", "ask automation.off"],
    ["everywhere", "everywhere", { MCP_AUTO_APPROVE: " Off " }, "ask automation.off", "ask automation.off", "ask automation.off"],
    ["everywhere", "everywhere", { MCP_AUTO_APPROVE: "subagent_only" }, "ask automation.subagents", "allow", "ask automation.untrusted"],
    ["everywhere", "everywhere", { MCP_AUTO_APPROVE: "perhaps" }, "allow", "allow", "ask automation.untrusted"],
    // A word that every object of the language knows once said more than a person had.
    ["everywhere", "off", { ASSENT_AUTO: "constructor" }, "ask automation.off", "ask automation.off", "ask automation.off"],
    ["off", "everywhere", { MCP_AUTO_APPROVE: "__proto__" }, "ask automation.off", "ask automation.off", "ask automation.off"],
    [
      "everywhere",
      "everywhere",
      { ASSENT_AUTO: "no", MCP_AUTO_APPROVE: "yes" },
      "ask automation.off",
      "ask automation.off",
      "ask automation.off",
    ],
  ])("policy %s, said %s, %o", (when, level, env, main, trusted, other) => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ automation: { when } }));
    said(place, { when: level, trusted: ["Helper"] });
    expect(decision(asks(place, "ls", {}, env))).toBe(main);
    expect(decision(asks(place, "ls", sub("helper"), env))).toBe(trusted);
    expect(decision(asks(place, "ls", sub("other"), env))).toBe(other);
  });

  it("nothing said, nobody named: everything that is allowed goes ahead, for sub-agents too", () => {
    const place = scratch();
    expect(decision(asks(place, "ls"))).toBe("allow");
    expect(decision(asks(place, "ls", sub("anyone")))).toBe("allow");
  });

  it("a denial stays a denial, a question a question", () => {
    const place = scratch();
    said(place, { when: "off" });
    expect(asks(place, "rm -rf ~").verdict.decision).toBe("deny");
    expect(asks(place, "git push --force").verdict.builtin).not.toMatch(/^automation/);
  });

  it("switched off, the host's own flow decides; where there is none, it is refused with the way out", () => {
    const place = scratch();
    said(place, { when: "off" });
    expect(asks(place, "ls").answer.decision).toBe("none");
    const alone = asks(place, "ls", { host: { ...HOST, decides: false, asks: false } });
    expect(alone.answer.decision).toBe("deny");
    expect(alone.answer.reason).toContain("assent auto on");
  });
});

describe("D4, D5: who is trusted", () => {
  it.each<readonly [lists: Partial<Consent>, request: Partial<Request>, expected: string]>([
    [{ trusted: ["reviewer"] }, sub("REVIEWER"), "allow"],
    [{ trusted: ["reviewer"] }, sub("re\u0007view\u200Ber "), "allow"],
    [{ trusted: ["reviewer"] }, sub("reviewer2"), "ask automation.untrusted"],
    [{ trusted: ["reviewer"] }, sub(""), "ask automation.untrusted"],
    [{ trusted: ["team:reviewer"] }, sub("team:reviewer"), "allow"],
    [{ restricted: ["reviewer"] }, sub("reviewer"), "ask automation.restricted"],
    [{ restricted: ["reviewer"], trusted: ["reviewer"] }, sub("reviewer"), "ask automation.restricted"],
    [{ restricted: ["reviewer"] }, sub("builder"), "allow"],
    [{ restricted: ["claude"] }, {}, "ask automation.restricted"],
    [{ restricted: ["claude"] }, sub("builder"), "ask automation.restricted"],
  ])("%o, %o: %s", (lists, request, expected) => {
    const place = scratch();
    said(place, lists);
    expect(decision(asks(place, "ls", request))).toBe(expected);
  });

  it("DW10: a variable does not say who asks", () => {
    const place = scratch();
    said(place, { when: "subagents", trusted: ["reviewer"] });
    expect(decision(asks(place, "ls", {}, { CLAUDE_AGENT_NAME: "reviewer" }))).toBe("ask automation.subagents");
  });

  it("DW10: a repository cannot trust anybody, and switches nothing on or off", () => {
    const place = scratch();
    said(place, { trusted: ["helper"] });
    place.write(".agent-permissions.jsonc", JSON.stringify({ automation: { agents: { trusted: ["mallory"] } }, mode: "auto-edit" }));
    place.write(".env", "ASSENT_AUTO=everywhere\nMCP_AUTO_APPROVE=true\nAUTONOMOUS_DEV_BYPASS=1\n");
    place.write(".claude/.bypass", "");
    expect(decision(asks(place, "ls", sub("mallory")))).toBe("ask automation.untrusted");
    expect(asks(place, "touch a").verdict.decision).toBe("ask");
  });
});

describe("D9: consent to what a mode allows", () => {
  const policy = JSON.stringify({ mode: "auto-edit" });

  it("without it, a mode's allow is a question; with it, it is none", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", policy);
    expect(decision(asks(place, "touch a"))).toBe("ask automation.consent");
    said(place, { modes: "2026-01-02T03:04:05Z" });
    expect(asks(place, "touch a").verdict.decision).toBe("allow");
  });

  it("what needs no mode needs no consent", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", policy);
    expect(decision(asks(place, "cat a.txt"))).toBe("allow");
  });

  it.each<readonly [string, (place: Scratch) => void]>([
    ["damaged", (place) => void place.write("~/.local/state/assent/automation.json", "{")],
    [
      "written by others",
      (place) => chmodSync(place.write("~/.local/state/assent/automation.json", '{"when":"everywhere","modes":"x"}'), 0o666),
    ],
    ["of another shape", (place) => void place.write("~/.local/state/assent/automation.json", '{"when":"always"}')],
  ])("a file that is %s agrees to nothing", (_what, spoil) => {
    const place = scratch();
    said(place, { modes: "2026-01-02T03:04:05Z" });
    spoil(place);
    expect(readConsent(place.machine)).toEqual({ when: "off", trusted: [], restricted: [] });
    expect(decision(asks(place, "ls"))).toBe("ask automation.off");
  });
});

describe("D6, DW8: the breaker", () => {
  const refuse = (place: Scratch, more: Partial<Request> = {}): void => expect(asks(place, "rm -rf ~", more).verdict.decision).toBe("deny");

  it("trips at the tenth refusal in a row, says so, and stays until a person resets it", () => {
    const place = scratch();
    for (let at = 0; at < 9; at += 1) refuse(place);
    expect(decision(asks(place, "pwd", { session: "other" }))).toBe("allow");
    const tenth = asks(place, "rm -rf ~");
    expect(tenth.warnings.join()).toContain("the circuit breaker stopped this session");
    expect(decision(asks(place, "pwd"))).toBe("ask automation.breaker");
    expect(decision(asks(place, "pwd"))).toBe("ask automation.breaker");
    expect(decision(asks(place, "pwd", { session: "other" }))).toBe("allow");
    expect(decision(asks(place, "pwd", sub("builder")))).toBe("allow");
    expect(breakers(place.machine)).toMatchObject([{ key: "s1 claude", denials: 10 }]);
    resetBreakers(place.machine);
    expect(decision(asks(place, "pwd"))).toBe("allow");
  });

  it("an allowed request takes half of a row away that has not tripped; a question does not", () => {
    const place = scratch();
    for (let at = 0; at < 9; at += 1) refuse(place);
    asks(place, "touch a");
    expect(breakers(place.machine)).toMatchObject([{ denials: 9 }]);
    for (const left of [4, 2, 1]) {
      asks(place, "pwd");
      expect(breakers(place.machine)).toMatchObject([{ denials: left }]);
    }
    asks(place, "pwd");
    expect(breakers(place.machine)).toEqual([]);
    for (let at = 0; at < 9; at += 1) refuse(place);
    expect(decision(asks(place, "pwd"))).toBe("allow");
  });

  it("T11: one harmless request in between does not keep it from tripping", () => {
    const place = scratch();
    const told: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 9; at += 1) refuse(place);
      told.push(decision(asks(place, "ls")));
    }
    expect(told).toEqual(["allow", "ask automation.breaker", "ask automation.breaker"]);
  });

  it("the policy says how many, and for how long", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ automation: { breaker: { denials: 2, minutes: 30 } } }));
    refuse(place);
    refuse(place);
    expect(decision(asks(place, "pwd"))).toBe("ask automation.breaker");
    const folder = join(stateFolder(place.machine), "breaker");
    const old = new Date(Date.now() - 31 * 60_000);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), old, old);
    expect(decision(asks(place, "pwd"))).toBe("allow");
    refuse(place);
    expect(breakers(place.machine)).toMatchObject([{ denials: 1 }]);
  });

  it.each(["../../../x", "a/b", "*", "%2e", "\0", "\ud800", "x".repeat(5000), ".", ""])(
    "any session id is a name in its folder: %j",
    (session) => {
      const place = scratch();
      refuse(place, { session });
      expect(breakers(place.machine)).toMatchObject([{ denials: 1 }]);
      expect(readdirSync(join(stateFolder(place.machine), "breaker"))).toHaveLength(1);
    },
  );

  it("looking does not count", () => {
    const place = scratch();
    const request: Request = {
      tool: "Bash",
      facts: claude.tools["Bash"],
      input: { command: "rm -rf ~" },
      cwd: place.project,
      host: HOST,
      point: "explain",
      agent: "claude",
    };
    decide(request, { machine: place.machine, ...engine, audit: false });
    expect(breakers(place.machine)).toEqual([]);
  });

  // `npm run test:long` starts 500.
  const processes = process.env["TEST_LONG"] === undefined ? 20 : 500;
  it(`${processes} processes at once: no refusal is lost`, async () => {
    const place = scratch();
    const program = join(place.root, "count.mjs");
    const source = `import { countDenial } from ${JSON.stringify(join(import.meta.dirname, "../../packages/guard/src/state/breaker.ts"))}; for (let at = 0; at < 25; at++) countDenial(JSON.parse(process.argv[2]), "s claude", 0);`;
    await build({
      stdin: { contents: source, resolveDir: import.meta.dirname },
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    const children = Array.from({ length: processes }, () =>
      spawn(process.execPath, [program, JSON.stringify(place.machine)], { stdio: "ignore" }),
    );
    await Promise.all(children.map((child) => once(child, "exit")));
    expect(breakers(place.machine)).toMatchObject([{ key: "s claude", denials: 25 * processes }]);
  }, 300_000);

  it("the log says why", () => {
    const place = scratch();
    said(place, { when: "off" });
    asks(place, "pwd");
    const line: unknown = JSON.parse(readFileSync(join(stateFolder(place.machine), "audit.jsonl"), "utf8").trim());
    expect(line).toMatchObject({ verdict: "ask", builtin: "automation.off" });
  });
});
