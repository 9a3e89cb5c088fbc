import { containerOf, indentAt, isContainer, sameLine, slotOf, startsLine } from "./container.ts";
import { isNamePart, isNameStart, type JsonNode } from "./json5/index.ts";

/** How a file is written, so that what is added looks like the rest of it. */
export interface TextStyle {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  readonly colon: ": " | ":";
  readonly comma: ", " | ",";
  /** Inside the braces of an object on one line. */
  readonly pad: " " | "";
  readonly quote: '"' | "'";
  readonly bareKeys: boolean;
  /** A comma after the last item, where items stand on lines of their own. */
  readonly trailingComma: boolean;
  /** Members of objects, elements of lists stand on lines of their own. */
  readonly objectLines: boolean;
  readonly listLines: boolean;
}

/** Votes for and against a habit. */
class Habit {
  #balance = 0;

  vote(yes: boolean): void {
    this.#balance += yes ? 1 : -1;
  }

  holds(without: boolean): boolean {
    return this.#balance === 0 ? without : this.#balance > 0;
  }
}

/** Reads the habits of a text from what is there; where nothing tells, two blanks, double quotes and a line per item. */
export function styleOf(text: string, root: JsonNode): TextStyle {
  const habits = {
    blankAfterColon: new Habit(),
    blankAfterComma: new Habit(),
    pad: new Habit(),
    singleQuotes: new Habit(),
    bareKeys: new Habit(),
    trailingComma: new Habit(),
    objectLines: new Habit(),
    listLines: new Habit(),
  };
  let unit: string | undefined;

  const visit = (node: JsonNode): void => {
    if (!isContainer(node)) {
      if (typeof node.value === "string") habits.singleQuotes.vote(text[node.start] === "'");
      return;
    }
    const box = containerOf(node);
    const first = slotOf(text, box, 0);
    const last = slotOf(text, box, box.items.length - 1);
    if (first !== undefined && last !== undefined) {
      const lines = startsLine(text, first);
      (node.kind === "object" ? habits.objectLines : habits.listLines).vote(lines);
      if (!sameLine(text, last.end, box.close)) habits.trailingComma.vote(last.after.comma !== undefined);
      if (node.kind === "object" && sameLine(text, node.start, node.end)) habits.pad.vote(/\s/.test(text.charAt(box.open)));
      const comma = first.after.comma;
      if (comma !== undefined && first.next !== undefined && sameLine(text, comma, first.next.start))
        habits.blankAfterComma.vote(/\s/.test(text.charAt(comma + 1)));
      const outer = indentAt(text, node.start);
      const inner = indentAt(text, first.start);
      if (lines && inner.length > outer.length && inner.startsWith(outer)) unit ??= inner.slice(outer.length);
    }
    if (node.kind === "array") for (const item of node.items) visit(item);
    else {
      for (const { keyStart, value } of node.members) {
        habits.bareKeys.vote(isNameStart(text.charAt(keyStart)));
        habits.blankAfterColon.vote(/\s/.test(text.charAt(value.start - 1)));
        visit(value);
      }
    }
  };
  visit(root);

  const blank = habits.blankAfterColon.holds(true);
  const objectLines = habits.objectLines.holds(true);
  return {
    eol: /\r\n|\n|\r/.exec(text)?.[0] ?? "\n",
    unit: unit ?? "  ",
    colon: blank ? ": " : ":",
    comma: habits.blankAfterComma.holds(blank) ? ", " : ",",
    pad: habits.pad.holds(blank) ? " " : "",
    quote: habits.singleQuotes.holds(false) ? "'" : '"',
    bareKeys: habits.bareKeys.holds(false),
    trailingComma: habits.trailingComma.holds(false),
    objectLines,
    listLines: habits.listLines.holds(objectLines),
  };
}

/** A key that needs no quotes. */
export function isName(key: string): boolean {
  return key !== "" && [...key].every((c, at) => (at === 0 ? isNameStart(c) : isNamePart(c)));
}
