import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OutOfBudget, spend, unpaid, withBudget } from "@assent/core/action";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Outcome } from "@assent/guard/engine";
import { assent, engine, scratch, type Scratch } from "../scratch.ts";
import { workedSince } from "../worked.ts";

function outcome(place: Scratch, command: string): Outcome {
  const payload = { hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command } };
  const reading = claude.read({ payload, event: undefined, env: {}, folder: place.project });
  if (reading.is !== "request") throw new Error(reading.why);
  return decide(reading.request, { machine: place.machine, ...engine, audit: false });
}
const list = (count: number, make: (at: number) => string): string[] => Array.from({ length: count }, (_, at) => make(at));
const policy = (rules: readonly unknown[]): string => JSON.stringify({ permissions: { deny: rules } });

describe("a budget", () => {
  const budget = (steps: number, milliseconds = 1e9, clock = (): number => 0) => ({ steps, milliseconds, clock });
  const spending = (steps: number) => (): string => {
    for (let at = 0; at < steps; at += 1) spend();
    return "done";
  };

  it("pays for so many steps, and says so ever after", () => {
    expect(withBudget(budget(1000), spending(1000))).toBe("done");
    expect(() => withBudget(budget(1000), spending(1001))).toThrow(OutOfBudget);
    const caught = (): void => {
      try {
        spending(2000)();
      } catch {
        // As code does that takes an error for something else.
      }
      spend();
    };
    expect(() => withBudget(budget(1000), caught)).toThrow(OutOfBudget);
  });

  it("ends with the time", () => {
    let now = 0;
    expect(() =>
      withBudget(
        budget(1e9, 10, () => (now += 1)),
        spending(1e6),
      ),
    ).toThrow(OutOfBudget);
    expect(now).toBeLessThan(20);
  });

  it("is paid from both where one is inside another, and by nobody outside", () => {
    expect(() => withBudget(budget(1000), () => withBudget(budget(5000), spending(2000)))).toThrow(OutOfBudget);
    expect(() => withBudget(budget(1000), () => [withBudget(budget(900), spending(800)), spending(300)()])).toThrow(OutOfBudget);
    expect(withBudget(budget(10), () => unpaid(spending(1000)))).toBe("done");
    expect(spending(1e6)()).toBe("done");
  });
});

describe("T3: a policy of a stranger", () => {
  const doubling = `shopt -s expand_aliases\n${list(22, (at) => `alias a${at}='a${at + 1}; a${at + 1}'`).join("\n")}\na0`;
  /** [what it holds, its rules, whether they count] */
  const FILES: readonly (readonly [string, readonly unknown[], boolean])[] = [
    ["few rules", ["Bash(ls:*)"], true],
    ["nine hundred rules", [...list(900, (at) => `Read(a${at}/**)`), "Bash(ls:*)"], true],
    ["patterns as people write them", [...list(200, (at) => `Edit(**/{a,b}/*.{ts,tsx,js}${at})`), "Bash(ls:*)"], true],
    ["examples that are wrong", [{ rule: "Bash(ls:*)", match: ["cat"] }], true],
    ["examples that take for ever", [{ rule: "Bash(ls:*)", notMatch: list(50, () => doubling) }], true],
    ["very many rules", [...list(1500, (at) => `Read(a${at})`), "Bash(ls:*)"], false],
    ["very large rules", [...list(40, (at) => `Read(${"a".repeat(2000)}${at})`), "Bash(ls:*)"], false],
    ["patterns that stand for very many", [...list(400, (at) => `Read(**/${"{a,b}".repeat(8)}${at})`), "Bash(ls:*)"], false],
    ["stars upon stars", [...list(20, (at) => `Read(${"*a".repeat(700)}${at})`), "Bash(ls:*)"], false],
  ];
  it.each(FILES)("with %s", (_what, rules, counts) => {
    const place = scratch();
    place.write(".agent-permissions.jsonc", policy(rules));
    const start = process.cpuUsage();
    const { answer, warnings } = outcome(place, "ls");
    expect([answer.decision, warnings.length]).toEqual(counts ? ["deny", 0] : ["allow", 1]);
    expect(workedSince(start)).toBeLessThan(2000);
    if (!counts) expect(warnings[0]).toMatch(/a file that nobody trusts.*assent trust/);
  });

  it("what was compiled is kept, also where the request itself took too long", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", policy(["Bash(nothing:*)"]));
    const { answer } = outcome(
      place,
      `${list(30, (at) => `f${at}() { f${at + 1}; f${at + 1}; }`).join("\n")}\nf30() { ls; }\nf0; ${doubling}`,
    );
    expect(answer.decision).toBe("ask");
    expect(readdirSync(join(place.home, ".local/state/assent")).filter((name) => name.startsWith("policy-"))).toHaveLength(1);
  });

  it("of one's own with long examples counts, and says that these were not held", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", policy([{ rule: "Bash(ls:*)", notMatch: list(100, () => doubling) }]));
    const { answer, warnings } = outcome(place, "ls");
    expect([answer.decision, warnings.join()]).toEqual(["deny", expect.stringMatching(/examples.*assent lint/)]);
  });
});

