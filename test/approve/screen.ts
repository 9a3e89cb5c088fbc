import { columns } from "../../packages/guard/src/approve/printable.ts";

/** A small terminal: text, CR, LF, BS, SGR, cursor up and right, erasing, deferred wrapping that can be turned off. Anything else throws. */
export class Screen {
  width: number;
  readonly #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #wrap = true;

  constructor(width: number) {
    this.width = width;
  }

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex -- what a terminal is sent
    for (const [part] of text.matchAll(/\u001b\[[0-9;?]*[A-Za-z]|\u001b.?|[^\u001b]/gu)) {
      if (part.startsWith("\u001b")) this.#sequence(part);
      else if (part === "\r") this.#column = 0;
      else if (part === "\n") this.#to(this.#row + 1);
      else if (part === "\b") this.#column = Math.max(0, this.#column - 1);
      else this.#put(part);
    }
  }

  get lines(): readonly string[] {
    const lines = this.#lines.map((line) =>
      line
        .map((cell) => (cell === "" ? "" : (cell ?? " ")))
        .join("")
        .trimEnd(),
    );
    while (lines.length > 1 && lines.at(-1) === "") lines.pop();
    return lines;
  }

  get cursor(): readonly [row: number, column: number] {
    return [this.#row, this.#column];
  }

  #to(row: number): void {
    this.#row = row;
    while (this.#lines.length <= row) this.#lines.push([]);
  }

  #put(char: string): void {
    const size = columns(char);
    if (this.#column + size > this.width) {
      if (this.#wrap) {
        this.#column = 0;
        this.#to(this.#row + 1);
      } else this.#column = this.width - size;
    }
    const line = this.#lines[this.#row]!;
    for (let at = line.length; at < this.#column; at++) line.push(" ");
    // oxlint-disable-next-line no-control-regex -- none may come here
    if (/[\u0000-\u001f\u007f-\u009f]/.test(char)) throw new Error(`control character ${char.charCodeAt(0)}`);
    line[this.#column] = char;
    if (size === 2) line[this.#column + 1] = "";
    this.#column += size;
  }

  #sequence(text: string): void {
    // oxlint-disable-next-line no-control-regex -- as above
    const [, parameters = "", final = ""] = /^\u001b\[([0-9;?]*)([A-Za-z])$/.exec(text) ?? [];
    const count = Number(parameters || "1");
    if (final === "m") return;
    if (final === "A") this.#row = Math.max(0, this.#row - count);
    else if (final === "C") this.#column = Math.min(this.width - 1, this.#column + count);
    else if (final === "J" || final === "K") {
      this.#lines[this.#row]!.length = Math.min(this.#lines[this.#row]!.length, this.#column);
      if (final === "J") this.#lines.length = this.#row + 1;
    } else if (parameters === "?7" && (final === "l" || final === "h")) this.#wrap = final === "h";
    else throw new Error(`unknown sequence ${JSON.stringify(text)}`);
  }
}
