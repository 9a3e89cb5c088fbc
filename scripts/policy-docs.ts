import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import { DANGERS } from "@assent/core/action";
import {
  OPERATION_MEANINGS,
  operationBlock,
  operationRule,
  optionRule,
  policySchema,
  ruleEntry,
  ruleObject,
} from "../packages/core/src/policy/read/schema.ts";

/** What is generated from the policy schema and the danger classes. `update` takes the file as it is. */
export const policyDocs: readonly { readonly file: string; readonly update: (before: string) => string }[] = [
  { file: "schema/policy.schema.json", update: () => `${JSON.stringify(jsonSchema(), undefined, 2)}\n` },
  { file: "docs/policy.md", update: (before) => between(before, "dangers", dangerTable()) },
  { file: "site/generated/policy-keys.md", update: keyTables },
];

/** Keywords of editors: policy files have comments and trailing commas. */
const EDITORS = { allowComments: true, allowTrailingCommas: true };

function jsonSchema(): JsonSchema {
  const converted = convert(policySchema);
  const { $schema, ...rest } = converted;
  return {
    ...($schema === undefined ? {} : { $schema }),
    title: "Assent policy",
    description: "What an AI agent may do. See docs/policy.md.",
    ...EDITORS,
    ...rest,
  };
}

/** Replaces what stands between `<!-- generated: NAME -->` and `<!-- end -->`. */
export function between(text: string, name: string, content: string): string {
  const open = `<!-- generated: ${name} -->`;
  const start = text.indexOf(open);
  const end = text.indexOf("<!-- end -->", start);
  if (start < 0 || end < 0) throw new Error(`no markers for ${name}`);
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`;
}

/** A rule and a block are written once and referred to, except where they are the table's subject. */
function convert(schema: Parameters<typeof toJsonSchema>[0]): JsonSchema {
  return toJsonSchema(schema, { typeMode: "input", definitions: { rule: ruleEntry, block: operationBlock } });
}

function keyTables(): string {
  const ofRules = rows(convert(ruleObject), "");
  return [
    "# Every key of a policy",
    table("**The file**", rows(convert(policySchema), "")),
    table("**A rule with a reason and examples**", ofRules),
    table(
      "**A rule about an option** (and what a rule with a reason has)",
      rows(convert(optionRule), "").filter((row) => !ofRules.includes(row)),
    ),
    table("**An operation block** (`operations.read` and so on)", rows(convertBlock(), "")),
    table("**A rule of an operation block**", rows(convert(operationRule), "")),
  ]
    .join("\n\n")
    .concat("\n");
}

function convertBlock(): JsonSchema {
  return toJsonSchema(operationBlock, { typeMode: "input", definitions: { line: operationRule } });
}

function table(title: string, lines: readonly string[]): string {
  return `${title}\n\n| key | value | meaning |\n|---|---|---|\n${lines.join("\n")}`;
}

function rows(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    if (typeof property === "boolean") return [];
    const name = `${prefix}${key}`;
    const needed = schema.required?.includes(key) === true ? " (required)" : "";
    const meaning = property.description ?? BLOCK_MEANINGS[name] ?? "";
    const row = `| \`${name}\`${needed} | ${valueOf(property)} | ${meaning.replaceAll("|", "\\|")} |`;
    return [row, ...rows(property, `${name}.`)];
  });
}

const BLOCK_MEANINGS: Record<string, string> = Object.fromEntries(
  Object.entries(OPERATION_MEANINGS).map(([name, meaning]) => [`operations.${name}`, meaning]),
);

const REFERENCES: Record<string, string> = { rule: "rule", block: "operation block", line: "rule of a block" };

function valueOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return REFERENCES[schema.$ref.split("/").at(-1) ?? ""] ?? "object";
  if (schema.allOf !== undefined) return schema.allOf.map((part) => (typeof part === "boolean" ? "" : valueOf(part))).join("");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => (typeof part === "boolean" ? "" : valueOf(part))).join(" or ");
  switch (schema.type) {
    case "string":
      return "text";
    case "array":
      return `list of: ${typeof schema.items === "object" && !Array.isArray(schema.items) ? valueOf(schema.items) : "anything"}`;
    case "integer":
    case "number":
      return "whole number";
    case "object":
      return "object";
    default:
      return "anything";
  }
}

function dangerTable(): string {
  const lines = Object.entries(DANGERS).map(([id, { effect, title }]) => `| \`${id}\` | ${effect} | ${title} |`);
  return `| class | verdict | what it is |\n|---|---|---|\n${lines.join("\n")}`;
}
