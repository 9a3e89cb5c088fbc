import type { Face, FaceOptions, Shown } from "./face.ts";
import { readKeys, type Key } from "./keys.ts";
import { clip, columns } from "./printable.ts";
import { press, START, type PromptState } from "./prompt.ts";
import { type Drawing, type Paint, PLAIN, render, type Size } from "./render.ts";
import type { Device } from "./tty.ts";
import type { Answer } from "./types.ts";

const ESC = "\u001b";
const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    `${ESC}[${on}m${text}${ESC}[${off}m`;

export const COLOURED: Paint = { bold: sgr(1, 22), dim: sgr(2, 22), inverse: sgr(7, 27) };

/** A pasted text whose end does not come is given up at this length. */
const LONGEST_SEQUENCE = 65_536;

/** A block of lines below what the program wrote, redrawn in place. */
export class BlockFace implements Face {
  readonly #device: Device;
  readonly #paint: Paint;
  readonly #options: FaceOptions;
  #shown: Shown | undefined;
  #state: PromptState = START;
  /** The beginning of a key's sequence whose rest is still to come. */
  #partial = "";
  #drawn: { readonly drawing: Drawing; readonly size: Size } | undefined;

  constructor(device: Device, coloured: boolean, options: FaceOptions) {
    this.#device = device;
    this.#paint = coloured ? COLOURED : PLAIN;
    this.#options = options;
  }

  begin(shown: Shown): void {
    this.#shown = shown;
    this.#state = START;
    this.#partial = "";
    // As many spaces as there are columns end on a line of their own unless the line was empty: what stands there stays.
    this.#device.write(`${" ".repeat(this.#device.size().columns)}\r${ESC}[K`);
    this.#draw();
  }

  update(shown: Shown): boolean {
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
      const outcome = press(this.#state, key, { proposals: shown.question.proposals, checkRule: this.#options.checkRule });
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
  if (state.view === "edit") {
    // A pasted line break does not write the rule.
    return keys.length > 1 && keys.some(({ is }) => is === "char") ? keys.filter(({ is }) => is !== "enter") : keys;
  }
  const typed = keys.filter(({ is }) => is !== "report");
  return typed.length > 1 && typed.some(({ is }) => is === "char") ? [{ is: "paste", text: "" }] : keys;
}
