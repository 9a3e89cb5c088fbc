import { type Action, adviceForPerson, brief, sayAction, quote, type Span, visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { type DecideOptions, offerConsent, type Outcome } from "@assent/guard/engine";
import { advise, changedParts, changesFor, differ, offer, withUserFile } from "@assent/guard/suggest";
import { answerableRemote, isChange, isConfined, isUnoffered, type JudgedAction, type Verdict } from "@assent/core/policy";
import { thisMachine, type Machine } from "@assent/guard/state";
import { asIfConfining } from "./confine.ts";
import { decidingTable } from "./deciding-table.ts";
import { judgeOnly, ruleReader, sayDecision, sayVerdict, SOURCES, type GivenCall } from "@assent/page/preview";
import { outcomeJson, verdictFields, writeJson } from "./json.ts";
import { lineOfWords } from "./line-of-words.ts";
import { absolute, shorten } from "./place.ts";
import { readStdinLines, writeStderr, writeStdout } from "./stdio.ts";
import type { Foreseen } from "./explain-git.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

interface ExplainOptions {
  readonly tool: string;
  readonly input?: string;
  readonly cwd?: string;
  readonly policy: readonly string[];
  readonly json?: boolean;
  readonly batch?: boolean;
  readonly diff?: string;
  readonly confined?: boolean;
}

/** `assent explain`: what a request would do and what would be said to it. Exit 0 whatever the verdict. */
export async function explain(words: readonly string[], options: ExplainOptions): Promise<number> {
  const given = lineOfWords(words);
  if (given !== undefined && "wrong" in given) {
    writeStderr(`assent explain: ${given.wrong}\n  assent explain --json 'git status' or assent explain --json git status\n`);
    return 2;
  }
  const command = given?.line;
  if (options.batch === true) return await batch(options);
  const question = questionOf(command, options);
  if (typeof question === "string") {
    writeStderr(`assent explain: ${question}\n`);
    return 2;
  }
  const machine = thisMachine();
  const { outcome: judged, difference, stops } = await foreseen(judgeOnly(question, machine, options.policy, lookingBy(options)));
  const outcome = stops ? judged : advise(judged, ruleReader);
  if (options.diff !== undefined) {
    const { outcome: after } = await foreseen(otherwise(question, machine, options.policy, options.diff));
    const cwd = absolute(".");
    const short = (path: string): string => shorten(path, cwd, machine.home);
    if (options.json === true) writeJson(diffJson(outcome, after));
    else writeStdout(diffPage(outcome, after, short, styleFor(process.stdout, process.env)));
    return 0;
  }
  const changes = stops ? [] : changesFor(outcome, ruleReader);
  if (options.json === true) writeJson({ ...outcomeJson(outcome, tablesBeside(machine), changes), ...differenceJson(difference) });
  else {
    const style = styleFor(process.stdout, process.env);
    writeStdout(tree(outcome, { changes, difference, stops, home: machine.home }, style));
    if (isConfined(outcome.verdict)) writeStdout(insideText(outcome, style));
  }
  return 0;
}

/** What git is about to change is looked for where git changes something; the part of runs is loaded for it. */
async function foreseen(outcome: Outcome): Promise<Foreseen> {
  if (!changesByGit(outcome)) return { outcome, difference: [], stops: false };
  const { withForesight } = await import("./explain-git.ts");
  return withForesight(outcome);
}

const changesByGit = ({ verdict: { actions } }: Outcome): boolean =>
  actions.some(({ action }) => action.kind === "exec" && action.program === "git") &&
  actions.some(({ action }) => action.kind === "file" && isChange(action) && action.upkeep !== true);

const differenceJson = (difference: readonly string[]): Record<string, unknown> => (difference.length === 0 ? {} : { difference });

const tablesBeside =
  ({ home }: Machine) =>
  (judged: JudgedAction): string | undefined =>
    decidingTable(judged, home);

/** Nothing that is looked at is used up. */
function lookingBy({ confined }: ExplainOptions): Pick<DecideOptions, "memory" | "adapt"> {
  return { memory: "look", ...(confined === true ? { adapt: asIfConfining } : {}) };
}

/** The same request with another file in place of the user's. */
function otherwise(question: GivenCall, machine: Machine, policyFiles: readonly string[], diff: string): Outcome {
  return judgeOnly(question, machine, policyFiles, { select: withUserFile(absolute(diff)), memory: "look" });
}

function questionOf(command: string | undefined, options: ExplainOptions): GivenCall | string {
  const cwd = absolute(options.cwd ?? ".");
  if (options.input === undefined) {
    if (command === undefined) return "nothing to explain: give a command, --tool with --input, or --batch";
    return { tool: options.tool, input: { command }, cwd };
  }
  if (command !== undefined) return "give a command or --input, not both";
  try {
    const input: unknown = JSON.parse(options.input);
    return isObject(input) ? { tool: options.tool, input, cwd } : "--input is not a JSON object";
  } catch {
    return "--input is not JSON";
  }
}

/** What a confined command may do without a question, and what is refused there. */
function insideText(outcome: Outcome, style: TerminalStyle): string {
  const { verdict } = outcome;
  const hosts = verdict.actions.flatMap(({ action }) => (action.kind === "net" ? (action.host ?? []) : []));
  const named = new Set(hosts.map(visible));
  const outside = `everything outside that${named.size === 0 ? "" : ` (${[...named].join(", ")})`}`;
  const rows = [
    ["goes ahead", "reading anything but secrets; changing this project and temporary folders (`assent undo` takes it back)"],
    ["", "a known program's own cache and registry; accepting connections from this machine"],
    ["refused", `${outside}, git's hooks and configuration, agents' settings`],
    ...(changesByGit(outcome) ? [["", "where git would change one of these it is not started, or taken back as a whole"] as const] : []),
    ["", "the agent is told what was refused, why, and what to do instead"],
  ] as const;
  return `\n${rows.map(([name, text]) => `${style.dim(name.padEnd(12))}${text}`).join("\n")}\n`;
}

/** JSON Lines in, one JSON object a line out, in the same order. */
async function batch(options: ExplainOptions): Promise<number> {
  const stdin = readStdinLines();
  if ("problem" in stdin) {
    writeStderr(`assent explain: ${stdin.problem}\n`);
    return 1;
  }
  const machine = thisMachine();
  const folder = absolute(options.cwd ?? ".");
  let code = 0;
  for (const [at, line] of stdin.lines.entries()) {
    if (line === undefined) {
      writeStderr(`assent explain: line ${at + 1} of standard input is not valid UTF-8\n`);
      code = 1;
    }
    const question = line === undefined ? `line ${at + 1} is not valid UTF-8` : requestOfLine(line, folder);
    writeJson(await batchAnswer(question, machine, options));
  }
  return code;
}

async function batchAnswer(question: GivenCall | string, machine: Machine, options: ExplainOptions): Promise<Record<string, unknown>> {
  if (typeof question === "string") return { error: question };
  const { policy, diff } = options;
  const { outcome, difference } = await foreseen(judgeOnly(question, machine, policy, lookingBy(options)));
  if (diff === undefined) return { ...outcomeJson(outcome, tablesBeside(machine)), ...differenceJson(difference) };
  return diffJson(outcome, (await foreseen(otherwise(question, machine, policy, diff))).outcome);
}

function requestOfLine(line: string, folder: string): GivenCall | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "the line is not JSON";
  }
  if (!isObject(value)) return "the line is not a JSON object";
  const { tool, input, cwd = folder } = value;
  if (typeof tool !== "string" || tool === "") return "`tool` is not a text";
  if (!isObject(input)) return "`input` is not an object";
  if (typeof cwd !== "string" || !cwd.startsWith("/") || cwd.includes("\0")) return "`cwd` is not an absolute path";
  return { tool, input, cwd };
}

