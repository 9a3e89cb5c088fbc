import { describe, doubt, type Invocation } from "../invocation.ts";
import type { Target } from "../../action/index.ts";
import { isWildcard, textOf, type Value } from "../value.ts";

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

/** Programs that find processes: by name, port, file, user. */
const FINDS =
  /^(?:pgrep|pidof|ps|lsof|fuser|ss|netstat|jps|pstree|top|htop|procs|seq|tasklist|systemctl|launchctl|docker|podman|who|w|last|sockstat|fstat)$/;
const MOST_NAMED = 32;

/** Processes that a search of the same line found, or a whole range of them: nobody has chosen these. */
function signalsFound({ cx }: Pick<Invocation, "cx">, targets: readonly Value[]): boolean {
  if (targets.length > MOST_NAMED) return true;
  const isFound = targets.some((target) => textOf(target) === undefined);
  return (
    isFound &&
    (targets.some((target) => target.atoms.some(isWildcard)) ||
      cx.actions.some(
        (action) =>
          (action.kind === "exec" && FINDS.test(action.program.slice(action.program.lastIndexOf("/") + 1))) ||
          (action.kind === "file" && action.target.kind !== "unknown" && /^\/proc(?:$|\/[^s])/.test(rootOf(action.target))),
      ))
  );
}

const rootOf = (target: Exclude<Target, { readonly kind: "unknown" }>): string => (target.kind === "glob" ? target.pattern : target.path);

/** Emits the signals; false when the command only lists them. The shell's builtin and the program agree. */
export function kill(inv: Pick<Invocation, "cx" | "exec" | "span" | "words">): boolean {
  const targets = killTargets(inv.words);
  if (targets !== undefined && signalsFound(inv, targets)) inv.cx.addDanger(inv.exec, "signals-by-name");
  for (const target of targets ?? []) {
    const text = textOf(target);
    if (text !== undefined && /^\s*-0*1\s*$/.test(text)) inv.cx.addDanger(inv.exec, "kill-all");
    else if (text !== undefined && /^\s*-?0*1\s*$/.test(text) && !/^\s*-/.test(text)) inv.cx.addDanger(inv.exec, "host-effect");
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
