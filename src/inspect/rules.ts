import type { Effect, LayerName, OperationName, Problem, Rule } from "../policy/index.ts";
import type { Inspection } from "./load.ts";
import { neverMatches } from "./never.ts";
import { type SettingLine, settingLines } from "./settings.ts";
import { shadows, shadowsInBlock, type Shadow } from "./shadow.ts";

/** One rule in force, with what keeps it from deciding anything. */
export interface RuleLine {
  readonly rule: Rule;
  /** The `operations` block it stands in. */
  readonly block?: OperationName;
  readonly shadow?: Shadow;
  readonly never?: string;
}

/** The default of an `operations` block. */
export interface BlockDefault {
  readonly operation: OperationName;
  readonly effect: Effect;
  readonly layer: LayerName;
  readonly file: string;
  readonly line: number;
}

export interface FileLine {
  readonly layer: LayerName;
  readonly file: string;
  readonly trusted: boolean;
  /** Why nothing of it counts; warnings where it does. */
  readonly problems: readonly Problem[];
}

export interface Listing {
  readonly settings: readonly SettingLine[];
  readonly files: readonly FileLine[];
  readonly rules: readonly RuleLine[];
  readonly defaults: readonly BlockDefault[];
}

/** Every rule of the files found, in layer and file order, marked where it can never decide anything. */
export function listRules(inspection: Inspection): Listing {
  const { policy, files, context } = inspection;
  // A project's rules get their folder, or lose their say, when the layers are joined; allow rules that are left out there are shown as well.
  const joined = new Map(policy.rules.map((rule) => [placeOf(rule), rule]));
  const all = files
    .flatMap(({ result }) => (result.ok ? result.policy.rules : []))
    .map((rule) => joined.get(placeOf(rule)) ?? { ...rule, untrusted: true });
  // What `write` says of edits too is one rule to those who read.
  const blocks = policy.operations.filter(
    ({ operation, rules }) => operation !== "edit" || !rules.some(({ source }) => source.text.startsWith("write ")),
  );
  const blockRules = blocks.flatMap((block) => block.rules.map((rule) => ({ rule, block: block.operation })));
  const shadowed = new Map([
    ...shadows([...all, ...blockRules.map(({ rule }) => rule)], inspection),
    ...blocks.flatMap(({ rules }) => [...shadowsInBlock(rules, inspection)]),
  ]);
  const line = (rule: Rule, block?: OperationName): RuleLine => {
    const never = neverMatches(rule, context);
    const shadow = never === undefined ? shadowed.get(rule) : undefined;
    return {
      rule,
      ...(block === undefined ? {} : { block }),
      ...(shadow === undefined ? {} : { shadow }),
      ...(never === undefined ? {} : { never }),
    };
  };
  return {
    settings: settingLines(files),
    files: files.map(({ source, trusted, result }) => ({
      layer: source.layer,
      file: source.file,
      trusted,
      problems: result.ok ? result.warnings : result.problems,
    })),
    rules: [...all.map((rule) => line(rule)), ...blockRules.map(({ rule, block }) => line(rule, block))],
    defaults: blocks.flatMap(({ operation, layer, default: effect, defaultSource }) =>
      effect === undefined || defaultSource === undefined
        ? []
        : [{ operation, effect, layer, file: defaultSource.file, line: defaultSource.line }],
    ),
  };
}

const placeOf = ({ source }: Rule): string => `${source.file}:${source.line}:${source.column}:${source.text}`;