/** Where a verdict comes from. */
function origin({ rule, builtin, basis, grant }: Verdict): string {
  if (grant !== undefined)
    return `${SOURCES.grant} ${grant.id}${grant.left === undefined ? "" : `, ${grant.left} ${grant.left === 1 ? "use" : "uses"} left`}`;
  if (rule !== undefined) return `${visible(rule.text)}  ${visible(rule.file)}:${rule.line}`;
  return builtin === undefined ? SOURCES[basis] : `${SOURCES[basis]} [${visible(builtin)}]`;
}

/** What people of a team have to do with it; undefined: nothing. */
function teamText({ verdict, basis }: Outcome): string | undefined {
  const answerable = basis === undefined ? undefined : answerableRemote(verdict, basis);
  if (answerable === undefined) return undefined;
  const { people, passkeys, wait } = answerable;
  const who = people === 1 ? "one person of the team may" : "two people of the team may together";
  const signed = passkeys === undefined ? "" : ", with a passkey";
  const waits =
    wait === undefined
      ? ""
      : wait === 0
        ? "; it does not wait for them"
        : `; it waits ${lengthText(wait)} for them, or as long as the host does`;
  return `${who} answer it remotely${signed}${waits}`;
}

const lengthText = (milliseconds: number): string =>
  milliseconds % 60_000 === 0 ? `${milliseconds / 60_000} min` : `${milliseconds / 1000} s`;

