import { printable } from "./printable.ts";
import type { Key } from "./keys.ts";

/** One line of text under a cursor. `cursor` counts code points, 0 is before the first. */
export interface Line {
  readonly chars: readonly string[];
  readonly cursor: number;
}

const LONGEST = 4000;

export const lineOf = (text: string): Line => ({ chars: [...text], cursor: [...text].length });
export const textOf = (line: Line): string => line.chars.join("");

/** The line after a key; undefined when the key means nothing to a line. */
export function edit({ chars, cursor }: Line, key: Key): Line | undefined {
  const at = (next: number): Line => ({ chars, cursor: Math.max(0, Math.min(chars.length, next)) });
  const without = (from: number, to: number): Line => ({
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
