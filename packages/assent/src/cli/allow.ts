import { brief, visible } from "@assent/core/action";
import { consentId, offerConsent, type Outcome } from "@assent/guard/engine";
import { addConsent } from "@assent/guard/policy-edit";
import { resolvePath } from "@assent/core/path";
import { type Decision, type Effect, isConfined, parseRule } from "@assent/core/policy";
import { changesFor, commandRules, underRules } from "@assent/guard/suggest";
import { type Machine, thisMachine, isProgram } from "@assent/guard/state";
import { judgeOnly, readerOf, ruleReader } from "@assent/page/preview";
import { addedGrant } from "./grants.ts";
import { writeJson } from "./json.ts";
import { lineOfWords } from "./line-of-words.ts";
import { absolute } from "./place.ts";
import { complain, type PolicyTarget, targetOf } from "./policy-target.ts";
import { addToPolicy, meantRule, notDone } from "./rule.ts";
import { readLength } from "./since.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";
import { confirmed, whyNotAgreed } from "./terminal.ts";

export interface DecideOnOptions {
  readonly project?: boolean;
  /** In the place of a rule: the sentence that it is about, for this repository. */
  readonly here?: boolean;
  readonly for?: string;
  readonly why?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** See `assent rule add --force`. */
  readonly force?: boolean;
  readonly json?: boolean;
}

/** The rules for what was said, and what they change for it. `line` is absent where a rule itself was said. */
interface Plan {
  readonly rules: readonly string[];
  readonly line?: string;
  readonly before?: Decision | "confined";
  readonly after?: Decision;
}

type Planned =
  | Plan
  | { readonly is: "needless"; readonly why: string }
  | { readonly is: "none" | "wrong"; readonly why: string; readonly help: string };

/** `assent allow|ask|deny`: finds the rule for a command, shows it, asks, writes it. Exit 0 when it stands, 1 not, 2 wrong usage. */
export async function decideOn(effect: Effect, words: readonly string[], options: DecideOnOptions): Promise<number> {
  const wrong = (message: string, help: string): number => {
    complain(effect, message, help);
    return 2;
  };
  const said = lineOfWords(words);
  if (said === undefined || ("line" in said && said.line.trim() === ""))
    return wrong("say a command, or a rule", `assent ${effect} "npm test", assent ${effect} "Edit(src/**)"`);
  if ("wrong" in said) return wrong(said.wrong, `assent ${effect} --project npm test`);
  if (options.why?.trim() === "") return wrong("--why gives a reason", `assent ${effect} --why "it is slow" npm test`);
  const length = options.for === undefined ? 1 : readLength(options.for);
  if (typeof length !== "number") return wrong(length.wrong, `assent ${effect} --for 2h npm test`);
  const machine = thisMachine();
  if (options.here === true) return await allowedHere(said.line, machine);
  const plan = planFor(effect, said.line, machine, options.force === true);
  if ("is" in plan) {
    if (plan.is === "needless") {
      if (options.json === true) writeJson({ effect, rules: [], written: false, why: plan.why });
      else writeStdout(`nothing to do: ${plan.why}\n`);
      return 0;
    }
    complain(effect, plan.why, plan.help);
    return plan.is === "wrong" ? 2 : 1;
  }
  if (options.for !== undefined) return await granted(plan.rules, options);

  const target = targetOf(effect, options.project === true ? { local: true } : {});
  if (target === undefined) return 2;
  if (options.dryRun === true) return show(effect, plan, target, options);
  if (options.yes !== true) {
    const agreed = await confirmed(
      page(effect, plan, target, styleFor({ isTTY: true }, process.env)),
      plan.rules.length === 1 ? "Write this rule?" : "Write these rules?",
      "[Y/n]",
    );
    if (agreed !== true) {
      complain(
        effect,
        agreed === undefined ? "this is not a terminal, so nobody can be asked" : "nothing was written",
        "--dry-run shows it, --yes does not ask",
      );
      return 1;
    }
  }
  return write(effect, plan, target, options);
}

