import { INTERPRETER } from "#knowledge/traits";
import { isOneOf } from "@assent/core/policy";
import { type Action, printCall } from "@assent/core/action";
import { baseName, withTilde } from "@assent/core/path";
import { clip, columns, fold, foldWords, printable } from "./printable.ts";
import { type Choice, ENTER, type LineState, type PromptState } from "./prompt.ts";
import type { ProcessInfo, Question } from "./types.ts";

/** How questions and answers are put into words, without layout. All of it is safe to show. */

const LONGEST_NAME = 24;
const LONGEST_COMMAND = 48;

const programName = ({ name }: ProcessInfo): string => clip(printable(name), LONGEST_NAME);

/**
 * What a person recognises first: the command they typed, then the program, where that is another: `make install: cp`,
 * `npm install left-pad (node)`. INVARIANT: what a process says of itself never stands without the name of its program.
 */
export function who(question: Question): string {
  const { command, process } = question;
  const program = programName(process);
  const script = scriptOf(process);
  const named = whoBriefly(question);
  if (command === undefined || command.length === 0) return named;
  const typed = typedAs(command);
  const [first = ""] = command;
  const base = baseName(first);
  if (base === process.name && script === undefined) return typed;
  return script === base ? `${typed} (${program})` : `${typed}: ${named}`;
}

/** For a line that stays: the command was typed a few lines above. */
export function whoBriefly({ process }: Question): string {
  const script = scriptOf(process);
  return script === undefined ? programName(process) : `${script} (${programName(process)})`;
}

