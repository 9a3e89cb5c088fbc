import { withTilde } from "@assent/core/path";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isObject } from "@assent/core/data";
import { edit, type Edit } from "@assent/core/edit";
import type { Path } from "@assent/core/edit/json5";
import { type PolicyDraft, type PolicySource, withDraft } from "@assent/guard/engine";
import { inspect } from "@assent/guard/inspect";
import { CODES, lint, type LintCode, type Severity } from "@assent/guard/lint";
import { replayHistory, schemaFile, type ToldWord } from "../../preview/index.ts";
import { addRule, type PolicyPlace, readPlace, readPolicyText, ruleEntries, savePolicy } from "@assent/guard/policy-edit";
import { type Effect, EFFECTS, parseRule, type Problem } from "@assent/core/policy";
import { changePins, keepAgreed } from "@assent/guard/state";
import { folderOf } from "../folder.ts";
import { daysOf, readHistory, type ReadingLine } from "../history.ts";
import { editablePlace, policyFiles, type PolicyFileShape, starterOf } from "../policy-places.ts";
import { shown } from "../text.ts";
import { inTurns } from "../turns.ts";
import { type Endpoint, json, type PageContext, type PageReply, type PageRequest, refused } from "./endpoint.ts";

export interface PolicyOverview {
  readonly folder: string;
  readonly short: string;
  readonly files: readonly PolicyFileShape[];
}

export interface EditedText {
  /** Null: the file does not exist. */
  readonly text: string | null;
  /** What it says when it is made. */
  readonly starter: string;
}

/** Something to look at in a text, at its place. */
export interface PolicyRemark {
  readonly severity: Severity;
  readonly line: number;
  readonly column: number;
  /** Of `assent lint`; absent: a mistake, or a warning of the reader. */
  readonly code?: LintCode;
  readonly title?: string;
  readonly message: string;
  readonly help?: string;
}

export interface RuleShape {
  readonly effect: Effect;
  readonly text: string;
  readonly reason?: string;
  readonly line: number;
  readonly path: Path;
}

export interface PolicyCheck {
  /** It could be saved. */
  readonly flawless: boolean;
  readonly remarks: readonly PolicyRemark[];
  readonly rules: readonly RuleShape[];
  /** What the file says now is no longer what was edited. */
  readonly changedBelow: boolean;
}

export interface ReplayShape {
  readonly days: number;
  readonly records: number;
  readonly unreadable: number;
  readonly before: Readonly<Partial<Record<ToldWord, number>>>;
  readonly after: Readonly<Partial<Record<ToldWord, number>>>;
  readonly changed: number;
  readonly changes: readonly {
    readonly tool: string;
    readonly subject: string;
    readonly cwd: string;
    readonly count: number;
    readonly before: ToldWord;
    readonly after: ToldWord;
    readonly reason: string;
  }[];
}

export type ReplayLine =
  | ReadingLine
  | { readonly is: "judging"; readonly done: number; readonly all: number }
  | { readonly is: "result"; readonly result: ReplayShape };

/** A policy of a megabyte, written as JSON. */
const LIMIT = 4 << 20;
const MOST_ROWS = 200;

interface Edited {
  readonly folder: string;
  readonly place: PolicyPlace;
  readonly text: string;
  readonly more: Readonly<Record<string, unknown>>;
}

/** What was posted about a file: it has to be one that may be edited at that folder. */
function editedOf({ body }: PageRequest, context: PageContext): Edited | PageReply {
  if (!isObject(body)) return refused("this is not an edit");
  const { folder: named, file, text, ...more } = body;
  if (typeof named !== "string" || typeof file !== "string" || typeof text !== "string") return refused("this is not an edit");
  const folder = folderOf(new URLSearchParams({ folder: named }), context.machine);
  const place = folder === undefined ? undefined : editablePlace(file, folder, context);
  return folder === undefined || place === undefined ? refused(NOT_HERE, 404) : { folder, place, text, more };
}

const NOT_HERE = "this is not a policy file of this folder that you may change";

const remarkOf = ({ severity, line, column, message, help }: Problem): PolicyRemark => ({
  severity,
  line,
  column,
  message: shown(message),
  ...(help === undefined ? {} : { help: shown(help) }),
});

