import type { Key } from "./keys.ts";
import { printable } from "./printable.ts";
import type { Answer, Proposal } from "./types.ts";

/** One line of text under a cursor. `cursor` counts code points, 0 is before the first. */
export interface EditedLine {
  readonly chars: readonly string[];
  readonly cursor: number;
}

const LONGEST = 4000;

const lineOf = (text: string): EditedLine => ({ chars: [...text], cursor: [...text].length });
const textOf = (line: EditedLine): string => line.chars.join("");

/** The line after a key; undefined when the key means nothing to a line. */
function edit({ chars, cursor }: EditedLine, key: Key): EditedLine | undefined {
  const at = (next: number): EditedLine => ({ chars, cursor: Math.max(0, Math.min(chars.length, next)) });
  const without = (from: number, to: number): EditedLine => ({
    chars: chars.toSpliced(Math.max(0, from), Math.max(0, to - Math.max(0, from))),
    cursor: Math.max(0, from),
  });
  switch (key.is) {
    case "char":
    case "paste": {
      // Only what shows as itself: nothing invisible gets into a rule.
      const typed = [...key.text].filter((char) => printable(`.${char}`) === `.${char}`);
      if (chars.length + typed.length > LONGEST) return { chars, cursor };
      return { chars: chars.toSpliced(cursor, 0, ...typed), cursor: cursor + typed.length };
    }
    case "left":
      return at(cursor - 1);
    case "right":
      return at(cursor + 1);
    case "home":
      return at(0);
    case "end":
      return at(chars.length);
    case "backspace":
      return cursor === 0 ? at(0) : without(cursor - 1, cursor);
    case "delete":
      return without(cursor, cursor + 1);
    case "kill-before":
      return without(0, cursor);
    case "kill-after":
      return { chars: chars.slice(0, cursor), cursor };
    case "kill-word": {
      let from = cursor;
      while (from > 0 && chars[from - 1] === " ") from -= 1;
      while (from > 0 && !/[ /(),]/.test(chars[from - 1] ?? "")) from -= 1;
      return without(from === cursor ? cursor - 1 : from, cursor);
    }
    default:
      return undefined;
  }
}

/**
 * What a question's prompt is in, without any styling: keys go in, the next state or an answer comes out.
 * INVARIANT: no state begins with an allow highlighted, so that Enter alone never allows.
 */
export type PromptState =
  | { readonly view: "choose"; readonly highlighted: number; readonly details: boolean; readonly notice?: string }
  | { readonly view: "rules"; readonly effect: RuleEffect; readonly highlighted: number; readonly notice?: string }
  | LineState;

/** A line is edited: a rule, how long a yes holds, or what is said with a no. */
export type LineState = { readonly line: EditedLine; readonly notice?: string } & EditedThing;
type EditedThing = { readonly view: "edit"; readonly effect: RuleEffect } | { readonly view: "time" } | { readonly view: "note" };

type RuleEffect = "allow" | "deny";

export interface Choice {
  readonly key: string;
  /** What the key does, in a few words. */
  readonly does: string;
}

/**
 * What a question offers. `session`: what a yes for longer holds for; `time`: a yes may hold for a time; `tree`, `quit`: there are processes to
 * trust, or to end; `word`: an agent reads what is said with a no; `once`: a difference is shown, and a yes is for this one.
 */
export function choicesFor(offers: {
  readonly session?: string | undefined;
  readonly time: boolean;
  readonly tree: boolean;
  readonly quit: boolean;
  readonly word: boolean;
  readonly once: boolean;
}): readonly Choice[] {
  const { session, time, tree, quit, word, once } = offers;
  const all: readonly (readonly [key: string, does: string, isOffered?: boolean])[] = [
    ["y", "yes, once"],
    ["r", `yes, for this ${session}`, session !== undefined],
    ["m", "yes, for a time …", time],
    ["t", "trust this program", tree],
    ["p", "always …"],
    ["n", "no"],
    ["w", "no, with a word to the agent …", word],
    ["N", "never …"],
    ["?", "tell me more"],
    ["q", "end the run", quit],
  ];
  return all.flatMap(([key, does, isOffered = true]) => (isOffered && (!once || "ynw?q".includes(key)) ? [{ key, does }] : []));
}

const denyOf = (choices: readonly Choice[]): number => choices.findIndex(({ key }) => key === "n");
const keysOf = (choices: readonly Choice[]): string => `keys: ${choices.map(({ key }) => key).join(" ")}, or arrows and Enter`;

export const startOf = (choices: readonly Choice[]): PromptState => ({ view: "choose", highlighted: denyOf(choices), details: false });

/** Says what is wrong with a rule's text, or undefined. */
export type CheckRule = (rule: string, effect: RuleEffect) => string | undefined;

export interface PromptSubject {
  readonly choices: readonly Choice[];
  readonly proposals: readonly Proposal[];
  readonly checkRule: CheckRule;
}

export type KeyOutcome = { readonly state: PromptState } | { readonly answer: Answer };

export function pressKey(state: PromptState, key: Key, about: PromptSubject): KeyOutcome {
  if (key.is === "interrupt") return { answer: { answer: "quit" } };
  if (key.is === "end-of-input") return { answer: { answer: "deny", scope: "once" } };
  if (key.is === "report" || key.is === "redraw") return { state };
  return state.view === "choose"
    ? choose(state, key, about)
    : state.view === "rules"
      ? pickRule(state, key, about)
      : editLine(state, key, about);
}

