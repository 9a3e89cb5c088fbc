import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { addRule, editPolicy, readPlace, ruleEntries, policyPlace, type EditOutcome, type WrittenRule } from "@assent/guard/policy-edit";
import { inspect, listRules, type RuleLine } from "@assent/guard/inspect";
import { lint, type LintCode, withoutLimit } from "@assent/guard/lint";
import { EFFECTS, parseRule, same, type Effect, type ParsedRule } from "@assent/core/policy";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { complain, showProblems, targetOf, trustEnded, type PolicyTarget, type TargetOptions } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const COMMAND = "rule";

interface RuleOptions extends TargetOptions {
  readonly allow?: boolean;
  readonly ask?: boolean;
  readonly deny?: boolean;
  readonly json?: boolean;
}

export interface AddRuleOptions extends RuleOptions {
  readonly why?: string;
  /** A name that looks like a slip of the finger is meant as it is written. */
  readonly force?: boolean;
}

/** What a rule that was just written should have said, so that it is not found out later. */
const STOPS_LESS: ReadonlySet<LintCode> = new Set(["AL020", "AL025", "AL026", "AL027"]);

const effectOf = (options: RuleOptions): Effect | undefined => EFFECTS.find((effect) => options[effect] === true);

type GoodRule = Extract<ReturnType<typeof parseRule>, { readonly ok: true }>;
type Unchanged = Extract<EditOutcome<unknown>, { is: "broken" | "failed" }>;

/** `assent rule add`: exit 0 when the rule stands in the file, also when it did before; 1 when it cannot, 2 wrong usage. */
export function add(written: string, options: AddRuleOptions): number {
  const effect = effectOf(options);
  if (effect === undefined) return wrong("say what the rule does: --allow, --ask or --deny");
  const parsed = options.force === true ? meantRule(written) : parseRule(written);
  if (!parsed.ok) return wrong(visible(parsed.message), parsed.help);
  if (options.why?.trim() === "") return wrong("--why gives a reason");
  const target = targetOf(COMMAND, options);
  if (target === undefined) return 2;

  const outcome = addToPolicy(target, effect, parsed, options.why);
  if (outcome.is === "not") return notDone(target, outcome.because);
  if (outcome.is === "there") return alreadyThere(target, outcome.entry, options);
  const { created, entry: added, warnings } = outcome;
  if (options.json === true) return writeJson({ added: true, created, file: target.place.file, ...entryJson(added), warnings });
  const where = `${target.short(target.place.file)}:${added.line}`;
  writeStdout(`${created ? `made ${target.short(target.place.file)}\n` : ""}added ${nameOf(added)}  ${where}\n`);
  for (const warning of warnings) writeStderr(`warning: ${warning}\n`);
  return 0;
}

/** With `--force`: a tool may be called what looks like a slip of the finger. Everything else is read as ever. */
export function meantRule(written: string): ReturnType<typeof parseRule> {
  const parsed = parseRule(written);
  if (parsed.ok) return parsed;
  const named = parseRule({ tool: written.trim() });
  return named.ok ? named : parsed;
}

type Addition =
  | { readonly is: "added"; readonly created: boolean; readonly entry: WrittenRule; readonly warnings: readonly string[] }
  /** It stands there, perhaps with another reason. */
  | { readonly is: "there"; readonly entry: WrittenRule }
  | { readonly is: "not"; readonly because: Unchanged };

/** Writes one rule into a policy file, which keeps its comments; `warnings` is what the rule should have said. */
export function addToPolicy(target: PolicyTarget, effect: Effect, parsed: GoodRule, why: string | undefined): Addition {
  const { text: written } = parsed;
  const named: unknown = written.startsWith("{") ? JSON.parse(written) : undefined;
  const own = isObject(named) && typeof named["tool"] === "string" ? { tool: named["tool"] } : { rule: written };
  const entry = why !== undefined ? { ...own, reason: why } : "tool" in own ? own : written;
  const outcome = editPolicy(target.place, target.starter, (text): { edits: [ReturnType<typeof addRule>] } | { stop: WrittenRule } => {
    const there = ruleEntries(text).find((one) => one.effect === effect && one.when === undefined && same(one.matcher, parsed.matcher));
    return there === undefined ? { edits: [addRule(text, effect, entry)] } : { stop: there };
  });
  if (outcome.is === "stopped") return { is: "there", entry: outcome.with };
  if (outcome.is !== "done") return { is: "not", because: outcome };
  const added = ruleEntries(outcome.text).findLast(
    (one) => one.effect === effect && one.when === undefined && same(one.matcher, parsed.matcher),
  );
  if (added === undefined) throw new Error("the rule was added and is not there");
  const warnings = [...(parsed.warning === undefined ? [] : [visible(parsed.warning)]), ...doubts(target, added)];
  return { is: "added", created: outcome.created, entry: added, warnings };
}

function alreadyThere(target: PolicyTarget, there: WrittenRule, options: AddRuleOptions): number {
  const where = `${target.short(target.place.file)}:${there.line}`;
  if (options.why !== undefined && options.why !== there.reason) {
    complain(COMMAND, `${nameOf(there)} stands at ${where} with another reason`, "`assent rule remove` it first, or `assent edit`");
    return 1;
  }
  if (options.json === true) writeJson({ added: false, created: false, file: target.place.file, ...entryJson(there), warnings: [] });
  else writeStdout(`nothing to do: ${nameOf(there)} stands at ${where}\n`);
  return 0;
}

