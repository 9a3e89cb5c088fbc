// `npm run generate`: the packs that Assent brings along (`"extends": ["assent:databases"]`), made from the tables of knowledge: a rule for
// each subcommand and each row of `dangers` that deletes or wipes what others use.
import { readKnowledge } from "./knowledge.mjs";

const PACKS = {
  databases: { families: ["databases"], reason: "it deletes data, or wipes a database" },
  cloud: { families: ["aws", "cloud", "infrastructure", "platforms"], reason: "it deletes what runs or is kept in the cloud" },
};
const DANGERS = ["remote-destroy", "data-wipe"];
/** Rows that so many programs share are words of query languages. */
const SHARED = 8;

const alternatives = (word) => {
  const [, before, list, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(word) ?? [];
  return list === undefined ? [word] : list.split(",").flatMap((one) => alternatives(`${before}${one}${after}`));
};
/** All that a row of words stands for. */
const expand = (words) => words.reduce((rows, word) => rows.flatMap((row) => alternatives(word).map((one) => [...row, one])), [[]]);
const oneOf = (names) => (names.length === 1 ? names[0] : `{${names.join(",")}}`);
const example = (words) =>
  words
    .map((word) =>
      alternatives(word)[0]
        .replace(/\[(.).*?\]/, "$1")
        .replaceAll("*", "x"),
    )
    .join(" ");
const eitherCase = (letter) => `[${letter}${letter.toUpperCase()}]`;

const rowsOf = ({ dangers = "" }) =>
  dangers.split(";").flatMap((row) => {
    const [words = "", danger] = row.split(" -> ");
    return DANGERS.includes(danger) ? [words.trim()] : [];
  });

/** Words behind the name that delete: of subcommands, with the examples of their table. */
function* subcommandsOf({ subcommands = {}, effects = "" }, before = []) {
  if (DANGERS.some((danger) => effects.includes(`danger ${danger}`))) yield before;
  for (const [names, spec] of Object.entries(subcommands))
    for (const name of names.split("|")) yield* subcommandsOf(spec, [...before, ...name.split(" ")]);
}

/** Where code of a query language stands: in front of it what is written in a rule, and in a command. */
const queriesOf = ({ options = "", operands = "" }) => [
  ...options.split("\n").flatMap((row) => {
    const [, names, language] = /^(.*)=code\/(\w+)/.exec(row) ?? [];
    const option = names?.split(" ").at(-1);
    return option === undefined ? [] : [{ before: `${option}=`, written: `${option} `, isScript: language === "javascript" }];
  }),
  ...(/code\/(?:sqlite|duckdb|\w*sql)/.test(operands) ? [{ before: "... ", written: "x ", isScript: false }] : []),
];

/** Calls of a script that delete: `.drop`. */
const scriptParts = (queries) =>
  queries.flatMap(([word]) => {
    const text = word.replaceAll("*", "");
    return /[._]|[A-Z]/.test(text) && !text.includes("::") ? [[text, `db.x${text}()`]] : [];
  });

/** Statements that delete, whatever their case: of `drop` with the initials of what it drops. */
function statements(queries) {
  const plain = queries.filter((words) => words.every((word) => /^[a-z]+$/.test(word)));
  return [...new Set(plain.map(([verb]) => verb))].map((verb) => {
    const rows = plain.filter(([first]) => first === verb);
    const initials = [...new Set(rows.map(([, object = ""]) => object.charAt(0)))].join("");
    const after = initials === "" ? "" : `?[${initials}${initials.toUpperCase()}]`;
    return [`${[...verb].map(eitherCase).join("")}${after}`, `${rows[0].join(" ")} x`];
  });
}

function rulesOf({ spec }, shared) {
  const names = spec.names.split(" ");
  const out = [];
  const add = (rule, match) => out.push({ rule, match });
  for (const words of subcommandsOf(spec))
    add(`Shell(${[oneOf(names), ...words.flatMap((word) => ["...", word])].join(" ")})`, `${names[0]} ${example(words)}`);
  for (const row of rowsOf(spec).filter((one) => !shared.has(one))) {
    // The kind of rule lists flags, and has no wildcard in one.
    const words = row.split(" ").map((word) => (word.startsWith("-") && word.endsWith("*") ? word.slice(0, -1) : word));
    if (words.some((word) => /^-.*\*/.test(word))) continue;
    const parts = words.flatMap((word) => (word.startsWith("-") || word.startsWith("{-") ? [word] : ["...", word]));
    add(`Shell(${[oneOf(names), ...parts].join(" ")})`, `${names[0]} ${example(words)}`);
  }
  const queries = [...shared].flatMap((row) => expand(row.split(" ")));
  for (const { before, written, isScript } of queriesOf(spec))
    for (const [pattern, text] of isScript ? scriptParts(queries) : statements(queries))
      add(`Shell(${oneOf(names)} ${before}*${pattern}*)`, `${names[0]} ${written}'${text}'`);
  return out;
}

export async function packPages(root) {
  const { entries } = await readKnowledge(root);
  const counts = new Map();
  for (const { spec } of entries) for (const row of new Set(rowsOf(spec))) counts.set(row, (counts.get(row) ?? 0) + 1);
  const shared = new Set([...counts].flatMap(([row, count]) => (count >= SHARED ? [row] : [])));
  return Object.entries(PACKS).map(([name, { families, reason }]) => {
    const rules = entries.filter(({ family }) => families.includes(family)).flatMap((entry) => rulesOf(entry, shared));
    const once = [...new Map(rules.map((one) => [one.rule, one])).values()];
    const lines = once.map(({ rule, match }) => `      ${JSON.stringify({ rule, reason: `assent:${name}: ${reason}`, match: [match] })},`);
    const head = "// Generated from packages/core/knowledge/*.table by `npm run generate`.";
    const text = [head, "{", '  "version": 1,', '  "permissions": {', '    "deny": [', ...lines, "    ]", "  }", "}", ""].join("\n");
    return { file: `packages/core/packs/${name}.jsonc`, update: () => text };
  });
}
