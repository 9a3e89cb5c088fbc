import { visible } from "@assent/core/action";
import { addToProfile, minute } from "@assent/guard/policy-edit";
import { parseRule } from "@assent/core/policy";
import { type Machine, profileFile, thisMachine } from "@assent/guard/state";
import { type AllowingRule, type RefusedAction, type RunRefusals } from "@assent/supervisor/supervise/learn";
import { findRun, type RunRecord, runsFolder } from "@assent/supervisor/supervise/undo";
import { writeJson } from "./json.ts";
import { shorten } from "./place.ts";
import { complain, targetOf } from "./policy-target.ts";
import { noRun } from "./receipt.ts";
import { refusalsOf } from "./refusals-of-run.ts";
import { addToPolicy, notDone } from "./rule.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";
import { askLine } from "./terminal.ts";

const COMMAND = "allow";

export interface AllowRunOptions {
  readonly run: string;
  readonly all?: boolean;
  readonly project?: boolean;
  readonly global?: boolean;
  readonly why?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `assent allow --run`: what a run was refused, and the chosen rules written. Exit 0 when they stand, 1 not, 2 wrong usage. */
export async function allowRun(words: readonly string[], options: AllowRunOptions): Promise<number> {
  if (words.length > 0) {
    complain(COMMAND, "--run takes no command", `assent allow --run ${visible(options.run)}`);
    return 2;
  }
  if (options.why?.trim() === "") {
    complain(COMMAND, "--why gives a reason", `assent allow --run ${visible(options.run)} --why "the build needs it"`);
    return 2;
  }
  const machine = thisMachine();
  const run = findRun(runsFolder(machine), options.run, process.cwd(), false);
  if ("problem" in run) return noRun(COMMAND, { ...run, id: options.run });
  const found = refusalsOf(run, machine);
  const place = placeFor(run, machine, options);
  if (place === undefined) return 2;
  const page = (style: TerminalStyle): string => pageOf(found, place.name, style);
  const say = (written: readonly string[]): void => {
    if (options.json === true) writeJson(refusalsJson(run, found, place.file, written));
  };
  if (found.rules.length === 0 || options.dryRun === true) {
    if (options.json !== true) writeStdout(page(styleFor(process.stdout, process.env)));
    say([]);
    return 0;
  }
  const chosen = options.all === true ? found.rules : await choose(page(styleFor({ isTTY: true }, process.env)), found.rules);
  if (chosen === undefined || chosen.length === 0) {
    complain(
      COMMAND,
      chosen === undefined ? "this is not a terminal, so nobody can be asked" : "nothing was written",
      "--dry-run lists the rules, --all writes them without asking",
    );
    return 1;
  }
  const rules = chosen.map(({ rule }) => rule);
  const status = place.write(rules, options.why ?? `refused in the run ${run.id}`);
  if (status !== 0) return status;
  if (options.json === true) say(rules);
  else writeStdout(`${rules.map((rule) => `allow ${visible(rule)}`).join("\n")}\nwritten to ${place.name}\n`);
  return 0;
}

interface RulePlace {
  /** As people are told. */
  readonly name: string;
  readonly file: string;
  /** Returns the exit code. */
  readonly write: (rules: readonly string[], why: string) => number;
}

/** The program's own profile, unless a policy is asked for or an agent started it: its commands have no profile of a person's. */
function placeFor(run: RunRecord, machine: Machine, options: AllowRunOptions): RulePlace | undefined {
  const { profile, confined } = run;
  if (options.project !== true && options.global !== true && profile !== undefined && confined === undefined) {
    const name = `the profile ${visible(shorten(profile, "/", machine.home))}, which counts under \`assent run\` only`;
    const write = (rules: readonly string[], why: string): number => {
      const reason = `${why}, ${minute(new Date())}`;
      const done = addToProfile(
        machine,
        profile,
        rules.map((rule) => ({ effect: "allow", rule, reason })),
      );
      if (done.is === "done") return 0;
      complain(COMMAND, `the profile ${visible(done.why)}`, "`assent profile edit` opens it");
      return 1;
    };
    return { name, file: profileFile(machine, profile), write };
  }
  const target = targetOf(COMMAND, options.project === true ? { local: true } : {});
  if (target === undefined) return undefined;
  const write = (rules: readonly string[], why: string): number => {
    for (const rule of rules) {
      const parsed = parseRule(rule);
      if (!parsed.ok) throw new Error(`a rule that was found is none: ${rule}`);
      const done = addToPolicy(target, "allow", parsed, why);
      if (done.is === "not") return notDone(target, done.because, COMMAND);
      for (const warning of done.is === "added" ? done.warnings : []) writeStderr(`warning: ${warning}\n`);
    }
    return 0;
  };
  return { name: target.short(target.place.file), file: target.place.file, write };
}

/** Undefined: there is no terminal. */
async function choose(page: string, rules: readonly AllowingRule[]): Promise<readonly AllowingRule[] | undefined> {
  const question = rules.length === 1 ? "Allow it? [y/N]" : "Allow which? Numbers such as 1,3 or 1-4, or all; Enter for none:";
  for (let asked = page; ; asked = "That number is not in the list.\n") {
    const line = await askLine(asked, question, "");
    const numbers = line === undefined ? undefined : numbersIn(line.toLowerCase(), rules.length);
    if (line === undefined) return undefined;
    if (numbers !== undefined) return rules.filter((_, at) => numbers.has(at + 1));
  }
}

/** Undefined: something in it is no number of the list. */
export function numbersIn(line: string, most: number): ReadonlySet<number> | undefined {
  if (/^(?:n|no|none|q|quit|)$/.test(line)) return new Set();
  const all = Array.from({ length: most }, (_, at) => at + 1);
  if (line === "all" || (most === 1 && /^y(?:es)?$/.test(line))) return new Set(all);
  const out = new Set<number>();
  for (const part of line.split(/[\s,]+/).filter((word) => word !== "")) {
    const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || first < 1 || last > most || first > last) return undefined;
    for (let at = first; at <= last; at++) out.add(at);
  }
  return out;
}