function tree(
  outcome: Outcome,
  { changes, difference, stops, home }: Omit<Foreseen, "outcome"> & { readonly changes: readonly string[]; readonly home: string },
  style: TerminalStyle,
): string {
  const { request, verdict, answer, warnings } = outcome;
  const source = request.input["command"];
  const text = typeof source === "string" ? source : undefined;
  const told = sayVerdict(verdict, "your agent");
  const out = [
    `${style.verdict(told, style.bold(told))}  ${brief(text ?? `${request.tool} ${JSON.stringify(request.input)}`, style.width - 8)}`,
  ];
  out.push(`${style.dim("why")}    ${visible(verdict.reason)}`);
  if (verdict.help !== undefined) out.push(`${style.dim("help")}   ${visible(adviceForPerson(verdict.help))}`);
  const { offer, why } = verdict.decision === "allow" || verdict.decision === "deny" ? {} : offerConsent(outcome, thisMachine());
  if (offer !== undefined) out.push(`${style.dim("once")}   ${offer.sentence} \`assent allow --here\` says yes to it, for this repository`);
  if (why !== undefined) out.push(`${style.dim("once")}   no sentence that you say yes to once lets it go ahead: ${visible(why)}`);
  if (stops) out.push(`${style.dim("agent")}  may start it sandboxed; git is not started there, and the agent is told why`);
  else if (answer.decision !== verdict.decision)
    out.push(`${style.dim("agent")}  ${answer.decision === "none" ? "decides by itself, or asks you" : `is told: ${answer.decision}`}`);
  const afar = teamText(outcome);
  if (afar !== undefined) out.push(`${style.dim("team")}   ${afar}`);
  if (difference.length > 0) {
    out.push("", stops ? "The difference:" : "It changes files that decide what an agent may do:");
    out.push(...difference.map((line) => `  ${brief(visible(line), style.width - 2)}`));
  }
  out.push("");
  const parts = verdict.actions.length + verdict.unknowns.length;
  const labels = [...verdict.actions, ...verdict.unknowns].map((part) => sayDecision(part.verdict.decision));
  const room = Math.max(5, ...labels.map((label) => label.length));
  const label = ({ decision }: Verdict): string => style.verdict(sayDecision(decision), sayDecision(decision).padEnd(room));
  const gap = " ".repeat(room + 1);
  const branch = (at: number): [string, string] => (at === parts - 1 ? ["└─ ", "   "] : ["├─ ", "│  "]);
  for (const [at, judged] of verdict.actions.entries()) {
    const { action, verdict: own } = judged;
    const [first, next] = branch(at);
    const table = decidingTable(judged, home);
    const indent = "origin" in action && action.origin.by === "command" ? "  " : "";
    out.push(`${first}${label(own)} ${indent}${sayAction(action)}`);
    out.push(`${next}${gap}${indent}${style.dim(`${origin(own)} — ${reasonBeside(own, action)}`)}`);
    if (table !== undefined) out.push(`${next}${gap}${indent}${style.dim(table)}`);
  }
  for (const [index, { unknown, verdict: own }] of verdict.unknowns.entries()) {
    const [first, next] = branch(verdict.actions.length + index);
    out.push(`${first}${label(own)} not clear: ${visible(unknown.reason)}`);
    for (const line of caret(text, unknown.span, style.width - room - 5)) out.push(`${next}${gap}${style.dim(line)}`);
    const help = unknown.help ?? own.help;
    if (help !== undefined) out.push(`${next}${gap}${style.dim(`help: ${visible(adviceForPerson(help))}`)}`);
  }
  if (verdict.decision !== "allow") out.push("", ...waysOut(outcome, changes));
  for (const warning of warnings) out.push("", `warning: ${visible(warning)}`);
  return `${out.join("\n")}\n`;
}

function waysOut(outcome: Outcome, changes: readonly string[]): readonly string[] {
  const { verdict } = outcome;
  if (changes.length === 0) {
    return [
      verdict.rule !== undefined && verdict.decision !== "none"
        ? `No allow rule changes this: the rule at ${visible(verdict.rule.file)}:${verdict.rule.line} decides.`
        : verdict.basis === "floor" || isUnoffered(verdict.builtin)
          ? "No rule can allow this."
          : openParts(verdict) === 1
            ? "No rule is offered for this."
            : "One rule is not enough to allow this: explain its parts one by one.",
    ];
  }
  const typed = offer(outcome, changes);
  const commands = typed === undefined ? changes.map((rule) => `assent allow ${quote(rule)}`) : [typed];
  const rules = changes.map((rule) => JSON.stringify(rule)).join(", ");
  return [
    "To allow it from now on:",
    ...commands.map((command) => `  ${command}`),
    `which adds ${rules} to permissions.allow in ~/.agent-permissions.jsonc`,
  ];
}

