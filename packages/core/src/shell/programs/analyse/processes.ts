// Processes: who is signalled, what is shown of them, what waits for a lock.
import { FINDER, HOLDERS } from "#knowledge/traits";
import { type ExecAction, RUN_TIME_PROCESS, type Target } from "../../../action/index.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { isHole, isWildcard, textOf, type Value } from "../../words/value.ts";

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

const MOST_NAMED = 32;

/** Processes that a search of the same line found, or a whole range of them: nobody has chosen these. */
function signalsFound({ cx }: Pick<Invocation, "cx">, targets: readonly Value[]): boolean {
  if (targets.length > MOST_NAMED) return true;
  const isFound = targets.some((target) => textOf(target) === undefined && !isStarted(target));
  return (
    isFound &&
    (targets.some((target) => target.atoms.some(isWildcard)) ||
      cx.actions.some(
        (action) =>
          (action.kind === "exec" && FINDER.has(baseOf(action))) ||
          (action.kind === "file" && /^\/proc(?:$|\/[^s])/.test(placeOf(action.target))),
      ))
  );
}

const isStarted = ({ atoms, many }: Value): boolean =>
  !many && atoms.length === 1 && atoms.every((atom) => isHole(atom) && atom.started === true);

const placeOf = (target: Target): string => (target.kind === "unknown" ? "" : target.kind === "glob" ? target.pattern : target.path);

const baseOf = ({ program }: ExecAction): string => program.slice(program.lastIndexOf("/") + 1);

/** kill(2): signal 0 is not sent. Nothing but a number or a job may follow: another word could choose another signal. */
function sendsNothing(words: readonly Value[]): boolean {
  const named = /^(?:-s|-n|--signal)$/.test(wordText(words, 0) ?? "");
  const targets = words.slice(named ? 2 : 1);
  const isTarget = (word: Value): boolean =>
    /^(?:\d+|%\w*)$/.test(textOf(word) ?? "") ||
    (word.atoms.length === 1 && word.atoms.every((atom) => isHole(atom) && atom.number === true));
  return wordText(words, named ? 1 : 0) === (named ? "0" : "-0") && targets.length > 0 && targets.every(isTarget);
}

/** Emits the signals; false when the command only lists them. The shell's builtin and the program agree. */
export function kill(inv: Pick<Invocation, "cx" | "exec" | "span" | "words">): boolean {
  if (sendsNothing(inv.words)) return true;
  const targets = killTargets(inv.words);
  if (targets !== undefined && signalsFound(inv, targets)) {
    inv.cx.addDanger(inv.exec, "signals-by-name");
    if (inv.cx.actions.some((action) => action.kind === "exec" && HOLDERS.has(baseOf(action)))) inv.cx.addNeed(inv.exec, "owners");
  }
  for (const target of targets ?? []) {
    const text = textOf(target);
    if (text !== undefined && /^\s*-0*1\s*$/.test(text)) inv.cx.addDanger(inv.exec, "kill-all");
    else if (text !== undefined && /^\s*-?0*1\s*$/.test(text) && !/^\s*-/.test(text)) inv.cx.addDanger(inv.exec, "host-effect");
    else if (text !== undefined && /^-\D/.test(text)) doubt(inv, `kill has no known option ${describe(target)}`);
    inv.cx.add({
      kind: "process",
      operation: "signal",
      target: text ?? RUN_TIME_PROCESS,
      origin: { by: "command", exec: inv.exec },
    });
  }
  return targets !== undefined;
}

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
  const asksFor = inv.words.some((word) => /environ/.test(textOf(word) ?? ""));
  if (asksFor || isReadAgain(inv)) applyEffect(inv, { is: "environment" });
}

/** Letters that ps(1) takes behind a dash; these of them take a value, which may be the rest of the word. */
const DASHED = "AacCdeFfgGHjLlMmNnOoPpqsTtUuVwyZz";
const DASHED_VALUE = /[OopqtU].*$/;

/**
 * Where one word does not fit behind a dash (`-x`, `-r`), or a word has none (`1`), procps reads all of them again as those of BSD, in
 * which the `e` of `-axe`, `-e -x` and `-ef 1` shows environments (measured with procps-ng 4.0.2).
 */
function isReadAgain({ words, args }: Invocation): boolean {
  const letters = words.map((word) => /^-([A-Za-z]+)/.exec(textOf(word) ?? "")?.[1]?.replace(DASHED_VALUE, "") ?? "").join("");
  return letters.includes("e") && (args.operands.length > 0 || [...letters].some((letter) => !DASHED.includes(letter)));
}

/** Columns of podman-top(1); everything else in their place is a word of ps(1). */
const COLUMNS =
  /^(?:args|cap(?:amb|bnd|eff|inh|prm)|comm|elapsed|etime|f?[hr]?groups?|h?pid|h?users?|label|nice|pcpu|pgid|ppid|ruser|seccomp|state|stime|time|tty|vsz)$/;

/** Words that begin with a dash, and what may stand behind them: all of them fit there, so that ps does not read them again. */
const DASHED_COLUMNS = /^(?:-[AFefl]+|(?:-[AFefl]+ )?-[Ae]*o ?(?!.*environ)[a-z_%,]+)$/;

/** docker-top(1) hands its words to ps(1), which shows variables where there is an `e` without a dash. */
export function topColumns(inv: Invocation): void {
  const words = inv.args.operands.slice(1).map((word) => textOf(word) ?? "?");
  for (const word of inv.args.operands.slice(1)) {
    const text = textOf(word);
    if (text === undefined)
      doubt(inv, "a word of ps that is only known at run time may make it show environment variables", "write it out");
    else if (text.startsWith("-") && !DASHED_COLUMNS.test(words.join(" ")))
      refuse(inv, `${describe(word)} may make ps show environment variables`);
    else if (
      !text.startsWith("-") &&
      !words[0]?.startsWith("-") &&
      text.includes("e") &&
      !text.split(",").every((one) => COLUMNS.test(one))
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

/** flock(1): `FILE COMMAND…`, `FILE -c LINE`, or the number of an open descriptor. The lock file is created. */
export function flock(inv: Invocation): void {
  const [lock, ...command] = inv.args.operands;
  if (lock === undefined) return;
  if (lock.many) refuse(inv, `${describe(lock)} may become the command that flock runs`, "quote it");
  const [first, line, ...more] = command;
  if (first === undefined) {
    if (!/^\d+$/.test(textOf(lock) ?? "")) doubt(inv, "flock is given no command");
    return;
  }
  emitFile(inv, "write", lock);
  const word = textOf(first);
  if (word !== "-c" && word !== "--command") {
    inv.output = inv.run.argv(inv.cx, inv.state, command, inv.stdin);
    return;
  }
  if (line === undefined || more.length > 0) doubt(inv, "flock -c takes exactly one command line");
  if (line !== undefined) inv.output = inv.run.script(inv.cx, inv.state, line, inv.stdin, { span: inv.span });
}
