import type { JsonNode } from "@assent/core/edit/json5";
import { Collector, type Converted, type Loss, made, type NativeRead, type NativeOrigin, textRule } from "@assent/import/import";
import { compareDecisions, OPERATIONS, type OperationName } from "@assent/core/policy";
import { at, type JsonFile, readJson, textOfNode } from "../rules/json.ts";
import { keepOrdered, type OrderedRule } from "../rules/ordered.ts";
import { readPythonRuleset } from "./python-ruleset.ts";

/**
 * A `PermissionRuleset` of pydantic-ai-backend: as JSON (`model_dump_json`), or as it stands in Python. For each operation the first rule that matches
 * decides, else the block's default, which is `allow` where none is written; an operation without a block has the
 * ruleset's, which is `ask`. `*` is any text without a `/`, also in commands; `**` is any text.
 */
export function readPydantic(text: string): NativeRead {
  // What both can read, a dict without a name, has Python's escapes.
  const file = (isStrictJson(text) ? undefined : readPythonRuleset(text)) ?? readJson(text);
  if ("problem" in file) return file;
  const { root } = file;
  const into = new Collector();
  const whole = actionOf(at(root, "default"), "ask");
  if (whole === undefined) return unknownAction(file, at(root, "default") ?? root);
  for (const operation of OPERATIONS) {
    const block = at(root, operation);
    const none = block === undefined || isNull(block);
    const fallback = none ? whole : block.kind === "object" ? actionOf(at(block, "default"), "allow") : undefined;
    if (fallback === undefined) return unknownAction(file, (none ? undefined : at(block, "default")) ?? block ?? root);
    const rules = none ? [] : rulesOf(operation, block, file, into);
    if ("problem" in rules) return rules;
    const { before, otherwise } = operation === "execute" ? withDefault(rules, fallback) : { before: rules, otherwise: fallback };
    const origin: NativeOrigin = {
      effect: otherwise,
      text: `${none ? "" : `${operation} `}default ${otherwise}`,
      line: file.lineOf(none ? root : block),
    };
    into.keep([made(origin, { list: "default", operation })], origin);
    if (operation === "execute") readCommands(before, otherwise, into);
    else for (const rule of rules) into.keep(filesRule(operation, rule), rule);
    if (operation === "write" && (fallback === "allow" || rules.some(({ effect }) => effect === "allow")))
      into.lose(
        { ...origin, effect: "allow" },
        "kept, but to write also means to delete, to rename and to make folders here",
        'ask for it with `"ask": ["Delete"]`',
      );
  }
  if (new Set(["glob", "grep", "ls"].map((name) => JSON.stringify(blockText(text, at(root, name))))).size > 1)
    into.lose({ text: "glob, grep, ls", line: 1 }, "kept, but to an agent's tools they are one: the strictest of the three holds");
  for (const { key, keyStart } of root.kind === "object" ? root.members : [])
    if (key !== "default" && !OPERATIONS.some((name) => name === key))
      into.lose({ text: key, line: file.lineOf({ start: keyStart }) }, "nothing is known of this key");
  return into.result();
}

/** Whether a text of Python holds such a ruleset. */
export function isPydanticPython(text: string): boolean {
  const file = readPythonRuleset(text);
  return file !== undefined && ("problem" in file || isPydantic(file.root));
}

function isStrictJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** Whether a text of JSON is such a ruleset. */
export function isPydantic(root: JsonNode): boolean {
  if (root.kind !== "object" || root.members.length === 0) return false;
  const blocks = root.members.filter(({ key, value }) => OPERATIONS.some((name) => name === key) && value.kind === "object");
  return blocks.length > 0 && root.members.every(({ key }) => key === "default" || OPERATIONS.some((name) => name === key));
}

const isNull = (node: JsonNode): boolean => node.kind === "scalar" && node.value === null;
const blockText = (text: string, node: JsonNode | undefined): string =>
  node === undefined ? "" : text.slice(node.start, node.end).replace(/\s/g, "");

function actionOf(node: JsonNode | undefined, otherwise: NativeOrigin["effect"]): NativeOrigin["effect"] | undefined {
  if (node === undefined) return otherwise;
  const action = textOfNode(node);
  return action === "allow" || action === "ask" || action === "deny" ? action : undefined;
}

const unknownAction = ({ lineOf }: JsonFile, node: JsonNode): Extract<NativeRead, { readonly problem: string }> => ({
  line: lineOf(node),
  column: 1,
  problem: "the action is none of allow, ask and deny: the library does not load it either",
});

