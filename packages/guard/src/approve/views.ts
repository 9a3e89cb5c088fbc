import { printCall } from "@assent/core/action";
import { withTilde } from "@assent/core/path";
import { type Key, readKeys } from "./keys.ts";
import { clip, columns, fold, printable } from "./printable.ts";
import { type CheckRule, type Choice, CHOICES, minutesIn, pressKey, type PromptState, START, startOf } from "./prompt.ts";
import { type Drawing, type Paint, place, PLAIN, render, type ShownQuestion, type Size, who } from "./render.ts";
import type { Device } from "./tty.ts";
import type { Answer } from "./types.ts";

export interface ViewOptions {
  readonly home: string | undefined;
  readonly checkRule: CheckRule;
}

/** How a prompt looks: a block that is redrawn, or lines for terminals that cannot. */
export interface PromptView {
  /** A question that was not shown before. */
  begin(shown: ShownQuestion): void;
  /** Alike questions came or went. False: it was not shown. */
  update(shown: ShownQuestion): boolean;
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
const differenceOf = ({ question: { difference = [] } }: ShownQuestion, width: number): readonly string[] =>
  difference.flatMap((line) => fold(printable(line, 400), Math.max(10, width - 5), MOST_FOLDED)).map((line) => `  │ ${line}`);

/** A block of lines below what the program wrote, redrawn in place. */
export class BlockView implements PromptView {
  readonly #device: Device;
  readonly #paint: Paint;
  readonly #options: ViewOptions;
  #shown: ShownQuestion | undefined;
  #state: PromptState = START;
  /** The beginning of a key's sequence whose rest is still to come. */
  #partial = "";
  #drawn: { readonly drawing: Drawing; readonly size: Size } | undefined;

  constructor(device: Device, coloured: boolean, options: ViewOptions) {
    this.#device = device;
    this.#paint = coloured ? COLOURED : PLAIN;
    this.#options = options;
  }

  begin(shown: ShownQuestion): void {
    this.#shown = shown;
    this.#state = startOf(shown.choices ?? CHOICES);
    this.#partial = "";
    // As many spaces as there are columns end on a line of their own unless the line was empty: what stands there stays.
    const width = this.#device.size().columns;
    this.#device.write(`${" ".repeat(width)}\r${ESC}[K`);
    for (const line of differenceOf(shown, width)) this.#device.write(`${line}\r\n`);
    this.#draw();
  }

  update(shown: ShownQuestion): boolean {
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
        ...(shown.choices === undefined ? {} : { choices: shown.choices }),
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
  #shown: ShownQuestion | undefined;
  #typed = "";
  /** What a line answers: the question itself, or which rule. */
  #asks: "choice" | "allow" | "deny" | "time" | "note" = "choice";

  constructor(device: Device, options: ViewOptions) {
    this.#device = device;
    this.#options = options;
  }

  begin(shown: ShownQuestion): void {
    this.#shown = shown;
    this.#asks = "choice";
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
      ...linesOf(shown.choices ?? CHOICES),
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
        const answer = this.#line(this.#typed.trim());
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

  #line(line: string): Answer | undefined {
    if (this.#asks === "time" || this.#asks === "note") return this.#words(line, this.#asks);
    if (this.#asks !== "choice") return this.#rule(line, this.#asks);
    const choices = this.#shown?.choices ?? CHOICES;
    switch (line === "" || choices.some(({ key }) => key === line) ? line : undefined) {
      case "y":
        return { answer: "allow", scope: "once" };
      case "r":
        return { answer: "allow", scope: "session" };
      case "t":
        return { answer: "allow", scope: "tree" };
      case "":
      case "n":
        return { answer: "deny", scope: "once" };
      case "q":
        return { answer: "quit" };
      case "?":
        this.#more();
        return undefined;
      case "m":
      case "w":
        this.#asks = line === "m" ? "time" : "note";
        return undefined;
      case "p":
      case "N":
        this.#asks = line === "p" ? "allow" : "deny";
        this.#print(`${this.#asks === "allow" ? "Always yes" : "Never"}, by which rule?`);
        this.#shown?.question.proposals.forEach(({ rule, covers }, at) =>
          this.#print(`${at + 1}  ${printable(rule)}  (${printable(covers, 200)})`),
        );
        return undefined;
      default:
        this.#print("That is none of the letters.", ...linesOf(choices));
        return undefined;
    }
  }

  #words(line: string, of: "time" | "note"): Answer | undefined {
    if (of === "note") return { answer: "deny", scope: "once", ...(line === "" ? {} : { note: line }) };
    const minutes = minutesIn(line);
    if (line === "") this.#asks = "choice";
    else if (minutes === undefined) this.#print("That is not a time: write 30m, 2h or 1d; at most 7d.");
    return minutes === undefined ? undefined : { answer: "allow", scope: "time", minutes };
  }

  #rule(line: string, effect: "allow" | "deny"): Answer | undefined {
    if (line === "") {
      this.#asks = "choice";
      return undefined;
    }
    const rule = /^\d+$/.test(line) ? this.#shown?.question.proposals[Number(line) - 1]?.rule : line;
    const wrong = rule === undefined ? "no rule has that number" : this.#options.checkRule(rule, effect);
    if (rule !== undefined && wrong === undefined) return { answer: effect, scope: "always", rule };
    this.#print(printable(wrong ?? "", 400));
    return undefined;
  }

  #more(): void {
    if (this.#shown === undefined) return;
    const { question, alike } = this.#shown;
    const program = ({ pid, argv }: { readonly pid: number; readonly argv: readonly string[] }): string =>
      `${pid} ${printable(argv.join(" "), 400)}`;
    this.#print(
      ...(question.call === undefined ? [] : [`call: ${printCall(question.call)}`]),
      ...(question.rule === undefined
        ? []
        : [`rule: ${printable(question.rule.text)} ${printable(question.rule.file)}:${question.rule.line}`]),
      ...(question.help === undefined ? [] : [`help: ${printable(question.help)}`]),
      `process: ${program(question.process)}`,
      `in folder: ${printable(withTilde(question.cwd, this.#options.home))}`,
      ...question.ancestry.map((parent) => `started by: ${program(parent)}`),
      ...alike.slice(0, 10).map(({ what }) => `and also: ${printable(what, 400)}`),
    );
  }

  #again(): void {
    this.#typed = "";
    const asks = { choice: "answer [n]: ", time: "for how long (30m, 2h, 1d); empty goes back: ", note: "a word to the agent: " };
    this.#device.write(
      this.#asks === "allow" || this.#asks === "deny" ? "number, or the text of a rule; empty goes back: " : asks[this.#asks],
    );
  }

  #print(...lines: readonly string[]): void {
    this.#device.write(lines.map((line) => `${line}\r\n`).join(""));
  }
}
