import { visible } from "@assent/core/action";

/**
 * Markdown that shows texts as they are, whatever is in them: on GitHub, GitLab and elsewhere. INVARIANT: such a text stays
 * in its code span or block, in which nothing is a link, a picture, HTML, a mention or an emphasis; it brings no line break
 * and no character that is not seen.
 */

/** The longest row of backticks in a text. */
const ticksIn = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));

/** Names are longer than anybody reads. */
const LONGEST = 400;

/** A text in a line of Markdown, not in a table. */
export function codeSpan(text: string): string {
  const shown = visible(text);
  const cut = shown.length > LONGEST ? `${[...shown].slice(0, LONGEST).join("")}…` : shown;
  if (cut.trim() === "") return cut === "" ? "(empty)" : "(blanks)";
  const ticks = "`".repeat(ticksIn(cut) + 1);
  // A blank on each side is taken away again; without it a backtick at an end would belong to the frame.
  return /^[` ]|[` ]$/.test(cut) ? `${ticks} ${cut} ${ticks}` : `${ticks}${cut}${ticks}`;
}

/** Lines as a block of their own. */
export function codeBlock(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, ticksIn(text) + 1));
  return `${fence}${language}\n${text.split("\n").map(visible).join("\n")}\n${fence}`;
}

/** JSON in which every character is seen: what is not is escaped, and means the same. */
export function seenJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/gu, (char) =>
    visible(char) === char
      ? char
      : [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
