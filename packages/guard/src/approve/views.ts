import { type Key, readKeys } from "./keys.ts";
import { clip, columns, fold, printable } from "./printable.ts";
import { answerOfLine, type CheckRule, type Choice, chooseLetter, type KeyOutcome, pressKey, type PromptState, startOf } from "./prompt.ts";
import { type Detail, detailsOf, type Drawing, type Paint, place, PLAIN, render, type PromptContent, type Size, who } from "./render.ts";
import type { Device } from "./tty.ts";
import type { Answer } from "./types.ts";

export interface ViewOptions {
  readonly home: string | undefined;
  readonly checkRule: CheckRule;
}

/** How a prompt looks: a block that is redrawn, or lines for terminals that cannot. */
export interface PromptView {
  /** A question that was not shown before. */
  begin(shown: PromptContent): void;
  /** Alike questions came or went. False: it was not shown. */
  update(shown: PromptContent): boolean;
  /** Keys, as the terminal sent them. The answer, once there is one. */
  input(text: string): Answer | undefined;
  /** Keys came that were typed before the question could be read, and were dropped. */
  early(): void;
  /** The terminal's size changed, or something else wrote on it. */
  resized(): void;
  /** Takes the question away and leaves `record`, one line, in its place. */
  end(record: string | undefined): void;
}

const ESC = "\u001b";
const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    `${ESC}[${on}m${text}${ESC}[${off}m`;

const COLOURED: Paint = { bold: sgr(1, 22), dim: sgr(2, 22), inverse: sgr(7, 27) };

/** A pasted text whose end does not come is given up at this length. */
const LONGEST_SEQUENCE = 65_536;

/** What is shown of one line of a difference. Lines. */
const MOST_FOLDED = 40;

/** All of it, and nothing of it begins a line: it could be taken for our words. */
const differenceOf = ({ question: { difference = [] } }: PromptContent, width: number): readonly string[] =>
  difference.flatMap((line) => fold(printable(line, 400), Math.max(10, width - 5), MOST_FOLDED)).map((line) => `  │ ${line}`);

/** A block of lines below what the program wrote, redrawn in place. */
export class BlockView implements PromptView {
  readonly #device: Device;
  readonly #paint: Paint;
  readonly #options: ViewOptions;
  #shown: PromptContent | undefined;
  #state: PromptState = startOf([]);
  /** The beginning of a key's sequence whose rest is still to come. */
  #partial = "";
  #drawn: { readonly drawing: Drawing; readonly size: Size } | undefined;

  constructor(device: Device, coloured: boolean, options: ViewOptions) {
    this.#device = device;
    this.#paint = coloured ? COLOURED : PLAIN;
    this.#options = options;
  }

  begin(shown: PromptContent): void {
    this.#shown = shown;
    this.#state = startOf(shown.choices);
    this.#partial = "";
    // As many spaces as there are columns end on a line of their own unless the line was empty: what stands there stays.
    const width = this.#device.size().columns;
    this.#device.write(`${" ".repeat(width)}\r${ESC}[K`);
    for (const line of differenceOf(shown, width)) this.#device.write(`${line}\r\n`);
    this.#draw();
  }

  update(shown: PromptContent): boolean {
    this.#shown = shown;
    this.#draw();
    return true;
  }

  resized(): void {
    this.#draw();
  }

  early(): void {
    this.#state = { ...this.#state, notice: "keys typed before this question was shown are ignored" };
    this.#draw();
  }

