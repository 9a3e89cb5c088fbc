import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

interface Check {
  readonly id: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly why: string;
  readonly note?: true;
}

function checks(
  place: Scratch,
  env: Record<string, string> = {},
): { ok: boolean; of: (id: string) => Check | undefined; all: readonly Check[] } {
  const { agents } = JSON.parse(assent(place, ["doctor", "--json"], "", env).stdout) as { agents: { ok: boolean; checks: Check[] } };
  return { ok: agents.ok, all: agents.checks, of: (id) => agents.checks.find((check) => check.id === id) };
}

describe("assent doctor: agents", () => {
  it("says nothing about agents that are not here, and how to register those that are", () => {
    const place = scratch();
    expect(checks(place)).toMatchObject({ ok: true, all: [] });
    place.write("~/.gemini/settings.json", "{}");
    expect(checks(place).of("gemini.registered")).toMatchObject({
      ok: false,
      required: false,
      why: expect.stringContaining("assent install --agent gemini") as unknown,
    });
  });

  it("Claude Code is registered where what cannot be known is confined", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
    expect(assent(place, ["install", "--yes", "--agent", "claude"]).status).toBe(0);
    expect(checks(place).of("claude.registered")).toMatchObject({ ok: true });
  });

  it.each([
    "claude",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "copilot",
    "cursor",
    "cline",
    "droid",
    "pi",
    "kilo",
    "amp",
    "windsurf",
    "kiro",
    "vscode",
    "commandcode",
    "kimi",
  ])("%s: registered and answering", (id) => {
    const place = scratch();
    expect(assent(place, ["install", "--yes", "--agent", id]).status).toBe(0);
    const { of, all } = checks(place);
    expect(of(`${id}.registered`)?.ok).toBe(true);
    expect(of(`${id}.answers`)).toMatchObject({
      ok: true,
      why: expect.stringMatching(/refused `assent uninstall` in \d+ ms; `pwd` goes ahead/) as unknown,
    });
    expect(all.filter((check) => check.id === `${id}.cannot`).length).toBeGreaterThan(0);
    expect(of(`${id}.not run`) !== undefined).toBe(["cursor", "amp", "windsurf", "kiro", "vscode"].includes(id));
  });

  it("a hook that Kimi Code does not take, by which it drops all of them, is named", () => {
    const place = scratch();
    const theirs = '# mine\ndefault_model = "x"\n\n[[hooks]]\nevent = "Stop"\ncommand = "say done" # of choice\n';
    const config = place.write("~/.kimi-code/config.toml", theirs);
    expect(assent(place, ["install", "--yes", "--agent", "kimi"]).status).toBe(0);
    expect(readFileSync(config, "utf8")).toContain(`${theirs}\n[[hooks]]\nevent = "PreToolUse"\n`);
    const dropped = /calls none of them/;
    expect(checks(place).all.filter(({ why }) => dropped.test(why))).toEqual([]);
    writeFileSync(config, readFileSync(config, "utf8").replace('"say done"', '"say done"\nasync = true'));
    expect(
      checks(place)
        .all.filter(({ why }) => dropped.test(why))
        .map(({ id }) => id.split(".")[0]),
    ).toEqual(["kimi"]);
    expect(assent(place, ["uninstall", "--yes", "--agent", "kimi"]).status).toBe(0);
    expect(readFileSync(config, "utf8")).toBe(theirs.replace('"say done"', '"say done"\nasync = true'));
  });

  it("a registration that was changed is not as it should be", () => {
    const place = scratch();
    assent(place, ["install", "--yes", "--agent", "claude"]);
    const file = join(place.home, ".claude/settings.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"PermissionRequest"', '"Stop"'));
    const { ok, of } = checks(place);
    expect([ok, of("claude.registered")?.ok]).toEqual([false, false]);
  });

  it("names the host's own settings that weaken it", () => {
    const place = scratch();
    place.write("~/.claude/settings.json", '{ "disableAllHooks": true, "permissions": { "defaultMode": "bypassPermissions" } }');
    place.write("~/.codex/config.toml", 'sandbox_mode = "danger-full-access"\n');
    const said = checks(place)
      .all.filter(({ id }) => id.endsWith(".settings"))
      .map(({ why }) => why);
    expect(said).toEqual([
      expect.stringContaining("disableAllHooks"),
      expect.stringContaining("bypassPermissions"),
      expect.stringContaining("hooks are not approved"),
      expect.stringContaining("danger-full-access"),
    ]);
  });

  it("compares versions, and shows a bypass", () => {
    const place = scratch();
    const program = place.write("~/bin/qwen", "#!/bin/sh\necho 0.9.1\n");
    chmodSync(program, 0o755);
    assent(place, ["bypass", "on", "--for", "5m"]);
    const { of } = checks(place, { PATH: `${join(place.home, "bin")}:/usr/bin:/bin` });
    expect(of("qwen.version")).toMatchObject({ ok: false, why: "0.9.1, made for 0.24.4 and later" });
    expect(of("bypass")).toMatchObject({ ok: false, why: expect.stringMatching(/questions are skipped: until /) as unknown });
    assent(place, ["bypass", "off"]);
    expect(checks(place).of("bypass")).toBeUndefined();
  });
});

describe("assent bypass", () => {
  it.each([
    [["on"], 2],
    [["on", "--for", "0m"], 2],
    [["on", "--for", "25h"], 2],
    [["on", "--for", "soon"], 2],
    [["on", "--for", "5m", "--pane"], 2],
    [["sideways"], 2],
    [["on", "--for", "5m"], 0],
    [["off"], 0],
    [["status"], 0],
  ] as const)("%j exits %i", (args, status) => {
    expect(assent(scratch(), ["bypass", ...args]).status).toBe(status);
  });

  it("says so in the log", () => {
    const place = scratch();
    const pane = { ZELLIJ_SESSION_NAME: "a", ZELLIJ_PANE_ID: "1" };
    expect(assent(place, ["bypass", "on", "--for", "5m", "--pane"], "", pane).stdout).toMatch(/in this pane until/);
    expect(assent(place, ["bypass", "status"], "", pane).stdout).toMatch(/questions are skipped here/);
    expect(assent(place, ["bypass", "status"]).stdout).toMatch(/questions are asked here/);
    expect(assent(place, ["log"]).stdout).toMatch(/the user skips questions until/);
  });
});
