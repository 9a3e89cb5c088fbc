import { BUILTIN } from "#knowledge/traits";
import {
  type Action,
  type Advice,
  type Argument,
  brief,
  type FileAction,
  sayAction,
  printArgument,
  printTarget,
  quote,
  type Unknown,
  visible,
  withCommand,
} from "../action/index.ts";
import { isMeantQuestion, type RuleSource, type Verdict, verdictOf } from "./match/verdict.ts";
import type { Hit } from "./matched-rules.ts";
import { hiddenBy } from "./matched-rules.ts";
import type { Row } from "./match/presets.ts";
import type { Protection } from "./protections.ts";
import { judgingOf } from "./kinds/index.ts";
import type { Effect, Matcher, Policy, PresetName, Rule, UnknownSetting } from "./match/types.ts";
import { entryReason, REASONS, presetReason } from "./match/reasons.ts";

/** The verdicts of the steps, in words. Every ask and deny says what to do next. */

const HELP = {
  deny: {
    person: "if you want this after all, change that rule",
    model: "do it another way, or ask the user",
  },
  ask: {
    person: "if it should go ahead without a question, change that rule",
    model: "ask the user to run it, or to change that rule",
  },
} as const satisfies Readonly<Record<string, Advice>>;

/** A written rule decided. */
export function byRule(rule: Rule): Verdict {
  const { effect, layer, source } = rule;
  const own = rule.reason === undefined || rule.reason.trim() === "" ? undefined : visible(rule.reason);
  const said = `the rule '${visible(source.text)}' ${RULE_SAYS[effect]}`;
  return {
    decision: effect,
    basis: "rule",
    // A profile's reasons say where its rules come from.
    reason: own === undefined ? said : layer === "profile" ? `${said}: ${own}` : own,
    rule: source,
    ...(effect === "allow" ? {} : { help: HELP[effect] }),
    ...(rule.untrusted === true ? { untrusted: true } : {}),
    ...(rule.confined === false ? { bare: true } : {}),
  };
}

const RULE_SAYS: Readonly<Record<Effect, string>> = {
  allow: "allows this",
  ask: "asks about this",
  deny: "denies this",
};

/** A deny or ask rule may match: what hides the answer is said. */
export function byMaybe({ rule }: Hit, action: Action): Verdict {
  return {
    decision: "ask",
    basis: "rule",
    reason: `the ${rule.effect} rule '${visible(rule.source.text)}' may match: ${visible(hiddenBy(action))}`,
    rule: rule.source,
    help: REASONS.unknown.help,
    ...(isSettledInRun(rule.matcher) && !isKeptByGit(action) ? { settledInRun: true } : {}),
    // Every word is there, and nobody knows how they are read: no bypass skips a deny for that.
    ...(rule.effect === "deny" && action.kind === "exec" && action.argv.every(({ known }) => known) ? { waivable: false } : {}),
    ...(rule.untrusted === true ? { untrusted: true } : {}),
  };
}

/** A run judges each file, connection and started program by the same rules, as they really are. */
function isSettledInRun(matcher: Matcher): boolean {
  const programs = judgingOf(matcher).keys.programs(matcher);
  return programs === undefined || programs === "file" || (programs !== "any" && !programs.some((name) => BUILTIN.has(name)));
}

/** What git keeps of all files lies in the same few: a run cannot part them. */
const isKeptByGit = (action: Action): boolean =>
  action.kind === "file" && action.target.kind === "tree" && action.target.filter?.shown !== undefined;

/** A block's own default, as a written rule of its layer. */
export function byBlock(effect: "allow" | "ask" | "deny", source: RuleSource, untrusted: boolean): Verdict {
  return {
    decision: effect,
    basis: effect === "ask" ? "default" : "rule",
    reason: `the rule '${visible(source.text)}' ${RULE_SAYS[effect]}`,
    rule: source,
    ...(effect === "allow" ? {} : { help: HELP[effect] }),
    ...(untrusted ? { untrusted: true } : {}),
  };
}

export function byProtection({ effect, builtin, reason, help, waivable }: Protection): Verdict {
  return { decision: effect, basis: "protection", builtin, reason, help, ...(waivable === undefined ? {} : { waivable }) };
}

/**
 * What is left of a verdict where a policy file is broken: its denies are unknown, so what would have been allowed, or
 * skipped, may be what it denies. A question with a reason of its own keeps it.
 */
export function underBroken<V extends Verdict>(verdict: V, { broken }: Pick<Policy, "broken">): V {
  if (broken === undefined || verdict.decision === "deny") return verdict;
  if (isMeantQuestion(verdict)) return { ...verdict, waivable: false };
  return { ...verdict, ...verdictOf("ask", "policy.broken", { reason: `a policy file has a mistake: ${broken}` }) };
}

/** Allowed without a person ever having said so: the constant verdicts of knowledge. */
export const UPKEEP = verdictOf("allow", "upkeep");
export const HARMLESS = verdictOf("allow", "device.harmless");

const transparent = new Map<string, Verdict>();

