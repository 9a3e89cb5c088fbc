import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type DecideOptions, type Outcome, type Request } from "@assent/guard/engine";
import { addGrant, changeConsent, grantsFolder, readGrants, revokeGrant, type RuleGrant, stateFolder } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

// Grants: answers that outlive a process (DESIGN.md section 3, step 3). What a grant may answer is in test/policy/judge.test.ts.

const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const HOUR = 3_600_000;

function asks(place: Scratch, command: string, more: Partial<Request> = {}, options: Partial<DecideOptions> = {}): Outcome {
  const input = { command };
  const where = { cwd: place.project, host: HOST, point: "test", agent: "claude", session: "s1" };
  const request: Request = { tool: "Bash", facts: claude.tools["Bash"], input, ...where, ...more };
  return decide(request, { machine: place.machine, ...engine, audit: false, ...options });
}

/** The id. */
function granted(place: Scratch, rule: string, more: Partial<RuleGrant> = {}): string {
  const now = Date.now();
  const made = addGrant(place.machine, { kind: "rule", rule, by: "you", until: now + HOUR, ...more }, now);
  if ("problem" in made) throw new Error(made.problem);
  return made.grant.id;
}

const decision = ({ verdict }: Outcome): string => `${verdict.decision} ${verdict.basis}`;
const GRANT = "allow grant";
const NONE = "none default";

describe("a grant holds", () => {
  it.each<readonly [title: string, grant: Partial<RuleGrant>, request: Partial<Request>, expected: string]>([
    ["for everybody, where nothing is said", {}, { session: undefined, agent: "codex" }, GRANT],
    ["in its session", { session: "s1" }, {}, GRANT],
    ["in no other session", { session: "s1" }, { session: "s2" }, NONE],
    ["in no session without a name", { session: "s1" }, { session: undefined }, NONE],
    ["for its agent", { agent: "claude" }, {}, GRANT],
    ["for no other agent", { agent: "claude" }, { agent: "codex" }, NONE],
    ["for its sub-agent", { agent: "reviewer" }, { subagent: "Reviewer:a81f" }, GRANT],
    ["not for the sub-agents of its agent", { agent: "claude" }, { subagent: "reviewer:a81f" }, NONE],
    ["for its program", { program: "deploy" }, {}, GRANT],
    ["for no other program", { program: "other" }, {}, NONE],
    ["once more", { count: 1 }, {}, GRANT],
  ])("%s", (_, grant, request, expected) => {
    const place = scratch();
    granted(place, "Bash(deploy:*)", grant);
    expect(decision(asks(place, "deploy now", request))).toBe(expected);
  });

  it("in its project, and nowhere else", () => {
    const place = scratch();
    place.write("~/other/.git/HEAD", "");
    granted(place, "Bash(deploy:*)", { project: place.project });
    expect(decision(asks(place, "deploy now"))).toBe(GRANT);
    expect(decision(asks(place, "deploy now", { cwd: join(place.home, "other") }))).toBe(NONE);
    expect(decision(asks(place, "cd ~/other && deploy now"))).toBe(NONE);
  });

  it("until it is over, or taken back", () => {
    const place = scratch();
    const id = granted(place, "Bash(deploy:*)");
    expect(decision(asks(place, "deploy"))).toBe(GRANT);
    expect(revokeGrant(place.machine, id)).toBe(true);
    expect(decision(asks(place, "deploy"))).toBe(NONE);
    granted(place, "Bash(deploy:*)", { until: Date.now() - 1 });
    expect(decision(asks(place, "deploy"))).toBe(NONE);
    expect(revokeGrant(place.machine, id)).toBe(false);
  });

  it("beside others, each for its part of a line", () => {
    const place = scratch();
    granted(place, "Bash(deploy:*)");
    granted(place, "Bash(notify:*)");
    expect(decision(asks(place, "deploy && notify"))).toBe(GRANT);
    expect(decision(asks(place, "deploy && notify && other"))).not.toContain("allow");
  });

  it("for a sub-agent that nobody trusts it changes nothing, nor where automation is off", () => {
    const place = scratch();
    granted(place, "Bash(deploy:*)");
    changeConsent(place.machine, (consent) => ({ ...consent, trusted: ["helper"] }));
    expect(asks(place, "deploy", { subagent: "other:1" }).verdict).toMatchObject({ decision: "ask", builtin: "automation.untrusted" });
    changeConsent(place.machine, (consent) => ({ ...consent, when: "off" }));
    expect(asks(place, "deploy").verdict).toMatchObject({ decision: "ask", builtin: "automation.off" });
  });
});

