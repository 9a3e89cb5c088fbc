import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { lastOf, verifyLog } from "@assent/guard/audit";
import { addGrant, readGrants, revokeGrant, type RuleGrant, stateFolder, type StoredGrant } from "@assent/guard/state";
import { assent } from "../scratch.ts";
import { here, type Here, inTerminal } from "./run-place.ts";

// What outlives a process, in a supervised run: grants, and the run's decisions in the log.

function granted(place: Here, rule: string, more: Partial<RuleGrant> = {}): string {
  const now = Date.now();
  const made = addGrant(place.machine, { kind: "rule", rule, by: "you", until: now + 3_600_000, ...more }, now);
  if ("problem" in made) throw new Error(made.problem);
  return made.grant.id;
}

describe("grants in a run", () => {
  it.each<readonly [title: string, rule: string, more: Partial<RuleGrant>, made: string]>([
    ["answer what a run would ask", "Write(%/**)", {}, "abc"],
    ["nothing of another place", "Write(%/a)", {}, "a"],
    ["for the program that they name", "Write(%/**)", { program: "touch" }, "abc"],
    ["for no other program", "Write(%/**)", { program: "cp" }, ""],
    ["not those of a session: a run has none", "Write(%/**)", { session: "s1" }, ""],
  ])("%s", (_, rule, more, made) => {
    const place = here();
    granted(place, rule.replace("%", place.outside), more);
    const script = place.script('touch "$OUT/a"; touch "$OUT/b"; touch "$OUT/c"; true');
    expect(place.run(["-P", "--quiet", "sh", script]).status).toBe(0);
    expect([..."abc"].filter((name) => existsSync(join(place.outside, name))).join("")).toBe(made);
  });

  it("as often as they say: each call is one use", () => {
    const place = here();
    for (const name of "abc") writeFileSync(join(place.outside, name), "");
    granted(place, `Delete(${place.outside}/**)`, { count: 2 });
    place.run(["-P", "--quiet", "sh", place.script('rm -f "$OUT/a"; rm -f "$OUT/b"; rm -f "$OUT/c"; true')]);
    expect([..."abc"].filter((name) => existsSync(join(place.outside, name)))).toEqual(["c"]);
  });

  it("a written deny and the floor hold", () => {
    const place = here();
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions: { deny: [`Write(${place.outside}/a)`] } }));
    granted(place, `Write(${place.outside}/a)`);
    granted(place, "Write(~/.local/state/assent/**)");
    const script = place.script('touch "$OUT/a"; touch "$HOME/.local/state/assent/x"; true');
    place.run(["-P", "--quiet", "sh", script]);
    expect(existsSync(join(place.outside, "a"))).toBe(false);
    expect(existsSync(join(stateFolder(place.machine), "x"))).toBe(false);
  });

  it("an answer for the run shows while the run lives, and can be taken back", async () => {
    const place = here();
    const script = place.script(': > "$OUT/a"; while [ ! -e go ]; do sleep 0.05; done; : > "$OUT/b"; true');
    const run = inTerminal(
      place,
      ["run", "--quiet", "sh", script],
      [
        [`${place.outside}/a`, "r"],
        [`${place.outside}/b`, "n"],
      ],
    );
    let grant: StoredGrant | undefined;
    while (grant === undefined) {
      await wait(20);
      [grant] = readGrants(place.machine, Date.now()).all;
    }
    expect(grant).toMatchObject({
      kind: "run",
      scope: "session",

      what: expect.stringContaining(place.outside) as unknown,
    });
    expect(assent(place, ["grants", "list"]).stdout).toContain(grant.id);
    expect(assent(place, ["grants", "revoke", grant.id]).status).toBe(0);
    writeFileSync(join(place.project, "go"), "");
    await run;
    expect([existsSync(join(place.outside, "a")), existsSync(join(place.outside, "b"))]).toEqual([true, false]);
    expect(readGrants(place.machine, Date.now()).all).toEqual([]);
  });
});

