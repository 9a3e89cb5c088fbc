import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Outcome } from "@assent/guard/engine";
import { historyOf, suggest } from "@assent/guard/suggest";
import { judgeOnly, judgePast, ruleReader } from "@assent/page/preview";
import { query } from "@assent/guard/audit";
import { stateFolder } from "@assent/guard/state";
import { engine, assent, scratch, type Scratch } from "../scratch.ts";

const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;

function ask(place: Scratch, command: string): Outcome {
  const request = {
    tool: "Bash",
    facts: claude.tools["Bash"],
    input: { command },
    cwd: place.project,
    host: HOST,
    point: "hook",
    agent: "claude",
  };
  return decide(request, { machine: place.machine, ...engine, audit: true });
}

function suggested(place: Scratch, ...commands: readonly string[]) {
  for (const command of commands) ask(place, command);
  const entries = [...query(stateFolder(place.machine), {})].map(({ entry }) => entry);
  return suggest(historyOf(entries), {
    past: (past) => judgePast(past, place.machine),
    command: (command) => judgeOnly({ tool: "Bash", input: { command }, cwd: place.project }, place.machine, []),
    read: ruleReader,
  });
}

describe("assent suggest", () => {
  it.each<readonly [what: string, commands: readonly string[], rules: readonly string[]]>([
    [
      "by subcommand, the most questions first",
      ["make lint", "npm run build", "npm run build -- --fast", "npm run build"],
      ["Bash(npm run build:*)", "Bash(make lint:*)"],
    ],
    ["by folder", ["touch src/a.ts", "touch src/b.ts"], ["Edit(src/**)"]],
    ["nothing that is allowed already", ["ls", "git status"], []],
    ["nothing that a protection asks", ["git push --force", "rm -rf node_modules", "npm publish"], []],
    ["nothing that was denied", ["rm -rf ~", "cat ~/.ssh/id_rsa"], []],
    ["no interpreter, no wrapper", ["python3 -c 'run()'", 'bash -c "$X"', "node -e 'f()'", "xargs $X", "env X=1 $Y"], []],
  ])("%s", (_what, commands, rules) => {
    const found = suggested(scratch(), ...commands);
    expect(found.suggestions.flatMap((one) => one.rules)).toEqual(rules);
  });

  it("counts questions, not requests that were allowed", () => {
    const { suggestions } = suggested(scratch(), "make", "make", "make", "ls");
    expect(suggestions).toMatchObject([{ prompts: 3 }]);
  });

  it("every suggestion answers the questions it names, and nothing that must never be allowed", () => {
    const place = scratch();
    const { suggestions, proof } = suggested(
      place,
      "make lint",
      "./run.sh",
      "touch src/a.ts",
      "curl https://a.example/x",
      "cargo build",
      "rm -rf ~",
    );
    expect(suggestions.length).toBeGreaterThan(3);
    expect(proof).toMatchObject({ denials: 1 });
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions: { allow: suggestions.flatMap(({ rules }) => rules) } }));
    for (const { examples } of suggestions)
      for (const past of examples) expect(judgePast(past, place.machine).verdict.decision).toBe("allow");
    expect(judgeOnly({ tool: "Bash", input: { command: "rm -rf ~" }, cwd: place.project }, place.machine, []).verdict.decision).toBe(
      "deny",
    );
  });

  it("what the log does not hold whole is not judged again", () => {
    const place = scratch();
    for (const command of ["TOKEN=sk-abcdefghijklmnop make", "make 'a\nb'", `make ${"x".repeat(5000)}`]) ask(place, command);
    const { requests, records, unreadable } = historyOf([...query(stateFolder(place.machine), {})].map(({ entry }) => entry));
    expect({ requests, records, unreadable }).toEqual({ requests: [], records: 3, unreadable: 3 });
  });
});

describe("the commands", () => {
  it("suggest and replay print, and write nothing", () => {
    const place = scratch();
    ask(place, "make lint");
    const env = { HOME: place.home, PATH: process.env["PATH"] };
    const found = assent(place, ["suggest", "--json"], "", env);
    expect(JSON.parse(found.stdout)).toMatchObject({ suggestions: [{ rules: ["Bash(make lint:*)"], prompts: 1 }] });
    const file = place.write("new.jsonc", '{ "permissions": { "deny": ["Bash(make:*)"] } }');
    const replayed = assent(place, ["replay", "--policy", file, "--json"], "", env);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ records: 1, changes: [{ before: "none", after: "deny", count: 1 }] });
    const refused = assent(place, ["suggest", "--apply"], "yes\n", env);
    expect(refused.status).toBe(1);
    expect(() => readFileSync(join(place.home, ".agent-permissions.jsonc"))).toThrow("ENOENT");
  });

  it("replay --confined says what would have gone ahead confined, before anybody has agreed to it", () => {
    const place = scratch();
    for (const line of ["make lint", "make lint", "git push --force", "ls"]) ask(place, line);
    const env = { HOME: place.home, PATH: process.env["PATH"] };
    const { stdout } = assent(place, ["replay", "--confined", "--json"], "", env);
    const { changes } = JSON.parse(stdout) as { readonly changes: readonly { readonly input: { readonly command: string } }[] };
    expect(changes).toMatchObject([{ input: { command: "make lint" }, before: "none", after: "confined", count: 2 }]);
    expect(() => readFileSync(join(place.home, ".agent-permissions.jsonc"))).toThrow("ENOENT");
  });

  it("a broken file is told with its place", () => {
    const place = scratch();
    const file = place.write("new.jsonc", "{ permissions: { denny: [] } }");
    const { status, stderr } = assent(place, ["replay", "--policy", file], "", { HOME: place.home });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/new\.jsonc:1:\d+: .*denny/) as unknown });
  });
});