describe("what is no grant grants nothing", () => {
  const good = { v: 1, kind: "rule", id: "abcdef12", made: Date.now(), until: Date.now() + HOUR, by: "you", rule: "Bash(deploy:*)" };
  it.each<readonly [title: string, text: string | undefined, expected?: string]>([
    ["a good one does", JSON.stringify(good), GRANT],
    ["an empty file", ""],
    ["half of one", JSON.stringify(good).slice(0, -9)],
    ["a list", JSON.stringify([good])],
    ["another version", JSON.stringify({ ...good, v: 2 })],
    ["another id", JSON.stringify({ ...good, id: "abcdef13" })],
    ["without an end", JSON.stringify({ ...good, until: undefined })],
    ["with an end that is none", JSON.stringify({ ...good, until: "tomorrow" })],
    ["without an end that comes", JSON.stringify({ ...good, until: Date.now() + 30 * 24 * HOUR })],
    ["made in the future", JSON.stringify({ ...good, made: Date.now() + HOUR })],
    ["a number of times that is none", JSON.stringify({ ...good, count: 0.5 })],
    ["a scope that is not text", JSON.stringify({ ...good, session: ["s1"] })],
    ["a scope that is empty", JSON.stringify({ ...good, session: "" })],
    ["a scope of a later version", JSON.stringify({ ...good, host: "here" })],
    ["a rule that is none", JSON.stringify({ ...good, rule: "Bash(deploy" })],
    ["of a run that is another process's", JSON.stringify({ ...good, kind: "run", run: "r", what: "x", scope: "tree", holder: {} })],
  ])("%s", (_, text, expected = NONE) => {
    const place = scratch();
    revokeGrant(place.machine, granted(place, "Bash(x)"));
    writeFileSync(join(grantsFolder(place.machine), "abcdef12.json"), text ?? "", { mode: 0o600 });
    expect(decision(asks(place, "deploy"))).toBe(expected);
  });

  it("one that others could have written, in a file or a folder of theirs", () => {
    const place = scratch();
    const id = granted(place, "Bash(deploy:*)");
    const file = join(grantsFolder(place.machine), `${id}.json`);
    chmodSync(file, 0o666);
    expect(decision(asks(place, "deploy"))).toBe(NONE);
    chmodSync(file, 0o600);
    chmodSync(grantsFolder(place.machine), 0o777);
    expect(decision(asks(place, "deploy"))).toBe(NONE);
    chmodSync(grantsFolder(place.machine), 0o700);
    expect(decision(asks(place, "deploy"))).toBe(GRANT);
  });
});

describe("a number of times", () => {
  const remove = (place: Scratch, ...names: readonly string[]): Outcome =>
    asks(place, `rm ${names.map((name) => `build/${name}`).join(" ")}`);

  it("three deletes in build/ are three, however they are asked for", () => {
    const place = scratch();
    granted(place, "Delete(build/**)", { count: 3, project: place.project });
    expect(remove(place, "a").verdict.grant).toMatchObject({ rule: "Delete(build/**)", left: 3 });
    // More than are left: none of them.
    expect(decision(remove(place, "b", "c", "d"))).toBe("ask default");
    expect(remove(place, "b", "c").verdict.grant).toMatchObject({ left: 2 });
    expect(decision(remove(place, "d"))).toBe("ask default");
    expect(decision(asks(place, "rm build/*"))).toBe("ask default");
  });

  it("looking uses none, nor does what is asked all the same", () => {
    const place = scratch();
    const id = granted(place, "Delete(build/**)", { count: 1 });
    const used = (): number => readGrants(place.machine, Date.now()).uses.get(id) ?? 0;
    expect(decision(asks(place, "rm build/a", {}, { memory: "look" }))).toBe(GRANT);
    expect(decision(asks(place, "rm build/a", {}, { memory: "none" }))).toBe("ask default");
    expect(decision(asks(place, "rm build/a && deploy"))).not.toBe(GRANT);
    expect(asks(place, "rm build/a", { host: { ...HOST, planning: true } }).answer.decision).toBe("none");
    expect(used()).toBe(0);
    expect(decision(asks(place, "rm build/a"))).toBe(GRANT);
    expect(used()).toBe(1);
  });

  it("what is used up, over or gone is cleared away with the next one that is made", () => {
    const place = scratch();
    granted(place, "Delete(build/**)", { count: 1 });
    remove(place, "a");
    granted(place, "Bash(deploy:*)", { until: Date.now() + 1 });
    expect(readdirSync(grantsFolder(place.machine))).toHaveLength(1);
    writeFileSync(join(grantsFolder(place.machine), "abcdef12.use-1"), "");
    const id = granted(place, "Bash(notify:*)", {});
    expect(existsSync(join(grantsFolder(place.machine), "abcdef12.use-1"))).toBe(false);
    expect(readGrants(place.machine, Date.now() + 2).all.map((grant) => grant.id)).toEqual([id]);
  });

  it("50 processes at once use three of three", async () => {
    const place = scratch();
    const id = granted(place, "Delete(build/**)", { count: 3 });
    const program = join(place.root, "use.mjs");
    const source = `import { readGrants, useGrant } from ${JSON.stringify(join(import.meta.dirname, "../../packages/guard/src/state/grants.ts"))};
      const machine = JSON.parse(process.argv[2]);
      const [grant] = readGrants(machine, Date.now()).all;
      process.exit(useGrant(machine, grant, 1) === undefined ? 7 : 0);`;
    const stdin = { contents: source, resolveDir: import.meta.dirname };
    await build({ stdin, outfile: program, bundle: true, platform: "node", format: "esm", logLevel: "error" });
    const children = Array.from({ length: 50 }, () =>
      spawn(process.execPath, [program, JSON.stringify(place.machine)], { stdio: "ignore" }),
    );
    const codes = await Promise.all(children.map(async (child): Promise<unknown> => (await once(child, "exit"))[0]));
    expect(codes.filter((code) => code === 7)).toHaveLength(3);
    expect(readGrants(place.machine, Date.now()).uses.get(id)).toBe(3);
  });
});

it("the log says which grant answered, and how often it could have", () => {
  const place = scratch();
  const id = granted(place, "Bash(deploy:*)", { count: 2, why: "release day" });
  const { verdict } = asks(place, "deploy now", {}, { audit: true });
  expect(verdict.reason).toMatch(/^granted by you until \S+ \S+ UTC \(release day\): Bash\(deploy:\*\)$/);
  const line: unknown = JSON.parse(readFileSync(join(stateFolder(place.machine), "audit.jsonl"), "utf8").trim());
  const grant = { id, rule: "Bash(deploy:*)", left: 2 };
  expect(line).toMatchObject({ verdict: "allow", basis: "grant", grant, actions: [{ basis: "grant", grant: id }] });
});
