import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { saying } from "../supervise/undo/driver.ts";

/** A host's own edit goes ahead without a question only when it was kept first. */

const POLICY = { unknown: "confine", permissions: { allow: ["Edit(**)"] } };

function hook(
  place: Scratch,
  tool: string,
  input: object,
  policy: object = POLICY,
  mode = "default",
): { decision: string | undefined; reason: string } {
  place.write("~/.agent-permissions.jsonc", JSON.stringify(policy));
  const envelope = {
    session_id: "s-1",
    cwd: place.project,
    hook_event_name: "PreToolUse",
    permission_mode: mode,
    tool_name: tool,
    tool_input: input,
  };
  const { stdout } = assent(place, ["check", "--agent", "claude", "--event", "PreToolUse"], JSON.stringify(envelope));
  const answer = JSON.parse(stdout) as { hookSpecificOutput?: { permissionDecision?: string; permissionDecisionReason?: string } };
  const { permissionDecision: decision, permissionDecisionReason: reason = "" } = answer.hookSpecificOutput ?? {};
  return { decision, reason };
}

const edit = (path: string) => ({ file_path: path, old_string: "a", new_string: "b" });

describe("edits of the host's own tools", () => {
  test("are kept where the policy lets go ahead what can be taken back", () => {
    const place = scratch();
    place.write("a.txt", "old\n");
    const file = `${place.project}/a.txt`;
    expect(hook(place, "Edit", edit(file))).toMatchObject({ decision: "allow" });
    writeFileSync(file, "new\n");
    expect(hook(place, "Write", { file_path: `${place.project}/sub/b.txt`, content: "x" })).toMatchObject({ decision: "allow" });
    place.write("sub/b.txt", "x");
    expect(assent(place, ["receipt", "--session"]).stdout).toMatch(
      /claude, session s-1: 2 edits\n[\s\S]*Edit .*a\.txt\n {2}1 file changed\n/,
    );
    expect(assent(place, ["undo", "--session", "--yes"])).toMatchObject({ status: 0, stdout: saying("undone; ") });
    expect(readFileSync(file, "utf8")).toBe("old\n");
  });

  test("are kept, too, where the host or its person lets them go ahead", () => {
    const place = scratch();
    place.write("a.txt", "old\n");
    const file = `${place.project}/a.txt`;
    expect(hook(place, "Edit", edit(file), { unknown: "confine" })).toEqual({ decision: undefined, reason: "" });
    writeFileSync(file, "new\n");
    expect(hook(place, "Edit", edit(file), { unknown: "confine", permissions: { ask: ["Edit(**)"] } })).toMatchObject({ decision: "ask" });
    writeFileSync(file, "newer\n");
    // What was let go ahead and not done leaves nothing.
    hook(place, "Write", { file_path: `${place.project}/never.txt`, content: "x" }, { unknown: "confine" });
    expect(assent(place, ["receipt", "--session"]).stdout).toContain("claude, session s-1: 2 edits\n");
    expect(assent(place, ["undo", "--session", "--yes"])).toMatchObject({ status: 0, stdout: saying("undone; ") });
    expect(readFileSync(file, "utf8")).toBe("old\n");
  });

  test("what cannot be kept there is no question more", () => {
    const place = scratch();
    place.write("~/.local/state/assent/runs/full", "");
    place.write("a.txt", "old\n");
    expect(hook(place, "Edit", edit(`${place.project}/a.txt`), { unknown: "confine" })).toEqual({ decision: undefined, reason: "" });
  });

  test("are not, where it does not, or where they are denied, planned or only read", () => {
    const place = scratch();
    place.write("a.txt", "old\n");
    const file = `${place.project}/a.txt`;
    hook(place, "Edit", edit(file), { permissions: { allow: ["Edit(**)"] } });
    hook(place, "Edit", edit(file), { unknown: "confine", permissions: { deny: ["Edit(**)"] } });
    hook(place, "Edit", edit(file), { unknown: "confine" }, "plan");
    hook(place, "Read", { file_path: file });
    hook(place, "Bash", { command: "echo x > a.txt" });
    expect(assent(place, ["receipt", "--list"]).stdout).toBe("no run is recorded yet\n");
  });

  test("what cannot be kept is asked, and the log says so", () => {
    const place = scratch();
    place.write("large.bin", "");
    truncateSync(`${place.project}/large.bin`, (64 << 20) + 1);
    expect(hook(place, "Edit", edit(`${place.project}/large.bin`))).toEqual({
      decision: "ask",
      reason: saying("it could not be taken back: it has 64 MB, more than undo copies of one file"),
    });
    place.write("a.txt", "old\n");
    rmSync(`${place.home}/.local/state/assent/runs`, { recursive: true, force: true });
    place.write("~/.local/state/assent/runs/full", "");
    expect(hook(place, "Edit", edit(`${place.project}/a.txt`))).toEqual({
      decision: "ask",
      reason: saying("`assent runs clean` makes room"),
    });
    const records = readFileSync(`${place.home}/.local/state/assent/audit.jsonl`, "utf8").trim().split("\n");
    const asked = records.filter((line) => line.includes('"tool":"Edit"') && line.includes('"verdict":"ask"'));
    expect(asked).toHaveLength(2);
  });

  test("room is made by a person", () => {
    const place = scratch();
    place.write("a.txt", "old\n");
    hook(place, "Edit", edit(`${place.project}/a.txt`));
    writeFileSync(`${place.project}/a.txt`, "new\n");
    expect(assent(place, ["runs"]).stdout).toMatch(/Edit .*a\.txt\n1 kept, 4 B of at most 5\.0 GB; at most 2,000 of the last 30 days\n$/);
    expect(assent(place, ["runs", "clean", "--yes"]).stdout).toContain("nothing to remove (--older 1d, --all): 1 kept");
    expect(assent(place, ["runs", "clean", "--all"])).toMatchObject({ status: 1, stderr: saying("this is not a terminal") });
    expect(hook(place, "Bash", { command: "assent runs clean --all --yes" })).toMatchObject({ decision: "deny" });
    expect(assent(place, ["runs", "clean", "--all", "--yes"]).stdout).toContain("removed 1, ");
    expect(assent(place, ["doctor"]).stdout).toMatch(
      /undo\n {2}ok {4}room {2}0 of at most 2,000 runs and edits, 0 of at most 5,120 MB, 30 days\n/,
    );
  });
});
