import { describe, doubt, type Invocation } from "../invocation.ts";
import { textOf, type Value } from "../value.ts";

/** kill(1): what is signalled. Undefined: it only lists signals. The options of procps and util-linux that choose a signal come first. */
function killTargets(words: readonly Value[]): readonly Value[] | undefined {
  let at = 0;
  for (; at < words.length; at++) {
    const text = wordText(words, at);
    if (text === undefined) break;
    if (/^-([lL]|-list|-table)/.test(text)) return undefined;
    if (text === "--") {
      at++;
      break;
    }
    if (/^(-s|-n|-q|--signal|--queue)$/.test(text)) at++;
    // The first word of this form is the signal, every later number a process group.
    else if (
      !(at === 0 && words.length > 1 && /^-([A-Za-z]\w*|\d+)$/.test(text)) &&
      !/^--(signal|queue)=|^-(a|p|-all|-verbose|-pid)$/.test(text)
    )
      break;
  }
  return words.slice(at);
}

const wordText = (words: readonly Value[], at: number): string | undefined => {
  const word = words[at];
  return word === undefined ? undefined : textOf(word);
};

/** Emits the signals; false when the command only lists them. The shell's builtin and the program agree. */
export function kill(inv: Pick<Invocation, "cx" | "exec" | "span" | "words">): boolean {
  const targets = killTargets(inv.words);
  for (const target of targets ?? []) {
    const text = textOf(target);
    if (text !== undefined && /^\s*-0*1\s*$/.test(text)) inv.cx.addDanger(inv.exec, "kill-all");
    else if (text !== undefined && /^-\D/.test(text)) doubt(inv, `kill has no known option ${describe(target)}`);
    inv.cx.add({
      kind: "process",
      operation: "signal",
      target: text ?? "a process only known at run time",
      origin: { by: "command", exec: inv.exec },
    });
  }
  return targets !== undefined;
}
