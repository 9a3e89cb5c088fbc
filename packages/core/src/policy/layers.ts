import { isWithin, parentOf, resolvePath } from "../path/index.ts";
import { withoutPrincipal } from "./principals.ts";
import {
  type Automation,
  LAYERS,
  type LayerName,
  type OperationBlock,
  type Policy,
  type PolicyFile,
  type PresetName,
  type Rule,
  type Settings,
  UNKNOWN,
} from "./match/types.ts";

/** One policy file as it was found. */
export type LayerInput =
  | { readonly ok: true; readonly policy: PolicyFile; readonly trusted?: ProjectTrust; readonly root?: string }
  /** It could not be read or is wrong; `why` says so with its place, on one line. */
  | { readonly ok: false; readonly file: string; readonly layer: LayerName; readonly why: string; readonly trusted?: ProjectTrust };

/** What counts of a project's file: all; as "agreed", what a person agreed to before the file changed, as far as it forbids and asks. */
export type ProjectTrust = boolean | "agreed";

/** What holds where no file says anything. */
export const DEFAULT_SETTINGS: Settings = {
  preset: "default",
  mode: "suggest",
  writableRoots: ["."],
  unknown: "ask",
  bypass: "asks",
  automation: {
    when: "everywhere",
    agents: { trusted: [], restricted: [] },
    breaker: { denials: 10, minutes: 0 },
    refusals: { minutes: 10 },
  },
  audit: { keepDays: 90, keepMegabytes: 4096 },
  undo: { keepDays: 30, keepMegabytes: 5120, keepRuns: 2000 },
};

/**
 * Joins the policy files that apply to a request. Their rules are one pool in which the strictest wins.
 * Of the scalars, managed fixes them, else the user does; an explicit file or a profile fills in what neither has set;
 * they and a project that a person agreed to may otherwise only tighten, and an untrusted project has nothing but its ask and deny rules.
 * A broken file never weakens the others.
 *
 * `root` is the folder in which a project's own allow rules hold; without it, the folder its file lies in.
 */
export function joinLayers(inputs: readonly LayerInput[]): Policy {
  const of = (layer: LayerName): readonly LayerInput[] => inputs.filter((input) => (input.ok ? input.policy.layer : input.layer) === layer);
  const parts = LAYERS.flatMap((layer) => of(layer).map((input) => (layer === "project" ? projectPart(input) : ownPart(input))));
  const files = (layer: LayerName): readonly Partial<Settings>[] => of(layer).flatMap((input) => (input.ok ? [input.policy.settings] : []));
  const trusted = of("project").flatMap((input) => (input.ok && isAgreed(input) ? [input.policy.settings] : []));
  const broken = parts.flatMap((part) => part.broken ?? []);
  return {
    settings: joinSettings([...files("managed"), ...files("user")], [...files("explicit"), ...files("profile")], trusted),
    ...withoutPrincipal(parts.flatMap((part) => part.rules)),
    operations: parts.flatMap((part) => part.operations),
    warnings: parts.flatMap((part) => part.warnings),
    ...(broken.length === 0 ? {} : { broken: broken.join("; ") }),
  };
}

/** What one file brings besides its scalars. */
interface LayerPart {
  readonly rules: readonly Rule[];
  readonly operations: readonly OperationBlock[];
  readonly warnings: readonly string[];
  readonly broken?: string;
}

const NOTHING: LayerPart = { rules: [], operations: [], warnings: [] };

function ownPart(input: LayerInput): LayerPart {
  return input.ok ? { ...input.policy, warnings: [] } : { ...NOTHING, broken: input.why };
}

const OWN_COMMANDS = ["wrappers", "aliases"] as const;

const isAgreed = ({ trusted }: LayerInput): boolean => trusted === true || trusted === "agreed";

function projectPart(input: LayerInput): LayerPart {
  if (!input.ok)
    return isAgreed(input)
      ? { ...NOTHING, broken: input.why }
      : { ...NOTHING, warnings: [`${input.why}: this project's file is left out`] };
  const { policy } = input;
  const root = input.root ?? parentOf(policy.file);
  if (input.trusted === true) {
    return {
      rules: policy.rules.map((rule) => ({ ...rule, root })),
      operations: policy.operations.map((block) => inRoot(block, root)),
      warnings: OWN_COMMANDS.filter((key) => policy.settings[key] !== undefined).map(
        (key) => `${policy.file}: "${key}" ignored: only your own and the managed policy may say what programs start`,
      ),
    };
  }
  return {
    rules: policy.rules.filter((rule) => rule.effect !== "allow").map((rule) => ({ ...rule, untrusted: true })),
    operations: policy.operations.map(distrust),
    warnings: input.trusted === "agreed" ? [] : ignored(policy),
  };
}

function inRoot(block: OperationBlock, root: string): OperationBlock {
  return { ...block, root, rules: block.rules.map((rule) => ({ ...rule, root })) };
}

function distrust(block: OperationBlock): OperationBlock {
  return { ...block, untrusted: true, rules: block.rules.map((rule) => ({ ...rule, untrusted: true })) };
}

function ignored({ file, rules, settings }: PolicyFile): readonly string[] {
  const allows = rules.filter((rule) => rule.effect === "allow").length;
  const keys = Object.keys(settings);
  const what = [...(allows === 0 ? [] : [`${allows} allow rule${allows === 1 ? "" : "s"}`]), ...keys.map((key) => `"${key}"`)];
  return what.length === 0 ? [] : [`${file} is not trusted: ${what.join(", ")} ignored; \`assent trust\` makes it count`];
}

/**
 * A policy made stricter by another one: what that denies and asks counts as well, and its settings where they are stricter.
 * Throws where its preset is neither stricter nor looser than the one that holds.
 */