describe("T4: a line", () => {
  /** [what, the line]: all of them harmless but for their length. */
  const LONG: readonly (readonly [string, string])[] = [
    ["aliases", `${list(22, (at) => `alias a${at}='a${at + 1}; a${at + 1}'`).join("\n")}\na0`],
    ["arrays that double", `v0=(a b)\n${list(40, (at) => `v${at + 1}=("\${v${at}[@]}" "\${v${at}[@]}")`).join("\n")}\necho "\${v40[@]}"`],
    ["texts that double", `v0=ab\n${list(60, (at) => `v${at + 1}=$v${at}$v${at}`).join("\n")}\necho $v60`],
    ["searches", list(4000, (at) => `grep -r x${at} /usr/share`).join("\n")],
  ];
  it.each(LONG)("of %s is asked in time", (_what, line) => {
    const start = process.cpuUsage();
    expect(outcome(scratch(), line).answer.decision).toBe("ask");
    expect(workedSince(start)).toBeLessThan(6000);
  });

  // Built, the hook is made of parts: all of them must pay from the same account.
  it.each(LONG)("of %s is asked by the built hook", (_what, line) => {
    const place = scratch();
    const input = JSON.stringify({ hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command: line } });
    const { stdout } = assent(place, ["check", "--agent", "claude", "--event", "PreToolUse"], input);
    expect(stdout).toMatch(/"permissionDecision":"ask".*(?:takes too long|too large|more than a plain command)/);
  });

  it.each([
    ["ten searches", list(10, (at) => `grep -rn word${at} .`).join("; ")],
    ["a hundred commands", list(100, (at) => `echo ${at}; ls -la`).join("\n")],
    ["a long list of files", `wc -l ${list(300, (at) => `src/f${at}.ts`).join(" ")}`],
    ["a long text", `cat <<'EOF'\n${"a line of text with (words) in it\n".repeat(2000)}EOF`],
  ])("of %s is as it was", (_what, line) => {
    expect(outcome(scratch(), line).answer.decision).toBe("allow");
  });
});

describe("a hook under watch", () => {
  const envelope = (place: Scratch, command: string): string =>
    JSON.stringify({ hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command } });
  const hook = (place: Scratch, input: string) => assent(place, ["check", "--agent", "claude", "--event", "PreToolUse"], input);

  it.each([
    ["a long harmless line", `cat <<'EOF'\n${"a line of text\n".repeat(3000)}EOF`, "allow"],
    ["a long line with a secret", `cat <<'EOF'\n${"a line of text\n".repeat(3000)}EOF\ncat ~/.ssh/id_rsa`, "deny"],
  ])("judges %s as another", (_what, line, decision) => {
    const place = scratch();
    const { status, stdout, stderr } = hook(place, envelope(place, line));
    expect([status, stderr, stdout.includes(`"permissionDecision":"${decision}"`)]).toEqual([0, "", true]);
  });

  it("reads a stranger's policy, and keeps it", () => {
    const place = scratch();
    place.write(".agent-permissions.jsonc", policy([{ rule: "Bash(ls:*)", reason: "NO LISTS" }]));
    for (const _call of [1, 2]) expect(hook(place, envelope(place, "ls")).stdout).toContain('"permissionDecision":"deny"');
  });

  it("says what is wrong with long input", () => {
    const place = scratch();
    expect(hook(place, `[${"1,".repeat(20_000)}1]`).stdout).toContain("not a JSON object");
    expect(hook(place, " ".repeat(40_000)).stdout).toContain("standard input is empty");
    expect(hook(place, `{${"[".repeat(40_000)}`).stdout).toContain("not JSON");
  });
});
