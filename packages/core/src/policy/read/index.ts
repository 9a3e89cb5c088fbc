import * as v from "valibot";
import { brief } from "../../action/index.ts";
import {
  type Fault,
  MAX_FAULTS,
  member,
  type JsonNode,
  offsetOf,
  type Path,
  type TextPlace,
  placeFinder,
  printPath,
  readJson5,
  toValue,
} from "../../edit/json5/index.ts";
import { CONSENT_KEYS, type ConsentEntry, CONSENTS } from "../match/consent.ts";
import { parseRule } from "../parse-rule.ts";
import {
  type AuditSettings,
  type TeamSettings,
  type Automation,
  type LayerName,
  type PolicyFile,
  type Problem,
  type Settings,
  OPERATIONS,
} from "../match/types.ts";
import type { RuleSource } from "../match/verdict.ts";
import { isObject } from "../../data/index.ts";
import { closest } from "../match/suggest.ts";
import { checkPatterns, type RuleOrigin, readOperations } from "./operations.ts";
import type { ExampleResult, ReadOptions, ReadResult } from "./result.ts";
import { readRules } from "./rules.ts";
import { type PolicyInput, policySchema, optionRule, ruleObject, toolRule } from "./schema.ts";

export type { ExampleResult, PackReader, PacksRead, ReadOptions, ReadResult } from "./result.ts";
export { meant } from "../match/suggest.ts";
export { MAX_LENGTH } from "../../edit/json5/index.ts";

const LONGEST_LINE = 400;

/**
 * Reads the text of a policy file. It is used whole or not at all: with one error there is no policy.
 *
 * ```ts
 * const read = readPolicy('{ "permissions": { "denny": [] } }', { file: "policy.jsonc", layer: "user", examples });
 * // { ok: false, problems: [{ line: 1, column: 20, message: "unknown key `denny`", help: "did you mean `deny`?", … }] }
 * ```
 */
export function readPolicy(text: string, options: ReadOptions): ReadResult {
  const { file, layer, root, untrusted, check } = options;
  const placeOf = placeFinder(text);
  const problem =
    (severity: Problem["severity"]) =>
    (fault: Fault): Problem => ({
      severity,
      file,
      ...placeOf(fault.offset),
      key: printPath(fault.path),
      // Parsers of rules and patterns quote the file as it is.
      message: brief(fault.message, LONGEST_LINE),
      ...(fault.help === undefined ? {} : { help: brief(fault.help, LONGEST_LINE) }),
    });
  const broken = (faults: readonly Fault[], examples: readonly ExampleResult[] = [], others: readonly Problem[] = []): ReadResult => ({
    ok: false,
    problems: [...inOrder(faults).map(problem("error")), ...others],
    examples,
  });

  const { root: tree, faults } = readJson5(text);
  if (tree === undefined) return broken(faults);

  const origin: RuleOrigin = { layer, ...(root === undefined ? {} : { root }), ...(untrusted === undefined ? {} : { untrusted }) };
  const sourceOf = (rule: string, path: Path): RuleSource => ({ text: rule, file, ...placeOf(offsetOf(tree, path, false)) });
  const { rules, faults: ruleFaults, doubts, checked: held } = readRules(tree, { origin, sourceOf, examples: options.examples });
  const own = held.map(({ offset, rule, key, example, fault }): ExampleResult => ({
    file,
    ...placeOf(offset),
    rule,
    key,
    example: typeof example === "string" ? example : JSON.stringify(example),
    ...(fault === undefined ? {} : { problem: problem("error")(fault) }),
  }));
  const checked = v.safeParse(policySchema, toValue(tree));
  const named = (checked.success && checked.output.extends) || [];
  const packs = named.length === 0 ? undefined : options.packs?.(tree, named, options);
  const examples = [...own, ...(packs?.examples ?? [])];
  const all = [
    ...faults,
    ...explainAll(checked.issues ?? [], tree),
    ...ruleFaults,
    ...checkPatterns(tree),
    ...teamFaults(tree),
    ...misplacedName(tree, layer),
    ...consentFaults(tree, layer),
    ...(check?.(tree) ?? []),
    ...(packs?.faults ?? named.map(() => ({ offset: 0, path: ["extends"], message: "packs are not read here" }))),
  ];
  if (!checked.success || all.length > 0 || packs?.problems.length) return broken(all, examples, packs?.problems);

  const operations = checked.output.operations === undefined ? [] : readOperations(checked.output.operations, origin, sourceOf);
  const policy: PolicyFile = {
    file,
    layer,
    settings: readSettings(checked.output),
    rules: [...rules, ...(packs?.rules ?? [])],
    operations,
  };
  const warnings = [...inOrder([...doubts, ...idle(tree), ...(packs?.doubts ?? [])]).map(problem("warning")), ...(packs?.warnings ?? [])];
  return { ok: true, policy, warnings, examples };
}

