import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adviceForModel, adviceForPerson } from "@assent/core/action";
import { judgeOnly, ruleReader } from "@assent/page/preview";
import type { Outcome } from "@assent/guard/engine";
import { thisMachine } from "@assent/guard/state";
import { advise, changesFor } from "@assent/guard/suggest";
import { SAMPLE, sampled } from "../sampled.ts";
import { assent, scratch, type Scratch } from "../scratch.ts";

/** Every line of the repository's collections, whatever verdict stands in front of it. */
const linesOf = (name: string): readonly string[] =>
  readFileSync(join(resolve("test/cases"), `${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) =>
      line
        .replace(/^(?:allow|ask|deny|none|ahead|inside)\+?: /, "")
        .replaceAll("⏎", "\n")
        .replaceAll("⇥", "\t"),
    );
const COLLECTIONS = [
  "hostile",
  "benign",
  "dangerous",
  "everyday",
  "everyday-agents",
  "attacks",
  "attacks-shell",
  "attacks-tried",
  "attacks-harmless",
  "outside",
];

let root = "";
let project = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "advice-"));
  project = join(root, "home", "p");
  for (const folder of ["src", ".git"]) mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(project, ".env"), "KEY=x\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const machine = (): ReturnType<typeof thisMachine> => ({ ...thisMachine({ HOME: join(root, "home") }), home: join(root, "home") });
const judge = (command: string, policies: readonly string[] = []): Outcome =>
  judgeOnly({ tool: "Bash", input: { command }, cwd: project }, machine(), policies);
const policy = (allow: readonly string[]): string => {
  const file = join(root, "policy.jsonc");
  writeFileSync(file, JSON.stringify({ permissions: { allow } }));
  return file;
};

/** Of a long one every so many, others each time. */
const LONG = 1000;
const partOf = <T>(lines: readonly T[]): readonly T[] => (lines.length > LONG ? sampled(lines, 4) : lines);

/** The commands that a text tells somebody to type, as a shell reads them. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/assent allow (?:-- )?('(?:[^']|'\\'')*'|[\w.]+)/g)].map(([, word = ""]) =>
    word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word,
  );

describe(`what is printed as the way on works (${SAMPLE})`, () => {
  const written = new Set<string>();

  it.each(COLLECTIONS)("each line of %s: what is written for it lets that very line go ahead, or nothing is named", (name) => {
    const wrong: string[] = [];
    let named = 0;
    for (const line of partOf(linesOf(name))) {
      const outcome = judge(line);
      if (outcome.verdict.decision === "allow") continue;
      const { help } = advise(outcome, ruleReader).verdict;
      const said = help === undefined ? [] : [adviceForPerson(help), adviceForModel(help)];
      if (said.some((text) => text.includes("assent allow …"))) wrong.push(`${line}: names no command, only that there is one`);
      const [commands = [], same = commands] = said.map(commandsIn);
      if (JSON.stringify(commands) !== JSON.stringify(same)) wrong.push(`${line}: says two things`);
      if (commands.length === 0) continue;
      named += 1;
      // A command stands for the rules that `assent allow` finds for it; a rule for itself.
      const rules = commands.flatMap((one) => (one === line ? changesFor(judge(one), ruleReader) : [one]));
      if (name.startsWith("everyday") && outcome.verdict.decision !== "deny") for (const rule of rules) written.add(rule);
      if (judge(line, [policy(rules)]).verdict.decision !== "allow") wrong.push(`${line}: ${rules.join(", ")}`);
    }
    expect(wrong).toEqual([]);
    expect(named).toBeGreaterThan(["benign", "attacks-harmless"].includes(name) ? -1 : 10);
  });

  it("what is written for the lines of every day opens none that must be denied", () => {
    const file = policy([...written]);
    expect(written.size).toBeGreaterThan(50);
    const denied = ["hostile", "dangerous", "attacks"].flatMap((name) =>
      readFileSync(join(resolve("test/cases"), `${name}.txt`), "utf8")
        .split("\n")
        .filter((line) => line.startsWith("deny: "))
        .map((line) => line.slice(6).replaceAll("⏎", "\n").replaceAll("⇥", "\t")),
    );
    const are = denied.filter((line) => judge(line).verdict.decision === "deny");
    expect(are.length).toBeGreaterThan(500);
    expect(are.filter((line) => judge(line, [file]).verdict.decision === "allow")).toEqual([]);
  });

  it.each([
    ["npm run deploy", "if you want this, allow it: assent allow 'npm run deploy'"],
    ["code .", "if you want this, allow it: assent allow 'code .'"],
    ["ssh host uptime", "if you want this, allow it: assent allow 'ssh host uptime'"],
    ["make -j4 && ./tidy.sh", "if you want this, allow it: assent allow 'make -j4 && ./tidy.sh'"],
    ["git push --force", "push without force; if you want this, allow it: assent allow 'git push --force'"],
    ["cat .env", "if it holds a secret, do without it; if you want this, allow it: assent allow 'cat .env'"],
    // No rule lets these go ahead, so none is named.
    ["sudo ls", "run it without sudo"],
    ["python3 -c 'import os; os.remove(\"x\")'", "run it yourself"],
    // What no rule is to allow.
    ["rm -rf ~", "make this change yourself, outside of the agent"],
    ["rm -rf /home", "name a folder inside the project"],
    ["find / -delete", "make this change yourself, outside of the agent"],
    ["find /usr -delete", "name a folder inside the project"],
    ["python3 -c 'import shutil; shutil.rmtree(\"/usr\")'", "name a folder inside the project"],
    ["chgrp -R staff /usr", "name a folder inside the project"],
    ["dd of=/dev/sda if=x", "if you mean this device, do it yourself, in a terminal of your own"],
    ["kill -9 -1", "end a single process, by its id"],
    ["echo x > ~/.bashrc", "make this change yourself"],
    ["crontab -e", "make this change yourself"],
    // Who sits at a terminal.
    ["vim a.txt", "use the agent's own tool for edits, or run it yourself, in a terminal of your own"],
    ["nano a.txt", "use the agent's own tool for edits, or run it yourself, in a terminal of your own"],
    ["sudo -u me emacs a.txt", "run it without sudo"],
    ["htop", "use a command that needs no terminal, or run it yourself, in a terminal of your own"],
    ["gdb ./x", "use a command that needs no terminal, or run it yourself, in a terminal of your own"],
  ])("%s: %s", (line, help) => {
    const { verdict } = advise(judge(line), ruleReader);
    expect(verdict.help === undefined ? undefined : adviceForPerson(verdict.help)).toBe(help);
  });

  it.each([
    ["Edit", { file_path: "src/a.ts", old_string: "a", new_string: "b" }],
    ["WebFetch", { url: "https://example.org/x", prompt: "x" }],
    ["mcp__shop__buy", {}],
  ])("a tool's call, %s: the rule that is named lets it go ahead", (tool, input) => {
    const question = { tool, input: "file_path" in input ? { ...input, file_path: join(project, "src/a.ts") } : input, cwd: project };
    const { verdict } = advise(judgeOnly(question, machine(), []), ruleReader);
    const rules = verdict.help === undefined ? [] : commandsIn(adviceForPerson(verdict.help));
    expect(rules).not.toEqual([]);
    expect(judgeOnly(question, machine(), [policy(rules)]).verdict.decision).toBe("allow");
  });
});

describe("typed as it is printed", () => {
  const hook = (place: Scratch, command: string): string => {
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: place.project, session_id: "s" };
    return assent(place, ["check", "--agent", "claude", "--event", "PreToolUse"], JSON.stringify(call)).stdout;
  };

  it.each(["git push --force", "git push -f && git rebase main", "ssh host uptime", "gh release create v1", "cat .env"])("%s", (line) => {
    const place = scratch();
    place.write(".env", "KEY=x\n");
    const told = hook(place, line);
    expect(told).toMatch(/"permissionDecision":"(?:ask|deny)"|^\{\}/);
    const page = assent(place, ["explain", line]).stdout;
    expect(page).toContain(`assent allow '${line}'`);
    if (!told.startsWith("{}")) expect(told).toContain(`assent allow '${line}'`);
    expect(assent(place, ["allow", "--yes", line])).toMatchObject({ status: 0 });
    expect(assent(place, ["explain", "--json", line]).stdout).toContain('"verdict":"allow"');
  });

  it.each(["rm -rf ~", "dd of=/dev/sda if=x", "rm -rf /home", "kill -9 -1"])(
    "%s: neither hook nor explain says how to allow it",
    (line) => {
      const place = scratch();
      expect(hook(place, line)).not.toContain("assent allow");
      const page = assent(place, ["explain", line]).stdout;
      expect(page).not.toContain("assent allow");
      expect(page).toContain("No rule can allow this.");
      expect(assent(place, ["allow", "--yes", line])).toMatchObject({ status: 1 });
    },
  );
});
