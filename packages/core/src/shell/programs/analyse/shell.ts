import { NO_PATH } from "../environment.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { codeFromStream } from "../code.ts";
import { prefixOf, textOf, type Value } from "../../words/value.ts";

// Not -a and -k, which hand variables to programs that only look like words.
const LETTERS = "befhilmnprtuvxBCDEHPTIsc";
/** Options by name that change neither what words and patterns mean nor what programs are handed. */
const NAMES = new RegExp(
  "^(errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|errtrace|functrace|noexec|physical|posix|monitor|notify|" +
    "privileged|emacs|vi|extglob|globstar|nullglob|failglob|lastpipe|inherit_errexit|expand_aliases|checkwinsize)$",
);
const LONG = new Set(
  "--login --norc --noprofile --posix --verbose --restricted --noediting --debugger --no-rcs --emulate --privileged".split(" "),
);
const STOP = new Set(["--version", "--help", "--dump-strings", "--dump-po-strings", "--rpm-requires"]);

/**
 * The flag grammar of bash, dash and zsh: `-c` is a flag that may stand in any cluster, its script is the first
 * operand, the words after it are `$0`, `$1`, …; `-o` and `-O` take a name each (bash(1), Options; zshall(1), Invocation).
 */
export function shell(inv: Invocation): void {
  const { words } = inv;
  if (inv.state.environment.get("PATH") === NO_PATH)
    refuse(inv, `without PATH ${inv.name} looks for programs in the current folder, too`, "hand PATH on");
  const [flag, checked] = words;
  if (
    flag !== undefined &&
    checked !== undefined &&
    words.length === 2 &&
    textOf(flag) === "-n" &&
    /^[^-+]/.test(prefixOf(checked)) &&
    !checked.many
  ) {
    // Reads the script without running it.
    emitFile(inv, "read", checked);
    return;
  }
  let command = false;
  let posix = false;
  let fromStdin = false;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    const text = word === undefined ? undefined : textOf(word);
    if (text === undefined) {
      // The script of -c is judged below; what it may be instead makes no difference.
      if (!command && word !== undefined && (word.many || prefixOf(word) === "" || prefixOf(word).startsWith("-"))) doubtOption(inv, word);
      break;
    }
    if (text === "-" || text === "--") {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    // busybox ignores the long options it does not know.
    if (STOP.has(text) && words.length === 1) return;
    if (STOP.has(text)) {
      doubt(inv, `not every ${inv.name} stops at \`${text}\``);
      continue;
    }
    if (text === "--rcfile" || text === "--init-file") {
      at++;
      refuse(inv, `${inv.name} ${text} runs another startup file`);
      continue;
    }
    if (text.startsWith("--")) {
      posix ||= text === "--posix" || text === "--emulate";
      if (text.startsWith("--rcfile=") || text.startsWith("--init-file=") || !LONG.has(text))
        doubt(inv, `${inv.name} has no known option \`${text}\``);
      continue;
    }
    let names = 0;
    for (const letter of text.slice(1)) {
      if (letter === "c" && text.startsWith("-")) command = true;
      else if (letter === "s") fromStdin = true;
      else if (letter === "o" || letter === "O") names++;
      else if (!LETTERS.includes(letter)) doubt(inv, `${inv.name} has no known option \`-${letter}\``);
      if (letter === "i") doubt(inv, `${inv.name} -i reads startup files and is interactive`);
    }
    for (const name of words.slice(at + 1, at + 1 + names)) {
      posix ||= textOf(name) === "posix";
      if (!NAMES.test(textOf(name) ?? "")) doubt(inv, `what the shell option ${describe(name)} changes is not known`);
    }
    at += names;
  }
  const operands = words.slice(at);
  if (command) {
    const [script, zero, ...positional] = operands;
    if (script === undefined) return;
    inv.output = inv.run.script(inv.cx, inv.state, script, inv.stdin, {
      positional: zero === undefined ? [] : positional,
      span: inv.span,
      reader: posix ? "sh" : inv.name,
    });
    return;
  }
  const [file] = operands;
  if (fromStdin || file === undefined) {
    if (inv.stdin.is === "none") doubt(inv, `${inv.name} runs what it reads from standard input`);
    else codeFromStream(inv, "sh", inv.stdin, { positional: operands, reader: posix ? "sh" : inv.name });
    return;
  }
  applyKind(inv, { is: "script", language: "sh" }, file);
}

function doubtOption(inv: Invocation, word: Value): void {
  refuse(inv, `an option or script of ${inv.name} that is only known at run time: ${textOf(word) ?? ""}`.replace(/: $/, ""));
}
