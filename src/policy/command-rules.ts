import type { Argument, ExecAction } from "../action/index.ts";
import { baseName, foldCase, resolvePath } from "../path/index.ts";
import { BoundedMap, wordGlob } from "../pattern/index.ts";
import type { MatchContext } from "./match-context.ts";
import { otherName } from "./exec-words.ts";
import { OperationRules, SMALL } from "./path-rules.ts";
import { inOrder, put, select } from "./rule-lists.ts";
import type { Matcher, Rule, Token } from "./types.ts";

/** Rules about commands, of which those that could speak about one are found by its program and its words. */
export class CommandRules {
  readonly #rules: readonly Rule[];
  /** Places of the rules that could mean a program of this (case-folded) name. */
  readonly #named = new Map<string, number[]>();
  /** Of those that could mean any program. */
  readonly #always: number[] = [];
  /** Of those about programs' files, and they themselves. */
  readonly #paths: readonly number[];
  readonly #places: ReadonlyMap<Rule, number>;
  readonly #files: OperationRules;
  readonly #lists = new BoundedMap<string, WordRules>(512);

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    const paths = rules.flatMap(({ matcher }, at) => (matcher.kind === "path" ? [at] : []));
    this.#files = new OperationRules(select(rules, new Set(paths)));
    // A handful of them is tried with the others.
    this.#paths = paths.length <= SMALL ? [] : paths;
    this.#places = new Map(this.#paths.length === 0 ? [] : rules.map((rule, at) => [rule, at]));
    for (const [at, { matcher }] of rules.entries()) {
      if (matcher.kind === "path" && this.#paths.length > 0) continue;
      const names = programsOf(matcher);
      if (names === undefined) this.#always.push(at);
      else for (const name of new Set(names.map((word) => foldCase(baseName(word))))) put(this.#named, name, at);
    }
  }

  matching(action: ExecAction, context: MatchContext): readonly Rule[] {
    const [word] = action.argv;
    if (this.#rules.length === 0 || word === undefined || !word.known || /\s/.test(word.text)) return this.#rules;
    const own = this.#list(action, word.text).matching(action);
    if (this.#paths.length === 0) return own;
    return inOrder(own, this.#files.matching(action, "possible", context), this.#places);
  }

  /** A link may lead to a program of another name, and then the rules for both count. */
  #list(action: ExecAction, text: string): WordRules {
    const name = foldCase(baseName(text));
    const program = foldCase(baseName(action.program));
    const resolved = action.resolved === undefined ? name : foldCase(baseName(action.resolved));
    const key = program === name && resolved === name ? name : `${name}\0${program}\0${resolved}`;
    return this.#lists.get(key, () => {
      const names = new Set([name, program, resolved, otherName(text) ?? name]);
      const places = new Set([...this.#always, ...[...names].flatMap((one) => this.#named.get(one) ?? [])]);
      return new WordRules(select(this.#rules, places));
    });
  }
}

/** The programs a rule can mean, one of which a command must be; undefined for any. */
function programsOf(matcher: Matcher): readonly string[] | undefined {
  switch (matcher.kind) {
    case "bash": {
      const [first] = matcher.tokens;
      return first?.is === "text" ? [first.text] : undefined;
    }
    case "option":
      return matcher.commands;
    case "shell": {
      const { negated, alternatives } = matcher.program;
      return negated || alternatives.some((word) => /[*?[\]\\]/.test(word)) ? undefined : alternatives;
    }
    case "command": {
      const { start, literal } = wordGlob(matcher.pattern);
      const [, word] = /^([\w./+-]+)( |$)/.exec(start) ?? [];
      return word === undefined || (word === start && literal === undefined) ? undefined : [word];
    }
    default:
      return undefined;
  }
}

/** The rules for one program, by a word that the command must have. */
class WordRules {
  readonly #rules: readonly Rule[];
  readonly #worded = new Map<string, number[]>();
  readonly #always: number[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length <= SMALL) return;
    for (const [at, { matcher }] of rules.entries()) {
      const words = wordsOf(matcher);
      if (words === undefined) this.#always.push(at);
      else for (const word of new Set(words)) put(this.#worded, word, at);
    }
  }

  matching(action: ExecAction): readonly Rule[] {
    if (this.#worded.size === 0 || action.argv.some((argument) => !argument.known) || shapeHides(action)) return this.#rules;
    const found = new Set(this.#always);
    for (const text of textsOf(action)) for (const at of this.#worded.get(text) ?? []) found.add(at);
    return select(this.#rules, found);
  }
}

function shapeHides({ shape }: ExecAction): boolean {
  if (shape === undefined) return false;
  return !shape.operands.every(({ known }) => known) || !shape.options.every(({ value }) => value?.known !== false);
}

/** The words one of which must stand among a command's, whole or as an option's value; undefined where none must. */
function wordsOf(matcher: Matcher): readonly string[] | undefined {
  if (matcher.kind === "bash") {
    const word = matcher.tokens.find(
      (token, at) => at > 0 && token.is === "text" && isPlainWord(token.text) && !isOption(matcher.tokens[at - 1]),
    );
    return word?.is === "text" ? [word.text] : undefined;
  }
  if (matcher.kind !== "shell") return undefined;
  const operand = matcher.operands.find(({ negated, alternatives }) => !negated && alternatives.every(isPlainWord));
  return operand?.alternatives;
}

/** What follows an option may be its value, and an abbreviation of the option hides which. */
function isOption(token: Token | undefined): boolean {
  return token?.is === "text" && token.text.startsWith("-");
}

/** No option, no path and no pattern: it means what it spells. */
function isPlainWord(text: string): boolean {
  return /^[\w@][\w.:@+-]*$/.test(text);
}

/** Every text that a plain word of a rule is compared with. */
function textsOf({ argv, shape }: ExecAction): ReadonlySet<string> {
  const texts = new Set<string>();
  const add = (argument: Argument | undefined): void => {
    if (argument?.known === true) addText(argument.text, texts);
  };
  for (const argument of argv.slice(1)) add(argument);
  for (const operand of shape?.operands ?? []) add(operand);
  for (const { value } of shape?.options ?? []) add(value);
  return texts;
}

function addText(text: string, texts: Set<string>): void {
  texts.add(text);
  if (text.includes("/")) texts.add(resolvePath("/", text).slice(1));
  if (!text.startsWith("-")) return;
  const equals = text.indexOf("=");
  if (equals !== -1) addText(text.slice(equals + 1), texts);
  else if (!text.startsWith("--")) addText(text.slice(2), texts);
}
