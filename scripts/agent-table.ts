import { RULE_IDS } from "@assent/hosts/agents/native";
import { AGENTS, type HostCommands, type HostFacts, OTHERS } from "@assent/hosts/agents";
import type { ToolFacts } from "@assent/guard/engine";
import { parseRule } from "@assent/core/policy";
import { isLoosening } from "../packages/core/src/policy/tables/agent-commands.ts";
import { harmlessOptions } from "./harmless-options.ts";

const FACTS: readonly HostFacts[] = [...AGENTS.map(({ facts }) => facts), ...OTHERS];
const COMMANDS: readonly HostCommands[] = FACTS.flatMap(({ commands }) => ("none" in commands ? [] : [commands]));
const SECRETS = FACTS.flatMap(({ files }) => files.secrets);

const loosening = ({ options: { hooks = [], questions = [], code = [] } = {} }: HostCommands): readonly string[] => [
  ...hooks,
  ...questions,
  ...code,
];
const LOOSENING = [...new Set(COMMANDS.flatMap(loosening))];
const VALUED = [...new Set(COMMANDS.flatMap(({ options }) => options?.valued ?? []))];
const OTHERWISE = new Set([...VALUED, ...Object.values(harmlessOptions()).flatMap(({ options }) => options)]);
const isGeneral = (option: string): boolean => option.startsWith("--") && !OTHERWISE.has(option);

const byProgram = ([program = ""]: readonly string[], names: readonly string[]): readonly (readonly [string, string])[] =>
  names.map((name) => [name, program] as const);

function wordsByProgram(wordsOf: (commands: HostCommands) => readonly string[] | undefined): Readonly<Record<string, readonly string[]>> {
  const entries = COMMANDS.map((own) => [own.programs.join("|"), wordsOf(own) ?? []] as const);
  return Object.fromEntries(entries.filter(([, words]) => words.length > 0));
}

const CALL_SIGNS = AGENTS.flatMap(({ id, facts: { calls } }) => ("none" in calls ? [] : calls.map((sign) => ({ agent: id, ...sign }))));

type Entry = readonly string[] | readonly object[] | Readonly<Record<string, string | readonly string[] | object>>;

/** What the pure folders know of the agents, by the names of `packages/core/src/policy/tables/agent-table.ts`. */
export const agentTable: Readonly<Record<string, Entry>> = {
  AGENT_IDS: AGENTS.map(({ id }) => id),
  USER_LOCKED: FACTS.flatMap(({ files }) => files.userLocked),
  USER_ASKED: FACTS.flatMap(({ files }) => files.userAsked),
  USER_OWN: FACTS.flatMap(({ files }) => files.userOwn ?? []),
  PROJECT_ASKED: FACTS.flatMap(({ files }) => files.project),
  AGENT_INSTRUCTIONS: FACTS.flatMap(({ files }) => files.instructions),
  MACHINE_LOCKED: FACTS.flatMap(({ files }) => files.machine),
  AGENT_SECRET_FILES: SECRETS.filter((path) => !path.endsWith("/")),
  AGENT_SECRET_FOLDERS: SECRETS.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)),
  AGENT_SECRETS_AT_HOME: FACTS.flatMap(({ files }) => files.secretsAtHome ?? []),
  AGENT_PROGRAMS: COMMANDS.flatMap(({ programs }) => programs),
  PROMPTED_PROGRAMS: COMMANDS.flatMap(({ programs, prompted }) => (prompted === true ? programs : [])),
  AGENT_OPTIONS: LOOSENING.filter((option) => isGeneral(option) && !isLoosening(option)),
  VALUED_OPTIONS: VALUED,
  OWN_OPTIONS: wordsByProgram((commands) => loosening(commands).filter((option) => !isGeneral(option) && !isLoosening(option))),
  PROGRAM_OF_PACKAGE: Object.fromEntries(COMMANDS.flatMap(({ programs, packages }) => byProgram(programs, packages))),
  AGENT_ALIASES: COMMANDS.flatMap(({ aliases = [] }) => aliases),
  AGENT_WITHIN: Object.fromEntries(COMMANDS.flatMap(({ programs: [own = ""], within }) => (within === undefined ? [] : [[within, own]]))),
  CHANGING_WORDS: wordsByProgram(({ changes }) => changes),
  PRINTING_WORDS: wordsByProgram(({ prints }) => prints),
  TOLD_VARIABLES: Object.fromEntries(FACTS.flatMap(({ variables }) => Object.entries(variables.told))),
  RULES_READ: RULE_IDS.read,
  REFUSALS_TOLD: RULE_IDS.told,
  CALL_SIGNS: CALL_SIGNS.toSorted((one, other) => other.telling - one.telling),
  DAMAGED: Object.fromEntries(AGENTS.flatMap(({ id, facts: { damaged } }) => (damaged === "exit 2" ? [] : [[id, damaged] as const]))),
  ASKED_VARIABLES: FACTS.flatMap(({ variables }) => variables.asked),
  AGENT_MARKS: FACTS.flatMap(({ variables }) => variables.marks),
};