  input(text: string): Answer | undefined {
    const shown = this.#shown;
    if (shown === undefined) return undefined;
    const { keys, rest } = readKeys(this.#partial + text);
    this.#partial = rest.length > LONGEST_SEQUENCE ? "" : rest;
    for (const key of asTyped(keys, this.#state)) {
      const outcome = pressKey(this.#state, key, {
        choices: shown.choices,
        proposals: shown.question.proposals,
        checkRule: this.#options.checkRule,
      });
      if ("answer" in outcome) return outcome.answer;
      this.#state = outcome.state;
    }
    this.#draw();
    return undefined;
  }

  end(record: string | undefined): void {
    const { columns: width } = this.#device.size();
    this.#device.write(this.#erased() + (record === undefined ? "" : `${this.#paint.dim(clip(`  ${record}`, width - 1))}\r\n`));
    this.#drawn = undefined;
    this.#shown = undefined;
  }

  #draw(): void {
    if (this.#shown === undefined) return;
    const size = this.#device.size();
    const drawing = render({ ...this.#shown, state: this.#state, home: this.#options.home }, size, this.#paint);
    const { lines, cursor } = drawing;
    const back = cursor === undefined ? "" : `${up(lines.length - 1 - cursor.row)}\r${ESC}[${cursor.column}C`;
    // Without wrapping, a character that the terminal draws wider than we counted costs one line, not the layout.
    const text = `${this.#erased()}${ESC}[?7l${lines.join("\r\n")}${ESC}[?7h${back}`;
    this.#drawn = { drawing, size };
    this.#device.write(text);
  }

  /** Sequences that take the block away. A terminal that has become narrower has wrapped its lines. */
  #erased(): string {
    if (this.#drawn === undefined) return "";
    const { drawing } = this.#drawn;
    const { columns: width } = this.#device.size();
    const above = drawing.lines.slice(0, drawing.cursor?.row ?? drawing.lines.length - 1);
    const end = drawing.cursor?.column ?? plainColumns(drawing.lines.at(-1) ?? "");
    const rows = above.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(plainColumns(line) / width)),
      Math.floor(Math.max(0, end - 1) / width),
    );
    return `${up(rows)}\r${ESC}[J`;
  }
}

const up = (rows: number): string => (rows > 0 ? `${ESC}[${rows}A` : "");

// oxlint-disable-next-line no-control-regex -- our own styling
const plainColumns = (line: string): number => columns(line.replace(/\u001b\[\d+m/g, ""));

/**
 * A person presses one key at a time. Letters that arrive together with other keys were pasted or typed blindly: they
 * answer nothing, and are text only where a line is edited.
 */
function asTyped(keys: readonly Key[], state: PromptState): readonly Key[] {
  if ("line" in state) {
    // A pasted line break does not write the rule.
    return keys.length > 1 && keys.some(({ is }) => is === "char") ? keys.filter(({ is }) => is !== "enter") : keys;
  }
  const typed = keys.filter(({ is }) => is !== "report");
  return typed.length > 1 && typed.some(({ is }) => is === "char") ? [{ is: "paste", text: "" }] : keys;
}

/** Four to a line, so that the words fit. */
function linesOf(choices: readonly Choice[]): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < choices.length; at += 4)
    lines.push(
      choices
        .slice(at, at + 4)
        .map(({ key, does }) => `${key}  ${does}`)
        .join("   "),
    );
  return lines;
}
const LONGEST = 4000;

/** Lines for terminals that can only print (TERM=dumb): a letter and Enter, and nothing is ever redrawn. */
export class LineView implements PromptView {
  readonly #device: Device;
  readonly #options: ViewOptions;
  #shown: PromptContent | undefined;
  #typed = "";
  /** What a line answers. */
  #state: PromptState = startOf([]);

  constructor(device: Device, options: ViewOptions) {
    this.#device = device;
    this.#options = options;
  }