/** By place, each once: a number may break two rules that read the same. */
function inOrder(faults: readonly Fault[]): readonly Fault[] {
  const once = new Map(faults.map((fault) => [`${fault.offset} ${fault.message}`, fault]));
  return [...once.values()].toSorted((a, b) => a.offset - b.offset).slice(0, MAX_FAULTS);
}

/** Texts that are no rules would be answered by nobody, or need no second person. */
function teamFaults(tree: JsonNode): readonly Fault[] {
  const team = member(tree, "team")?.value;
  const passkeys = member(team, "passkeys")?.value;
  const lists = [
    { path: ["team", "answers"], rules: member(team, "answers")?.value },
    { path: ["team", "twoPeople"], rules: member(team, "twoPeople")?.value },
    { path: ["team", "passkeys", "rules"], rules: member(passkeys, "rules")?.value },
    ...waitLists(member(team, "waits")?.value),
  ];
  const ruleFaults = lists.flatMap(({ path, rules }) => {
    if (rules?.kind !== "array") return [];
    return rules.items.flatMap((item, index): Fault[] => {
      if (item.kind !== "scalar" || typeof item.value !== "string" || item.value === "") return [];
      const parsed = parseRule(item.value);
      if (parsed.ok) return [];
      const { message, help } = parsed;
      return [{ offset: item.start, path: [...path, index], message, ...(help === undefined ? {} : { help }) }];
    });
  });
  return [...ruleFaults, ...twiceFaults(member(passkeys, "credentials")?.value)];
}

const waitLists = (
  waits: JsonNode | undefined,
): readonly { readonly path: readonly (string | number)[]; readonly rules: JsonNode | undefined }[] =>
  waits?.kind === "array"
    ? waits.items.map((item, index) => ({ path: ["team", "waits", index, "rules"], rules: member(item, "rules")?.value }))
    : [];

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_WAIT_MS = 3_600_000;
/** `90s`, `10m`, `1h`, as the schema lets them through. */
const waitOf = (text: string): number => Math.min(LONGEST_WAIT_MS, Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0));

/** Who has one passkey under two names would be two people. */
function twiceFaults(credentials: JsonNode | undefined): readonly Fault[] {
  if (credentials?.kind !== "array") return [];
  const seen = new Set<string>();
  return credentials.items.flatMap((item, index) =>
    ["id", "key"].flatMap((name): Fault[] => {
      const value = member(item, name)?.value;
      if (value?.kind !== "scalar" || typeof value.value !== "string") return [];
      const text = `${name} ${value.value}`;
      if (!seen.has(text)) {
        seen.add(text);
        return [];
      }
      const path = ["team", "passkeys", "credentials", index, name];
      return [{ offset: value.start, path, message: `another passkey has this ${name}`, help: "remove one of the two" }];
    }),
  );
}

/** Elsewhere the name of a profile says that the file is in the wrong place. */
function misplacedName(tree: JsonNode, layer: LayerName): readonly Fault[] {
  const found = layer === "profile" ? undefined : member(tree, "profile");
  if (found === undefined) return [];
  const help = "remove it; `assent profile edit NAME` opens a profile";
  return [{ offset: found.keyStart, path: ["profile"], message: "`profile` belongs in profiles only", help }];
}