const HEAD = `/**
 * What judging has to know of every agent, whichever one asks. Written by \`npm run generate\` from the agents' own files
 * (\`HostFacts\` in packages/hosts/src/agents/host/agent.ts says what each means): change those. It stands here because the pure folders lie
 * below the agents, and because the hook loads the file of the agent that calls alone.
 */
import { listed } from "./listed.ts";
`;

/** A long list in few lines. */
function inLines(items: readonly string[]): string {
  if (items.length === 0) return "[]";
  const lines: string[] = [];
  for (const item of items) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + item.length < 130) lines[lines.length - 1] = `${line}${item}; `;
    else lines.push(`${item}; `);
  }
  return `/* @__PURE__ */ listed(${lines.map((line) => JSON.stringify(line.slice(0, -2))).join(", ")})`;
}

/** Where it is neither a list of texts nor a record of them. */
const TYPES: Readonly<Record<string, string>> = {
  OWN_OPTIONS: "Readonly<Record<string, readonly string[]>>",
  CHANGING_WORDS: "Readonly<Record<string, readonly string[]>>",
  PRINTING_WORDS: "Readonly<Record<string, readonly string[]>>",
  TOLD_VARIABLES: 'Readonly<Record<string, "word" | "text" | "path">>',
  DAMAGED: "Readonly<Record<string, { readonly fields: Readonly<Record<string, boolean | string>>; readonly message: string }>>",
};

function declared([name, value]: readonly [string, Entry]): string {
  if (name === "AGENT_IDS") return `export const ${name} = ${JSON.stringify(value)} as const;`;
  if (name === "CALL_SIGNS") return `export const ${name} = ${printed(value)} as const;`;
  if (isTexts(value)) return `export const ${name}: readonly string[] = ${inLines(value)};`;
  return `export const ${name}: ${TYPES[name] ?? "Readonly<Record<string, string>>"} = ${printed(value)};`;
}

/** As JSON, with lists of many texts in few lines. */
function printed(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return isTexts(value) && value.length > 8 ? inLines(value) : `[${value.map(printed).join(", ")}]`;
  return `{ ${Object.entries(value)
    .map(([name, own]) => `${JSON.stringify(name)}: ${printed(own)}`)
    .join(", ")} }`;
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

/** The rule that means what a host's own tool does; undefined where rules know it by its name. */
function ruleOfTool(tool: ToolFacts): string | undefined {
  switch (tool.does) {
    case "shell":
    case "argv":
      return "Bash";
    case "file":
      return tool.operation === "read" ? "Read" : tool.operation === "list" ? "List" : "Edit";
    case "patch":
      return "Edit";
    case "fetch":
      return "WebFetch";
    case "tool":
    case "opaque":
      return undefined;
  }
}

function hostTools(): string {
  const named = new Map<string, Set<string>>();
  for (const { protocol } of AGENTS)
    for (const [name, facts] of Object.entries(protocol.tools)) {
      const rule = ruleOfTool(facts);
      named.set(name, (named.get(name) ?? new Set()).add(rule ?? ""));
    }
  // What is a rule's name of its own, or means different things in different hosts, is left out.
  const rows = [...named].flatMap(([name, rules]) => {
    const [rule = ""] = rules;
    return rules.size > 1 || rule === "" || isRuleName(name) ? [] : [[name, rule] as const];
  });
  const names = (wanted: string): readonly string[] => rows.flatMap(([name, rule]) => (rule === wanted ? [name] : [])).toSorted();
  const record = [...new Set(rows.map(([, rule]) => rule))].toSorted().map((rule) => `${rule}: ${inLines(names(rule))}`);
  return [TOOLS_HEAD, `export const HOST_TOOLS: Readonly<Record<string, readonly string[]>> = { ${record.join(", ")} };`].join("\n");
}

function isRuleName(name: string): boolean {
  const parsed = parseRule(name);
  return parsed.ok && parsed.matcher.kind !== "tool";
}

const TOOLS_HEAD = `/**
 * Tools of the hosts that are judged by what they do, by the rule that means them: a rule of the tool's own name would guard
 * nothing. Written by \`npm run generate\` from the agents' own files.
 */
import { listed } from "./listed.ts";
`;

export const agentTableDocs: readonly { readonly file: string; readonly update: () => string }[] = [
  { file: "packages/core/src/policy/tables/host-tools.ts", update: hostTools },
  { file: "packages/core/src/policy/tables/agent-table.ts", update: () => [HEAD, ...Object.entries(agentTable).map(declared)].join("\n") },
];
