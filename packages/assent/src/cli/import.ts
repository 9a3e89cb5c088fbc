import { visible } from "@assent/core/action";
import {
  formatOf,
  gather,
  type Gathered,
  loadReaders,
  type NativeFile,
  type NativeFormat,
  type NativePlace,
  ownedIn,
} from "@assent/hosts/agents/native";
import { editPolicy, policyPlace, readPlace, starterPolicy } from "@assent/guard/policy-edit";
import { type ImportPlan, planImport, type Sourced, textOf } from "@assent/import/import";
import { isWithin } from "@assent/core/path";
import { thisMachine, type Machine } from "@assent/guard/state";
import { fileDiff } from "./file-diff.ts";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, schemaFor, showProblems, type PolicyTarget, trustEnded } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { confirmed } from "./terminal.ts";

const COMMAND = "import";

interface ImportOptions {
  readonly agent?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What would become of one policy file. */
interface FileImport {
  readonly target: PolicyTarget;
  readonly before: string | undefined;
  readonly rules: readonly Sourced[];
  readonly plan: ImportPlan;
}

interface ReportedLoss {
  readonly agent: string;
  readonly file: string;
  readonly line: number;
  readonly effect?: string;
  readonly text: string;
  readonly why: string;
  readonly help?: string;
}

/**
 * `assent import`: exit 0 when everything was kept (or stands there already), 1 when something was lost, unreadable or
 * not written, 2 wrong usage.
 */
export async function importRules(files: readonly string[], options: ImportOptions): Promise<number> {
  const machine = thisMachine();
  const cwd = absolute(".");
  const formats = formatsOf(
    await loadReaders(),
    options.agent?.flatMap((list) => list.split(",")),
  );
  if (formats === undefined) return 2;
  const owners = files.map((file) => (options.agent === undefined ? formatOf(formats, absolute(file)) : formats[0]));
  const strange = owners.indexOf(undefined);
  if (strange !== -1 || (files.length > 0 && (options.agent?.length ?? 1) !== 1)) {
    const told = formats.flatMap(({ id, holds }) => (holds === undefined ? [] : [id])).join(", ");
    const [which, help] = options.agent === undefined ? [files[strange], `of these alone the text tells: ${told}`] : [undefined, undefined];
    complain(COMMAND, `say with --agent whose rules ${which === undefined ? "these files hold" : `\`${visible(which)}\` holds`}`, help);
    return 2;
  }
  const project = policyPlace("local", machine, cwd)?.root;
  const around = { home: machine.home, project, env: machine.env };
  const read = (of: readonly NativeFormat[], named?: readonly NativePlace[]): Gathered =>
    gather(of, around, (file) => ownedIn(machine, file), named);
  const parts = files.flatMap((file, at) => {
    const owner = owners[at];
    return owner === undefined ? [] : [read([owner], [namedPlace(file, owner, project)])];
  });
  const gathered =
    files.length === 0 ? read(formats) : { files: parts.flatMap((part) => part.files), broken: parts.flatMap((part) => part.broken) };
  const short = (path: string): string => visible(shorten(path, cwd, machine.home));
  const lost: ReportedLoss[] = gathered.files.flatMap(({ agent, file, lost: own }) => own.map((one) => ({ agent, file, ...one })));
  const changes: FileImport[] = [];
  let failed = gathered.broken.length > 0;
  for (const scope of ["user", "project"] as const) {
    const change = changeOf(scope, gathered, machine, cwd, short);
    if (change === "failed") failed = true;
    else if (change !== undefined) {
      changes.push(change);
      lost.push(...change.plan.lost.map(({ of, loss }) => lostOnTheWay(of, loss, gathered)));
    }
  }
  const fresh = changes.filter(({ plan }) => plan.added.length > 0);
  if (options.json !== true) {
    showBroken(gathered, short);
    showLost(lost, short);
  }
  const page = fresh.map((change) => diffOf(change, short)).join("");
  // The terminal shows it with the question.
  if (options.json !== true && (options.yes === true || options.dryRun === true)) writeStdout(page);
  const decision = await mayWrite(fresh, page, options);
  const done: FileImport[] = [];
  if (decision === "write") for (const change of fresh) if (write(change)) done.push(change);
  if (decision === "write" && done.length < fresh.length) failed = true;
  if (decision === "refused") failed = true;
  if (options.json === true) printJson(changes, done, lost, gathered);
  else report(changes, done, lost, options.dryRun === true);
  return failed || lost.length > 0 ? 1 : 0;
}

function formatsOf(all: readonly NativeFormat[], names: readonly string[] | undefined): readonly NativeFormat[] | undefined {
  if (names === undefined) return all;
  const unknown = names.find((name) => !all.some(({ id }) => id === name));
  if (unknown === undefined) return all.filter(({ id }) => names.includes(id));
  complain(COMMAND, `no rules are known of \`${visible(unknown)}\``, `known are ${all.map(({ id }) => id).join(", ")}`);
  return undefined;
}

/** A file in the project speaks for the project. */
function namedPlace(file: string, format: NativeFormat, project: string | undefined): NativePlace {
  const path = absolute(file);
  return { path, scope: project !== undefined && isWithin(path, project) ? "project" : "user", read: format.readerFor(path) };
}

/** Rules of a project go to the project's policy: anywhere else they would hold for every project. */
function changeOf(
  scope: "user" | "project",
  gathered: Gathered,
  machine: Machine,
  cwd: string,
  short: PolicyTarget["short"],
): FileImport | "failed" | undefined {
  const rules = gathered.files
    .filter((file) => file.scope === scope)
    .flatMap(({ file, rules: own }) => own.map((rule): Sourced => ({ rule, from: `${label(file, machine, cwd, scope)}:${rule.line}` })));
  if (rules.length === 0) return undefined;
  const place = policyPlace(scope === "user" ? "global" : "local", machine, cwd);
  if (place === undefined) return undefined;
  const target: PolicyTarget = { machine, cwd, place, starter: starterPolicy(place.layer, schemaFor(place)), short };
  const found = readPlace(place);
  if (found.is === "unreadable") {
    complain(COMMAND, `${short(place.file)} ${visible(found.why)}`);
    return "failed";
  }
  if (found.is === "text" && !found.read.ok) {
    complain(COMMAND, `${short(place.file)} has mistakes and is left as it is`);
    showProblems(found.read.problems, short);
    return "failed";
  }
  const before = found.is === "text" ? found.text : undefined;
  return { target, before, rules, plan: planImport(before ?? target.starter, rules) };
}

/** As it is written into the policy: the same from every folder. */
function label(file: string, { home }: Machine, cwd: string, scope: NativeFile["scope"]): string {
  const root = scope === "project" ? (policyPlace("local", { ...thisMachine(), home }, cwd)?.root ?? cwd) : "/";
  return visible(shorten(file, root, home));
}

function lostOnTheWay({ rule, from }: Sourced, loss: { readonly why: string; readonly help?: string }, { files }: Gathered): ReportedLoss {
  const source = files.find(({ rules }) => rules.includes(rule));
  return { agent: source?.agent ?? "", file: source?.file ?? from, line: rule.line, effect: rule.effect, text: rule.text, ...loss };
}

function showBroken({ broken }: Gathered, short: PolicyTarget["short"]): void {
  for (const { file, line, column, why } of broken)
    writeStderr(line === undefined ? `${short(file)} ${visible(why)}\n` : `${short(file)}:${line}:${column ?? 1}: ${visible(why)}\n`);
}

function showLost(lost: readonly ReportedLoss[], short: PolicyTarget["short"]): void {
  for (const { file, line, effect, text, why, help } of lost) {
    writeStderr(`${short(file)}:${line}: lost: ${effect === undefined ? "" : `${effect} `}${visible(text)}: ${visible(why)}\n`);
    if (help !== undefined) writeStderr(`  ${visible(help)}\n`);
  }
}

function diffOf({ target, before, plan }: FileImport, short: PolicyTarget["short"]): string {
  return fileDiff(short(target.place.file), before, plan.text);
}

async function mayWrite(fresh: readonly FileImport[], page: string, options: ImportOptions): Promise<"write" | "look" | "refused"> {
  if (fresh.length === 0 || options.dryRun === true) return "look";
  if (options.yes === true) return "write";
  const count = fresh.reduce((sum, { plan }) => sum + plan.added.length, 0);
  const said = options.json === true ? undefined : await confirmed(page, `Write ${rules(count)}?`);
  if (said === true) return "write";
  if (said === undefined)
    complain(COMMAND, "nothing is written: this is not a terminal, so nobody can be asked", "look at it with --dry-run, then say --yes");
  else complain(COMMAND, "nothing is written");
  return "refused";
}

/** What was shown is what is written: a policy that has changed meanwhile is left as it is. */
function write({ target, before, plan }: FileImport): boolean {
  const file = target.short(target.place.file);
  const outcome = editPolicy(target.place, target.starter, (text) =>
    text === (before ?? target.starter) ? { edits: plan.edits } : { stop: "changed" },
  );
  if (outcome.is === "done") return outcome.text === plan.text;
  if (outcome.is === "stopped") complain(COMMAND, `${file} has changed meanwhile`, "say it again");
  else if (outcome.is === "failed") complain(COMMAND, `${file} ${visible(outcome.why)}`);
  else {
    complain(COMMAND, `${file} has mistakes and is left as it is`);
    showProblems(outcome.problems, target.short);
  }
  return false;
}

const rules = (count: number): string => `${count} rule${count === 1 ? "" : "s"}`;

function report(changes: readonly FileImport[], done: readonly FileImport[], lost: readonly ReportedLoss[], dry: boolean): void {
  const there = changes.reduce((sum, { plan }) => sum + plan.there.length, 0);
  const rest = [...(there === 0 ? [] : [`${there} there already`]), ...(lost.length === 0 ? [] : [`${lost.length} lost`])];
  if (changes.every(({ plan }) => plan.added.length === 0)) rest.unshift("no new rules");
  for (const change of changes) {
    const { target, plan, before } = change;
    if (plan.added.length === 0) continue;
    const verb = done.includes(change) ? "added" : dry ? "would add" : "not added:";
    writeStdout(`${verb} ${rules(plan.added.length)} to ${target.short(target.place.file)}${before === undefined ? " (new)" : ""}\n`);
    for (const note of notesOn(change)) writeStderr(`note: ${note}\n`);
    const ended = done.includes(change) ? trustEnded(target) : undefined;
    if (ended !== undefined) writeStderr(`warning: ${ended}\n`);
  }
  if (rest.length > 0) writeStdout(`${rest.join(", ")}\n`);
}

/** There a pattern without a folder may have meant the project, here it means every file of the machine. */
function notesOn({ plan }: FileImport): readonly string[] {
  return plan.added.flatMap(({ rule, from }) => {
    const { effect, into, text } = rule;
    if (effect !== "allow" || into.list !== "permissions" || !/^(?:Edit|Write|Delete)(?:\(\*\*\))?$/.test(into.rule)) return [];
    return [
      `${visible(from)}: ${visible(text)} is taken over as \`${into.rule}\`, which allows this for files anywhere ` +
        "on the machine, not only in the project; write `Edit(./**)` for the project alone",
    ];
  });
}

function printJson(changes: readonly FileImport[], done: readonly FileImport[], lost: readonly ReportedLoss[], { broken }: Gathered): void {
  const entry = ({ rule, from }: Sourced): Record<string, unknown> => ({
    effect: rule.effect,
    into: rule.into.list,
    text: visible(textOf(rule)),
    from: visible(from),
    native: visible(rule.text),
    reason: rule.reason === undefined ? undefined : visible(rule.reason),
  });
  const policies = changes.map((change) => ({
    file: change.target.place.file,
    created: change.before === undefined,
    written: done.includes(change),
    added: change.plan.added.map(entry),
    there: change.plan.there.map(entry),
    ...(notesOn(change).length === 0 ? {} : { notes: notesOn(change) }),
  }));
  const losses = lost.map(({ text, why, help, ...rest }) => ({
    ...rest,
    text: visible(text),
    why: visible(why),
    help: help === undefined ? undefined : visible(help),
  }));
  writeJson({ policies, lost: losses, broken: broken.map((one) => ({ ...one, why: visible(one.why) })) });
}
