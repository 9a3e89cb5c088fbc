import type { Argument, ExecAction } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import { type Answer, covers, escapeWord, overlaps, parseUnits, type WordGlob, wordGlob, wordOf } from "../pattern/index.ts";
import type { Side } from "./match-context.ts";

/**
 * A glob over one command written as a line: what the `execute` block of `operations` holds. `*` matches anything,
 * and each command of a request is judged by itself, so `git diff*` never covers what follows a `;`.
 */
export function matchCommandText(pattern: string, action: ExecAction, side: Side): Answer {
  const compiled = wordGlob(pattern);
  if (side === "narrow" && !action.trusted && pattern !== "*" && pattern !== "**") {
    // Only a rule that spells the path itself can mean a program nobody knows.
    const [word] = action.argv;
    if (word === undefined || !word.known || !word.text.includes("/") || !compiled.start.includes("/")) return "no";
  }
  let answer: Answer = "no";
  for (const line of linesOf(action, side)) {
    if (covers(compiled, line)) return "yes";
    if (overlaps(compiled, line)) answer = "maybe";
  }
  return answer;
}

/** The line as written and with the program's bare name; for allow, words that hold spaces are kept apart by quotes. */
function linesOf(action: ExecAction, side: Side): readonly WordGlob[] {
  const [program, ...rest] = action.argv;
  const written = program ?? { known: true as const, text: action.program };
  const lines = side === "wide" || !action.trusted ? [[written, ...rest]] : [];
  if (written.known && (action.trusted || side === "wide")) lines.push([{ known: true, text: baseName(written.text) }, ...rest]);
  if (side === "narrow" && action.trusted && written.known && written.text.includes("/")) lines.push([written, ...rest]);
  return lines.map((line) => lineOf(line, side));
}

function lineOf(words: readonly Argument[], side: Side): WordGlob {
  const text = words.map((word) => {
    if (!word.known) return `${escapeWord(word.prefix)}*`;
    return escapeWord(side === "narrow" && /\s/.test(word.text) ? `'${word.text}'` : word.text);
  });
  const units = parseUnits(text.join(" "), "shell");
  return wordOf(units.ok ? units.value : [{ is: "run", deep: false }], text.join(" "));
}