/** What turns the direction of text, or is not seen: a text can look like another one. */
const UNSEEN = /(?![\t\r])[\p{Cc}\p{Cf}\u2028\u2029]/u;

function unseenRemarks(text: string): readonly PolicyRemark[] {
  return text.split("\n").flatMap((line, at): PolicyRemark[] => {
    const found = UNSEEN.exec(line);
    if (found === null) return [];
    const code = (found[0].codePointAt(0) ?? 0).toString(16).padStart(4, "0");
    const message = `a character that cannot be seen (U+${code.toUpperCase()}): the line may not say what it seems to`;
    return [{ severity: "warning", line: at + 1, column: found.index + 1, message, help: "take it out, or write it as \\u" + code }];
  });
}

function checkOf({ folder, place, text, more }: Edited, { machine, own }: PageContext): PolicyCheck {
  const read = readPolicyText(place, text);
  const now = readPlace(place);
  const changedBelow = "was" in more && (now.is === "text" ? now.text : null) !== more["was"];
  const unseen = unseenRemarks(text);
  if (!read.ok) return { flawless: false, remarks: [...read.problems.map(remarkOf), ...unseen], rules: [], changedBelow };
  const findings = lint(
    place.layer === "profile"
      ? inspect({ machine, cwd: folder, own, only: [place.file], draft: draftOf(place, text) })
      : inspect({ machine, cwd: folder, own, draft: draftOf(place, text) }),
  );
  const remarks = findings
    .filter(({ file }) => file === place.file)
    .map(({ code, severity, line, column, message, help }): PolicyRemark => ({
      severity,
      line,
      column,
      code,
      title: CODES[code].title,
      message: shown(message),
      ...(help === undefined ? {} : { help: shown(help) }),
    }));
  const rules = ruleEntries(text).map(({ effect, text: rule, reason, line, path }): RuleShape => ({
    effect,
    text: shown(rule),
    ...(reason === undefined ? {} : { reason: shown(reason) }),
    line,
    path,
  }));
  return { flawless: true, remarks: [...remarks, ...unseen], rules, changedBelow };
}

const draftOf = ({ layer, file, root }: PolicyPlace, text: string): PolicyDraft => ({
  layer,
  file,
  ...(root === undefined ? {} : { root }),
  text,
});

/** An edit that keeps every comment: a rule added at the end of its list, or one taken out. */
function changedText({ text, more }: Edited): PageReply {
  const { change } = more;
  if (!isObject(change)) return refused("this is not an edit");
  const planned = plannedEdit(text, change);
  if ("why" in planned) return refused(planned.why);
  const edited = edit(text, planned);
  return edited.ok ? json({ text: edited.text }) : refused(`cannot be changed safely: ${edited.message}`);
}

function plannedEdit(text: string, change: Readonly<Record<string, unknown>>): Edit | { readonly why: string } {
  if (change["do"] === "remove") {
    const { path } = change;
    const found = ruleEntries(text).find((entry) => JSON.stringify(entry.path) === JSON.stringify(path));
    return found === undefined ? { why: "this rule is not there" } : { do: "remove", path: found.path };
  }
  const effect = EFFECTS.find((one) => one === change["effect"]);
  const { rule, reason } = change;
  if (change["do"] !== "add" || effect === undefined || typeof rule !== "string") return { why: "this is not an edit" };
  const parsed = parseRule(rule);
  if (!parsed.ok) return { why: `${parsed.message}${parsed.help === undefined ? "" : ` (${parsed.help})`}` };
  const why = typeof reason === "string" ? reason.trim() : "";
  return addRule(text, effect, why === "" ? parsed.text : { rule: parsed.text, reason: why });
}

/** As if the file said something else. Its name is another one meanwhile, so that nothing takes the draft for the file. */
function selectDraft(place: PolicyPlace, text: string): (found: readonly PolicySource[]) => readonly PolicySource[] {
  const draft = { ...draftOf(place, text), file: `${place.file} (not saved)` };
  return (found) => {
    const without = found.filter(({ file }) => file !== place.file);
    return withDraft(without, draft);
  };
}

