import { doubt, type Invocation } from "../invocation.ts";
import { applyEffect } from "../effects.ts";
import { textOf } from "../value.ts";

/** BSD letters of ps(1) that take the rest of the word, or the next one. */
const VALUED = "oOkNpqtU";
const LETTERS = "acefghjklLmnNoOpqrsStTuUvVwxXZH";

/**
 * ps(1): among the letters of a word without dash, `e` shows environments. procps reads `-auxe` the same way, because
 * there is no user `xe` (measured with procps-ng 4.0.2).
 */
export function ps(inv: Invocation): void {
  const { operands } = inv.args;
  for (let at = 0; at < operands.length; at++) {
    const word = operands[at];
    const text = word === undefined ? undefined : textOf(word);
    if (text === undefined)
      doubt(inv, "a word of ps that is only known at run time may make it show environment variables", "write it out");
    else if (/^[\d,]+$/.test(text)) continue;
    else if (readLetters(inv, text)) at++;
  }
  for (const word of inv.words) {
    const text = textOf(word) ?? "";
    if (
      /^-[A-Za-z]*[uUgGts][A-Za-z]*e/.test(text) &&
      text
        .slice(1)
        .split("")
        .every((letter) => LETTERS.includes(letter))
    )
      applyEffect(inv, { is: "environment" });
  }
}

/** True when the last letter takes the next word. */
function readLetters(inv: Invocation, text: string): boolean {
  for (const [i, letter] of [...text].entries()) {
    if (VALUED.includes(letter)) return i === text.length - 1;
    if (letter === "e") applyEffect(inv, { is: "environment" });
    else if (!LETTERS.includes(letter)) doubt(inv, `ps has no known letter \`${letter}\``);
  }
  return false;
}