/** `assent allow --here`: a person says yes to a sentence, once for this repository. Asked at the terminal, never implied. */
async function allowedHere(line: string, machine: Machine): Promise<number> {
  const fail = (why: string, help: string): number => {
    complain("allow", visible(why), help);
    return 1;
  };
  const outcome = judgeOnly({ tool: "Bash", input: { command: line }, cwd: absolute(".") }, machine, [], { memory: "look" });
  const { offer, why } = offerConsent(outcome, machine);
  const shown = `\`${brief(visible(line), 60)}\``;
  if (offer === undefined && outcome.verdict.decision === "allow") {
    writeStdout(`nothing to do: ${shown} goes ahead already\n`);
    return 0;
  }
  if (offer === undefined)
    return fail(`no sentence is about ${shown}${why === undefined ? "" : `: ${why}`}`, "a rule may be: assent allow without --here");
  const page = `  ${offer.sentence}\n  In ${visible(offer.entry.root)}, until you end it: \`assent grants\`.\n`;
  const refused = await whyNotAgreed(page, "Yes, for this repository?");
  if (refused !== undefined) return fail(refused, "nothing was written");
  const done = addConsent(machine, offer.entry);
  if (done.is !== "done") return fail(done.is === "failed" ? done.why : "your policy has mistakes: assent lint", "nothing was written");
  writeStdout(`${consentId(offer.entry)}  ${offer.sentence}\n`);
  return 0;
}

function planFor(effect: Effect, text: string, machine: Machine, force: boolean): Planned {
  if (isWrittenRule(text)) {
    const parsed = force ? meantRule(text) : parseRule(text);
    if (parsed.ok) return { rules: [parsed.text] };
    return { is: "wrong", why: visible(parsed.message), help: visible(parsed.help ?? "`assent help rule add`") };
  }
  const [program = ""] = text.trim().split(/\s+/);
  const place = placeOfUrl(program);
  if (place !== undefined)
    return {
      is: "wrong",
      why: `${visible(program)} is an address, not a command`,
      help: `for what is there: assent ${effect} ${place.join(", ")}`,
    };
  if (isPath(program) && !isProgram(resolvePath(absolute("."), program.replace(/^~(?=\/|$)/, machine.home))))
    return {
      is: "none",
      why: `cannot find the program ${visible(program)}`,
      help: `for a file or folder: assent ${effect} "Read(${visible(program)})", "Edit(${visible(program)})"`,
    };
  const outcome = judgeOnly({ tool: "Bash", input: { command: text }, cwd: absolute(".") }, machine, [], { memory: "look" });
  const shown = `\`${brief(visible(text), 60)}\``;
  const before = isConfined(outcome.verdict) ? "confined" : outcome.verdict.decision;
  if (effect === "allow") {
    if (before === "confined") return { is: "needless", why: `${shown} goes ahead sandboxed` };
    if (before === "allow") return { is: "needless", why: `${shown} goes ahead already` };
    const rules = changesFor(outcome, ruleReader);
    if (rules.length > 0) return { rules, line: text, before, after: "allow" };
    return {
      is: "none",
      why: `no rule can allow ${shown}: ${outcome.verdict.reason}`,
      help: "`assent explain` shows the parts it is made of",
    };
  }
  if (before === effect || before === "deny")
    return { is: "needless", why: `${shown} ${before === "deny" ? "is refused" : "is asked about"} already: ${outcome.verdict.reason}` };
  const rule = stopping(effect, text, outcome);
  if (rule !== undefined) return { rules: [rule], line: text, before, after: effect };
  return {
    is: "none",
    why: `no single rule fits ${shown}`,
    help: `name one command of it, or write the rule: assent ${effect} "Bash(rm:*)", "Read(.env)", "WebFetch(domain:x.com)"`,
  };
}

/** As it stands in a policy: `Edit(src/**)`, `mcp__server__tool`, `Bash`; `curl` is a command. */
function isWrittenRule(text: string): boolean {
  if (/^[A-Z]\w*\(|^[\w*.-]+\([^]*\)$|^mcp__\S+$/.test(text)) return true;
  const parsed = parseRule(text);
  return parsed.ok && parsed.matcher.kind !== "tool";
}

/** The rules, in quotes, for what a URL leads to; undefined: it is none. A bare host is a command that nobody knows. */
function placeOfUrl(word: string): readonly string[] | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return undefined;
  const url = URL.canParse(word) ? new URL(word) : undefined;
  const wanted =
    url?.protocol === "file:"
      ? ["Read", "Edit"].map((name) => `${name}(${decodeURI(url.pathname)})`)
      : [`WebFetch(domain:${url?.hostname ?? "x.com"})`, ...(url === undefined || url.port === "" ? [] : [`Net(${url.host})`])];
  const rules = wanted.filter((rule) => parseRule(rule).ok);
  return (rules.length === 0 ? ["WebFetch(domain:x.com)"] : rules).map((rule) => `"${visible(rule)}"`);
}

