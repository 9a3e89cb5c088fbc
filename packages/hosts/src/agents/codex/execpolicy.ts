import type { Speech } from "../rules/contract.ts";

/**
 * How Codex holds its rules against a command (0.169.0, driven): it takes a line apart where it consists of nothing but plain commands,
 * joined by `;`, `&&`, `||`, `|` or a new line, and compares the first words of each, the program by its path or its last part. Any other
 * line (a redirection, a variable, a subshell, a background job, a comment, a program in quotes) it compares as `bash -lc LINE`.
 */

/** A rule as rules.ts makes it of a prefix. */
const PREFIX = /^Bash\((.*):\*\)$/s;

/** Whether a prefix rule speaks about a command. INVARIANT: `surely` only where Codex itself finds that it does. */
export function speakOf(rule: string, command: string): Speech {
  const words = PREFIX.exec(rule)?.[1]?.split(" ");
  if (words === undefined) return holdsAll(rule.match(/[\w.-]+/g)?.filter((word) => word !== "Bash") ?? [], command) ? "perhaps" : "no";
  const commands = plainCommands(command);
  if (commands !== undefined) {
    const found = commands.map((plain) => startsWith(plain, words));
    return found.includes("surely") ? "surely" : found.includes("perhaps") ? "perhaps" : "no";
  }
  if (SHELLS.has(nameOf(words[0] ?? ""))) return "perhaps";
  return holdsAll(words, command) ? "perhaps" : "no";
}

/** `dir/name/.` ends in `name`, too. */
const nameOf = (word: string): string => word.split("/").findLast((part) => part !== "" && part !== ".") ?? word;

/** Codex starts commands by one of these. */
const SHELLS = new Set(["bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell"]);

function startsWith(plain: readonly string[], words: readonly string[]): Speech {
  const [program = "", ...rest] = plain;
  const [first, ...others] = words;
  if (!others.every((word, at) => rest[at] === word)) return "no";
  // Which paths a name stands for, `host_executable` may say.
  return program === first ? "surely" : nameOf(program) === first ? "perhaps" : "no";
}

/** Every word stands in it somewhere, whatever quotes it. */
function holdsAll(words: readonly string[], command: string): boolean {
  const plain = command.replace(/['"\\]|\$(?=['"])/g, "");
  const found = new Set([command, plain].flatMap((text) => text.split(/[\s;&|()<>{}`$]+/)).flatMap((word) => [word, nameOf(word)]));
  return words.every((word) => found.has(word) || (/[\s;&|()<>{}`$'"\\]/.test(word) && (command.includes(word) || plain.includes(word))));
}

const PIECE = /[\w./:@%+,=-]+|'[^'\n]*'|"[^"\n$`\\!]*"/y;
const BETWEEN = /[ \t]*(?:&&|\|\||;|\||\n)[ \t]*/y;
const BLANK = /[ \t]+/y;
const RESERVED =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc|eval|exec|command|builtin|source|\.)$/;

/** The commands of a line in which every word means itself; undefined: it is another line. */
function plainCommands(line: string): readonly (readonly string[])[] | undefined {
  const command = line.trim();
  const commands: string[][] = [[]];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(command)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  for (;;) {
    let word = "";
    const start = at;
    for (let piece = take(PIECE); piece !== undefined; piece = take(PIECE)) word += /^['"]/.test(piece) ? piece.slice(1, -1) : piece;
    if (at === start) return undefined;
    const words = commands.at(-1) ?? [];
    // What is quoted, assigned or means something to the shell is no program.
    if (words.length === 0 && (word !== command.slice(start, at) || word.includes("=") || RESERVED.test(word))) return undefined;
    words.push(word);
    if (at === command.length) return commands;
    if (take(BETWEEN) !== undefined) commands.push([]);
    else if (take(BLANK) === undefined) return undefined;
  }
}