function choose(state: PromptState & { readonly view: "choose" }, key: Key, { choices, proposals }: PromptSubject): KeyOutcome {
  const { highlighted, details } = state;
  const at = (next: number, notice?: string): KeyOutcome => ({
    state: { view: "choose", highlighted: next, details, ...(notice === undefined ? {} : { notice }) },
  });
  const move = (by: number): KeyOutcome => at((highlighted + by + choices.length) % choices.length);
  switch (key.is) {
    case "left":
    case "up":
      return move(-1);
    case "right":
    case "down":
    case "tab":
      return move(1);
    case "home":
      return at(0);
    case "end":
      return at(choices.length - 1);
    case "enter":
      return chooseLetter(choices[highlighted]?.key ?? "n", state, { choices, proposals });
    case "escape":
      return { state: startOf(choices) };
    case "char":
      return chooseLetter(key.text, state, { choices, proposals });
    case "paste":
      return at(highlighted, `pasted text answers nothing; ${keysOf(choices)}`);
    default:
      return at(highlighted, keysOf(choices));
  }
}

export function chooseLetter(
  letter: string,
  state: PromptState & { readonly view: "choose" },
  { choices, proposals }: Pick<PromptSubject, "choices" | "proposals">,
): KeyOutcome {
  const unknown: KeyOutcome = { state: { ...state, notice: keysOf(choices) } };
  // As ptrace-approve called it: whoever presses it wants a no.
  if (letter === "d") return { answer: { answer: "deny", scope: "once" } };
  if (!choices.some(({ key }) => key === letter)) return unknown;
  switch (letter) {
    case "y":
      return { answer: { answer: "allow", scope: "once" } };
    case "r":
      return { answer: { answer: "allow", scope: "session" } };
    case "t":
      return { answer: { answer: "allow", scope: "tree" } };
    case "n":
      return { answer: { answer: "deny", scope: "once" } };
    case "q":
      return { answer: { answer: "quit" } };
    case "m":
      return { state: { view: "time", line: lineOf("30m") } };
    case "w":
      return { state: { view: "note", line: lineOf("") } };
    case "p":
    case "N": {
      const effect = letter === "p" ? "allow" : "deny";
      if (proposals.length > 0) return { state: { view: "rules", effect, highlighted: 0 } };
      return { state: { view: "edit", effect, line: lineOf("") } };
    }
    case "?":
      return { state: { view: "choose", highlighted: state.highlighted, details: !state.details } };
    default:
      return unknown;
  }
}

function pickRule(state: PromptState & { readonly view: "rules" }, key: Key, about: PromptSubject): KeyOutcome {
  const { effect, highlighted } = state;
  const { proposals } = about;
  const at = (next: number): KeyOutcome => ({
    state: { view: "rules", effect, highlighted: Math.max(0, Math.min(proposals.length - 1, next)) },
  });
  const rule = proposals[highlighted]?.rule ?? "";
  if (key.is === "up") return at(highlighted - 1);
  if (key.is === "down" || key.is === "tab") return at(highlighted + 1);
  if (key.is === "home") return at(0);
  if (key.is === "end") return at(proposals.length - 1);
  if (key.is === "escape") return { state: startOf(about.choices) };
  if (key.is === "right" || (key.is === "char" && key.text === "e")) return { state: { view: "edit", effect, line: lineOf(rule) } };
  if (key.is === "char" && /^[1-9]$/.test(key.text) && Number(key.text) <= proposals.length) return at(Number(key.text) - 1);
  if (key.is !== "enter") return { state: { ...state, notice: "keys: ↑ ↓, Enter writes the rule, e changes it, Esc goes back" } };
  const read = answerOfLine(rule, { view: "edit", effect }, about);
  return "wrong" in read ? { state: { ...state, notice: read.wrong } } : { answer: read };
}

/** What Enter does. */
export const ENTER = { edit: "writes the rule", time: "says yes", note: "says no" } as const;

function editLine(before: LineState, key: Key, about: PromptSubject): KeyOutcome {
  const { notice: _, ...state } = before;
  if (key.is === "escape")
    return {
      state:
        state.view === "edit" && about.proposals.length > 0
          ? { view: "rules", effect: state.effect, highlighted: 0 }
          : startOf(about.choices),
    };
  if (key.is === "enter") {
    const read = answerOfLine(textOf(state.line).trim(), state, about);
    return "wrong" in read ? { state: { ...state, notice: read.wrong } } : { answer: read };
  }
  const line = edit(state.line, key);
  return { state: line === undefined ? { ...state, notice: `Enter ${ENTER[state.view]}, Esc goes back` } : { ...state, line } };
}

/** The answer that a line says, or what is wrong with it. */
export function answerOfLine(
  text: string,
  of: EditedThing,
  { checkRule }: Pick<PromptSubject, "checkRule">,
): Answer | { readonly wrong: string } {
  if (of.view === "note") return { answer: "deny", scope: "once", ...(text === "" ? {} : { note: text }) };
  if (of.view === "time") {
    const minutes = minutesIn(text);
    return minutes === undefined ? { wrong: "write 30m, 2h or 1d; at most 7d" } : { answer: "allow", scope: "time", minutes };
  }
  const wrong = text === "" ? "the rule is empty" : checkRule(text, of.effect);
  return wrong === undefined ? { answer: of.effect, scope: "always", rule: text } : { wrong };
}

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };
/** A person who answers for longer writes a rule. */
export const MOST_MINUTES = 7 * 1440;

/** `30m`, `2h`, `1d`, at most a week. Undefined: it is no such thing. */
export function minutesIn(text: string): number | undefined {
  const [, count = "", unit = "m"] = /^\s*(\d{1,5})\s*([mhd])?\s*$/.exec(text) ?? [];
  const minutes = Number(count) * (MINUTES[unit] ?? 0);
  return minutes >= 1 && minutes <= MOST_MINUTES ? minutes : undefined;
}