/** It names a place, not a program of PATH. */
const isPath = (word: string): boolean => /^[.~]|\//.test(word) && !/^[^']*['"$`\\*?]/.test(word);

/** The widest rule in the words that were said, of those that stop the line. */
function stopping(effect: Effect, text: string, outcome: Outcome): string | undefined {
  const read = readerOf(effect);
  const said = text.trim().split(/\s+/).join(" ");
  const commands = outcome.verdict.actions.flatMap(({ action }) => (action.kind === "exec" ? [action] : []));
  // A line of several commands is stopped by each of them: which one is meant only a person knows.
  const [first, ...others] = commands;
  if (first === undefined || (others.length > 0 && !/^[^'"`$\\|&;<>()\n]+$/.test(text))) return undefined;
  return [`Bash(${said}:*)`, `Bash(${said})`, ...commandRules(first)].find((rule) => {
    const parsed = parseRule(rule);
    return parsed.ok && underRules(outcome, [rule], read)?.decision === effect;
  });
}

async function granted(rules: readonly string[], options: DecideOnOptions): Promise<number> {
  const { for: time, project, why } = options;
  for (const rule of rules) {
    const status = await addedGrant(rule, {
      ...(time === undefined ? {} : { for: time }),
      ...(project === undefined ? {} : { project }),
      ...(why === undefined ? {} : { why }),
    });
    if (status !== 0) return status;
  }
  return 0;
}

const BEFORE: Readonly<Record<Decision | "confined", string>> = {
  allow: "goes ahead",
  confined: "goes ahead sandboxed",
  ask: "is asked about",
  deny: "is refused",
  none: "is left to the agent, which asks",
};
const AFTER: Readonly<Record<Effect, string>> = { allow: "goes ahead", ask: "is asked about", deny: "is refused" };

function page(effect: Effect, { rules, line, before }: Plan, { place, short }: PolicyTarget, style: TerminalStyle): string {
  const rows = rules.map((rule) => `  ${style.verdict(effect, effect.padEnd(5))} ${visible(rule)}`);
  const change =
    line === undefined || before === undefined ? [] : [`  now \`${brief(visible(line), 60)}\` ${BEFORE[before]}; then it ${AFTER[effect]}`];
  return `${[`${short(place.file)} gets`, ...rows, ...change].join("\n")}\n`;
}

function show(effect: Effect, plan: Plan, target: PolicyTarget, options: DecideOnOptions): number {
  if (options.json === true) writeJson(planJson(effect, plan, target, false));
  else writeStdout(page(effect, plan, target, styleFor(process.stdout, process.env)));
  return 0;
}

const planJson = (
  effect: Effect,
  { rules, line, before, after }: Plan,
  { place }: PolicyTarget,
  written: boolean,
): Record<string, unknown> => ({
  effect,
  rules: rules.map((rule) => visible(rule)),
  file: place.file,
  ...(line === undefined ? {} : { command: visible(line), before, after }),
  written,
});

function write(effect: Effect, plan: Plan, target: PolicyTarget, options: DecideOnOptions): number {
  const warnings: string[] = [];
  const lines: string[] = [];
  for (const rule of plan.rules) {
    const parsed = rule.startsWith("{") ? parseRule(JSON.parse(rule)) : parseRule(rule);
    if (!parsed.ok) throw new Error(`a rule that was found is none: ${rule}`);
    const done = addToPolicy(target, effect, parsed, options.why);
    if (done.is === "not") return notDone(target, done.because, effect);
    const where = `${target.short(target.place.file)}:${done.entry.line}`;
    if (done.is === "added") {
      if (done.created) lines.push(`made ${target.short(target.place.file)}`);
      warnings.push(...done.warnings);
      lines.push(`added ${effect} ${visible(rule)}  ${where}`);
    } else lines.push(`${effect} ${visible(rule)} stands at ${where} already`);
  }
  if (options.json === true) writeJson({ ...planJson(effect, plan, target, true), warnings });
  else writeStdout(`${lines.join("\n")}\n`);
  if (options.json !== true) for (const warning of warnings) writeStderr(`warning: ${warning}\n`);
  return 0;
}
