import { forEachChild, type ParameterExpansionPart, type ParsedScript, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { Span } from "../../action/index.ts";
import type { Context } from "../words/context.ts";
import type { ShellState } from "../words/state.ts";
import { prefixOf, textOf, type Value } from "../words/value.ts";

/**
 * `sh` is dash, busybox, a ksh or bash, as the machine has it, and so is what `system(3)` starts. What only some of them know,
 * the others take for something else: `((x))` is two subshells, `[[` a program, `&>` a background job and a redirection.
 */

const HELP = "start it by `bash -c`, or write it so that every sh reads it alike";

/** Says so where a script that `sh` may run has a part that not every `sh` reads as bash does. */
export function doubtScript(cx: Context, state: ShellState, script: ParsedScript, span: Span | undefined): void {
  const what = state.portable ? bashOnly(script) : undefined;
  if (what !== undefined) cx.unknown(`not every sh reads \`${what}\` as bash does`, { span, help: HELP });
}

/** mksh drops the whole word, quotes in it or not, where what `${NAME%…}` leaves behind other text that is empty is empty, too (R59, run). */
const isTrimmed = ({ parts = [] }: Word): boolean =>
  parts.some((part) => part.type === "ParameterExpansion" && part.operation?.type === "Remove");

/** So it does where what `${NAME=…}` assigns turns out to be empty. */
const mayVanish = ({ parts = [] }: Word): boolean =>
  parts.some(
    (part) =>
      part.type === "ParameterExpansion" &&
      part.operation?.type === "Default" &&
      (part.operation.operator.endsWith("=") ? !tellsText(part.operation.operand) : mayVanish(part.operation.operand)),
  );

const expands = ({ type }: WordPart): boolean => /^(?:Simple|Parameter|Command)Expansion$/.test(type);

const tellsText = ({ text, parts }: Word): boolean =>
  parts === undefined ? /[\w./]/.test(text) : parts.some((part) => part.type === "Literal" && /[\w./]/.test(part.text));

function bashOnly(script: ParsedScript): string | undefined {
  let found: string | undefined;
  const visit = (node: SyntaxNode): void => {
    found ??= bashism(node);
    if (found === undefined) forEachChild(node, visit);
  };
  visit(script);
  return found;
}

/** They are found before functions, and an error in them ends the shell (POSIX, Special Built-In Utilities). */
const SPECIAL_IN_SH = new Set("break : continue . eval exec exit export readonly return set shift times trap unset".split(" "));

export const isSpecialInSh = (name: string): boolean => SPECIAL_IN_SH.has(name);

function bashism(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "TestCommand":
      return "[[";
    case "ArithmeticCommand":
    case "ArithmeticFor":
      return "((";
    case "Coproc":
      return "coproc";
    case "Select":
      return "select";
    case "Function":
      if (node.pos !== node.name.pos) return "function";
      return isSpecialInSh(node.name.value) ? `a function named ${node.name.value}` : undefined;
    case "Pipeline":
      if (node.operators.includes("|&")) return "|&";
      // Where `time` is a program, it starts programs alone, and it may not be there.
      return node.prefixes.some(({ type }) => type === "Time") ? "time" : undefined;
    case "Redirect":
      if (node.operator === "&>" || node.operator === "&>>") return node.operator;
      if (node.descriptor?.type === "FileDescriptorVariable") return "{NAME}>";
      return node.operator === ">&" && !/^(?:\d+|-|\$.*|".*")$/.test(node.target?.text ?? "") ? ">&" : undefined;
    case "HereString":
      return "<<<";
    case "ProcessSubstitution":
      return `${node.operator}(`;
    case "ArrayValue":
      return "NAME=(…)";
    case "Assignment":
      if (node.append === true) return "+=";
      return node.index === undefined ? undefined : "NAME[…]=";
    case "Command":
      return splitsAssignment(node) ? "export NAME=$VALUE without quotes" : undefined;
    case "AnsiCQuoted":
      return "$'…'";
    case "DoubleQuoted":
      // In ksh93 a quote inside ends those around it: what stands behind is split, and a pattern in it expands.
      return node.parts.some(
        (part) => part.type === "ParameterExpansion" && part.operation?.type === "Default" && /"[^"]*[\s*?[$`]/.test(part.text.slice(1)),
      )
        ? '"${…"…"}"'
        : quotedOperand(node.parts);
    case "HereDoc":
      return quotedOperand(node.body.parts);
    case "LocaleString":
      return '$"…"';
    case "Word":
      if (node.parts !== undefined && node.parts.length > 1) {
        if (mayVanish(node)) return "${NAME=…} in a word";
        if (isTrimmed(node) && !tellsText(node)) return "${NAME%…} in a word";
      }
      // ksh93 and mksh expand `{$x}` by the commas in the text of x.
      if (node.parts?.some(expands) === true && node.parts.some((part) => part.type === "Literal" && part.text.includes("{")))
        return "{$NAME}";
      return /^~[-+\d]/.test(node.text) ? "~+" : undefined;
    case "BraceExpansion":
      return "{a,b}";
    // Where it is no arithmetic ksh93 loses its beginning.
    case "CommandExpansion":
      return node.text.startsWith("$((") ? "$(( command" : undefined;
    case "ExtendedGlob":
      return `${node.operator}(…)`;
    case "ParameterExpansion": {
      if (node.prefix === "!" || node.index !== undefined) return "${!NAME}";
      const type = node.operation?.type ?? "Default";
      if (type !== "Default" && type !== "Remove") return "${NAME/…}";
      // posh finds no home in a pattern, mksh one behind `=`, and behind `:` in an assignment some.
      return pieces(operandOf(node)).some((text) => text.includes("~", type === "Default" ? 1 : 0)) ? "${NAME…~}" : undefined;
    }
    case "ArithmeticExpansion":
      return node.text.startsWith("$[") ? "$[" : undefined;
    case "ArithmeticUnary":
      return node.operator === "++" || node.operator === "--" ? node.operator : undefined;
    case "ArithmeticBinary":
      return node.operator === "**" || node.operator === "," ? node.operator : undefined;
    case "ArithmeticWord":
      return node.value.includes("#") && !node.value.includes("$") ? "BASE#NUMBER" : undefined;
    case "Case":
      return node.items.some(({ terminator }) => terminator === ";&" || terminator === ";;&") ? ";&" : undefined;
    default:
      return undefined;
  }
}

const operandOf = ({ operation }: ParameterExpansionPart): Word | undefined =>
  operation !== undefined && "operand" in operation ? operation.operand : undefined;

/** What of a word stands without quotes. */
const pieces = (word: Word | undefined): readonly string[] =>
  word === undefined
    ? []
    : word.parts === undefined
      ? [/["'\\]/.test(word.text) ? "" : word.text]
      : word.parts.map((part) => (part.type === "Literal" ? part.text : ""));

/** In double quotes yash takes a `~` for the home, and in a here-document mksh and posh do, too (POSIX leaves it open; run). */
const quotedOperand = (parts: readonly WordPart[] = []): string | undefined => {
  const operands = parts.flatMap((part) => (part.type === "ParameterExpansion" ? (operandOf(part) ?? []) : []));
  // posh drops a backslash there, and in a here-document most do.
  if (operands.some(({ text }) => /\\[^$`"\\}]/.test(text))) return '"${NAME…\\}"';
  return operands.some(({ text, parts: inner }) => text.startsWith("~") || quotedOperand(inner) !== undefined) ? '"${NAME…~}"' : undefined;
};

/** Before dash 0.5.11 what `export` and `readonly` are given is split like any other word. */
function splitsAssignment(node: Extract<SyntaxNode, { type: "Command" }>): boolean {
  if (!/^(?:export|readonly)$/.test(node.name?.value ?? "")) return false;
  return node.args.some(
    (arg) =>
      arg.type === "Assignment" &&
      arg.value.type === "Word" &&
      arg.value.parts?.some(({ type }) => type === "SimpleExpansion" || type === "ParameterExpansion" || type === "CommandExpansion") ===
        true,
  );
}

interface Standing {
  readonly cx: Context;
  readonly state: ShellState;
  readonly span: Span | undefined;
}

/**
 * Says so where a builtin, as it is called, does not do the same in every `sh`. `portable`: the options that every sh takes; another is an
 * error there, which ends the shell or leaves a variable as it was.
 */
export function doubtBuiltin({ cx, state, span }: Standing, name: string, words: readonly Value[], portable: string | undefined): void {
  if (!state.portable) return;
  // Where it fails, which an option or a redirection may make it, the shell ends.
  if (isSpecialInSh(name) && (name !== ":" || words.length > 0)) cx.mayEnd(state);
  const doubt = (what: string): void => cx.unknown(`not every sh does the same at \`${what}\``, { span, help: HELP });
  if (portable === undefined) doubt(name);
  if (name === "read" && words.every((word) => prefixOf(word).startsWith("-"))) doubt("read without a name");
  if (name === "cd" && words.filter((word) => !prefixOf(word).startsWith("-")).length > 1) doubt("cd with several folders");
  if (name === "unset" && words.some((word) => state.functions.has(textOf(word) ?? "")) && textOf(words[0] ?? NONE) !== "-f")
    doubt("unset of a function");
  for (const word of words) {
    const text = textOf(word);
    if (!prefixOf(word).startsWith("-") && !(word.many && prefixOf(word) === "")) break;
    if ((name === "eval" || name === ".") && text === "--") doubt(`${name} --`);
    if (text === "--" || text === "-" || portable === undefined || portable === "any") break;
    if (
      text === undefined ||
      portable === "none" ||
      !text
        .slice(1)
        .split("")
        .every((letter) => portable.includes(letter))
    ) {
      if (text !== undefined || name !== "printf") doubt(`${name} ${text ?? ""}`.trim());
      break;
    }
  }
}

const NONE: Value = { atoms: [], many: false };

/** zshmisc(1), "Reserved Words": those that bash takes for names. */
export const isZshWord = (name: string): boolean =>
  /^(?:declare|end|export|float|foreach|integer|local|nocorrect|readonly|repeat|typeset)$/.test(name);

/** Functions that the shells call by themselves (bash(1), COMMAND EXECUTION; zshmisc(1), SPECIAL FUNCTIONS). */
export const isCalledByShell = (name: string): boolean =>
  /^(?:command_not_found_handler?|TRAP[A-Z0-9]+|chpwd|precmd|preexec|periodic|zshexit|zshaddhistory|zsh_directory_name)$/.test(name);
