import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Action, type Argument, CALL_NAMES } from "@assent/core/action";
import { policyDocs } from "../../scripts/policy-docs.ts";
import { parseRule } from "../../packages/core/src/policy/parse-rule.ts";
import { readPolicy } from "@assent/core/policy/read";
import { OUR_PACKS } from "@assent/guard/engine/reader";
import { PRESET_TABLE, type Row } from "../../packages/core/src/policy/match/presets.ts";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const policyPage = read("docs/policy.md");

test.each(policyDocs.filter(({ file }) => !file.startsWith("site/")).map(({ file, update }) => [file, update] as const))(
  "%s is up to date: npm run generate",
  (file, update) => {
    const text = read(file);
    expect(update(text)).toBe(text);
  },
);

test("every policy the reference shows is one", () => {
  const shown = [...policyPage.matchAll(/```jsonc\n(.*?)```/gs)].map(([, text = ""]) => text.trim());
  expect(shown.length).toBeGreaterThan(4);
  for (const text of shown) {
    const policy = !text.startsWith("{")
      ? `{ ${text} }`
      : text.includes('"permissions"')
        ? text
        : `{ "permissions": { "ask": [${text}] } }`;
    const result = readPolicy(policy, { file: "docs/policy.md", layer: "user", examples: () => [], packs: OUR_PACKS });
    const problems = result.ok ? [] : result.problems.filter(({ key }) => !/\.(?:match|notMatch)\[/.test(key));
    expect({ text, problems }).toEqual({ text, problems: [] });
  }
});

test("every rule the reference shows is one", () => {
  const names = `Bash|Shell|Read|Edit|Write|Delete|List|Exec|WebFetch|Net|mcp__\\w+|${CALL_NAMES.join("|")}`;
  const rules = [...policyPage.matchAll(new RegExp(`\`((?:${names})\\([^\`]*\\))\``, "g"))].map(([, rule = ""]) => rule);
  expect(rules.length).toBeGreaterThan(20);
  for (const rule of rules.filter((text) => !text.includes("…"))) expect({ rule, ...parseRule(rule) }).toMatchObject({ rule, ok: true });
});

const commands = (cell: string): string[] => [...cell.matchAll(/`([^`]*)`/g)].map(([, command = ""]) => command);

test("commands match the rules of the reference as it says", () => {
  const rows = [...policyPage.matchAll(/^\| `((?:Bash|Shell)\([^`]*\))` \| (.*) \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [row, rule = "", match = "", notMatch = ""] of rows) {
    const text = JSON.stringify({ permissions: { ask: [{ rule, match: commands(match), notMatch: commands(notMatch) }] } });
    expect({ row, ...readPolicy(text, { file: "docs/policy.md", layer: "user", examples: words }) }).toMatchObject({ row, ok: true });
  }
});

/** Enough of a shell for the commands of the page. */
function words(command: string): readonly Action[] {
  const argv = command.split(" ").map((text): Argument => ({ known: true, text }));
  return [{ kind: "exec", program: command.split(" ")[0] ?? "", argv, trusted: true, env: [], origin: { by: "shell" } }];
}

// The page says it in words for people; the words must be those of the table that judges.
test("the preset table of the reference is the one that judges", () => {
  const lines: Record<string, Row> = {
    "read and list files": "read",
    "write, edit, rename, new folders, links": "write",
    "delete, change mode or owner": "delete",
    "run a program Assent does not know": "exec",
    "code (`npm test`, `python -c …`)": "code",
    network: "net",
    "remote services: read": "remote read",
    "remote services: change": "remote change",
    "remote services: publish, destroy": "remote publish",
    "processes, the system, other users' rights": "system",
    "tools Assent does not know": "tool",
  };
  for (const [title, row] of Object.entries(lines)) {
    const cells = (["default", "permissive", "readonly", "strict"] as const).map((preset) => {
      const value = PRESET_TABLE[preset].defaults[row];
      return value === "project" ? "allow in the project, else ask" : value;
    });
    expect(policyPage).toContain(`| ${title} | ${cells.join(" | ")} |\n`);
  }
});
