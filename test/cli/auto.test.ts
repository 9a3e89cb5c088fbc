import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

/** A row of the screen, by how it begins, and a command that a reader takes it to mean. None of them is an example of the row. */
const COMMANDS: readonly (readonly [row: string, command: string])[] = [
  ["looking", "cat README.md"],
  ["looking", "git status"],
  ["tests, builds", "cargo test"],
  ["tests, builds", "./tool --fast"],
  ["changing and deleting", "mv README.md LIESMICH.md"],
  ["changing and deleting", "git commit -m 'a change'"],
  ["pushing, pull", "git push origin topic"],
  ["pushing, pull", "curl https://example.org/a"],
  ["publishing", "cargo publish"],
  ["secrets", "cat ~/.aws/credentials"],
];

type Said = "goes" | "asks" | "refused";

/** What the hook makes of it for the host: before the tool, and where it is silent when the host is about to ask. */
function told(place: Scratch, command: string, session = "s"): Said {
  for (const event of ["PreToolUse", "PermissionRequest"]) {
    const envelope = {
      hook_event_name: event,
      session_id: session,
      cwd: place.project,
      permission_mode: "default",
      tool_name: "Bash",
      tool_input: { command },
      ...(event === "PermissionRequest" ? { permission_suggestions: [] } : {}),
    };
    const { stdout } = assent(place, ["check", "--agent", "claude"], JSON.stringify(envelope));
    const decision = /"(?:permissionDecision|behavior)":\s*"(\w+)"/.exec(stdout)?.[1];
    if (decision !== undefined) return decision === "allow" ? "goes" : decision === "deny" ? "refused" : "asks";
  }
  return "asks";
}

const meaning = (words: string): Said =>
  /refused/.test(words) ? "refused" : /\bask/.test(words) && !words.startsWith("go") ? "asks" : "goes";

/** What a reader of the screen expects of a command. */
function read(screen: string, row: string, command: string): Said {
  const line = screen.split("\n").find((one) => one.startsWith(`  ${row}`)) ?? "";
  const [, words = ""] = /^ {2}.+? {2,}(\S.*)$/.exec(line) ?? [];
  const [most = "", ...others] = words.split("; but ");
  const own = others.find((other) => other.includes(`\`${command.split(" ").slice(0, 2).join(" ")}`));
  return meaning(own === undefined ? most : (own.split("`: ")[1] ?? ""));
}

interface Situation {
  readonly name: string;
  readonly policy?: string;
  readonly project?: string;
  readonly before?: (place: Scratch) => void;
}

const SITUATIONS: readonly Situation[] = [
  { name: "without a policy" },
  { name: "sandboxed", policy: '{ "unknown": "confine" }' },
  {
    name: "sandboxed, tried first",
    policy: '{ "unknown": "confine" }',
    before: (place) =>
      place.write("~/.local/state/assent/automation.json", '{ "when": "everywhere", "tried": true, "trusted": [], "restricted": [] }'),
  },
  { name: "what cannot be known is refused", policy: '{ "unknown": "deny" }' },
  { name: "the preset permissive", policy: '{ "preset": "permissive" }' },
  { name: "the preset readonly", policy: '{ "preset": "readonly" }' },
  { name: "the preset strict", policy: '{ "preset": "strict" }' },
  { name: "automation off", before: (place) => void assent(place, ["auto", "off"]) },
  { name: "bypass on", before: (place) => void assent(place, ["bypass", "on", "--for", "10m"]) },
  {
    name: "a project's policy that nobody trusts",
    project: '{ "unknown": "confine", "permissions": { "allow": ["Bash"], "deny": ["Bash(zz)"] } }',
  },
  { name: "a policy with a mistake", policy: '{ "permissions": { "denny": [] } }' },
];

