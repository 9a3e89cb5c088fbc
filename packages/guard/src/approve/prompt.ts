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
  | { readonly view: "edit"; readonly effect: RuleEffect; readonly line: EditedLine; readonly notice?: string }
  /** How long a yes holds; what is said with a no. */
  | { readonly view: "time" | "note"; readonly line: EditedLine; readonly notice?: string };

type RuleEffect = "allow" | "deny";

export interface Choice {
  readonly key: string;
  /** What the key does, in a few words. */
  readonly does: string;
}

export const CHOICES: readonly Choice[] = [
  { key: "y", does: "yes, once" },
  { key: "r", does: "yes, for this run" },
  { key: "t", does: "trust this program" },
  { key: "p", does: "always …" },
  { key: "n", does: "no" },
  { key: "N", does: "never …" },
  { key: "?", does: "tell me more" },
  { key: "q", does: "end the run" },
];

const WORD: Choice = { key: "w", does: "no, with a word to the agent …" };

/** Of a run. `agent`: an agent started it, and reads what is said with a no; `once`: a difference is shown, and a yes is for this one. */
export function runChoices({ agent, once }: { readonly agent: boolean; readonly once: boolean }): readonly Choice[] {
  const choices = agent ? CHOICES.flatMap((choice) => (choice.key === "n" ? [choice, WORD] : [choice])) : CHOICES;
  return once ? choices.filter(isForOnce) : choices;
}

/** What a difference that is shown is answered. */
const isForOnce = ({ key }: Choice): boolean => "ynw?q".includes(key);

/**
 * Of a question in the queue. `session`: what a yes for longer holds for; `tree`, `quit`: there are processes to trust, or to end;
 * `word`: an agent reads what is said with a no; `once`: as of a run.
 */
export function queueChoices(offers: {
  readonly session?: string;
  readonly tree: boolean;
  readonly quit: boolean;
  readonly word: boolean;
  readonly once: boolean;
}): readonly Choice[] {
  const { session, tree, quit, word, once } = offers;
  const choices: readonly Choice[] = [
    { key: "y", does: "yes, once" },
    ...(session === undefined ? [] : [{ key: "r", does: `yes, for this ${session}` }]),
    { key: "m", does: "yes, for a time …" },
    ...(tree ? [{ key: "t", does: "trust this program" }] : []),
    { key: "p", does: "always …" },
    { key: "n", does: "no" },
    ...(word ? [WORD] : []),
    { key: "N", does: "never …" },
    { key: "?", does: "tell me more" },
    ...(quit ? [{ key: "q", does: "end the run" }] : []),
  ];
  return once ? choices.filter(isForOnce) : choices;
}

const denyOf = (choices: readonly Choice[]): number => choices.findIndex(({ key }) => key === "n");
const keysOf = (choices: readonly Choice[]): string => `keys: ${choices.map(({ key }) => key).join(" ")}, or arrows and Enter`;

export const startOf = (choices: readonly Choice[]): PromptState => ({ view: "choose", highlighted: denyOf(choices), details: false });
export const START: PromptState = startOf(CHOICES);

/** Says what is wrong with a rule's text, or undefined. */
export type CheckRule = (rule: string, effect: RuleEffect) => string | undefined;

interface PromptSubject {
  /** By default those of a run's own prompt. */
  readonly choices?: readonly Choice[];
  readonly proposals: readonly Proposal[];
  readonly checkRule: CheckRule;
}

type KeyOutcome = { readonly state: PromptState } | { readonly answer: Answer };

export function pressKey(state: PromptState, key: Key, about: PromptSubject): KeyOutcome {
  if (key.is === "interrupt") return { answer: { answer: "quit" } };
  if (key.is === "end-of-input") return { answer: { answer: "deny", scope: "once" } };
  if (key.is === "report" || key.is === "redraw") return { state };
  switch (state.view) {
    case "choose":
      return choose(state, key, about);
    case "rules":
      return pickRule(state, key, about);
    case "edit":
      return editRule(state, key, about);
    case "time":
      return editTime(state, key, about);
    case "note":
      return editNote(state, key, about);
  }
}

const choicesOf = ({ choices = CHOICES }: PromptSubject): readonly Choice[] => choices;