/** A repository's file, or one that a variable can name, gives no consents; and each has exactly what bounds it. */
function consentFaults(tree: JsonNode, layer: LayerName): readonly Fault[] {
  const found = member(tree, "consents");
  if (found === undefined) return [];
  const help = "only your own policy file may hold what you said yes to: remove it here";
  if (layer !== "user")
    return [{ offset: found.keyStart, path: ["consents"], message: "`consents` belongs in your own policy only", help }];
  return (found.value.kind === "array" ? found.value.items : []).flatMap((item, index): readonly Fault[] => {
    const name = member(item, "consent")?.value;
    const known = CONSENTS.find((one) => name?.kind === "scalar" && name.value === one);
    if (known === undefined || item.kind !== "object") return [];
    const path = ["consents", index];
    const keys: readonly string[] = ["consent", "root", ...CONSENT_KEYS[known]];
    const missing = keys.filter((key) => member(item, key) === undefined);
    const foreign = item.members.filter(({ key }) => key !== "given" && key !== "by" && !keys.includes(key));
    return [
      ...missing.map((key) => ({ offset: item.start, path, message: `\`${known}\` needs the key \`${key}\`` })),
      ...foreign.map(({ key, keyStart }) => ({
        offset: keyStart,
        path: [...path, key],
        message: `\`${known}\` has no key \`${brief(key)}\``,
      })),
    ];
  });
}

/** Keys that agentperm's example files carry and nothing has ever read. */
function idle(tree: JsonNode): readonly Fault[] {
  const shell = member(tree, "shell");
  if (shell === undefined) return [];
  return [
    {
      offset: shell.keyStart,
      path: ["shell"],
      message: "`shell` has no effect",
      help: "remove it; redirects are judged as the file writes they are",
    },
  ];
}

/** Where a file sets one of its own keys; undefined where it does not. */
export function keyPlace(text: string, key: string): TextPlace | undefined {
  const found = member(readJson5(text).root, key);
  return found === undefined ? undefined : placeFinder(text)(found.keyStart);
}

/** What an `automation` block says where it is silent. */
const AUTOMATION: Automation = {
  when: "everywhere",
  agents: { trusted: [], restricted: [] },
  breaker: { denials: 10, minutes: 0 },
  refusals: { minutes: 10 },
};
const KEEP = { keepDays: 90, keepMegabytes: 4096 };
const KEEP_UNDO = { keepDays: 30, keepMegabytes: 5120, keepRuns: 2000 };

/** The settings a file makes; one it does not make is absent. */
function readSettings(input: PolicyInput): Partial<Settings> {
  const { preset, mode, writableRoots, unknown, bypass, automation, audit, undo, team, wrappers, aliases, consents } = input;
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(mode === undefined ? {} : { mode }),
    ...(writableRoots === undefined ? {} : { writableRoots }),
    ...(unknown === undefined ? {} : { unknown }),
    ...(bypass === undefined ? {} : { bypass }),
    ...(automation === undefined ? {} : { automation: readAutomation(automation) }),
    ...(audit === undefined ? {} : { audit: readAudit(audit) }),
    ...(undo === undefined ? {} : { undo: { ...KEEP_UNDO, ...undo } }),
    ...(team === undefined ? {} : { team: teamOf(team) }),
    ...(wrappers === undefined ? {} : { wrappers }),
    ...(aliases === undefined ? {} : { aliases }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `consentFaults` holds the keys of each
    ...(consents === undefined ? {} : { consents: consents as readonly ConsentEntry[] }),
  };
}

function teamOf({ answers = [], twoPeople = [], waits, ...rest }: NonNullable<PolicyInput["team"]>): TeamSettings {
  const shown = waits?.map(({ wait, ...about }) => ({ ...about, milliseconds: waitOf(wait) }));
  return { ...rest, answers, twoPeople, ...(shown === undefined ? {} : { waits: shown }) };
}

function readAutomation(input: NonNullable<PolicyInput["automation"]>): Automation {
  return {
    when: input.when ?? AUTOMATION.when,
    agents: {
      trusted: input.agents?.trusted ?? AUTOMATION.agents.trusted,
      restricted: input.agents?.restricted ?? AUTOMATION.agents.restricted,
    },
    breaker: { ...AUTOMATION.breaker, ...input.breaker },
    refusals: { ...AUTOMATION.refusals, ...input.refusals },
  };
}

function readAudit({ otlp, ...keep }: NonNullable<PolicyInput["audit"]>): AuditSettings {
  return { ...KEEP, ...keep, ...(otlp === undefined ? {} : { otlp: { endpoint: otlp.endpoint, headers: otlp.headers ?? {} } }) };
}

type Issue = v.BaseIssue<unknown>;

/** What valibot found wrong with the value of `root`, in words for the person who wrote it. */
function explainAll(issues: readonly Issue[], root: JsonNode, base: Path = []): Fault[] {
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