describe("what a reader takes from the screen is what the hook does", () => {
  it.each(SITUATIONS)("$name", { timeout: 120_000 }, ({ policy, project, before }) => {
    const place = scratch();
    place.write("README.md", "# a\n");
    if (policy !== undefined) place.write("~/.agent-permissions.jsonc", policy);
    if (project !== undefined) place.write(".agent-permissions.jsonc", project);
    before?.(place);
    const { stdout, status } = assent(place, ["auto"]);
    expect(status).toBe(0);
    expect(COMMANDS.map(([row, command]) => [command, read(stdout, row, command)])).toEqual(
      COMMANDS.map(([, command]) => [command, told(place, command)]),
    );
  });

  it("says that a session was stopped, which asks then about what goes ahead in others", () => {
    const place = scratch();
    for (let i = 0; i < 10; i++) expect(told(place, "cat ~/.ssh/id_rsa", "stopped")).toBe("refused");
    expect(assent(place, ["auto"]).stdout).toContain("1 session(s) ask about everything, after many refusals");
    expect([told(place, "ls", "stopped"), told(place, "ls", "another")]).toEqual(["asks", "goes"]);
  });
});

describe("one setting", () => {
  const first = (place: Scratch): string => assent(place, ["auto"]).stdout.split("\n")[0] ?? "";
  const chosen = (place: Scratch, consent: object): string => place.write("~/.local/state/assent/automation.json", JSON.stringify(consent));
  const SAID = { when: "everywhere", trusted: [], restricted: [] };

  it("going up is for a person at a terminal, going down is not", () => {
    const place = scratch();
    for (const env of [{}, { CI: "true" }]) expect(assent(place, ["auto", "sandbox"], "yes\n", env).status).toBe(1);
    expect(assent(place, ["auto", "sandbox", "--for", "soon"]).status).toBe(2);
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "deny" }');
    expect(assent(place, ["auto", "ask"]).status).toBe(1);
    place.write("~/.agent-permissions.jsonc", '{ "mode": "full-auto", "unknown": "confine" }');
    expect(assent(place, ["auto", "ask"]).status).toBe(0);
    expect(readFileSync(join(place.home, ".agent-permissions.jsonc"), "utf8")).toMatch(/"mode": "auto-edit", "unknown": "ask"/);
    expect(first(place)).toMatch(/^ask, since \w{3} \d{1,2}: you said so$/);
  });

  it("an agent chooses neither", () => {
    const place = scratch();
    for (const command of ["assent auto sandbox", "assent auto sandbox --for 2h", "npx assent auto ask"])
      expect(told(place, command)).toBe("refused");
  });

  it("a while ends by itself, also where the clock was set back or the file says no time", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine", "mode": "full-auto" }');
    const [past, now, later] = [-3_600_000, 0, 3_600_000].map((more) => new Date(Date.now() + more).toISOString());
    for (const [times, setting] of [
      [{ since: past, until: later }, "sandbox"],
      [{ since: past, until: now }, "ask"],
      [{ since: later, until: later }, "ask"],
      [{ until: later }, "ask"],
      [{ since: past, until: "soon" }, "ask"],
      [{ since: past, until: null }, "ask"],
    ] as const) {
      chosen(place, { ...SAID, ...times });
      expect([times, first(place).slice(0, setting.length), told(place, "./tool")]).toEqual([
        times,
        setting,
        setting === "sandbox" ? "goes" : "asks",
      ]);
    }
    writeFileSync(join(place.home, ".local/state/assent/automation.json"), JSON.stringify(SAID));
    expect(first(place)).toBe("sandbox: you said so");
  });

  it("the mode full-auto is sandbox, with a note", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "mode": "full-auto" }');
    const { stdout } = assent(place, ["auto"]);
    expect(stdout).toMatch(/^sandbox: you said so$/m);
    expect(stdout).toContain("(your policy's mode `full-auto` is the same as `sandbox`)");
  });

  it.each([
    ["says that it is on already, and asks nothing", '{ "unknown": "confine" }', undefined, 0, "sandboxing is on"],
    ["asks where it was off", '{ "unknown": "ask" }', undefined, 1, ""],
    ["asks where it is on for a while", '{ "unknown": "confine" }', 3_600_000, 1, ""],
  ])("confine on %s", (_what, policy, left, status, says) => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", policy);
    const times = { since: new Date().toISOString(), until: new Date(Date.now() + (left ?? 0)).toISOString() };
    if (left !== undefined) chosen(place, { ...SAID, ...times });
    const { stdout, ...ended } = assent(place, ["confine", "on"]);
    expect(ended.status).toBe(status);
    expect(stdout.slice(0, says.length)).toBe(says);
  });
});
