import { checkEscape, expandBraces, mistake, ok, parseUnits, type Mistake, type Result } from "../../pattern/index.ts";
import type { FlagPattern } from "../match/exec-words.ts";
import type { ShellMatcher, WordPattern } from "./shell.ts";

const EVERY: ShellMatcher = {
  kind: "shell",
  program: { negated: false, alternatives: ["*"] },
  operands: [],
  gaps: [],
  closed: false,
  flags: [],
  closedFlags: false,
};

const MOST_WORDS = 256;

interface ShellDraft {
  readonly words: WordPattern[];
  /** `gaps[i]`: `...` stands before word i. */
  readonly gaps: boolean[];
  readonly flags: FlagPattern[];
  closed: boolean;
  closedFlags: boolean;
  /** Options said to take the next word. */
  readonly valued: string[];
  /** A `--` was read: what follows are operands. */
  ended: boolean;
}

/** `Shell(...)`. `Shell`, `Shell()`, `Shell(*)` and `Shell(...)` with three dots mean every command. */
export function parseShell(scope: string): Result<ShellMatcher> {
  const text = withoutTail(scope.trim());
  if (text === "" || text === "*" || text === "**" || text === "...") return ok(EVERY);
  const words = splitWords(text);
  if (!words.ok) return words;
  if (words.value.length > MOST_WORDS) return mistake(`more than ${MOST_WORDS} words`);
  const draft: ShellDraft = { words: [], gaps: [], flags: [], closed: false, closedFlags: false, valued: [], ended: false };
  for (const word of words.value) {
    const wrong = readWord(word, draft);
    if (wrong !== undefined) return wrong;
  }
  const [program, ...operands] = draft.words;
  if (program === undefined) return mistake("no program", "the first word is the program: `Shell(git push --force)`");
  if (draft.gaps[0] === true) return mistake("`...` in front of the program", "write `*` for any program");
  const { closed, closedFlags } = draft;
  // What takes a value is not thereby permitted.
  const flags = closedFlags ? draft.flags : [...draft.flags, ...draft.valued.map(valuedFlag)];
  return ok({ kind: "shell", program, operands, gaps: operands.map((_, i) => draft.gaps[i + 1] === true), closed, flags, closedFlags });
}

const valuedFlag = (name: string): FlagPattern => ({ need: "permitted", names: [name], value: "*" });

/** Terms of agentperm 0.3 and newer (its docs/pattern-dsl.md and docs/sql-policy.md) that are no words of a command. */
const TERM = /^(only|values|stdin|sqlvalues)\(/;
const CAPTURE = /<(?:SQL(?::[^>]*)?|EXEC|SHELL)>/;

/** `:*` at the end is agentperm's way to say what is the rule here anyway: more may follow. */
function withoutTail(text: string): string {
  return text.endsWith(":*") && !text.endsWith("\\:*") ? text.slice(0, -2).trimEnd() : text;
}

/** Words at blanks; `\ ` keeps a blank, blanks inside braces separate nothing. */
function splitWords(text: string): Result<readonly string[]> {
  const words: string[] = [];
  let word = "";
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") {
      const wrong = checkEscape(text, i);
      if (wrong !== undefined) return wrong;
      i++;
      word += char + text.charAt(i);
    } else if (char === '"' || char === "'" || char === "`") {
      return mistake(`${char} quotes nothing in a rule`, `write \`\\ \` for a blank, \`\\${char}\` for the character itself`);
    } else if (/\s/.test(char) && depth === 0) {
      if (word !== "") words.push(word);
      word = "";
    } else if (/\s/.test(char)) {
      // A blank after a comma is for the eye only; between flags it would join two.
      if (TERM.test(word)) word += char;
    } else {
      word += char;
      if (char === "{" || (char === "(" && TERM.test(word))) depth++;
      if ((char === "}" || (char === ")" && TERM.test(word))) && depth > 0) depth--;
    }
  }
  if (word !== "") words.push(word);
  return ok(words);
}