/** As it was typed, in one line: words with blanks stand in quotes. */
function typedAs(command: readonly string[]): string {
  const [first = "", ...rest] = command;
  const words = [baseName(first), ...rest].map((word) => (/^[^\s'"]+$/.test(word) ? word : `'${word}'`));
  return clip(printable(words.join(" "), 400), LONGEST_COMMAND);
}

/** What an interpreter runs, where that is plain to see. */
function scriptOf({ name, argv }: ProcessInfo): string | undefined {
  const script = argv[1];
  if (script === undefined || script.startsWith("-") || !isOneOf(INTERPRETER, name)) return undefined;
  const base = baseName(script);
  return /^[\w.+@-]{1,32}$/.test(base) ? base : undefined;
}

/** The call that is asked about, else what is asked. */
export const callText = ({ call, what }: Question): string => (call === undefined ? printable(what) : printCall(call));

/** Where alike questions lead: their common folder or host. Undefined where there is none to name. */
export function place(questions: readonly Question[], home: string | undefined): string | undefined {
  const hosts = new Set(questions.map(({ action }) => (action.kind === "net" ? action.host : undefined)));
  const [host] = hosts;
  if (hosts.size === 1 && host !== undefined) return printable(host);
  const paths = questions.map(({ action }) => pathOf(action));
  let common: readonly string[] | undefined;
  for (const path of paths) {
    if (path === undefined) return undefined;
    const folders = path.split("/").slice(0, -1);
    if (common === undefined) common = folders;
    else {
      const differs = common.findIndex((name, at) => name !== folders[at]);
      if (differs !== -1) common = common.slice(0, differs);
    }
  }
  return common === undefined || common.length < 2 ? undefined : printable(withTilde(common.join("/"), home));
}

function pathOf(action: Action): string | undefined {
  return action.kind === "file" && (action.target.kind === "path" || action.target.kind === "tree") ? action.target.path : undefined;
}

/** What a prompt is about at the moment. */
export interface PromptContent {
  readonly question: Question;
  /** Open questions of the same group, without the first. */
  readonly alike: readonly Question[];
  /** How many more there are of the same group. */
  readonly hidden?: number;
  /** Who it is that asks, in a line: the agent, its project. */
  readonly about?: string;
  readonly choices: readonly Choice[];
  /** Open questions of other groups. */
  readonly waiting: number;
}

export interface View extends PromptContent {
  readonly state: PromptState;
  readonly home: string | undefined;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Lines that fit the size, and where the terminal's cursor stands when a line is edited. Rows and columns count from 0. */
export interface Drawing {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** How parts stand out; the identity where there are no colours. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly inverse: (text: string) => string;
}

export const PLAIN: Paint = { bold: (text) => text, dim: (text) => text, inverse: (text) => text };

const INDENT = "  ";
const LABEL = 14;
const MOST_RULES = 8;
const MOST_ALIKE = 10;
const SMALLEST = 20;

/** INVARIANT: every line is narrower than the terminal, and the lines are fewer than its rows, the choices among them. */
export function render(view: View, size: Size, paint: Paint): Drawing {
  const width = Math.max(SMALLEST, size.columns) - 1;
  const head = header(view, width, paint);
  const { state } = view;
  const body =
    state.view === "choose"
      ? menu(view.choices, state.highlighted, width, paint)
      : state.view === "rules"
        ? rules(view, state, width, paint)
        : [];
  const edited = "line" in state ? editing(wordsOf(state, view.question), state.line, width, paint) : undefined;
  const foot = [
    ...(state.notice === undefined ? [] : fold(printable(state.notice, 400), width - 4, 2).map((line) => paint.bold(`${INDENT}! ${line}`))),
    ...(view.waiting === 0 ? [] : [paint.dim(clip(`${INDENT}(${view.waiting} more waiting)`, width))]),
  ];
  const room = Math.max(0, Math.max(8, size.rows) - 1 - head.length - body.length - foot.length);
  const more = state.view === "choose" && state.details ? fitted(details(view, width, paint), room, width) : [];
  const lines = [...head, ...more, ...body, ...(edited?.lines ?? []), ...foot];
  return edited === undefined ? { lines } : { lines, cursor: { row: head.length + edited.lines.length - 2, column: edited.column } };
}

/** Who wants what, where, and why it is asked. */
function header(view: View, width: number, paint: Paint): readonly string[] {
  const { question, alike, home, hidden = 0, about } = view;
  const what = printable(question.what);
  const subject = who(question);
  const one = `${INDENT}${subject} wants to ${what}`;
  // What a question says never begins a line: it could be taken for our words.
  const lines =
    columns(one) <= width
      ? [`${INDENT}${subject} wants to ${paint.bold(what)}`]
      : [
          `${INDENT}${clip(subject, width - INDENT.length - 9)} wants to`,
          ...fold(what, width - 4, 4).map((line) => `${INDENT}│ ${paint.bold(line)}`),
        ];
  const [why = "", ...rest] = foldWords(printable(question.reason, 400), width - INDENT.length - ASKED.length, 4);
  if (about !== undefined) lines.unshift(paint.dim(clip(`${INDENT}${printable(about, 200)}`, width)));
  lines.push(`${INDENT}${ASKED}${why}`, ...rest.map((line) => `${INDENT}${" ".repeat(ASKED.length - 2)}│ ${line}`));
  const more = alike.length + hidden;
  if (more === 0) return lines;
  const where = place([question, ...alike], home);
  return [...lines, clip(`${INDENT}… and ${more} more like this${where === undefined ? "" : ` in ${where}`}`, width)];
}

const ASKED = "asked because: ";

/** What says yes comes first, what says no begins a line of its own. */
function menu(choices: readonly Choice[], highlighted: number, width: number, paint: Paint): readonly string[] {
  const lines: string[] = [];
  let used = width;
  choices.forEach(({ key, does }, at) => {
    const label = clip(`${key}  ${does}`, width - MARGIN);
    const size = columns(label) + MARGIN;
    const shown = at === highlighted ? ` › ${paint.inverse(label)}` : `   ${label}`;
    if (used + size > width || key === "n") {
      lines.push(shown);
      used = size;
    } else {
      lines.push(`${lines.pop() ?? ""}${shown}`);
      used += size;
    }
  });
  return lines;
}

/** Before each choice. */
const MARGIN = 3;

function rules(view: View, state: PromptState & { readonly view: "rules" }, width: number, paint: Paint): readonly string[] {
  const { proposals, profile } = view.question;
  const from = Math.max(0, Math.min(state.highlighted - (MOST_RULES >> 1), proposals.length - MOST_RULES));
  const shown = proposals
    .slice(from, from + MOST_RULES)
    .map(({ rule, covers }) => ({ rule: printable(rule, 400), covers: printable(covers, 200) }));
  const column = Math.min(Math.max(...shown.map(({ rule }) => columns(rule)), 0), Math.max(10, width - 24));
  const lines = shown.map(({ rule, covers }, at) => {
    const text = clip(rule, column);
    const padded = text + " ".repeat(Math.max(0, column - columns(text)));
    const chosen = from + at === state.highlighted;
    const rest = clip(covers, Math.max(0, width - column - 6));
    return `${chosen ? " › " : "   "}${chosen ? paint.inverse(padded) : padded}  ${paint.dim(rest)}`.trimEnd();
  });
  const selected = proposals[state.highlighted]?.rule ?? "";
  const whole = printable(selected);
  // A rule is never written unseen.
  const full = columns(whole) > column ? fold(whole, width - 4, 4).map((line) => `${INDENT}│ ${line}`) : [];
  return [
    clip(`${INDENT}${always(state.effect)} by this rule, ${goesTo(profile)}:`, width),
    ...lines,
    ...full,
    paint.dim(clip(`${INDENT}↑ ↓ choose  Enter writes the rule  e changes it  Esc back`, width)),
  ];
}

/** Where it is written. What is asked about no run has no profile. */
const goesTo = (profile: string): string => (profile === "" ? "in your policy" : `for the profile ${printable(profile, 100)}`);

const always = (effect: "allow" | "deny"): string => (effect === "allow" ? "always yes" : "never");

/** Above the line that is edited, and below it. */
function wordsOf(state: LineState, { profile }: Question): readonly [above: string, below: string] {
  const above =
    state.view === "edit"
      ? `${always(state.effect)} by this rule, ${goesTo(profile)}:`
      : state.view === "time"
        ? "yes to this and what is like it, for (30m, 2h, 1d):"
        : "no, and the agent is told:";
  return [above, `Enter ${ENTER[state.view]}  Esc back`];
}

function editing(
  [above, below]: readonly [above: string, below: string],
  line: LineState["line"],
  width: number,
  paint: Paint,
): { readonly lines: readonly string[]; readonly column: number } {
  const room = width - 5;
  // As far to the left and to the right as fits; only what is shown is looked at.
  const shown = (char: string | undefined): string => (char === undefined ? "" : printable(`.${char}`).slice(1));
  let from = line.cursor;
  let before = "";
  for (; from > 0; from--) {
    const more = shown(line.chars[from - 1]) + before;
    if (columns(more) > room - 2) break;
    before = more;
  }
  if (from > 0) before = `…${before}`;
  const after = line.chars
    .slice(line.cursor, line.cursor + room + 1)
    .map(shown)
    .join("");
  const text = before + clip(after, Math.max(0, room - columns(before)));
  return {
    lines: [clip(`${INDENT}${above}`, width), `${INDENT}> ${text}`, paint.dim(clip(`${INDENT}${below}`, width))],
    column: 4 + columns(before),
  };
}

export interface Detail {
  readonly label: string;
  readonly text: string;
}

/** All that is known of a question, as far as a person is shown it. Not free of control characters yet. */
export function detailsOf(question: Question, alike: readonly Question[], home: string | undefined): readonly Detail[] {
  const { call, rule, help, process, cwd, ancestry, proposals, profile } = question;
  const [first] = proposals;
  const program = ({ pid, argv, name }: ProcessInfo): string => `${pid} ${programName({ pid, argv, name })}  ${argv.join(" ")}`;
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ["call", call && printCall(call)],
    ["rule", rule && `${rule.text}  ${withTilde(rule.file, home)}:${rule.line}`],
    ["help", help],
    ["process", program(process)],
    ["in folder", withTilde(cwd, home)],
    ...ancestry.map((parent) => ["started by", program(parent)] as const),
    ...alike.slice(0, MOST_ALIKE).map(({ what }) => ["and also", what] as const),
    ["and also", alike.length > MOST_ALIKE ? `… and ${alike.length - MOST_ALIKE} more` : undefined],
    ["always writes", first && `${first.rule}  ${profile === "" ? "to your policy" : `to profile ${profile}`}`],
  ];
  return rows.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]));
}

const details = ({ question, alike, home }: View, width: number, paint: Paint): readonly string[] =>
  detailsOf(question, alike, home).flatMap(({ label, text }, at, all) => {
    const isNext = all[at - 1]?.label === label;
    const most = label === "started by" || label === "and also" ? 2 : 4;
    return fold(printable(text), Math.max(8, width - LABEL - 4), most).map(
      (line, row) => `${INDENT}│ ${paint.dim((row === 0 && !isNext ? label : "").padEnd(LABEL))}${line}`,
    );
  });

function fitted(lines: readonly string[], room: number, width: number): readonly string[] {
  if (lines.length <= room) return lines;
  return room < 2 ? [] : [...lines.slice(0, room - 1), clip(`${INDENT}│ … ${lines.length - room + 1} lines more than fit here`, width)];
}
