import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import {
  type Effect,
  joinLayers,
  type Mode,
  type OperationName,
  type Policy,
  type PolicyFile,
  PRESETS,
  type PresetName,
  type UnknownSetting,
} from "@assent/core/policy";
import { GuardOptionError } from "../common/options.ts";
import { IN_CODE, tightenedBy } from "@assent/guard/engine/given";
import { meant, type PackReader, readPolicy } from "@assent/core/policy/read";
import { lowerExample } from "@assent/core/request";

/** Whom a rule is about: one name, or several of which one must be right. */
export interface RuleConditions {
  readonly user?: string | readonly string[];
  readonly tenant?: string | readonly string[];
  readonly role?: string | readonly string[];
  readonly agent?: string | readonly string[];
  readonly session?: string | readonly string[];
}

/** Examples of a rule: texts, or inputs of a tool. */
type RuleExamples = readonly (string | Readonly<Record<string, unknown>>)[];

/** A rule with more than its text. */
export interface RuleObject {
  readonly rule: string;
  readonly reason?: string;
  readonly confined?: false;
  readonly when?: RuleConditions;
  readonly match?: RuleExamples;
  readonly notMatch?: RuleExamples;
}

/** A rule about an option of a program. */
export interface OptionRuleObject {
  readonly tool: "Bash";
  readonly command: string | readonly string[];
  readonly when: RuleConditions & { readonly hasOption: string | readonly string[] };
  readonly reason?: string;
  readonly match?: RuleExamples;
  readonly notMatch?: RuleExamples;
}

/** A rule about a tool that really has this name, although it looks like a slip of the finger. */
export interface ToolRuleObject {
  readonly tool: string;
  readonly reason?: string;
  readonly match?: RuleExamples;
  readonly notMatch?: RuleExamples;
}

/** A rule as it stands in a list of a policy. */
export type RuleInCode = string | RuleObject | OptionRuleObject | ToolRuleObject;

/** The rules of one operation, in order: the first that matches decides. */
export interface OperationObject {
  readonly default?: Effect;
  readonly rules?: readonly { readonly pattern: string; readonly action: Effect; readonly description?: string }[];
}

/** A policy as an object: what stands in a policy file. docs/policy.md says what each key means. */
export interface PolicyObject {
  readonly version?: 1;
  /** Packs of ours. Node only. */
  readonly extends?: readonly string[];
  readonly preset?: PresetName;
  readonly mode?: Mode;
  readonly writableRoots?: readonly string[];
  readonly permissions?: {
    readonly allow?: readonly RuleInCode[];
    readonly ask?: readonly RuleInCode[];
    readonly deny?: readonly RuleInCode[];
  };
  readonly operations?: { readonly default?: Effect } & { readonly [Name in OperationName]?: OperationObject };
  readonly automation?: {
    readonly when?: "everywhere" | "subagents" | "off";
    readonly agents?: { readonly trusted?: readonly string[]; readonly restricted?: readonly string[] };
    readonly breaker?: { readonly denials?: number; readonly minutes?: number };
    readonly refusals?: { readonly minutes?: number };
  };
  readonly unknown?: UnknownSetting;
  readonly bypass?: "asks" | "host";
  readonly audit?: {
    readonly keepDays?: number;
    readonly keepMegabytes?: number;
    readonly otlp?: { readonly endpoint: string; readonly headers?: Readonly<Record<string, string>> };
  };
  readonly undo?: { readonly keepDays?: number; readonly keepMegabytes?: number; readonly keepRuns?: number };
}

/** A preset by its name, or a policy. */
export type CodePolicy = PresetName | PolicyObject;

const MOST_TEXT = 1 << 20;

/** What was read of a policy in code. */
export interface ReadCodePolicy {
  readonly text: string;
  readonly file: PolicyFile;
}

/** By their texts: a server makes the same ones for each request. */
const known = new Map<string, ReadCodePolicy>();
const MOST_KNOWN = 500;

const failureOf =
  (option: string) =>
  (message: string): never => {
    throw new GuardOptionError(option, `${option}: ${message}`);
  };

/** Reads a policy with the same messages as a file's. Throws `GuardOptionError`. */
export function readCodePolicy(policy: CodePolicy, option: string, packs?: PackReader): ReadCodePolicy {
  const fail = failureOf(option);
  const given: unknown = policy;
  if (typeof given === "string" && !PRESETS.some((name) => name === given)) {
    return fail(`the preset ${JSON.stringify(given)} does not exist${meant(given, PRESETS)}`);
  }
  if (typeof given !== "string" && (!isObject(given) || Array.isArray(given)))
    return fail("a policy is the name of a preset, or an object");
  const text = textOf(typeof given === "string" ? { preset: given } : given);
  if (text === undefined) return fail("a policy is plain data: texts, numbers, lists and objects");
  if (text.length > MOST_TEXT) return fail("the policy is too large");
  return readPolicyText(text, option, packs);
}

/** As `readCodePolicy`, for a text that one has. */
export function readPolicyText(text: string, option: string, packs?: PackReader): ReadCodePolicy {
  const fail = failureOf(option);
  const there = known.get(text);
  if (there !== undefined) return there;
  const read = readPolicy(text, { file: IN_CODE, layer: "explicit", examples: lowerExample, ...(packs === undefined ? {} : { packs }) });
  if (!read.ok)
    return fail(
      read.problems
        .map(({ key, message, help }) => `${key === "" ? "" : `${key}: `}${message}${help === undefined ? "" : ` (${help})`}`)
        .join("; "),
    );
  const made = { text, file: read.policy };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, made);
  return made;
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === "function" || typeof inner === "symbol" || typeof inner === "bigint") throw new Error("not data");
      return inner;
    });
  } catch {
    return undefined;
  }
}

const alone = new WeakMap<PolicyFile, Policy>();
let preset: Policy | undefined;

/** Throws `GuardOptionError` where one of these policies cannot be added to what stands in front of it. */
export function checkStricter(first: ReadCodePolicy | undefined, stricter: readonly ReadCodePolicy[]): void {
  let base = first === undefined ? (preset ??= joinLayers([])) : alone.get(first.file);
  if (base === undefined && first !== undefined) alone.set(first.file, (base = joinLayers([{ ok: true, policy: first.file }])));
  try {
    if (base !== undefined)
      tightenedBy(
        base,
        stricter.map(({ file }) => file),
      );
  } catch (error) {
    throw new GuardOptionError("policy", `policy: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What a rule's place says to people: in code there is no line. */
export const placeOfRule = ({
  file,
  line,
  text,
}: {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}): {
  readonly text: string;
  readonly source: string;
  readonly line?: number;
} => ({ text: visible(text), source: file, ...(file === IN_CODE ? {} : { line }) });