function choose(state: PromptState & { readonly view: "choose" }, key: Key, about: PromptSubject): KeyOutcome {
  const { highlighted, details } = state;
  const choices = choicesOf(about);
  const move = (by: number): KeyOutcome => ({
    state: { view: "choose", highlighted: (highlighted + by + choices.length) % choices.length, details },
  });
  switch (key.is) {
    case "left":
    case "up":
      return move(-1);
    case "right":
    case "down":
    case "tab":
      return move(1);
    case "home":
      return { state: { view: "choose", highlighted: 0, details } };
    case "end":
      return { state: { view: "choose", highlighted: choices.length - 1, details } };
    case "enter":
      return chosen(choices[highlighted]?.key ?? "n", state, about);
    case "escape":
      return { state: { view: "choose", highlighted: denyOf(choices), details: false } };
    case "char":
      return chosen(key.text, state, about);
    case "paste":
      return { state: { view: "choose", highlighted, details, notice: `pasted text answers nothing; ${keysOf(choices)}` } };
    default:
      return { state: { view: "choose", highlighted, details, notice: keysOf(choices) } };
  }
}

function chosen(letter: string, state: PromptState & { readonly view: "choose" }, about: PromptSubject): KeyOutcome {
  const choices = choicesOf(about);
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
      if (about.proposals.length > 0) return { state: { view: "rules", effect, highlighted: 0 } };
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
  if (key.is === "escape") return { state: startOf(choicesOf(about)) };
  if (key.is === "right" || (key.is === "char" && key.text === "e")) return { state: { view: "edit", effect, line: lineOf(rule) } };
  if (key.is === "char" && /^[1-9]$/.test(key.text) && Number(key.text) <= proposals.length) return at(Number(key.text) - 1);
  if (key.is !== "enter") return { state: { ...state, notice: "keys: ↑ ↓, Enter writes the rule, e changes it, Esc goes back" } };
  const wrong = about.checkRule(rule, effect);
  return wrong === undefined ? { answer: always(effect, rule) } : { state: { ...state, notice: wrong } };
}

function editRule(state: PromptState & { readonly view: "edit" }, key: Key, about: PromptSubject): KeyOutcome {
  const { effect, line } = state;
  if (key.is === "escape")
    return { state: about.proposals.length > 0 ? { view: "rules", effect, highlighted: 0 } : startOf(choicesOf(about)) };
  if (key.is === "enter") {
    const rule = textOf(line).trim();
    const wrong = rule === "" ? "the rule is empty; Esc goes back" : about.checkRule(rule, effect);
    return wrong === undefined ? { answer: always(effect, rule) } : { state: { view: "edit", effect, line, notice: wrong } };
  }
  const next = edit(line, key);
  return next === undefined
    ? { state: { view: "edit", effect, line, notice: "Enter writes the rule, Esc goes back" } }
    : { state: { view: "edit", effect, line: next } };
}

const always = (effect: RuleEffect, rule: string): Answer => ({ answer: effect, scope: "always", rule });

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };
const LONGEST_MINUTES = 7 * 1440;

/** `30m`, `2h`, `1d`, at most a week. Undefined: it is no such thing. */
export function minutesIn(text: string): number | undefined {
  const [, count = "", unit = "m"] = /^\s*(\d{1,5})\s*([mhd])?\s*$/.exec(text) ?? [];
  const minutes = Number(count) * (MINUTES[unit] ?? 0);
  return minutes >= 1 && minutes <= LONGEST_MINUTES ? minutes : undefined;
}

type LineState = PromptState & { readonly view: "time" | "note" };

function editTime(state: LineState, key: Key, about: PromptSubject): KeyOutcome {
  const { line } = state;
  if (key.is === "escape") return { state: startOf(choicesOf(about)) };
  if (key.is === "enter") {
    const minutes = minutesIn(textOf(line));
    return minutes === undefined
      ? { state: { view: "time", line, notice: "write 30m, 2h or 1d; at most 7d; Esc goes back" } }
      : { answer: { answer: "allow", scope: "time", minutes } };
  }
  const next = edit(line, key);
  return { state: next === undefined ? { view: "time", line, notice: "Enter says yes, Esc goes back" } : { view: "time", line: next } };
}

function editNote(state: LineState, key: Key, about: PromptSubject): KeyOutcome {
  const { line } = state;
  if (key.is === "escape") return { state: startOf(choicesOf(about)) };
  if (key.is === "enter") {
    const note = textOf(line).trim();
    return { answer: { answer: "deny", scope: "once", ...(note === "" ? {} : { note }) } };
  }
  const next = edit(line, key);
  return { state: next === undefined ? { view: "note", line, notice: "Enter says no, Esc goes back" } : { view: "note", line: next } };
}