  begin(shown: PromptContent): void {
    this.#shown = shown;
    this.#state = startOf(shown.choices);
    const { question, alike, hidden = 0, about, waiting } = shown;
    const more = alike.length + hidden;
    const where = alike.length === 0 ? undefined : place([question, ...alike], this.#options.home);
    this.#print(
      "",
      ...(about === undefined ? [] : [printable(about, 200)]),
      `${who(question)} wants to ${printable(question.what, 1000)}`,
      `asked because: ${printable(question.reason, 400)}`,
      ...differenceOf(shown, this.#device.size().columns),
      ...(more === 0 ? [] : [`... and ${more} more like this${where === undefined ? "" : ` in ${where}`}`]),
      ...linesOf(shown.choices),
      ...(waiting === 0 ? [] : [`(${waiting} more waiting)`]),
    );
    this.#again();
  }

  update(): boolean {
    return false;
  }

  resized(): void {
    // What is printed stays.
  }

  early(): void {
    this.#print("", "What was typed before this question was shown is ignored.");
    this.#again();
  }

  input(text: string): Answer | undefined {
    for (const key of readKeys(text).keys) {
      if (key.is === "interrupt") return this.#ended({ answer: "quit" });
      if (key.is === "end-of-input") return this.#ended({ answer: "deny", scope: "once" });
      if (key.is === "enter") {
        this.#device.write("\r\n");
        const answer = this.#line(this.#shown, this.#typed.trim());
        if (answer !== undefined) return answer;
        this.#again();
      } else if (key.is === "backspace" && this.#typed !== "") {
        const chars = [...this.#typed];
        this.#typed = chars.slice(0, -1).join("");
        this.#device.write("\b \b");
      } else if (key.is === "char" && this.#typed.length < LONGEST && printable(`.${key.text}`) === `.${key.text}`) {
        this.#typed += key.text;
        this.#device.write(key.text);
      }
    }
    return undefined;
  }

  end(record: string | undefined): void {
    if (this.#shown !== undefined) this.#print(...(record === undefined ? ["", "(the question is void)"] : [record]));
    this.#shown = undefined;
  }

  #ended(answer: Answer): Answer {
    this.#device.write("\r\n");
    return answer;
  }

  #line(shown: PromptContent | undefined, line: string): Answer | undefined {
    if (shown === undefined) return undefined;
    const { choices, question } = shown;
    const { proposals } = question;
    const state = this.#state;
    if (state.view === "choose") {
      const outcome: KeyOutcome =
        line === "" ? { answer: { answer: "deny", scope: "once" } } : chooseLetter(line, state, { choices, proposals });
      if ("answer" in outcome) return outcome.answer;
      const { state: next } = outcome;
      if (next.view === "choose") {
        if (next.notice === undefined) this.#print(...detailsOf(question, shown.alike, this.#options.home).map(detailLine));
        else this.#print("That is none of the letters.", ...linesOf(choices));
        return undefined;
      }
      this.#state = next;
      if (!("effect" in next)) return undefined;
      this.#print(`${next.effect === "allow" ? "Always yes" : "Never"}, by which rule?`);
      this.#print(...proposals.map(({ rule, covers }, at) => `${at + 1}  ${printable(rule)}  (${printable(covers, 200)})`));
      return undefined;
    }
    if (line === "" && state.view !== "note") {
      this.#state = startOf(choices);
      return undefined;
    }
    const text = "effect" in state && /^\d+$/.test(line) ? proposals[Number(line) - 1]?.rule : line;
    const of = "effect" in state ? ({ view: "edit", effect: state.effect } as const) : state;
    const read = text === undefined ? { wrong: "no rule has that number" } : answerOfLine(text, of, this.#options);
    if (!("wrong" in read)) return read;
    this.#print(printable(read.wrong, 400));
    return undefined;
  }

  #again(): void {
    this.#typed = "";
    this.#device.write(ASKS[this.#state.view]);
  }

  #print(...lines: readonly string[]): void {
    this.#device.write(lines.map((line) => `${line}\r\n`).join(""));
  }
}

const RULE = "number, or the text of a rule; empty goes back: ";
const ASKS: Readonly<Record<PromptState["view"], string>> = {
  choose: "answer [n]: ",
  rules: RULE,
  edit: RULE,
  time: "for how long (30m, 2h, 1d); empty goes back: ",
  note: "a word to the agent: ",
};

const detailLine = ({ label, text }: Detail): string => `${label}: ${printable(text, 400)}`;