/** A rule for everything that is no looser than the default takes its place; a star leaves texts with a `/` to the rules behind it. */
function withDefault(
  rules: readonly Rule[],
  fallback: NativeOrigin["effect"],
): { readonly before: readonly Rule[]; readonly otherwise: NativeOrigin["effect"] } {
  const at = rules.findIndex(({ pattern, effect }) => /^\*+$/.test(pattern) && compareDecisions(effect, fallback) >= 0);
  const found = rules[at];
  if (found === undefined) return { before: rules, otherwise: fallback };
  const behind = found.pattern === "*" ? rules.slice(at + 1).filter(({ effect }) => compareDecisions(effect, found.effect) >= 0) : [];
  return { before: [...rules.slice(0, at), ...behind], otherwise: found.effect };
}

interface Rule extends NativeOrigin {
  readonly pattern: string;
}

function rulesOf(
  operation: OperationName,
  block: JsonNode,
  file: JsonFile,
  into: Collector,
): readonly Rule[] | Extract<NativeRead, { readonly problem: string }> {
  const list = at(block, "rules");
  if (list === undefined || isNull(list)) return [];
  if (list.kind !== "array") {
    into.lose({ text: `${operation}.rules`, line: file.lineOf(list) }, "it is not a list");
    return [];
  }
  const rules: Rule[] = [];
  for (const item of list.items) {
    const pattern = textOfNode(at(item, "pattern"));
    const effect = actionOf(at(item, "action"), "ask");
    const description = textOfNode(at(item, "description"));
    if (pattern === undefined || at(item, "action") === undefined || effect === undefined) return unknownAction(file, item);
    const origin: NativeOrigin = { effect, text: `${operation} ${pattern}: ${effect}`, line: file.lineOf(item) };
    rules.push({ ...origin, pattern, ...(description === undefined || description === "" ? {} : { reason: description }) });
  }
  return rules;
}

/**
 * Commands are compared as text there, as a whole, and one by one here. A star that stops at a `/` cannot be said: the
 * rule is taken over with a star that does not, and what only that matches keeps the strictness of the default.
 */
function readCommands(rules: readonly Rule[], fallback: NativeOrigin["effect"], into: Collector): void {
  const ordered = rules.map((rule): OrderedRule => {
    const glob = commandGlob(rule.pattern);
    return { ...rule, domain: "command", glob, convert: (origin) => textRule(origin, glob, { bare: false }), operations: ["execute"] };
  });
  keepOrdered(ordered, into);
  for (const { pattern, ...rule } of rules) {
    if (compareDecisions(rule.effect, fallback) >= 0) continue;
    for (const wider of widerThan(pattern)) {
      const origin: NativeOrigin = { effect: fallback, text: rule.text, line: rule.line };
      const kept = textRule(origin, wider, { bare: false });
      // Without its counterpart the rule would mean more than it did.
      if ("why" in kept) into.lose(rule, `kept, but its star also means a \`/\` here: ${kept.why}`);
      else into.keep(kept, origin);
    }
  }
}

/** `**` and `*` are any text in a command of ours. */
const commandGlob = (pattern: string): string => pattern.replaceAll("\\", "\\\\").replace(/\*+/g, "*");

/** For each wildcard that stops at a `/` there: the same pattern with a `/` in its place. */
function widerThan(pattern: string): readonly string[] {
  const wider: string[] = [];
  for (const { 0: run, index } of pattern.matchAll(/\*+|\?/g)) {
    if (run.length > 1) continue;
    const put = run === "?" ? "/" : "*/*";
    wider.push(commandGlob(`${pattern.slice(0, index)}\0${pattern.slice(index + 1)}`).replace("\0", put));
  }
  return wider;
}

/** A rule about files, in the order it has there. */
function filesRule(operation: Exclude<OperationName, "execute">, rule: Rule): readonly Converted[] | Loss {
  const { pattern: written, ...origin } = rule;
  const pattern = filesPattern(written, rule.effect);
  if (typeof pattern !== "string") return pattern;
  const sample = pattern.replaceAll("**/", "").replace(/\*+/g, "x1").replaceAll("?", "x");
  const match = /[[\]{}\\]/.test(pattern) ? [] : [sample];
  return [{ ...made(origin, { list: operation, pattern }, { match }), ordered: true }];
}

function filesPattern(written: string, effect: NativeOrigin["effect"]): string | Loss {
  if (written === "") return { why: "the pattern is empty" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written)) return { why: "`..` in a pattern" };
  if (written.startsWith("~") && effect === "allow") return { why: "`~` stands for itself there", help: "write the folder itself" };
  // There these also take a `/`, here they never do.
  if (effect !== "allow" && /\[[!^]|\[[^\]]*\/[^\]]*\]/.test(written))
    return { why: "a set that also takes a `/`", help: "write `*` in its place" };
  return written.replace(/[{}\\]/g, "\\$&");
}