describe("D7: a run's decisions are in the log", () => {
  const records = (place: Here): readonly Record<string, unknown>[] =>
    lastOf(stateFolder(place.machine), {}, 500).map(({ line }) => JSON.parse(line) as Record<string, unknown>);

  it("what was refused one by one, with who did it; what was allowed by program and rule, counted", () => {
    const place = here();
    writeFileSync(join(place.outside, "ok"), "");
    const id = granted(place, `Delete(${place.outside}/ok)`, { count: 1 });
    const script = place.script('touch "$OUT/no"; touch "$OUT/no"; rm "$OUT/ok"; for i in 1 2 3; do cat s.sh >/dev/null; done; true');
    place.run(["-P", "--quiet", "sh", script]);
    const all = records(place);
    const common = { point: "run", agent: "run", mode: "enforce", cwd: place.project };
    expect(new Set(all.map(({ session }) => session)).size).toBe(1);
    expect(all).toContainEqual(
      expect.objectContaining({
        ...common,
        subagent: "touch",
        verdict: "ask",
        answer: "deny",
        builtin: "run.outside",
        tool: "open",
        process: expect.objectContaining({ program: "touch", parents: [expect.any(String), "assent"] }) as unknown,
        actions: [expect.objectContaining({ action: `write ${place.outside}/no` })],
      }),
    );
    // The second time is counted.
    expect(all.filter(({ answer }) => answer === "deny").map(({ count }) => count)).toEqual([undefined, 1]);
    expect(all).toContainEqual(expect.objectContaining({ ...common, subagent: "cat", tool: "exec", answer: "allow", count: 3 }));
    const grant = { id, rule: `Delete(${place.outside}/ok)`, left: 1 };
    expect(all).toContainEqual(expect.objectContaining({ ...common, basis: "grant", grant, answer: "allow" }));
    expect(verifyLog(stateFolder(place.machine))).toMatchObject({ flaws: [] });
  });

  it("assent log finds them", () => {
    const place = here();
    place.run(["-P", "--quiet", "sh", place.script('touch "$OUT/no"; cat s.sh >/dev/null; true')]);
    const lines = (...args: readonly string[]): number =>
      assent(place, ["log", "--json", ...args])
        .stdout.split("\n")
        .filter((line) => line !== "").length;
    expect(lines("--denied")).toBe(1);
    expect(lines("--command", "cat")).toBeGreaterThan(0);
    expect(lines("--agent", "touch", "--denied")).toBe(1);
    expect(lines("--agent", "run")).toBe(records(place).length);
    expect(lines("--session", String(records(place)[0]?.["session"]))).toBe(records(place).length);
    const stats: unknown = JSON.parse(assent(place, ["log", "--stats", "--json"]).stdout);
    expect(stats).toMatchObject({ verdicts: { ask: 1 } });
    // Nothing of it is taken for what an agent asked.
    expect(JSON.parse(assent(place, ["suggest", "--json"]).stdout)).toMatchObject({ records: 0 });
  });

  it("an answer is told as a question that was answered", async () => {
    const place = here();
    await inTerminal(place, ["run", "--quiet", "sh", place.script(': > "$OUT/a"')], [["/a", "y"]]);
    expect(records(place)).toContainEqual(expect.objectContaining({ verdict: "ask", answer: "allow", answered: "allow (once)" }));
    expect(readFileSync(join(stateFolder(place.machine), "audit.jsonl"), "utf8")).toContain('"run"');
  });
});

it("grants add asks a person at the terminal, and nobody else", async () => {
  const place = here();
  const add = ["grants", "add", "Bash(deploy:*)", "--for", "30m", "--count", "3", "--why", "release"];
  const all = (): readonly StoredGrant[] => readGrants(place.machine, Date.now()).all;
  expect((await inTerminal(place, add, [["[y/N]", "no\r"]])).status).toBe(1);
  expect((await inTerminal(place, add, [], { CI: "1" })).screen).toContain("CI is set");
  expect(all()).toEqual([]);
  const { status, screen } = await inTerminal(place, add, [["[y/N]", "yes\r"]]);
  expect([status, screen]).toEqual([0, expect.stringContaining("3 times")]);
  expect(all()).toMatchObject([{ rule: "Bash(deploy:*)", count: 3, by: "you", why: "release" }]);
  expect((await inTerminal(place, ["grants", "add", "Bash(python3:*)"], [["[y/N]", "no\r"]])).screen).toContain("lets any code run");
  expect(assent(place, ["grants", "add", "Bash(deploy"]).status).toBe(2);
  expect(assent(place, ["grants", "add", "Bash(deploy)", "--for", "8d"]).status).toBe(2);
  const listed: unknown = JSON.parse(assent(place, ["grants", "list", "--json"]).stdout);
  expect(listed).toMatchObject({ grants: [{ rule: "Bash(deploy:*)", used: 0, holds: true }] });
  expect(assent(place, ["grants", "revoke", "--all"]).stdout).toBe("1 grant taken back\n");
  expect(revokeGrant(place.machine, "x")).toBe(false);
});