async function* replayLines({ place, text, more }: Edited, { machine }: PageContext, signal: AbortSignal): AsyncGenerator<ReplayLine> {
  const days = daysOf(more["days"]);
  const history = yield* readHistory(machine, days, signal);
  if (history === undefined) return;
  const judging = inTurns(replayHistory(history, machine, { select: selectDraft(place, text) }), signal);
  let judged = await judging.next();
  for (; judged.done !== true; judged = await judging.next()) yield { is: "judging", done: judged.value, all: history.requests.length };
  if (judged.value === undefined) return;
  const { before, after, changes } = judged.value;
  const result: ReplayShape = {
    days,
    records: history.records,
    unreadable: history.unreadable,
    before: Object.fromEntries(before),
    after: Object.fromEntries(after),
    changed: changes.length,
    changes: changes.slice(0, MOST_ROWS).map(({ past, before: was, after: is, reason }) => ({
      tool: shown(past.tool, 200),
      subject: shown(past.subject, 1000),
      cwd: shown(withTilde(past.cwd, machine.home), 400),
      count: past.count,
      before: was,
      after: is,
      reason: shown(reason),
    })),
  };
  yield { is: "result", result };
}

function save({ place, text, more }: Edited, { machine }: PageContext): PageReply {
  const { was, trust } = more;
  if (was !== null && typeof was !== "string") return refused("this is not an edit");
  const outcome = savePolicy(place, was ?? undefined, text);
  switch (outcome.is) {
    case "changed":
      return refused("the file has changed since you opened it, and is left as it is", 409);
    case "broken":
      return refused(`the text has mistakes and was not saved: ${outcome.problems[0]?.message ?? ""}`);
    case "failed":
      return refused(`${withTilde(place.file, machine.home)} ${outcome.why}`);
    case "done": {
      if (place.layer !== "project" || trust !== true) return json({ saved: true });
      // What was seen is what is trusted: another text has another hash.
      const hash = createHash("sha256").update(text).digest("hex");
      const problem = changePins(machine, (pins) => pins.set(place.file, hash));
      if (problem === undefined) keepAgreed(machine, hash, text);
      return problem === undefined ? json({ saved: true }) : refused(`saved, but it is not trusted: ${problem}`);
    }
  }
}

const posted =
  (answer: (edited: Edited, context: PageContext, request: PageRequest) => PageReply): Endpoint["answer"] =>
  (request, context) => {
    const edited = editedOf(request, context);
    return "is" in edited ? edited : answer(edited, context, request);
  };

/** The policies at a folder, and edits of their files: looked at, tried on the past, saved. */
export const POLICY: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/policy",
    answer: ({ query }, context) => {
      const folder = folderOf(query, context.machine);
      if (folder === undefined) return refused("this folder does not exist", 404);
      return json({
        folder,
        short: shown(withTilde(folder, context.machine.home)),
        files: policyFiles(folder, context),
      } satisfies PolicyOverview);
    },
  },
  {
    method: "GET",
    path: "/api/policy/text",
    answer: ({ query }, context) => {
      const folder = folderOf(query, context.machine);
      const place = folder === undefined ? undefined : editablePlace(query.get("file") ?? "", folder, context);
      if (place === undefined) return refused(NOT_HERE, 404);
      const found = readPlace(place);
      if (found.is === "unreadable") return refused(`the file ${found.why}`);
      return json({ text: found.is === "text" ? found.text : null, starter: starterOf(place) } satisfies EditedText);
    },
  },
  {
    method: "GET",
    path: "/api/policy/schema",
    answer: () => {
      const file = schemaFile();
      return file === undefined ? refused("the schema was not installed", 404) : json(JSON.parse(readFileSync(file, "utf8")));
    },
  },
  { method: "POST", path: "/api/policy/check", limit: LIMIT, answer: posted((edited, context) => json(checkOf(edited, context))) },
  { method: "POST", path: "/api/policy/edit", limit: LIMIT, answer: posted(changedText) },
  {
    method: "POST",
    path: "/api/policy/replay",
    limit: LIMIT,
    answer: posted((edited, context, { signal }) => ({ is: "lines", lines: replayLines(edited, context, signal) })),
  },
  { method: "POST", path: "/api/policy/save", limit: LIMIT, answer: posted(save) },
];