const openParts = ({ actions, unknowns }: Outcome["verdict"]): number =>
  [...actions, ...unknowns].filter((part) => part.verdict.decision !== "allow").length;

/** The reason, without the words that stand above it already. */
function reasonBeside({ reason }: Verdict, action: Action): string {
  const what = `${sayAction(action)}: `;
  return visible(reason.startsWith(what) ? reason.slice(what.length) : reason.replace(`: ${sayAction(action)}`, ""));
}

/** The line of the text that a span points at, and carets below it. */
function caret(text: string | undefined, span: Span | undefined, width: number): readonly string[] {
  if (text === undefined || span === undefined || span.start > text.length) return [];
  const start = text.lastIndexOf("\n", Math.max(0, span.start - 1)) + 1;
  const stop = text.indexOf("\n", span.start);
  const end = stop === -1 ? text.length : stop;
  const from = Math.max(start, Math.min(span.start - 20, end - width));
  const before = visible(text.slice(from, span.start));
  const marked = visible(text.slice(span.start, Math.min(span.end, end)));
  const after = visible(text.slice(Math.min(span.end, end), end));
  const room = Math.max(1, width - before.length);
  return [
    `${before}${marked}${after}`.slice(0, width),
    `${" ".repeat(before.length)}${"^".repeat(Math.min(Math.max(1, marked.length), room))}`,
  ];
}

/** What one request is told under two policies, as JSON. */
function diffJson(before: Outcome, after: Outcome): Record<string, unknown> {
  const warnings = [...new Set([...before.warnings, ...after.warnings])];
  return {
    changed: before.verdict.decision !== after.verdict.decision,
    tool: before.request.tool,
    input: before.request.input,
    cwd: before.request.cwd,
    before: { ...verdictFields(before.verdict), answer: before.answer.decision },
    after: { ...verdictFields(after.verdict), answer: after.answer.decision },
    parts: changedParts(before, after).map((part) => ({
      text: part.text,
      before: verdictFields(part.before),
      after: verdictFields(part.after),
    })),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(visible) }),
  };
}

/** The same for people: the verdicts, then the parts that are judged differently and why. */
function diffPage(before: Outcome, after: Outcome, short: (path: string) => string, style: TerminalStyle): string {
  const { request } = before;
  const command = request.input["command"];
  const text = brief(typeof command === "string" ? command : `${request.tool} ${JSON.stringify(request.input)}`, style.width - 16);
  const out: string[] = [];
  const shown = ({ decision }: Verdict): string => style.verdict(sayDecision(decision));
  if (before.verdict.decision === after.verdict.decision) out.push(`${shown(before.verdict)} (no change)  ${style.bold(text)}`);
  else out.push(`${shown(before.verdict)} → ${shown(after.verdict)}  ${style.bold(text)}`);
  out.push(`${style.dim("before")}  ${why(before.verdict, short)}`, `${style.dim("after")}   ${why(after.verdict, short)}`);
  // Another rule that says the same is told only where nothing else differs.
  const all = changedParts(before, after);
  const turned = all.filter((part) => part.before.decision !== part.after.decision);
  const parts = turned.length > 0 ? turned : all;
  if (parts.length > 0) out.push("");
  for (const part of parts) {
    const change = part.before.decision === part.after.decision ? shown(part.after) : `${shown(part.before)} → ${shown(part.after)}`;
    out.push(`${change}  ${part.said}`);
    out.push(`  ${style.dim("before")}  ${why(part.before, short)}`, `  ${style.dim("after")}   ${why(part.after, short)}`);
  }
  if (parts.length === 0 && !differ(before.verdict, after.verdict)) out.push("", "The same rules decide.");
  for (const warning of new Set([...before.warnings, ...after.warnings])) out.push("", `warning: ${visible(warning)}`);
  return `${out.join("\n")}\n`;
}

function why({ decision, reason, rule, builtin, basis }: Verdict, short: (path: string) => string): string {
  const from =
    rule === undefined
      ? `${SOURCES[basis]}${builtin === undefined ? "" : ` [${visible(builtin)}]`}`
      : `${visible(rule.text)}  ${visible(short(rule.file))}:${rule.line}`;
  return `${sayDecision(decision)}  ${from} — ${visible(reason)}`;
}
