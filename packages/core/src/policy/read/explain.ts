import * as v from "valibot";
import { brief } from "../../action/index.ts";
import { isObject } from "../../data/index.ts";
import { OPERATIONS } from "../match/types.ts";
import { optionRule, policySchema, ruleObject, toolRule } from "./schema.ts";
import { closest } from "../match/suggest.ts";
import { type Fault, MAX_FAULTS, type JsonNode, offsetOf, type Path, printPath } from "../../edit/json5/index.ts";

type Issue = v.BaseIssue<unknown>;

/** What valibot found wrong with the value of `root`, in words for the person who wrote it. */
export function explainAll(issues: readonly Issue[], root: JsonNode, base: Path = []): Fault[] {
  return issues.slice(0, MAX_FAULTS).flatMap((issue) => explain(issue, root, base));
}

function explain(issue: Issue, root: JsonNode, base: Path): Fault[] {
  const path: Path = [...base, ...(issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)))];
  const newline = issue.message.indexOf("\n");
  const data = newline < 0 ? issue.message : issue.message.slice(0, newline);
  const example = newline < 0 ? "" : issue.message.slice(newline + 1);
  const name = path.length === 0 ? "the policy" : quoted(nameOf(path));
  const at = (message: string, help: string): Fault[] => [
    { offset: offsetOf(root, path, false), path, message, ...(help === "" ? {} : { help }) },
  ];

  if (issue.kind === "validation") return at(`${name}: ${data}`, example);
  switch (issue.type) {
    case "strict_object":
      if (issue.expected === "never") return unknownKeys(issue, data.split(" "), root, path.slice(0, -1));
      if (issue.expected !== "Object") return at(`missing key ${name}`, example);
      return at(`${name} must be an object, not ${describe(received(issue, root, path))}`, example);
    case "picklist": {
      const words = data.split(" ");
      const list = words.map((word) => `\`${word}\``).join(", ");
      if (typeof issue.input !== "string") return at(`${name} must be one of ${list}, not ${describe(issue.input)}`, "");
      const guess = closest(issue.input, words);
      return at(
        `unknown value ${describe(issue.input)} for ${name}`,
        guess === undefined ? `use one of ${list}` : `did you mean \`${guess}\`?`,
      );
    }
    case "literal":
      return at(`${name} must be \`${issue.expected ?? ""}\`, not ${describe(issue.input)}`, example);
    case "union":
      return explainUnion(issue, example, root, path);
    default:
      return at(`${name} must be ${NOUNS[issue.type] ?? issue.type}, not ${describe(received(issue, root, path))}`, example);
  }
}

const NOUNS: Record<string, string> = {
  string: "a text",
  number: "a number",
  array: "a list",
  boolean: "true or false",
  record: "an object",
};

/** valibot says only that no alternative fits: take the one the writer had in mind and say what is wrong with that. */
function explainUnion(issue: Issue, example: string, root: JsonNode, path: Path): Fault[] {
  const input = issue.input;
  if (isObject(input) && path[0] === "permissions" && path.length === 3) {
    const isOption = input["tool"] === "Bash" || "command" in input || "when" in input;
    const schema = "rule" in input || (!isOption && !("tool" in input)) ? ruleObject : isOption ? optionRule : toolRule;
    return explainAll(v.safeParse(schema, input).issues ?? [], root, path);
  }
  // A text or a list of texts, of which some are wrong.
  const inner = (issue.issues ?? []).filter((one) => (one.path?.length ?? 0) > 0 || one.kind === "validation");
  if (Array.isArray(input) && inner.length > 0) return explainAll(inner, root, path);
  const what = path.at(-1) === "command" || path.at(-2) === "when" ? "a text or a list of texts" : "a text or an object";
  const message = `${quoted(nameOf(path))} must be ${what}, not ${describe(input)}`;
  return [{ offset: offsetOf(root, path, false), path, message, ...(example === "" ? {} : { help: example }) }];
}

/** valibot stops at the first unknown key; people want to hear of all of them. */
function unknownKeys(issue: Issue, known: readonly string[], root: JsonNode, path: Path): Fault[] {
  const input = issue.path?.at(-1)?.input;
  if (typeof input !== "object" || input === null) return [];
  return Object.keys(input)
    .filter((key) => !known.includes(key))
    .slice(0, MAX_FAULTS)
    .map((key) => {
      const where = [...path, key];
      const help = keyHelp(key, known, path);
      return {
        offset: offsetOf(root, where, true),
        path: where,
        message: `unknown key ${quoted(key)}`,
        ...(help === undefined ? {} : { help }),
      };
    });
}

function keyHelp(key: string, known: readonly string[], path: Path): string | undefined {
  if (path.length > 0 && Object.hasOwn(policySchema.entries, key)) return `\`${key}\` belongs at the top level`;
  if (path.length === 0 && ["allow", "ask", "deny"].includes(key)) return `\`${key}\` belongs in \`permissions\``;
  if (path.length === 0 && OPERATIONS.some((name) => name === key)) return `\`${key}\` belongs in \`operations\``;
  const guess = closest(key, known);
  return guess === undefined ? `use one of ${known.map((name) => `\`${name}\``).join(", ")}` : `did you mean \`${guess}\`?`;
}

/** schema.ts hands a list on as undefined so that valibot refuses it; say what was really there. */
function received(issue: Issue, root: JsonNode, path: Path): unknown {
  if (issue.input !== undefined) return issue.input;
  let node: JsonNode | undefined = root;
  for (const step of path) {
    if (typeof step === "number") node = node?.kind === "array" ? node.items[step] : undefined;
    else node = node?.kind === "object" ? node.members.findLast(({ key }) => key === step)?.value : undefined;
  }
  return node?.kind === "array" ? [] : undefined;
}

/** The shortest name people recognise: the last key, with its indexes. */
function nameOf(path: Path): string {
  const last = path.findLastIndex((step) => typeof step === "string");
  return printPath(path.slice(Math.max(last, 0)));
}

function quoted(name: string): string {
  return `\`${brief(name)}\``;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return `\`${brief(JSON.stringify(value), 60)}\``;
  return `\`${brief(String(value), 60)}\``;
}
