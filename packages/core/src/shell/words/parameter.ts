import type { ParameterExpansionPart, ParameterOperation, SimpleExpansionPart, Word, WordPart } from "unbash";
import { evaluateAsArithmetic } from "./evaluated.ts";
import { expandOperand, expandSplit, expandText, homeOf, workingDirectory, type Expansion } from "./expand.ts";
import { isArray, type ShellState, type ShellVariable } from "./state.ts";
import { concat, isHole, isWildcard, joinWords, literal, prefixOf, textOf, unknown, type Value } from "./value.ts";
import { assignVariable, GROWS, isComputed, setElement } from "./variables.ts";

/** Several fields (`$@`, `${a[@]}`), or one value that is split like any other. */
export type Fields =
  /** `split`: quotes inside were honoured already, the fields stay as they are. */
  | { readonly fields: readonly Value[]; readonly split?: boolean; readonly value?: undefined }
  | { readonly fields: undefined; readonly value: Value };

/** Any number of words, in double quotes, too. */
const listOf = (why: string, ambient = false): Fields => ({
  fields: [{ atoms: [{ hole: true, why, ...(ambient ? { ambient } : {}) }], many: true }],
});
const one = (value: Value): Fields => ({ fields: undefined, value });
const number = (why: string): Value => ({ atoms: [{ hole: true, why, number: true }], many: false });
const NUMERIC = new Set("# ? $ ! RANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS COLUMNS LINES SRANDOM SHLVL".split(" "));

export function readParameter(ex: Expansion, part: SimpleExpansionPart | ParameterExpansionPart, quoted: boolean): Fields {
  if (part.type === "SimpleExpansion") return lookup(ex, part.text.slice(1), quoted);
  const { cx } = ex;
  if (part.index !== undefined && part.index.value !== "@" && part.index.value !== "*")
    evaluateAsArithmetic(ex, expandText(ex, part.index), "an array subscript");
  if (cx.maybeZsh && !quoted && part.operation !== undefined && hasQualifier(part.operation))
    cx.unknown("zsh reads a parenthesis in ${…} as a glob qualifier, which can run code", { span: cx.span(part), help: "quote it" });
  if (cx.maybeZsh && !quoted && part.operation !== undefined && wordsOf(part.operation).some(opensBrace))
    cx.unknown("a `{` inside ${…}, which zsh waits for the end of and bash does not", { span: cx.span(part), help: "quote it" });
  if (part.prefix === "#") return one(number(`the length of $${part.parameter}`));
  if (part.operation?.type === "Transform" && /P/.test(part.operation.operand.text)) {
    cx.unknown(`\${${part.parameter}@P} runs substitutions hidden in the variable's text`, { span: cx.span(part) });
  }
  if (part.prefix === "!") {
    const named = indirect(ex, part, quoted);
    if (part.operation !== undefined && part.operation.type !== "Names") {
      operate(ex, part.operation, undefined, part, quoted);
      return one(unknown(`the variable that $${part.parameter} names`, true));
    }
    return named;
  }
  const found = part.index === undefined ? lookup(ex, part.parameter, quoted) : element(ex, part.parameter, part.index.value, quoted);
  if (part.operation === undefined) return found;
  if (found.fields !== undefined) {
    operate(ex, part.operation, undefined, part, quoted);
    // A slice may begin with `$0`, and `@A` and `@a` tell of what has no element, too.
    const stays = !["Default", "Slice", "Transform"].includes(part.operation.type);
    return found.fields.length === 0 && stays ? found : listOf(`a part of $${part.parameter}`);
  }
  const { operation } = part;
  if (cx.maybeZsh && operation.type === "Default" && operation.operator.endsWith("=") && /\{[^}]*(,|\.\.)/.test(operation.operand.text))
    cx.unknown("zsh expands braces in what ${…=…} assigns, bash does not", { span: cx.span(part) });
  // What `=` assigns is the variable's text, and is split like it.
  if (operation.type !== "Default" || quoted || operation.operator.endsWith("="))
    return one(operate(ex, operation, part.index === undefined ? found.value : undefined, part, quoted));
  const fields = expandSplit(ex, operation.operand);
  const operand =
    fields.reduce<Value | undefined>((a, b) => (a === undefined ? b : concat(concat(a, literal(" ")), b)), undefined) ?? literal("");
  const chosen = withDefault(ex, operation.operator, part.index === undefined ? found.value : undefined, operand, part);
  return chosen === operand ? { fields, split: true } : one(chosen);
}

