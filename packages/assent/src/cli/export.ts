import { realpathSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { visible } from "@assent/core/action";
import { allowsOf, loadRefusals, ownedIn, recordOwned, type RefusalFormat } from "@assent/hosts/agents/native";
import { pastRequests } from "@assent/page/preview";
import { readPlace } from "@assent/guard/policy-edit";
import { type PolicyFile, readingOf, REFUSALS_TOLD, type Rule, sayWhen } from "@assent/core/policy";
import { ensureFolder, readEditable, replaceFile, type Machine } from "@assent/guard/state";
import { ALLOWS_DAYS, exactCommands, isHarmless } from "./export-allows.ts";
import { fileDiff } from "./file-diff.ts";
import { writeJson } from "./json.ts";
import { complain, showProblems, targetOf, type PolicyTarget } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { confirmed } from "./terminal.ts";

const COMMAND = "export";
const MAX_BYTES = 4 << 20;

interface ExportOptions {
  readonly agent: string;
  readonly local?: boolean;
  readonly allow?: boolean;
  readonly write?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Unsaid {
  readonly rule: Rule;
  readonly why: string;
}

/** `assent export`: exit 0 when the host can be told everything, 1 when not or when writing failed, 2 wrong usage. */
export async function exportRules(options: ExportOptions): Promise<number> {
  const format = await loadRefusals(options.agent);
  if (format === undefined) {
    complain(COMMAND, `\`${visible(options.agent)}\` has no rules of its own that refuse`, `known are ${REFUSALS_TOLD.join(", ")}`);
    return 2;
  }
  const writes = options.write === true || options.remove === true;
  if (options.allow === true && format.allows === undefined) {
    complain(COMMAND, `${format.name} can be told refusals only`, "leave --allow out for your refusals");
    return 2;
  }
  if (writes && format.file === undefined) {
    complain(COMMAND, `${format.name} keeps no refusals in a file`, "start it with what `assent export` prints");
    return 2;
  }
  const target = targetOf(COMMAND, options);
  if (target === undefined) return 2;
  const rules = options.remove === true ? [] : rulesOf(target, options.allow === true ? "allow" : "deny");
  if (rules === undefined) return 1;
  const { entries, unsaid } =
    options.allow !== true ? said(rules, format) : { entries: options.remove === true ? [] : allows(rules, target, format), unsaid: [] };
  let outcome: "printed" | "written" | "same" | "failed" = "printed";
  if (writes) outcome = await write(format, target, entries, options);
  const shows = (options.allow === true ? format.allows : undefined) ?? format;
  if (options.json === true) printJson(format, shows.show(entries), target, unsaid, outcome);
  else {
    for (const { rule, why } of unsaid)
      writeStderr(`${target.short(rule.source.file)}:${rule.source.line}: not said: deny ${visible(rule.source.text)}: ${visible(why)}\n`);
    if (!writes && entries.length > 0) writeStdout(shows.show(entries));
    if (!writes && entries.length === 0) writeStderr(`no ${options.allow === true ? "commands" : "refusals"} to export\n`);
  }
  return outcome === "failed" || unsaid.length > 0 ? 1 : 0;
}

/** The rules of the policy that say so; undefined when it cannot be read, which has been said. */
function rulesOf({ place, short }: PolicyTarget, effect: "deny" | "allow"): readonly Rule[] | undefined {
  const found = readPlace(place);
  if (found.is === "missing") return [];
  if (found.is === "unreadable") {
    complain(COMMAND, `${short(place.file)} ${visible(found.why)}`);
    return undefined;
  }
  if (!found.read.ok) {
    complain(COMMAND, `${short(place.file)} has mistakes`);
    showProblems(found.read.problems, short);
    return undefined;
  }
  return effect === "deny" ? refusing(found.read.policy) : found.read.policy.rules.filter((rule) => rule.effect === "allow");
}

/** Commands that agents ran or exact rules name, of which Assent knows that they are harmless. */
function allows(rules: readonly Rule[], { machine, place }: PolicyTarget, format: RefusalFormat): readonly string[] {
  const ran = pastRequests(machine, ALLOWS_DAYS).requests.flatMap(({ input: { command } }) =>
    typeof command === "string" ? [command] : [],
  );
  const commands = exactCommands([...rules.flatMap(wordsOf), ...ran]).filter((words) => isHarmless(words, machine, place.root));
  return commands.flatMap((words) => format.express({ refusal: { is: "words", words, exact: true }, reason: undefined }) ?? []);
}

function wordsOf({ matcher, when }: Rule): readonly string[] {
  const found = when === undefined ? readingOf(matcher).refusals(matcher) : [];
  return "why" in found ? [] : found.flatMap((one) => (one.is === "words" && one.exact ? [one.words.join(" ")] : []));
}

/** In a block only what stands in front of every looser rule refuses for sure. */
function refusing({ rules, operations }: PolicyFile): readonly Rule[] {
  const first = operations.flatMap((block) => {
    const end = block.rules.findIndex(({ effect }) => effect !== "deny");
    return end === -1 ? block.rules : block.rules.slice(0, end);
  });
  return [...rules.filter(({ effect }) => effect === "deny"), ...first];
}

function said(rules: readonly Rule[], format: RefusalFormat): { readonly entries: readonly string[]; readonly unsaid: readonly Unsaid[] } {
  const entries = new Set<string>();
  const unsaid: Unsaid[] = [];
  for (const rule of rules) {
    const refusals =
      rule.when === undefined ? readingOf(rule.matcher).refusals(rule.matcher) : { why: `it holds ${visible(sayWhen(rule.when))} only` };
    if ("why" in refusals) {
      unsaid.push({ rule, why: refusals.why });
      continue;
    }
    const words = refusals.map((refusal) => format.express({ refusal, reason: rule.reason }));
    for (const entry of words.flatMap((one) => one ?? [])) entries.add(entry);
    if (words.some((one) => one === undefined))
      unsaid.push({
        rule,
        why: words.every((one) => one === undefined)
          ? `${format.name} has no words for it`
          : `${format.name} has words for a part of it only`,
      });
  }
  return { entries: [...entries], unsaid };
}

async function write(
  format: RefusalFormat,
  target: PolicyTarget,
  entries: readonly string[],
  options: ExportOptions,
): Promise<"written" | "same" | "failed"> {
  const { machine, place, short } = target;
  const into = options.allow === true ? format.allows : format.file;
  if (into === undefined) return "failed";
  const named = into.path({ home: machine.home, env: machine.env, project: place.root });
  const file = canonical(named);
  const name = options.allow === true ? allowsOf(file) : file;
  const found = readEditable(file, MAX_BYTES);
  if (found.is === "broken") return failed(`${short(named)} ${visible(found.why)}`);
  const now = found.is === "text" ? found.text : undefined;
  const owned = ownedIn(machine, name);
  const next = into.write(now, entries, owned);
  if (next.is === "refused")
    return failed(`${short(named)}${next.line === undefined ? "" : `:${next.line}:${next.column ?? 1}`}: ${visible(next.why)}`);
  const after = next.text === "" ? undefined : next.text;
  if (after === now) {
    if (options.json !== true) writeStdout(`${format.id}: up to date\n`);
    return "same";
  }
  const page = fileDiff(short(named), now, after);
  if (options.yes === true) {
    if (options.json !== true) writeStdout(page);
  } else {
    const answer = options.json === true ? undefined : await confirmed(page, options.remove === true ? "Take this out?" : "Write this?");
    if (answer === undefined)
      return failed("nothing is written: this is not a terminal, so nobody can be asked", "look at it without --write, then say --yes");
    if (!answer) return failed("nothing is written");
  }
  const problem = replace(machine, { file, name }, now, after, owned, next.own);
  if (problem !== undefined) return failed(`${short(named)} ${visible(problem)}`);
  if (options.json !== true) writeStdout(`${format.id}: ${after === undefined ? "removed" : "wrote"} ${short(named)}\n`);
  return "written";
}

/** What is ours is noted before it is written: an entry that nobody remembers could never be taken out. */
function replace(
  machine: Machine,
  { file, name }: { readonly file: string; readonly name: string },
  now: string | undefined,
  after: string | undefined,
  owned: readonly string[],
  own: readonly string[],
): string | undefined {
  const noted = recordOwned(machine, name, [...new Set([...owned, ...own])]);
  if (noted !== undefined) return noted;
  if (after === undefined) {
    const found = readEditable(file, MAX_BYTES);
    if (found.is !== "text" || found.text !== now) return "has changed meanwhile";
    unlinkSync(file);
  } else {
    ensureFolder(dirname(file));
    const done = replaceFile(file, now, after);
    if (done.is !== "done") return done.is === "changed" ? "has changed meanwhile" : done.why;
  }
  return recordOwned(machine, name, own);
}

function failed(message: string, help?: string): "failed" {
  complain(COMMAND, message, help);
  return "failed";
}

/** What a name leads to, also when it does not exist yet. */
function canonical(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = dirname(file);
    return folder === file ? file : `${canonical(folder).replace(/\/$/, "")}/${basename(file)}`;
  }
}

function printJson(format: RefusalFormat, native: string, { place }: PolicyTarget, unsaid: readonly Unsaid[], outcome: string): void {
  const lost = unsaid.map(({ rule, why }) => ({
    file: rule.source.file,
    line: rule.source.line,
    text: visible(rule.source.text),
    why: visible(why),
  }));
  writeJson({ agent: format.id, policy: place.file, outcome, native, lost });
}