export function tightenPolicy(policy: Policy, { rules, operations, settings }: PolicyFile): Policy {
  const { preset } = policy.settings;
  const given = settings.preset ?? preset;
  if (given !== preset && !TIGHTER[preset].includes(given) && !TIGHTER[given].includes(preset))
    throw new Error(`the preset ${given} is not stricter than ${preset} in everything, so it cannot be added to it`);
  const all = [...(policy.conditional ?? policy.rules), ...rules.filter(({ effect }) => effect !== "allow")];
  return {
    ...policy,
    settings: { ...policy.settings, ...tighten(policy.settings, settings) },
    ...withoutPrincipal(all),
    operations: [...policy.operations, ...operations.map(narrowing)],
  };
}

/** What a block of somebody else forbids. Its allow rules stay, because the first match ends a block, but they allow nothing. */
export function narrowing({ default: fallback, ...block }: OperationBlock): OperationBlock {
  const rules = block.rules.map((rule): Rule => (rule.effect === "allow" ? { ...rule, untrusted: true } : rule));
  return fallback === undefined || fallback === "allow" ? { ...block, rules } : { ...block, default: fallback, rules };
}

function joinSettings(
  fixing: readonly Partial<Settings>[],
  explicit: readonly Partial<Settings>[],
  trusted: readonly Partial<Settings>[],
): Settings {
  let fixed: Partial<Settings> = {};
  for (const given of fixing) fixed = { ...given, ...fixed };
  // How long the log and what undo needs are kept, where the log is sent, what others may answer and what programs start, is for nobody else to
  // say: an environment variable can name an explicit file.
  const filled = explicit.reduce((settings, given) => ({ ...withoutOwn(given), ...settings }), fixed);
  return [...explicit, ...trusted].reduce(tighten, { ...DEFAULT_SETTINGS, ...filled });
}

/** The keys that count in the user's and managed files alone. */
export const OWN_KEYS = ["audit", "undo", "team", "wrappers", "aliases", "consents"] as const satisfies readonly (keyof Settings)[];

const withoutOwn = (given: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !OWN_KEYS.some((own) => own === key)));

/** `current`, made stricter where `given` is. */
function tighten(current: Settings, given: Partial<Settings>): Settings {
  return {
    preset: given.preset !== undefined && TIGHTER[current.preset].includes(given.preset) ? given.preset : current.preset,
    mode: stricter(LOOSEST_MODE, current.mode, given.mode),
    unknown: stricter(UNKNOWN, current.unknown, given.unknown),
    bypass: stricter(BYPASS, current.bypass, given.bypass),
    writableRoots: given.writableRoots === undefined ? current.writableRoots : narrow(current.writableRoots, given.writableRoots),
    automation: given.automation === undefined ? current.automation : tightenAutomation(current.automation, given.automation),
    audit: current.audit,
    undo: current.undo,
    ...(current.team === undefined ? {} : { team: current.team }),
    ...(current.wrappers === undefined ? {} : { wrappers: current.wrappers }),
    ...(current.aliases === undefined ? {} : { aliases: current.aliases }),
    ...(current.consents === undefined ? {} : { consents: current.consents }),
  };
}

/** Presets that are at least as strict in every row of the table. */
const TIGHTER: Readonly<Record<PresetName, readonly PresetName[]>> = {
  permissive: ["default", "strict", "readonly"],
  default: ["strict", "readonly"],
  strict: [],
  readonly: [],
  none: [],
};

/** Loosest first. */
const LOOSEST_MODE = ["full-auto", "auto-edit", "suggest"] as const;
const BYPASS = ["host", "asks"] as const;
const WHEN = ["everywhere", "subagents", "off"] as const;

/** The lower of two levels of automation. */
export function lowerAutomation(a: Automation["when"], b: Automation["when"]): Automation["when"] {
  return stricter(WHEN, a, b);
}

function stricter<T>(order: readonly T[], current: T, given: T | undefined): T {
  return given !== undefined && order.indexOf(given) > order.indexOf(current) ? given : current;
}

/** Of the given roots those that lie in a current one. */
function narrow(current: readonly string[], given: readonly string[]): readonly string[] {
  return given.filter((root) => current.some((outer) => liesIn(root, outer)));
}

/** By their text: both are relative to the same project root, unless absolute or `~`. */
function liesIn(root: string, outer: string): boolean {
  const anchor = anchorOf(root);
  if (anchor !== anchorOf(outer)) return false;
  const plain = (path: string): string => resolvePath(DEEP_START, anchor === "~" ? path.slice(1) : path);
  return isWithin(plain(root), plain(outer)) && (anchor !== "." || isWithin(plain(root), DEEP_START));
}

function anchorOf(path: string): "/" | "~" | "." {
  if (path.startsWith("/")) return "/";
  return path === "~" || path.startsWith("~/") ? "~" : ".";
}

/** Deep enough that `..` shows. */
const DEEP_START = "/a/b/c/d/e/f/g/h";

function tightenAutomation(current: Automation, given: Automation): Automation {
  return {
    when: stricter(WHEN, current.when, given.when),
    agents: {
      trusted: current.agents.trusted.filter((agent) => given.agents.trusted.includes(agent)),
      restricted: [...new Set([...current.agents.restricted, ...given.agents.restricted])],
    },
    breaker: {
      denials: Math.min(current.breaker.denials, given.breaker.denials),
      minutes: current.breaker.minutes === 0 || given.breaker.minutes === 0 ? 0 : Math.max(current.breaker.minutes, given.breaker.minutes),
    },
    refusals: { minutes: Math.max(current.refusals.minutes, given.refusals.minutes) },
  };
}
