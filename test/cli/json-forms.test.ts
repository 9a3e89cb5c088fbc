import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allCommands, type CommandRow, commandTable } from "../../packages/assent/src/cli/command-table.ts";
import { program } from "../../packages/assent/src/cli/program.ts";
import { assent, scratch } from "../scratch.ts";

const FORMS = readFileSync(join(import.meta.dirname, "../../docs/json.md"), "utf8");

/** Commands that print no facts of their own, and why. */
const NONE: Readonly<Record<string, string>> = {
  check: "what it prints is the answer that a host reads",
  edit: "opens an editor",
  "profile edit": "opens an editor",
  "auto sandbox": "asks at the terminal; `auto status` says what holds",
  "auto ask": "says that it is done; `auto status` says what holds",
  "auto on": "asks at the terminal; `auto status` says what holds",
  "auto off": "says that it is done; `auto status` says what holds",
  "confine on": "asks at the terminal; `confine status` says what holds",
  "confine off": "says that it is done; `confine status` says what holds",
  "agents trust": "says that it is done; `agents list` says who is",
  "agents restrict": "says that it is done; `agents list` says who is",
  "agents forget": "says that it is done; `agents list` says who is",
  "breaker reset": "says that it is done; `breaker status` says what is counted",
  "grants add": "asks at the terminal; `grants list` says what holds",
  "grants revoke": "says that it is done; `grants list` says what holds",
  "approvals answer": "says what was answered; `approvals list` says what waits",
  "daemon on": "says that it is done; `daemon status` says what runs",
  "daemon off": "says that it is done; `daemon status` says what runs",
  "daemon stop": "says that it is done; `daemon status` says what runs",
  "team serve": "serves until it is stopped; its log is lines of JSON",
  "team export": "what it writes are JSON lines",
  "team fleet revoke": "says that it is done; `team fleet list` says which keys hold",
  "team ci remove": "says that it is done; `team ci list` says which rules hold",
  "team send": "says that it is done; `team status` says what was not sent",
  "team policy trust": "says that it is done; `team status` says which policy holds",
  "team proxy": "says that it is done; `team status` says which proxy leads to the server",
  "team leave": "says that it is done; `team status` says whether it belongs to one",
  install: "shows a change of settings and asks; `doctor` says what is registered",
  uninstall: "shows a change of settings and asks; `doctor` says what is registered",
  "wrap install": "runs npm or pipx; `wrap list` says what is wrapped",
  unwrap: "says that it is done; `wrap list` says what is wrapped",
  clip: "runs a program, whose output it is",
  "log export": "what it writes are JSON lines",
  mcp: "stands between a client and a server",
  completion: "prints a script",
  demo: "is for looking at",
};

/** Without the name of the program itself. */
const nameOf = ({ path }: CommandRow): string => path.replace(/^assent ?/, "");
/** What does something itself; `assent rule` alone is no command. */
const rows = allCommands(commandTable(program())).filter(
  (row) => !row.path.endsWith(" help") && (row.commands.length === 0 || row.options.some(isJson)),
);
function isJson({ names }: CommandRow["options"][number]): boolean {
  return names.includes("--json");
}

describe("every command that prints facts prints them as JSON, too", () => {
  it.each(rows.map((row) => [nameOf(row), row] as const))("assent %s", (name, row) => {
    const has = row.options.some(isJson);
    expect(has === (NONE[name] === undefined), "--json or a reason why there is none, and not both").toBe(true);
    if (!has) return;
    // In a heading, or above its form in a block.
    const [first = "", second] = name.split(" ");
    const forms =
      second === undefined
        ? [`assent ${first}\``, `assent ${first} `, `, \`${first}\``]
        : [`// ${second}`, `// ${name}`, `\`assent ${name}`];
    expect(
      forms.some((form) => FORMS.includes(form)),
      `docs/json.md has no form of ${name}`,
    ).toBe(true);
  });

  it("no reason is left over", () => {
    const names = new Set(rows.map(nameOf));
    expect(Object.keys(NONE).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe("what is printed carries its version", () => {
  const LOOKING = rows
    .map(nameOf)
    .filter((name) =>
      /^(?:rules|rule list|lint|test|status|doctor|version|suggest|seen|log verify|trust --list|bypass|.* (?:list|status))$/.test(name),
    )
    // These need a server, or its database: `test/team/processes.test.ts`, `test/team/records.test.ts`.
    .filter((name) => !["team policy list", "team fleet list", "team ci list"].includes(name));
  it.each([
    ...LOOKING,
    "log --stats",
    "trust --list",
    "receipt --list",
    "receipt --sessions",
    "auto",
    "bypass",
    "breaker",
    "grants",
    "confine",
    "agents",
    "runs",
  ])("assent %s --json", (name) => {
    const { stdout } = assent(scratch(), [...name.split(" "), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ v: 1 });
  });
});

describe("a command about a state says it when nothing is said to it", () => {
  it.each([
    ["auto", "automation is on"],
    ["bypass", "questions are asked here"],
    ["breaker", "has stopped no session"],
    ["grants", "nothing is granted"],
    ["confine", "sandboxing is off"],
    ["agents", "no sub-agent is trusted"],
    ["seen", "no agent has changed"],
  ])("assent %s", (name, says) => {
    const { status, stdout, stderr } = assent(scratch(), [name]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(says);
  });
});