/** What keeps the new rule from deciding anything, and what it keeps from doing so. */
function doubts(target: PolicyTarget, added: WrittenRule): readonly string[] {
  const { machine, cwd, place, short } = target;
  const inspection = inspect({ machine, cwd, own: engine.own });
  const lines = listRules(inspection).rules;
  const at = ({ source }: RuleLine["rule"]): string => `${short(source.file)}:${source.line}`;
  const isNew = ({ rule }: RuleLine): boolean =>
    rule.source.file === place.file && rule.source.line === added.line && rule.source.column === added.column;
  const ended = trustEnded(target);
  const out: string[] = ended === undefined ? [] : [ended];
  for (const line of lines) {
    const { rule, shadow, never } = line;
    if (!isNew(line)) {
      if (shadow?.because === "stricter" && isNew({ rule: shadow.by }))
        out.push(`${rule.effect} ${visible(rule.source.text)}  ${at(rule)} decides nothing any more: the new rule is stricter`);
      continue;
    }
    const wide = withoutLimit(rule, inspection);
    const weak = lint(inspection).filter(
      ({ code, line: at, column }) => STOPS_LESS.has(code) && at === added.line && column === added.column,
    );
    for (const { file, message, help } of weak)
      if (file === place.file) out.push(visible(help === undefined ? message : `${message}; ${help}`));
    if (wide !== undefined) out.push(`it ${wide.message}${wide.help === undefined ? "" : `; ${wide.help}`}`);
    if (never !== undefined && rule.untrusted !== true) out.push(`it never matches: ${visible(never)}`);
    else if (never !== undefined && ended === undefined) out.push("it counts once you trust the project: `assent trust`");
    if (shadow === undefined) continue;
    const by = `${shadow.by.effect} ${visible(shadow.by.source.text)}  ${at(shadow.by)}`;
    out.push(shadow.because === "stricter" ? `a stricter rule wins: ${by}` : `it adds nothing to ${by}`);
  }
  return out;
}

/** `assent rule remove`: exit 0 when it was there and is gone, 1 when it was not there, 2 wrong usage. */
export function remove(written: string, options: RuleOptions): number {
  const parsed = parseRule(written);
  const target = targetOf(COMMAND, options);
  if (target === undefined) return 2;
  const effect = effectOf(options);
  const wanted = (entry: WrittenRule): boolean =>
    (effect === undefined || entry.effect === effect) &&
    (entry.text === written.trim() || (parsed.ok && same(entry.matcher, parsed.matcher)));

  let removed: readonly WrittenRule[] = [];
  const outcome = editPolicy(target.place, target.starter, (text) => {
    removed = ruleEntries(text).filter(wanted);
    if (removed.length === 0 || new Set(removed.map((entry) => entry.effect)).size > 1) return { stop: removed };
    // From the end: what is removed moves only what follows.
    return { edits: removed.toReversed().map(({ path }) => ({ do: "remove", path })) };
  });
  if (outcome.is === "stopped")
    return outcome.with.length === 0 ? notThere(target, written, parsed, wanted) : several(target, outcome.with);
  if (outcome.is !== "done") return notDone(target, outcome);
  const ended = trustEnded(target);
  const warnings = ended === undefined ? [] : [ended];
  if (options.json === true) return writeJson({ file: target.place.file, removed: removed.map(entryJson), warnings });
  for (const entry of removed) writeStdout(`removed ${nameOf(entry)}  ${target.short(target.place.file)}:${entry.line}\n`);
  for (const warning of warnings) writeStderr(`warning: ${warning}\n`);
  return 0;
}

function notThere(
  target: PolicyTarget,
  written: string,
  parsed: ReturnType<typeof parseRule>,
  wanted: (entry: WrittenRule) => boolean,
): number {
  if (!parsed.ok) return wrong(visible(parsed.message), parsed.help);
  const { place, machine, cwd, short } = target;
  const other = policyPlace(place.layer === "user" ? "local" : "global", machine, cwd);
  const read = other === undefined ? undefined : readPlace(other);
  const found = read?.is === "text" && read.read.ok ? ruleEntries(read.text).find(wanted) : undefined;
  const help =
    found === undefined || other === undefined
      ? "`assent rules` lists what is in force"
      : `it stands at ${short(other.file)}:${found.line}: say ${other.layer === "project" ? "--local" : "--global"}`;
  complain(COMMAND, `no rule \`${visible(written.trim())}\` in ${short(place.file)}`, help);
  return 1;
}

function several(target: PolicyTarget, found: readonly WrittenRule[]): number {
  const all = found.map((entry) => `${entry.effect} at line ${entry.line}`).join(", ");
  complain(COMMAND, `the rule stands in more than one list of ${target.short(target.place.file)}: ${all}`, "say --allow, --ask or --deny");
  return 1;
}

/** Says why a file was left as it is. */
export function notDone(target: PolicyTarget, outcome: Unchanged, command = COMMAND): number {
  const file = target.short(target.place.file);
  if (outcome.is === "failed") complain(command, `${file} ${visible(outcome.why)}`);
  else {
    complain(command, `${file} has mistakes and is left as it is`);
    showProblems(outcome.problems, target.short);
  }
  return 1;
}

function wrong(message: string, help?: string): number {
  complain(COMMAND, message, help === undefined ? undefined : visible(help));
  return 2;
}

const nameOf = ({ effect, text }: Pick<WrittenRule, "effect"> & Pick<ParsedRule, "text">): string => `${effect} ${visible(text)}`;

function entryJson({ effect, text, reason, line, column }: WrittenRule): Record<string, unknown> {
  return { effect, text: visible(text), ...(reason === undefined ? {} : { reason: visible(reason) }), line, column };
}
