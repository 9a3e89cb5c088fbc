import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ProtectionFacts, protectionOf } from "../../packages/assent/src/cli/status.ts";
import { assent, scratch, type Scratch } from "../scratch.ts";

const claude = { id: "claude", name: "Claude Code", registered: "all", off: null } as const;
const codex = { id: "codex", name: "Codex", registered: "all", off: null } as const;
const FINE: ProtectionFacts = {
  agents: [claude],
  broken: [],
  preset: "default",
  bypass: null,
  skips: false,
  tripped: 0,
  older: null,
  cannotSandbox: null,
};

describe("am I protected here?", () => {
  it.each<readonly [Partial<ProtectionFacts>, "yes" | "partly" | "no", string]>([
    [{}, "yes", "yes: Claude Code asks Assent before every tool"],
    [{ agents: [claude, codex] }, "yes", "yes: Claude Code, Codex ask Assent before every tool"],
    [{ agents: [] }, "no", "no: no agent was found on this machine. `assent run COMMAND` protects a single command"],
    [{ agents: [{ ...claude, registered: "none" }] }, "no", "no: Claude Code does not ask Assent: assent install --agent claude"],
    [
      { agents: [{ ...claude, registered: "other" }] },
      "no",
      "no: Claude Code asks another installation of Assent, or not in every way: assent install --agent claude",
    ],
    [
      { agents: [{ ...claude, off: ".claude/settings.json: x" }] },
      "no",
      "no: hooks of Claude Code are switched off here: .claude/settings.json: x",
    ],
    [
      { agents: [claude, { ...codex, registered: "none" }] },
      "partly",
      "partly: Claude Code asks Assent, but Codex does not ask Assent: assent install --agent codex",
    ],
    [
      { agents: [claude, { ...codex, off: "a.toml: x" }] },
      "partly",
      "partly: Claude Code asks Assent, but hooks of Codex are switched off here: a.toml: x",
    ],
    [
      { broken: ["~/p.jsonc"] },
      "partly",
      "partly: Claude Code asks Assent, but ~/p.jsonc has mistakes, so everything is asked: assent lint",
    ],
    [
      { bypass: "until 10:00" },
      "partly",
      "partly: Claude Code asks Assent, but questions are skipped, only refusals hold (until 10:00): assent bypass off",
    ],
    [{ preset: "none" }, "partly", 'partly: Claude Code asks Assent, but the policy says `"preset": "none"`, so only written rules hold'],
    [
      { skips: true },
      "partly",
      'partly: Claude Code asks Assent, but the policy says `"bypass": "host"`, so an agent that skips its questions skips refusals, too',
    ],
    [
      { tripped: 1 },
      "partly",
      "partly: Claude Code asks Assent, but a session was refused so often that it is asked about everything: assent breaker",
    ],
    [
      { cannotSandbox: "missing kernel piece: Landlock: not in this kernel" },
      "partly",
      "partly: Claude Code asks Assent, but sandboxing is on and cannot work here (missing kernel piece: Landlock: not in this kernel): assent doctor",
    ],
    [{ older: "0.0.9" }, "partly", "partly: Claude Code asks Assent, but hooks run another version (0.0.9): assent install"],
  ])("%j: %s", (facts, is, text) => expect(protectionOf({ ...FINE, ...facts })).toEqual({ is, text }));

  const first = (place: Scratch): string => assent(place, ["status"]).stdout.split("\n")[0] ?? "";
  const call = (place: Scratch, command: string): void =>
    void assent(
      place,
      ["check", "--agent", "claude", "--event", "PreToolUse"],
      JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", cwd: place.project, tool_name: "Bash", tool_input: { command } }),
    );

  it("the first line says it, and follows what happens; the second counts", () => {
    const place = scratch();
    expect(first(place)).toBe("protected   no: no agent was found on this machine. `assent run COMMAND` protects a single command");
    mkdirSync(join(place.home, ".claude"));
    expect(first(place)).toContain("no: Claude Code does not ask Assent: assent install --agent claude");
    expect(assent(place, ["install", "--yes", "--agent", "claude"])).toMatchObject({ status: 0 });
    expect(first(place)).toBe("protected   yes: Claude Code asks Assent before every tool");
    for (const command of ["ls", "git push --force", "rm -rf ~", "cat .env"]) call(place, command);
    expect(assent(place, ["status"]).stdout.split("\n")[1]).toBe("today       4 checked, 0 sandboxed, 1 asked, 2 refused");
    // What doctor tries is no agent's.
    expect(assent(place, ["doctor"]).stdout).toContain("refused `assent uninstall`");
    expect(assent(place, ["status"]).stdout.split("\n")[1]).toBe("today       4 checked, 0 sandboxed, 1 asked, 2 refused");
    expect(assent(place, ["log"]).stdout).not.toContain("assent uninstall");
    expect(assent(place, ["why"]).stdout).not.toContain("assent uninstall");
    expect(assent(place, ["log", "--session", "assent-doctor"]).stdout).toContain("assent uninstall");
    const info = join(place.home, ".local/share/assent/app/package.json");
    const current = readFileSync(info, "utf8");
    writeFileSync(info, current.replace(/"version":"[^"]*"/, '"version":"0.0.9"'));
    expect(first(place)).toContain("partly: Claude Code asks Assent, but hooks run another version (0.0.9): assent install");
    writeFileSync(info, current);
    place.write(".claude/settings.json", '{ "disableAllHooks": true }');
    expect(first(place)).toMatch(/no: hooks of Claude Code are switched off here: .claude\/settings.json/);
    place.write(".claude/settings.json", "{}");
    place.write("~/.agent-permissions.jsonc", "{");
    expect(first(place)).toContain("partly: Claude Code asks Assent, but ~/.agent-permissions.jsonc has mistakes");
    writeFileSync(join(place.home, ".agent-permissions.jsonc"), "{}");
    // An engine that does not exist stands for a kernel that cannot: either way nothing is held.
    const withoutSandbox = (): string => assent(place, ["status"], "", { ASSENT_ENGINE: "none" }).stdout.split("\n")[0] ?? "";
    expect(withoutSandbox()).toBe("protected   yes: Claude Code asks Assent before every tool");
    writeFileSync(join(place.home, ".agent-permissions.jsonc"), '{ "unknown": "confine" }');
    expect(withoutSandbox()).toMatch(
      /partly: .* sandboxing is on and cannot work here \(ASSENT_ENGINE names no engine.*\): assent doctor$/,
    );
    const { ok } = (JSON.parse(assent(place, ["doctor", "--json"]).stdout) as { supervision: { ok: boolean } }).supervision;
    expect(first(place).includes("missing kernel piece")).toBe(!ok);
    writeFileSync(join(place.home, ".agent-permissions.jsonc"), "{}");
    assent(place, ["bypass", "on", "--for", "10m"]);
    expect(first(place)).toMatch(
      /partly: Claude Code asks Assent, but questions are skipped, only refusals hold \(.*\): assent bypass off$/,
    );
  });
});