/** `${!x}`: the text of x is a name, or a name with a subscript, which is arithmetic (bash(1), Parameter Expansion). */
function indirect(ex: Expansion, part: ParameterExpansionPart, quoted: boolean): Fields {
  const { cx } = ex;
  const name = part.parameter;
  cx.mayFail(ex.state);
  const lost = one(unknown(`the variable that $${name} names`, true));
  // `${!a[@]}` are subscripts, `${!a*}` names.
  if (part.operation?.type === "Names" || ((part.index?.value === "@" || part.index?.value === "*") && part.operation === undefined))
    return listOf(`the names that ${part.text} stands for`);
  const found = part.index === undefined ? lookup(ex, name, true) : element(ex, name, part.index.value, true);
  const pointers = found.fields ?? [found.value];
  const texts = pointers.map((value) => (value.many ? undefined : textOf(value)));
  const ambient = part.index === undefined && /^[A-Za-z_]/.test(name) && !ex.state.variables.has(name) && !isComputed(name);
  if (texts.every((text) => text !== undefined && /^(\w+|[@*#?!$-])$/.test(text))) {
    const [only] = texts;
    if (texts.length !== 1 || only === undefined) return lost;
    return lookup(ex, only, quoted);
  }
  const [text] = texts;
  const subscript = text === undefined ? undefined : /^[A-Za-z_]\w*\[(.*)\]$/s.exec(text)?.[1];
  if (texts.length === 1 && subscript !== undefined) {
    if (subscript !== "@" && subscript !== "*")
      evaluateAsArithmetic(ex, literal(subscript), "the subscript that an indirect expansion names");
    return lost;
  }
  cx.unknown(
    ambient
      ? `\${!${name}} shows a variable that is only known at run time, which may be a secret`
      : `the text of $${name} is taken for a name; a subscript in it can run code`,
    { span: cx.span(part), help: "write the name of the variable" },
  );
  return lost;
}

/** The value of a variable or special parameter. */
function lookup(ex: Expansion, name: string, quoted: boolean): Fields {
  const { state, cx } = ex;
  // In zsh one that is not set ends no more than the `eval` it stands in.
  if (state.options.has("nounset")) cx.mayGiveUp(state);
  if (name === "@" || name === "*") return name === "*" && quoted ? one(joined(state, state.positional)) : { fields: state.positional };
  if (/^\d+$/.test(name)) {
    if (name === "0") return one(unknown("$0", false));
    const index = Number(name) - 1;
    if (state.positional.slice(0, index + 1).some((value) => value.many)) return one(unknown(`$${name}`, true));
    return one(state.positional[index] ?? literal(""));
  }
  const variable = state.variables.get(name);
  if (variable !== undefined) {
    if (!isArray(variable)) return one(variable);
    // bash takes the first element, zsh all of them.
    return one(cx.maybeZsh ? unknown(`the array $${name} without [@]`, true) : (variable[0] ?? literal("")));
  }
  if (name === "!") return one({ atoms: [{ hole: true, why: "$!", number: true, started: true }], many: false });
  if (NUMERIC.has(name)) return one(number(`$${name}`));
  if (name === "HOME") return one(homeOf(ex));
  if (name === "PWD") return one(workingDirectory(state));
  if (name === "IFS") return one(literal(" \t\n"));
  if (isComputed(name)) return one(unknown(`$${name}`, true));
  const ambient = cx.world.env(name);
  return one(ambient === undefined ? { atoms: [{ hole: true, why: `$${name}`, ambient: true }], many: true } : literal(ambient));
}

/** `"$*"`: the first character of IFS stands between the words. */
const joined = (state: ShellState, values: readonly Value[]): Value =>
  values.length > 1 && state.variables.has("IFS") ? unknown("words joined by IFS") : { atoms: joinWords(values), many: false };

function element(ex: Expansion, name: string, index: string, quoted: boolean): Fields {
  const variable: ShellVariable | undefined = ex.state.variables.get(name);
  // What `read -a` or `a[1]=…` left of it.
  if (variable === undefined || (!isArray(variable) && /[aA]/.test(ex.state.attributesOf(name))))
    return index === "@" ? listOf(`\${${name}[@]}`, variable === undefined) : one(unknown(`\${${name}[${index}]}`, true));
  const values = isArray(variable) ? variable : [variable];
  // One that is not set holds nothing, and its text is empty all the same.
  if (index === "@" && !isArray(variable) && !textOf(variable)) return listOf(`\${${name}[@]}`);
  if (index === "@" || (index === "*" && !quoted)) return { fields: values };
  if (index === "*") return one(joined(ex.state, values));
  // zsh counts from one.
  if (!ex.cx.maybeZsh && /^\d+$/.test(index) && !values.some((value) => value.many)) return one(values[Number(index)] ?? literal(""));
  return one(unknown(`\${${name}[${index}]}`, true));
}

function operate(
  ex: Expansion,
  operation: ParameterOperation,
  value: Value | undefined,
  part: ParameterExpansionPart,
  quoted: boolean,
): Value {
  const why = `a part of $${part.parameter}`;
  switch (operation.type) {
    case "Default":
      return withDefault(ex, operation.operator, value, expandOperand(ex, operation.operand, quoted), part);
    case "Remove":
      return remove(value, operation.operator, patternOf(ex, operation.operand), why);
    case "Replace":
      expandText(ex, operation.pattern);
      expandText(ex, operation.replacement);
      if (namesIn(operation.replacement.text).includes(part.parameter)) ex.cx.unknown(GROWS, { span: ex.cx.span(part) });
      return unknown(why, true);
    case "Slice":
      // zshexpn(1): `${NAME::=WORD}` assigns, whatever NAME was; in bash it is an error.
      if (ex.cx.maybeZsh && operation.offset.text === "" && operation.length?.text.startsWith("=") === true)
        assignExpanded(ex, part, unknown(`$${part.parameter}, set by \${…::=…}`, true));
      evaluateAsArithmetic(ex, expandText(ex, operation.offset), "a substring offset");
      if (operation.length !== undefined) evaluateAsArithmetic(ex, expandText(ex, operation.length), "a substring length");
      return unknown(why, true);
    case "CaseModification":
      // zsh does not know it, and gives up the line.
      ex.cx.mayFail(ex.state);
      if (operation.operand !== undefined) expandText(ex, operation.operand);
      return unknown(why, true);
    case "Transform":
      ex.cx.mayFail(ex.state);
      expandText(ex, operation.operand);
      return unknown(why, true);
    case "Names":
      return unknown(`the variables named ${part.parameter}…`, true);
    case "Unknown":
      ex.cx.unknown(`\`${part.text}\` is not understood`, { span: ex.cx.span(part) });
      return unknown(why, true);
  }
}

const namesIn = (text: string): readonly (string | undefined)[] => [...text.matchAll(/\$\{?[!#]?(\w+|[@*#?!$-])/g)].map(([, name]) => name);

function withDefault(ex: Expansion, operator: string, value: Value | undefined, operand: Value, part: ParameterExpansionPart): Value {
  const { cx, state } = ex;
  const name = part.parameter;
  const kind = operator.at(-1);
  const text = value === undefined ? undefined : textOf(value);
  const positional = /^\d+$/.test(name);
  const set = state.variables.has(name) || cx.world.env(name) !== undefined || name === "HOME" || name === "PWD" || positional;
  // An empty variable may be one that is not set.
  if (kind === "?" && (text === undefined || !set)) cx.mayEnd(state);
  if (text === undefined || value === undefined || !set || (text === "" && !operator.startsWith(":"))) {
    if (kind === "=") assignExpanded(ex, part, unknown(`$${name}, perhaps set by \${…=…}`, true));
    return unknown(kind === "+" ? `whether $${name} is set` : `$${name} or its default`, true);
  }
  const nonEmpty = text !== "";
  if (kind === "?" && !nonEmpty) cx.mayEnd(state);
  if (kind === "+") return nonEmpty ? operand : literal("");
  if (nonEmpty || kind === "?") return value;
  if (kind === "=") assignExpanded(ex, part, operand);
  return operand;
}

/** What an expansion assigns: to the variable, or to an element of it. */
function assignExpanded({ cx, state }: Expansion, part: ParameterExpansionPart, value: Value): void {
  const at = { exported: false, span: cx.span(part) };
  if (part.index === undefined) assignVariable(cx, state, part.parameter, value, at);
  else setElement(cx, state, part.parameter, at);
}

/** The pattern behind `#` and `%`; undefined where what is quoted, or read in another way by zsh, decides what it matches. */
function patternOf(ex: Expansion, operand: Word): string | undefined {
  const { atoms } = expandText(ex, operand);
  const pieces = atoms.map((atom) => (typeof atom === "string" ? atom : isWildcard(atom) ? atom.glob : undefined));
  if (pieces.includes(undefined)) return undefined;
  const text = pieces.join("");
  if (text.includes("*") && /[\\'"$`]/.test(operand.text)) return undefined;
  return ex.cx.maybeZsh && /[<>|~^#()]/.test(operand.text) ? undefined : text;
}

/** `${x%suffix}`, `${x#prefix}`: computed for literal patterns, and for `##*` and `%.*`-like ones on literal text. */
function remove(value: Value | undefined, operator: string, pattern: string | undefined, why: string): Value {
  const text = value === undefined ? undefined : textOf(value);
  if (text === undefined || pattern === undefined || /[?[\\(]/.test(pattern)) {
    // What is left of `%` keeps its start; a folder in front stays unless the pattern reaches it.
    const prefix = value === undefined ? "" : prefixOf(value);
    if (value !== undefined && operator === "%" && pattern !== undefined && !pattern.includes("/") && prefix.includes("/")) {
      const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      const lead = value.atoms.flatMap((atom) => (typeof atom !== "string" && isHole(atom) ? (atom.lead ?? []) : []))[0];
      if (lead !== undefined && !folder.endsWith(lead)) return unknown(why, true);
      return { atoms: [folder, { hole: true, why, below: true, ...(lead === undefined ? {} : { lead }) }], many: value.many };
    }
    return unknown(why, true);
  }
  const star = pattern.indexOf("*");
  if (star < 0) {
    if (operator.startsWith("#")) return literal(text.startsWith(pattern) ? text.slice(pattern.length) : text);
    return literal(text.endsWith(pattern) ? text.slice(0, text.length - pattern.length) : text);
  }
  const literalPart = pattern.replace("*", "");
  if (literalPart.includes("*")) return unknown(why, true);
  if (operator.startsWith("#") && star === 0) {
    const at = operator === "##" ? text.lastIndexOf(literalPart) : text.indexOf(literalPart);
    return literal(at < 0 ? text : text.slice(at + literalPart.length));
  }
  if (operator.startsWith("%") && star === pattern.length - 1) {
    const at = operator === "%%" ? text.indexOf(literalPart) : text.lastIndexOf(literalPart);
    return literal(at < 0 ? text : text.slice(0, at));
  }
  return unknown(why, true);
}

/** Raw text without what single quotes and backslashes hide. */
const bare = (text: string): string =>
  text.replace(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, (piece) => (piece.startsWith('"') ? piece.slice(1, -1).replace(/\\[^]/g, "") : ""));

/**
 * True for `$=x`, `$~x`, `$^x` and `$+x`, which are parameters in zsh and text in bash: split, taken for a pattern whose qualifiers
 * can run code, joined word by word, or a number (zshexpn(1), Parameter Expansion). `following`: more of the word comes behind.
 */
export function hasZshDollar(raw: string, following: boolean): boolean {
  const text = /[\\'"]/.test(raw) ? bare(raw) : raw;
  return /\$[=~^+]+(?:[\w{@*!?$#-])/.test(text) || (following && /\$[=~^+]+$/.test(text));
}

/** The escapes of `$'…'` that both shells know (bash(1), QUOTING; zshmisc(1), QUOTING): of others zsh drops the backslash. */
const ESCAPES = /\\(?:[abeEfnrtv\\'"?]|[0-7]{1,3}|x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8})/g;
const NUL = /^\\(?:[xuU]?0+|400)$/;

/** Nothing in bash; zsh keeps it, and what a program is given ends there. */
export const isNul = (text: string): boolean => NUL.test(text.slice(2, -1));

/** A NUL in front of other text ends it in bash. */
export const isZshEscape = (text: string): boolean =>
  text.replace(ESCAPES, (escape) => (NUL.test(escape) ? escape : "")).includes("\\") && !isNul(text);

/** `$#x` is a length in zsh, `$#` and an `x` in bash. */
export const isZshLength = (part: WordPart, following: WordPart | undefined): boolean =>
  part.type === "SimpleExpansion" && part.text === "$#" && following !== undefined && /^[\w{@*?!$#[-]/.test(following.text);

/** `${x:-*(e:code:)}`: in zsh the operand is a pattern, and its qualifiers can run code (zshexpn(1), Glob Qualifiers). */
function hasQualifier(operation: ParameterOperation): boolean {
  return operation.type === "Default" && piecesOf(operation.operand).some((text) => text.includes("("));
}

const opensBrace = (word: Word): boolean => piecesOf(word).some((text) => text.includes("{"));

function wordsOf(operation: ParameterOperation): readonly Word[] {
  if (operation.type === "Replace") return [operation.pattern, operation.replacement].filter((word) => word !== undefined);
  return "operand" in operation && operation.operand !== undefined ? [operation.operand] : [];
}

const piecesOf = ({ parts, text }: Word): readonly string[] =>
  parts === undefined
    ? [text.replace(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, "")]
    : parts.flatMap((part) =>
        part.type === "Literal" || part.type === "Glob" || part.type === "ExtendedGlob" || part.type === "BraceExpansion"
          ? [part.text.replace(/\\[^]/g, "")]
          : [],
      );