/** Knowledge covers all that the command does: its effects have verdicts of their own. */
export function byKnowledge(id: string, listed: boolean): Verdict {
  const builtin = entryReason(id);
  if (!listed)
    return {
      decision: "allow",
      basis: "knowledge",
      builtin,
      reason: `Assent knows \`${id}\`; what it does not know of this call is judged by itself`,
    };
  let verdict = transparent.get(id);
  if (verdict === undefined) {
    verdict = { decision: "allow", basis: "knowledge", builtin, reason: `Assent knows all that \`${id}\` does` };
    transparent.set(id, verdict);
  }
  return verdict;
}

const allowed = new Map<string, Verdict>();

/** Where no preset is chosen, none is named. */
const PRESET_SAYS: Readonly<Record<Effect, (preset: PresetName) => string>> = {
  allow: (preset) => (preset === "default" ? "allowed by default" : `the preset ${preset} allows this`),
  ask: (preset) => (preset === "default" ? "by default you are asked" : `the preset ${preset} asks you`),
  deny: (preset) => (preset === "default" ? "refused by default" : `the preset ${preset} refuses this`),
};

/** The default of a preset. */
export function byPreset(decision: "allow" | "ask" | "deny", row: Row, preset: PresetName, action: Action): Verdict {
  const builtin = presetReason(preset, row);
  if (decision !== "allow") {
    const reason = isRedirect(action) ? writesTo(action) : `${sayAction(action)}: ${PRESET_SAYS[decision](preset)}`;
    const help = decision === "deny" ? allowHelp(action, "do it another way") : allowHelp(action);
    return { decision, basis: decision === "deny" ? "protection" : "default", builtin, reason, help };
  }
  let verdict = allowed.get(builtin);
  if (verdict === undefined) {
    verdict = { decision, basis: "default", builtin, reason: `${PRESET_SAYS.allow(preset)} (${row})` };
    allowed.set(builtin, verdict);
  }
  return verdict;
}

function isRedirect(action: Action): action is FileAction {
  return action.kind === "file" && action.origin.by === "shell" && (action.operation === "write" || action.operation === "edit");
}

/** A redirect, in agentperm's words. */
function writesTo(action: FileAction): string {
  return `writes to '${brief(action.asGiven ?? printTarget(action.target))}'`;
}

/** A redirect under `"preset": "none"`. Input is no question, a file written is one. */
export function redirect(action: FileAction): Verdict {
  if (action.operation === "read" || action.operation === "list") return INPUT;
  return verdictOf("ask", "shell.redirect", { reason: writesTo(action) });
}

const INPUT = verdictOf("allow", "shell.input");

/** Lowering could not find out what happens: a person must look (or nobody, where the policy says so). */
export function notAnalysable(unknown: Unknown, setting: UnknownSetting): Verdict {
  const help = unknown.help === undefined ? {} : { help: visible(unknown.help) };
  return verdictOf(setting === "deny" ? "deny" : "ask", "unknown", { reason: visible(unknown.reason), ...help });
}

/** Nobody has an opinion. */
export function noOpinion(action: Action): Verdict {
  const reason = action.kind === "exec" ? `no rule matches '${argv0(action.argv)}'` : `no rule matches: ${sayAction(action)}`;
  return verdictOf("none", "none", { reason, help: allowHelp(action) });
}

export function argv0(argv: readonly Argument[]): string {
  const word = argv[0];
  return word === undefined ? "" : brief(word.known ? word.text : printArgument(word), 60);
}

/** The rule that would allow what a tool does. Of a command, what it takes is looked up as a whole: `withCommand`. */
function allowHelp(action: Action, instead?: string): Advice {
  const { help } = REASONS.none;
  const way = instead === undefined || typeof help === "string" ? help : { ...help, without: { person: instead, model: instead } };
  const rule = action.origin.by === "tool" ? allowRule(action) : undefined;
  return rule === undefined ? way : withCommand(way, `assent allow ${quote(rule)}`);
}

function allowRule(action: Action): string | undefined {
  switch (action.kind) {
    case "file": {
      if (action.target.kind !== "path") return undefined;
      return `${FILE_RULE[action.operation]}(${printTarget(action.target)})`;
    }
    case "net":
      if (action.host === undefined) return undefined;
      // Fetching a page opens no other connection (kinds/net.ts).
      return action.operation === "fetch" ? `WebFetch(domain:${visible(action.host)})` : netRule(action.host, action.port);
    case "tool":
      return visible(action.name);
    default:
      return undefined;
  }
}

/** The rule of one host and port. */
export const netRule = (host: string, port: number | undefined): string =>
  `Net(${visible(port === undefined ? host : `${/^[^[].*:/.test(host) ? `[${host}]` : host}:${port}`)})`;

export const FILE_RULE = {
  read: "Read",
  list: "List",
  write: "Edit",
  edit: "Edit",
  delete: "Delete",
  rename: "Write",
  mkdir: "Write",
  link: "Write",
  metadata: "Write",
  execute: "Exec",
} as const satisfies Readonly<Record<FileAction["operation"], string>>;