const MOST_CALLS = 5;
const MOST_REST = 20;

const times = ({ what, count }: RefusedAction): string => `${visible(what)}${count > 1 ? ` (${count} times)` : ""}`;

function pageOf({ count, rules, rest }: RunRefusals, place: string, style: TerminalStyle): string {
  if (count === 0) return "nothing was refused in this run\n";
  const out: string[] = [];
  if (rules.length > 0) out.push(`Rules that would have allowed it, for ${place}:`, "");
  for (const [at, { rule, calls }] of rules.entries()) {
    out.push(`  ${String(at + 1).padStart(String(rules.length).length)}  ${style.verdict("allow")} ${visible(rule)}`);
    for (const one of calls.slice(0, MOST_CALLS)) out.push(style.dim(`       ${times(one)}`));
    if (calls.length > MOST_CALLS) out.push(style.dim(`       and ${calls.length - MOST_CALLS} more`));
  }
  if (rest.length > 0) {
    out.push(...(rules.length === 0 ? [] : [""]), "Refused, and no rule is offered:");
    for (const one of rest.slice(0, MOST_REST)) out.push(`  ${times(one)}`, style.dim(`     ${visible(one.reason)}`));
    if (rest.length > MOST_REST) out.push(`  and ${rest.length - MOST_REST} more`);
  }
  return `${[...out, ""].join("\n")}\n`;
}

const callJson = ({ what, count, reason }: RefusedAction): Record<string, unknown> => ({
  what: visible(what),
  count,
  reason: visible(reason),
});

const refusalsJson = (run: RunRecord, { count, rules, rest }: RunRefusals, file: string, written: readonly string[]): object => ({
  run: run.id,
  refused: count,
  rules: rules.map(({ rule, calls }) => ({ rule: visible(rule), calls: calls.map(callJson) })),
  rest: rest.map(callJson),
  file,
  written: written.map((rule) => visible(rule)),
});
