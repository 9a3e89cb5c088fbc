import { describe, expect, it } from "vitest";
import { assent, scratch } from "../scratch.ts";

/** Nothing that Assent prints is a rule that would allow it. */
describe("whole disks and other devices", () => {
  const LINES = ["dd if=x of=/dev/sda", "mkfs.ext4 /dev/sdb1", "cat /dev/mem", "echo b > /proc/sysrq-trigger", "mytool /dev/sda"];

  it.each(LINES)("%s: explain offers no rule, and allow finds none", (line) => {
    const place = scratch();
    const { stdout } = assent(place, ["explain", line]);
    expect(stdout).toContain("danger.raw-device");
    expect(stdout).toContain("No rule can allow this.");
    expect(stdout).not.toMatch(/assent allow|secret/);
    expect(JSON.parse(assent(place, ["explain", "--json", line]).stdout)).toMatchObject({ changes: [] });
    const allowed = assent(place, ["allow", "--dry-run", line]);
    expect([allowed.status, allowed.stdout]).toEqual([1, ""]);
    expect(allowed.stderr).toContain("no rule can allow");
  });

  it("the answer of a hook names no rule", () => {
    const place = scratch();
    const payload = { hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command: LINES[0] } };
    const { stdout } = assent(place, ["check", "--agent", "claude"], JSON.stringify(payload));
    expect(stdout).toContain('"deny"');
    expect(stdout).not.toContain("assent allow");
  });
});
