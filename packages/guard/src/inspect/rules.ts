import type { World } from "@assent/core/action";
import {
  lowerExample,
  findSources,
  judgeContext,
  policyFile,
  type PolicyDraft,
  type PolicySource,
  realWorld,
  settingsInForce,
  withDraft,
} from "../engine/index.ts";
import { layerOf, readEach, readInForce, type SourceRead } from "../engine/reader/index.ts";
import { isWithin } from "@assent/core/path";
import {
  DEFAULT_SETTINGS,
  type Effect,
  joinLayers,
  type JudgeContext,
  type LayerName,
  LAYERS,
  type OperationName,
  type Policy,
  type Problem,
  type Rule,
  type Settings,
} from "@assent/core/policy";
import { keyPlace } from "@assent/core/policy/read";
import { isTrusted, type Machine, profilesFolder, readTrust, type Trust, hexDigest } from "../state/index.ts";
import { neverMatches, type Shadow, shadows, shadowsInBlock } from "./without-effect.ts";

/** The policy in force at a place, file by file: for those who look at rules instead of requests. */
export interface Inspection {
  readonly machine: Machine;
  readonly world: World;
  readonly files: readonly SourceRead[];
  readonly policy: Policy;
  readonly context: JudgeContext;
}

export interface InspectOptions {
  readonly machine: Machine;
  /** Absolute. */
  readonly cwd: string;
  /** Folders of Assent's own program. */
  readonly own: readonly string[];
  /** Files of `--policy`. */
  readonly policyFiles?: readonly string[];
  /** File of a profile. */
  readonly profile?: string;
  /** Only these files, each read as a user's own, or as the profile that it is. */
  readonly only?: readonly string[];
  /** What one of the files may come to say; it is trusted where the file is. */
  readonly draft?: PolicyDraft;
}

/** A rule that stands in no file, with what is in force around it. */
export function inspectRule(rule: string, options: InspectOptions): Inspection {
  const around = inspect(options);
  const content = { is: "text", text: JSON.stringify({ permissions: { allow: [rule] } }) } as const;
  const files = readEach([{ layer: "user", file: "grant", mayGrant: true, content }], readTrust(options.machine), lowerExample);
  return { ...around, files, policy: joinLayers(files.map(layerOf)) };
}

export function inspect({ machine, cwd, own, policyFiles = [], profile, only, draft }: InspectOptions): Inspection {
  const world = realWorld(machine, cwd, undefined);
  const found: readonly PolicySource[] =
    only === undefined
      ? findSources({ machine, policyFiles, profile }, world, { actions: [], unknowns: [] }, cwd)
      : only.map((file) => policyFile(file, isWithin(file, profilesFolder(machine)) ? "profile" : "user"));
  const trust = readTrust(machine);
  const sources = draft === undefined ? found : withDraft(found, draft);
  const files = readInForce(sources, draft === undefined ? trust : trustedAsBefore(found, draft, trust), lowerExample);
  const policy = joinLayers(files.map(layerOf));
  return {
    machine,
    world,
    files,
    policy: { ...policy, settings: settingsInForce(policy.settings, machine, Date.now()) },
    context: judgeContext({ machine, own, hostDecides: true }, world, sources),
  };
}

/** The draft of a file that is trusted as it is, is trusted. */
function trustedAsBefore(found: readonly PolicySource[], { file, text }: PolicyDraft, trust: Trust): Trust {
  const { content } = found.find((source) => source.file === file) ?? {};
  if (content?.is !== "text" || !isTrusted(trust, file, content.text, hexDigest)) return trust;
  return { ...trust, pins: new Map([...trust.pins, [file, hexDigest(text)]]) };
}

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
  /** The text that a person agreed to before the file changed. */
  readonly agreed?: true;
  /** It is a pack that the file before it names. */
  readonly pack?: true;
  /** Why nothing of it counts; warnings where it does. */
  readonly problems: readonly Problem[];
}

export interface RuleListing {
  readonly settings: readonly SettingLine[];
  readonly files: readonly FileLine[];
  readonly rules: readonly RuleLine[];
  readonly defaults: readonly BlockDefault[];
}

/** Every rule of the files found, in layer and file order, marked where it can never decide anything. */
export function listRules(inspection: Inspection): RuleListing {
  const { policy, files, context } = inspection;
  // A project's rules get their folder, or lose their say, when the layers are joined; allow rules that are left out there are shown as well.
  const joined = new Map((policy.conditional ?? policy.rules).map((rule) => [placeOf(rule), rule]));
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
    files: files.flatMap(fileLines),
    rules: [...all.map((rule) => line(rule)), ...blockRules.map(({ rule, block }) => line(rule, block))],
    defaults: blocks.flatMap(({ operation, layer, default: effect, defaultSource }) =>
      effect === undefined || defaultSource === undefined
        ? []
        : [{ operation, effect, layer, file: defaultSource.file, line: defaultSource.line }],
    ),
  };
}

/** A file, and the packs that it names. */
function fileLines({ source: { layer, file }, trusted, agreed, result }: SourceRead): readonly FileLine[] {
  const problems = result.ok ? result.warnings : result.problems;
  const packs = new Set([...(result.ok ? result.policy.rules.map(({ source }) => source.file) : []), ...problems.map((one) => one.file)]);
  return [...new Set([file, ...packs])].map((name) => ({
    layer,
    file: name,
    trusted,
    ...(agreed === undefined ? {} : { agreed }),
    ...(name === file ? {} : ({ pack: true } as const)),
    problems: problems.filter((problem) => problem.file === name),
  }));
}

const placeOf = ({ source }: Rule): string => `${source.file}:${source.line}:${source.column}:${source.text}`;

/** A setting that is not a rule, with the file it comes from; none: nobody set it. */
export interface SettingLine {
  readonly key: keyof Settings;
  readonly value: unknown;
  readonly layer: string;
  readonly file?: string;
  readonly line?: number;
}

const KEYS: readonly (keyof Settings)[] = ["preset", "mode", "writableRoots", "unknown", "bypass", "automation", "audit", "undo"];
/** Shown where somebody set them. */
const RARE: readonly (keyof Settings)[] = ["wrappers", "aliases"];
const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Which file each setting comes from: the one after which, joining file by file, it no longer changes;
 * where it has its default value all along, a file that says so in as many words.
 */
function settingLines(files: readonly SourceRead[]): readonly SettingLine[] {
  const ordered = LAYERS.flatMap((layer) => files.filter(({ source }) => source.layer === layer));
  const steps = ordered.map((_, at) => joinLayers(ordered.slice(0, at + 1).map(layerOf)).settings);
  const final = steps.at(-1) ?? DEFAULT_SETTINGS;
  return [...KEYS, ...RARE.filter((key) => final[key] !== undefined)].map((key): SettingLine => {
    const value = final[key];
    const settled = steps.findLastIndex((settings) => !equal(settings[key], value)) + 1;
    const changed = !equal(settled === 0 ? DEFAULT_SETTINGS[key] : steps[settled - 1]?.[key], value);
    const from = changed ? ordered[settled] : ordered.find((file) => says(file, key, value));
    if (from === undefined) return { key, value, layer: "built in" };
    const { layer, file, content } = from.source;
    const line = content.is === "text" ? keyPlace(content.text, key)?.line : undefined;
    return { key, value, layer, file, ...(line === undefined ? {} : { line }) };
  });
}

function says({ result, trusted }: SourceRead, key: keyof Settings, value: unknown): boolean {
  return trusted && result.ok && equal(result.policy.settings[key], value);
}