function readWord(word: string, draft: ShellDraft): Mistake | undefined {
  if (draft.closed && word !== "!-*" && !TERM.test(word) && !isFlagWord(word, draft))
    return mistake(`\`${word}\` after \`!...\``, "`!...` says that no operand follows: put it last");
  if (word === "..." || word === "**") {
    draft.gaps[draft.words.length] = true;
    return undefined;
  }
  if (CAPTURE.test(word) || /^(?:stdin|sqlvalues)\(/.test(word))
    return mistake(
      `\`${word}\` stands for no word of a command here`,
      "leave it out: what a command starts is judged by itself, SQL is not read",
    );
  if (draft.ended) return readOperand(word, false, draft);
  if (TERM.test(word)) return readTerm(word, draft);
  if (word === "--") {
    draft.ended = true;
    return undefined;
  }
  if (word === "!...") {
    draft.closed = true;
    return undefined;
  }
  if (word === "!-*") {
    draft.closedFlags = true;
    return undefined;
  }
  if (word === "!" || word === "?" || word === "!--" || word === "?--")
    return mistake(`lone \`${word}\``, `write \`\\${word}\` for the character itself`);
  if (isFlagWord(word, draft)) {
    if (draft.words.length === 0) return mistake("no program", "the first word is the program: `Shell(git push --force)`");
    return readFlag(word, draft);
  }
  return word.startsWith("!") ? readOperand(word.slice(1), true, draft) : readOperand(word, false, draft);
}

/** `only(--a, -b)` is `?--a ?-b !-*`; `values(--a, -b)` says which options take the next word. */
function readTerm(word: string, draft: ShellDraft): Mistake | undefined {
  const [, name = "", list = ""] = /^(\w+)\((.*)\)$/s.exec(word) ?? [];
  const members = list.split(",").map((member) => member.trim());
  const wrong = members.find((member) => !/^--?[\w-]*\w$/.test(member));
  if (wrong !== undefined)
    return mistake(`\`${wrong === "" ? word : wrong}\` is not a flag`, "write `only(--a, -b)`: flags, with commas between them");
  if (draft.words.length === 0) return mistake("no program", "the first word is the program: `Shell(git push --force)`");
  if (name === "values") draft.valued.push(...members);
  else {
    draft.closedFlags = true;
    for (const member of members) draft.flags.push({ need: "permitted", names: [member] });
  }
  return undefined;
}

/** `-f`, `!-f`, `?-f`, `{-f,--force}` and so on. */
function isFlagWord(word: string, draft: ShellDraft): boolean {
  if (draft.ended) return false;
  const bare = word.replace(/^[!?]/, "").replace(/^\{+\s*/, "");
  return bare.length > 1 && bare.startsWith("-");
}

function readFlag(word: string, draft: ShellDraft): Mistake | undefined {
  const need = word.startsWith("!") ? "forbidden" : word.startsWith("?") ? "permitted" : "required";
  const spelled = need === "required" ? word : word.slice(1);
  const equals = unescapedEquals(spelled);
  const value = equals === -1 ? undefined : spelled.slice(equals + 1);
  const expanded = expandBraces(equals === -1 ? spelled : spelled.slice(0, equals));
  if (!expanded.ok) return expanded;
  const names: string[] = [];
  for (const name of expanded.value) {
    if (!/^-[^\s=]/.test(name) || name === "--") return mistake(`\`${name}\` is not a flag`, "a set holds either flags or operands");
    if (/(?:^|[^\\])[*?[]/.test(name)) return mistake(`a wildcard in the flag \`${name}\``, "list the flags: `{-f,--force}`");
    names.push(name.replace(/\\(.)/gsu, "$1"));
  }
  if (value !== undefined) {
    const wrong = checkPattern(value);
    if (wrong !== undefined) return wrong;
    const values = expandBraces(value);
    if (!values.ok) return values;
    if (values.value.length > 1) return mistake("braces in a flag's value", "write one rule for each value");
  }
  draft.flags.push({ need, names, ...(value === undefined ? {} : { value }) });
  return undefined;
}

function unescapedEquals(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charAt(i) === "\\") i++;
    else if (text.charAt(i) === "=") return i;
  }
  return -1;
}

function readOperand(word: string, negated: boolean, draft: ShellDraft): Mistake | undefined {
  const expanded = expandBraces(word);
  if (!expanded.ok) return expanded;
  for (const alternative of expanded.value) {
    const wrong = checkPattern(alternative);
    if (wrong !== undefined) return wrong;
    if (!draft.ended && /^-./.test(alternative))
      return mistake(`\`${alternative}\` among operands`, "write `--` in front of operands that start with a dash");
  }
  draft.words.push({ negated, alternatives: expanded.value });
  return undefined;
}

function checkPattern(pattern: string): Mistake | undefined {
  const units = parseUnits(pattern);
  return units.ok ? undefined : units;
}
