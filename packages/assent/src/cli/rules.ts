import { visible } from "@assent/core/action";
import { inspect, listRules, type FileLine, type RuleListing, type RuleLine, type SettingLine, type Shadow } from "@assent/guard/inspect";
import { judgingOf, sayWhen } from "@assent/core/policy";
import { thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

interface RulesOptions {
  readonly cwd?: string;
  readonly policy: readonly string[];
  readonly json?: boolean;
}

/** `assent rules`: every rule and setting in force, where it comes from, and what never decides anything. Exit 0. */
export function rules(options: RulesOptions): number {
  const cwd = absolute(options.cwd ?? ".");
  const machine = thisMachine();
  const inspection = inspect({ machine, cwd, own: engine.own, policyFiles: options.policy.map((file) => absolute(file)) });
  const listing = listRules(inspection);
  if (options.json === true) writeJson(listingJson(listing, cwd));
  else writeStdout(page(listing, (path) => shorten(path, cwd, machine.home), styleFor(process.stdout, process.env)));
  return 0;
}

function listingJson({ settings, files, rules: lines, defaults }: RuleListing, cwd: string): Record<string, unknown> {
  return {
    cwd,
    settings,
    files: files.map(({ problems, ...file }) => ({
      ...file,
      problems: problems.map((problem) => ({ ...problem, message: visible(problem.message) })),
    })),
    rules: lines.map(({ rule, block, shadow, never }) => ({
      layer: rule.layer,
      file: rule.source.file,
      line: rule.source.line,
      column: rule.source.column,
      effect: rule.effect,
      text: visible(rule.source.text),
      ...(block === undefined ? {} : { block }),
      ...(rule.when === undefined ? {} : { when: rule.when }),
      ...(rule.reason === undefined ? {} : { reason: visible(rule.reason) }),
      ...(shadow === undefined ? {} : { shadowedBy: { because: shadow.because, effect: shadow.by.effect, ...shadow.by.source } }),
      ...(never === undefined ? {} : { never: visible(never) }),
    })),
    defaults,
  };
}

type Shorten = (path: string) => string;

function page({ settings, files, rules: lines, defaults }: RuleListing, short: Shorten, style: TerminalStyle): string {
  const out = settings.map((setting) => settingRow(setting, short, style));
  for (const file of files) out.push("", ...filePart(file, lines, defaults, short, style));
  if (files.length === 0) out.push("", "No policy file: what is built in decides.");
  const idle = lines.filter(({ shadow, never }) => shadow !== undefined || never !== undefined).length;
  const count = `${lines.length} rule${lines.length === 1 ? "" : "s"}`;
  out.push("", idle === 0 ? count : `${count}, ${idle} of them without effect`);
  return `${out.join("\n")}\n`;
}

function settingRow({ key, value, layer, file, line }: SettingLine, short: Shorten, style: TerminalStyle): string {
  const text = sayValue(value);
  const from = file === undefined ? layer : `${layer} ${visible(short(file))}${line === undefined ? "" : `:${line}`}`;
  return `${style.dim(key.padEnd(13))} ${visible(text)}  ${style.dim(from)}`;
}

/** A setting as it is read: `keepDays 90, keepMegabytes 4096`. The forms of JSON are for `--json`. */
function sayValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(sayValue).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Object.entries(value).map(
    ([key, part]) => `${key} ${typeof part === "object" && !Array.isArray(part) ? `(${sayValue(part)})` : sayValue(part)}`,
  );
  return parts.length === 0 ? "none" : parts.join(", ");
}

const trustOf = ({ trusted, agreed, pack }: FileLine): string =>
  pack === true
    ? ", a pack"
    : agreed === true
      ? ", holds until you have looked at the new text: assent trust"
      : trusted
        ? ""
        : ", not trusted";

function filePart(
  file: FileLine,
  lines: readonly RuleLine[],
  defaults: RuleListing["defaults"],
  short: Shorten,
  style: TerminalStyle,
): readonly string[] {
  const out = [`${style.bold(visible(short(file.file)))}  ${style.dim(file.layer + trustOf(file))}`];
  const own = lines.filter(({ rule }) => rule.source.file === file.file && rule.layer === file.layer);
  // What is marked at its rule is not said twice.
  const said = new Set(own.flatMap(({ rule, never }) => (never === undefined ? [] : [`${rule.source.line}:${rule.source.column}`])));
  for (const { severity, line, column, message, help } of file.problems.filter((problem) => !said.has(`${problem.line}:${problem.column}`)))
    out.push(`  ${line}:${column} ${severity}: ${visible(message)}${help === undefined ? "" : ` (${visible(help)})`}`);
  for (const line of own) out.push(...ruleRows(line, short, style));
  for (const { operation, effect, file: at, line } of defaults)
    if (at === file.file)
      out.push(`  ${String(line).padStart(4)}  ${style.verdict(effect, effect.padEnd(5))} ${operation}: everything else`);
  if (out.length === 1) out.push("  no rules");
  return out;
}

function ruleRows({ rule, block, shadow, never }: RuleLine, short: Shorten, style: TerminalStyle): readonly string[] {
  const text =
    block === undefined ? visible(rule.source.text) : `${block}: ${visible(rule.source.text.slice(rule.source.text.indexOf(" ") + 1))}`;
  // System calls are seen by nobody else.
  const where = judgingOf(rule.matcher).keys.call(rule.matcher) !== undefined ? `  ${style.dim("under assent run")}` : "";
  const out = [`  ${String(rule.source.line).padStart(4)}  ${style.verdict(rule.effect, rule.effect.padEnd(5))} ${text}${where}`];
  if (rule.when !== undefined) out.push(`              ${style.dim(visible(sayWhen(rule.when)))}`);
  if (rule.reason !== undefined) out.push(`              ${style.dim(visible(rule.reason))}`);
  if (shadow !== undefined) out.push(`              ${style.bold("shadowed")} by ${shadowText(shadow, short)}`);
  if (never !== undefined) out.push(`              ${style.bold("never matches")}: ${visible(never)}`);
  return out;
}

const BECAUSE: Readonly<Record<Shadow["because"], string>> = {
  stricter: "which is stricter",
  equal: "which says the same",
  broader: "which says the same about more",
  earlier: "which comes first",
};

function shadowText({ by, because }: Shadow, short: Shorten): string {
  return `${by.effect} ${visible(by.source.text)}  ${visible(short(by.source.file))}:${by.source.line}, ${BECAUSE[because]}`;
}
