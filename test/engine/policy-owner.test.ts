import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide } from "@assent/guard/engine";
import { thisMachine } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

const asRoot = process.getuid?.() === 0;

function told(place: Scratch, command: string): string {
  const payload = { hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command } };
  const reading = claude.read({ payload, event: undefined, env: {}, folder: place.project });
  if (reading.is !== "request") throw new Error(reading.why);
  const { answer } = decide(reading.request, { machine: place.machine, ...engine, audit: false });
  return answer.decision === "allow" ? "allow" : `${answer.decision}: ${answer.reason}`;
}

const POLICY = '{ "permissions": { "allow": ["Bash(make:*)"] } }';

describe("T8: a policy file that others could have written grants nothing", () => {
  /** [what, how the file lies there, what is told] */
  const ROWS: readonly (readonly [string, (file: string, place: Scratch) => void, RegExp, onlyRoot?: boolean])[] = [
    ["one's own", (file) => chmodSync(file, 0o600), /^allow$/],
    ["readable by all", (file) => chmodSync(file, 0o644), /^allow$/],
    ["writable by the group: many systems give each user one", (file) => chmodSync(file, 0o664), /^allow$/],
    ["writable by all", (file) => chmodSync(file, 0o666), /^ask: .*everybody/],
    ["writable by all, though nobody may read it", (file) => chmodSync(file, 0o602), /^ask: .*everybody/],
    ["another user's", (file) => chownSync(file, 4242, 4242), /^ask: .*another user \(uid 4242\)/, true],
    ["of him whose home it is", (file, place) => (chownSync(file, 4242, 4242), chownSync(place.home, 4242, 4242)), /^allow$/, true],
  ];
  for (const [what, lay, expected, onlyRoot] of ROWS)
    it.runIf(onlyRoot !== true || asRoot)(what, () => {
      const place = scratch();
      lay(place.write("~/.agent-permissions.jsonc", POLICY), place);
      expect(told(place, "make all")).toMatch(expected);
    });

  it("a link to a file that everybody may change", () => {
    const place = scratch();
    const shared = place.write("shared.jsonc", POLICY);
    chmodSync(shared, 0o666);
    symlinkSync(shared, join(place.home, ".agent-permissions.jsonc"));
    expect(told(place, "make all")).toMatch(/^ask: .*everybody/);
  });
});

describe("T11: TMPDIR makes no folder temporary that is none", () => {
  /** [folder, its mode, is it temporary] */
  const ROWS: readonly (readonly [string, number, boolean])[] = [
    ["other", 0o755, false],
    ["other", 0o777, false],
    ["Documents", 0o700, false],
    ["templates", 0o700, false],
    ["attempt", 0o700, false],
    ["scratch", 0o1777, true],
    ["scratch/me", 0o700, true],
    ["tmp", 0o700, true],
    [".temp", 0o700, true],
  ];
  it.each(ROWS)("%s with mode %o: %s", (name, mode, temporary) => {
    const place = scratch();
    const folder = join(place.root, name);
    mkdirSync(folder, { recursive: true });
    if (name.includes("/")) chmodSync(join(folder, ".."), 0o1777);
    chmodSync(folder, mode);
    const machine = thisMachine({ HOME: place.home, TMPDIR: folder });
    expect(machine.temp.includes(folder)).toBe(temporary);
  });
});
